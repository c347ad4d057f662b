/* SPDX-License-Identifier: MIT
 *
 * A policy for a project that has none, fitted to what its runs differ by themselves.
 */
#include "lib/report/compare/policy_init.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/report/compare/callers.h"
#include "lib/report/compare/doubts.h"
#include "lib/report/compare/policy.h"
#include "lib/report/compare/view.h"
#include "lib/table/table.h"

#include <math.h>
#include <stdlib.h>

enum {
	INIT_KIB = 1 << 10,
	INIT_FLOOR_MOST = 1 << 20,
	INIT_SITE_PERCENT = 20,
	INIT_BYTES_PERCENT = 5,
	INIT_TIME_PERCENT = 10,
	INIT_OWN_MAX = 20
}; /* rules of noisy sites */

/* What two runs differ by at most can come again, and somewhat more. */
static const double init_margin = 1.5;

struct init_range {
	double least, most;
};

static const struct compare_group *init_runs(const struct compare *c)
{
	return &c->groups[c->n_groups - 1];
}

static void init_widen(struct init_range *r, double v, bool first)
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
		init_widen(to, (double)v, i == 0);
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
	if (metric_table[sum].unit == SUM_NS)
		buf_addf(b, "%.0fns", v);
	else if (metric_table[sum].unit == SUM_BYTES && v >= INIT_FLOOR_MOST &&
		 fmod(v, INIT_FLOOR_MOST) == 0)
		buf_addf(b, "%.0fMiB", v / INIT_FLOOR_MOST);
	else if (metric_table[sum].unit == SUM_BYTES && v >= INIT_KIB && fmod(v, INIT_KIB) == 0)
		buf_addf(b, "%.0fKiB", v / INIT_KIB);
	else
		buf_addf(b, "%.0f", v);
}

static void init_show(struct buf *b, enum sum sum, double v)
{
	switch (metric_table[sum].unit) {
	case SUM_BYTES: size_text(b, (uint64_t)v); break;
	case SUM_NS: time_text(b, (uint64_t)v); break;
	default: buf_addf(b, "%.0f", v); break;
	}
}

static void init_metric(struct buf *b, enum sum sum)
{
	buf_addf(b, "metric = %s\n", metric_table[sum].word);
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
	if (r.most > r.least)
		buf_addf(b, "; the runs differ by %.2f %%", init_spread(&r));
	else
		buf_adds(b, " in every run");
	buf_addf(b, ".\n[rule %s]\n", name);
	init_metric(b, sum);
	buf_addf(b, "percent = %.0f\n", percent);
	if (absolute > 0) {
		buf_adds(b, "absolute = ");
		init_add_amount(b, sum, ceil(absolute));
		buf_addc(b, '\n');
	}
}

/* A site whose runs differ by more than the limit of all sites. */
struct init_site {
	const struct profile_entity *entity;
	struct init_range r;
	bool own; /* it has a rule by itself */
};

struct init_sites {
	struct init_site *items; /* what differs most first */
	size_t n, cap;
};

static double init_differs(const struct init_range *r)
{
	return r->most - r->least;
}

static int init_site_order(const void *a, const void *b)
{
	const struct init_site *x = a, *y = b;
	double more = init_differs(&x->r), less = init_differs(&y->r);

	if (more != less)
		return more > less ? -1 : 1;
	return (x->entity > y->entity) - (x->entity < y->entity);
}

static bool init_same_name(const struct init_sites *s, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (s->items[k].entity->name == s->items[i].entity->name)
			return true;
	return false;
}

/* A rule that names what some runs have not is one that nothing may match; and a name has to be there. */
static void init_choose_own(const struct compare *c, struct init_sites *s)
{
	size_t own = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct init_site *site = &s->items[i];
		size_t n;
		const char *name = entities_text(c->entities, site->entity->name, &n);

		site->own = own < INIT_OWN_MAX && site->r.least > 0 && n &&
			    !name_is_address(name, n) && !init_same_name(s, i);
		own += site->own;
	}
}

/* All but so many that one expression holds them; the others raise the floor. */
static void init_keep_some(const struct compare *c, struct init_sites *s, double *floor)
{
	size_t bytes = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t n;

		entities_text(c->entities, s->items[i].entity->name, &n);
		bytes += 3 * n + 1;
		if (bytes < POLICY_MATCH_MAX / 2)
			continue;
		*floor = init_margin * init_differs(&s->items[i].r);
		s->n = i;
	}
}

static void init_noisy_sites(const struct compare *c, enum sum sum, double *floor,
			     struct init_sites *to)
{
	const struct compare_group *g = init_runs(c);
	struct compare_rows rows;

