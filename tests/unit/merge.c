/* SPDX-License-Identifier: MIT
 *
 * Captures of one run as one: what order their events get and what becomes of their clocks. A part
 * is written as words: "f3" frame 3, "f3@50" at 50 ns, "a" an event of type a, "a@50" at 50
 * ns, "a=n" one with the name n. The whole comes out in the same words.
 */
#include "lib/trace/merge.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

struct whole {
	struct sink sink;
	struct buf words, notes;
	unsigned begun, ended;
};

static enum status on_begin(struct sink *s, struct trace *t, struct err *e)
{
	(void)t;
	(void)e;
	((struct whole *)s)->begun++;
	return ST_OK;
}

static enum status on_event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	struct whole *w = (struct whole *)s;

	(void)e;
	buf_addf(&w->words, "%s", w->words.len ? " " : "");
	if (ev->kind == EV_FRAME)
		buf_addf(&w->words, "f%lld", (long long)ev->value);
	else
		buf_addf(&w->words, "%s", trace_text(t, t->types[ev->type]));
	if (ev->has & EV_HAS_NAME)
		buf_addf(&w->words, "=%s", trace_text(t, ev->name));
	if (ev->has & EV_HAS_TIME)
		buf_addf(&w->words, "@%lld", (long long)ev->time);
	return ST_OK;
}

static enum status on_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			    struct err *e)
{
	return sink_each(s, t, b, e, on_event);
}

static enum status on_end(struct sink *s, struct trace *t, struct err *e)
{
	struct whole *w = (struct whole *)s;

	(void)e;
	w->ended++;
	for (size_t i = 0; i < t->n_notes; i++)
		buf_addf(&w->notes, "%s %llu %s\n", severity_name(t->notes[i].severity),
			 (unsigned long long)t->notes[i].count, t->notes[i].text);
	return ST_OK;
}

static FILE *spool(struct err *e)
{
	FILE *f = tmpfile();

	if (!f)
		err_sys(e, "temporary file");
	return f;
}

struct part {
	const char *name, *words;
	bool has_offset;
	int64_t offset;
};

static void add_part(struct merge *m, const struct part *p)
{
	struct sink *s = merge_sink(m);
	struct trace *t = trace_new();
	struct err e = ERR_INIT;
	char *copy = mem_strdup(p->words), *rest = NULL;

	merge_part(m, p->name, p->has_offset, p->offset);
	CHECK_EQ(s->begin(s, t, &e), ST_OK);
	for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
		struct event ev = {.kind = EV_ALLOC, .count = 1};
		char *at = strchr(w, '@'), *name;

		if (at) {
			*at = '\0';
			ev.has = EV_HAS_TIME;
			ev.time = strtoll(at + 1, NULL, 10);
		}
		name = strchr(w, '=');
		if (name) {
			*name++ = '\0';
			ev.has |= EV_HAS_NAME;
			ev.name = trace_string(t, name, strlen(name));
			trace_thread(t, &(struct thread){.tid = (uint64_t)w[0],
							 .name = trace_string(t, "later", 5)});
		}
		if (w[0] == 'f') {
			ev.kind = EV_FRAME;
			ev.has |= EV_HAS_VALUE;
			ev.value = strtoll(w + 1, NULL, 10);
		} else {
			ev.has |= EV_HAS_TYPE;
			ev.type = trace_type(t, w, strlen(w));
		}
		CHECK_EQ(sink_event(s, t, &ev, &e), ST_OK);
	}
	CHECK_EQ(s->end(s, t, &e), ST_OK);
	trace_free(t);
	free(copy);
}

/* note: a text that one of the notes has; NULL: none. */
static void check_merge(enum merge_align align, const struct part *parts, size_t n,
			const char *want, const char *note)
{
	struct merge *m = merge_new(&(struct merge_options){.align = align, .spool = spool});
	struct whole w = {.sink = {.begin = on_begin, .batch = on_batch, .end = on_end}};
	struct err e = ERR_INIT;

	for (size_t i = 0; i < n; i++)
		add_part(m, &parts[i]);
	CHECK_EQ(merge_write(m, &w.sink, &e), ST_OK);
	CHECK_EQ(w.begun, 1);
	CHECK_EQ(w.ended, 1);
	CHECK_STR(buf_str(&w.words), want);
	if (!note)
		CHECK_STR(buf_str(&w.notes), "");
	else if (!CHECK(strstr(buf_str(&w.notes), note) != NULL))
		CHECK_STR(w.notes.data, note);
	merge_free(m);
	buf_release(&w.words);
	buf_release(&w.notes);
}

