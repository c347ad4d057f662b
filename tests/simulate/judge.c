/* SPDX-License-Identifier: MIT
 *
 * The decisions of the judge (lib/report/compare/judge.h), by simulation (simulate.h):
 *
 *	judge names                     the cells of the table, NOISE-BASE-NEW-SITES
 *	judge cell NAME [PAIRS GROWN]   one row of it, of so many healthy pairs and pairs of each growth
 *	judge head                      what stands above the rows
 *	judge detected NAME LIMIT [REPORTS] is a growth that the report calls detected with 80 % detected so often?
 *	judge tenth                     a tenth of all cells, and of the growths that reports call detected
 *	judge builds NAME BUILDS STEP LIMIT [HISTORIES] a base of so many builds of BASE runs each, of which the first site
 *	                                grows by STEP % a build, against the least of them for each site
 *	judge write NAME SEED FOLDER    a pair as folded stacks, baseN.folded and newN.folded, the first site 50 %
 *	                                above with odd seeds; prints the exit status of its judge
 *	judge cases                     decides what standard input says (cases.c)
 *
 * A row has the share of healthy pairs that end with 1 and with 5; of pairs in which a site grew by 5, 10
 * and 50 % those that found it, those that the yardstick finds (yardstick.c), and those that it finds less the median of
 * each run; of tenfold growth those that found it, those that passed, and in brackets those in which
 * the site is in no base run or in no new one. "not kept" beside a row, and exit 1 of a tenth, is a promise that is not:
 *
 *	alarms, inconclusive   more than 44 of 500 healthy pairs, and then more than 310 of 5,000 others;
 *	                       inconclusive not of one new run against N, which cannot fail by noise
 *	power                  fewer found than by a yardstick; on a machine factor, as few as without one
 *	tenfold                a pair that passes and has the site on both sides
 */
#include "lib/report/compare/judge_least.h"
#include "tests/simulate/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t all_sites[] = {1, 20, 200, 500};
static const size_t all_runs[][2] = {{3, 3}, {5, 5}, {8, 8}, {10, 10}, {5, 1}, {10, 1}};
static const double growths[] = {1.05, 1.1, 1.5, 10};

enum { N_SITES = 4, N_RUNS = 6, N_GROWTHS = 4, FRESH = 8, CELLS = NOISES * N_RUNS * N_SITES };

static struct pair pair;

/* --- one pair --- */

static int judge_pair(const struct kind *c, double limit, bool detectable,
		      struct judge_subject *first)
{
	static struct judge_subject s[SITES_MAX];
	struct judge_rule r = {.subjects = s, .n = c->sites};
	int end;

	for (size_t i = 0; i < c->sites; i++)
		s[i] = (struct judge_subject){.base = {pair.base[i], c->n_base},
					      .new = {pair.new[i], c->n_new},
					      .ratio = limit};
	judge_rules(&r, 1,
		    &(struct judge_options){.alpha = 0.05, .power = 0.8, .detectable = detectable});
	end = judge_end(&r, 1);
	*first = s[0];
	judge_release(&r, 1);
	return end;
}

static bool first_is_absent(const struct kind *c)
{
	double in_base = 0, in_new = 0;

	for (size_t k = 0; k < c->n_base; k++)
		in_base += pair.base[0][k];
	for (size_t k = 0; k < c->n_new; k++)
		in_new += pair.new[0][k];
	return in_base == 0 || in_new == 0;
}

/* --- a cell of the table --- */

struct outcome { /* pairs */
	unsigned pairs, fail, unsure;
	unsigned found, passed; /* the first site regressed; the gate passed */
	unsigned yard[2], only_yard[2], only_judge[2]; /* and by the yardsticks */
	unsigned absent; /* the first site is in no new run, or in no base run */
};

static struct outcome simulate(const struct kind *c, unsigned pairs)
{
	struct outcome o = {.pairs = pairs};
	bool yards = c->growth > 1 && c->growth < 2 && c->n_base == c->n_new;

