/* SPDX-License-Identifier: MIT
 *
 * lib/session/clock.c. The two captures are made from one row of frames: what one clock is ahead of the other, how
 * fast it runs, and what is added to each time, is what the test has chosen.
 */
#include "lib/session/clock.h"
#include "testdata/gen/lcg.h"
#include "tests/unit/test.h"

#include "lib/base/mem.h"

#include <stdlib.h>

#define MS INT64_C(1000000)
#define S  INT64_C(1000000000)

enum { FRAMES = 2000 };

struct made {
	struct clock_frame frames[FRAMES];
	struct clock_frames f;
};

static uint64_t seed = 1;

static int64_t draw(int64_t most)
{
	return (int64_t)((lcg(&seed) >> 20) % (uint64_t)most);
}

/* Frames of 16.67 ms, which are off by at most jitter ns. */
static void make(struct made *m, int64_t jitter)
{
	int64_t t = 0;

	for (size_t i = 0; i < FRAMES; i++) {
		m->frames[i].start = t;
		m->frames[i].duration = 16670000 + (jitter ? draw(2 * jitter) - jitter : 0);
		t += m->frames[i].duration;
	}
	m->f = (struct clock_frames){m->frames, FRAMES, 1};
}

/* The same n frames from one on, on a clock that is ahead and runs so many parts of a million faster, with times that
 * are late by less than so many ns, cut to a resolution. */
static void copy(struct made *to, const struct made *from, size_t first, size_t n, int64_t ahead,
		 int64_t ppm, int64_t late, int64_t resolution)
{
	for (size_t i = 0; i <= n; i++) {
		size_t k = first + i;
		const struct clock_frame *f = &from->frames[k < FRAMES ? k : FRAMES - 1];
		int64_t t = k < FRAMES ? f->start : f->start + f->duration;

		t += t / 1000000 * ppm + ahead + (late ? draw(late) : 0);
		t -= t % resolution;
		if (i)
			to->frames[i - 1].duration = t - to->frames[i - 1].start;
		if (i < n)
			to->frames[i].start = t;
	}
	to->f = (struct clock_frames){to->frames, n, resolution};
}

/* The times of frames of b are those of a, within the error. */
static bool agrees(const struct made *a, const struct made *b, const struct session_clock *c,
		   size_t first)
{
	for (size_t i = 0; i < b->f.n; i++)
		if (llabs(clock_there(c, b->frames[i].start) - a->frames[first + i].start) >
		    c->error)
			return false;
	return true;
}

static struct made a, b;

TEST(frames_find_the_offset)
{
	struct session_clock c;

	make(&a, 2 * MS);
	copy(&b, &a, 0, FRAMES, 12345 * MS, 0, 0, 1);
	CHECK(clock_by_frames(&a.f, &b.f, &c));
	CHECK(c.by == CLOCK_FRAMES && c.lag == 0 && c.shared == FRAMES);
	CHECK(c.offset == -12345 * MS && c.drift == 0 && c.error <= 2);
	/* The other way round. */
	CHECK(clock_by_frames(&b.f, &a.f, &c) && c.offset == 12345 * MS);
}

TEST(frames_of_a_part_find_their_place)
{
	struct session_clock c;

	make(&a, 2 * MS);
	copy(&b, &a, 700, 300, -98765 * MS, 0, 0, 1);
	CHECK(clock_by_frames(&a.f, &b.f, &c));
	CHECK(c.lag == 700 && c.shared == 300 && c.offset == 98765 * MS);
	CHECK(clock_by_frames(&b.f, &a.f, &c) && c.lag == -700);
}

TEST(late_marks_are_in_the_error)
{
	struct session_clock c;

	/* 50 us late at most, half of that in the median, and which is late cannot be known. */
	make(&a, 2 * MS);
	copy(&b, &a, 0, FRAMES, 5 * S, 0, 50000, 1);
	CHECK(clock_by_frames(&a.f, &b.f, &c));
	CHECK(llabs(c.offset + 5 * S + 25000) < 2500);
	CHECK(c.error > 45000 && c.error <= 50002);
}

TEST(a_table_of_milliseconds_is_off_by_one)
{
	struct session_clock c;

	make(&a, 4 * MS);
	copy(&b, &a, 0, FRAMES, 7 * S, 0, 0, MS);
	CHECK(clock_by_frames(&a.f, &b.f, &c));
	CHECK(llabs(c.offset + 7 * S) <= c.error && c.error <= 2 * MS + 1);
	CHECK(agrees(&a, &b, &c, 0));
}

TEST(a_clock_that_runs_faster_drifts)
{
	struct session_clock c;

	/* 33 s, 100 parts of a million: 3.3 ms from end to end. */
	make(&a, 2 * MS);
	copy(&b, &a, 0, FRAMES, 3 * S, 100, 0, 1);
	CHECK(clock_by_frames(&a.f, &b.f, &c));
	CHECK(c.drift < -0.99e-4 && c.drift > -1.01e-4 && c.error < 50000);
	CHECK(agrees(&a, &b, &c, 0));
	CHECK(llabs(clock_back(&c, clock_there(&c, 20 * S)) - 20 * S) <= 2);
}

TEST(even_frames_say_nothing)
{
	struct session_clock c;

	make(&a, 0);
	copy(&b, &a, 0, FRAMES, 5 * S, 0, 0, 1);
	CHECK(!clock_by_frames(&a.f, &b.f, &c));
	CHECK(c.by == CLOCK_UNKNOWN && c.why == CLOCK_EVEN);
	/* Rounded to 10 us by one of them. */
	copy(&b, &a, 0, FRAMES, 5 * S, 0, 0, 10000);
	CHECK(!clock_by_frames(&a.f, &b.f, &c) && c.why == CLOCK_EVEN);
}