#define MERGE(align, want, note, ...)                          \
	check_merge(align, (const struct part[]){__VA_ARGS__}, \
		    sizeof((const struct part[]){__VA_ARGS__}) / sizeof(struct part), want, note)

TEST(frames_by_number)
{
	MERGE(MERGE_AUTO, "f1 a b f2 c f3 d e f4 g", NULL, {.name = "x", .words = "f1 a f3 d f4"},
	      {.name = "y", .words = "f1 b f2 c f3 e f4 g"});
}

/* What comes before a part's first frame comes before all frames. */
TEST(before_the_first_frame)
{
	MERGE(MERGE_AUTO, "a b f1 c f2 d", NULL, {.name = "x", .words = "a f1 c f2"},
	      {.name = "y", .words = "b f2 d"});
}

TEST(within_a_frame_by_time)
{
	MERGE(MERGE_AUTO, "f1@0 a@10 b@20 c@30 x@30 d@40 f2@100 e@110", "shared frames say",
	      {.name = "p", .words = "f1@0 a@10 c@30 d@40 f2@100"},
	      {.name = "q", .words = "f1@0 b@20 x@30 f2@100 e@110"});
}

/* The second one's clock: frames are 70, 80 and 1000 behind. The median counts, not the outlier. */
TEST(clock_by_shared_frames)
{
	MERGE(MERGE_AUTO, "f1@1000 a@1010 f2@2000 b@2005 f3@3000", "+80 ns from the first",
	      {.name = "p", .words = "f1@1000 f2@2000 f3@3000"},
	      {.name = "q", .words = "f1@930 a@930 f2@1920 b@1925 f3@2000"});
}

TEST(clock_by_option)
{
	/* A given offset counts, and not what frames say. */
	MERGE(MERGE_AUTO, "f1@1000 a@505 b@1005 f2@2000", NULL,
	      {.name = "p", .words = "f1@1000 b@1005 f2@2000"},
	      {.name = "q", .words = "f1@0 a@5 f2@1000", .has_offset = true, .offset = 500});
	/* Below 0, too. */
	MERGE(MERGE_TIME, "a@-95 b@0 c@5", NULL, {.name = "p", .words = "b@0"},
	      {.name = "q", .words = "a@5 c@105", .has_offset = true, .offset = -100});
}

TEST(clock_not_known)
{
	MERGE(MERGE_AUTO, "f1@10 a@20 b@25", "q: its times are taken to be the first capture's",
	      {.name = "p", .words = "f1@10 a@20"}, {.name = "q", .words = "b@25"});
}

TEST(times_beyond_64_bits)
{
	MERGE(MERGE_TIME, "b@0 a@9223372036854775807", "loss 1 times are too large",
	      {.name = "p", .words = "b@0"},
	      {.name = "q",
	       .words = "a@9000000000000000000",
	       .has_offset = true,
	       .offset = INT64_MAX});
}

/* Frames of the first part that has some; numbers of others mean nothing. */
TEST(by_time)
{
	MERGE(MERGE_TIME, "f1@10 a@20 b@25 f2@30 c@40", "info 2 frames of other captures",
	      {.name = "p", .words = "f1@10 a@20 f2@30 c@40"},
	      {.name = "q", .words = "f1@5 b@25 f2@35", .has_offset = true});
}

/* A part without frames is placed by its times. */
TEST(a_part_without_frames)
{
	MERGE(MERGE_AUTO, "f1@0 a@1 x@50 f2@100 y@100 b@101 f3@200 z@900", "taken to be the first",
	      {.name = "p", .words = "f1@0 a@1 f2@100 b@101 f3@200"},
	      {.name = "q", .words = "f1@0 f2@100 f3@200"},
	      {.name = "r", .words = "x@50 y@100 z@900"});
}

