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
/* The next field; false: the message is over, or bad. */
bool pb_next(struct pb *b, struct pb_field *f);
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
