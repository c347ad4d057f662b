/* SPDX-License-Identifier: MIT
 *
 * Copying a trace with symbols put into it: the copy ends where the first look ended, symbols that
 * were there are replaced, and an input that changes in between is an error.
 */
#include "lib/symbolize/rewrite.h"
#include "lib/trace/stream.h"
#include "tests/unit/test.h"
#include "tests/unit/trace.h"

/* A capture with two runtime locations; its event chunk may be followed by more. */
static void add_start(struct buf *b)
{
	add_mark(b, 1, 0);
	add_hex(b, CHUNK_HEADER, "00 05 0100 0100 0000 0000 0000 00");
	add_hex(b, CHUNK_LOCATIONS, "01 08 20 00 08 10 00");
	add_hex(b, CHUNK_STACKS, "01 01 01 01 02");
	add_hex(b, CHUNK_EVENTS, "03 02 02 20");
}

static void add_totals(struct buf *b)
{
	add_hex(b, CHUNK_TOTALS, "04 00 00 00 01 08 00 00 02 02 00 00 00 00");
}

/* Both looks; the second is over the first n_second bytes. The result goes to *out. */
static enum status rewrite(const struct buf *in, size_t n_second, struct buf *out, bool *cut,
			   struct err *e)
{
	struct index_cache cache;
	struct managed managed;
	struct symbolize_options o = {
	    .files.jobs = 1, .dwarf.jobs = 1, .cache = &cache, .managed = &managed};
	struct rewrite w = {.n = 0};
	struct symbolizer s;
	struct cursor c;
	enum status st;
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	*e = (struct err)ERR_INIT;
	cache_init(&cache, &(struct cache_options){.off = true});
	managed_init(&managed, &(struct managed_options){0});
	symbolizer_init(&s, &o);
	cursor_init(&c, in->data, in->len, 0, e);
	st = rewrite_scan(&w, &c, &s, NULL, e);
	if (!st) {
		cursor_init(&c, in->data, n_second, 0, e);
		st = rewrite_copy(&w, &c, f, e);
	}
	*cut = w.cut;
	fclose(f);
	out->len = 0;
	buf_add(out, text, n);
	free(text);
	rewrite_release(&w);
	cache_release(&cache);
	managed_release(&managed);
	symbolizer_release(&s);
	return st;
}

static unsigned chunks_of(const struct buf *b, uint32_t kind)
{
	size_t at = TRACE_MARK_SIZE;
	unsigned n = 0;

	while (at + CHUNK_HEADER_SIZE <= b->len) {
		struct trace_chunk c = chunk_decode((const uint8_t *)b->data + at);

		n += (c.kind & ~(uint32_t)CHUNK_PACKED) == kind;
		at += CHUNK_HEADER_SIZE + c.length;
	}
	CHECK_EQ(at, b->len);
	return n;
}

TEST(symbols_are_replaced)
{
	struct buf in = BUF_INIT, once = BUF_INIT, twice = BUF_INIT;
	struct collector got;
	struct err e;
	bool cut, lossy;

	add_start(&in);
	add_totals(&in);
	CHECK_EQ(rewrite(&in, in.len, &once, &cut, &e), ST_OK);
	CHECK(!cut);
	CHECK_EQ(chunks_of(&once, CHUNK_BINDINGS), 1);
	CHECK_EQ(rewrite(&once, once.len, &twice, &cut, &e), ST_OK);
	CHECK(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
	CHECK_EQ(read_bytes(once.data, once.len, &got, &lossy, &e), ST_OK);
	CHECK(!lossy);
	CHECK_EQ(got.n, 1);
	CHECK(strstr(buf_str(&got.model), "binding 0 0 0 3 0 0 1\n") != NULL); /* no module */
	collector_release(&got);
	buf_release(&in);
	buf_release(&once);
	buf_release(&twice);
}

/* The second chunk of locations refers to a module that is not there. Nothing behind it can be
 * trusted, nor reach a reader, whose own end it would be. */
TEST(the_copy_ends_where_the_first_look_did)
{
	struct buf in = BUF_INIT, out = BUF_INIT;
	struct collector got;
	struct err e;
	bool cut, lossy;

	add_start(&in);
	add_hex(&in, CHUNK_LOCATIONS, "03 08 10 00 08 10 07");
	add_hex(&in, CHUNK_EVENTS, "03 02 02 20");
	add_totals(&in);
	CHECK_EQ(rewrite(&in, in.len, &out, &cut, &e), ST_OK);
	CHECK(cut);
	CHECK_EQ(chunks_of(&out, CHUNK_LOCATIONS), 1);
	CHECK_EQ(chunks_of(&out, CHUNK_COLUMNS), 1);
	CHECK_EQ(read_bytes(out.data, out.len, &got, &lossy, &e), ST_OK);
	CHECK(lossy);
	CHECK_EQ(got.n, 1);
	CHECK(strstr(buf_str(&got.notes), "refers to module 7") != NULL);
	collector_release(&got);
	buf_release(&in);
	buf_release(&out);
}

TEST(a_limit_keeps_what_was_before_it)
{
	struct buf in = BUF_INIT, out = BUF_INIT;
	struct err e;
	bool cut;

	add_start(&in);
	add_hex(&in, CHUNK_HEADER, "00 00 e907"); /* 1001 attributes */
	add_totals(&in);
	CHECK_EQ(rewrite(&in, in.len, &out, &cut, &e), ST_OK);
	CHECK(cut);
	CHECK_EQ(chunks_of(&out, CHUNK_COLUMNS), 1);
	CHECK_EQ(chunks_of(&out, CHUNK_HEADER), 1);
	buf_release(&in);
	buf_release(&out);
}

TEST(an_input_that_shrinks_between_the_looks_is_an_error)
{
	struct buf in = BUF_INIT, out = BUF_INIT;
	struct err e;
	unsigned silent = 0;
	bool cut;

	add_start(&in);
	add_totals(&in);
	for (size_t n = 0; n < in.len; n++)
		silent += rewrite(&in, n, &out, &cut, &e) == ST_OK || !e.msg[0];
	CHECK_EQ(silent, 0);
	buf_release(&in);
	buf_release(&out);
}

TEST_MAIN()
