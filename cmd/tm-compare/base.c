/* SPDX-License-Identifier: MIT
 *
 * The base that a history has: its newest green runs, those of a build, or those of the best of its newest
 * builds.
 */
#include "cmd/tm-compare/compare.h"

#include "lib/base/mem.h"
#include "lib/history/series.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct base_build {
	const char *name;
	double *v; /* of its runs that have one */
	size_t n;
};

struct base_builds { /* newest first */
	struct base_build *items;
	size_t n, cap;
};

/* The newest builds of the runs, with the values that the policy measures by. */
static void base_find_builds(const struct history_runs *runs, const double *v, uint64_t most,
			     struct base_builds *to)
{
	for (size_t i = runs->n; i-- > 0;) {
		size_t k = 0;

		while (k < to->n && strcmp(to->items[k].name, runs->items[i].build) != 0)
			k++;
		if (k == to->n && to->n == most)
			continue;
		if (k == to->n)
			VEC_PUSH(to->items, to->n, to->cap) = (struct base_build){
			    runs->items[i].build, mem_array(runs->n, sizeof *v), 0};
		if (!isnan(v[i]))
			to->items[k].v[to->items[k].n++] = v[i];
	}
}

static void base_builds_release(struct base_builds *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->items[i].v);
	free(b->items);
}

/* Of equal ones the newest, whose code is most like the one that is judged. */
static const char *base_best_build(struct cli_compare *c, struct history *h,
				   const struct history_runs *runs, size_t *of, struct err *e)
{
	const struct policy_rule *r = policy_measure(&c->policy);
	struct base_builds builds = {.n = 0};
	struct history_lines l;
	const char *best = NULL;
	double least = INFINITY;

	history_lines_init(&l, runs);
	if (!history_series(h, &l, r, (enum history_per)r->per, r->name, e) && l.n)
		base_find_builds(runs, l.items[0].v, c->policy.best_of, &builds);
	for (size_t i = 0; i < builds.n; i++) {
		struct stats_sample v = {builds.items[i].v, builds.items[i].n};

		if (!v.n || !(stats_median(v) < least))
			continue;
		least = stats_median(v);
		best = builds.items[i].name;
	}
	*of = builds.n;
	base_builds_release(&builds);
	history_lines_release(&l);
	return best;
}

static void base_label(struct cli_compare *c, size_t n, const char *build, size_t best_of)
{
	struct buf b = BUF_INIT;

	if (build)
		buf_addf(&b, "%s (", build);
	if (best_of)
		buf_addf(&b, "best of %zu, ", best_of);
	buf_addf(&b, "%s%zu green run%s%s%s%s", build ? "" : "median of ", n, n == 1 ? "" : "s",
		 c->base_branch ? " of " : "", c->base_branch ? c->base_branch : "",
		 build ? ")" : "");
	compare_begin_group(c, arena_strndup(&c->in.names, b.data, b.len));
	c->in.compare.groups[0].median = true;
	buf_release(&b);
}

/* build: only its runs; NULL: all. */
static enum status base_add_runs(struct cli_compare *c, struct history *h,
				 const struct history_runs *runs, const char *build, size_t best_of,
				 struct err *e)
{
	struct buf b = BUF_INIT;
	enum status st = ST_OK;
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++)
		n += !build || !strcmp(runs->items[i].build, build);
	base_label(c, n, build, best_of);
	for (size_t i = 0; i < runs->n && !st; i++) {
		struct cursor cur;

		if (build && strcmp(runs->items[i].build, build) != 0)
			continue;
		b.len = 0;
		st = history_aggregate(h, runs->items[i].id, &b, e);
		cursor_init(&cur, b.data, b.len, 0, e);
		if (!st)
			st = compare_inputs_aggregate(&c->in, &cur, runs->items[i].build, e);
	}
	buf_release(&b);
	return st;
}

/* --base-last comes before what the policy says. */
static enum status base_read_green(struct cli_compare *c, struct history *h, struct err *e)
{
	bool newest = c->base_last || (!c->policy.against && !c->policy.best_of);
	struct history_choice choice = {.branch = c->base_branch,
					.machine = c->base_machine,
					.status = "green",
					.build = newest ? NULL : c->policy.against,
					.last = !newest        ? 0
						: c->base_last ? c->base_last
							       : COMPARE_GREEN};
	const char *build = choice.build;
	struct history_runs runs;
	size_t best_of = 0;
	enum status st = history_runs(h, &choice, &runs, e);

	if (st)
		return st;
	if (runs.n && !newest && c->policy.best_of) {
		build = base_best_build(c, h, &runs, &best_of, e);
		if (!build && !e->code)
			err_set(e, ST_UNSUPPORTED, "no green run knows what rule '%s' is about",
				policy_measure(&c->policy)->name);
		st = build ? ST_OK : err_failure(e);
		if (build && best_of < c->policy.best_of)
			cli_note(h->shown, "only %zu green build%s, not %" PRIu64, best_of,
				 best_of == 1 ? "" : "s", c->policy.best_of);
	}
	if (!st && runs.n)
		st = base_add_runs(c, h, &runs, build, best_of, e);
	if (!st && runs.n && runs.n < choice.last)
		cli_note(h->shown, "only %zu green run%s, not %" PRIu64, runs.n,
			 runs.n == 1 ? "" : "s", choice.last);
	history_runs_release(&runs);
	return st;
}

static void base_report_none(const struct cli_compare *c, const char *shown)
{
	bool build = !c->base_last && c->policy.against;

	cli_error(shown, "no green run%s%s%s%s to compare with", build ? " of build " : "",
		  build ? c->policy.against : "", c->base_branch ? " of branch " : "",
		  c->base_branch ? c->base_branch : "");
	cli_status(EXIT_INCONCLUSIVE);
}

bool compare_base_read(struct cli_compare *c)
{
	struct err e = ERR_INIT;
	struct history h = {0};
	bool none, failed;

	if (c->allow_no_base && cli_store_file(c->history) && access(c->history, F_OK))
		return true;
	failed = history_open(&h, c->history, DB_READ, 60, &e) || db_begin_reading(h.db, &e) ||
		 base_read_green(c, &h, &e);
	none = !failed && !c->in.compare.n_groups;
	if (failed)
		cli_fail(h.shown, &e);
	else if (none && !c->allow_no_base)
		base_report_none(c, h.shown);
	history_close(&h);
	return !failed && (!none || c->allow_no_base);
}
