/* SPDX-License-Identifier: MIT
 *
 * MemTracer files (formats/memtracer/memtracer.c).
 */
#include "tests/unit/test.h"

#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <unistd.h>

/* Everything that reaches the sink, as text: a line per event, and at the end of a capture its
 * modules, slide and notes. */
struct collector {
	struct sink sink;
	struct buf text, notes;
	uint64_t requested, real, allocs; /* of type totals; allocations */
	unsigned captures;
	int fail_after; /* events; -1: never */
	bool metrics_ok;
};

static void add_location(struct buf *b, const struct trace *t, uint32_t id)
{
	const struct location *l = &t->locations[id];

	switch (l->space) {
	case SPACE_RUNTIME: buf_addf(b, " %" PRIx64, l->raw); break;
	case SPACE_UNKNOWN: buf_adds(b, " ?"); break;
	default:
		buf_addf(b, " <%s|%s|%s:%u>", trace_text(t, l->name),
			 trace_text(t, t->modules[l->module].name), trace_text(t, l->file),
			 l->line);
	}
}

static enum status on_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct collector *c = (struct collector *)s;

	(void)e;
	c->captures++;
	c->metrics_ok = t->metrics[METRIC_COUNT].state == METRIC_ABSENT &&
			t->metrics[METRIC_LIVE].state == METRIC_ABSENT &&
			t->metrics[METRIC_TIME].state == METRIC_ABSENT &&
			t->metrics[METRIC_REQUESTED].state == METRIC_EXACT &&
			t->metrics[METRIC_REQUESTED].key == METRIC_AT_TYPE &&
			t->metrics[METRIC_REAL].state == METRIC_EXACT &&
			t->metrics[METRIC_REAL].key == METRIC_AT_ALL;
	return ST_OK;
}

static enum status on_event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	struct collector *c = (struct collector *)s;
	struct buf *b = &c->text;

	if (!c->fail_after--)
		return err_set(e, ST_PIPE, "closed");
	buf_addf(b, "%s", event_kind_name(ev->kind));
	if (ev->has & EV_HAS_VALUE)
		buf_addf(b, " value=%" PRId64, ev->value);
	if (ev->has & EV_HAS_TYPE)
		buf_addf(b, " %s", trace_text(t, t->types[ev->type]));
	if (ev->has & EV_HAS_REQUESTED)
		buf_addf(b, " requested=%" PRIu64, ev->requested);
	if (ev->has & EV_HAS_REAL)
		buf_addf(b, " real=%" PRIu64, ev->real);
	if (ev->has & EV_HAS_STACK)
		for (uint32_t id = ev->stack; id; id = t->stacks[id].parent)
			add_location(b, t, t->stacks[id].location);
	buf_addc(b, '\n');
	if (ev->has & (EV_HAS_COUNT | EV_HAS_TIME | EV_HAS_ADDRESS | EV_HAS_THREAD | EV_HAS_SEQ))
		c->metrics_ok = false;
	if (ev->kind == EV_TYPE_TOTAL) {
		c->requested += ev->requested;
		c->real += ev->real;
	}
	c->allocs += ev->kind == EV_ALLOC;
	return ST_OK;
}

static enum status on_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			    struct err *e)
{
	return sink_each(s, t, b, e, on_event);
}

static enum status on_end(struct sink *s, struct trace *t, struct err *e)
{
	struct collector *c = (struct collector *)s;

	(void)e;
	for (size_t i = 1; i < t->n_modules; i++) {
		const struct module *m = &t->modules[i];
		size_t n;
		const char *id = intern_text(&t->strings, m->build_id, &n);

		buf_addf(&c->notes, "module '%s'", trace_text(t, m->name));
		if (m->has_slide)
			buf_addf(&c->notes, " slide=%" PRIx64, m->slide);
		for (size_t k = 0; k < n; k++)
			buf_addf(&c->notes, "%s%02x", k ? "" : " id=", (unsigned char)id[k]);
		buf_addc(&c->notes, '\n');
	}
	for (size_t i = 0; i < t->n_notes; i++)
		buf_addf(&c->notes, "%s %" PRIu64 " %s\n", severity_name(t->notes[i].severity),
			 t->notes[i].count, t->notes[i].text);
	return ST_OK;
}

static struct collector collector(void)
{
	return (struct collector){.sink = {.begin = on_begin, .batch = on_batch, .end = on_end},
				  .fail_after = -1};
}

static void release(struct collector *c)
{
	buf_release(&c->text);
	buf_release(&c->notes);
}

