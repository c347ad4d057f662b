/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/judge_least.h"

#include "lib/base/mem.h"
#include "lib/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* That builds differ at all is a finding of 1 in 100, in standard deviations of a normal. */
static const double least_certain = 2.326;

/* One build by itself is below the middle of all by so many standard deviations of its median. */
static const double least_far = 6;

/* Medians of n runs have a standard deviation of 1.2533 / sqrt(n) of that of runs; the range of ten of them is 3.1 of
 * these on average, and above 4 with a chance of 12 %. */
static const double least_range = 4, least_median_error = 1.2533, least_rounding = 1e-12;

/* Runs of a build that have none of it, for it to be there no more. */
enum { LEAST_ABSENT_MIN = 3 };

struct least_build {
	double *v; /* of its runs that have it */
	size_t n, runs;
	double middle;
	double level; /* the middle, or its logarithm */
	bool like;
};

struct least {
	struct least_build *builds;
	size_t n;
	double *values;
	bool linear; /* a value is below 0: not by logarithms */
};

static void least_init(struct least *l, const struct judge_builds *b, const double *v)
{
	*l = (struct least){.n = b->n};
	l->builds = mem_zarray(b->n, sizeof *l->builds);
	l->values = mem_array(b->n * b->runs, sizeof *l->values);
	for (size_t k = 0; k < b->runs; k++)
		l->linear |= v[k] < 0;
	for (size_t j = 0; j < b->n; j++)
		l->builds[j].v = l->values + j * b->runs;
	for (size_t k = 0; k < b->runs; k++) {
		struct least_build *of = &l->builds[b->of[k]];

		of->runs++;
		if (v[k] > 0 || l->linear)
			of->v[of->n++] = v[k];
	}
	for (size_t j = 0; j < b->n; j++) {
		struct least_build *of = &l->builds[j];

		of->middle = stats_median((struct stats_sample){of->v, of->n});
		of->level = l->linear ? of->middle : log(of->middle);
	}
}

static void least_release(struct least *l)
{
	free(l->values);
	free(l->builds);
}

/* Of builds with a single run: what one differs by from the next, without the growth that all have in common. */
static double least_noise_of_steps(const struct least *l)
{
	double *d = mem_array(l->n, sizeof *d), middle, noise;
	const struct least_build *before = NULL;
	size_t n = 0;

	for (size_t j = 0; j < l->n; j++) {
		if (!l->builds[j].n)
			continue;
		if (before)
			d[n++] = l->builds[j].level - before->level;
		before = &l->builds[j];
	}
	middle = stats_median((struct stats_sample){d, n});
	for (size_t i = 0; i < n; i++)
		d[i] = fabs(d[i] - middle);
	noise = 1.4826 * stats_median((struct stats_sample){d, n}) / sqrt(2);
	free(d);
	return noise;
}

/* Of what runs differ by from their build's middle. */
static double least_squares(const struct least *l, const struct least_build *b)
{
	double squares = 0;

	for (size_t k = 0; k < b->n; k++) {
		double d = (l->linear ? b->v[k] : log(b->v[k])) - b->level;

		squares += d * d;
	}
	return squares;
}

/* What runs differ by from their build's middle, as a standard deviation: the median over builds, so that a run gone
 * astray does not count. A variance of few runs is most often below its mean (Wilson and Hilferty 1931). */
static double least_noise(const struct least *l)
{
	double *of = mem_array(l->n, sizeof *of), noise;
	size_t n = 0;

	for (size_t j = 0; j < l->n; j++) {
		const struct least_build *b = &l->builds[j];
		double df = (double)b->n - 1;

		if (b->n > 1)
			of[n++] = sqrt(least_squares(l, b) / (df * pow(1 - 2 / (9 * df), 3)));
	}
	noise = n ? stats_median((struct stats_sample){of, n}) : least_noise_of_steps(l);
	free(of);
	return noise;
}

/* --- whether builds differ --- */

/* Of equal values the mean. */
static double *least_ranks(const double *v, size_t n)
{
	double *rank = mem_zarray(n, sizeof *rank);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			rank[i] += v[k] < v[i] ? 1 : v[k] > v[i] ? 0 : 0.5;
	return rank; /* counted from 1/2 */
}

/* Each build is the same in all of its runs, of which some have two or more: any difference is a change. */
static bool least_is_exact(const struct judge_builds *b, const double *v)
{
	const double **first = mem_zarray(b->n, sizeof *first);
	bool exact = b->runs > b->n;

	for (size_t k = 0; k < b->runs; k++) {
		const double **of = &first[b->of[k]];

		exact &= !*of || !(**of < v[k] || **of > v[k]);
		*of = &v[k];
	}
	free(first);
	return exact;
}

/* Kruskal and Wallis 1952, whose H has about a chi-squared distribution; as a normal (Wilson and Hilferty 1931). */
static double least_between(const struct judge_builds *b, const double *rank)
{
	double *sum = mem_zarray(b->n, sizeof *sum), *runs = mem_zarray(b->n, sizeof *runs);
	double middle = (double)b->runs / 2, between = 0, all = 0, df = (double)b->n - 1, h;

	for (size_t k = 0; k < b->runs; k++) {
		sum[b->of[k]] += rank[k] - middle;
		runs[b->of[k]]++;
		all += (rank[k] - middle) * (rank[k] - middle);
	}
	for (size_t j = 0; j < b->n; j++)
		between += sum[j] * sum[j] / runs[j];
	h = all > 0 ? (double)(b->runs - 1) * between / all : 0;
	free(sum);
	free(runs);
	return (cbrt(h / df) - (1 - 2 / (9 * df))) / sqrt(2 / (9 * df));
}

