/* SPDX-License-Identifier: MIT
 *
 * lib/report/compare/judge.h and lib/stats/exchange.h against arithmetic: p of a few runs is a number
 * of ways to deal them out, which is counted by hand. tests/simulate has the error rates.
 */
#include "lib/report/compare/judge.h"
#include "lib/stats/exchange.h"
#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

#define SAMPLE(a) ((struct stats_sample){(a), sizeof(a) / sizeof *(a)})

static bool near(double a, double b, double by)
{
	if (fabs(a - b) <= by)
		return true;
	printf("  %.12g is not %.12g\n", a, b);
	return false;
}

static const struct judge_options plain = {
    .alpha = 0.05, .power = 0.8, .decrease = true, .told = true};

/* One subject by itself. */
static struct judge_subject judged(struct stats_sample base, struct stats_sample new, double ratio)
{
	struct judge_subject s = {.base = base, .new = new, .ratio = ratio};
	struct judge_rule r = {.subjects = &s, .n = 1};

	judge_rules(&r, 1, &plain);
	judge_release(&r, 1);
	return s;
}

TEST(sets_are_all_there_are_each_once)
{
	static const struct {
		size_t all, chosen, sets;
	} cases[] = {{6, 3, 20}, {6, 1, 6},    {7, 2, 21},   {2, 1, 2},
		     {5, 4, 5},  {10, 5, 252}, {14, 7, 3432}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct exchange x;
		uint32_t seen[5000];

		CHECK_EQ(exchange_count(cases[i].all, cases[i].chosen), cases[i].sets);
		exchange_init(&x, cases[i].all, cases[i].chosen, 5000, 1000);
		CHECK(!x.sampled && x.n == cases[i].sets);
		CHECK_EQ(x.sets[0], cases[i].all - cases[i].chosen);
		for (size_t k = 0; k < x.n; k++) {
			seen[k] = 0;
			for (size_t r = 0; r < x.chosen; r++)
				seen[k] |= 1u << x.sets[k * x.chosen + r];
			CHECK_EQ(__builtin_popcount(seen[k]), cases[i].chosen);
			for (size_t r = 0; r < k; r++)
				CHECK(seen[r] != seen[k]);
		}
		exchange_release(&x);
	}
	CHECK_EQ(exchange_count(200, 100), SIZE_MAX);
}

/* 20,000 random sets of 8 of 16 runs: each run is in half of them, but for five standard errors. */
TEST(random_sets_prefer_no_run)
{
	struct exchange x;
	size_t in[16] = {0};

	exchange_init(&x, 16, 8, 5000, 20001);
	CHECK(x.sampled && x.n == 20001);
	for (size_t i = 1; i < x.n; i++)
		for (size_t k = 0; k < 8; k++)
			in[x.sets[i * 8 + k]]++;
	for (size_t i = 0; i < 16; i++)
		CHECK(near((double)in[i], 10000, 5 * sqrt(20000 * 0.25)));
	exchange_release(&x);
}

/* Of 20 ways to deal out three and three runs the true one is the only one with the largest
 * difference; the other way round all 20 have at least the true one's, the smallest. Of 252 ways for
 * five and five, likewise. */
TEST(p_is_a_share_of_ways)
{
	static const double a[] = {100, 101, 102}, b[] = {110, 111, 112};
	static const double c[] = {100, 101, 102, 103, 104}, d[] = {110, 111, 112, 113, 114};

	CHECK(near(judged(SAMPLE(a), SAMPLE(b), 0).p, 0.05, 1e-12));
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(b), 0).change, CHANGE_REGRESSED);
	CHECK(near(judged(SAMPLE(b), SAMPLE(a), 0).p, 1, 1e-12));
	CHECK_EQ(judged(SAMPLE(b), SAMPLE(a), 0).change, CHANGE_IMPROVED);
	CHECK(near(judged(SAMPLE(c), SAMPLE(d), 0).p, 1.0 / 252, 1e-12));
	/* +10 % is no more than 12 %, and neither is less; it is more than 5 %. */
	CHECK_EQ(judged(SAMPLE(c), SAMPLE(d), 0.12).change, CHANGE_UNCHANGED);
	CHECK_EQ(judged(SAMPLE(d), SAMPLE(c), 0.12).change, CHANGE_UNCHANGED);
	CHECK_EQ(judged(SAMPLE(c), SAMPLE(d), 0.05).change, CHANGE_REGRESSED);
}

