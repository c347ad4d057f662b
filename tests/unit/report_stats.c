/* SPDX-License-Identifier: MIT
 *
 * lib/report/stats.h and judge.h against tables in print, against plain enumeration, and by
 * simulation: 200 seeds of runs in which nothing has changed, and of runs that grew.
 */
#include "lib/report/judge.h"
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
	CHECK(near(stats_normal_quantile(0.975), 1.959964, 1e-6));
	CHECK(near(stats_normal_quantile(0.5), 0, 1e-12));
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

/* The example of Benjamini and Hochberg 1995, section 4: 15 p-values, four of them rejected at
 * 0.05 (Bonferroni: three). */
TEST(adjustment_is_benjamini_and_hochbergs)
{
	static const double p[] = {0.4262, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298,
				   0.0344, 0.0459, 0.3240, 0.5719, 0.6528, 0.7590, 1.0000};
	double q[15];
	int rejected = 0;

	stats_adjust(p, q, 15);
	for (int i = 0; i < 15; i++)
		rejected += q[i] <= 0.05;
	CHECK_EQ(rejected, 4);
	CHECK(near(q[1], 0.0015, 1e-9) && near(q[4], 0.0095 * 15 / 4, 1e-9));
	CHECK(near(q[0], 0.4262 * 15 / 11, 0.1) && near(q[14], 1, 1e-12));
	CHECK(near(stats_combine(p, 15), 0.0015, 1e-9));
	CHECK(near(stats_combine(p, 0), 1, 0));
}

static uint64_t random_state;

static double uniform(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(double mean, double sd)
{
	return mean + sd * sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* All 27 x 27 resamples of three against three, and the level that the header's source gives. */
TEST(bootstrap_is_near_the_enumeration)
{
	static const double b[] = {100, 104, 109}, n[] = {120, 121, 131};
	double all[729], level;
	struct stats_interval i = stats_bootstrap(SAMPLE(b), SAMPLE(n), 0.8, 7);
	size_t k = 0;

	for (int x = 0; x < 27; x++)
		for (int y = 0; y < 27; y++)
			all[k++] = (n[y % 3] + n[y / 3 % 3] + n[y / 9]) / 3 -
				   (b[x % 3] + b[x / 3 % 3] + b[x / 9]) / 3;
	for (size_t u = 0; u < k; u++)
		for (size_t v = u + 1; v < k; v++)
			if (all[v] < all[u]) {
				double t = all[u];

				all[u] = all[v];
				all[v] = t;
			}
	/* t(0.9; 2) is 1.8856 */
	level = stats_normal_cdf(-1.8856 * sqrt(3.0 / 2));
	CHECK(near(i.low, all[(size_t)(level * 729)], 1.01));
	CHECK(near(i.high, all[728 - (size_t)(level * 729)], 1.01));
}

TEST(swapped_sides_negate_the_interval)
{
	for (int seed = 1; seed <= 50; seed++) {
		double a[6], b[5];
		struct stats_interval x, y;

		random_state = (uint64_t)seed;
		for (int i = 0; i < 6; i++)
			a[i] = floor(normal(1000, 30));
		for (int i = 0; i < 5; i++)
			b[i] = floor(normal(1000, 30));
		for (size_t n = 4; n <= 6; n++) { /* fewer, as many, equal values */
			struct stats_sample s = {a, n}, t = n == 6 ? s : SAMPLE(b);

			x = stats_bootstrap(s, t, 0.95, (uint64_t)seed);
			y = stats_bootstrap(t, s, 0.95, (uint64_t)seed);
			CHECK(x.low == -y.high && x.high == -y.low && x.low <= x.high);
		}
	}
}

static struct judge_subject judged(struct stats_sample base, struct stats_sample new, double limit)
{
	struct judge_subject s = {.base = base, .new = new, .limit = limit};
	struct judge_rule r = {&s, 1, 0, 0};

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

/* The floor of {99, 101}: t(0.975; 1) sqrt(2) sqrt(1/2 + 1) = 22.007. */
TEST(below_four_the_noise_floor_speaks)
{
	static const double a[] = {99, 101}, b[] = {107}, c[] = {123}, same[] = {100, 100, 100};
	struct judge_subject s = judged(SAMPLE(a), SAMPLE(b), 5);

	CHECK(s.has_floor && near(s.floor, 22.007, 1e-3) && !s.has_interval);
	CHECK_EQ(s.change, CHANGE_INCONCLUSIVE);
	CHECK_EQ(s.why, JUDGE_NOISE);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(c), 5).change, CHANGE_REGRESSED);
	CHECK_EQ(judged(SAMPLE(a), SAMPLE(b), 8).change, CHANGE_UNCHANGED);
	/* Base runs that never differ have no noise. */
	CHECK_EQ(judged(SAMPLE(same), SAMPLE(b), 5).change, CHANGE_REGRESSED);
}

TEST(few_runs_cannot_confirm_many_rules)
{
	static const double a[] = {100, 101, 102, 103}, b[] = {200, 201, 202, 203};
	struct judge_subject s[9];
	struct judge_rule r[9];

	for (int i = 0; i < 9; i++) {
		s[i] = (struct judge_subject){
		    .base = SAMPLE(a), .new = i ? SAMPLE(a) : SAMPLE(b), .limit = 5};
		r[i] = (struct judge_rule){&s[i], 1, 0, 0};
	}
	judge_rules(r, 1, &(struct judge_options){0.05, 0.8, 1}); /* 2/70 */
	CHECK_EQ(s[0].change, CHANGE_REGRESSED);
	judge_rules(r, 9, &(struct judge_options){0.05, 0.8, 1}); /* 18/70 */
	CHECK_EQ(s[1].change, CHANGE_UNCHANGED);
	CHECK_EQ(s[0].change, CHANGE_INCONCLUSIVE);
	CHECK_EQ(s[0].why, JUDGE_FEW_RUNS);
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
			r[k] = (struct judge_rule){&s[k], 1, 0, 0};
		}
		judge_rules(r, RULES, &(struct judge_options){0.05, 0.8, (uint64_t)seed});
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
	/* A spread of 20 % cannot tell 5 %. */
	CHECK(count(6, 200, 0, 50, false, 1u << CHANGE_INCONCLUSIVE) >= 180);
}

/* The smallest detectable difference is one that the sizes do show at about the stated power. */
TEST(detectable_is_detected)
{
	double base[6], new[6], d = 0, sum = 0;
	int found = 0;

	for (int seed = 1; seed <= 1000; seed++) {
		struct stats_sample b = SAMPLE(base), n = SAMPLE(new);

		random_state = (uint64_t)seed;
		for (int i = 0; i < 6; i++) {
			base[i] = normal(1000, 10);
			new[i] = normal(1000 + 15.4, 10); /* (1.812 + 0.879) 10 sqrt(1/3) */
		}
		CHECK(stats_detectable(b, n, 0.05, 0.8, &d));
		sum += d;
		found += stats_rank_test(b, n).greater <= 0.05;
	}
	CHECK(near(sum / 1000, 15.4, 0.5));
	CHECK(found > 720 && found < 860);
}

TEST_MAIN()
