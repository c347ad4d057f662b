/* SPDX-License-Identifier: MIT
 *
 * What Lua objects refer to outside of Lua's heap: light userdata, and the words in the memory of userdata, and in what
 * these refer to, that may be addresses of native blocks: those in anonymous memory that can be written. Which of them are blocks
 * is known to a capture of the process alone (tm-heap --with). Memory is copied by the system, so that nothing
 * faults; how far to look beyond an address is guessed by the size that glibc's malloc keeps before a block.
 */
#ifndef TM_RECORDER_LUA_NATIVES_H
#define TM_RECORDER_LUA_NATIVES_H

#include "lib/recorder/lua/sizes.h"

struct lua_natives {
	struct lua_out *out;
	const struct lua_sizes *z;
	struct native_region {
		uint64_t start, end;
	} * regions;
	size_t n_regions, cap_regions;
	const struct lua_slots *objects; /* of Lua, by id: no native blocks */
	struct lua_slots seen;
	struct native_memory {
		uint64_t from, address, bytes; /* bytes 0: address is a word itself */
		uint32_t name;
	} * waiting;
	size_t n, cap;
	uint64_t words, bytes; /* written, looked at */
	bool cut;              /* there is more */
};

/* objects: known when natives_all is called. */
void natives_begin(struct lua_natives *v, struct lua_out *out, const struct lua_sizes *z,
		   const struct lua_slots *objects);
void natives_end(struct lua_natives *v); /* accepts a zeroed struct */
/* An object has that light userdata in a field. */
void natives_pointer(struct lua_natives *v, uint64_t from, uint64_t pointer, const char *name);
/* A userdata with so many bytes at its address. */
void natives_memory(struct lua_natives *v, uint64_t address, uint64_t bytes);
/* Looks into all of them, and writes what was found. */
void natives_all(struct lua_natives *v);

#endif