/* The table of tracemill-gate(7): C(n, w) >= 20. */
TEST(too_few_runs_say_how_many_would_do)
{
	static const double a[] = {100, 102, 101, 99, 103}, b[] = {150}, c[] = {150, 151};
	struct judge_subject s = {.base = SAMPLE(a), .new = SAMPLE(b)};
	struct judge_rule r = {.subjects = &s, .n = 1};
	struct judge_result result = judge_rules(&r, 1, &plain);

	CHECK(!result.reachable && result.orders == 6);
	CHECK(result.runs_each == 3 && result.runs_new == 2 && result.runs_base == 19);
	CHECK(s.change == CHANGE_INCONCLUSIVE && s.why == JUDGE_FEW);
	s.new = SAMPLE(c);
	result = judge_rules(&r, 1, &plain);
	CHECK(result.reachable && result.orders == 21 && s.change == CHANGE_REGRESSED);
}

TEST(one_run_is_held_against_the_limit)
{
	static const double a[] = {100}, b[] = {107}, c[] = {90};

	CHECK_EQ(judged(SAMPLE(a), SAMPLE(b), 0.05).change, CHANGE_REGRESSED);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(b), 0.07).change, CHANGE_UNCHANGED);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(c), 0.05).change, CHANGE_IMPROVED);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(a), 0).change, CHANGE_UNCHANGED);
}

TEST(a_policy_may_ask_for_more_runs)
{
	static const double a[] = {100}, b[] = {107}, c[] = {90};
	struct judge_options two = plain;
	struct judge_subject s[3] = {{.base = SAMPLE(a), .new = SAMPLE(b), .ratio = 0.05},
				     {.base = SAMPLE(a), .new = SAMPLE(b), .ratio = 0.07},
				     {.base = SAMPLE(a), .new = SAMPLE(c), .ratio = 0.05}};

	two.runs_min = 2;
	judge_rules(&(struct judge_rule){.subjects = s, .n = 3}, 1, &two);
	CHECK_EQ(s[0].change, CHANGE_INCONCLUSIVE);
	CHECK_EQ(s[0].why, JUDGE_SINGLE);
	CHECK_EQ(s[1].change, CHANGE_UNCHANGED);
	CHECK_EQ(s[2].change, CHANGE_UNCHANGED);
}

/* Five equal base runs: any difference is a change. A base run that lies apart from four equal ones by
 * 2 % of another subject makes a change of less than twice that noise. */
TEST(what_is_the_same_in_every_base_run_is_exact)
{
	static const double same[] = {100, 100, 100, 100, 100}, apart[] = {50, 50, 51, 50, 50};
	static const double one[] = {101}, more[] = {105}, less[] = {99}, fifty[] = {50},
			    none[] = {100};
	struct judge_subject s[2] = {{.base = SAMPLE(same), .new = SAMPLE(one)},
				     {.base = SAMPLE(apart), .new = SAMPLE(fifty)}};
	struct judge_rule r = {.subjects = s, .n = 2};

	CHECK_EQ(judged(SAMPLE(same), SAMPLE(one), 0).change, CHANGE_REGRESSED);
	CHECK_EQ(judged(SAMPLE(same), SAMPLE(one), 0.02).change, CHANGE_UNCHANGED);
	CHECK_EQ(judged(SAMPLE(same), SAMPLE(less), 0).change, CHANGE_IMPROVED);
	CHECK_EQ(judged(SAMPLE(same), SAMPLE(none), 0).change, CHANGE_UNCHANGED);
	judge_rules(&r, 1, &plain);
	CHECK(s[0].change == CHANGE_UNCHANGED);
	s[0].new = SAMPLE(more); /* ln 1.05 > 2 ln 1.02 */
	judge_rules(&r, 1, &plain);
	CHECK(s[0].change == CHANGE_REGRESSED);
}

/* Tenfold never passes: not with one run against five, not where runs are absent. Against a base that
 * has none, what some new runs have is not decided. */
