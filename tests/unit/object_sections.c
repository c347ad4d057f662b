/* SPDX-License-Identifier: MIT
 *
 * Compressed sections: what they declare, what comes out, and the allowance of all of them.
 */
#include "lib/base/mem_budget.h"
#include "tests/unit/object_image.h"

/* Made by zlib (level 9) and by zstd from 1000 bytes 'a'. */
static const uint8_t zlib_a[] = {0x78, 0xda, 0x4b, 0x4c, 0x1c, 0x05, 0xa3, 0x60, 0x14,
				 0x0c, 0x77, 0x00, 0x00, 0xf9, 0xd8, 0x7a, 0xf8};
static const uint8_t zstd_a[] = {0x28, 0xb5, 0x2f, 0xfd, 0x60, 0xe8, 0x02, 0x4d, 0x00, 0x00,
				 0x10, 0x61, 0x61, 0x01, 0x00, 0xe3, 0x2b, 0x80, 0x05};

/* RFC 1950, 1951: one stored block of "abca", whose adler32 is 0x03d50188. */
static const uint8_t stored[] = {0x78, 0x01, 0x01, 0x04, 0x00, 0xfb, 0xff, 'a',
				 'b',  'c',  'a',  0x03, 0xd5, 0x01, 0x88};

/* What .debug_info gives when its compression header declares that many bytes. */
static enum status compressed(uint32_t type, uint64_t declared, const void *p, size_t n,
			      uint64_t *size, struct err *e)
{
	struct image m = {0};
	struct buf b = BUF_INIT;
	struct object_section s;
	struct object *o;
	enum status st;

	put(&b, false, type, 8);
	put(&b, false, declared, 8);
	put(&b, false, 1, 8);
	buf_add(&b, p, n);
	add(&m, (struct want_section){.name = ".debug_info",
				      .data = b.data,
				      .size = b.len,
				      .flags = SHF_COMPRESSED,
				      .type = SHT_PROGBITS});
	o = open_image(&m);
	st = object_section(o, ".debug_info", &s, e);
	*size = st ? 0 : s.size;
	if (!st) {
		CHECK(s.size && s.data[0] == 'a' && s.data[s.size - 1] == 'a');
		CHECK_EQ(s.data[s.size], 0);
	}
	object_free(o);
	release(&m);
	buf_release(&b);
	return st;
}

TEST(compressed_sections)
{
	struct err e = ERR_INIT;
	uint64_t n;

	CHECK_EQ(compressed(1, 1000, zlib_a, sizeof zlib_a, &n, &e), ST_OK);
	CHECK_EQ(n, 1000);
	CHECK_EQ(compressed(2, 1000, zstd_a, sizeof zstd_a, &n, &e), ST_OK);
	CHECK_EQ(n, 1000);
	CHECK_EQ(compressed(1, 999, zlib_a, sizeof zlib_a, &n, &e), ST_BAD);
	CHECK(strstr(e.msg, "longer than it declares"));
	CHECK_EQ(compressed(1, 1001, zlib_a, sizeof zlib_a, &n, &e), ST_BAD);
	CHECK(strstr(e.msg, "shorter than it declares"));
	CHECK_EQ(compressed(2, 999, zstd_a, sizeof zstd_a, &n, &e), ST_BAD);
	CHECK_EQ(compressed(2, 1001, zstd_a, sizeof zstd_a, &n, &e), ST_BAD);
	CHECK_EQ(compressed(1, 1000000, zlib_a, sizeof zlib_a, &n, &e), ST_BAD);
	CHECK(strstr(e.msg, "cannot hold"));
	CHECK_EQ(compressed(1, UINT64_MAX, zlib_a, sizeof zlib_a, &n, &e), ST_BAD);
	CHECK(strstr(e.msg, "cannot hold"));
	CHECK_EQ(compressed(1, 1000, "not zlib", 8, &n, &e), ST_BAD);
	CHECK_EQ(compressed(2, 1000, "not zstd", 8, &n, &e), ST_BAD);
	/* a size that is likely enough to be believed at once */
	CHECK_EQ(compressed(1, 4, stored, sizeof stored, &n, &e), ST_OK);
	CHECK_EQ(n, 4);
	CHECK_EQ(compressed(1, 3, stored, sizeof stored, &n, &e), ST_BAD);
	CHECK(strstr(e.msg, "longer than it declares"));
	CHECK_EQ(compressed(1, 5, stored, sizeof stored, &n, &e), ST_BAD);
	CHECK(strstr(e.msg, "shorter than it declares"));
	CHECK_EQ(compressed(1, 4, stored, sizeof stored - 5, &n, &e), ST_BAD);
	CHECK_EQ(compressed(77, 1000, zlib_a, sizeof zlib_a, &n, &e), ST_UNSUPPORTED);
}

