/* SPDX-License-Identifier: MIT
 *
 * lib/stats/stats.h and judge.h against tables in print, against plain enumeration, and by
 * simulation: 200 seeds of runs in which nothing has changed, and of runs that grew.
 */
#include "lib/report/compare/judge.h"
#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

#include <math.h>

#define SAMPLE(a) ((struct stats_sample){(a), sizeof(a) / sizeof *(a)})

static bool near(double a, double b, double by)
{
	if (fabs(a - b) <= by)
		return true;
	printf("  %.12g is not %.12g\n", a, b);
	return false;
}

/* Any textbook's table of Student's t and of the normal distribution. */
TEST(quantiles_are_those_of_the_tables)
{
	CHECK(near(stats_t_quantile(0.975, 1), 12.706, 5e-4));
	CHECK(near(stats_t_quantile(0.95, 1), 6.3138, 5e-5));
	CHECK(near(stats_t_quantile(0.95, 2), 2.9200, 5e-5));
	CHECK(near(stats_t_quantile(0.975, 5), 2.5706, 5e-5));
	CHECK(near(stats_t_quantile(0.99, 10), 2.7638, 5e-5));
	CHECK(near(stats_t_quantile(0.975, 30), 2.0423, 5e-5));
	CHECK(near(stats_t_quantile(0.005, 8), -3.3554, 5e-5));
	CHECK(near(stats_normal_cdf(1.959964), 0.975, 1e-7));
	CHECK(near(stats_normal_cdf(1), 0.8413447, 1e-7));
	CHECK(near(stats_t_cdf(stats_t_quantile(0.01, 3.5), 3.5), 0.01, 1e-9));
}

/* Mann and Whitney's table: P(U <= u), the first for 3 against 3, 4 against 4, 5 against 5. */
TEST(rank_test_is_mann_and_whitneys)
{
	static const double b3[] = {1, 2, 3}, n3[] = {4, 5, 6};
	static const double b4[] = {1, 2, 3, 4}, n4[] = {5, 6, 7, 8};
	static const double b5[] = {1, 2, 3, 4, 7}, n5[] = {5, 6, 8, 9, 10};
	struct stats_rank r = stats_rank_test(SAMPLE(b3), SAMPLE(n3));

	CHECK(near(r.greater, 0.05, 1e-12) && near(r.less, 1, 1e-12) && r.exact);
	r = stats_rank_test(SAMPLE(b4), SAMPLE(n4));
	CHECK(near(r.greater, 1.0 / 70, 1e-12));
	CHECK(near(stats_rank_least(4, 4), 1.0 / 70, 1e-12));
	r = stats_rank_test(SAMPLE(b5), SAMPLE(n5)); /* U = 2: 4 of 252 */
	CHECK(near(r.greater, 4.0 / 252, 1e-12));
}

static double midrank_sum(const double *v, size_t n, unsigned chosen)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; chosen >> i & 1 && k < n; k++)
			sum += v[k] < v[i] ? 1 : v[k] == v[i] ? 0.5 : 0;
	return sum;
}

TEST(rank_test_with_ties_is_the_enumeration)
{
	static const double v[] = {3, 1, 3, 3, 2, 1, 5, 3, 2};
	enum { N = 9, BASE = 4 };
	double seen = midrank_sum(v, N, (1u << N) - (1u << BASE));
	double all = 0, greater = 0, less = 0;
	struct stats_rank r = stats_rank_test((struct stats_sample){v, BASE},
					      (struct stats_sample){v + BASE, N - BASE});

	for (unsigned set = 0; set < 1u << N; set++) {
		double sum;

		if (__builtin_popcount(set) != N - BASE)
			continue;
		sum = midrank_sum(v, N, set);
		all++;
		greater += sum >= seen;
		less += sum <= seen;
	}
	CHECK_EQ((int)all, 126);
	CHECK(near(r.greater, greater / all, 1e-12));
	CHECK(near(r.less, less / all, 1e-12));
}