/* Numbers that go back say nothing: its events go by time, and its frames are left out. */
TEST(numbers_go_back)
{
	MERGE(MERGE_FRAMES, "f1@0 a@10 b@50 f2@100 c@110 d@150",
	      "loss 2 q: frame numbers do not go up",
	      {.name = "p", .words = "f1@0 a@10 f2@100 c@110"},
	      {.name = "q", .words = "f7@20 b@50 f3@120 d@150", .has_offset = true});
	/* Its frame comes first and its event last. */
	MERGE(MERGE_FRAMES, "f1@0 a@10 b@50 f2@100 c@110 d@150", "info 2 frames of other captures",
	      {.name = "p", .words = "f1@0 b@50 f2@100 d@150"},
	      {.name = "q", .words = "f7@5 a@10 f3@105 c@110", .has_offset = true});
	MERGE(MERGE_FRAMES, "f1@0 a@20 b@50 f2@100", "info 2 frames of other captures",
	      {.name = "p", .words = "f1@0 a@20 f2@100"},
	      {.name = "q", .words = "f7@10 f3@10 b@50", .has_offset = true});
}

/* A frame that is left out does not bring forward what follows it. */
TEST(behind_a_frame_that_is_left_out)
{
	MERGE(MERGE_FRAMES, "f1@0 x@5 a@50 y@90 f2@100", "info 2 frames of other captures",
	      {.name = "p", .words = "f1@0 a@50 f2@100"},
	      {.name = "q", .words = "x@5 f7@30 f3@40 y@90", .has_offset = true});
}

/* By time no part is left out, whether its frames count, do not, or are not there. */
TEST(by_time_without_frames)
{
	MERGE(MERGE_AUTO, "a@10 b@20 c@30", NULL, {.name = "p", .words = "a@10 c@30"},
	      {.name = "q", .words = "b@20", .has_offset = true});
	MERGE(MERGE_TIME, "f9@5 a@10 f2@15 b@20", NULL, {.name = "p", .words = "a@10"},
	      {.name = "q", .words = "f9@5 f2@15 b@20", .has_offset = true});
}

/* Each is in no table of its part, and one that does (the thread's) comes behind it. */
TEST(names_of_events)
{
	MERGE(MERGE_AUTO, "a=x b=a c=x", NULL, {.name = "x", .words = "a=x b=a"},
	      {.name = "y", .words = "c=x"});
}

TEST(one_part_and_none)
{
	MERGE(MERGE_AUTO, "f2 a f1 b", NULL, {.name = "p", .words = "f2 a f1 b"});
	MERGE(MERGE_AUTO, "f1 a", NULL, {.name = "p", .words = ""}, {.name = "q", .words = "f1 a"});
}

/* Within its frame each part's events stay in their order, and by time where both have one. */
TEST(random_parts)
{
	uint64_t seed = 1;

	for (int round = 0; round < 100; round++) {
		struct merge *m =
		    merge_new(&(struct merge_options){.align = MERGE_AUTO, .spool = spool});
		struct whole w = {.sink = {.begin = on_begin, .batch = on_batch, .end = on_end}};
		struct err e = ERR_INIT;
		char *rest = NULL;
		long long at = -1, frames = 0;
		size_t events = 0, pushed = 0;

		for (int p = 0; p < 3; p++) {
			struct buf words = BUF_INIT;
			int64_t time = 0;

			for (int f = 1; f <= 5; f++) {
				time = f * 1000;
				buf_addf(&words, "f%d@%lld ", f, (long long)time);
				for (int i = 0; i < 4; i++, pushed++) {
					time += (int64_t)lcg_below(&seed, 200);
					buf_addf(&words, "e%d@%lld ", p, (long long)time);
				}
			}
			add_part(m, &(struct part){.name = "p", .words = buf_str(&words)});
			buf_release(&words);
		}
		CHECK_EQ(merge_write(m, &w.sink, &e), ST_OK);
		buf_str(&w.words);
		for (char *word = strtok_r(w.words.data, " ", &rest); word;
		     word = strtok_r(NULL, " ", &rest)) {
			long long time = strtoll(strchr(word, '@') + 1, NULL, 10);

			CHECK(time >= at);
			at = time;
			frames += word[0] == 'f';
			events += word[0] == 'e';
			CHECK_EQ(time / 1000, frames);
		}
		CHECK_EQ(frames, 5);
		CHECK_EQ(events, pushed);
		merge_free(m);
		buf_release(&w.words);
		buf_release(&w.notes);
	}
}

TEST_MAIN()
