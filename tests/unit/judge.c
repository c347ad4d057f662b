/* SPDX-License-Identifier: MIT
 *
 * lib/report/compare/judge.h and lib/stats/exchange.h against arithmetic: p of a few runs is a number
 * of ways to deal them out, which is counted by hand. tests/simulate has the error rates.
 */
#include "lib/report/compare/judge.h"
#include "lib/report/compare/judge_least.h"
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
    .alpha = 0.05, .power = 0.8, .decrease = true, .detectable = true};

/* One subject by itself. */
static struct judge_subject judged(struct stats_sample base, struct stats_sample new, double ratio)
{
	struct judge_subject s = {.base = base, .new = new, .ratio = ratio};
	struct judge_rule r = {.subjects = &s, .n = 1};

	judge_rules(&r, 1, &plain);
	judge_release(&r, 1);
	return s;
}

/* Builds of `each` runs. What came of it is in v. */
static struct judge_least least_of(double *v, size_t builds, size_t each)
{
	size_t of[64];

	for (size_t k = 0; k < builds * each; k++)
		of[k] = k / each;
	return judge_least(&(struct judge_builds){of, builds * each, builds}, v);
}

TEST(the_base_of_builds_is_the_least_of_them_for_each_subject)
{
	static const struct {
		size_t builds, each;
		double v[16];
		size_t build, like;
		bool half;
		double to[16]; /* by hand */
	} cases[] = {
	    /* exact: of equal ones the newest */
	    {3, 2, {5, 5, 3, 3, 4, 4}, 1, 1, false, {3, 3, 3, 3, 3, 3}},
	    {3, 2, {3, 3, 3, 3, 4, 4}, 1, 2, false, {3, 3, 3, 3, 3, 3}},
	    {2, 2, {3, 3, 3, 3}, 1, 2, false, {3, 3, 3, 3}},
	    {1, 3, {3, 4, 5}, 0, 1, false, {3, 4, 5}},
	    /* runs of three builds do not tell 1 from 1.06 */
	    {3,
	     2,
	     {1000, 1060, 1000, 1000, 1060, 1060},
	     1,
	     3,
	     false,
	     {1000, 1060, 1000, 1000, 1060, 1060}},
	    /* a build with none, twice: that may be chance; three times it is not */
	    {3, 2, {7, 7, 0, 0, 7, 7}, 2, 2, false, {7, 7, 0, 0, 7, 7}},
	    {3, 3, {7, 7, 7, 0, 0, 0, 7, 7, 7}, 1, 1, true, {0}},
	    /* less than half of what others have is said, whatever is made of it */
	    {4, 1, {40, 40, 10, 40}, 2, 4, true, {40, 40, 10, 40}},
	    /* below 0 nothing has a logarithm: they are moved, not scaled */
	    {2, 2, {-90, -90, -80, -80}, 0, 1, false, {-90, -90, -90, -90}},
	    /* six single runs that only grow; five may do so by chance */
	    {6, 1, {100, 101, 102, 103, 104, 105}, 0, 1, false, {100, 100, 100, 100, 100, 100}},
	    {5, 1, {100, 101, 102, 103, 104}, 0, 5, false, {100, 101, 102, 103, 104}},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double v[16];
		struct judge_least l;

		memcpy(v, cases[i].v, sizeof v);
		l = least_of(v, cases[i].builds, cases[i].each);
		CHECK_EQ(l.build, cases[i].build);
		CHECK_EQ(l.like, cases[i].like);
		CHECK_EQ(l.half, cases[i].half);
		for (size_t k = 0; k < cases[i].builds * cases[i].each; k++)
			CHECK(fabs(v[k] - cases[i].to[k]) < 1e-9);
	}
}