static const struct import_options by_name = {.format = "memtracer"};

static enum status import_text(struct collector *c, const char *s, size_t n,
			       const struct import_options *o, struct err *e)
{
	struct input in;
	enum status st;
	bool lossy;

	*c = collector();
	*e = (struct err)ERR_INIT;
	input_memory(&in, "test", s, n, e);
	st = capture_read(&in, o, &c->sink, &lossy, e);
	input_close(&in);
	return st;
}

#define NO_SLIDE "guess 0 the capture has no slide and no maps: addresses are used as captured\n"

static void check(const char *s, const char *events, const char *notes)
{
	struct collector c;
	struct err e;

	if (!CHECK_EQ(import_text(&c, s, strlen(s), &by_name, &e), ST_OK))
		printf("  %s\n", e.msg);
	CHECK_STR(buf_str(&c.text), events);
	CHECK_STR(buf_str(&c.notes), notes);
	CHECK(c.metrics_ok);
	release(&c);
}

/* The figures were read off the screenshot by hand: ../shared/samples/README.md. */
TEST(sample)
{
	const char *path = test_shared("samples/memtracer/mainline_il2cpp_gc_trace_excerpt.mem");
	struct collector c = collector();
	struct import_options o = {0};
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	if (!path)
		TEST_SKIP("no ../shared");
	CHECK_EQ(input_open(&in, path, &e), ST_OK);
	CHECK_EQ(capture_read(&in, &o, &c.sink, &lossy, &e), ST_OK);
	CHECK(!lossy);
	CHECK(c.metrics_ok);
	CHECK_EQ(c.requested, 496 + 364);
	CHECK_EQ(c.real, 592 + 464);
	CHECK_EQ(c.allocs, 11);
	CHECK(strstr(buf_str(&c.text),
		     "frame value=9764\n"
		     "type-total <PostExitCleanup>d__21 requested=40 real=48\n"
		     "alloc <PostExitCleanup>d__21 real=48 12d011808 12b6bdf98 12f349710"));
	input_close(&in);
	release(&c);
}

TEST(frames)
{
	check("{\"f\":9,\"d\":[{\"t\":\"A\",\"s\":5,\"r\":16,\"st\":[\"0x1;0x2;\"],\"sz\":[16]},"
	      "{\"t\":\"B\",\"s\":9,\"r\":48,\"st\":[\"0x1;0x2;\",\"0x3;\"],\"sz\":[16,32]}]}\n"
	      "{\"f\":10,\"d\":[]}\n",
	      "frame value=9\n"
	      "type-total A requested=5 real=16\nalloc A real=16 1 2\n"
	      "type-total B requested=9 real=48\nalloc B real=16 1 2\nalloc B real=32 3\n"
	      "frame value=10\n",
	      NO_SLIDE);
}

static const char two_frames[] =
    "frame value=1\ntype-total A requested=5 real=16\nalloc A real=16 1\n"
    "frame value=2\ntype-total A requested=6 real=16\nalloc A real=16 2\n";

#define FRAME_1 "{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":5,\"r\":16,\"st\":[\"0x1;\"],\"sz\":[16]}]}"
#define FRAME_2 "{\"f\":2,\"d\":[{\"t\":\"A\",\"s\":6,\"r\":16,\"st\":[\"0x2;\"],\"sz\":[16]}]}"

TEST(layouts)
{
	check(FRAME_1 FRAME_2, two_frames, NO_SLIDE);
	check(FRAME_1 ";" FRAME_2 ";\n", two_frames, NO_SLIDE);
	check(FRAME_1 ",\r\n" FRAME_2, two_frames, NO_SLIDE);
	check("[" FRAME_1 ",\n" FRAME_2 "]", two_frames, NO_SLIDE);
	check("\xef\xbb\xbf[" FRAME_1 "]\n[" FRAME_2 "]", two_frames, NO_SLIDE);
	/* keys in any order, keys that mean nothing here */
	check(
	    "{\"d\":[{\"sz\":[16],\"x\":{\"t\":[1,{\"s\":-1}]},\"st\":[\"0x1;\"],\"r\":16,\"s\":5,"
	    "\"t\":\"A\"}],\"y\":[[]],\"f\":1}\n" FRAME_2,
	    two_frames, NO_SLIDE);
}

