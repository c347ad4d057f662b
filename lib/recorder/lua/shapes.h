/* SPDX-License-Identifier: MIT
 *
 * Where this Lua keeps the addresses of an object's other blocks, found out at run time: objects of known shape are made
 * while each block that Lua asks for is noted, and their memory is looked through for the addresses of these blocks. What
 * two such objects do not agree on is not known. No header of an engine is needed.
 *
 * Offsets count from the address by which lua_topointer knows the object; of a string from its bytes.
 */
#ifndef TM_RECORDER_LUA_SHAPES_H
#define TM_RECORDER_LUA_SHAPES_H

#include "lib/recorder/lua/blocks.h"

#include <string.h>

enum { SHAPE_PARTS = 16 };

struct lua_offsets {
	unsigned n;
	int at[SHAPE_PARTS];
};

/* A number of elements, less 1, or its power of two. */
enum lua_length { LENGTH_COUNT, LENGTH_MASK, LENGTH_LOG2 };

struct lua_shapes {
	unsigned width;           /* bytes of a reference; 0: nothing is known */
	struct lua_offsets table; /* its arrays; n is 2, or 0: not known */
	uint64_t table_size;      /* of what all tables have */
	uint64_t empty[2];        /* what a table without such a part has instead of its address */
	int length_at[2];         /* of each part; -1: not known */
	enum lua_length length_how[2];
	uint64_t element[2]; /* bytes */
	/* A Lua function: one reference to what all closures of it share, and one for each upvalue from there on. */
	bool functions;
	int proto, upvalues;
	int proto_start; /* bytes of what is shared before the address that a function has of it */
	uint64_t c_function,
	    c_upvalue; /* bytes of a C function, and of each upvalue; 0: not known */
	struct lua_offsets
	    protos; /* from the block's start: blocks without references of their own but to objects */
	bool threads;
	struct lua_offsets thread;      /* the stack, and in 5.1 the calls */
	int call, next_call, call_size; /* call_size 0: calls are no blocks of their own */
	int string_header,
	    string_round; /* a block: header, bytes, 0, rounded up; string_round 0: not known */
	/* The byte that tells kinds of objects apart, from the block's start; -1: not known. */
	int tag;
	uint8_t tag_string, tag_long_string, tag_table, tag_proto;
};

/* With the collector stopped and without hooks. May raise Lua's memory error. */
void shapes_learn(lua_State *l, struct lua_shapes *s);

/* The bytes of a table's part by the table's own numbers; 0: none, or not known. */
uint64_t shapes_part_bytes(const struct lua_shapes *s, uint64_t id, int part);

/* What all closures of a Lua function share, by its address; NULL: not known. */
const void *shapes_proto(const struct lua_shapes *s, const void *function);

static inline uint64_t shapes_word(const struct lua_shapes *s, uint64_t address)
{
	uint64_t word = 0;

	memcpy(&word, (const void *)(uintptr_t)address, s->width); /* little-endian */
	return word;
}

#endif
