/* SPDX-License-Identifier: MIT
 *
 * The common parts of the readers of Lua profilers' texts: lines with their place, decimal numbers,
 * and frames of a sampled stack.
 */
#ifndef TM_FORMATS_LUA_TEXT_H
#define TM_FORMATS_LUA_TEXT_H

#include "formats/emit.h"
#include "formats/reader.h"

enum { LUA_LINE_MAX = 1 << 20 };

/* A line of the input, borrowed until the next one is read. */
struct lua_line {
	const char *s;
	size_t n;
	uint64_t offset, number; /* of its first byte; from 1 */
	bool cut;                /* the input ends without an end of line */
};

/* False at the end of the input and after a failure of the cursor. Zeroed, l is before line 1. */
bool lua_next_line(struct cursor *c, struct lua_line *l);

/* The lines of a head, for bids; used: 0. A last line without an end is given only where it is the
 * first as well, and all: it may be cut short. */
struct lua_head {
	const uint8_t *head;
	size_t n;
	bool whole;
	size_t used;
};

bool lua_head_line(struct lua_head *h, const char **s, size_t *n);
/* Damage to a line in nine does not change what a file is. */
bool lua_head_is(size_t good, size_t bad);

/* Lines that a reader could not use: how many, and where the first and the last are. */
struct lua_refused {
	uint64_t count, first, last;
};

void lua_refuse(struct lua_refused *r, const struct lua_line *l);
/* A loss "lines that ..., the first is line N". */
void lua_refused_note(struct trace *t, const struct lua_refused *r, const char *what);
/* That the last line has no end is no loss, unless it is refused: editors and tools leave it out.
 */
void lua_cut_note(struct trace *t, const struct lua_line *last, const struct lua_refused *r);

/* [0-9]+, with a fraction behind '.' or ',' and an exponent ("1.5e-05", as %f and %g print), times
 * 10^scale; cut off towards 0, at most INT64_MAX. */
bool lua_decimal(const char *s, size_t n, int scale, int64_t *v);

/* "12 name;name" and "name;name 12": a digit run of s[0..n), at its end. False: none, or not after
 * a blank. *head: how many bytes are before the blank. */
bool lua_last_number(const char *s, size_t n, size_t *head, uint64_t *v);

/* A frame as LuaJIT and flame graph tools write it. "@0x1234" is a C function, its first byte, and
 * "0x1234" an address of unstated kind; all else is a name, and "file:12" has a place too. */
uint32_t lua_entry(struct trace *t, const char *s, size_t n);
bool lua_is_address(const char *s, size_t n, uint64_t *v);
/* The file in "file:12" (its length), 0: it is no such text. line 0 is a main chunk. */
size_t lua_place(const char *s, size_t n, uint32_t *line);

/* The words of LuaJIT's profiler for what the VM was doing. */
bool lua_is_vm_state(const char *s, size_t n);

#endif
