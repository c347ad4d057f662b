/* SPDX-License-Identifier: MIT
 *
 * A policy for a project that has none, fitted to what its runs differ by themselves.
 */
#include "lib/report/compare/policy_init.h"

#include "lib/report/compare/view.h"
#include "lib/table/table.h"

#include <math.h>

enum { INIT_KIB = 1 << 10, INIT_FLOOR_MOST = 1 << 20, INIT_SITE_PERCENT = 20 };

/* What two runs differ by at most can come again, and somewhat more. */
static const double init_margin = 1.5;

struct init_range {
	double least, most;
};

static const struct compare_group *init_runs(const struct compare *c)
{
	return &c->groups[c->n_groups - 1];
}

static void init_take(struct init_range *r, double v, bool first)
{
	r->least = first || v < r->least ? v : r->least;
	r->most = first || v > r->most ? v : r->most;
}

static bool init_total(const struct compare *c, enum sum sum, struct init_range *to)
{
	const struct compare_group *g = init_runs(c);

	for (size_t i = 0; i < g->n; i++) {
		__int128 v;

		if (!compare_raw_total(g->runs[i], sum, &v))
			return false;
		init_take(to, (double)v, i == 0);
	}
	return true;
}

/* In percent of the least. */
static double init_spread(const struct init_range *r)
{
	return r->least > 0 ? 100 * (r->most - r->least) / r->least : 0;
}

static double init_up_to_power(double v)
{
	double p = INIT_KIB;

	while (p < v)
		p *= 2;
	return p;
}

static void init_add_amount(struct buf *b, enum sum sum, double v)
{
	if (sum_names[sum].unit == SUM_NS)
		buf_addf(b, "%.0fns", v);
	else if (sum_names[sum].unit == SUM_BYTES && v >= INIT_FLOOR_MOST &&
		 fmod(v, INIT_FLOOR_MOST) == 0)
		buf_addf(b, "%.0fMiB", v / INIT_FLOOR_MOST);
	else if (sum_names[sum].unit == SUM_BYTES && v >= INIT_KIB && fmod(v, INIT_KIB) == 0)
		buf_addf(b, "%.0fKiB", v / INIT_KIB);
	else
		buf_addf(b, "%.0f", v);
}

static void init_show(struct buf *b, enum sum sum, double v)
{
	switch (sum_names[sum].unit) {
	case SUM_BYTES: size_text(b, (uint64_t)v); break;
	case SUM_NS: time_text(b, (uint64_t)v); break;
	default: buf_addf(b, "%.0f", v); break;
	}
}

static void init_metric(struct buf *b, enum sum sum)
{
	buf_adds(b, "metric = ");
	for (const char *s = sum_names[sum].word; *s; s++)
		buf_addc(b, *s == ' ' ? '-' : *s);
	buf_addc(b, '\n');
}

static void init_rule(const struct compare *c, const char *name, const char *what, enum sum sum,
		      double least_percent, double floor, struct buf *b)
{
	struct init_range r = {0, 0};
	double percent, absolute;

	if (!init_total(c, sum, &r))
		return;
	percent = fmax(least_percent, ceil(init_margin * init_spread(&r)));
	absolute = r.least > 0 ? 0 : init_margin * r.most;
	absolute = fmax(absolute, floor);
	buf_addf(b, "\n; %s: ", what);
	init_show(b, sum, r.least);
	if (r.most > r.least) {
		buf_adds(b, " to ");
		init_show(b, sum, r.most);
	}
	buf_addf(b, " in these runs, %.2f %% apart.\n[rule %s]\n", init_spread(&r), name);
	init_metric(b, sum);
	buf_addf(b, "percent = %.0f\n", percent);
	if (absolute > 0) {
		buf_adds(b, "absolute = ");
		init_add_amount(b, sum, ceil(absolute));
		buf_addc(b, '\n');
	}
}

