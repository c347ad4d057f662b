/* SPDX-License-Identifier: MIT
 *
 * The wire format of protocol buffers, field by field, without a schema: for messages of which a
 * few fields are wanted, in files that do not fit into memory. Facts: the encoding page of the
 * protocol buffers documentation. Groups (wire types 3 and 4) are refused; numbers of one field may
 * be packed in bytes, which pb_packed takes apart.
 */
#ifndef TM_INPUT_PROTOBUF_H
#define TM_INPUT_PROTOBUF_H

#include "lib/base/cursor.h"

enum pb_wire { PB_VARINT = 0, PB_FIXED64 = 1, PB_BYTES = 2, PB_FIXED32 = 5 };

struct pb_field {
	uint32_t number; /* not 0 */
	uint8_t wire;    /* enum pb_wire */
	uint64_t value;  /* of numbers; of bytes their count */
	const uint8_t *s;
	size_t n; /* of bytes */
};

struct pb { /* a message in memory */
	const uint8_t *p, *end;
	bool bad; /* set where the bytes are no fields; nothing is read behind that */
};

static inline struct pb pb_of(const struct pb_field *f)
{
	return (struct pb){f->s, f->n ? f->s + f->n : f->s, false}; /* of a number: of nothing */
}

/* A number at b->p. 0 and bad: the bytes end in it, or it has more than 64 bits. */
uint64_t pb_varint_long(struct pb *b);
static inline uint64_t pb_varint(struct pb *b)
{
	return b->p < b->end && *b->p < 0x80 ? *b->p++ : pb_varint_long(b);
}
uint64_t pb_fixed(struct pb *b, size_t n); /* n bytes, little-endian; likewise */
/* The next field; false: the message is over, or bad. Inlined, so that *f need not be in memory. */
static inline bool pb_next(struct pb *b, struct pb_field *f)
{
	uint64_t key;

	if (b->p == b->end || b->bad)
		return false;
	key = pb_varint(b);
	*f = (struct pb_field){.number = (uint32_t)(key >> 3), .wire = key & 7};
	b->bad |= !f->number || key >> 32;
	switch (f->wire) {
	case PB_VARINT: f->value = pb_varint(b); break;
	case PB_FIXED64: f->value = pb_fixed(b, 8); break;
	case PB_FIXED32: f->value = pb_fixed(b, 4); break;
	case PB_BYTES:
		f->value = pb_varint(b);
		b->bad |= f->value > (uint64_t)(b->end - b->p);
		if (!b->bad) {
			f->s = b->p;
			f->n = (size_t)f->value;
			b->p += f->n;
		}
		break;
	default: b->bad = true;
	}
	return !b->bad;
}
/* The next number of a packed field; false as above. */
static inline bool pb_packed(struct pb *b, uint64_t *v)
{
	if (b->p == b->end)
		return false;
	*v = pb_varint(b);
	return !b->bad;
}

/* The next field of a message that is a whole input. Bytes are valid until the next call, and at
 * most LIMIT_CURSOR. ST_NONE: the end; ST_BAD: with its offset. what names the message. */
enum status pb_next_of(struct cursor *c, struct pb_field *f, const char *what);

#endif
