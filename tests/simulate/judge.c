/* SPDX-License-Identifier: MIT
 *
 * The decisions of the judge (lib/report/compare/judge.h), by simulation. Without an argument it
 * prints the table that is checked in as judge.txt, and ends with 1 when a promise is not kept; `tenth` is
 * a tenth of it. `cases` decides what standard input says instead:
 *
 *	case BASE NEW ALPHA RUNS RULES
 *	rule RATIO ABSOLUTE SUBJECTS        so many rules; each is followed by a line for each subject
 *	V V V ...                           with its BASE + NEW values
 *
 * and prints for each case
 *
 *	case EXIT WAYS                      0, 1 or 5; sets of runs that were tried, 1 of single runs
 *	rule WORD P                         of what its subjects have in common; - without a factor
 *	WORD WHY P                          of each subject
 *
 * A pair is the runs of a base and of a new build, taken in turn (a single new one is the last), each
 * with so many sites of means from 1,000 to 1,000,000. In a build that grew the first site did. Noises:
 *
 *	normal    2 %
 *	tails     2 % times Student's t with 2 degrees of freedom: its variance is infinite
 *	outliers  lognormal 3 %, and one value of 20 is half as large again
 *	pareto    0.9 + 0.1 X, P(X > x) = (1 + x)^-2.5
 *	bimodal   0 or +6 %, each half of the time
 *	zero      none at all in 30 % of runs, else normal 2 %
 *	steps     multiples of 4 %: a normal of 0.6, rounded
 *	drift     5 % from the first to the last run, in all sites alike; normal 1 % besides
 *	ar1       2 %, of which each run keeps 0.8 of the one before
 *	machine   normal 3 % of each run, in all sites alike; 0.5 % of each site
 *	spread    lognormal of 2 % exp(0.8 Z), Z normal and of each site
 *
 * Beside what the judge finds stands what the test of 20 lines finds that was the yardstick: the
 * same exchange of runs, with plain logarithms, the statistic (mean - mean) / sqrt((4 v + d s^2) / (4
 * + d) 2 / N), v the median of s^2 over sites, d = 2 N - 2, 99 random exchanges.
 */
#include "lib/report/compare/judge.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/stats/exchange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 20, SITES_MAX = 500 };

enum noise {
	NORMAL,
	TAILS,
	OUTLIERS,
	PARETO,
	BIMODAL,
	ZERO,
	STEPS,
	DRIFT,
	AR1,
	MACHINE,
	SPREAD,
	NOISES
};

static const char *const noises[] = {"normal", "tails", "outliers", "pareto",  "bimodal", "zero",
				     "steps",  "drift", "ar1",      "machine", "spread"};

/* --- random numbers --- */

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
	double r = sqrt(-2 * log(uniform()));

	return r * cos(6.283185307179586 * uniform());
}

/* --- pairs of builds --- */

struct pairs {
	enum noise noise;
	size_t n_base, n_new, sites;
	double growth, limit;
};

static double base[SITES_MAX][RUNS_MAX], new[SITES_MAX][RUNS_MAX];

/* What does not differ from run to run, or from site to site. */
struct around {
	double machine, time; /* of the run */
	double before, sd;    /* of the site */
};

static double factor(enum noise kind, struct around *a)
{
	double before = a->before;

	switch (kind) {
	case NORMAL: return 1 + 0.02 * normal();
	/* t with 2 degrees: normal by the root of an exponential. */
	case TAILS: return 1 + 0.02 * normal() / sqrt(-log(uniform()));
	case OUTLIERS: return exp(0.03 * normal()) * (uniform() < 0.05 ? 1.5 : 1);
	case PARETO: return 0.9 + 0.1 * (pow(uniform(), -1 / 2.5) - 1);
	case BIMODAL: return (uniform() < 0.5 ? 1 : 1.06) + 0.003 * normal();
	case ZERO: return uniform() < 0.3 ? 0 : 1 + 0.02 * normal();
	case STEPS: return 1 + 0.04 * round(0.6 * normal());
	case DRIFT: return 1 + 0.05 * a->time + 0.01 * normal();
	case AR1: a->before = 0.8 * before + 0.6 * normal(); return 1 + 0.02 * before;
	case MACHINE: return (1 + 0.03 * a->machine) * (1 + 0.005 * normal());
	default: return exp(a->sd * normal());
	}
}

/* In turn; where one side has a single run, the base comes first. */
static bool is_base(const struct pairs *c, size_t run, size_t n_base)
{
	if (c->n_base == 1 || c->n_new == 1)
		return run < c->n_base;
	return n_base < c->n_base && (run % 2 == 0 || run - n_base >= c->n_new);
}

