/* SPDX-License-Identifier: MIT
 *
 * The decisions of the judge (lib/report/compare/judge.h), by simulation: 1,000 pairs of builds per
 * cell. Prints the table that is checked in as judge.txt; ends with 1 when a promise of judge.h is
 * not kept.
 *
 * A pair is N runs of a base and N of a new build, each with so many things of mean 100. In a build
 * that grew the first thing did. The noise has a scale of 2 % of a thing's mean:
 *
 *	normal    a standard deviation of 2 %
 *	heavy     2 % times Student's t with 2 degrees of freedom: its variance is infinite
 *	drifting  normal, on a machine that becomes faster or slower by 4 % (all things alike) while
 *	          the runs of both builds are taken in turn
 *
 * The rule is `each = yes`, with nothing allowed or 4 %: twice the noise. Where noise is heavy a
 * base run may itself be a hundred times off, and then x100 cannot be distinguished from it.
 */
#include "lib/report/compare/judge.h"
#include "lib/base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 1000, RUNS_MAX = 10, THINGS_MAX = 1000 };
enum noise { NORMAL, HEAVY, DRIFTING, NOISES };

static const double scale = 0.02;
static const double growths[] = {1, 1.07, 1.2, 100};
enum { GROWTHS = sizeof growths / sizeof *growths };

/* splitmix64: Steele, Lea, Flood 2014. */
static uint64_t state;

static double uniform(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller 1958. */
static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double noise(enum noise kind)
{
	/* t with 2 degrees: normal by the root of half a chi-squared with 2, which is exponential.
	 */
	return scale * (kind == HEAVY ? normal() / sqrt(-log(uniform())) : normal());
}

struct pairs {
	enum noise noise;
	size_t runs, things;
	double growth, limit;
};

struct outcome {
	unsigned alarms, unsure; /* pairs in which any thing regressed; else is inconclusive */
	unsigned told, passed;   /* pairs in which the first thing did, and in which it passed */
};

static double drift(const struct pairs *c, size_t run, double by)
{
	return 1 + by * ((double)run / (double)(2 * c->runs - 1) - 0.5);
}

static struct outcome simulate(const struct pairs *c)
{
	static double base[THINGS_MAX][RUNS_MAX], new[THINGS_MAX][RUNS_MAX];
	static struct judge_subject s[THINGS_MAX];
	struct outcome o = {.alarms = 0};

	state = c->noise + 16 * c->runs + 1024 * c->things;
	for (int pair = 0; pair < PAIRS; pair++) {
		double by = c->noise != DRIFTING ? 0 : uniform() < 0.5 ? -2 * scale : 2 * scale;
		struct judge_rule rule = {s, c->things};
		bool alarm = false, unsure = false;

		for (size_t i = 0; i < c->things; i++) {
			for (size_t k = 0; k < c->runs; k++) {
				base[i][k] = 100 * drift(c, 2 * k, by) * (1 + noise(c->noise));
				new[i][k] = 100 * drift(c, 2 * k + 1, by) * (i ? 1 : c->growth) *
					    (1 + noise(c->noise));
			}
			s[i] = (struct judge_subject){.base = {base[i], c->runs},
						      .new = {new[i], c->runs}};
			s[i].limit = c->limit * stats_mean(s[i].base);
		}
		judge_rules(&rule, 1, &(struct judge_options){.alpha = 0.05, .power = 0.8});
		for (size_t i = 0; i < c->things; i++) {
			alarm |= s[i].change == CHANGE_REGRESSED;
			unsure |= s[i].change == CHANGE_INCONCLUSIVE;
		}
		o.alarms += alarm;
		o.unsure += unsure && !alarm;
		o.told += s[0].change == CHANGE_REGRESSED;
		o.passed += s[0].change == CHANGE_UNCHANGED || s[0].change == CHANGE_IMPROVED;
	}
	return o;
}

static int broken;

static void promise(bool kept, const char *what, const struct pairs *c)
{
	if (kept)
		return;
	broken = 1;
	fprintf(stderr, "not kept: %s (noise %d, %zu things, %zu runs, allowed %g)\n", what,
		(int)c->noise, c->things, c->runs, c->limit);
}

/* More runs detect no less, but for three standard errors of the two counts' difference. */
static bool no_less(unsigned before, unsigned now)
{
	double p = before / (double)PAIRS, q = now / (double)PAIRS;

	return q - p >= -3 * sqrt((p * (1 - p) + q * (1 - q)) / PAIRS);
}

static void rows(enum noise kind, size_t things, double limit)
{
	static const char *const names[] = {"normal", "heavy", "drifting"};
	struct outcome last[GROWTHS] = {{0}};

	printf("\n%s noise, %zu thing%s, allowed %g %%\n"
	       "       nothing changed  +7 %%            +20 %%           x100\n"
	       " runs  alarms   unsure  told    passed  told    passed  told    passed\n",
	       names[kind], things, things == 1 ? "" : "s", 100 * limit);
	for (size_t runs = 1; runs <= RUNS_MAX; runs++) {
		printf("%5zu", runs);
		for (size_t g = 0; g < GROWTHS; g++) {
			struct pairs c = {kind, runs, things, growths[g], limit};
			struct outcome o = simulate(&c);
			unsigned first = g ? o.told : o.alarms, second = g ? o.passed : o.unsure;

			printf("  %4u.%u %%%4u.%u %%", first / 10, first % 10, second / 10,
			       second % 10);
			promise(runs == 1 || g || o.alarms <= PAIRS / 20, "alarms of at most 5 %",
				&c);
			promise(runs <= 2 || !g || no_less(last[g].told, o.told),
				"power that grows with runs", &c);
			promise(g < GROWTHS - 1 || kind == HEAVY || !o.passed, "x100 never passes",
				&c);
			promise(g || !(limit > 0) || kind != NORMAL || things != 20 || runs < 5 ||
				    o.unsure <= PAIRS / 20,
				"a healthy build is seldom inconclusive", &c);
			last[g] = o;
		}
		printf("\n");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	static const size_t things[] = {1, 20, 1000};
	size_t most = argc > 1 ? (size_t)atoi(argv[1]) : THINGS_MAX;

	printf("What the judge decides of %d pairs of builds per cell (made by `make simulate`; "
	       "see judge.c).\n"
	       "One run a side is taken as exact and has no error rate: see judge.h.\n",
	       PAIRS);
	for (int kind = 0; kind < NOISES; kind++)
		for (size_t i = 0; i < 3; i++)
			for (int twice = 0; things[i] <= most && twice < 2; twice++)
				rows((enum noise)kind, things[i], twice * 2 * scale);
	return broken;
}
