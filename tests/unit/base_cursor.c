/* SPDX-License-Identifier: MIT
 *
 * lib/base/cursor: every test runs over plain memory and over a stream that gives one byte at a
 * time from a window that moves, so that stale pointers and missing refills show.
 */
#include "lib/base/buf.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "tests/unit/test.h"

#include <stdlib.h>

struct drip {
	struct cursor c; /* first, so that the test sees only a cursor */
	struct err e;
	const uint8_t *all;
	size_t n, given;
	uint8_t *window;    /* exactly as long as what it holds */
	size_t fails_after; /* a read error once this much was given; 0: never */
};

/* Keeps what is unread, adds single bytes until need are there, in a new block each time. */
static bool drip_refill(struct cursor *c, size_t need)
{
	struct drip *d = c->owner;
	size_t have = cursor_window(c), more = 0;
	uint64_t offset = cursor_offset(c);
	uint8_t *w;

	while (have + more < need && d->given + more < d->n) {
		more++;
		if (d->fails_after && d->given + more > d->fails_after) {
			err_at(&d->e, ST_SYS, d->given, "disk on fire");
			return false;
		}
	}
	w = mem_alloc(have + more);
	if (have)
		memcpy(w, c->pos, have);
	if (more)
		memcpy(w + have, d->all + d->given, more);
	d->given += more;
	free(d->window);
	d->window = w;
	c->base = c->pos = w;
	c->end = w + have + more;
	c->base_offset = offset;
	c->at_end = have + more < need;
	return true;
}

/* mode 0: memory; mode 1: one byte at a time. Offsets start at 1000. */
static struct drip *open_mode(int mode, const void *p, size_t n)
{
	struct drip *d = mem_zalloc(sizeof *d);

	d->e = (struct err)ERR_INIT;
	d->all = p;
	d->n = n;
	if (mode == 0) {
		d->window = mem_alloc(n); /* its own block, so that a sanitizer knows the end */
		if (n)
			memcpy(d->window, p, n);
		cursor_init(&d->c, d->window, n, 1000, &d->e);
	} else {
		cursor_init(&d->c, NULL, 0, 1000, &d->e);
		d->c.at_end = false;
		d->c.refill = drip_refill;
		d->c.owner = d;
	}
	return d;
}

static void finish(struct drip *d)
{
	free(d->window);
	free(d);
}

#define BOTH_MODES for (int mode = 0; mode < 2; mode++)

TEST(integers_in_both_orders)
{
	static const uint8_t bytes[] = {0x81, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0xff};

	BOTH_MODES
	{
		for (int big = 0; big < 2; big++) {
			struct drip *d = open_mode(mode, bytes, sizeof bytes);
			struct cursor *c = &d->c;

			c->big_endian = big;
			CHECK_EQ(cursor_u8(c), 0x81);
			CHECK_EQ(cursor_u16(c), big ? 0x0102 : 0x0201);
			CHECK_EQ(cursor_u32(c), big ? 0x03040506 : 0x06050403);
			CHECK_EQ(cursor_offset(c), 1007);
			/* 8 bytes are there, 7 to 0xff. */
			CHECK(cursor_u64(c) == (big ? 0x0708090a0b0c0dffu : 0xff0d0c0b0a090807u));
			CHECK(!cursor_failed(c));
			CHECK(cursor_done(c));
			CHECK(!cursor_failed(c));
			finish(d);
		}
	}
}

TEST(first_failure_sticks)
{
	BOTH_MODES
	{
		struct drip *d = open_mode(mode, "abcdef", 6);
		struct cursor *c = &d->c;

		CHECK_EQ(cursor_u32(c), 0x64636261);
		CHECK_EQ(cursor_u64(c), 0);
		CHECK(cursor_failed(c));
		CHECK_EQ(d->e.code, ST_BAD);
		CHECK_EQ(d->e.offset, 1004);
		CHECK_STR(d->e.msg, c->refill
					? "integer: needs 8 bytes, 2 are left: the file ends early"
					: "integer: needs 8 bytes, 2 are left");
		CHECK_EQ(cursor_u8(c), 0);
		CHECK(!cursor_bytes(c, 1, "x"));
		CHECK(!cursor_bytes(c, 0, "x"));
		cursor_skip(c, 1, "x");
		CHECK_EQ(cursor_available(c, 1), 0);
		CHECK_EQ(cursor_fail(c, ST_LIMIT, "later"), ST_BAD);
		CHECK(cursor_done(c));
		CHECK_EQ(cursor_offset(c), 1004);
		CHECK_STR(d->e.msg, c->refill
					? "integer: needs 8 bytes, 2 are left: the file ends early"
					: "integer: needs 8 bytes, 2 are left");
		finish(d);
	}
}

