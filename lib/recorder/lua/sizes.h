/* SPDX-License-Identifier: MIT
 *
 * The bytes of a snapshot's objects: each block that was live when the snapshot began has one owner, the first object
 * that takes it. Of objects from before the module was loaded only what all of their kind have is known.
 */
#ifndef TM_RECORDER_LUA_SIZES_H
#define TM_RECORDER_LUA_SIZES_H

#include "lib/recorder/lua/shapes.h"

enum lua_hidden {
	HIDDEN_NONE,
	HIDDEN_PROTO,
	HIDDEN_UPVALUE,
	HIDDEN_STRING,
	HIDDEN_TABLE,
	HIDDEN_OTHER,
	HIDDEN_STATE
};

struct lua_sizes {
	struct lua_shapes shapes;
	struct lua_block *blocks; /* by address */
	size_t n;
	uint8_t *owned;      /* a bit for each */
	uint64_t total;      /* bytes of the heap, as Lua counts them */
	uint64_t older;      /* of them, of blocks from before the module */
	uint64_t older_told; /* of these, what objects were said to have */
};

/* With the collector stopped, before anything of the snapshot is in the heap. False: no memory, or no watch; then
 * nothing is known. Accepts a NULL watch. */
bool sizes_begin(struct lua_sizes *z, lua_State *l, const struct lua_watch *w);
void sizes_end(struct lua_sizes *z); /* accepts a zeroed struct */

/* Takes the blocks of an object by its address and Lua's type; content: bytes of a string or userdata, upvalues of a
 * function. False: its bytes are not known. */
bool sizes_object(struct lua_sizes *z, int type, bool is_c, uint64_t id, uint64_t content,
		  uint64_t *size);
/* Takes the blocks of what no Lua value is, by its block's address; false: another has taken it. */
bool sizes_hidden(struct lua_sizes *z, enum lua_hidden kind, uint64_t block, uint64_t *size);
bool sizes_owned(const struct lua_sizes *z, size_t i);

/* What the words at address, so many bytes, refer to that has no owner yet: calls found with the beginning of each block. */
typedef void (*sizes_found)(void *arg, enum lua_hidden kind, uint64_t block);
void sizes_refers(const struct lua_sizes *z, uint64_t address, uint64_t bytes, sizes_found found,
		  void *arg);
/* The same of a definition's blocks: strings, and definitions within. */
void sizes_proto_refers(const struct lua_sizes *z, uint64_t block, sizes_found found, void *arg);
/* What a Lua function refers to that no function of Lua's interface tells. */
void sizes_function_refers(const struct lua_sizes *z, uint64_t id, unsigned upvalues,
			   sizes_found found, void *arg);
/* The same of the state, whose main thread is at id: memory that belongs to no object. */
void sizes_state_refers(const struct lua_sizes *z, uint64_t id, sizes_found found, void *arg);

#endif
