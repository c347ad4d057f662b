/* SPDX-License-Identifier: MIT */
#include "lib/input/protobuf.h"

#include "lib/base/bytes.h"

#include <inttypes.h>

uint64_t pb_varint_long(struct pb *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; b->p < b->end && shift < 64; shift += 7) {
		uint8_t byte = *b->p++;

		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	b->bad = true;
	b->p = b->end;
	return 0;
}

uint64_t pb_fixed(struct pb *b, size_t n)
{
	uint64_t v;

	if ((size_t)(b->end - b->p) < n) {
		b->bad = true;
		return 0;
	}
	v = bytes_number(b->p, n, false);
	b->p += n;
	return v;
}

enum status pb_next_of(struct cursor *c, struct pb_field *f, const char *what)
{
	uint64_t at = cursor_offset(c), key;

	if (cursor_done(c))
		return cursor_failed(c) ? err_failure(c->e) : ST_NONE;
	key = cursor_uleb(c);
	*f = (struct pb_field){.number = (uint32_t)(key >> 3), .wire = key & 7};
	if (!cursor_failed(c) && (!f->number || key >> 32))
		return err_at(c->e, ST_BAD, at, "%s: a field has the number %" PRIu64, what,
			      key >> 3);
	switch (f->wire) {
	case PB_VARINT: f->value = cursor_uleb(c); break;
	case PB_FIXED64: f->value = cursor_u64(c); break;
	case PB_FIXED32: f->value = cursor_u32(c); break;
	case PB_BYTES:
		f->value = cursor_uleb(c);
		if (!cursor_failed(c) && f->value > LIMIT_CURSOR)
			return err_at(c->e, ST_LIMIT, at,
				      "%s: field %" PRIu32 " has %" PRIu64 " bytes, more than %d",
				      what, f->number, f->value, LIMIT_CURSOR);
		f->n = (size_t)f->value;
		f->s = cursor_failed(c) ? NULL : cursor_bytes(c, f->n, what);
		break;
	default:
		if (!cursor_failed(c))
			return err_at(c->e, ST_BAD, at, "%s: field %" PRIu32 " is of wire type %u",
				      what, f->number, f->wire);
	}
	return cursor_failed(c) ? err_failure(c->e) : ST_OK;
}