	for (unsigned i = 0; i < pairs; i++) {
		struct judge_subject first;
		bool found, absent;
		int end;

		simulate_sites(c, &pair);
		simulate_runs(c, &pair);
		end = judge_pair(c, 0, false, &first);
		found = first.change == CHANGE_REGRESSED;
		absent = first_is_absent(c);
		o.fail += end == 1;
		o.unsure += end == 5;
		o.found += found;
		o.passed += !end && !absent;
		o.absent += absent;
		for (int y = 0; yards && y < (c->sites > 1 ? 2 : 1); y++) {
			bool yard = simulate_yardstick(c, &pair, y);

			o.yard[y] += yard;
			o.only_yard[y] += yard && !found;
			o.only_judge[y] += found && !yard;
		}
	}
	return o;
}

struct row {
	struct outcome healthy, grown[N_GROWTHS];
	char broken[256];
};

static void broken(struct row *r, const char *what)
{
	snprintf(r->broken + strlen(r->broken), sizeof r->broken - strlen(r->broken), "%s %s",
		 *r->broken ? "," : "  not kept:", what);
}

static void hold_rates(struct row *r, const struct kind *c)
{
	struct outcome *o = &r->healthy;
	unsigned most = o->pairs * 44 / 500;
	bool one = c->n_new == 1;

	if (o->fail <= most && (o->unsure <= most || one))
		return;
	*o = simulate(c, 5000);
	if (o->fail > 310)
		broken(r, "alarms");
	if (o->unsure > 310 && !one)
		broken(r, "inconclusive");
}

/* Not below the yardsticks, but for three standard errors of the pairs in which they differ; where all runs
 * differ by a factor, and sites by less, above the one that leaves it in. */
static void hold_power(struct row *r, const struct kind *c)
{
	const char *const what[] = {"power at +5 %", "power at +10 %", "power at +50 %"};

	for (int i = 0; i < 3; i++)
		for (int y = 0; y < 2; y++) {
			const struct outcome *o = &r->grown[i];
			double less = (double)o->only_yard[y] - (double)o->only_judge[y];
			bool more = c->noise == MACHINE && c->sites > 1 && !y &&
				    o->yard[0] < o->pairs * 9 / 10;

			if (less > 3 * sqrt(o->only_yard[y] + o->only_judge[y]) ||
			    (more && less >= 0))
				broken(r, what[i]);
		}
}

static void simulate_row(struct kind *c, unsigned healthy, unsigned grown, struct row *r)
{
	*r = (struct row){.broken = ""};
	simulate_seed((uint64_t)c->noise + 16 * c->n_base + 1024 * c->sites + 1048576 * c->n_new);
	c->growth = 1;
	r->healthy = simulate(c, healthy);
	hold_rates(r, c);
	for (int i = 0; i < N_GROWTHS; i++) {
		c->growth = growths[i];
		r->grown[i] = simulate(c, grown);
	}
	if (c->n_base == c->n_new)
		hold_power(r, c);
	if (r->grown[N_GROWTHS - 1].passed)
		broken(r, "tenfold");
}

static double percent(unsigned n, unsigned of)
{
	return 100.0 * n / (of ? of : 1);
}

static void print_head(void)
{
	printf("                healthy, ends  found of (by the yardsticks)\n"
	       "noise   runs sites with 1 with 5  +5 %%             +10 %%            +50 %%"
	       "            x10 passed\n");
}

static void print_row(const struct kind *c, const struct row *r)
{
	const struct outcome *x10 = &r->grown[N_GROWTHS - 1];

	printf("%-8s %zu:%-2zu %3zu %6.1f %5.1f", simulate_noises[c->noise], c->n_base, c->n_new,
	       c->sites, percent(r->healthy.fail, r->healthy.pairs),
	       percent(r->healthy.unsure, r->healthy.pairs));
	for (int i = 0; i < 3; i++) {
		const struct outcome *o = &r->grown[i];

		printf("  %4.0f", percent(o->found, o->pairs));
		if (c->n_base != c->n_new)
			printf("            ");
		else if (c->sites > 1)
			printf(" (%3.0f, %3.0f)", percent(o->yard[0], o->pairs),
			       percent(o->yard[1], o->pairs));
		else
			printf(" (%3.0f)     ", percent(o->yard[0], o->pairs));
	}
	printf(" %4.0f %3u", percent(x10->found, x10->pairs), x10->passed);
	if (x10->absent)
		printf(" (%u)", x10->absent);
	printf("%s\n", r->broken);
	fflush(stdout);
}

