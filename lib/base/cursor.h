/* SPDX-License-Identifier: MIT
 *
 * A bounds-checked reader, the only code that touches input bytes; its first failure sticks.
 * After it every read gives zero (or NULL) and moves nothing, so a loop asks cursor_failed once
 * per record. The error has a place: the offset at which the failed read began.
 *
 * A cursor is a window [pos, end) of memory. Over a stream it also has a refill function
 * (lib/input), which slides the window; pointers that cursor_bytes or cursor_line returned are
 * valid until the next call on that cursor. Without refill they live as long as the memory.
 */
#ifndef TM_BASE_CURSOR_H
#define TM_BASE_CURSOR_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct cursor {
	const uint8_t *pos, *end;
	const uint8_t *base; /* the byte at offset base_offset */
	uint64_t base_offset;
	bool big_endian;
	bool at_end; /* refill said that no more bytes will come (always true without refill) */
	/* Makes at least need bytes available at pos, or as many as there are before the end of
	 * input, and updates pos, end, base, base_offset, at_end. False: a read error, already in
	 * *e. May be NULL. */
	bool (*refill)(struct cursor *c, size_t need);
	void *owner;
	struct err *e; /* caller's; set at the first failure */
	bool failed;
	bool ran_out; /* it failed because the input ends before what was to be read does */
};

/* Over n bytes of memory; offset is the place of p[0] in the file, for messages. */
void cursor_init(struct cursor *c, const void *p, size_t n, uint64_t offset, struct err *e);

static inline bool cursor_failed(const struct cursor *c)
{
	return c->failed;
}

static inline uint64_t cursor_offset(const struct cursor *c)
{
	return c->base_offset + (uint64_t)(c->pos - c->base);
}

/* Marks the cursor as failed at its present offset, unless it has failed before: the first
 * reason is the one that counts. Returns the code in force, so a reader can return it. */
enum status cursor_fail(struct cursor *c, enum status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* How many bytes are in the window without refilling. */
static inline size_t cursor_window(const struct cursor *c)
{
	return (size_t)(c->end - c->pos);
}

/* Bytes available at pos, at least need of them unless the input ends before. */
size_t cursor_available(struct cursor *c, size_t need);

/* True at the end of input (or after a failure). */
static inline bool cursor_done(struct cursor *c)
{
	return c->failed || (c->pos == c->end && cursor_available(c, 1) == 0);
}

/* n bytes, or NULL and failure ("<what>: needs N bytes, M are left"); what names the thing
 * being read. n is bounded by LIMIT_CURSOR for streams, so it may come from input. */
const uint8_t *cursor_bytes(struct cursor *c, size_t n, const char *what);
void cursor_skip(struct cursor *c, uint64_t n, const char *what);

uint16_t cursor_u16(struct cursor *c); /* in the cursor's byte order, as the next ones */
uint32_t cursor_u32(struct cursor *c);
uint64_t cursor_u64(struct cursor *c);
/* What cursor_u8, cursor_uleb and cursor_sleb call for what is not in the window, or is longer than
 * a byte. */
uint8_t cursor_u8_next(struct cursor *c);
uint64_t cursor_uleb_long(struct cursor *c);
int64_t cursor_sleb_long(struct cursor *c);

static inline bool cursor_has_byte(const struct cursor *c)
{
	return c->pos < c->end && !c->failed;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	return cursor_has_byte(c) ? *c->pos++ : cursor_u8_next(c);
}

static inline uint64_t cursor_uleb(struct cursor *c) /* more than 64 bits is a failure */
{
	return cursor_has_byte(c) && *c->pos < 0x80 ? *c->pos++ : cursor_uleb_long(c);
}

static inline int64_t cursor_sleb(struct cursor *c)
{
	return cursor_has_byte(c) && *c->pos < 0x40 ? *c->pos++ : cursor_sleb_long(c);
}

/* The next line without its end ("\n" or "\r\n"), its length in *n; NULL at the end of input.
 * A last line without an end counts. A line longer than limit is a failure. */
const char *cursor_line(struct cursor *c, size_t *n, size_t limit);

/* A NUL-terminated string inside the window; NULL and failure when there is no NUL. */
const char *cursor_cstr(struct cursor *c, size_t *n);

enum { LIMIT_CURSOR = 256 << 20 }; /* the longest contiguous piece of a stream */

#endif