TEST(header)
{
	static const char *const headers[] = {
	    "{\"slide\":4294967296}",
	    "{\"slideAddress\":\"0x100000000\"}",
	    "{\"slide_address\":\"4294967296\"}",
	    "{\"base\":\"0X100000000\"}",
	    "{\"version\":1,\"load\":\"0x100000000\",\"d2\":[]}",
	};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
		b.len = 0;
		buf_addf(&b, "%s\n%s\n%s\n", headers[i], FRAME_1, FRAME_2);
		check(buf_str(&b), two_frames, "module '' slide=100000000\n");
		b.len = 0;
		buf_addf(&b, "[%s,%s,%s]", headers[i], FRAME_1, FRAME_2);
		check(buf_str(&b), two_frames, "module '' slide=100000000\n");
	}
	buf_release(&b);
	check("{\"slide\":\"1a0\",\"module\":\"UnityFramework\",\"build_id\":\"AB-cd01\"}" FRAME_1
		  FRAME_2,
	      two_frames, "module 'UnityFramework' slide=1a0 id=abcd01\n");
	check("{\"slide\":\"none\"}" FRAME_1 FRAME_2, two_frames,
	      "info 1 JSON values were skipped: not frames\n"
	      "info 1 slides in a header are not numbers\n" NO_SLIDE);
	check("{\"slide\":0}", "", "module '' slide=0\n");
	/* in the first frame itself */
	check("{\"slide\":16,\"f\":3,\"d\":[]}", "frame value=3\n", "module '' slide=10\n");
}

TEST(slide_option_wins)
{
	struct import_options o = {.format = "memtracer", .has_slide = true, .slide = 0x77};
	static const char text[] = "{\"slide\":1}" FRAME_1;
	struct collector c;
	struct err e;

	CHECK_EQ(import_text(&c, text, sizeof text - 1, &o, &e), ST_OK);
	CHECK_STR(buf_str(&c.notes), "module '' slide=77\n");
	release(&c);
}

TEST(concatenated_files)
{
	static const char text[] = "{\"slide\":16}\n" FRAME_1 "\n{\"slide\":32}\n" FRAME_2;
	struct collector c;
	struct err e;

	CHECK_EQ(import_text(&c, text, sizeof text - 1, &by_name, &e), ST_OK);
	CHECK_EQ(c.captures, 2);
	CHECK_STR(buf_str(&c.text), two_frames);
	CHECK_STR(buf_str(&c.notes), "module '' slide=10\nmodule '' slide=20\n");
	release(&c);
}

static void check_stack(const char *stack, const char *locations, const char *notes)
{
	struct buf in = BUF_INIT, out = BUF_INIT;

	buf_addf(&in,
		 "{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":5,\"r\":16,\"st\":[\"%s\"],\"sz\":[16]}]}",
		 stack);
	buf_addf(&out, "frame value=1\ntype-total A requested=5 real=16\nalloc A real=16%s\n",
		 locations);
	check(buf_str(&in), buf_str(&out), notes);
	buf_release(&in);
	buf_release(&out);
}

TEST(stack_separators)
{
	check_stack("0xa;0xB", " a b", NO_SLIDE);
	check_stack("0xa,0xb,", " a b", NO_SLIDE);
	check_stack("0xa 0xb", " a b", NO_SLIDE);
	check_stack("0xa\\n0xb\\n", " a b", NO_SLIDE);
	check_stack("0xa|0xb|", " a b", NO_SLIDE);
	check_stack(";; 0xa ; 0xb ;", " a b", NO_SLIDE);
	check_stack("12fd434fc;abc", " 12fd434fc abc", NO_SLIDE);
	check_stack("0xffffffffffffffff;", " ffffffffffffffff", NO_SLIDE);
	check_stack("", "", "");
	check_stack(";", "", "");
}

#define BAD_ENTRY(n)                                                                   \
	"loss " n " stack entries are not addresses (counted once for each different " \
	"stack)\n"

TEST(stack_bad_entries)
{
	check_stack("0xa;zzz;0xb;", " a ? b", BAD_ENTRY("1") NO_SLIDE);
	check_stack("0x;0xb;", " ? b", BAD_ENTRY("1") NO_SLIDE);
	check_stack("0x10000000000000000;", " ?", BAD_ENTRY("1"));
	check_stack("0x-1;", " ?", BAD_ENTRY("1"));
}

