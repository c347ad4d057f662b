/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's saved captures (formats/loli/file.c).
 */
#include "tests/unit/loli.h"

#include <math.h>

/* Rule 7.1 of the format: a record is freed if its number is less than its address's last free. */
struct rule {
	struct collector c;
	struct {
		uint64_t addr, seq, bytes;
	} records[64], frees[64];
	size_t n_records, n_frees, stackless;
	uint32_t stacks[64];
};

static enum status rule_event(struct sink *s, struct trace *t, const struct event *ev,
			      struct err *e)
{
	struct rule *r = (struct rule *)s;

	if (ev->kind == EV_ALLOC && r->n_records < 64) {
		r->records[r->n_records].addr = ev->address;
		r->records[r->n_records].seq = ev->seq;
		r->stacks[r->n_records] = ev->stack;
		r->stackless += !ev->stack;
		r->records[r->n_records++].bytes = ev->requested;
	} else if (ev->kind == EV_FREED && r->n_frees < 64) {
		r->frees[r->n_frees].addr = ev->address;
		r->frees[r->n_frees++].seq = ev->seq;
	}
	return on_event(s, t, ev, e);
}

static enum status rule_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			      struct err *e)
{
	return sink_each(s, t, b, e, rule_event);
}

static uint64_t live_bytes(const struct rule *r, uint64_t *n)
{
	uint64_t bytes = 0;

	*n = 0;
	for (size_t i = 0; i < r->n_records; i++) {
		bool freed = false;

		for (size_t k = 0; k < r->n_frees; k++)
			freed |= r->frees[k].addr == r->records[i].addr &&
				 r->records[i].seq < r->frees[k].seq;
		*n += !freed;
		bytes += freed ? 0 : r->records[i].bytes;
	}
	return bytes;
}

TEST(sample)
{
	struct import_options none = {0};
	struct rule r = {0};
	struct input in;
	struct err e = ERR_INIT;
	size_t n;
	uint64_t live;
	char *p = sample("synthetic_v106_qt5158.loli", &n);
	unsigned distinct = 0;

	if (!p)
		TEST_SKIP("../shared is not there");
	r.c.sink = (struct sink){.begin = on_begin, .batch = rule_batch, .end = on_end};
	input_memory(&in, "sample", p, n, &e);
	CHECK_EQ(capture_read(&in, &none, &r.c.sink, &r.c.lossy, &e), ST_OK);
	CHECK(!r.c.lossy);
	CHECK_EQ(r.c.allocs, 6);
	CHECK_EQ(r.c.bytes, 1056320);
	CHECK_EQ(live_bytes(&r, &live), 1055808);
	CHECK_EQ(live, 5);
	CHECK_EQ(r.stackless, 1);
	for (int i = 0; i < 6; i++) {
		bool seen = false;

		for (int k = 0; k < i; k++)
			seen |= r.stacks[k] == r.stacks[i];
		distinct += r.stacks[i] && !seen;
	}
	CHECK_EQ(distinct, 4); /* five records: one shares its stack */
	CHECK(strstr(r.c.text.data, " 7f00001234 libUE4.so!~6000200\n") != NULL);
	CHECK(strstr(r.c.text.data, "libUE4.so!~59d9100(FMallocBinned2::Malloc(unsigned long, "
				    "unsigned int)) libUE4.so!~6000200 libc.so!~5a010\n") != NULL);
	CHECK(has_line(&r.c.notes,
		       "module libUE4.so 78606f4000-78660cd000+0x 78660cd000-7871ede000+59d8000x "
		       "7871ede000-78733dc000+117e8000x 78733dc000-7873496000+12ce5000x"));
	CHECK(!strstr(r.c.notes.data, "module anonymous") &&
	      !strstr(r.c.notes.data, "[anon:libc_malloc]"));
	CHECK(!strstr(r.c.notes.data, "after the end"));
	CHECK(has_line(&r.c.counters, "meminfo.total=104857600@0"));
	CHECK(has_line(&r.c.counters, "meminfo.total=106954752@2000000000"));
	CHECK(has_line(&r.c.counters, "meminfo.unknown=53477376@1000000000")); /* 51 MB */
	CHECK(has_line(&r.c.counters, "smaps.pss=49152")); /* four sections of 12 kB */
	CHECK(has_line(&r.c.counters, "smaps.shared-dirty=114688"));
	CHECK(has_line(&r.c.counters, "smaps.private-clean=65536"));
	CHECK(has_line(&r.c.counters, "smaps.pss [anon:libc_malloc]=12288"));
	CHECK(noted(&r.c, "info", 1, "screenshots"));
	input_close(&in);
	free(p);
	collect_release(&r.c);
}