/* Of single runs: whether neighbours are more alike than others (Bartels 1982). */
static double least_along(const double *rank, size_t n)
{
	double m = (double)n, middle = m / 2, steps = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		double d = i ? rank[i] - rank[i - 1] : 0;

		steps += d * d;
		all += (rank[i] - middle) * (rank[i] - middle);
	}
	return all > 0 ? (2 - steps / all) / sqrt(4 * (m - 2) * (5 * m * m - 2 * m - 9) /
						  (5 * m * (m + 1) * (m - 1) * (m - 1)))
		       : 0;
}

/* Ranks do not see a single build. Runs gone astray count here, so that they explain it. */
static bool least_is_far(const struct least *l, const struct least_build *least)
{
	double *levels = mem_array(l->n, sizeof *levels), squares = 0, df = 0, middle;
	size_t n = 0;

	for (size_t j = 0; j < l->n; j++) {
		const struct least_build *b = &l->builds[j];

		if (!b->n)
			continue;
		squares += least_squares(l, b);
		df += (double)b->n - 1;
		levels[n++] = b->level;
	}
	middle = stats_median((struct stats_sample){levels, n});
	free(levels);
	return n > 2 && df >= 4 && least->n &&
	       middle - least->level >
		   least_far * least_median_error * sqrt(squares / df / (double)least->n) +
		       least_rounding;
}

static bool least_differ(const struct least *l, const struct least_build *least,
			 const struct judge_builds *b, const double *v)
{
	double *rank, z;

	if (b->n < 2)
		return false;
	if (least_is_far(l, least))
		return true;
	if (least_is_exact(b, v))
		return true;
	if (b->n < 3 && b->runs == b->n)
		return false;
	rank = least_ranks(v, b->runs);
	z = b->runs > b->n ? least_between(b, rank) : least_along(rank, b->n);
	free(rank);
	return z > least_certain;
}

/* --- the least --- */

/* No run of some builds has it, and each of the others': that is no noise. Then so many builds are the least. */
static size_t least_absent(const struct least *l)
{
	size_t n = 0;

	for (size_t j = 0; j < l->n; j++) {
		const struct least_build *b = &l->builds[j];

		if (b->n && b->n < b->runs)
			return 0;
		if (!b->n && b->runs < LEAST_ABSENT_MIN)
			return 0;
		n += !b->n;
	}
	return n;
}

/* From the newest, whose code is most like the one that is judged. */
static struct least_build *least_find(const struct least *l, bool absent)
{
	struct least_build *found = NULL;

	for (size_t j = l->n; j-- > 0;) {
		struct least_build *b = &l->builds[j];

		if (absent && !b->n)
			return b;
		if (b->n && (!found || b->level < found->level))
			found = b;
	}
	return found;
}

static size_t least_find_like(const struct least *l, const struct least_build *least)
{
	double noise = least_noise(l);
	size_t n = 0;

	for (size_t j = 0; j < l->n; j++) {
		struct least_build *b = &l->builds[j];
		double runs = b->n ? (1 / (double)b->n + 1 / (double)least->n) / 2 : 0;

		b->like = !b->n || b->level - least->level <=
				       least_range * least_median_error * noise * sqrt(runs) +
					   least_rounding;
		n += b->n && b->like;
	}
	return n;
}

/* The middle of the runs of all builds that are alike. */
static double least_level(const struct least *l, const struct judge_builds *b, const double *v)
{
	double *of = mem_array(b->runs, sizeof *of), middle;
	size_t n = 0;

	for (size_t k = 0; k < b->runs; k++)
		if (l->builds[b->of[k]].like && (v[k] > 0 || l->linear))
			of[n++] = v[k];
	middle = stats_median((struct stats_sample){of, n});
	free(of);
	return middle;
}

static bool least_is_half(const struct least *l, const struct least_build *least)
{
	double *of = mem_array(l->n, sizeof *of), middle;

	for (size_t j = 0; j < l->n; j++)
		of[j] = l->builds[j].n ? l->builds[j].middle : 0;
	middle = stats_median((struct stats_sample){of, l->n});
	free(of);
	return l->n >= 3 && !l->linear && (least->n ? least->middle : 0) < middle / 2;
}

/* To the level of the builds that are alike. */
static void least_move(const struct least *l, const struct judge_builds *b, double *v)
{
	double level = least_level(l, b, v);

	for (size_t k = 0; k < b->runs; k++) {
		const struct least_build *of = &l->builds[b->of[k]];

		if (!of->like)
			v[k] = l->linear ? v[k] - of->middle + level : v[k] / of->middle * level;
	}
}

struct judge_least judge_least(const struct judge_builds *b, double *v)
{
	struct judge_least out = {.like = b->n};
	struct least_build *least;
	struct least l;
	size_t absent;

	least_init(&l, b, v);
	absent = least_absent(&l);
	least = least_find(&l, absent > 0);
	if (least) {
		out.build = (size_t)(least - l.builds);
		out.half = least_is_half(&l, least);
	}
	if (least && least_differ(&l, least, b, v)) {
		out.like = absent ? absent : least_find_like(&l, least);
		if (absent)
			memset(v, 0, b->runs * sizeof *v);
		else
			least_move(&l, b, v);
	}
	least_release(&l);
	return out;
}