static void draw_pair(const struct pairs *c)
{
	size_t n = c->n_base + c->n_new;
	double machine[RUNS_MAX];

	for (size_t k = 0; k < n; k++)
		machine[k] = normal();
	for (size_t i = 0; i < c->sites; i++) {
		double mean = rint(pow(10, 3 + 3 * uniform()));
		struct around a = {.before = normal(), .sd = 0.02 * exp(0.8 * normal())};
		size_t n_base = 0;

		for (size_t k = 0; k < n; k++) {
			double f;

			a.machine = machine[k];
			a.time = (double)k / (double)n;
			f = factor(c->noise, &a);
			f = f > 0 ? f : 0;
			if (is_base(c, k, n_base))
				base[i][n_base++] = rint(mean * f);
			else
				new[i][k - n_base] = rint(mean * f * (i ? 1 : c->growth));
		}
	}
}

/* --- the yardstick --- */

static int simulate_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double logs[SITES_MAX][RUNS_MAX];

static void side_sums(size_t site, size_t runs, const bool *in, bool side, double *mean,
		      double *squares)
{
	double n = (double)runs / 2;

	*mean = *squares = 0;
	for (size_t k = 0; k < runs; k++)
		*mean += in[k] == side ? logs[site][k] / n : 0;
	for (size_t k = 0; k < runs; k++)
		*squares += in[k] == side ? (logs[site][k] - *mean) * (logs[site][k] - *mean) : 0;
}

/* The statistics of all sites, if these are the new runs; the largest. */
static double yardstick_statistics(const struct pairs *c, const uint32_t *set, double *t)
{
	static double variances[SITES_MAX], sorted[SITES_MAX];
	double n = (double)c->n_new, d = 2 * n - 2, v, most = -INFINITY;
	bool in[RUNS_MAX] = {false};

	for (size_t k = 0; k < c->n_new; k++)
		in[set[k]] = true;
	for (size_t i = 0; i < c->sites; i++) {
		double before, after, one, other;

		side_sums(i, c->n_base + c->n_new, in, false, &before, &one);
		side_sums(i, c->n_base + c->n_new, in, true, &after, &other);
		t[i] = after - before;
		variances[i] = sorted[i] = (one + other) / d;
	}
	sort_array(sorted, c->sites, sizeof *sorted, simulate_ascending);
	v = (sorted[c->sites / 2] + sorted[(c->sites - 1) / 2]) / 2 + 1e-12;
	for (size_t i = 0; i < c->sites; i++) {
		t[i] /= sqrt((4 * v + d * variances[i]) / (4 + d) * 2 / n);
		most = t[i] > most ? t[i] : most;
	}
	return most;
}

/* Does the first site regress by it? */
static bool yardstick(const struct pairs *c)
{
	static double t[SITES_MAX];
	struct exchange x;
	double observed, largest[100];

	if (c->n_base != c->n_new)
		return false;
	for (size_t i = 0; i < c->sites; i++)
		for (size_t k = 0; k < c->n_base + c->n_new; k++) {
			double v = k < c->n_base ? base[i][k] : new[i][k - c->n_base];

			logs[i][k] = log(v > 1 ? v : 1);
		}
	exchange_init(&x, c->n_base + c->n_new, c->n_new, 20, 100);
	yardstick_statistics(c, x.sets, t);
	observed = t[0];
	for (size_t i = 1; i < x.n; i++)
		largest[i - 1] = yardstick_statistics(c, x.sets + i * x.chosen, t);
	sort_array(largest, x.n - 1, sizeof *largest, simulate_ascending);
	observed -= largest[x.n == 20 ? 18 : 94];
	exchange_release(&x);
	return observed > 1e-9;
}

/* --- cells of the table --- */

struct outcome { /* pairs */
	unsigned fail, unsure;
	unsigned found, missed;               /* the first site regressed; the gate passed, */
	unsigned yard, only_yard, only_judge; /* and by the yardstick */
	unsigned absent; /* the first site is in no new run, or in no base run */
};

static int judge_pair(const struct pairs *c, bool *found)
{
	static struct judge_subject s[SITES_MAX];
	struct judge_rule r = {.subjects = s, .n = c->sites};
	bool fail, unsure;

	for (size_t i = 0; i < c->sites; i++)
		s[i] = (struct judge_subject){
		    .base = {base[i], c->n_base}, .new = {new[i], c->n_new}, .ratio = c->limit};
	judge_rules(&r, 1, &(struct judge_options){.alpha = 0.05});
	fail = r.common.change == CHANGE_REGRESSED;
	unsure = r.common.change == CHANGE_INCONCLUSIVE;
	for (size_t i = 0; i < c->sites; i++) {
		fail |= s[i].change == CHANGE_REGRESSED;
		unsure |= s[i].change == CHANGE_INCONCLUSIVE;
	}
	*found = s[0].change == CHANGE_REGRESSED;
	judge_release(&r, 1);
	return fail ? 1 : unsure ? 5 : 0;
}