TEST(large_samples_are_near_the_exact_test)
{
	double b[21], n[21];
	struct stats_rank exact, large;

	for (int i = 0; i < 21; i++) {
		b[i] = i * 3 % 22;
		n[i] = i * 5 % 23 + 2.5;
	}
	exact = stats_rank_test((struct stats_sample){b, 20}, (struct stats_sample){n, 20});
	large = stats_rank_test((struct stats_sample){b, 20}, (struct stats_sample){n, 21});
	CHECK(exact.exact && !large.exact);
	CHECK(near(large.greater, exact.greater, 0.03));
	for (int i = 0; i < 21; i++)
		b[i] = n[i] = 7;
	large = stats_rank_test(SAMPLE(b), SAMPLE(n));
	CHECK(near(large.greater, 1, 0) && near(large.less, 1, 0));
}

/* Holm 1979: the smallest p is compared with alpha / n, the next against alpha / (n - 1) and so on,
 * so 0.01, 0.04, 0.03 and 0.005 become 0.03, 0.06, 0.06 and 0.02. With weights 1 and 3 a p of 0.02
 * counts as 0.08 and as 0.08 / 3. */
TEST(adjustment_is_holms)
{
	static const double p[] = {0.01, 0.04, 0.03, 0.005}, ones[] = {1, 1, 1, 1};
	static const double two[] = {0.02, 0.02}, weights[] = {1, 3};
	double q[4];

	stats_holm(p, ones, q, 4);
	CHECK(near(q[0], 0.03, 1e-12) && near(q[1], 0.06, 1e-12) && near(q[2], 0.06, 1e-12) &&
	      near(q[3], 0.02, 1e-12));
	stats_holm(two, weights, q, 2);
	CHECK(near(q[1], 0.08 / 3, 1e-12)); /* first, with a share of 3 / 4 */
	CHECK(near(q[0], 0.08 / 3, 1e-12)); /* then alone: 0.02, but no less than the one before */
	stats_holm(p, ones, q, 0);
}

/* {1, 2, 3} and {5, 9}: deviations of 2 and 8 with 3 degrees, times 1/3 + 1/2. */
TEST(errors_are_those_of_students_test)
{
	static const double a[] = {1, 2, 3}, b[] = {5, 9};

	CHECK(near(stats_error(SAMPLE(a), SAMPLE(b)), sqrt(10.0 / 3 * 5 / 6), 1e-12));
	CHECK(near(stats_error_base(SAMPLE(a), 2), sqrt(1.0 * 5 / 6), 1e-12));
	CHECK(near(stats_error(SAMPLE(b), (struct stats_sample){a, 0}), 0, 0));
	CHECK(near(stats_error_base((struct stats_sample){a, 1}, 2), 0, 0));
}

static double uniform(void)
{
	return ((double)(lcg(&random_state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(double mean, double sd)
{
	return mean + sd * sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static struct judge_subject judged(struct stats_sample base, struct stats_sample new, double limit)
{
	struct judge_subject s = {.base = base, .new = new, .limit = limit};
	struct judge_rule r = {&s, 1};

	judge_rules(&r, 1, &(struct judge_options){0.05, 0.8, 1});
	return s;
}

TEST(one_run_is_held_against_the_limit)
{
	static const double a[] = {100}, b[] = {107}, c[] = {90};

	CHECK_EQ(judged(SAMPLE(a), SAMPLE(b), 5).change, CHANGE_REGRESSED);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(b), 7).change, CHANGE_UNCHANGED);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(c), 5).change, CHANGE_IMPROVED);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(a), 0).change, CHANGE_UNCHANGED);
	CHECK(!judged(SAMPLE(a), SAMPLE(b), 5).has_floor);
}

TEST(a_policy_may_ask_for_more_runs)
{
	static const double a[] = {100}, b[] = {107}, c[] = {90};
	const struct judge_options two = {0.05, 0.8, 2};
	struct judge_subject s[3] = {{.base = SAMPLE(a), .new = SAMPLE(b), .limit = 5},
				     {.base = SAMPLE(a), .new = SAMPLE(b), .limit = 7},
				     {.base = SAMPLE(a), .new = SAMPLE(c), .limit = 5}};

	judge_rules(&(struct judge_rule){s, 3}, 1, &two);
	CHECK_EQ(s[0].change, CHANGE_INCONCLUSIVE);
	CHECK_EQ(s[0].why, JUDGE_SINGLE);
	CHECK_EQ(s[1].change, CHANGE_UNCHANGED);
	CHECK_EQ(s[2].change, CHANGE_UNCHANGED);
}

