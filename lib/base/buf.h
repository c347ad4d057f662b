/* SPDX-License-Identifier: MIT
 *
 * A growing byte buffer. data is NULL until the first byte; it is not NUL-terminated unless
 * buf_str was the last call.
 */
#ifndef TM_BASE_BUF_H
#define TM_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data; /* owned */
	size_t len, cap;
};

#define BUF_INIT  \
	{         \
		0 \
	}

/* Room for n more bytes; returns where they go. The caller then adds what it wrote to len. */
char *buf_reserve(struct buf *b, size_t n);
void buf_add(struct buf *b, const void *p, size_t n);
void buf_addc(struct buf *b, char c);
void buf_adds(struct buf *b, const char *s);
/* As one word for a shell, in quotes unless it needs none; without a backslash, since messages are printed with two for each. */
void buf_add_shell(struct buf *b, const char *s);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_add_uleb(struct buf *b, uint64_t v);
void buf_add_hex(struct buf *b, uint64_t v, unsigned digits); /* at least so many, at most 16 */
void buf_add_u64(struct buf *b, uint64_t v);                  /* decimal text */
void buf_add_u128(struct buf *b, unsigned __int128 v);
/* Appends text for a person: control bytes and bytes that are not UTF-8 as \xHH (newline \n, tab
 * \t), other characters that are hidden (utf_hidden) as \u{202e}, a backslash doubled; nothing read
 * from input reaches a terminal raw. */
void buf_add_escaped(struct buf *b, const char *s, size_t n);
/* The same, but for the characters in keep, such as "\n\t\\", which stay. */
void buf_add_visible(struct buf *b, const char *s, size_t n, const char *keep);
/* The same for tables: paths of Windows stay as they are. Bytes are \x{HH}, also those of newline and tab. Backslashes are
 * doubled only directly before these, \u{...}, "x{" and "u{", so no two texts look the same. */
void buf_add_readable(struct buf *b, const char *s, size_t n);
/* The bytes at an offset, also of an empty buffer: never NULL, to which no offset may be added.
 * Valid until the buffer grows. */
static inline const char *buf_at(const struct buf *b, size_t at)
{
	return b->data ? b->data + at : "";
}

const char *buf_str(struct buf *b); /* the text, NUL-terminated; valid until the next call */
void buf_release(struct buf *b);

#endif
