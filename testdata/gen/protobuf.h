/* SPDX-License-Identifier: MIT
 *
 * Messages of protocol buffers, written field by field without a schema
 * (protobuf.dev/programming-guides/encoding). Out of memory ends the generator with status 1.
 */
#ifndef TM_TESTDATA_GEN_PROTOBUF_H
#define TM_TESTDATA_GEN_PROTOBUF_H

#include <stdint.h>
#include <stdlib.h>

struct message {
	unsigned char *p;
	size_t n, cap;
};

static inline void byte(struct message *m, unsigned v)
{
	if (m->n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 256;
		m->p = realloc(m->p, m->cap);
		if (!m->p)
			exit(1);
	}
	m->p[m->n++] = (unsigned char)v;
}

static inline void varint(struct message *m, uint64_t v)
{
	for (; v > 127; v >>= 7)
		byte(m, (unsigned)(v & 127) | 128);
	byte(m, (unsigned)v);
}

static inline void number(struct message *m, unsigned field, uint64_t v)
{
	varint(m, field << 3);
	varint(m, v);
}

static inline void bytes(struct message *m, unsigned field, const void *p, size_t n)
{
	varint(m, field << 3 | 2);
	varint(m, n);
	for (size_t i = 0; i < n; i++)
		byte(m, ((const unsigned char *)p)[i]);
}

/* Writes the part as a field of m, and empties it. */
static inline void close_part(struct message *m, unsigned field, struct message *part)
{
	bytes(m, field, part->p, part->n);
	part->n = 0;
}

#endif