TEST(bytes_and_skip)
{
	BOTH_MODES
	{
		struct drip *d = open_mode(mode, "0123456789", 10);
		struct cursor *c = &d->c;

		CHECK_MEM(cursor_bytes(c, 4, "head"), 4, "0123", 4);
		cursor_skip(c, 3, "gap");
		CHECK_MEM(cursor_bytes(c, 2, "tail"), 2, "78", 2);
		CHECK_EQ(cursor_offset(c), 1009);
		cursor_skip(c, UINT64_MAX, "the rest");
		CHECK_STR(d->e.msg, c->refill
					? "the rest: needs 18446744073709551615 bytes, 1 are left: "
					  "the file ends early"
					: "the rest: needs 18446744073709551615 bytes, 1 are left");
		finish(d);

		d = open_mode(mode, "01", 2);
		CHECK(!cursor_bytes(&d->c, SIZE_MAX, "all"));
		CHECK_EQ(d->e.offset, 1000);
		CHECK_EQ(d->e.code, mode ? ST_LIMIT : ST_BAD);
		finish(d);

		d = open_mode(mode, NULL, 0);
		CHECK(cursor_done(&d->c));
		CHECK(!cursor_failed(&d->c));
		CHECK(cursor_bytes(&d->c, 0, "nothing") != NULL);
		finish(d);
	}
}

/* Bytes and values from the DWARF 5 standard, figures 22 and 23, and the limits of 64 bits. */
TEST(leb128)
{
	static const struct {
		const char *bytes;
		size_t n;
		uint64_t value;
	} u[] = {
	    {"\x02", 1, 2},
	    {"\x7f", 1, 127},
	    {"\x80\x01", 2, 128},
	    {"\x81\x01", 2, 129},
	    {"\xb9\x64", 2, 12857},
	    {"\x80\x80\x00", 3, 0}, /* padded, which DWARF allows */
	    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX},
	};
	static const struct {
		const char *bytes;
		size_t n;
		int64_t value;
	} s[] = {
	    {"\x02", 1, 2},
	    {"\x7e", 1, -2},
	    {"\xff\x00", 2, 127},
	    {"\x81\x7f", 2, -127},
	    {"\x80\x01", 2, 128},
	    {"\x80\x7f", 2, -128},
	    {"\x81\x01", 2, 129},
	    {"\xff\x7e", 2, -129},
	    {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, INT64_MIN},
	    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, INT64_MAX},
	};

	BOTH_MODES
	{
		for (size_t i = 0; i < sizeof u / sizeof *u; i++) {
			struct drip *d = open_mode(mode, u[i].bytes, u[i].n);

			CHECK(cursor_uleb(&d->c) == u[i].value);
			CHECK(cursor_done(&d->c) && !cursor_failed(&d->c));
			finish(d);
		}
		for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
			struct drip *d = open_mode(mode, s[i].bytes, s[i].n);

			CHECK_EQ(cursor_sleb(&d->c), s[i].value);
			CHECK(cursor_done(&d->c) && !cursor_failed(&d->c));
			finish(d);
		}
	}
}

TEST(leb128_too_long_or_cut)
{
	static const struct {
		const char *bytes;
		size_t n;
	} bad[] = {
	    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10},
	    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
	    {"\x80\x80", 2},
	    {"", 0},
	};

	BOTH_MODES
	{
		for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
			struct drip *d = open_mode(mode, bad[i].bytes, bad[i].n);

			CHECK_EQ(cursor_uleb(&d->c), 0);
			CHECK(cursor_failed(&d->c));
			CHECK_EQ(d->e.code, ST_BAD);
			finish(d);
			if (bad[i].n == 10)
				continue; /* ten bytes may be a signed number: see the next test */
			d = open_mode(mode, bad[i].bytes, bad[i].n);
			CHECK_EQ(cursor_sleb(&d->c), 0);
			CHECK(cursor_failed(&d->c));
			finish(d);
		}
	}
}