/* --- names of cells --- */

static struct kind cell(size_t i)
{
	return (struct kind){.noise = (enum noise)(i / (N_RUNS * N_SITES)),
			     .n_base = all_runs[i / N_SITES % N_RUNS][0],
			     .n_new = all_runs[i / N_SITES % N_RUNS][1],
			     .sites = all_sites[i % N_SITES],
			     .growth = 1};
}

static struct kind named(const char *name)
{
	struct kind c = {.growth = 1};
	int at = 0;

	for (int i = 0; i <= NOISES; i++) {
		size_t n = strlen(simulate_noises[i]);

		if (!strncmp(name, simulate_noises[i], n) && name[n] == '-') {
			c.noise = (enum noise)i;
			sscanf(name + n, "-%zu-%zu-%zu%n", &c.n_base, &c.n_new, &c.sites, &at);
			at = at && !name[n + (size_t)at];
		}
	}
	if (at && c.n_base && c.n_new && c.n_base <= RUNS_MAX && c.n_new <= RUNS_MAX && c.sites &&
	    c.sites <= SITES_MAX)
		return c;
	fprintf(stderr, "no cell is called '%s'\n", name);
	exit(2);
}

static void print_names(void)
{
	for (size_t i = 0; i < CELLS; i++) {
		struct kind c = cell(i);

		printf("%s-%zu-%zu-%zu\n", simulate_noises[c.noise], c.n_base, c.n_new, c.sites);
	}
}

/* --- the growth that a report calls detected --- */

/* Of reports on healthy pairs: the share in which a growth as large as the report says is detected,
 * planted in other runs of the same sites, FRESH times each. */
static double told_detected(struct kind c, double limit, unsigned reports, double *middle)
{
	unsigned detectable = 0, detected = 0;

	*middle = 0;
	for (unsigned i = 0; i < reports; i++) {
		struct judge_subject first;

		c.growth = 1;
		simulate_sites(&c, &pair);
		simulate_runs(&c, &pair);
		judge_pair(&c, limit, true, &first);
		if (!(first.detectable > 0))
			continue;
		detectable++;
		c.growth = 1 + first.detectable / first.middle_base;
		*middle += c.growth - 1;
		for (int k = 0; k < FRESH; k++) {
			simulate_runs(&c, &pair);
			judge_pair(&c, limit, false, &first);
			detected += first.change == CHANGE_REGRESSED;
		}
	}
	*middle /= detectable ? detectable : 1;
	return percent(detected, detectable * FRESH);
}

static void print_told(const char *name, double limit, unsigned reports)
{
	double middle, detected;

	simulate_seed(1);
	detected = told_detected(named(name), limit / 100, reports, &middle);
	printf("%-18s limit %g %%: told %.1f %% on average, detected %.1f %%\n", name, limit,
	       100 * middle, detected);
}

/* --- a tenth --- */

/* What has few sets of runs or few sites: the others take minutes each. */
static bool is_quick(const struct kind *c)
{
	return c->sites < 200 || (c->sites == 200 && c->n_base < 8) || c->n_base == 3 ||
	       c->n_new == 1;
}

static int say(bool kept, const char *what)
{
	printf("%s - %s\n", kept ? "ok" : "not ok", what);
	fflush(stdout);
	return !kept;
}

static int tenth_of_cells(void)
{
	int failed = 0;
	size_t quick = 0;

	for (size_t i = 0; i < CELLS; i++) {
		struct kind c = cell(i);
		struct row r;
		char what[512];

		if (!is_quick(&c) || quick++ % 9 != 4)
			continue;
		simulate_row(&c, 500, 100, &r);
		snprintf(what, sizeof what, "%s, %zu against %zu, %zu sites: %.1f %.1f %%%s",
			 simulate_noises[c.noise], c.n_base, c.n_new, c.sites,
			 percent(r.healthy.fail, r.healthy.pairs),
			 percent(r.healthy.unsure, r.healthy.pairs), r.broken);
		failed |= say(!*r.broken, what);
	}
	return failed;
}