TEST(stack_decoded)
{
	check_stack("Player_Update_m12AB (in UnityFramework) (Player.cpp:123);"
		    "std::map<int, A>::at(int, B) (in libx.so) (dir/map:7)\\n"
		    "main (in game) + 52;0x00000001 (in libz);",
		    " <Player_Update_m12AB|UnityFramework|Player.cpp:123>"
		    " <std::map<int, A>::at(int, B)|libx.so|dir/map:7> <main|game|:0>"
		    " <0x00000001|libz|:0>",
		    "module 'UnityFramework'\nmodule 'libx.so'\nmodule 'game'\nmodule 'libz'\n");
	check_stack("-[A b:c:] (in M) (a.m:1);f() const (in M) (b.cpp:2)",
		    " <-[A b:c:]|M|a.m:1> <f() const|M|b.cpp:2>", "module 'M'\n");
	check_stack("Foo.Bar (Foo.cs:3);Baz(int, int)", " <Foo.Bar||Foo.cs:3> <Baz(int, int)||:0>",
		    "");
	check_stack("f (in M) (", " <f|M|:0>", "module 'M'\n");
	check_stack("f (in ", " <f (in||:0>", "");
}

TEST(stack_of_a_million)
{
	enum { N = 1000000 };
	struct buf b = BUF_INIT;
	struct collector c;
	const char *p;
	struct err e;
	size_t n = 0;

	buf_adds(&b, "{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":5,\"r\":16,\"st\":[\"");
	for (unsigned i = 0; i < N; i++)
		buf_addf(&b, "0x%x;", i % 777 + 16);
	buf_adds(&b, "\"],\"sz\":[16]}]}");
	CHECK_EQ(import_text(&c, b.data, b.len, &by_name, &e), ST_OK);
	p = strstr(buf_str(&c.text), "alloc A real=16 10 11 12 ");
	CHECK(p != NULL);
	for (p = p ? strstr(p, "=16") : NULL; p && *p; p++)
		n += *p == ' ';
	CHECK_EQ(n, N);
	release(&c);
	buf_release(&b);
}

#define REFUSED(n, at)                                                                            \
	"loss " n " records with missing, negative, too large or mistyped fields were left out, " \
	"the first at byte " at "\n"

static void check_refused(const char *record)
{
	struct buf in = BUF_INIT;

	buf_addf(
	    &in,
	    "{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":5,\"r\":16,\"st\":[\"0x1;\"],\"sz\":[16]},%s]}%s",
	    record, FRAME_2);
	check(buf_str(&in), two_frames, REFUSED("1", "59") NO_SLIDE);
	buf_release(&in);
}

TEST(refused_records)
{
	check_refused("{\"t\":\"B\",\"s\":-1,\"r\":16,\"st\":[],\"sz\":[]}");
	check_refused("{\"t\":\"B\",\"s\":1,\"r\":-16,\"st\":[],\"sz\":[]}");
	check_refused("{\"t\":\"B\",\"s\":2147483648,\"r\":16}");
	check_refused("{\"t\":\"B\",\"s\":1,\"r\":99999999999999999999999999}");
	check_refused("{\"t\":\"B\",\"s\":1.5,\"r\":16}");
	check_refused("{\"t\":\"B\",\"s\":1e3,\"r\":16}");
	check_refused("{\"t\":\"B\",\"s\":\"1\",\"r\":16}");
	check_refused("{\"t\":5,\"s\":1,\"r\":16}");
	check_refused("{\"t\":\"B\",\"s\":1,\"r\":16,\"st\":7,\"sz\":[16]}");
	check_refused("{\"t\":\"B\",\"s\":1,\"r\":16,\"st\":[7],\"sz\":[16]}");
	check_refused("{\"t\":\"B\",\"s\":1,\"r\":16,\"st\":[\"0x1\"],\"sz\":[\"16\"]}");
	check_refused("{\"t\":\"B\",\"s\":1,\"r\":16,\"st\":[[\"0x1\"]],\"sz\":[16]}");
	check_refused("{\"t\":\"B\",\"s\":1,\"r\":16,\"st\":{\"a\":[1]},\"sz\":[-16]}");
	check_refused("{\"t\":\"B\",\"s\":1,\"r\":16,\"st\":[\"0x1\"],\"sz\":[-16]}");
	check_refused("{\"t\":\"B\",\"s\":true,\"r\":16}");
	check_refused("{}");
	check("{\"f\":1,\"d\":[{\"t\":\"B\",\"s\":2147483647,\"r\":2147483647}]}",
	      "frame value=1\ntype-total B requested=2147483647 real=2147483647\n"
	      "alloc B real=2147483647\n",
	      "info 1 records have stack sizes whose sum is below r: the rest has no stack\n");
}