TEST(frames_that_repeat_are_ambiguous)
{
	struct session_clock c;
	int64_t t = 0;

	make(&a, 0);
	for (size_t i = 0; i < FRAMES;
	     i++) { /* 16.67, 16.67, 33.33: a game that misses each third */
		a.frames[i] = (struct clock_frame){t, i % 3 == 2 ? 33340000 : 16670000};
		t += a.frames[i].duration;
	}
	copy(&b, &a, 0, FRAMES, 5 * S, 0, 0, 1);
	CHECK(!clock_by_frames(&a.f, &b.f, &c) && c.why == CLOCK_AMBIGUOUS);
}

TEST(two_hitches_in_even_frames_are_enough_and_one_is_not)
{
	struct session_clock c;

	make(&a, 0);
	a.frames[400].duration = 83 * MS;
	for (size_t i = 401; i < FRAMES; i++)
		a.frames[i].start = a.frames[i - 1].start + a.frames[i - 1].duration;
	copy(&b, &a, 100, 1500, 5 * S, 0, 0, 1);
	CHECK(!clock_by_frames(&a.f, &b.f, &c) && c.why == CLOCK_EVEN);
	a.frames[900].duration = 120 * MS;
	for (size_t i = 901; i < FRAMES; i++)
		a.frames[i].start = a.frames[i - 1].start + a.frames[i - 1].duration;
	copy(&b, &a, 100, 1500, 5 * S, 0, 0, 1);
	CHECK(clock_by_frames(&a.f, &b.f, &c));
	CHECK(c.lag == 100 && c.offset == -5 * S);
}

static void hitch(struct made *m, size_t at)
{
	m->frames[at].duration = 450 * MS;
	for (size_t i = at + 1; i < FRAMES; i++)
		m->frames[i].start = m->frames[i - 1].start + m->frames[i - 1].duration;
}

TEST(a_hitch_does_not_hide_what_the_others_say)
{
	struct session_clock c;
	unsigned found = 0;

	make(&a, 300000);
	hitch(&a, 900);
	copy(&b, &a, 100, 1500, 5 * S, 0, 20000, 1);
	CHECK(clock_by_frames(&a.f, &b.f, &c));
	CHECK(c.lag == 100 && llabs(c.offset + 5 * S) < 20000);
	for (int i = 0; i < 50; i++) { /* of two runs, each with a hitch */
		make(&a, 300000);
		make(&b, 300000);
		hitch(&a, 30);
		hitch(&b, 20);
		b.f.n = i % 2 ? FRAMES : 60;
		found += clock_by_frames(&a.f, &b.f, &c);
	}
	CHECK(!found);
}

TEST(frames_of_another_run_do_not_match)
{
	struct session_clock c;
	unsigned found = 0;

	for (int i = 0; i < 50; i++) {
		make(&a, 2 * MS);
		make(&b, 2 * MS);
		b.f.n = i % 2 ? FRAMES : 40;
		found += clock_by_frames(&a.f, &b.f, &c);
		CHECK(c.why == CLOCK_NO_MATCH || c.why == CLOCK_AMBIGUOUS);
	}
	CHECK(!found);
}

TEST(few_frames_are_none)
{
	struct session_clock c;

	make(&a, 2 * MS);
	copy(&b, &a, 0, 7, 5 * S, 0, 0, 1);
	CHECK(!clock_by_frames(&a.f, &b.f, &c) && c.why == CLOCK_NO_MATCH);
	b.f.n = 0;
	CHECK(!clock_by_frames(&a.f, &b.f, &c));
}

TEST(markers_have_a_median)
{
	struct session_clock c;
	struct clock_pair p[] = {{10 * S, 4 * S}, {20 * S + 3 * MS, 14 * S}, {30 * S + MS, 24 * S}};

	CHECK(clock_by_markers(p, 3, 1, &c));
	CHECK(c.by == CLOCK_MARKERS && c.offset == 6 * S + MS && c.shared == 3);
	CHECK(c.error == 3 * MS + 1);
}

TEST(a_marker_of_another_moment_is_left_out)
{
	struct session_clock c;
	struct clock_pair p[] = {{10 * S, 4 * S}, {20 * S, 14 * S}, {90 * S, 24 * S}};

	CHECK(clock_by_markers(p, 3, 1, &c) && c.offset == 6 * S && c.shared == 2);
	p[0] = (struct clock_pair){10 * S, 4 * S};
	p[1] = (struct clock_pair){90 * S, 14 * S};
	CHECK(!clock_by_markers(p, 2, 1, &c) && c.why == CLOCK_DISAGREE);
	CHECK(!clock_by_markers(p, 0, 1, &c));
}

TEST(clocks_chain)
{
	/* b is read as a by -5 s, and a as the axis by 2 s and 100 parts of a million from 0 on. */
	struct session_clock c = {.by = CLOCK_MARKERS, .offset = -5 * S, .error = 10},
			     on = {.offset = 2 * S, .drift = 1e-4, .error = 3};

	clock_chain(&c, &on);
	CHECK(llabs(clock_there(&c, 105 * S) - (102 * S + 10 * MS)) <= 1);
	CHECK(c.error == 13);
}

TEST_MAIN()
