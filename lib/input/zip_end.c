/* SPDX-License-Identifier: MIT */
#include "lib/input/zip_end.h"

#include "lib/base/bytes.h"
#include "lib/base/mem.h"

#include <stdlib.h>

enum { RECORD = 22, COMMENT = 65535, AT_PART = 4, AT_MEMBERS = 10, AT_SIZE = 12, AT_OFFSET = 16 };

/* The record at p, which is at this offset of the file. */
static enum status zip_end_fits(struct input *in, const uint8_t *p, uint64_t offset, bool *fits,
				struct err *e)
{
	uint64_t size = le32(p + AT_SIZE), at = le32(p + AT_OFFSET);
	uint8_t first[4];
	enum status st = ST_OK;

	*fits = true;
	if (at == UINT32_MAX || size == UINT32_MAX) /* they are in the record of zip64 */
		return ST_OK;
	if (le16(p + AT_PART) && size <= offset)
		at = offset - size; /* it counts from the last of the parts that were joined */
	*fits = at + size <= offset && (size >= sizeof first || !le16(p + AT_MEMBERS));
	if (*fits && size >= sizeof first) {
		st = input_at(in, at, first, sizeof first, "directory of the zip file", e);
		*fits = !st && !memcmp(first, "PK\1\2", 4);
	}
	return st;
}

enum status zip_end_check(struct input *in, bool *cut, struct err *e)
{
	size_t n = in->size < RECORD + COMMENT ? (size_t)in->size : RECORD + COMMENT;
	uint8_t *tail;
	enum status st;
	bool fits = false;

	*cut = true;
	if (n < RECORD)
		return ST_OK;
	tail = mem_alloc(n);
	st = input_at(in, in->size - n, tail, n, "end of the zip file", e);
	for (size_t i = n - RECORD + 1; !st && !fits && i-- > 0;)
		if (!memcmp(tail + i, "PK\5\6", 4))
			st = zip_end_fits(in, tail + i, in->size - n + i, &fits, e);
	free(tail);
	*cut = !fits;
	return st;
}
