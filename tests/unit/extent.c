/* SPDX-License-Identifier: MIT
 *
 * How long a selection took, lib/tally/extent.c: against each ns of short captures, which is in or is not.
 */
#include "lib/tally/extent.h"

#include "lib/trace/encode.h"
#include "tests/unit/test.h"

#include <stdio.h>

enum { NS = 60, ROUNDS = 20000 };

static uint64_t state = 88172645463325252u;

static int64_t draw(int64_t below)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (int64_t)(state % (uint64_t)below);
}

static void draw_ranges(struct tally_selection *s, const char *unit,
			enum status (*add)(struct tally_selection *, const char *, struct err *))
{
	struct err e = ERR_INIT;
	char text[64];

	for (int64_t n = draw(4); n; n--) {
		int64_t lo = draw(NS), hi = lo + draw(15);
		int64_t open = draw(12);

		if (open == 0)
			snprintf(text, sizeof text, "%d%s..", (int)lo, unit);
		else if (open == 1)
			snprintf(text, sizeof text, "..%d%s", (int)hi, unit);
		else
			snprintf(text, sizeof text, "%d%s..%d%s", (int)lo, unit, (int)hi, unit);
		CHECK_EQ(add(s, text, &e), ST_OK);
	}
}

/* A stretch of time is in a range when both of its ends are: the range's are included. */
static bool within(const struct selection_ranges *r, int64_t ns)
{
	bool in = !r->n;

	for (size_t i = 0; i < r->n; i++)
		in |= ns >= r->items[i].lo && ns + 1 <= r->items[i].hi;
	return in;
}

static void frame_at(struct tally_extent *x, const struct tally_selection *s, int64_t number,
		     int64_t ns)
{
	extent_frame(x, s, &(struct frame_mark){.number = number, .start = ns, .timed = true}, true,
		     ns);
}

/* Ranges that touch and do not overlap, 1..2 and 3..4, leave out what is between them. */
TEST(each_ns)
{
	struct trace *t = trace_new();

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct tally_extent x = {.any = false};
		struct tally_selection s;
		int64_t frame_of[NS], first = draw(NS / 2), last = first + draw(NS - first),
				      number = 0;
		uint64_t want = 0, frames = 0, got;
		bool in_frame = false, marked = false, known;

		selection_init(&s);
		draw_ranges(&s, "", selection_frames);
		draw_ranges(&s, "ns", selection_times);
		extent_reach(&x, first);
		for (int64_t ns = first; ns <= last; ns++) {
			if (!draw(4)) {
				number += draw(5) ? 1 : draw(9) - 4;
				in_frame = true;
				frame_at(&x, &s, number, ns);
				marked |= selection_in(&s.frames, number);
				frames +=
				    selection_in(&s.frames, number) && selection_in(&s.times, ns);
			}
			frame_of[ns] = in_frame && selection_in(&s.frames, number);
		}
		extent_reach(&x, last);
		for (int64_t ns = first; ns < last; ns++)
			want += (!s.frames.n || frame_of[ns]) && within(&s.times, ns);
		known = extent_duration(&x, t, &s, &got);
		CHECK_EQ(known, !s.frames.n || marked);
		if (known && !CHECK_EQ(got, want))
			printf("  round %u\n", round);
		CHECK_EQ(x.marks, frames);
		selection_release(&s);
	}
	trace_free(t);
}

/* Frames without a time: how long they took is not known, and not 0. */
TEST(absent)
{
	struct tally_extent x = {.any = false};
	struct tally_selection s;
	struct trace *t = trace_new();
	struct err e = ERR_INIT;
	uint64_t ns;

	CHECK(!extent_duration(&x, t, NULL, &ns));
	selection_init(&s);
	CHECK_EQ(selection_frames(&s, "1..2", &e), ST_OK);
	extent_frame(&x, &s, &(struct frame_mark){.number = 1}, false, 0);
	extent_reach(&x, 5);
	CHECK(!extent_duration(&x, t, &s, &ns));
	CHECK_EQ(extent_frames(&x, t), 1);
	CHECK(extent_duration(&x, t, NULL, &ns));
	CHECK_EQ(ns, 0);
	selection_release(&s);
	trace_free(t);
}

/* The ends of 64 bits. */
TEST(far_apart)
{
	struct tally_extent x = {.any = false};
	struct trace *t = trace_new();
	uint64_t ns;

	extent_reach(&x, INT64_MIN);
	extent_reach(&x, INT64_MAX);
	CHECK(extent_duration(&x, t, NULL, &ns));
	CHECK_EQ(ns, UINT64_MAX);
	trace_free(t);
}

/* A part of a capture says how long it took, but not how long a part of it does. */
TEST(said)
{
	struct tally_extent x = {.any = false};
	struct trace *t = trace_new();
	struct tally_selection s;
	struct err e = ERR_INIT;
	uint64_t ns;

	trace_set(t, TRACE_DURATION, "700");
	extent_reach(&x, 100);
	extent_reach(&x, 200);
	selection_init(&s);
	CHECK(extent_duration(&x, t, &s, &ns));
	CHECK_EQ(ns, 700);
	CHECK_EQ(selection_times(&s, "150ns..", &e), ST_OK);
	CHECK(extent_duration(&x, t, &s, &ns));
	CHECK_EQ(ns, 50);
	trace_set(t, TRACE_DURATION, "long");
	CHECK(extent_duration(&x, t, NULL, &ns));
	CHECK_EQ(ns, 100);
	selection_release(&s);
	trace_free(t);
}

