/* SPDX-License-Identifier: MIT
 *
 * chunk_writer.c and column_encoder.c: a recording's plain chunks of events are packed to the same events, in as
 * few chunks as if they had been written by ourselves; what is damaged stays as it is, to the byte.
 */
#include "lib/trace/chunk_writer.h"

#include "lib/trace/event_columns.h"
#include "testdata/gen/gen.h"
#include "tests/unit/test.h"
#include "tests/unit/trace.h"

static uint8_t room[COLUMN_ENCODER_ROOM];

/* Of an allocation or a free, at a multiple of a unit, as a recorder has them. */
static struct event made(uint64_t *r, uint64_t i, int64_t unit)
{
	bool is_free = lcg_below(r, 3) == 0;
	struct event ev = {.kind = is_free ? EV_FREE : EV_ALLOC,
			   .has = EV_HAS_ADDRESS | EV_HAS_TIME,
			   .address = 0x7f0000000000 + 16 * lcg_below(r, 5000),
			   .time = (int64_t)(i / 9) * unit,
			   .count = 1};

	if (is_free)
		return ev;
	ev.has |= EV_HAS_REQUESTED | EV_HAS_REAL;
	ev.requested = lcg_below(r, 40);
	ev.real = lcg_below(r, 50) ? 24 : UINT64_MAX - lcg_below(r, 9);
	if (i % 4000 == 7) {
		ev.has |= EV_HAS_COUNT | EV_HAS_DOMAIN;
		ev.count = 1 + lcg_below(r, 300);
		ev.domain = DOMAIN_LUA;
	}
	return ev;
}

static void add_head(struct buf *b)
{
	add_mark(b, 2, 1);
	add_hex(b, CHUNK_HEADER, "00 05 0100 0100 0000 0000 0000 00");
}

static void add_totals(struct buf *b)
{
	add_hex(b, CHUNK_TOTALS, "00 00");
}

/* n events in plain chunks of so many; without room for more, a chunk ends too. */
static void add_plain(struct buf *b, size_t n, size_t each, int64_t unit)
{
	uint64_t r = n + each;
	struct column_encoder g;
	const uint8_t *payload;
	uint32_t size;

	column_encoder_init(&g, room, unit);
	for (size_t i = 0; i < n; i++) {
		struct event ev = made(&r, i, unit);
		bool more = column_encoder_add(&g, &ev);

		if (more && g.n < each && i + 1 < n)
			continue;
		payload = column_encoder_finish(&g, &size);
		add_chunk(b, CHUNK_COLUMNS, payload, size);
	}
}

static enum status copy(const struct buf *in, struct buf *out)
{
	struct err e = ERR_INIT;
	struct cursor c;
	enum status st;
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	cursor_init(&c, in->data, in->len, 0, &e);
	st = chunk_writer_copy(f, &c, &e);
	fclose(f);
	out->len = 0;
	buf_add(out, text, n);
	free(text);
	return st;
}

/* Chunks of events, how long they are together in *bytes. */
static unsigned event_chunks(const struct buf *b, size_t *bytes)
{
	size_t at = TRACE_MARK_SIZE;
	unsigned n = 0;

	*bytes = 0;
	while (at + CHUNK_HEADER_SIZE <= b->len) {
		struct trace_chunk c = chunk_decode((const uint8_t *)b->data + at);

		n += c.kind == CHUNK_COLUMNS;
		*bytes += c.kind == CHUNK_COLUMNS ? c.length : 0;
		at += CHUNK_HEADER_SIZE + c.length;
	}
	CHECK_EQ(at, b->len);
	return n;
}

static bool same_events(const struct buf *a, const struct buf *b, size_t n)
{
	struct collector x, y;
	struct err e;
	bool lossy, same;

	CHECK_EQ(read_bytes(a->data, a->len, &x, &lossy, &e), ST_OK);
	CHECK_EQ(read_bytes(b->data, b->len, &y, &lossy, &e), ST_OK);
	CHECK_EQ(x.n, n);
	same = events_equal(&x, &y);
	collector_release(&x);
	collector_release(&y);
	return same;
}