/* Each is 1000 bytes when it is unpacked, of 43 in the file. */
static void add_thousand(struct image *m, struct buf *b, const char *name)
{
	put(b, false, 2, 8);
	put(b, false, 1000, 8);
	put(b, false, 1, 8);
	buf_add(b, zstd_a, sizeof zstd_a);
	add(m, (struct want_section){.name = name,
				     .data = b->data,
				     .size = b->len,
				     .flags = SHF_COMPRESSED,
				     .type = SHT_PROGBITS});
}

/* The third section has no more room, until those before it are given back; and two threads
 * cannot take more than one. */
TEST(all_sections_share_one_allowance)
{
	static const char *const names[] = {".debug_info", ".debug_line", ".debug_str"};
	struct image m = {0};
	struct buf b[3] = {BUF_INIT, BUF_INIT, BUF_INIT};
	struct object_section s;
	struct err e = ERR_INIT;
	struct object *o;
	unsigned n = 0;

	for (size_t i = 0; i < 3; i++)
		add_thousand(&m, &b[i], names[i]);
	o = open_image(&m);
	mem_budget_set(2500);
	CHECK_EQ(object_section(o, names[0], &s, &e), ST_OK);
	CHECK_EQ(object_section(o, names[1], &s, &e), ST_OK);
	CHECK_EQ(object_section(o, names[2], &s, &e), ST_LIMIT);
	CHECK(strstr(e.msg, "section .debug_str: needs 1000 bytes unpacked"));
	CHECK(strstr(e.msg, "objcopy --decompress-debug-sections"));
	CHECK_EQ(mem_budget_left(), 2500 - 2 * 1001);
	object_drop_sections(o);
	CHECK_EQ(mem_budget_left(), 2500);
	CHECK_EQ(object_section(o, names[2], &s, &e), ST_OK);
	object_drop_sections(o);
	object_unpack(o, names, 3, 3);
	for (size_t i = 0; i < 3; i++)
		n += object_section(o, names[i], &s, &e) == ST_OK;
	CHECK_EQ(n, 2);
	object_free(o);
	CHECK_EQ(mem_budget_left(), 2500);
	mem_budget_set(0);
	release(&m);
	for (size_t i = 0; i < 3; i++)
		buf_release(&b[i]);
}

TEST(old_compressed_section)
{
	struct image m = {0};
	struct buf b = BUF_INIT;
	struct object_section s, again;
	struct err e = ERR_INIT;
	struct object *o;

	buf_adds(&b, "ZLIB");
	put(&b, true, 1000, 8);
	buf_add(&b, zlib_a, sizeof zlib_a);
	add(&m, (struct want_section){
		    .name = ".zdebug_info", .data = b.data, .size = b.len, .type = SHT_PROGBITS});
	o = open_image(&m);
	CHECK(object_has_dwarf(o));
	CHECK_EQ(object_section(o, ".debug_info", &s, &e), ST_OK);
	CHECK_EQ(s.size, 1000);
	CHECK_EQ(object_section(o, ".debug_info", &again, &e), ST_OK);
	CHECK(again.data == s.data);
	CHECK_EQ(object_section(o, ".debug_line", &s, &e), ST_NONE);
	object_drop_sections(o);
	object_unpack(o, (const char *const[]){".debug_line", ".debug_info"}, 2, 2);
	CHECK_EQ(object_section(o, ".debug_info", &s, &e), ST_OK);
	CHECK_EQ(s.size, 1000);
	object_free(o);
	release(&m);
	buf_release(&b);
}

TEST_MAIN()