static uint64_t of_range(const struct tally_extent *x, const struct trace *t, const char *range,
			 int64_t span[2])
{
	struct tally_selection s;
	struct err e = ERR_INIT;
	uint64_t ns = UINT64_MAX;

	selection_init(&s);
	CHECK_EQ(selection_times(&s, range, &e), ST_OK);
	CHECK(extent_duration(x, t, &s, &ns));
	if (ns)
		CHECK(extent_span(x, t, &s, &span[0], &span[1]));
	selection_release(&s);
	return ns;
}

/* A recording of 300 ns has events from 100 to 201 only: a range lasts as long as it was given. */
TEST(recorded)
{
	struct tally_extent x = {.any = false};
	struct trace *t = trace_new();
	int64_t span[2];

	extent_reach(&x, 100);
	extent_reach(&x, 201);
	CHECK_EQ(of_range(&x, t, "0ns..150ns", span), 50); /* no recorder says when it started */
	trace_set(t, "format", "capture");
	CHECK_EQ(of_range(&x, t, "0ns..150ns", span), 150);
	CHECK_EQ(span[0], 0);
	CHECK_EQ(span[1], 150);
	CHECK_EQ(of_range(&x, t, "150ns..300ns", span), 51);
	trace_set(t, TRACE_END, "300");
	CHECK_EQ(of_range(&x, t, "150ns..300ns", span), 150);
	CHECK_EQ(of_range(&x, t, "250ns..900ns", span), 50);
	CHECK_EQ(span[0], 250);
	CHECK_EQ(span[1], 300);
	CHECK_EQ(of_range(&x, t, "10ns..20ns", span), 10);
	CHECK_EQ(of_range(&x, t, "..20ns", span), 20);
	CHECK_EQ(of_range(&x, t, "400ns..500ns", span), 0);
	trace_set(t, TRACE_BEGIN, "90");
	CHECK_EQ(of_range(&x, t, "0ns..150ns", span), 60);
	trace_free(t);
}

/* Marks at 10, 20 and 30, and what comes before and behind the last: it is a frame where that is at 30 or later. */
TEST(closing)
{
	static const struct {
		int64_t before, behind; /* 0: nothing; below 0: without a time */
		bool lasting, left_out;
		const char *range;
		uint64_t want;
	} cases[] = {
	    {25, 0, false, false, "", 2},      {25, 30, false, false, "", 3},
	    {25, 31, false, false, "", 3},     {25, 29, false, false, "", 2},
	    {30, 29, false, false, "", 2},     {31, 0, false, false, "", 3},
	    {-1, 0, false, false, "", 2},      {25, -1, false, false, "", 3},
	    {25, 0, true, false, "", 3},       {25, 0, false, true, "", 3},
	    {25, 0, false, false, "2..3", 1},  {25, 0, false, false, "1..2", 2},
	    {25, 30, false, false, "2..3", 2}, {25, 0, false, false, "3", 1},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tally_extent x = {.any = false};
		struct tally_selection s;
		struct trace *t = trace_new();
		struct err e = ERR_INIT;

		selection_init(&s);
		if (*cases[i].range)
			CHECK_EQ(selection_frames(&s, cases[i].range, &e), ST_OK);
		if (cases[i].left_out)
			trace_set(t, TRACE_LAST_FRAME, "1");
		for (int64_t n = 1; n <= 3; n++) {
			const struct frame_mark mark = {.number = n,
							.start = 10 * n,
							.duration = 7,
							.timed = true,
							.lasting = cases[i].lasting};

			if (n == 3 && cases[i].before < 0)
				extent_follow(&x);
			if (n == 3 && cases[i].before > 0)
				extent_reach(&x, cases[i].before);
			extent_reach(&x, 10 * n);
			extent_frame(&x, &s, &mark, true, 10 * n);
		}
		if (cases[i].behind < 0)
			extent_follow(&x);
		if (cases[i].behind > 0)
			extent_reach(&x, cases[i].behind);
		if (!CHECK_EQ(extent_frames(&x, t), cases[i].want))
			printf("  case %zu\n", i);
		selection_release(&s);
		trace_free(t);
	}
}

/* A mark without a time does not say when the frame before it ended: it is a frame itself. */
TEST(closing_untimed)
{
	struct tally_extent x = {.any = false};
	struct trace *t = trace_new();

	extent_follow(&x);
	extent_frame(&x, NULL, &(struct frame_mark){.number = 1}, false, 0);
	CHECK_EQ(extent_frames(&x, t), 1);
	extent_follow(&x);
	extent_frame(&x, NULL, &(struct frame_mark){.number = 2}, false, 0);
	CHECK_EQ(extent_frames(&x, t), 2);
	trace_free(t);
}

TEST_MAIN()
