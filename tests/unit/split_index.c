/* SPDX-License-Identifier: MIT
 *
 * .debug_cu_index against tables made by the standard's words (DWARF 5, section 7.3.5), in both
 * byte orders, and ones that lie. tests/matrix.txt has whole files.
 */
#include "lib/dwarf/fast/split_index.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

static uint8_t content[1000];
static const struct fast_bytes all[SPLIT_COUNT] = {[SPLIT_INFO] = {content, 100},
						   [SPLIT_ABBREV] = {content + 100, 200},
						   [SPLIT_STR_OFFSETS] = {content + 300, 300},
						   [SPLIT_RNGLISTS] = {content + 600, 100},
						   [SPLIT_STR] = {content + 700, 300}};

static void put(struct buf *b, uint64_t v, unsigned n, bool big)
{
	for (unsigned i = 0; i < n; i++)
		buf_addc(b, (char)(v >> 8 * (big ? n - 1 - i : i)));
}

/* Two units in four slots: 0x10 (slot 0) and 0x20, which wants slot 0 too and goes on by the step
 * that its high half says: 1. */
static void make(struct buf *b, bool big, unsigned version, uint32_t rows[4])
{
	static const uint32_t cells[2][2][4] = {{{0, 0, 0, 0}, {40, 50, 60, 70}},
						{{40, 50, 60, 70}, {60, 150, 240, 30}}};
	static const uint64_t ids[4] = {0x10, 0x20, 0, 0};

	b->len = 0;
	if (version == 5) {
		put(b, 5, 2, big);
		put(b, 0, 2, big);
	} else {
		put(b, version, 4, big);
	}
	put(b, 4, 4, big);
	put(b, 2, 4, big);
	put(b, 4, 4, big);
	for (int i = 0; i < 4; i++)
		put(b, ids[i], 8, big);
	for (int i = 0; i < 4; i++)
		put(b, rows[i], 4, big);
	/* info, abbrev, str_offsets, and 8: rnglists or, in version 2, macro */
	for (int i = 0; i < 4; i++)
		put(b, (const uint32_t[]){1, 3, 6, 8}[i], 4, big);
	for (int what = 0; what < 2; what++)
		for (int unit = 0; unit < 2; unit++)
			for (int i = 0; i < 4; i++)
				put(b, cells[unit][what][i], 4, big);
}

TEST(parts_of_a_unit_are_found)
{
	for (int big = 0; big < 2; big++) {
		for (unsigned version = 2; version <= 5; version += 3) {
			struct fast_bytes part[SPLIT_COUNT];
			struct buf b = BUF_INIT;
			uint32_t row;
			struct err e = ERR_INIT;

			make(&b, big, version, (uint32_t[]){1, 2, 0, 0});
			CHECK(!split_index_find((struct fast_bytes){(uint8_t *)b.data, b.len}, big,
						0x20, all, part, &row, &e));
			CHECK_EQ(row, 2);
			CHECK_EQ(part[SPLIT_INFO].p - content, 40);
			CHECK_EQ(part[SPLIT_INFO].n, 60);
			CHECK_EQ(part[SPLIT_ABBREV].p - content, 150);
			CHECK_EQ(part[SPLIT_ABBREV].n, 150);
			CHECK_EQ(part[SPLIT_STR_OFFSETS].p - content, 360);
			CHECK_EQ(part[SPLIT_STR].n, 300);
			CHECK_EQ(part[SPLIT_RNGLISTS].n, version == 5 ? 30 : 0);
			CHECK(!split_index_find((struct fast_bytes){(uint8_t *)b.data, b.len}, big,
						0x10, all, part, &row, &e));
			CHECK_EQ(row, 1);
			/* slot 0, then 1, then an empty one */
			CHECK(!split_index_find((struct fast_bytes){(uint8_t *)b.data, b.len}, big,
						0x30, all, part, &row, &e));
			CHECK_EQ(row, 0);
			buf_release(&b);
		}
	}
}

TEST(a_full_table_ends)
{
	struct fast_bytes part[SPLIT_COUNT];
	struct buf b = BUF_INIT;
	uint32_t row;
	struct err e = ERR_INIT;

	make(&b, false, 5, (uint32_t[]){1, 2, 1, 2});
	CHECK(!split_index_find((struct fast_bytes){(uint8_t *)b.data, b.len}, false, 0x1234, all,
				part, &row, &e));
	CHECK_EQ(row, 0);
	buf_release(&b);
}

TEST(a_row_that_is_not_there)
{
	struct fast_bytes part[SPLIT_COUNT];
	struct buf b = BUF_INIT;
	uint32_t row;
	struct err e = ERR_INIT;

	make(&b, false, 5, (uint32_t[]){3, 2, 0, 0});
	CHECK(split_index_find((struct fast_bytes){(uint8_t *)b.data, b.len}, false, 0x10, all,
			       part, &row, &e));
	CHECK(strstr(e.msg, "a row is out of range: 3"));
	b.data[0] = 7;
	CHECK(split_index_find((struct fast_bytes){(uint8_t *)b.data, b.len}, false, 0x10, all,
			       part, &row, &e));
	CHECK_STR(e.msg, ".debug_cu_index+0x0: index of units: unknown version 7");
	buf_release(&b);
}

/* No byte of it, and no length, leads out of it or out of a section. */
TEST(any_byte_may_be_wrong)
{
	struct buf b = BUF_INIT;

	make(&b, false, 5, (uint32_t[]){1, 2, 0, 0});
	for (size_t i = 0; i < b.len * 5; i++) {
		uint8_t *copy = mem_alloc(b.len);
		struct fast_bytes part[SPLIT_COUNT];
		size_t n = i % 5 ? b.len : i / 5;
		uint32_t row;
		struct err e = ERR_INIT;

		memcpy(copy, b.data, b.len);
		if (i % 5)
			copy[i / 5] =
			    (uint8_t[]){0, 0, 255, 0x80, (uint8_t)(copy[i / 5] + 1)}[i % 5];
		/* its own block, so that a sanitizer sees a read behind it */
		copy = mem_realloc(copy, n ? n : 1, 1);
		if (!split_index_find((struct fast_bytes){copy, n}, false, 0x20, all, part, &row,
				      &e) &&
		    row)
			for (size_t k = 0; k < SPLIT_COUNT; k++)
				CHECK(
				    part[k].n <= all[k].n &&
				    (!part[k].n || (part[k].p >= all[k].p &&
						    part[k].p + part[k].n <= all[k].p + all[k].n)));
		free(copy);
	}
	buf_release(&b);
}

TEST_MAIN()