/* 75 to 85 %, but for three standard errors: of what is detected of a report the variance is up to 0.06. */
static int tenth_of_told(void)
{
	static const struct {
		const char *name;
		double limit;
		unsigned reports;
	} detectable[] = {
	    {"normal-3-3-1", 0, 250},   {"normal-3-3-20", 5, 120},   {"tails-3-3-20", 0, 120},
	    {"outliers-3-3-1", 0, 250}, {"outliers-3-3-20", 0, 120}, {"machine-3-3-20", 0, 120},
	    {"spread-3-3-20", 0, 120},  {"normal-5-5-20", 0, 40},    {"tails-5-5-20", 0, 40},
	    {"outliers-5-5-20", 0, 40}, {"machine-5-5-20", 0, 40},   {"spread-5-5-20", 0, 40}};
	int failed = 0;

	for (size_t i = 0; i < sizeof detectable / sizeof *detectable; i++) {
		double middle, detected, error;
		char what[128];

		simulate_seed(1);
		detected = told_detected(named(detectable[i].name), detectable[i].limit / 100,
					 detectable[i].reports, &middle);
		error = 300 * sqrt(0.06 / detectable[i].reports);
		snprintf(what, sizeof what, "told of %s, limit %g %%: detected %.1f %%",
			 detectable[i].name, detectable[i].limit, detected);
		failed |= say(detected > 75 - error && detected < 85 + error, what);
	}
	return failed;
}

/* Noise of two levels, by which few base runs are the same: q^b (1 - q)^w is largest at q = b / n. */
static int tenth_of_levels(void)
{
	static const size_t runs[][2] = {{2, 1}, {5, 1}, {2, 2}, {3, 2}, {3, 3}};
	int failed = 0;

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		struct kind c = {LEVELS, runs[i][0], runs[i][1], 1, 1};
		double b = (double)c.n_base, w = (double)c.n_new;
		double most = pow(b / (b + w), b) * pow(w / (b + w), w);
		struct outcome o;
		char what[128];

		simulate_seed(1);
		o = simulate(&c, 5000);
		snprintf(what, sizeof what,
			 "two levels, %zu against %zu: %.1f %% fail, of at most %.1f %%", c.n_base,
			 c.n_new, percent(o.fail, 5000), 100 * most);
		failed |= say(o.fail <= 5000 * most + 3 * sqrt(5000 * most), what);
	}
	return failed;
}

/* --- builds of a history --- */

/* So many histories, of builds of c->n_base runs each; the first site grows with each build by this factor. */
static struct outcome simulate_builds(const struct kind *c, size_t builds, double step,
				      double limit, unsigned histories)
{
	struct outcome o = {.pairs = histories};
	struct kind whole = *c;
	size_t of[RUNS_MAX];

	whole.n_base *= builds;
	whole.growth = pow(step, (double)builds);
	for (size_t k = 0; k < whole.n_base; k++)
		of[k] = k / c->n_base;
	for (unsigned i = 0; i < histories; i++) {
		struct judge_builds b = {of, whole.n_base, builds};
		struct judge_subject first;
		int end;

		simulate_sites(&whole, &pair);
		simulate_runs(&whole, &pair);
		for (size_t k = 0; k < whole.n_base; k++)
			pair.base[0][k] = rint(pair.base[0][k] * pow(step, (double)of[k]));
		for (size_t s = 0; s < c->sites; s++)
			judge_least(&b, pair.base[s]);
		end = judge_pair(&whole, limit, false, &first);
		o.fail += end == 1;
		o.unsure += end == 5;
		o.found += first.change == CHANGE_REGRESSED;
	}
	return o;
}

static void print_builds(const char *name, size_t builds, double step, double limit,
			 unsigned histories)
{
	struct kind c = named(name);
	struct outcome o;

	if (!builds || c.n_base * builds > RUNS_MAX) {
		fprintf(stderr, "at most %d runs in all\n", RUNS_MAX);
		exit(2);
	}
	simulate_seed(1);
	o = simulate_builds(&c, builds, 1 + step / 100, limit / 100, histories);
	printf("%-18s %zu builds, %+g %% each, limit %g %%: %.1f %% fail, %.1f %% unsure, %.1f %% "
	       "found\n",
	       name, builds, step, limit, percent(o.fail, histories), percent(o.unsure, histories),
	       percent(o.found, histories));
}

