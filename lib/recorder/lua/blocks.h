/* SPDX-License-Identifier: MIT
 *
 * The live blocks of a Lua state, by a lua_Alloc that stands in front of the state's own from when the module is loaded:
 * what a snapshot needs to know the bytes of objects. 48 bytes a block; blocks from before are not known.
 */
#ifndef TM_RECORDER_LUA_BLOCKS_H
#define TM_RECORDER_LUA_BLOCKS_H

#include "lib/recorder/lua/out.h"

#include <lua.h>

struct lua_block {
	uint64_t address; /* 0: a free place of the table */
	uint64_t size : 56,
	    kind : 8; /* kind: what Lua said of the new block, from 5.2 on; 0: nothing */
};

struct lua_watch {
	lua_Alloc next;
	void *ud;
	struct lua_block *slots; /* open addressing */
	size_t n, mask;
	uint64_t lost; /* blocks that there was no memory for */
};

/* Puts the allocator there; NULL: no memory. */
struct lua_watch *watch_begin(lua_State *l);
/* Takes it away and frees w, where no other allocator was put over it; else both stay. Accepts NULL. */
void watch_end(lua_State *l, struct lua_watch *w);
/* The blocks by address, for own_free; NULL: none, or no memory. */
struct lua_block *watch_sorted(const struct lua_watch *w, size_t *n);
/* The block that has the address, of blocks by address: its index, or n. */
size_t blocks_find(const struct lua_block *blocks, size_t n, uint64_t address);

#endif