static const char small_events[] =
    "alloc 1 @b400007860010000 10000000 100 libc.so!~5a010(malloc, caf\303\251)\n"
    "alloc 4 @b400007860010000 20000000 200 libc.so!~5a010(malloc, caf\303\251)\n"
    "alloc 5 @b400007860110000 30000000 2147483649\n"
    "alloc 6 @b400007860010200 40000000 300 7f00001238 7f0000123c\n"
    "alloc 7 @b400007860010400 50000000 400 libc.so!?\n"
    "alloc 8 @b400007860010600 60000000 500\n"
    "freed 3 @b400007860010000\n"
    "freed 2 @b400007860010000\n"
    "freed 99 @1000\n"
    "end\n";

TEST(small)
{
	struct collector c = {0};

	collect_trap(&c, "lossy-small.loli", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK_STR(c.reader->name, "loli");
	CHECK_STR(c.text.data, small_events);
	CHECK(has_line(&c.notes,
		       "module libUE4.so 78606f4000-78660cd000+0x 78660cd000-7871ede000+59d8000x"));
	CHECK(noted(&c, "loss", 1, "end before they begin"));
	CHECK(noted(&c, "guess", 1, "the last counts"));
	CHECK(noted(&c, "guess", 1, "without a name in the file"));
	CHECK(noted(&c, "info", 2, "screenshots"));
	CHECK(noted(&c, "guess", 0, "false leak"));
	CHECK(!strstr(c.notes.data, "no record is freed"));
	CHECK(has_line(&c.notes, "live lower-bound"));
	CHECK(!has_line(&c.notes, "ordered"));
	collect_release(&c);
}

TEST(tails)
{
	struct collector c = {0};

	collect_trap(&c, "lossy-107.loli", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK_STR(c.text.data, small_events);
	CHECK(noted(&c, "info", 26, "comparison part"));
	collect_release(&c);

	collect_trap(&c, "lossy-tail.loli", NULL);
	CHECK_STR(c.text.data, small_events);
	CHECK(noted(&c, "loss", 4, "after the end"));
	collect_release(&c);
}

static void check_refused(const char *trap, enum status st, const char *text)
{
	struct collector c = {0};

	collect_trap(&c, trap, NULL);
	CHECK_EQ(c.status, st);
	CHECK_EQ(c.captures, 0);
	CHECK(strstr(c.e.msg, text) != NULL);
	collect_release(&c);
}

TEST(refused)
{
	check_refused("unsupported-103.loli", ST_UNSUPPORTED, "version 103");
	check_refused("unsupported-105b.loli", ST_UNSUPPORTED, "never released");
	check_refused("unsupported-diff.loli", ST_UNSUPPORTED, "a comparison");
	check_refused("bad-odd-string.loli", ST_BAD, "not UTF-16");
}

TEST(first_105_layout)
{
	struct collector c = {0};

	collect_trap(&c, "good-105.loli", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(!c.lossy);
	CHECK_STR(c.text.data,
		  "alloc 1 @b400007860010000 10000000 100 libUE4.so!~59d9100(FMalloc) 7f00001234\n"
		  "alloc 2 @b400007860010010 20000000 200 libUE4.so!~59d9100(FMalloc) 7f00001234\n"
		  "alloc 3 @b400007860010020 30000000 300 libUE4.so!?\n"
		  "freed 4 @b400007860010010\n"
		  "end\n");
	CHECK(has_line(&c.notes, "module libUE4.so 78660cd000-7871ede000+59d8000x"));
	collect_release(&c);
}

TEST(retention)
{
	struct collector c = {0};

	collect_trap(&c, "good-retention.loli", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(noted(&c, "info", 0, "no record is freed"));
	collect_release(&c);
}

TEST(damage)
{
	struct collector c = {0};

	collect_trap(&c, "lossy-count.loli", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK_EQ(c.allocs, 2);
	CHECK(noted(&c, "loss", 2, "in the missing part of the file"));
	CHECK(noted(&c, "loss", 0, "records: "));
	collect_release(&c);

	collect_trap(&c, "lossy-negative-count.loli", NULL);
	CHECK_EQ(c.allocs, 1);
	CHECK(noted(&c, "loss", 0, "impossible count: -5"));
	collect_release(&c);
	check_cuts("lossy-small.loli");
	check_cuts("good-105.loli");
}

/* Cut in the symbols: every record is there, with its stack. */
TEST(cut_late)
{
	struct collector c = {0};
	struct buf b = BUF_INIT;
	const char *at;

	trap_bytes("lossy-small.loli", &b);
	at = memmem(b.data, b.len, "\0m\0a\0l\0l\0o\0c", 12);
	collect(&c, b.data, (size_t)(at - b.data), NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(c.lossy);
	CHECK_EQ(c.allocs, 6);
	CHECK(strstr(c.text.data, " 200 libc.so!~5a010\n") != NULL);
	CHECK(noted(&c, "loss", 0, "symbols: "));
	buf_release(&b);
	collect_release(&c);
}

TEST(a_million_locations)
{
	struct collector c = {.quiet = true};

	collect_trap(&c, "good-deep.loli", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(!c.lossy);
	CHECK_EQ(c.allocs, 1);
	collect_release(&c);
}

TEST(options)
{
	struct collector c = {0};
	struct buf maps = BUF_INIT;
	const char *path;

	collect_trap(
	    &c, "good-105.loli",
	    &(struct import_options){.offsets = SPACE_FILE_OFFSET, .locations = LOCATION_RETURN});
	CHECK(strstr(c.text.data, " return:libUE4.so!o59d9100(FMalloc) return:7f00001234\n") !=
	      NULL);
	collect_release(&c);

	/* --maps wins over the file's own map; base names that two modules have stay apart. */
	trap_bytes("good-smaps.maps", &maps);
	path = text_file(maps.data, maps.len);
	collect_trap(&c, "lossy-small.loli", &(struct import_options){.maps = path});
	unlink(path);
	CHECK(noted(&c, "info", 3, "because of --maps"));
	CHECK(!strstr(c.notes.data, "module libUE4.so"));
	CHECK(strstr(c.text.data, " 200 libc.so!~5a010") != NULL);
	collect_release(&c);
	collect_trap(&c, "good-retention.loli", &(struct import_options){.maps = "/nowhere"});
	CHECK_EQ(c.status, ST_SYS);
	buf_release(&maps);
	collect_release(&c);
}

static void put_double(struct buf *out, double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof bits);
	put_be(out, bits, 8);
}

/* A file with series of points and one record, at ms. */
static void chart_file(struct collector *c, uint32_t series, uint32_t n, const double (*points)[2],
		       uint32_t ms)
{
	struct buf b = BUF_INIT;

	put_loli_head(&b, 106);
	put_be(&b, 512, 4);
	put_be(&b, series, 4);
	for (uint32_t i = 0; i < series; i++) {
		put_be(&b, n, 4);
		for (uint32_t k = 0; k < n; k++) {
			put_double(&b, points[k][0]);
			put_double(&b, points[k][1]);
		}
	}
	put_be(&b, 0, 4);
	put_be(&b, 1, 4);
	put_loli_record(&b, 1, 1, ms, 100, trap_block, 0);
	put_be(&b, 0, 4);
	trap_loli_end(&b, false);
	collect_release(c);
	collect(c, b.data, b.len, NULL);
	CHECK_EQ(c->status, ST_OK);
	CHECK_EQ(c->allocs, 1);
	buf_release(&b);
}

TEST(chart_times)
{
	static const double second[][2] = {{0, 1}, {5, 2}, {100, 3}};
	static const double rare[][2] = {{0, 1}, {120, 2}, {240, 3}};
	struct collector c = {0};

	chart_file(&c, 6, 3, second, 101000); /* 1010 ms a unit */
	CHECK(has_line(&c.counters, "meminfo.gfx-dev=2097152@5000000000"));
	CHECK(!strstr(c.notes.data, "read as ms"));
	chart_file(&c, 6, 3, second, 500); /* a short run: points are near each other */
	CHECK(has_line(&c.counters, "meminfo.gfx-dev=2097152@5000000000"));
	chart_file(&c, 6, 3, rare, 500); /* or not */
	CHECK(has_line(&c.counters, "meminfo.gfx-dev=2097152@120000000"));
	CHECK(noted(&c, "guess", 0, "read as ms"));
	chart_file(&c, 6, 3, rare, 240000); /* the records end where the chart does */
	CHECK(has_line(&c.counters, "meminfo.gfx-dev=2097152@120000000000"));
	CHECK(!strstr(c.notes.data, "read as ms"));
	collect_release(&c);
}

TEST(chart_in_ms)
{
	static const double points[][2] = {{0, 1}, {50, 2}, {100000, 3}};
	struct collector c = {0};

	chart_file(&c, 6, 3, points, 101000);
	CHECK(has_line(&c.counters, "meminfo.total=3145728@100000000000"));
	CHECK(noted(&c, "guess", 0, "read as ms"));
	collect_release(&c);
}

TEST(chart_damage)
{
	static const double points[][2] = {{0, 0},   {1, -1},       {-1, 1},    {2, NAN},
					   {NAN, 2}, {INFINITY, 1}, {3, 1e300}, {4, 0.5}};
	struct collector c = {0};

	chart_file(&c, 3, 8, points, 10);
	CHECK_STR(c.counters.data, "meminfo.series-1=0@0\nmeminfo.series-1=524288@4000000000\n"
				   "meminfo.series-2=0@0\nmeminfo.series-2=524288@4000000000\n"
				   "meminfo.series-3=0@0\nmeminfo.series-3=524288@4000000000\n");
	CHECK(noted(&c, "loss", 18, "invalid time or size"));
	CHECK(noted(&c, "guess", 3, "names are unknown"));
	chart_file(&c, 1000, 1, points, 10);
	CHECK(has_line(&c.counters, "meminfo.series-64=0@0"));
	CHECK(!strstr(c.counters.data, "series-65"));
	CHECK(noted(&c, "loss", 936, "above the limit of"));
	collect_release(&c);
}

/* UUIDs are the same with and without braces, in any case. */
TEST(uuids)
{
	struct collector c = {0};
	struct buf b = BUF_INIT;

	trap_loli_begin(&b, 106, 2);
	put_qstring(&b, "{0000000A-5EED-4000-8000-00000000CAFE}");
	put_be(&b, 1, 4);
	put_zeros(&b, 28);
	put_qstring(&b, "not a uuid");
	put_be(&b, 2, 4);
	put_be(&b, 5, 4);
	put_zeros(&b, 24);
	put_be(&b, 2, 4);
	put_qstring(&b, "0000000a-5eed-4000-8000-00000000cafe");
	put_be(&b, 1, 4);
	trap_frame(&b, UE4_ID, 0x10);
	put_qstring(&b, "not a uuid");
	put_be(&b, 1, 4);
	trap_frame(&b, UE4_ID, 0x20);
	trap_loli_end(&b, false);
	collect(&c, b.data, b.len, NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK_STR(c.text.data, "alloc 1 @0 0 0 libUE4.so!~10\n"
			       "alloc 2 @0 5000000 0 libUE4.so!~20\nend\n");
	buf_release(&b);
	collect_release(&c);
}

/* Full paths in one place, base names in another. */
TEST(paths)
{
	struct collector c = {0};
	struct buf b = BUF_INIT;

	put_loli_head(&b, 106);
	put_zeros(&b, 8);
	put_be(&b, 1, 4);
	put_be(&b, 1, 4);
	put_qstring(&b, "/private/var/Game.app/Game");
	put_be(&b, 1, 4);
	put_loli_record(&b, 1, 1, 1, 10, 0x1000, 1);
	put_be(&b, 1, 4);
	put_uuid(&b, 1);
	put_be(&b, 1, 4);
	trap_frame(&b, 1, 0x44);
	put_be(&b, 2, 4);
	put_qstring(&b, "Other");
	put_be(&b, 1, 4);
	put_be(&b, 0x44, 8);
	put_qstring(&b, "wrong");
	put_qstring(&b, "Game");
	put_be(&b, 1, 4);
	put_be(&b, 0x44, 8);
	put_qstring(&b, "-[Game run]");
	put_zeros(&b, 12);
	collect(&c, b.data, b.len, NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(!c.lossy);
	CHECK_STR(c.text.data,
		  "alloc 1 @1000 1000000 10 /private/var/Game.app/Game!~44(-[Game run])\nend\n");
	buf_release(&b);
	collect_release(&c);
}

TEST_MAIN()