TEST(nothing_large_passes)
{
	static const double five[] = {100, 90, 110, 140, 95}, ten[] = {1000};
	static const double some[] = {100, 0, 90}, most[] = {0, 0, 1000};
	static const double zero[] = {0, 0, 0, 0}, one[] = {0, 0, 0, 1e12};
	struct judge_subject s = judged(SAMPLE(five), SAMPLE(ten), 0);

	CHECK_EQ(s.change, CHANGE_INCONCLUSIVE);
	CHECK_EQ(s.why, JUDGE_LARGE);
	CHECK_EQ(judged(SAMPLE(some), SAMPLE(most), 0).why, JUDGE_LARGE);
	s = judged(SAMPLE(zero), SAMPLE(one), 0);
	CHECK(s.change == CHANGE_INCONCLUSIVE && s.why == JUDGE_APPEARS);
	CHECK_EQ(judged(SAMPLE(zero), SAMPLE(zero), 0).change, CHANGE_UNCHANGED);
}

static double uniform(void)
{
	return ((double)(lcg(&random_state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(double mean, double sd)
{
	return mean + sd * sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

enum { SITES = 20, RUNS = 5 };

/* Runs that differ by 5 %, in everything alike, and sites by 0.2 %. One site grows by 2 %: it is found, and the
 * factors are those that were put in, but for what a median of 20 such sites errs by. All grow by a
 * half: that is found once. */
TEST(what_a_run_has_everywhere_is_taken_out)
{
	static const double factor[2 * RUNS] = {1,    1.05, 0.96, 1.02, 0.93,
						1.04, 0.98, 1.01, 0.95, 1.03};
	double base[SITES][RUNS], new[SITES][RUNS];
	struct judge_subject s[SITES];
	struct judge_rule r = {.subjects = s, .n = SITES};

	for (int all = 0; all < 2; all++) {
		for (size_t i = 0; i < SITES; i++) {
			for (size_t k = 0; k < RUNS; k++) {
				base[i][k] = 1000 * factor[k] * normal(1, 0.002);
				new[i][k] = 1000 * factor[RUNS + k] * normal(1, 0.002) *
					    (all ? 1.5
					     : i ? 1
						 : 1.02);
			}
			s[i] =
			    (struct judge_subject){.base = SAMPLE(base[i]), .new = SAMPLE(new[i])};
		}
		judge_rules(&r, 1, &plain);
		CHECK(r.factors != NULL);
		for (size_t k = 0; r.factors && !all && k < 2 * RUNS; k++)
			CHECK(near(r.factors[k] - r.factors[0], log(factor[k]), 0.005));
		CHECK_EQ(s[0].change, all ? CHANGE_UNCHANGED : CHANGE_REGRESSED);
		CHECK_EQ(r.common.change, all ? CHANGE_REGRESSED : CHANGE_UNCHANGED);
		for (size_t i = 1; i < SITES; i++)
			CHECK_EQ(s[i].change, CHANGE_UNCHANGED);
		judge_release(&r, 1);
	}
}

/* A lone run of five that went astray hides no growth, and makes none. */
TEST(a_run_gone_astray_decides_nothing)
{
	static const double a[] = {100, 101, 99, 100, 102}, b[] = {110, 111, 109, 110, 900};
	static const double c[] = {100, 101, 99, 102, 5000};

	CHECK_EQ(judged(SAMPLE(a), SAMPLE(b), 0).change, CHANGE_REGRESSED);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(c), 0).change, CHANGE_UNCHANGED);
}

/* Of 400 pairs of builds that are the same, at most 5 % fail, but for four standard errors: noise of
 * two levels, as of a page that is taken or not, 50 sites, three runs a side. A t test by site fails
 * nearly all of these. */
TEST(few_levels_are_no_growth)
{
	enum { MANY = 50, PAIRS = 400 };
	double v[MANY][6];
	struct judge_subject s[MANY];
	size_t alarms = 0;

	for (size_t pair = 0; pair < PAIRS; pair++) {
		struct judge_rule r = {.subjects = s, .n = MANY};
		bool alarm = false;

		for (size_t i = 0; i < MANY; i++) {
			for (size_t k = 0; k < 6; k++)
				v[i][k] = uniform() < 0.5 ? 1000 : 1060;
			s[i] = (struct judge_subject){.base = {v[i], 3}, .new = {v[i] + 3, 3}};
		}
		judge_rules(&r, 1, &(struct judge_options){.alpha = 0.05});
		for (size_t i = 0; i < MANY; i++)
			alarm |= s[i].change == CHANGE_REGRESSED;
		alarms += alarm || r.common.change == CHANGE_REGRESSED;
		judge_release(&r, 1);
	}
	CHECK(near((double)alarms, 0, PAIRS * 0.05 + 4 * sqrt(PAIRS * 0.05 * 0.95)));
}

TEST_MAIN()