static bool first_is_absent(const struct pairs *c)
{
	double in_base = 0, in_new = 0;

	for (size_t k = 0; k < c->n_base; k++)
		in_base += base[0][k];
	for (size_t k = 0; k < c->n_new; k++)
		in_new += new[0][k];
	return in_base == 0 || in_new == 0;
}

static struct outcome simulate(const struct pairs *c, unsigned pairs)
{
	struct outcome o = {.fail = 0};

	for (unsigned i = 0; i < pairs; i++) {
		bool found, absent, yard;
		int end;

		draw_pair(c);
		end = judge_pair(c, &found);
		absent = first_is_absent(c);
		yard = c->growth > 1 && yardstick(c);
		o.fail += end == 1;
		o.unsure += end == 5;
		o.found += found;
		o.missed += !end && !absent;
		o.absent += absent;
		o.yard += yard;
		o.only_yard += yard && !found;
		o.only_judge += found && !yard;
	}
	return o;
}

/* --- the table --- */

struct plan {
	unsigned healthy, grown; /* pairs of a cell */
	bool broken;
};

static void broken(struct plan *p, const struct pairs *c, const char *what, unsigned n)
{
	p->broken = true;
	fprintf(stderr,
		"not kept: %s: %u (%s, %zu against %zu, %zu sites, +%g %%, allowed %g %%)\n", what,
		n, noises[c->noise], c->n_base, c->n_new, c->sites, 100 * (c->growth - 1),
		100 * c->limit);
}

/* Of 500 healthy pairs at most 44, or of 5,000 others 310; of fewer pairs, as unlikely a number asks for 500. */
static void hold_rates(struct plan *p, const struct pairs *c, const struct outcome *o)
{
	bool few = p->healthy<500, reachable = c->n_new> 1;
	unsigned most = few ? p->healthy / 20 + p->healthy / 8 : 44;
	struct outcome again = *o;

	if (o->fail <= most && (o->unsure <= most || !reachable))
		return;
	again = simulate(c, few ? 500 : 5000);
	most = few ? 44 : 310;
	if (again.fail > most)
		broken(p, c, "alarms", again.fail);
	if (again.unsure > most && reachable)
		broken(p, c, "inconclusive", again.unsure);
}

/* Not below the yardstick, but for three standard errors of the pairs in which they differ. */
static void hold_power(struct plan *p, const struct pairs *c, const struct outcome *o)
{
	double less = (double)o->only_yard - (double)o->only_judge;

	if (c->n_base == c->n_new && less > 3 * sqrt(o->only_yard + o->only_judge))
		broken(p, c, "less power than the yardstick", (unsigned)less);
}

static double percent(unsigned n, unsigned of)
{
	return 100.0 * n / (of ? of : 1);
}

static void print_row(struct plan *p, struct pairs *c)
{
	static const double growths[] = {1.05, 1.1, 1.5, 10};
	bool both = c->n_base == c->n_new;
	struct outcome o;

	state = (uint64_t)c->noise + 16 * c->n_base + 1024 * c->sites;
	c->growth = 1;
	o = simulate(c, p->healthy);
	hold_rates(p, c, &o);
	printf("%-8s %2zu:%-2zu %4zu %6.1f %5.1f", noises[c->noise], c->n_base, c->n_new, c->sites,
	       percent(o.fail, p->healthy), percent(o.unsure, p->healthy));
	for (size_t i = 0; i < 4; i++) {
		c->growth = growths[i];
		o = simulate(c, p->grown);
		hold_power(p, c, &o);
		printf("  %4.0f", percent(o.found, p->grown));
		if (i < 3 && both)
			printf(" %3.0f", percent(o.yard, p->grown));
		else if (i < 3)
			printf("    ");
	}
	printf(" %4u", o.missed);
	if (o.absent)
		printf(" (%u)", o.absent);
	printf("\n");
	fflush(stdout);
	if (o.missed)
		broken(p, c, "tenfold passes", o.missed);
}