	compare_rows_init(&rows, c, KEY_SITE);
	for (size_t i = 0; i < rows.n; i++) {
		struct init_range r = {0, 0};
		bool known = true;

		for (size_t k = 0; k < g->n && known; k++) {
			__int128 v;

			known = compare_raw(&rows, i, g->runs[k], sum, false, &v);
			if (known)
				init_widen(&r, (double)v, k == 0);
		}
		if (!known || init_margin * init_differs(&r) <= *floor ||
		    init_differs(&r) <= r.least * INIT_SITE_PERCENT / (100 * init_margin))
			continue;
		VEC_PUSH(to->items, to->n, to->cap) = (struct init_site){
		    .entity = &c->entities->keys[KEY_SITE].items[rows.rows[i].entity], .r = r};
	}
	compare_rows_release(&rows);
	if (to->n)
		sort_array(to->items, to->n, sizeof *to->items, init_site_order);
	init_keep_some(c, to, floor);
	init_choose_own(c, to);
}

/* All goes through one function, which is one site. */
static void init_one_site(const struct compare *c, enum sum sum, struct buf *b)
{
	struct compare_rows sites, stacks;
	struct buf said = BUF_INIT;

	compare_rows_init(&sites, c, KEY_SITE);
	compare_rows_init(&stacks, c, KEY_STACK);
	if (callers_describe_one(&sites, &stacks, c->n_groups - 1, sum, &said)) {
		buf_adds(b, "; ");
		buf_add_escaped(b, said.data, said.len);
		buf_adds(b, ".\n");
	}
	buf_release(&said);
	compare_rows_release(&sites);
	compare_rows_release(&stacks);
}

static void init_site_name(const struct compare *c, const struct init_site *site, struct buf *b)
{
	struct buf name = BUF_INIT;

	compare_entity_text(c->entities, site->entity, &name);
	buf_add_escaped(b, name.data, name.len < 150 ? name.len : 150);
	buf_release(&name);
}

static void init_site_limits(enum sum sum, double absolute, struct buf *b)
{
	init_metric(b, sum);
	buf_addf(b, "key = site\neach = yes\npercent = %d\nabsolute = ", INIT_SITE_PERCENT);
	init_add_amount(b, sum, init_up_to_power(absolute));
	buf_addc(b, '\n');
}

/* All but these. */
static void init_add_others(const struct compare *c, const struct init_sites *s, struct buf *b)
{
	const char *before = "match = ^(?!(?:";

	for (size_t i = 0; i < s->n; i++) {
		size_t n;
		const char *name = entities_text(c->entities, s->items[i].entity->name, &n);

		if (init_same_name(s, i))
			continue;
		buf_adds(b, before);
		policy_add_literal(b, name, n);
		before = "|";
	}
	buf_adds(b, s->n ? ")$)\n" : "");
}

static void init_add_own(const struct compare *c, const char *rule, enum sum sum,
			 const struct init_sites *s, struct buf *b)
{
	size_t own = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct init_site *site = &s->items[i];
		size_t n;
		const char *name = entities_text(c->entities, site->entity->name, &n);

		if (!site->own)
			continue;
		buf_adds(b, "\n; A noisy one:\n; ");
		init_site_name(c, site, b);
		buf_adds(b, ",\n; ");
		init_show(b, sum, site->r.least);
		buf_adds(b, " to ");
		init_show(b, sum, site->r.most);
		buf_addf(b, " in these runs.\n[rule noisy %s %zu]\nmatch = ^", rule, ++own);
		policy_add_literal(b, name, n);
		buf_adds(b, "$\n");
		init_site_limits(sum, init_margin * init_differs(&site->r), b);
	}
}

/* What no rule can name: absent from some runs, without a name, or one of very many. */
static void init_add_rest(const struct compare *c, const char *rule, enum sum sum,
			  const struct init_sites *s, struct buf *b)
{
	size_t first = 0, n = 0;

	for (size_t i = s->n; i-- > 0;)
		if (!s->items[i].own && !init_same_name(s, i)) {
			first = i;
			n++;
		}
	if (!n)
		return;
	if (n == 1)
		buf_adds(b,
			 "\n; A noisy one that is not in every run, or that no rule can name:\n; ");
	else
		buf_addf(b,
			 "\n; %zu noisy ones that are not in every run, or that no rule can name. "
			 "The worst:\n; ",
			 n);
	init_site_name(c, &s->items[first], b);
	buf_adds(b, ",\n; ");
	init_show(b, sum, s->items[first].r.least);
	buf_adds(b, " to ");
	init_show(b, sum, s->items[first].r.most);
	buf_addf(b, " in these runs.\n[rule all %s]\n", rule);
	init_site_limits(sum, init_margin * init_differs(&s->items[first].r), b);
}