TEST(sizes_that_do_not_fit)
{
	check(
	    "{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":5,\"r\":48,\"st\":[\"0x1\"],\"sz\":[16]}]}",
	    "frame value=1\ntype-total A requested=5 real=48\nalloc A real=16 1\nalloc A real=32\n",
	    "info 1 records have stack sizes whose sum is below r: the rest has no "
	    "stack\n" NO_SLIDE);
	check("{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":5,\"r\":8,\"st\":[\"0x1\"],\"sz\":[16]}]}",
	      "frame value=1\ntype-total A requested=5 real=8\nalloc A real=16 1\n",
	      "info 1 records have stack sizes whose sum is above r\n" NO_SLIDE);
	check(
	    "{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":5,\"r\":16,\"st\":[\"0x1\",\"0x2\"],\"sz\":[16]}]}",
	    "frame value=1\ntype-total A requested=5 real=16\nalloc A real=16 1\nalloc A 2\n",
	    "info 1 records do not have as many stacks as sizes\n" NO_SLIDE);
	check(
	    "{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":5,\"r\":48,\"st\":[\"0x1\"],\"sz\":[16,32]}]}",
	    "frame value=1\ntype-total A requested=5 real=48\nalloc A real=16 1\nalloc A real=32\n",
	    "info 1 records do not have as many stacks as sizes\n" NO_SLIDE);
}

/* What is not said is absent, not 0. */
TEST(absent)
{
	check("{\"d\":[{\"t\":\"A\",\"s\":5,\"st\":[\"0x1\"],\"sz\":[16]},{\"r\":0,\"s\":0},"
	      "{\"t\":null,\"s\":0,\"r\":0,\"st\":null}]}",
	      "frame\ntype-total A requested=5\nalloc A real=16 1\ntype-total requested=0 real=0\n"
	      "type-total requested=0 real=0\n",
	      "loss 1 records have no requested or no real size: the totals lack it\n"
	      "info 1 frames have no number\n" NO_SLIDE);
	check("{\"f\":-3}{\"f\":\"x\",\"d\":null}{\"f\":1.5,\"d\":[]}{\"f\":4,\"d\":{}}",
	      "frame value=-3\nframe\nframe value=4\n",
	      "loss 1 frames have records that are not an array\n"
	      "info 1 frames have no number\n"
	      "info 1 JSON values were skipped: not frames\n");
}

TEST(repeated)
{
	/* a type twice adds up; of a key that is there twice the last counts */
	check("{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":5,\"r\":0},{\"t\":\"A\",\"s\":6,\"r\":0},"
	      "{\"t\":\"B\",\"t\":\"C\",\"s\":1,\"s\":2,\"r\":16,\"st\":[\"0x1\"],\"st\":[\"0x2\"],"
	      "\"sz\":[1],\"sz\":[16]}],\"d\":[{\"t\":\"D\",\"s\":1,\"r\":0}],\"f\":7}",
	      "frame value=1\ntype-total A requested=5 real=0\ntype-total A requested=6 real=0\n"
	      "type-total C requested=2 real=16\nalloc C real=16 2\ntype-total D requested=1 "
	      "real=0\n",
	      NO_SLIDE);
}

TEST(invalid_utf8)
{
	check("{\"f\":1,\"d\":[{\"t\":\"A\xff\",\"s\":5,\"r\":0}]}",
	      "frame value=1\ntype-total A\xef\xbf\xbd requested=5 real=0\n",
	      "info 1 bytes of invalid UTF-8 became U+FFFD\n");
}

/* Cut at every byte: never more than is there, never less than the records that are whole. */
TEST(truncated)
{
	static const char text[] = "{\"slide\":16}\n" FRAME_1 "\n" FRAME_2 "\n";
	static const char first[] =
	    "frame value=1\ntype-total A requested=5 real=16\nalloc A real=16 1\n";
	size_t second = strlen("{\"slide\":16}\n" FRAME_1 "\n");
	size_t in_second = second + strlen("{\"f\":2,\"d\":[");
	size_t record =
	    in_second + strlen("{\"t\":\"A\",\"s\":6,\"r\":16,\"st\":[\"0x2;\"],\"sz\":[16]}");

	for (size_t n = 0; n < sizeof text; n++) {
		char *copy = mem_alloc(n); /* exact, so that a byte too far is noticed */
		struct collector c;
		enum status st;
		struct err e;

		memcpy(copy, text, n);
		st = import_text(&c, copy, n, &by_name, &e);
		buf_str(&c.text);
		if (n >= second) {
			CHECK_EQ(st, ST_OK);
			CHECK(!strncmp(c.text.data, first, strlen(first)));
			CHECK_EQ(!strcmp(c.text.data, two_frames), n >= record);
			CHECK_EQ(strstr(buf_str(&c.notes), "frame 2 is not complete") != NULL,
				 n >= in_second && n < sizeof text - 2);
			CHECK_EQ(strstr(buf_str(&c.notes), "the input ends inside a value") != NULL,
				 n > second && n < sizeof text - 2);
		} else if (n != strlen("{\"slide\":16}") && n != strlen("{\"slide\":16}\n") &&
			   !c.text.len) {
			CHECK_EQ(st, ST_BAD);
		}
		release(&c);
		free(copy);
	}
}