/* What buf_add_uleb writes, cursor_uleb reads. */
TEST(leb128_round_trip)
{
	struct buf b = BUF_INIT;

	for (unsigned bit = 0; bit < 64; bit++) {
		buf_add_uleb(&b, (uint64_t)1 << bit);
		buf_add_uleb(&b, ((uint64_t)1 << bit) - 1);
	}
	BOTH_MODES
	{
		struct drip *d = open_mode(mode, b.data, b.len);

		for (unsigned bit = 0; bit < 64; bit++) {
			CHECK(cursor_uleb(&d->c) == (uint64_t)1 << bit);
			CHECK(cursor_uleb(&d->c) == ((uint64_t)1 << bit) - 1);
		}
		CHECK(cursor_done(&d->c) && !cursor_failed(&d->c));
		finish(d);
	}
	buf_release(&b);
}

/* Numbers of every width behind each other, signed ones by arithmetic: the last byte is the first that leaves
 * nothing but the sign. Each is followed by a 1 in three bytes, which is padded. */
TEST(signed_leb128_round_trip)
{
	struct buf b = BUF_INIT;

	for (unsigned bit = 0; bit < 64; bit++)
		for (int sign = 0; sign < 2; sign++) {
			int64_t v = (int64_t)(UINT64_C(0x5555555555555555) >> bit), rest;

			for (rest = v = sign ? ~v : v; rest < -64 || rest > 63; rest >>= 7)
				buf_addc(&b, (char)((rest & 0x7f) | 0x80));
			buf_addc(&b, (char)(rest & 0x7f));
			buf_add(&b, "\x81\x80\x00", 3);
		}
	BOTH_MODES
	{
		struct drip *d = open_mode(mode, b.data, b.len);

		for (unsigned i = 0; i < 128; i++) {
			int64_t v = (int64_t)(UINT64_C(0x5555555555555555) >> i / 2);

			CHECK_EQ(cursor_sleb(&d->c), i % 2 ? ~v : v);
			CHECK_EQ(cursor_uleb(&d->c), 1);
		}
		CHECK(cursor_done(&d->c) && !cursor_failed(&d->c));
		finish(d);
	}
	buf_release(&b);
}

TEST(lines)
{
	static const char text[] = "one\ntwo\r\n\n\r\nx\ry\nlast";
	static const char *const want[] = {"one", "two", "", "", "x\ry", "last"};

	BOTH_MODES
	{
		struct drip *d = open_mode(mode, text, sizeof text - 1);
		const char *line;
		size_t n = 0;

		for (size_t i = 0; i < 6; i++) {
			line = cursor_line(&d->c, &n, 100);
			if (!CHECK(line))
				break;
			CHECK_MEM(line, n, want[i], strlen(want[i]));
		}
		CHECK(!cursor_line(&d->c, &n, 100));
		CHECK(!cursor_failed(&d->c));
		CHECK_EQ(cursor_offset(&d->c), 1000 + sizeof text - 1);
		finish(d);
	}
}

TEST(long_line_is_a_limit)
{
	BOTH_MODES
	{
		struct drip *d = open_mode(mode, "ok\n0123456789\nok\n", 17);
		size_t n = 0;

		CHECK_MEM(cursor_line(&d->c, &n, 10), 2, "ok", 2);
		CHECK_MEM(cursor_line(&d->c, &n, 10), 10, "0123456789", 10);
		finish(d);

		d = open_mode(mode, "0123456789x\nok\n", 15);
		CHECK(!cursor_line(&d->c, &n, 10));
		CHECK_EQ(d->e.code, ST_LIMIT);
		CHECK_EQ(d->e.offset, 1000);
		finish(d);
	}
}

/* cursor_cstr is for memory: it looks in the window only. */
TEST(c_strings)
{
	struct drip *d = open_mode(0, "ab\0\0cd", 6);
	size_t n = 9;

	CHECK_STR(cursor_cstr(&d->c, &n), "ab");
	CHECK_EQ(n, 2);
	CHECK_STR(cursor_cstr(&d->c, &n), "");
	CHECK_EQ(n, 0);
	CHECK(!cursor_cstr(&d->c, &n));
	CHECK_EQ(d->e.offset, 1004);
	finish(d);
}

TEST(read_error_is_not_the_end)
{
	struct drip *d = open_mode(1, "abcdef", 6);

	d->fails_after = 3;
	CHECK_EQ(cursor_u16(&d->c), 0x6261);
	CHECK_EQ(cursor_u32(&d->c), 0);
	CHECK(cursor_failed(&d->c));
	CHECK_EQ(d->e.code, ST_SYS);
	CHECK_STR(d->e.msg, "disk on fire");
	CHECK(cursor_done(&d->c));
	finish(d);
}

TEST_MAIN()