/* Ten builds of three or five runs; what grows by 1 % a build is 10 % above the oldest, and may be 5 %. */
static int tenth_of_builds(void)
{
	static const struct {
		const char *name;
		double step, limit;
	} rows[] = {{"normal-3-3-20", 0, 0}, {"tails-3-3-20", 0, 0},   {"bimodal-3-3-20", 0, 0},
		    {"zero-3-3-20", 0, 0},   {"machine-3-3-20", 0, 0}, {"normal-5-5-20", 1, 5},
		    {"spread-5-5-20", 1, 5}};
	int failed = 0;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kind c = named(rows[i].name);
		struct outcome o;
		char what[128];

		simulate_seed(1);
		o = simulate_builds(&c, 10, 1 + rows[i].step / 100, rows[i].limit / 100, 500);
		if (rows[i].step <= 0 && o.fail > 44)
			o = simulate_builds(&c, 10, 1, 0, 5000);
		snprintf(what, sizeof what,
			 "ten builds, %s, %g %% a build, limit %g %%: %.1f %% fail", rows[i].name,
			 rows[i].step, rows[i].limit, percent(o.fail, o.pairs));
		failed |=
		    say(rows[i].step > 0 ? o.found * 5 > o.pairs * 2
					 : percent(o.fail, o.pairs) <= (o.pairs > 500 ? 6.2 : 8.8),
			what);
	}
	return failed;
}

/* --- the whole --- */

/* A capture of each run: what sites allocate, by name. */
static int write_pair(const char *name, unsigned seed, const char *folder)
{
	struct kind c = named(name);
	struct judge_subject first;

	simulate_seed(seed);
	c.growth = seed % 2 ? 1.5 : 1;
	simulate_sites(&c, &pair);
	simulate_runs(&c, &pair);
	for (size_t k = 0; k < c.n_base + c.n_new; k++) {
		bool in_base = k < c.n_base;
		size_t run = in_base ? k : k - c.n_base;
		char path[4096];
		FILE *f;

		snprintf(path, sizeof path, "%s/%s%zu.folded", folder, in_base ? "base" : "new",
			 run);
		f = fopen(path, "w");
		if (!f)
			return 2;
		for (size_t i = 0; i < c.sites; i++) {
			double v = in_base ? pair.base[i][run] : pair.new[i][run];

			if (v > 0)
				fprintf(f, "main;site%03zu %.0f\n", i, v);
		}
		fclose(f);
	}
	printf("%d\n", judge_pair(&c, 0, false, &first));
	return 0;
}

static unsigned number(char **argv, int argc, int i, unsigned otherwise)
{
	return i < argc ? (unsigned)strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "names")) {
		print_names();
	} else if (!strcmp(what, "head")) {
		print_head();
	} else if (!strcmp(what, "cell") && argc > 2) {
		struct kind c = named(argv[2]);
		struct row r;

		simulate_row(&c, number(argv, argc, 3, 500), number(argv, argc, 4, 200), &r);
		print_row(&c, &r);
	} else if (!strcmp(what, "detected") && argc > 3) {
		print_told(argv[2], strtod(argv[3], NULL), number(argv, argc, 4, 500));
	} else if (!strcmp(what, "tenth")) {
		return tenth_of_cells() | tenth_of_told() | tenth_of_levels() | tenth_of_builds();
	} else if (!strcmp(what, "builds") && argc > 5) {
		print_builds(argv[2], number(argv, argc, 3, 1), strtod(argv[4], NULL),
			     strtod(argv[5], NULL), number(argv, argc, 6, 500));
	} else if (!strcmp(what, "write") && argc > 4) {
		return write_pair(argv[2], number(argv, argc, 3, 1), argv[4]);
	} else if (!strcmp(what, "cases")) {
		simulate_cases();
	} else {
		fprintf(stderr, "judge names | head | cell NAME | detected NAME LIMIT | tenth | "
				"builds NAME BUILDS STEP LIMIT | write NAME SEED FOLDER | cases\n");
		return 2;
	}
	return 0;
}