TEST(not_a_capture)
{
	static const char *const texts[] = {"",        "[1,2,3]", "{\"a\":1}", "\"f\"",
					    "{\"f\":", "}",       "PK\x03\x04"};
	struct collector c;
	struct err e;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		CHECK_EQ(import_text(&c, texts[i], strlen(texts[i]), &by_name, &e), ST_BAD);
		CHECK(e.msg[0] && !strchr(e.msg, '\n'));
		CHECK_EQ(c.text.len, 0);
		release(&c);
	}
}

TEST(deep_nesting)
{
	struct buf b = BUF_INIT;
	struct collector c;
	struct err e;

	buf_adds(&b, FRAME_1 FRAME_2 "{\"x\":");
	for (int i = 0; i < 100000; i++)
		buf_addc(&b, '[');
	CHECK_EQ(import_text(&c, b.data, b.len, &by_name, &e), ST_OK);
	CHECK_STR(buf_str(&c.text), two_frames);
	CHECK(strstr(buf_str(&c.notes), "loss 0 nested more than 64 deep"));
	release(&c);
	buf_release(&b);
}

TEST(sink_fails)
{
	static const char text[] = FRAME_1 FRAME_2;

	for (int n = 0; n < 6; n++) {
		struct collector c = collector();
		struct err e = ERR_INIT;
		struct input in;
		bool lossy;

		c.fail_after = n;
		input_memory(&in, "test", text, sizeof text - 1, &e);
		CHECK_EQ(capture_read(&in, &by_name, &c.sink, &lossy, &e), ST_PIPE);
		CHECK_STR(e.msg, "closed");
		input_close(&in);
		release(&c);
	}
}

TEST(bids)
{
	extern const struct reader reader_memtracer;
	static const struct {
		const char *text;
		int least, most;
	} heads[] = {
	    {FRAME_1, 40, 63},
	    {"[" FRAME_1, 40, 63},
	    {"\xef\xbb\xbf\n{\"slide\":1}\n" FRAME_1, 40, 63},
	    {"{\"device\":{\"f\":[]},\"v\":1}\n" FRAME_1, 40, 63},
	    {"{\"f\":1,\"d\":[]}", 8, 16},
	    {"{\"f\" : 1, \"d\" : [ {\"t\"", 8, 24},
	    {"{\"d\":[{\"t\":\"A\",\"s\":5,\"r\":16,\"st\":[\"0x1;\"],\"sz\":[16]}],\"f\":1}", 40,
	     63},
	    {"{\"slide\":\"0x1\"}", 8, 16},
	    {"", 0, 0},
	    {"{", 0, 0},
	    {"{}", 0, 0},
	    {"[]", 0, 0},
	    {"{\"f\":1}", 0, 0},
	    {"{\"t\":\"A\",\"s\":5,\"r\":16,\"st\":[],\"sz\":[]}", 0, 0},
	    {"{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"s\":\"t\",\"t\":1}]}", 0, 0},
	    {"{\"d\":{\"t\":{\"s\":1,\"r\":2}},\"x\":1}", 0, 0},
	    {"{\"base\":\"x\",\"name\":\"y\"}", 0, 0},
	    {"0x1;0x2;", 0, 0},
	    {"]]]]", 0, 0},
	    {"\"f\"", 0, 0},
	};

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		size_t n = strlen(heads[i].text);
		uint8_t *copy = mem_alloc(n);
		int bid;

		memcpy(copy, heads[i].text, n);
		bid = reader_memtracer.bid(copy, n, true);
		if (!CHECK(bid >= heads[i].least && bid <= heads[i].most))
			printf("  %s: %d\n", heads[i].text, bid);
		for (size_t k = 0; k < n; k++)
			CHECK(reader_memtracer.bid(copy, k, false) >= 0);
		free(copy);
	}
}

TEST_MAIN()
