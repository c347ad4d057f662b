/* SPDX-License-Identifier: MIT
 *
 * Logs of a lua_Alloc: one record for each call of the allocator that a Lua state was given
 * (lua_newstate, lua_setallocf). The text and the binary layout (lualloc_text.c,
 * lualloc_binary.c; tracemill-lualloc(5)) share what is here: what a call means.
 *
 * Facts: Lua 5.4 reference manual, section 4.6, lua_Alloc. ptr NULL: osize is the kind of object
 * that is made, or none of them; nsize 0: free; else realloc, which keeps the old block when it
 * fails. Kinds 9 and 10 are not in the manual: Proto and none in 5.3 (lobject.h: LUA_NUMTAGS),
 * Proto and UpVal in 5.2, UpVal and Proto in 5.4. Lua 5.1 and LuaJIT give 0.
 *
 * A block's kind is that of the call that made it; a realloc is EV_FREE and EV_ALLOC of that
 * kind. Memory: the live blocks.
 */
#ifndef TM_FORMATS_LUA_LUALLOC_H
#define TM_FORMATS_LUA_LUALLOC_H

#include "formats/reader.h"

enum { LUALLOC_KIND_NONE = 0 };

enum lualloc_field {
	LUALLOC_UD = 1,
	LUALLOC_TIME = 2,
	LUALLOC_FRAME = 4,
	LUALLOC_RESULT = 8,
};

struct lualloc_record {
	uint64_t ud, ptr, osize, nsize, result, frame;
	int64_t time;  /* ns */
	uint32_t kind; /* of lualloc_kind_*; LUALLOC_KIND_NONE: what osize or the block says */
	uint8_t has;   /* enum lualloc_field */
};

struct lualloc {
	struct import *im;
	unsigned lua;      /* 54: Lua 5.4; 0: not stated */
	bool no_addresses; /* the log has no results */

	struct lualloc_reading *reading; /* lualloc.c; NULL: before lualloc_begin */
};

/* After what the header says is set; begins the capture. heap: bytes in use before the log. */
enum status lualloc_begin(struct lualloc *l, const uint64_t *heap, struct err *e);
uint32_t lualloc_kind_name(struct lualloc *l, const char *s, size_t n);
uint32_t lualloc_kind_number(struct lualloc *l, uint64_t number);
enum status lualloc_frame(struct lualloc *l, uint64_t number, bool has_time, int64_t time,
			  struct err *e);
enum status lualloc_record(struct lualloc *l, const struct lualloc_record *r, struct err *e);
/* The last counters, and notes. records: how many the log says that it has; NULL: it does not. */
enum status lualloc_end(struct lualloc *l, const uint64_t *records, struct err *e);
void lualloc_release(struct lualloc *l);

#endif
