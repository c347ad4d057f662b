/* SPDX-License-Identifier: MIT
 *
 * lib/tally/pacing.c. Expected values are worked out by hand from the definitions in pacing.h.
 */
#include "lib/tally/pacing.h"
#include "tests/unit/test.h"

#include "lib/base/buf.h"

#include <string.h>

#define MS INT64_C(1000000)

static const char *value_of(struct pacing *p, enum pacing_metric m)
{
	static struct buf b;
	decimal v;

	b.len = 0;
	if (pacing_value(p, m, &v))
		decimal_text(&b, v);
	return buf_str(&b);
}

static void add_all(struct pacing *p, const int *ms, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pacing_add(p, ms[i] >= 0, ms[i] * MS);
}

TEST(janks_are_judged_by_the_three_frames_before)
{
	/* 45 > 2 * 20 and > 41.7: small; 90: a jank; 130: big. 83 is none of two frames of a film. */
	static const int frames[] = {20, 20, 20, 45,  20, 20, 20, 90,
				     20, 20, 20, 130, 20, 20, 20, 83};
	struct pacing p = {.n = 0};

	add_all(&p, frames, sizeof frames / sizeof *frames);
	CHECK(p.small == 4 && p.janks == 2 && p.big == 1);
	CHECK(p.stutter == 220 * MS && p.time == 588 * MS);
	pacing_release(&p);
}

TEST(twice_the_mean_is_no_jank)
{
	static const int frames[] = {50, 50, 50, 100, 60, 60, 61, 121};
	struct pacing p = {.n = 0};

	add_all(&p, frames, sizeof frames / sizeof *frames);
	CHECK(p.janks == 1); /* 121 * 3 = 363 > 2 * 181 = 362 */
	pacing_release(&p);
}

TEST(a_frame_without_a_duration_breaks_the_row)
{
	static const int frames[] = {20, 20, 20, -1, 100, 20, 20, 20};
	struct pacing p = {.n = 0};

	add_all(&p, frames, sizeof frames / sizeof *frames);
	CHECK(p.n == 7 && p.janks == 0 && p.judged == 1);
	pacing_release(&p);
}

TEST(few_frames_have_a_rate_only)
{
	static const int frames[] = {20, 20, 10};
	struct pacing p = {.n = 0};

	CHECK_STR(value_of(&p, PACING_RATE), "");
	add_all(&p, frames, 3);
	CHECK_STR(value_of(&p, PACING_RATE), "60");
	CHECK_STR(value_of(&p, PACING_JANK), "");
	CHECK_STR(value_of(&p, PACING_LOW_1), "");
	pacing_release(&p);
}

TEST(lows_are_the_rate_of_the_longest_frames)
{
	struct pacing p = {.n = 0};

	/* 150 frames: the longest 1 % are 2, of 50 and 40 ms: 2 / 0.09 s; 0.1 % is one. */
	for (int i = 0; i < 148; i++)
		pacing_add(&p, true, 10 * MS);
	pacing_add(&p, true, 40 * MS);
	pacing_add(&p, true, 50 * MS);
	CHECK_STR(value_of(&p, PACING_LOW_1), "22.2222222222222");
	CHECK_STR(value_of(&p, PACING_LOW_01), "20");
	pacing_release(&p);
}

TEST(the_variance_is_of_whole_seconds)
{
	static const int frames[] = {500, 500, 250, 250, 250, 250, 2500, 100};
	struct pacing p = {.n = 0};

	/* Of 4.6 s four are whole, in which 2, 4, 1 and no frames begin: mean 1.75, squares 21 / 4. */
	add_all(&p, frames, sizeof frames / sizeof *frames);
	CHECK_STR(value_of(&p, PACING_VARIANCE), "2.1875");
	pacing_release(&p);
}

TEST(missed_refreshes_are_of_the_nearest_interval)
{
	/* At 60 Hz (16.67 ms) 17, 24, 26 and 50 ms are 1, 1, 2 and 3 intervals; in 117 ms are 0 + 0 + 1 + 2. */
	static const int frames[] = {17, 24, 26, 50};
	struct pacing p = {.n = 0};

	add_all(&p, frames, 4);
	CHECK(p.missed[PACING_MISSED_60 - PACING_MISSED_30] == 3);
	/* 33.3 ms: 1 (0.5 is up), 1, 1, 2 (1.5 is up): 17 is 0.51 of one. */
	CHECK(p.missed[0] == 1);
	CHECK_STR(value_of(&p, PACING_EVENNESS), "11000000"); /* (7 + 2 + 24) / 3 ms */
	pacing_release(&p);
}

TEST_MAIN()