static void print_table(struct plan *p)
{
	static const size_t sites[] = {1, 20, 200, 500};
	static const size_t runs[][2] = {{3, 3}, {5, 5}, {8, 8}, {10, 10}, {5, 1}, {10, 1}};

	printf(
	    "                   healthy ends     found of           (the yardstick)\n"
	    "noise    runs sites with 1 with 5     +5 %%       +10 %%      +50 %%    x10 passed\n");
	for (int kind = 0; kind < NOISES; kind++)
		for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
			for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
				struct pairs c = {.noise = (enum noise)kind,
						  .n_base = runs[r][0],
						  .n_new = runs[r][1],
						  .sites = sites[i]};

				print_row(p, &c);
			}
}

/* --- cases --- */

static const char *const changes[] = {"pass", "improved", "fail", "inconclusive"};
static const char *const whys[JUDGE_WHYS] = {"-",       "single", "few",  "large",
					     "appears", "many",   "above"};

static void read_number(double *to)
{
	if (scanf("%lf", to) == 1)
		return;
	fprintf(stderr, "a number is missing\n");
	exit(2);
}

static size_t read_count(size_t most)
{
	double v;

	read_number(&v);
	if (v >= 0 && v <= (double)most)
		return (size_t)v;
	fprintf(stderr, "%g is no count\n", v);
	exit(2);
}

static void read_word(const char *word)
{
	char text[16];

	if (scanf("%15s", text) == 1 && !strcmp(text, word))
		return;
	fprintf(stderr, "'%s' is missing\n", word);
	exit(2);
}

static void read_rule(struct judge_rule *r, size_t n_base, size_t n_new)
{
	double ratio, absolute;

	read_word("rule");
	read_number(&ratio);
	read_number(&absolute);
	r->n = read_count(1000000);
	r->subjects = mem_zarray(r->n + 1, sizeof *r->subjects);
	for (size_t i = 0; i < r->n; i++) {
		double *v = mem_array(n_base + n_new, sizeof *v);

		for (size_t k = 0; k < n_base + n_new; k++)
			read_number(&v[k]);
		r->subjects[i] = (struct judge_subject){.base = {v, n_base},
							.new = {v + n_base, n_new},
							.ratio = ratio,
							.absolute = absolute};
	}
}

static int end_of(const struct judge_rule *rules, size_t n)
{
	bool fail = false, unsure = false;

	for (size_t i = 0; i < n; i++) {
		fail |= rules[i].common.change == CHANGE_REGRESSED;
		unsure |= rules[i].common.change == CHANGE_INCONCLUSIVE;
		for (size_t k = 0; k < rules[i].n; k++) {
			fail |= rules[i].subjects[k].change == CHANGE_REGRESSED;
			unsure |= rules[i].subjects[k].change == CHANGE_INCONCLUSIVE;
		}
	}
	return fail ? 1 : unsure ? 5 : 0;
}

static void print_case(const struct judge_rule *rules, size_t n, size_t ways)
{
	printf("case %d %zu\n", end_of(rules, n), ways ? ways : 1);
	for (size_t i = 0; i < n; i++) {
		if (rules[i].factors)
			printf("rule %s %.9g\n", changes[rules[i].common.change],
			       rules[i].common.p);
		else
			printf("rule -\n");
		for (size_t k = 0; k < rules[i].n; k++) {
			const struct judge_subject *s = &rules[i].subjects[k];

			printf("%s %s %.9g\n", changes[s->change], whys[s->why], s->p);
		}
	}
}

static void decide_cases(void)
{
	char word[16];

	while (scanf("%15s", word) == 1) {
		struct judge_options o = {.decrease = true};
		size_t n_base = read_count(1000), n_new = read_count(1000), n;
		struct judge_result result;
		struct judge_rule *rules;

		read_number(&o.alpha);
		o.runs_min = read_count(1000);
		n = read_count(1000);
		rules = mem_zarray(n + 1, sizeof *rules);
		for (size_t i = 0; i < n; i++)
			read_rule(&rules[i], n_base, n_new);
		result = judge_rules(rules, n, &o);
		print_case(rules, n, result.orders);
		judge_release(rules, n);
		for (size_t i = 0; i < n; i++) {
			for (size_t k = 0; k < rules[i].n; k++)
				free((void *)(uintptr_t)rules[i].subjects[k].base.v);
			free(rules[i].subjects);
		}
		free(rules);
	}
}

int main(int argc, char **argv)
{
	struct plan p = {.healthy = 500, .grown = 200};

	if (argc > 1 && !strcmp(argv[1], "cases")) {
		decide_cases();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "tenth"))
		p = (struct plan){.healthy = 50, .grown = 20};
	print_table(&p);
	return p.broken;
}
