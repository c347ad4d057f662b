/* SPDX-License-Identifier: MIT */
#include "lib/input/seven_zip.h"

#include "lib/base/bytes.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

enum { START = 32, AT_OFFSET = 12, AT_SIZE = 20 };
enum id { ID_END, ID_PACK = 6, ID_UNPACK, ID_SIZE = 9, ID_CRC, ID_FOLDER, ID_UNPACK_SIZE };
enum { ID_PACKED_HEADER = 0x17 };
enum { HAS_PROPERTIES = 0x20, N_ID = 0x0f };

/* As many ones as the first byte begins with, so many bytes follow, the lowest first; its other bits
 * are the highest. */
static uint64_t seven_zip_number(struct cursor *c)
{
	uint8_t first = cursor_u8(c), bit = 0x80;
	uint64_t v = 0;

	for (int i = 0; i < 8; i++, bit >>= 1) {
		if (!(first & bit))
			return v | (uint64_t)(first & (bit - 1)) << (8 * i);
		v |= (uint64_t)cursor_u8(c) << (8 * i);
	}
	return v;
}

static void expect(struct cursor *c, uint64_t v, uint64_t want)
{
	if (!c->failed && v != want)
		cursor_fail(c, ST_LIMIT, "the directory of the 7z file is of an unusual form");
}

/* A packed directory is one stream, behind coders that each have one way in and out. */
static uint64_t packed_size(struct cursor *c)
{
	uint64_t coders, size = 0;

	expect(c, cursor_u8(c), ID_PACK);
	seven_zip_number(c); /* where it is */
	expect(c, seven_zip_number(c), 1);
	expect(c, cursor_u8(c), ID_SIZE);
	seven_zip_number(c);
	expect(c, cursor_u8(c), ID_END);
	expect(c, cursor_u8(c), ID_UNPACK);
	expect(c, cursor_u8(c), ID_FOLDER);
	expect(c, seven_zip_number(c), 1);
	expect(c, cursor_u8(c), 0); /* not elsewhere */
	coders = seven_zip_number(c);
	expect(c, coders && coders <= 4, true);
	for (uint64_t i = 0; i < coders && !c->failed; i++) {
		uint8_t how = cursor_u8(c);

		expect(c, how & (uint8_t) ~(HAS_PROPERTIES | N_ID), 0);
		cursor_skip(c, how & N_ID, "coder");
		if (how & HAS_PROPERTIES)
			cursor_skip(c, seven_zip_number(c), "properties");
	}
	for (uint64_t i = 1; i < coders && !c->failed; i++) { /* who gives to whom */
		seven_zip_number(c);
		seven_zip_number(c);
	}
	expect(c, cursor_u8(c), ID_UNPACK_SIZE);
	for (uint64_t i = 0; i < coders && !c->failed; i++) {
		uint64_t n = seven_zip_number(c);

		size = n > size ? n : size;
	}
	return size;
}

enum status seven_zip_check(struct input *in, struct err *e)
{
	uint8_t start[START], *p;
	uint64_t at, size;
	enum status st = input_at(in, 0, start, START, "7z file", e);
	struct cursor c;

	if (st)
		return st;
	at = le64(start + AT_OFFSET);
	size = le64(start + AT_SIZE);
	if (!size)
		return ST_OK; /* there are no members */
	if (at > in->size - START || size > in->size - START - at)
		return err_set(e, ST_BAD,
			       "the directory of the 7z file is missing: cut short, or the first "
			       "of several parts?");
	if (size <= SEVEN_ZIP_DIRECTORY) {
		p = mem_alloc((size_t)size);
		st = input_at(in, START + at, p, (size_t)size, "directory of the 7z file", e);
		cursor_init(&c, p, (size_t)size, START + at, e);
		if (!st && cursor_u8(&c) == ID_PACKED_HEADER)
			size = packed_size(&c);
		st = st ? st : c.failed ? err_failure(e) : ST_OK;
		free(p);
	}
	if (!st && size > SEVEN_ZIP_DIRECTORY)
		st = err_set(e, ST_LIMIT,
			     "the directory of the 7z file has %" PRIu64
			     " bytes; at most %d are read",
			     size, SEVEN_ZIP_DIRECTORY);
	return st;
}