/* The floor of {99, 101}: t(0.975; 1) sqrt(2) sqrt(1/2 + 1) = 22.007. One run is no second opinion,
 * so it is that of the test as well: 5 + 22.007 is not enough, 5 + 22.008 is. */
TEST(noise_of_one_side)
{
	static const double a[] = {99, 101}, b[] = {107}, c[] = {127}, d[] = {127.01};
	static const double same[] = {100, 100, 100};
	struct judge_subject s = judged(SAMPLE(a), SAMPLE(b), 5);

	CHECK(s.has_floor && near(s.floor, 22.007, 1e-3));
	CHECK_EQ(s.change, CHANGE_INCONCLUSIVE);
	CHECK_EQ(s.why, JUDGE_AMONG);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(c), 5).change, CHANGE_INCONCLUSIVE);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(d), 5).change, CHANGE_REGRESSED);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(b), 8).change, CHANGE_UNCHANGED);
	/* Base runs that never differ have no noise. */
	CHECK_EQ(judged(SAMPLE(same), SAMPLE(b), 5).change, CHANGE_REGRESSED);
	/* The other way round the new runs show noise, but nothing of the base's. */
	s = judged(SAMPLE(b), SAMPLE(a), 0);
	CHECK(!s.has_floor && s.has_noise && s.change == CHANGE_UNCHANGED);
	s = judged((struct stats_sample){b, 1}, (struct stats_sample){d, 1}, 0);
	CHECK(!s.has_noise && s.change == CHANGE_REGRESSED);
}

/* {0, 0, 0, 0} against {0, 0, 0, x}: one run of four is no evidence, and no growth is small enough
 * against a base without noise to be passed over. x a thousand times the base among noise as large
 * is no evidence either, but more than doubled. */
TEST(nothing_large_passes)
{
	static const double zero[] = {0, 0, 0, 0}, one[] = {0, 0, 0, 1e12};
	static const double wild[] = {1, 1, 1e6}, wilder[] = {1, 1, 1e9};
	struct judge_subject s = judged(SAMPLE(zero), SAMPLE(one), 0);

	CHECK_EQ(s.change, CHANGE_INCONCLUSIVE);
	CHECK_EQ(s.why, JUDGE_NOISE);
	CHECK_EQ(judged(SAMPLE(zero), SAMPLE(zero), 0).change, CHANGE_UNCHANGED);
	CHECK_EQ(judged(SAMPLE(wild), SAMPLE(wilder), 0).change, CHANGE_INCONCLUSIVE);
}

/* Two tight levels, as of a page that is taken or not: t alone would be certain, but one in 20 of
 * all ways to deal out these values has all of one level on one side, and one in 35 with 3 of 4
 * against 4. */
TEST(ranks_have_a_veto)
{
	static const double a[] = {100, 100, 100.1, 200}, b[] = {200, 200.1, 200, 200};
	struct judge_subject s = judged(SAMPLE(a), SAMPLE(b), 0);

	CHECK(stats_rank_test(SAMPLE(a), SAMPLE(b)).greater > 0.05);
	CHECK(s.p > 0.05 && s.change != CHANGE_REGRESSED);
}

/* x100 of one of 20 things: it is detected for every number of runs, also where ranks could not. */
TEST(few_runs_confirm_what_is_large_among_many)
{
	static const double base[] = {100, 101, 99, 100, 102}, same[] = {101, 100, 100, 102, 99};
	static const double new[] = {10000, 10100, 9900, 10050, 9950};

	for (size_t n = 3; n <= 5; n++) {
		struct judge_subject s[20];

		for (size_t i = 0; i < 20; i++)
			s[i] =
			    (struct judge_subject){.base = {base, n}, .new = {i ? same : new, n}};
		judge_rules(&(struct judge_rule){s, 20}, 1, &(struct judge_options){0.05, 0.8, 1});
		CHECK_EQ(s[0].change, CHANGE_REGRESSED);
		CHECK_EQ(s[1].change, CHANGE_UNCHANGED);
	}
}

