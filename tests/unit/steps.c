/* SPDX-License-Identifier: MIT
 *
 * Change points: the stated error rate on noise of several kinds, steps that were planted, and what
 * follows from the definition alone.
 */
#include "lib/stats/steps.h"
#include "lib/base/hash.h"
#include "tests/unit/test.h"

#include <math.h>

enum { SEEDS = 1000, MOST = 100 };

static uint64_t state;

static double uniform(void)
{
	state += 0x9e3779b97f4a7c15u;
	return ((double)(hash_u64(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

/* A standard deviation of 1, but for the last two. */
enum noise { NORMAL, LAPLACE, LOGNORMAL, ASTRAY, NOISES };

static double noise(enum noise kind)
{
	double u;

	switch (kind) {
	case LAPLACE: u = uniform() - 0.5; return (u < 0 ? 1 : -1) * log(1 - 2 * fabs(u)) / sqrt(2);
	case LOGNORMAL: return exp(normal());
	case ASTRAY: return uniform() < 0.1 ? 20 * normal() : normal();
	default: return normal();
	}
}

static size_t steps(const double *v, size_t n, uint64_t seed, struct stats_step **to)
{
	struct stats_steps_options o = {.alpha = 0.05, .seed = seed};

	return stats_steps((struct stats_sample){v, n}, &o, to);
}

/* Of SEEDS series, those in which a step is within two runs of `at` (SIZE_MAX: any at all). */
static unsigned found(enum noise kind, size_t n, size_t at, double step, size_t planted)
{
	unsigned count = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct stats_step *s;
		double v[MOST];
		bool hit = false;
		size_t n_steps;

		state = seed * 1000003 + n * 17 + kind;
		for (size_t i = 0; i < n; i++)
			v[i] = 1e6 + noise(kind) + (i >= planted ? step : 0);
		n_steps = steps(v, n, seed, &s);
		for (size_t i = 0; i < n_steps; i++)
			hit |= at == SIZE_MAX || (s[i].at + 2 >= at && s[i].at <= at + 2);
		count += hit;
		free(s);
	}
	return count;
}

/* 5 % of 1000, and three standard deviations of such a count: 50 + 3 * sqrt(1000 * 0.05 * 0.95). */
TEST(noise_alone_stays_at_the_stated_rate)
{
	for (enum noise kind = 0; kind < NOISES; kind++)
		for (size_t n = 10; n <= 40; n *= 2) {
			unsigned count = found(kind, n, SIZE_MAX, 0, SIZE_MAX);

			if (!CHECK(count <= 70))
				printf("  noise %d, %zu runs: %u of %d\n", kind, n, count, SEEDS);
		}
}

TEST(a_step_of_three_sigma_is_found_at_its_second_run)
{
	unsigned count = found(NORMAL, 32, 30, 3, 30);

	if (!CHECK(count >= 900))
		printf("  %u of %d\n", count, SEEDS);
	count = found(NORMAL, 32, 30, -3, 30);
	if (!CHECK(count >= 900))
		printf("  down: %u of %d\n", count, SEEDS);
}

TEST(and_placed_within_two_runs_later)
{
	for (enum noise kind = NORMAL; kind <= LAPLACE; kind++) {
		unsigned count = found(kind, 40, 28, 3, 28);

		if (!CHECK(count >= 970))
			printf("  noise %d: %u of %d\n", kind, count, SEEDS);
	}
}

TEST(nothing_steps_in_a_constant_or_short_series)
{
	double v[MOST] = {0}, two[] = {1, 9};
	struct stats_step *s;

	CHECK_EQ(steps(v, MOST, 1, &s), 0);
	free(s);
	CHECK_EQ(steps(two, 2, 1, &s), 0);
	free(s);
	CHECK_EQ(steps(two, 0, 1, &s), 0);
	free(s);
}

/* Ten equal values and two others: of the 66 pairs one is as far from the mean. */
TEST(an_exact_series_steps_at_its_second_run)
{
	double v[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 7, 7};
	struct stats_step *s;

	if (CHECK_EQ(steps(v, 12, 1, &s), 1)) {
		CHECK_EQ(s->at, 10);
		CHECK_EQ(s->first, 0);
		CHECK_EQ(s->last, 12);
		CHECK(s->before == 5 && s->after == 7);
		CHECK(s->p <= 1.0 / 66 + 0.01);
	}
	free(s);
}

TEST(one_run_astray_is_no_step)
{
	double v[20];
	struct stats_step *s;

	state = 7;
	for (size_t i = 0; i < 20; i++)
		v[i] = 100 + normal() + (i == 11 ? 500 : 0);
	CHECK_EQ(steps(v, 20, 1, &s), 0);
	free(s);
}

TEST(several_steps_have_their_levels)
{
	double v[60], negated[60];
	struct stats_step *s, *t;

	state = 3;
	for (size_t i = 0; i < 60; i++) {
		v[i] = (i < 20 ? 100 : i < 45 ? 110 : 95) + normal();
		negated[i] = -v[i];
	}
	if (CHECK_EQ(steps(v, 60, 1, &s), 2)) {
		CHECK_EQ(s[0].at, 20);
		CHECK_EQ(s[0].last, 45);
		CHECK_EQ(s[1].first, 20);
		CHECK_EQ(s[1].at, 45);
		CHECK(fabs(s[0].before - 100) < 1 && fabs(s[0].after - 110) < 1 &&
		      fabs(s[1].after - 95) < 1);
	}
	/* Downwards is upwards, and the same question has the same answer. */
	if (CHECK_EQ(steps(negated, 60, 1, &t), 2)) {
		CHECK_EQ(t[0].at, 20);
		CHECK_EQ(t[1].at, 45);
		CHECK(t[0].p == s[0].p && t[0].before == -s[0].before);
	}
	free(s);
	free(t);
}

/* What rises and returns is two steps, also where all series share alpha: 15 % of growth among 2 % of noise. */
TEST(a_hump_is_two_steps)
{
	size_t found_both = 0;

	state = 8;
	for (int i = 0; i < 20; i++) {
		struct stats_steps_options o = {.alpha = 0.05 / 240, .seed = 1};
		struct stats_step *s;
		double v[MOST];
		size_t n;

		for (int k = 0; k < MOST; k++)
			v[k] = 1000 * (k >= 50 && k < 60 ? 1.15 : 1) * (1 + 0.02 * normal());
		n = stats_steps((struct stats_sample){v, MOST}, &o, &s);
		found_both += n == 2 && s[0].at == 50 && s[1].at == 60;
		free(s);
	}
	CHECK(found_both >= 19);
}

/* Both levels drift a little, so each run keeps something of the one before: what doubles steps all the same. */
TEST(what_doubles_steps_whatever_the_noise)
{
	static const double v[] = {24952, 25704, 25168, 25588, 25957, 24864, 26127,
				   25540, 25302, 26140, 26651, 26873, 51174, 50664,
				   49654, 50148, 49766, 51254, 51566, 51698};
	struct stats_step *s;

	if (CHECK_EQ(steps(v, 20, 1, &s), 1))
		CHECK_EQ(s->at, 12);
	free(s);
}

/* Noise of two levels, 3 % of it high: orders of so few have a p of their own, far above a shared alpha. 2000
 * series at 0.0002 err in 0.4 of them. */
TEST(rare_values_are_no_steps_at_a_shared_rate)
{
	size_t any = 0;

	state = 9;
	for (int i = 0; i < 2000; i++) {
		struct stats_steps_options o = {.alpha = 0.0002, .seed = 1};
		struct stats_step *s;
		double v[50];

		for (int k = 0; k < 50; k++)
			v[k] = uniform() < 0.03;
		any += stats_steps((struct stats_sample){v, 50}, &o, &s) > 0;
		free(s);
	}
	CHECK(any <= 4);
}

/* 1 % of noise, and the last two or three runs far off: a step at just these. Tenfold values, drawn in, looked like a
 * trend of 5 to 9 % in half of such series. */
TEST(far_off_last_runs_are_a_step_and_no_trend)
{
	static const double times[] = {0.1, 2, 4, 10, 20};
	size_t placed = 0, trends = 0;

	state = 10;
	for (size_t i = 0; i < 500; i++) {
		size_t n = i % 2 ? 14 : 20, at = n - 2 - i / 2 % 2, n_steps;
		struct stats_trend t;
		struct stats_step *s;
		double v[20];

		for (size_t k = 0; k < n; k++)
			v[k] = 1000 * (1 + 0.01 * normal()) * (k < at ? 1 : times[i % 5]);
		n_steps = steps(v, n, 1, &s);
		placed += n_steps == 1 && s->at == at;
		trends += stats_trend((struct stats_sample){v, n}, s, n_steps, &t);
		free(s);
	}
	CHECK_EQ(trends, 0);
	CHECK(placed >= 480);
}

/* Half of 5 % by `series` is for each question: pairs and triples of n runs, or sets of any size, may be as few. */
TEST(how_many_runs_a_step_takes)
{
	/* C(7,3) = 35 < 40 <= C(8,3); C(10,2) = 45. By eight, 320: C(13,5) = 1287 is one that 299 orders twice as likely
	 * miss more often than not, which C(12,5) = 792 is not. C(17,8) = 24310 >= 24000 > C(16,8). */
	static const struct {
		size_t series, n, behind;
	} t[] = {{1, 7, 0},  {1, 8, 3},  {1, 9, 3},  {1, 10, 2},  {8, 11, 0},   {8, 12, 6},
		 {8, 13, 5}, {8, 14, 3}, {8, 26, 2}, {40, 23, 3}, {600, 16, 0}, {600, 17, 8}};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		CHECK_EQ(stats_steps_behind(t[i].n, 0.05 / (double)t[i].series), t[i].behind);
	CHECK_EQ(stats_steps_enough(0.05), 8);
	CHECK_EQ(stats_steps_enough(0.05 / 8), 12);
	CHECK_EQ(stats_steps_enough(0.05 / 600), 17);
}

TEST(far_off_last_runs_are_told)
{
	static const struct {
		double v[10];
		size_t n, tail;
	} t[] = {
	    {{10, 11, 10, 9, 10, 10, 11, 100}, 8, 1},
	    {{10, 11, 10, 9, 10, 10, 95, 100}, 8, 2},
	    {{10, 11, 10, 9, 95, 90, 95, 100}, 8, 4},
	    {{10, 11, 10, 9, 10, 120, 11, 100}, 8, 0}, /* as far as one before */
	    {{10, 11, 10, 9, 10, 10, 11, 19}, 8, 0},   /* not twice */
	    {{10, 90, 50, 20, 70, 10, 40, 130}, 8, 0}, /* deviations of 30 */
	    {{0, 0, 0, 0, 0, 0, 0, 100}, 8, 0},        /* no level */
	    {{100, 101, 100, 99, 100, 9, 10, 11}, 8, 0},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		CHECK_EQ(stats_steps_tail((struct stats_sample){t[i].v, t[i].n}, NULL, 0).n,
			 t[i].tail);
}

TEST(values_are_drawn_in)
{
	double v[] = {1, 2, 3, 4, 1000}, equal[] = {3, 3, 3, 3, 9}, to[5];

	/* The median is 3, of the deviations 1. */
	stats_draw_in(v, 5, to);
	CHECK(to[0] == 1 && to[3] == 4);
	CHECK(fabs(to[4] - (3 + STEPS_CLIP * 1.4826)) < 1e-9);
	stats_draw_in(equal, 5, to);
	CHECK(to[4] == 9);
	CHECK(stats_median((struct stats_sample){v, 4}) == 2.5);
}

/* Autoregressive noise, of which each run keeps 0.7 of the one before: it wanders, and takes few steps.
 * Without an estimate of that it takes two a series. */
TEST(runs_that_depend_on_each_other_take_few_steps)
{
	size_t all = 0;

	state = 4;
	for (int i = 0; i < 100; i++) {
		struct stats_step *s;
		double v[100], y = 0;

		for (int k = -20; k < 100; k++) {
			y = 0.7 * y + normal();
			if (k >= 0)
				v[k] = 1000 + 20 * y;
		}
		all += steps(v, 100, 1, &s);
		free(s);
	}
	CHECK(all < 50);
}

/* 0.2 % of growth a run among 2 % of noise is a trend, and one step of 20 % in the middle is no trend. */
TEST(a_trend_is_a_trend)
{
	unsigned trends = 0, wrong = 0;

	state = 5;
	for (int i = 0; i < 100; i++) {
		struct stats_step *s;
		struct stats_trend t;
		double v[100];
		size_t n;

		for (int k = 0; k < 100; k++)
			v[k] = 1000 * (1 + 0.002 * k) * (1 + 0.02 * normal());
		n = steps(v, 100, 1, &s);
		trends += stats_trend((struct stats_sample){v, 100}, s, n, &t) &&
			  fabs(t.last - t.first - 198) < 40;
		free(s);
		for (int k = 0; k < 100; k++)
			v[k] = 1000 * (k < 50 ? 1 : 1.2) * (1 + 0.02 * normal());
		n = steps(v, 100, 1, &s);
		wrong += stats_trend((struct stats_sample){v, 100}, s, n, &t);
		free(s);
	}
	CHECK(trends >= 95);
	CHECK_EQ(wrong, 0);
}

/* A line has all values of a ramp, so no step says more of them; a step has all values of two levels. */
TEST(an_exact_ramp_is_a_trend)
{
	static const double rises[] = {1, 0.1, 4096, -7, 1.0 / 3};

	for (size_t i = 0; i < sizeof rises / sizeof *rises; i++)
		for (size_t n = 8; n <= 60; n++) {
			struct stats_trend t;
			struct stats_step *s;
			double v[60];
			size_t n_steps;

			for (size_t k = 0; k < n; k++)
				v[k] = 1e6 + rises[i] * (double)k;
			n_steps = steps(v, n, 1, &s);
			CHECK(n_steps && stats_trend((struct stats_sample){v, n}, s, n_steps, &t) &&
			      fabs(t.first - v[0]) < 1e-3 && fabs(t.last - v[n - 1]) < 1e-3);
			free(s);
			for (size_t k = 0; k < n; k++)
				v[k] = 1e6 + rises[i] * (double)(k >= n / 2);
			n_steps = steps(v, n, 1, &s);
			CHECK(!stats_trend((struct stats_sample){v, n}, s, n_steps, &t));
			free(s);
		}
}

/* 240 series that share 5 % err in 5 % of looks: of 20 looks at heavy noise in at most four (the chance of
 * five is 0.3 %). With 5 % each, all of them err. */
TEST(many_series_share_an_error_rate)
{
	size_t looks = 0, found_late = 0;

	state = 6;
	for (int look = 0; look < 20; look++) {
		size_t any = 0;

		for (int i = 0; i < 240; i++) {
			struct stats_steps_options o = {.alpha = 0.05 / 240, .seed = 1};
			struct stats_step *s;
			double v[MOST];
			size_t n;

			for (int k = 0; k < MOST; k++)
				v[k] =
				    noise(i % 2 ? LAPLACE : NORMAL) + (i == 239 && k >= 96 ? 6 : 0);
			n = stats_steps((struct stats_sample){v, MOST}, &o, &s);
			any += n && i < 239;
			found_late += n && i == 239 && s->at >= 95 && s->at <= 97;
			free(s);
		}
		looks += any > 0;
	}
	CHECK(looks <= 4);
	/* A step of six deviations shows at its fourth run. */
	CHECK(found_late >= 16);
}

TEST_MAIN()