/* Three runs a build with 0, 2 and 4 more: what they differ by stays, as a share. Ten builds of 1000, but one of 500. */
TEST(runs_of_other_builds_keep_their_noise)
{
	double v[30];
	struct judge_least l;

	for (size_t k = 0; k < 30; k++)
		v[k] = (k / 3 == 4 ? 500 : 1000) + 2.0 * (double)(k % 3);
	l = least_of(v, 10, 3);
	CHECK_EQ(l.build, 4);
	CHECK_EQ(l.like, 1);
	CHECK(!l.half); /* 502 of 1002 */
	CHECK(fabs(v[0] - 502.0 * 1000 / 1002) < 1e-9);
	CHECK(fabs(v[1] - 502) < 1e-9);
	CHECK(fabs(v[13] - 502) < 1e-9 && fabs(v[14] - 504) < 1e-9);
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

/* 0.29 times 100 is 28.999999999999996 in binary, and a logarithm of 1.1 three roundings from another. Four runs
 * that are the same, and one that differs by a millionth: the variance within the sides is 0, in
 * whatever order it is added up, and the one run has the largest statistic there is. */
TEST(rounding_decides_nothing)
{
	static const double a[] = {100}, b[] = {129};
	static const double c[] = {50, 50, 50, 50}, d[] = {55, 55.000001, 54.999999};
	static const double e[] = {54289, 54289, 54289, 54289, 54289}, f[] = {54289.01};

	CHECK_EQ(judged(SAMPLE(a), SAMPLE(b), 0.29).change, CHANGE_UNCHANGED);
	CHECK_EQ(judged(SAMPLE(b), SAMPLE(a), 29.0 / 129).change, CHANGE_UNCHANGED);
	CHECK_EQ(judged(SAMPLE(c), SAMPLE(d), 0.1).change, CHANGE_UNCHANGED);
	CHECK(near(judged(SAMPLE(e), SAMPLE(f), 0).p, 1.0 / 6, 1e-12));
	CHECK(near(judged(SAMPLE(e), SAMPLE(f), 0).t, 1e6, 0));
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

/* Of the nine quotients of a new run and a base run, 300 / 210 is the fifth: so much it is said to have more, although the
 * median of the new runs is below that of the base. What only more runs have has more in the mean, and what is the same
 * in every base run is compared by itself. */
TEST(the_amount_that_is_compared_with_the_limit)
{
	static const double a[] = {100, 200, 210}, b[] = {190, 195, 300};
	static const double zero[] = {0, 0, 100, 100}, full[] = {100, 100, 100, 100};
	static const double same[] = {50, 50, 50}, one[] = {60, 61, 62};
	struct judge_subject s = judged(SAMPLE(a), SAMPLE(b), 0.02);

	CHECK_EQ(s.why, JUDGE_ABOVE);
	CHECK(s.middle_new < s.middle_base);
	CHECK(near(s.by, 200 * (300.0 / 210 - 1), 1e-9));
	CHECK(judged(SAMPLE(b), SAMPLE(a), 0.02).by < 0);
	CHECK(near(judged(SAMPLE(zero), SAMPLE(full), 0).by, 50, 1e-9));
	CHECK(isnan(judged(SAMPLE(same), SAMPLE(one), 0).by));
}

/* C(6, 1) = 6 and C(4, 2) = 6 orders are fewer than the 20 that 5 % needs, and C(6, 3) are 20. */
TEST(what_so_few_runs_cannot_make_fail)
{
	static const double five[] = {100, 101, 102, 103, 104}, one[] = {110};
	static const double same[] = {100, 100, 100, 100, 100};
	static const double two[] = {100, 101}, other[] = {110, 111}, three[] = {100, 101, 102};
	struct judge_options most = plain;
	struct judge_subject s = judged(SAMPLE(five), SAMPLE(one), 0);

	CHECK(s.mute && isnan(s.detectable));
	CHECK(judged(SAMPLE(two), SAMPLE(other), 0).mute);
	CHECK(!judged(SAMPLE(three), SAMPLE(three), 0).mute);
	s = judged(SAMPLE(same), SAMPLE(one), 0);
	CHECK(!s.mute && !isnan(s.detectable));
	most.runs_min = 4;
	s = (struct judge_subject){.base = SAMPLE(three), .new = SAMPLE(three)};
	judge_rules(&(struct judge_rule){.subjects = &s, .n = 1}, 1, &most);
	CHECK(s.mute && isnan(s.detectable));
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

/* What is more than five times the base in fewer than half of the new runs does not pass, unless as many base runs of
 * any subject are far off, too: beyond twice as far, as a logarithm. */
TEST(nothing_large_in_some_runs_passes)
{
	static const double base[] = {100, 101, 99, 100, 102}, two[] = {100, 10000, 99, 10000, 101};
	static const double four[] = {100, 101, 400, 99, 102}, one[] = {100, 501, 99};
	static const double off[] = {200, 201, 600, 200, 199}, on[] = {200, 201, 199};
	struct judge_subject s = judged(SAMPLE(base), SAMPLE(two), 0.05);
	struct judge_subject pair[2] = {{.base = SAMPLE(base), .new = SAMPLE(one)},
					{.base = SAMPLE(off), .new = SAMPLE(on)}};
	struct judge_rule r = {.subjects = pair, .n = 2};

	CHECK(s.change == CHANGE_INCONCLUSIVE && s.why == JUDGE_SOME && s.large == 2);
	CHECK_EQ(judged(SAMPLE(base), SAMPLE(one), 0).why, JUDGE_SOME);
	CHECK_EQ(judged(SAMPLE(base), SAMPLE(one), 0.01).why, JUDGE_CLEAR);
	CHECK_EQ(judged(SAMPLE(base), SAMPLE(four), 0).why, JUDGE_CLEAR);
	/* 5.01 times is within 3 times 3, and 100 times is not. */
	judge_rules(&r, 1, &plain);
	CHECK(pair[0].change == CHANGE_UNCHANGED && pair[0].large == 1);
	judge_release(&r, 1);
	pair[0].new = SAMPLE(two);
	pair[1].new = SAMPLE(off);
	judge_rules(&r, 1, &plain);
	CHECK_EQ(pair[0].why, JUDGE_SOME);
	judge_release(&r, 1);
}

/* A base run in which another subject is 20 times its others: of 100 times, in one new run, which is within 20 times
 * 20, nothing is decided but it is named; two such runs are not explained by one. By a second base run like that they
 * are, in whatever subject. */
TEST(a_base_run_far_off_explains_one_new_run)
{
	static const double base[] = {100, 101, 99, 100, 102}, more[] = {100, 101, 99, 100, 2000};
	static const double one[] = {100, 10000, 99, 100, 101},
			    two[] = {100, 10000, 99, 10000, 101};
	static const double off[] = {200, 201, 4000, 200, 199}, on[] = {200, 201, 199, 200, 202};
	struct judge_subject s[3] = {{.base = SAMPLE(base), .new = SAMPLE(one)},
				     {.base = SAMPLE(off), .new = SAMPLE(on)},
				     {.base = SAMPLE(base), .new = SAMPLE(base)}};
	struct judge_rule r = {.subjects = s, .n = 3};

	for (int again = 0; again < 2; again++) {
		s[0].new = (struct stats_sample)SAMPLE(one);
		judge_rules(&r, 1, &plain);
		CHECK(s[0].why == JUDGE_CLEAR && s[0].large == 1 && s[0].high == 0);
		s[0].new = (struct stats_sample)SAMPLE(two);
		judge_rules(&r, 1, &plain);
		CHECK_EQ(s[0].why, again ? JUDGE_CLEAR : JUDGE_SOME);
		s[2].base = (struct stats_sample)SAMPLE(more);
	}
}

/* Three times the base in one new run of three: the verdict is silent, and it is named. Not where the subject is so
 * in a base run, nor within twice as far as another is. */
TEST(what_a_few_runs_have_more_of_is_named)
{
	static const double base[] = {100, 101, 99}, thrice[] = {100, 300, 99},
			    off[] = {180, 100, 101};
	struct judge_subject s = judged(SAMPLE(base), SAMPLE(thrice), 0.05), pair[2];
	struct judge_rule r = {.subjects = pair, .n = 2};

	CHECK(s.change == CHANGE_UNCHANGED && s.large == 0 && s.high == 1);
	CHECK_EQ(judged(SAMPLE(base), SAMPLE(thrice), 0.6).high, 0); /* 300 < 2 x 160 */
	CHECK_EQ(judged(SAMPLE(thrice), SAMPLE(thrice), 0).high, 0);
	pair[0] = (struct judge_subject){.base = SAMPLE(base), .new = SAMPLE(thrice)};
	pair[1] = (struct judge_subject){.base = SAMPLE(off), .new = SAMPLE(base)};
	judge_rules(&r, 1, &plain);
	CHECK_EQ(pair[0].high, 0); /* ln 3 < 2 ln 1.78 */
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

/* 1e8 that no base run has, in two new runs of three, or in all against one: no pass, whatever comes and goes elsewhere, or differs
 * in new runs of a lone base run. But where the base has, in two runs of three, what is as large within five times, or
 * a hundred times as much that is always there, that may be chance. */
TEST(nothing_new_and_large_passes)
{
	static const double none[] = {0, 0, 0}, all[] = {1e8, 1.1e8, 0.9e8},
			    two[] = {1e8, 0, 0.9e8};
	static const double gone[] = {100, 0, 100}, back[] = {102, 99, 0}, much[] = {3e7, 0, 3e7};
	static const double rest[] = {2e10, 2.1e10, 1.9e10}, on[] = {1.9e10, 2e10, 2.1e10};
	static const struct {
		const double *new, *gone, *rest;
		size_t base;
		enum judge_why why;
	} cases[] = {
	    {two, gone, none, 3, JUDGE_APPEARS}, {all, gone, none, 1, JUDGE_APPEARS},
	    {two, none, none, 1, JUDGE_APPEARS}, {two, much, none, 3, JUDGE_CLEAR},
	    {two, gone, rest, 3, JUDGE_CLEAR},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct judge_subject s[3] = {
		    {.base = {none, cases[i].base}, .new = {cases[i].new, 3}},
		    {.base = {cases[i].gone, cases[i].base}, .new = SAMPLE(back)},
		    {.base = {cases[i].rest, cases[i].base}, .new = SAMPLE(on)}};
		struct judge_rule r = {.subjects = s, .n = cases[i].rest == none ? 2 : 3};

		judge_rules(&r, 1, &plain);
		CHECK_EQ(s[0].why, cases[i].why);
		CHECK_EQ(s[0].change, cases[i].why ? CHANGE_INCONCLUSIVE : CHANGE_UNCHANGED);
		judge_release(&r, 1);
	}
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
 * half, ten times what runs of a side differ by: each does, and it is not said once more of all. */
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
		CHECK_EQ(r.common.change, CHANGE_UNCHANGED);
		CHECK(near(r.systematic, all ? log(1.5) : 0, 0.05));
		CHECK_EQ(s[0].change, CHANGE_REGRESSED);
		for (size_t i = 1; i < SITES; i++)
			CHECK_EQ(s[i].change, all ? CHANGE_REGRESSED : CHANGE_UNCHANGED);
		judge_release(&r, 1);
	}
}

/* What most sites do by themselves neither hides what the first does nor makes it grow. Of twenty sites the first has
 * 200 and the others 10 (KiB), so that 10 + 16 is 2.6 times 10 and 200 + 40 is 1.2 times 200. */
TEST(each_site_is_held_against_its_own_limit)
{
	static const struct {
		double others, first; /* times the base */
		double noise, absolute;
		enum change change; /* of the first, */
		size_t fail;        /* and so many fail */
	} cases[] = {
	    {0.6, 1, 0, 0, CHANGE_UNCHANGED, 0},         {0.6, 1, 0.02, 0, CHANGE_UNCHANGED, 0},
	    {0.6, 1.41, 0, 0, CHANGE_REGRESSED, 1},      {0.6, 1.41, 0.02, 0, CHANGE_REGRESSED, 1},
	    {1.18, 1.41, 0, 0, CHANGE_REGRESSED, 1},     {1.16, 1.41, 0.02, 0, CHANGE_REGRESSED, 1},
	    {2.5, 2.7, 0.02, 16, CHANGE_REGRESSED, 1},   {2.5, 2.7, 0, 16, CHANGE_REGRESSED, 1},
	    {1.4, 1, 0.02, 0, CHANGE_UNCHANGED, 19},     {1.4, 1, 0, 0, CHANGE_UNCHANGED, 19},
	    {1.16, 0.9, 0.02, 0, CHANGE_UNCHANGED, 0},   {1.5, 1.15, 0.02, 0, CHANGE_UNCHANGED, 19},
	    {0.6, 0.59, 0.02, 0.01, CHANGE_IMPROVED, 0}, {1.18, 0.59, 0.02, 0, CHANGE_IMPROVED, 0},
	};
	double base[SITES][RUNS], new[SITES][RUNS];
	struct judge_subject s[SITES];
	struct judge_rule r = {.subjects = s, .n = SITES};

	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		size_t fail = 0;

		for (size_t i = 0; i < SITES; i++) {
			double mean = i ? 10 : 200;

			for (size_t k = 0; k < RUNS; k++) {
				base[i][k] = mean * normal(1, cases[c].noise);
				new[i][k] = mean *normal(1, cases[c].noise) *
					    (i ? cases[c].others : cases[c].first);
			}
			s[i] = (struct judge_subject){.base = SAMPLE(base[i]),
						      .new = SAMPLE(new[i]),
						      .ratio = 0.2,
						      .absolute = cases[c].absolute};
		}
		judge_rules(&r, 1, &plain);
		for (size_t i = 0; i < SITES; i++)
			fail += s[i].change == CHANGE_REGRESSED;
		if (s[0].change != cases[c].change || fail != cases[c].fail)
			printf("  case %zu: %d, %zu fail\n", c, (int)s[0].change, fail);
		CHECK_EQ(s[0].change, cases[c].change);
		CHECK_EQ(fail, cases[c].fail);
		CHECK_EQ(r.common.change == CHANGE_REGRESSED, 0);
		judge_release(&r, 1);
	}
}

/* 4.9 times a base that is the same in five runs, in the one new run, while another subject is 10 times its others
 * in one base run: no pass. Nor a fail. 45 % is within what that run says of noise, and is named. */
TEST(a_base_run_far_off_passes_nothing_in_one_new_run)
{
	static const double same[] = {100, 100, 100, 100, 100}, off[] = {50, 50, 500, 50, 50};
	static const double more[] = {490}, little[] = {145}, on[] = {50};
	struct judge_subject s[2] = {{.base = SAMPLE(same), .new = SAMPLE(more), .ratio = 0.2},
				     {.base = SAMPLE(off), .new = SAMPLE(on), .ratio = 0.2}};
	struct judge_rule r = {.subjects = s, .n = 2};

	CHECK_EQ(judge_rules(&r, 1, &plain).runs_new, 2);
	CHECK(s[0].change == CHANGE_INCONCLUSIVE && s[0].why == JUDGE_FEW);
	s[0].new = (struct stats_sample)SAMPLE(little);
	judge_rules(&r, 1, &plain);
	CHECK(s[0].change == CHANGE_UNCHANGED && s[0].let_by);
}

/* Forty sites whose runs differ by a factor f, three runs a side, in which the new ones have in common so much more or less
 * that it is 3.5 standard errors: f of a side is -d, 0, d, its variance within d^2, a standard error d sqrt(2/3), and d =
 * |C| / 2.86. It may be the machine's or the build's. A site that did not change while thirty fell by 10 % is no fail, and
 * one that grew by 30 %, of which 20 % are allowed, is no pass where others grew by 10 %; one that grew by 60 % fails
 * either way. Beyond 4.5 standard errors it is the build's; within 2.75 it is the machine's. */
TEST(what_may_be_the_machines_or_the_builds_decides_nothing)
{
	static const struct {
		double others, last, ratio, errors;
		enum change change; /* of the last ten, or of the last */
		size_t of;
		bool doubtful;
	} cases[] = {
	    {0.9, 1, 0.05, 3.5, CHANGE_INCONCLUSIVE, 10, true},
	    {1.1, 1.3, 0.2, 3.5, CHANGE_INCONCLUSIVE, 1, true},
	    {1.1, 1.6, 0.2, 3.5, CHANGE_REGRESSED, 1, true},
	    {1.1, 1.15, 0.2, 3.5, CHANGE_UNCHANGED, 1, true},
	    {0.9, 1, 0.05, 6, CHANGE_UNCHANGED, 10, false},
	    {1.1, 1.3, 0.2, 6, CHANGE_REGRESSED, 1, false},
	    {0.9, 1, 0.05, 2.5, CHANGE_REGRESSED, 10, false},
	};
	enum { MANY = 40, THREE = 3 };
	double base[MANY][THREE], new[MANY][THREE];
	struct judge_subject s[MANY];
	struct judge_rule r = {.subjects = s, .n = MANY};

	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		double d = fabs(log(cases[c].others)) / (cases[c].errors * sqrt(2.0 / 3));

		for (size_t i = 0; i < MANY; i++) {
			double times = i < MANY - cases[c].of ? cases[c].others : cases[c].last;

			for (size_t k = 0; k < THREE; k++) {
				double f = exp(d * ((double)k - 1));

				base[i][k] = 1e5 * f * normal(1, 0.0005);
				new[i][k] = 1e5 * f *normal(1, 0.0005) * times;
			}
			s[i] = (struct judge_subject){.base = SAMPLE(base[i]),
						      .new = SAMPLE(new[i]),
						      .ratio = cases[c].ratio};
		}
		judge_rules(&r, 1, &plain);
		CHECK(near(r.difference, log(cases[c].others), 0.002));
		CHECK_EQ(r.doubtful, cases[c].doubtful);
		CHECK_EQ(fabs(r.systematic) > 0, cases[c].errors > 4.5);
		for (size_t i = MANY - cases[c].of; i < MANY; i++) {
			CHECK_EQ(s[i].change, cases[c].change);
			CHECK_EQ(s[i].why == JUDGE_EITHER, cases[c].change == CHANGE_INCONCLUSIVE);
		}
		judge_release(&r, 1);
	}
}

/* A lone run of five that went astray hides no growth, and makes none; nor is one that is far larger a pass. */
TEST(a_run_gone_astray_decides_nothing)
{
	static const double a[] = {100, 101, 99, 100, 102}, b[] = {110, 111, 109, 110, 900};
	static const double c[] = {100, 101, 99, 102, 480}, d[] = {100, 101, 99, 102, 5000};

	CHECK_EQ(judged(SAMPLE(a), SAMPLE(b), 0).change, CHANGE_REGRESSED);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(c), 0).change, CHANGE_UNCHANGED);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(d), 0).change, CHANGE_INCONCLUSIVE);
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