/* Equal means of different numbers of runs are equal, whatever adding up rounds. */
TEST(rounding_is_no_growth)
{
	static const double v[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};

	for (size_t a = 1; a <= 8; a++)
		for (size_t b = 1; b <= 8; b++)
			CHECK_EQ(judged((struct stats_sample){v, a}, (struct stats_sample){v, b}, 0)
				     .change,
				 CHANGE_UNCHANGED);
}

enum { RULES = 5, SEEDS = 200 };

/* How many of the seeds had a rule that ended as one of `what` (bits), of a policy of five. */
static int count(size_t n, double sd, double growth, double limit, bool skewed, unsigned what)
{
	int hits = 0;

	for (int seed = 1; seed <= SEEDS; seed++) {
		double base[RULES][8], new[RULES][8];
		struct judge_subject s[RULES];
		struct judge_rule r[RULES];
		bool hit = false;

		random_state = (uint64_t)seed * 0x9e3779b97f4a7c15u;
		for (size_t k = 0; k < RULES; k++) {
			for (size_t i = 0; i < n; i++) {
				base[k][i] = normal(1000, sd);
				new[k][i] = normal(1000 + growth, sd);
				if (skewed) {
					base[k][i] = 1000 - sd * log(uniform());
					new[k][i] = 1000 + growth - sd *log(uniform());
				}
			}
			s[k] = (struct judge_subject){
			    .base = {base[k], n}, .new = {new[k], n}, .limit = limit};
			r[k] = (struct judge_rule){&s[k], 1};
		}
		judge_rules(r, RULES, &(struct judge_options){0.05, 0.8, 1});
		for (size_t k = 0; k < RULES; k++)
			hit |= what >> s[k].change & 1;
		hits += hit;
	}
	return hits;
}

/* At most 0.05 of 200 is 10, and only the regressed ones fail a gate. */
TEST(nothing_changed_raises_no_more_alarms_than_stated)
{
	const unsigned worse = 1u << CHANGE_REGRESSED, any = worse | 1u << CHANGE_IMPROVED;

	for (size_t n = 2; n <= 8; n++) {
		int a = count(n, 20, 0, 0, false, any), b = count(n, 20, 0, 0, false, worse);
		int c = count(n, 20, 0, 10, false, worse);

		printf("  %zu against %zu: %d changes, %d and %d alarms of %d\n", n, n, a, b, c,
		       SEEDS);
		/* The rate of changes is what is stated: 18 is the upper end of its binomial 99 %.
		 */
		CHECK(a <= 18 && b <= 10 && c <= 10);
		if (n == 5)
			CHECK(count(n, 20, 0, 0, true, worse) <= 10);
	}
}

/* +7 % with a spread of 1 % and 5 % allowed is found; +3 % is not taken for it. */
TEST(what_grew_is_found)
{
	CHECK(count(6, 10, 70, 50, false, 1u << CHANGE_REGRESSED) >= 160);
	CHECK(count(6, 10, 30, 50, false, 1u << CHANGE_REGRESSED) == 0);
	CHECK(count(6, 10, -70, 50, false, 1u << CHANGE_IMPROVED) >= 160);
	/* A spread of 20 % hides 5 %: what is above it by chance is not passed. */
	CHECK(count(6, 200, 0, 50, false, 1u << CHANGE_REGRESSED) <= 10);
	CHECK(count(6, 200, 0, 50, false, 1u << CHANGE_INCONCLUSIVE) >= 100);
}

/* The growth that is said to be detected is detected with the power that is asked for: 1,000 seeds
 * of 6 against 6 with a spread of 10, where it is (2.228 + 0.879) 10 sqrt(1/3) on average. */
TEST(what_would_be_told_is_told)
{
	double base[6], new[6], sum = 0;
	int found = 0;

	for (int seed = 1; seed <= 1000; seed++) {
		struct judge_subject s;

		random_state = (uint64_t)seed;
		for (int i = 0; i < 6; i++) {
			base[i] = normal(1000, 10);
			new[i] = normal(1000 + 17.94, 10);
		}
		s = judged(SAMPLE(base), SAMPLE(new), 0);
		sum += s.told;
		found += s.change == CHANGE_REGRESSED;
	}
	CHECK(near(sum / 1000, 17.94, 0.6));
	CHECK(found > 750 && found < 860);
}

TEST_MAIN()