/* The most that one site's runs differ by where that is more than its percent. */
static double init_worst_site(const struct compare *c, enum sum sum, struct buf *name)
{
	const struct compare_group *g = init_runs(c);
	struct compare_rows rows;
	double worst = 0;

	compare_rows_init(&rows, c, KEY_SITE);
	for (size_t i = 0; i < rows.n; i++) {
		struct init_range r = {0, 0};
		bool known = true;

		for (size_t k = 0; k < g->n && known; k++) {
			__int128 v;

			known = compare_raw(&rows, i, g->runs[k], sum, false, &v);
			if (known)
				init_take(&r, (double)v, k == 0);
		}
		if (!known || r.most - r.least <= worst ||
		    r.most - r.least <= r.least * INIT_SITE_PERCENT / (100 * init_margin))
			continue;
		worst = r.most - r.least;
		name->len = 0;
		compare_thing_text(c->things, &c->things->keys[KEY_SITE].items[rows.rows[i].thing],
				   name);
	}
	compare_rows_release(&rows);
	return worst;
}

static void init_sites(const struct compare *c, enum sum sum, double floor, struct buf *b)
{
	struct buf name = BUF_INIT;
	double worst;

	if (!compare_knows(c, KEY_SITE, sum))
		return;
	worst = init_worst_site(c, sum, &name);
	buf_adds(b, "\n; Each site by itself, once it grew by more than the floor 'absolute'");
	if (init_margin * worst > floor) {
		buf_adds(b, ",\n; which is so large because of\n; ");
		buf_add_escaped(b, name.data, name.len < 150 ? name.len : 150);
		buf_adds(b, ",\n; whose runs differ by ");
		init_show(b, sum, worst);
	}
	buf_adds(b, ".\n[rule sites]\n");
	init_metric(b, sum);
	buf_addf(b, "key = site\neach = yes\npercent = %d\nabsolute = ", INIT_SITE_PERCENT);
	init_add_amount(b, sum, init_up_to_power(fmax(floor, init_margin * worst)));
	buf_addc(b, '\n');
	buf_release(&name);
}

static enum sum init_first_known(const struct compare *c, enum sum a, enum sum b)
{
	return compare_knows_total(c, a) ? a : compare_knows_total(c, b) ? b : SUMS;
}

static void init_head(const struct compare *c, struct buf *b)
{
	size_t n = init_runs(c)->n;

	buf_addf(
	    b,
	    "; What a build may cost, for tm-compare --gate: tracemill-policy(5). Made by\n"
	    "; tm-compare --init-policy from %zu runs. Each limit is above what these runs\n"
	    "; differ by themselves, and half as much again; make it smaller where the runs are\n"
	    "; quiet, and run again with more of them where they are not.\n",
	    n);
	if (n < POLICY_INIT_RUNS)
		buf_addf(b, "; %zu runs say little of noise: %d or more would be better.\n", n,
			 POLICY_INIT_RUNS);
	buf_adds(
	    b, "\n[policy]\n"
	       "; With a history, builds are held against the best of the last ten, so that\n"
	       "; growth in small steps is seen. A build's name instead holds them against that.\n"
	       "against = best of 10\n");
}

enum status policy_init(const struct compare *c, struct buf *b, struct err *e)
{
	enum sum peak = init_first_known(c, SUM_PEAK_REAL, SUM_PEAK_REQUESTED);
	enum sum live = init_first_known(c, SUM_LIVE_REAL, SUM_LIVE_REQUESTED);
	enum sum all = init_first_known(c, SUM_REQUESTED, SUM_REAL);
	enum sum time = init_first_known(c, SUM_TIME_SELF, SUM_TIME_TOTAL);
	struct init_range r = {0, 0};
	double floor = INIT_KIB;

	if (all == SUMS && time == SUMS)
		return err_set(e, ST_UNSUPPORTED,
			       "--init-policy: not every run knows bytes or times");
	if (all != SUMS && init_total(c, all, &r))
		floor = fmin(init_up_to_power(r.least / INIT_KIB), INIT_FLOOR_MOST);
	init_head(c, b);
	if (all == SUMS) {
		init_rule(c, "time", "The time of all calls", time, 10, 0, b);
		return ST_OK;
	}
	if (peak != SUMS)
		init_rule(c, "peak", "The most that is there at once", peak, 5, 0, b);
	if (live != SUMS)
		init_rule(c, "live", "What is left at the end: leaks", live, 5, floor, b);
	init_rule(c, "allocated", "All that was allocated", all, 5, 0, b);
	init_sites(c, all, floor, b);
	return ST_OK;
}
