/* SPDX-License-Identifier: MIT
 *
 * Aggregates. The checksums of a copy are put right first, so that what they cover is read.
 * What can be read merges with itself in one way only, and is read again; what was read is written
 * to the same bytes.
 */
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/profile/dump.h"
#include "lib/profile/lines.h"
#include "lib/profile/merge.h"
#include "lib/profile/read.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 16, BLOCK = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static uint64_t number(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes-- > 0)
		v = v << 8 | p[bytes];
	return v;
}

static void put(uint8_t *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static void repair(uint8_t *p, size_t n)
{
	uint64_t chain = 0, block = 0;

	for (size_t at = HEAD; at + BLOCK <= n;) {
		uint64_t length = number(p + at + 4, 4), sum;

		if (length > n - at - BLOCK)
			break;
		if (!memcmp(p + at, "end ", 4) && length == 16)
			put(p + at + BLOCK + 8, chain);
		sum = hash_bytes_seeded(p + at + BLOCK, (size_t)length, block++);
		put(p + at + 8, sum);
		chain = hash_u64(chain ^ sum) + 1;
		at += BLOCK + (size_t)length;
	}
}

static enum status reads(const void *p, size_t n)
{
	struct err e = ERR_INIT;
	struct profile_entities t;
	struct profile s;
	struct cursor c;
	enum status st;

	cursor_init(&c, p, n, 0, &e);
	entities_init(&t, NULL);
	st = profile_read(&c, &t, &s, &e);
	if (st && !e.msg[0])
		abort();
	if (!st)
		profile_release(&s);
	entities_release(&t);
	return st;
}

static enum status merged(const void *p, size_t n, size_t times, struct buf *out)
{
	struct aggregate_merge_options o = {.input = NULL};
	struct aggregate_merge_fault fault;
	struct aggregate_reader readers[2];
	struct cursor c[2];
	struct aggregate_writer w;
	struct err e = ERR_INIT;
	enum status st;

	for (size_t i = 0; i < times; i++) {
		cursor_init(&c[i], p, n, 0, &e);
		aggregate_reader_init(&readers[i], &c[i]);
	}
	aggregate_writer_init(&w, NULL, out);
	st = aggregate_merge(readers, times, &o, &w, &fault, &e);
	if (st && !e.msg[0])
		abort();
	aggregate_writer_end(&w);
	aggregate_writer_release(&w);
	for (size_t i = 0; i < times; i++)
		aggregate_reader_release(&readers[i]);
	return st;
}

/* Whatever is read of the lines, and of the text. */
static void others(const uint8_t *p, size_t n)
{
	struct err e = ERR_INIT;
	struct aggregate_lines l;
	struct cursor c;
	FILE *null = fopen("/dev/null", "w");

	cursor_init(&c, p, n, 0, &e);
	aggregate_lines_init(&l, &c);
	while (!aggregate_lines_next(&l, &e))
		;
	aggregate_lines_release(&l);
	cursor_init(&c, p, n, 0, &e);
	if (null) {
		aggregate_dump(&c, null, &e);
		fclose(null);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *copy = mem_alloc(n + 1);
	struct buf once = BUF_INIT, twice = BUF_INIT, again = BUF_INIT;

	memcpy(copy, data, n);
	repair(copy, n);
	others(copy, n);
	if (!reads(copy, n)) {
		if (merged(copy, n, 1, &once) || reads(once.data, once.len))
			abort();
		if (merged(copy, n, 2, &twice) || reads(twice.data, twice.len))
			abort();
		if (merged(once.data, once.len, 2, &again) || again.len != twice.len ||
		    memcmp(again.data, twice.data, twice.len) != 0)
			abort();
	}
	buf_release(&once);
	buf_release(&twice);
	buf_release(&again);
	free(copy);
	return 0;
}