static void init_sites(const struct compare *c, const char *rule, const char *what, enum sum sum,
		       double floor, struct buf *b)
{
	struct init_sites noisy = {.n = 0};

	if (sum == SUMS || !compare_knows(c, KEY_SITE, sum))
		return;
	init_noisy_sites(c, sum, &floor, &noisy);
	buf_addf(b, "\n; %s by itself, once it grew by more than the floor 'absolute'%s.\n", what,
		 noisy.n ? ",\n; but for the noisy ones, whose rules follow" : "");
	init_one_site(c, sum, b);
	buf_addf(b, "[rule %s]\n", rule);
	init_add_others(c, &noisy, b);
	init_site_limits(sum, floor, b);
	init_add_own(c, rule, sum, &noisy, b);
	init_add_rest(c, rule, sum, &noisy, b);
	free(noisy.items);
}

/* Of every record. */
static bool init_knows_whole(const struct compare *c, enum sum sum)
{
	const struct compare_group *g = init_runs(c);

	for (size_t i = 0; i < g->n; i++)
		if (compare_knows_in_part(g->runs[i], sum))
			return false;
	return compare_knows_total(c, sum);
}

/* The gate does not judge lower bounds. */
static enum sum init_first_known(const struct compare *c, enum sum a, enum sum b)
{
	return init_knows_whole(c, a) ? a : init_knows_whole(c, b) ? b : SUMS;
}

/* Which blocks the limits are of, where there are others or it is not malloc's. */
static void init_domain(const struct compare *c, struct buf *b)
{
	const struct profile *s = init_runs(c)->runs[0];
	struct buf others = BUF_INIT;

	doubts_add_other_domains(s, &others);
	if (s->domain && (others.len || s->domain != DOMAIN_MALLOC + 1))
		buf_addf(b, "; Only blocks of domain %s count: tm-compare --domain %s.\n",
			 domain_name(s->domain - 1), domain_name(s->domain - 1));
	if (others.len)
		buf_addf(b, "; No rule checks %s.\n", buf_str(&others));
	buf_release(&others);
}

/* More runs would not show more of what runs differ by. */
static bool init_all_equal(const struct compare *c)
{
	static const enum sum sums[] = {SUM_COUNT,     SUM_REQUESTED, SUM_REAL,      SUM_PEAK_REAL,
					SUM_LIVE_REAL, SUM_TIME_SELF, SUM_TIME_TOTAL};

	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
		struct init_range r = {0, 0};

		if (init_total(c, sums[i], &r) && r.most > r.least)
			return false;
	}
	return true;
}

static void init_head(const struct compare *c, double floor, struct buf *b)
{
	size_t n = init_runs(c)->n;

	buf_addf(
	    b,
	    "; What a build may cost, for tm-compare --gate: tracemill-policy(5). Made by\n"
	    "; tm-compare --init-policy from %zu runs. Each limit is one and a half times the\n"
	    "; difference between these runs, but never less than %d %% of a sum of bytes, %d %% "
	    "of\n"
	    "; the time, and %d %% of a site; bytes left at the end, and those of a site, may "
	    "also\n"
	    "; grow by ",
	    n, INIT_BYTES_PERCENT, INIT_TIME_PERCENT, INIT_SITE_PERCENT);
	init_show(b, SUM_REQUESTED, floor);
	buf_adds(b, ". Make a limit smaller where the runs are quiet, and make the\n"
		    "; policy again from more runs where they are not.\n");
	if (n < POLICY_INIT_RUNS && !init_all_equal(c))
		buf_addf(b, "; %zu runs say little of noise: %d or more would be better.\n", n,
			 POLICY_INIT_RUNS);
	init_domain(c, b);
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
			       "--init-policy: some runs have neither bytes nor times");
	if (all != SUMS && init_total(c, all, &r))
		floor = fmin(init_up_to_power(r.least / INIT_KIB), INIT_FLOOR_MOST);
	init_head(c, floor, b);
	if (all == SUMS) {
		init_rule(c, "time", "The time of all calls", time, INIT_TIME_PERCENT, 0, b);
		return ST_OK;
	}
	if (peak != SUMS)
		init_rule(c, "peak", "The most that is there at once", peak, INIT_BYTES_PERCENT, 0,
			  b);
	if (live != SUMS)
		init_rule(c, "live", "The bytes that are left at the end, such as leaks", live,
			  INIT_BYTES_PERCENT, floor, b);
	init_rule(c, "allocated", "All that was allocated", all, INIT_BYTES_PERCENT, 0, b);
	init_sites(c, "sites", "Each site", all, floor, b);
	init_sites(c, "leaks", "What each site leaves at the end,", live, floor, b);
	return ST_OK;
}