/* What is packed again stays. */
static void packed(size_t n, size_t each, int64_t unit, unsigned chunks)
{
	struct buf in = BUF_INIT, once = BUF_INIT, twice = BUF_INIT;
	size_t plain, bytes;

	add_head(&in);
	add_plain(&in, n, each, unit);
	add_totals(&in);
	CHECK_EQ(copy(&in, &once), ST_OK);
	event_chunks(&in, &plain);
	CHECK_EQ(event_chunks(&once, &bytes), chunks);
	CHECK(n < 1000 || bytes < plain / 4 * 3);
	CHECK(same_events(&in, &once, n));
	CHECK_EQ(copy(&once, &twice), ST_OK);
	CHECK(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
	buf_release(&in);
	buf_release(&once);
	buf_release(&twice);
}

TEST(full_chunks_are_packed_as_they_are)
{
	packed(EVENT_COLUMNS_EVENTS, EVENT_COLUMNS_EVENTS, 1000, 1);
	packed(3 * EVENT_COLUMNS_EVENTS + 17, EVENT_COLUMNS_EVENTS, 1000, 4);
	packed(2 * 60000, 60000, 1, 2);
}

TEST(small_chunks_are_put_together)
{
	packed(1, 1, 1000, 1);
	packed(5, 2, 1000, 1);
	packed(20000, 100, 1000, 1);
	packed(100000, 9999, 1, 2);
	packed(100000, 30000, 1000000, 2);
}

/* Small ones before and behind a full one keep their places. */
TEST(small_chunks_beside_full_ones)
{
	struct buf in = BUF_INIT, once = BUF_INIT, twice = BUF_INIT;
	size_t bytes, n = 500 + EVENT_COLUMNS_EVENTS + 700;

	add_head(&in);
	add_plain(&in, 500, 100, 1000);
	add_plain(&in, EVENT_COLUMNS_EVENTS, EVENT_COLUMNS_EVENTS, 1000);
	add_plain(&in, 700, 70, 1000);
	add_totals(&in);
	CHECK_EQ(copy(&in, &once), ST_OK);
	CHECK_EQ(event_chunks(&once, &bytes), 3);
	CHECK(same_events(&in, &once, n));
	CHECK_EQ(copy(&once, &twice), ST_OK);
	CHECK(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
	buf_release(&in);
	buf_release(&once);
	buf_release(&twice);
}

/* Byte for byte as it was, and what was before it in front of it. */
static bool stays(const void *payload, size_t n)
{
	struct buf in = BUF_INIT, want = BUF_INIT, out = BUF_INIT;
	bool same;

	add_head(&in);
	add_hex(&in, CHUNK_COLUMNS, "02 01 02 00"); /* two allocations */
	add_chunk(&in, CHUNK_COLUMNS, payload, n);
	add_totals(&in);
	CHECK_EQ(copy(&in, &out), ST_OK);
	buf_add(&want, in.data, in.len);
	same = out.len == want.len && !memcmp(out.data, want.data, want.len);
	buf_release(&in);
	buf_release(&want);
	buf_release(&out);
	return same;
}

static bool stays_hex(const char *hex)
{
	struct buf chunk = BUF_INIT;
	bool same;

	add_hex(&chunk, CHUNK_COLUMNS, hex);
	same = stays(chunk.data + CHUNK_HEADER_SIZE, chunk.len - CHUNK_HEADER_SIZE);
	buf_release(&chunk);
	return same;
}

TEST(damaged_small_chunks_stay_as_they_are)
{
	CHECK(stays_hex(""));
	CHECK(stays_hex("01"));
	CHECK(stays_hex("01 00"));                      /* no shape */
	CHECK(stays_hex("01 01 02 04"));                /* a column is missing */
	CHECK(stays_hex("01 01 02 04 02 00 05"));       /* cut short */
	CHECK(stays_hex("01 01 02 04 02 00 05 06"));    /* longer than its events */
	CHECK(stays_hex("02 01 02 04 01 00 05"));       /* shorter */
	CHECK(stays_hex("01 01 02 04 01 00 05 00"));    /* something behind */
	CHECK(stays_hex("01 01 02 8010 01 00 05"));     /* no such domain */
	CHECK(stays_hex("01 01 02 80 40 01 00 05"));    /* a field of a later version */
	CHECK(stays_hex("01 01 5f 04 01 00 05"));       /* a kind of a later version */
	CHECK(stays_hex("01 01 02 40 02 00 00 00"));    /* times of no unit */
	CHECK(stays_hex("01 01 02 04 01 05 05"));       /* packed, and broken */
	CHECK(stays_hex("01 02 02 00 03 00 01 00 02")); /* a shape that is not there */
	CHECK(!stays_hex("01 01 02 04 01 00 05")); /* sound: together with what was before it */
}

/* A bit in each byte of the start, where all is decided, and in some of the rest: it has the events
 * that it had, however many these are, and is damaged where it was. */
TEST(damaged_full_chunks_say_the_same)
{
	struct buf chunk = BUF_INIT, in = BUF_INIT, out = BUF_INIT;

	add_plain(&chunk, EVENT_COLUMNS_EVENTS, EVENT_COLUMNS_EVENTS, 1000);
	for (size_t at = CHUNK_HEADER_SIZE; at < chunk.len; at += at < 60 ? 1 : chunk.len / 40) {
		struct collector a, b;
		struct err e;
		enum status st;
		bool lossy[2];

		chunk.data[at] ^= (char)(1 << at % 8);
		in.len = 0;
		add_head(&in);
		add_chunk(&in, CHUNK_COLUMNS, chunk.data + CHUNK_HEADER_SIZE,
			  chunk.len - CHUNK_HEADER_SIZE);
		add_totals(&in);
		CHECK_EQ(copy(&in, &out), ST_OK);
		st = read_bytes(in.data, in.len, &a, &lossy[0], &e);
		CHECK_EQ(read_bytes(out.data, out.len, &b, &lossy[1], &e), st);
		CHECK_EQ(lossy[0], lossy[1]);
		CHECK(events_equal(&a, &b));
		collector_release(&a);
		collector_release(&b);
		chunk.data[at] ^= (char)(1 << at % 8);
	}
	buf_release(&chunk);
	buf_release(&in);
	buf_release(&out);
}

/* As long as a chunk may be, of which nothing becomes shorter: it does not become longer. */
TEST(full_chunks_that_do_not_pack)
{
	struct buf in = BUF_INIT, out = BUF_INIT, payload = BUF_INIT;
	size_t n = EVENT_COLUMNS_BYTES - 20, bytes;
	uint64_t r = 3;

	buf_add(&payload, "\x10\1\2\4", 4); /* 16 allocations of some bytes: far too many numbers */
	buf_add_uleb(&payload, n);
	buf_addc(&payload, 0);
	for (size_t i = 0; i < n; i++)
		buf_addc(&payload, (char)lcg_below(&r, 256));
	add_head(&in);
	add_chunk(&in, CHUNK_COLUMNS, payload.data, payload.len);
	add_totals(&in);
	CHECK_EQ(copy(&in, &out), ST_OK);
	event_chunks(&out, &bytes);
	CHECK_EQ(bytes, payload.len);
	buf_release(&in);
	buf_release(&out);
	buf_release(&payload);
}

TEST(numbers_by_eight_bytes_at_once)
{
	uint64_t bad = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		for (int near = -2; near <= 2; near++) {
			uint64_t v = (UINT64_C(1) << bit) + (uint64_t)(int64_t)near, back = ~v;
			uint8_t one[16], two[16];
			size_t n = uleb_encode(one, v), m = (size_t)(uleb_put(two, v) - two);

			bad += n != m || memcmp(one, two, n);
			bad += uleb_decode(two, two + m, &back) != two + m || back != v;
		}
	CHECK_EQ(bad, 0);
}

TEST_MAIN()
