/* SPDX-License-Identifier: MIT
 *
 * What of a policy had no effect: expressions that match nothing, waivers that nothing needs, and rules that
 * would have passed much larger values. And what a verdict is silent about.
 */
#include "lib/report/compare/gate_known.h"
#include "lib/report/compare/gate_rule.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/report/compare/callers.h"
#include "lib/report/compare/maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gate_lines {
	const char **items;
	size_t n, cap;
};

static void gate_notes_add(const struct gate_context *x, struct gate_lines *l, struct buf *b)
{
	VEC_PUSH(l->items, l->n, l->cap) = arena_strndup(x->arena, b->data ? b->data : "", b->len);
	buf_release(b);
}

static bool gate_notes_hits(const struct compare_rows *rows, struct match *m)
{
	for (size_t i = 0; i < rows->n; i++)
		if (gate_row_matches(rows, i, m))
			return true;
	return false;
}

/* Where none of them hits anything the rule itself says so. */
static void gate_notes_matches(const struct gate_context *x, const struct gate_rule *r,
			       const struct compare_rows *rows, struct gate_lines *l)
{
	const struct policy_rule *rule = r->rule;

	for (size_t i = 0; rule->n_match > 1 && !r->unmatched && i < rule->n_match; i++) {
		struct buf b = BUF_INIT;

		if (gate_notes_hits(rows, rule->match[i]))
			continue;
		buf_addf(&b, "rule '%s': match = %s matches none of the %s", rule->name,
			 match_pattern(rule->match[i]), key_plurals[rule->key]);
		gate_notes_add(x, l, &b);
	}
}

/* A tenfold value of one of the rule's entities would break it, as far as the limit goes. */
static bool gate_notes_bites(const struct gate_rule *r)
{
	const struct policy_rule *rule = r->rule;

	if (rule->kind == POLICY_NEW)
		return true;
	if (rule->kind == POLICY_COVERAGE)
		return rule->percent > 0 || !isnan(rule->drop);
	for (size_t i = 0; i < r->n; i++) {
		double new = gate_new_value(r, &r->subjects[i]);
		double most = decimal_to_double(rule->max), base;

		if (rule->kind == POLICY_GROWTH) {
			base = gate_base(r, &r->subjects[i]);
			most = isnan(rule->percent) ? 0 : fabs(base) * rule->percent / 100;
			most = base + fmax(most, decimal_to_double(rule->absolute));
			new = fmax(base, new);
		}
		if (GATE_TENFOLD * new > most || new <= 0)
			return true;
	}
	return false;
}

/* True: the rule would have passed anything that is likely. */
static bool gate_notes_slack(const struct gate_context *x, const struct gate_rule *r,
			     struct gate_lines *l)
{
	struct buf b = BUF_INIT;

	if (gate_rule_is_idle(r))
		return true; /* which it says itself */
	if (r->unmatched || r->gone || r->nameless || gate_notes_bites(r))
		return false;
	buf_addf(&b, "rule '%s' would pass even if its value were ten times as large",
		 r->rule->name);
	gate_notes_add(x, l, &b);
	return true;
}

/* All goes through one function. */
static void gate_notes_one(const struct gate_context *x, const struct gate_rule *r,
			   const struct compare_rows *rows, struct gate_lines *l)
{
	const struct policy_rule *rule = r->rule;
	struct buf b = BUF_INIT;

	if ((rule->key != KEY_SITE && rule->key != KEY_FUNCTION) || !rule->each || !x->stacks ||
	    rule->kind != POLICY_GROWTH || rule->n_match)
		return;
	buf_addf(&b, "rule '%s': ", rule->name);
	if (callers_describe_one(&rows[rule->key], x->stacks, 0, rule->metric, &b))
		gate_notes_add(x, l, &b);
	buf_release(&b);
}

/* A pass that is silent about what some runs have. */
static void gate_notes_open(const struct gate_context *x, const struct gate_rule *r,
			    const struct compare_rows *rows, struct gate_lines *l)
{
	struct gate_context of = *x;

	of.rows = r->rule->key == POLICY_TOTAL ? NULL : &rows[r->rule->key];
	for (int large = 1; large >= 0; large--) {
		struct buf b = BUF_INIT;

		if (gate_rule_describe_open(&of, r, large, &b))
			gate_notes_add(x, l, &b);
		else
			buf_release(&b);
	}
}

static bool gate_notes_mean(const struct compare_group *g, enum sum sum, double *mean)
{
	*mean = 0;
	for (size_t i = 0; i < g->n; i++) {
		__int128 v;

		if (!compare_raw_total(g->runs[i], sum, &v))
			return false;
		*mean += (double)v / (double)g->n;
	}
	return true;
}

static const enum sum gate_notes_sums[] = {SUM_COUNT, SUM_REQUESTED, SUM_REAL, SUM_CALLS,
					   SUM_SAMPLES};

enum { NOTES_SUMS = sizeof gate_notes_sums / sizeof *gate_notes_sums };

/* In how many of the group's runs the row has anything. */
static size_t gate_notes_runs(const struct compare_rows *rows, size_t row,
			      const struct compare_group *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		bool any = false;
		__int128 v;

		for (size_t k = 0; k < NOTES_SUMS; k++)
			any |= compare_raw(rows, row, g->runs[i], gate_notes_sums[k], false, &v) &&
			       v > 0;
		n += any;
	}
	return n;
}

/* Sites of which every base run has something and no new run: a third of them, and few others for them. */
static void gate_notes_gone(const struct gate_context *x, struct buf *b)
{
	const struct compare_group *g = x->c->groups, *last = &g[x->c->n_groups - 1];
	size_t all = 0, gone = 0, others = 0;

	for (size_t i = 0; x->sites && i < x->sites->n; i++) {
		size_t base = gate_notes_runs(x->sites, i, g),
		       new = gate_notes_runs(x->sites, i, last);

		all += base == g->n;
		gone += base == g->n && !new;
		others += !base && new;
	}
	if (gone < 2 || 3 * gone < all || 2 * others > gone)
		return;
	buf_addf(b, "%s%zu sites are in every base run, and %zu of them are in no new run",
		 b->len ? ", and " : "", all, gone);
}

static void gate_notes_halved(const struct gate_context *x, struct buf *b)
{
	const struct compare_group *g = x->c->groups, *last = &g[x->c->n_groups - 1];
	double base, new;

	for (size_t i = 0; i < NOTES_SUMS; i++) {
		enum sum sum = gate_notes_sums[i];

		if (!gate_notes_mean(g, sum, &base) || !gate_notes_mean(last, sum, &new) ||
		    base <= 0)
			continue;
		if (new >= base / 2) {
			b->len = 0;
			return;
		}
		buf_addf(b, "%s%s by %.0f %%",
			 b->len ? ", " : "all of the data fell by more than half: ",
			 metric_table[sum].title, 100 * (1 - new / base));
	}
}

/* Both sides have as much of it, to within 1 %. */
static bool gate_notes_as_much(const struct gate_context *x, enum sum sum, double *base)
{
	double new;

	return gate_notes_mean(&x->c->groups[0], sum, base) &&
	       gate_notes_mean(&x->c->groups[x->c->n_groups - 1], sum, &new) && *base > 0 &&
	       fabs(new - *base) <= *base / 100;
}

/* Sites of one side alone, and the larger of what both sides have of the sum in such. */
static size_t gate_notes_one_sided(const struct gate_context *x, enum sum sum, size_t *gone,
				   double *moved)
{
	double of[2] = {0, 0}, unit = pow(10, compare_decimals(x->c));
	uint32_t last = 1u << (x->c->n_groups - 1);
	size_t n[2] = {0, 0};

	for (size_t i = 0; i < x->sites->n; i++) {
		uint32_t in = x->sites->rows[i].in & (last | 1);
		bool new = in == last;
		struct compare_number v;

		if (!in || in == (last | 1) || x->sites->rows[i].hint != COMPARE_NONE)
			continue;
		v = compare_value(x->sites, i, new ? x->c->n_groups - 1 : 0, sum, false);
		of[new] += v.present ? (double)v.v / unit : 0;
		n[new]++;
	}
	*gone = n[0];
	*moved = fmax(of[0], of[1]);
	return n[1];
}

/* Inlined functions have no sites of their own: the whole is as before, and sites come and go. False: it is not so. */
static bool gate_notes_compiled(const struct gate_context *x, struct gate_lines *l)
{
	enum { ONE_SIDED = 3, MOVED = 20 };
	struct buf b = BUF_INIT;
	size_t gone, come;
	double base, moved;

	for (size_t i = 0; i < NOTES_SUMS && x->sites && !x->no_base; i++) {
		if (!gate_notes_as_much(x, gate_notes_sums[i], &base))
			continue;
		come = gate_notes_one_sided(x, gate_notes_sums[i], &gone, &moved);
		if (!gone || !come || gone + come < ONE_SIDED || MOVED * moved < base)
			continue;
		if (gate_known_one_build(x->c, &b)) {
			if (b.len)
				gate_notes_add(x, l, &b);
			return true;
		}
		buf_addf(&b,
			 "the builds seem to be compiled differently (-O, inlining, -g): the "
			 "total of '%s' is that of the base, but %zu site%s %s gone and %zu %s new",
			 metric_table[gate_notes_sums[i]].title, gone, plural_s(gone),
			 gone == 1 ? "is" : "are", come, come == 1 ? "is" : "are");
		gate_notes_add(x, l, &b);
		return true;
	}
	return false;
}

/* A run that ended early, or had less to do, is better in everything. */
static void gate_notes_shorter(const struct gate_context *x, struct gate_lines *l)
{
	struct buf b = BUF_INIT;

	if (!x->no_base) {
		gate_notes_halved(x, &b);
		gate_notes_gone(x, &b);
	}
	if (b.len) {
		buf_adds(&b, ": did the new runs finish, with the arguments of the base?");
		gate_notes_add(x, l, &b);
	}
	buf_release(&b);
}

static int gate_notes_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A limit on everything that runs of the base exceed among themselves, the least and the largest left out. */
static void gate_notes_noise(const struct gate_context *x, const struct gate_rule *r,
			     struct gate_lines *l)
{
	enum { RUNS_MIN = 5 };
	size_t n = r->n_base;
	double *v, by;

	if (x->no_base || r->rule->kind != POLICY_GROWTH || r->rule->key != POLICY_TOTAL || !r->n ||
	    r->unknown || n < RUNS_MIN)
		return;
	v = mem_array(n, sizeof *v);
	memcpy(v, r->subjects[0].base, n * sizeof *v);
	sort_array(v, n, sizeof *v, gate_notes_order);
	by = v[n - 2] - v[1];
	free(v);
	if (by > r->judged->subjects[0].limit) {
		struct buf b = BUF_INIT;

		buf_addf(&b,
			 "rule '%s': the limit is below the noise: runs of the base "
			 "differ by ",
			 r->rule->name);
		gate_rule_add_amount(&b, r->rule, by);
		buf_adds(&b, " among themselves (tm-compare --init-policy finds a limit)");
		gate_notes_add(x, l, &b);
	}
}

static void gate_notes_maps(const struct gate_context *x, struct gate_lines *l)
{
	for (size_t i = 0; i < compare_maps(x->c) && !x->no_base; i++) {
		struct buf b = BUF_INIT;

		compare_map_text(x->c, i, &b);
		gate_notes_add(x, l, &b);
	}
}

/* A run that was cut short is the best of all. */
static void gate_notes_short(const struct gate_context *x, const struct gate_rule *rules,
			     struct gate_lines *l)
{
	for (size_t i = 0; i < x->p->n_rules; i++) {
		const struct gate_rule *r = &rules[i];
		struct buf b = BUF_INIT;

		if (!r->builds || r->rule->kind != POLICY_GROWTH || r->rule->key != POLICY_TOTAL ||
		    !r->n || !r->subjects[0].least.half)
			continue;
		buf_addf(&b,
			 "the best build, %s, has less than half of the other builds' values: "
			 "did its runs finish?",
			 r->builds[r->subjects[0].least.build]);
		gate_notes_add(x, l, &b);
		return;
	}
}

static void gate_notes_waivers(const struct gate_context *x, struct gate_lines *l)
{
	for (size_t i = 0; i < x->p->n_waivers; i++) {
		const struct policy_waiver *w = &x->p->waivers[i];
		struct buf b = BUF_INIT;

		if (x->used[i] || x->no_base)
			continue;
		if (x->open[i]) {
			buf_addf(
			    &b,
			    "waiver '%s' of rule '%s' covers nothing here: it waives a failure, "
			    "and this is inconclusive",
			    w->name, w->rule_name);
			gate_notes_add(x, l, &b);
			continue;
		}
		buf_addf(&b, "waiver '%s' of rule '%s' is not needed: it covers nothing here%s%s",
			 w->name, w->rule_name,
			 strcmp(x->today, w->until) > 0 ? ", and ended on " : "",
			 strcmp(x->today, w->until) > 0 ? w->until : "");
		gate_notes_add(x, l, &b);
	}
}

/* What has no stack has no address either. */
static bool gate_notes_nameless(const struct profile *s, double *named)
{
	double none = (double)s->coverage[TIERS].v[SUM_REAL], all = (double)s->all.v[SUM_REAL];

	if (all <= none || !gate_named_share(s, SUM_REAL, named))
		return false;
	*named *= all / (all - none);
	return true;
}

/* Rules on entities by name, of runs without names. */
static void gate_notes_names(const struct gate_context *x, struct gate_lines *l)
{
	double least = 100, share;
	const char *worst = NULL;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < x->p->n_rules; i++) {
		const struct policy_rule *r = &x->p->rules[i];

		if (r->counter ||
		    (r->key != KEY_FUNCTION && r->key != KEY_SITE && r->key != KEY_STACK))
			continue;
		for (size_t g = 0; g < x->c->n_groups; g++)
			for (size_t k = 0; k < x->c->groups[g].n; k++)
				if (gate_notes_nameless(x->c->groups[g].runs[k], &share) &&
				    share < least) {
					least = share;
					worst = x->c->groups[g].names[k];
				}
	}
	if (!worst || least >= 90)
		return;
	buf_addf(&b,
		 "%.0f %% of the bytes in %s have no names: tm-compare guesses their counterparts "
		 "in another build by the order of addresses",
		 100 - least, worst);
	gate_notes_add(x, l, &b);
}

void gate_notes(const struct gate_context *x, const struct gate_rule *rules,
		const struct compare_rows *rows, struct table_checks *to)
{
	struct gate_lines l = {.n = 0};
	size_t slack = 0;

	for (size_t i = 0; i < x->p->n_rules; i++) {
		if (rules[i].rule->n_match)
			gate_notes_matches(x, &rules[i], &rows[rules[i].rule->key], &l);
		slack += gate_notes_slack(x, &rules[i], &l);
		gate_notes_open(x, &rules[i], rows, &l);
		gate_notes_noise(x, &rules[i], &l);
		gate_notes_one(x, &rules[i], rows, &l);
	}
	if (slack == x->p->n_rules) {
		struct buf b = BUF_INIT;

		buf_adds(&b, "the policy would have passed any runs: none of its rules can break "
			     "here");
		gate_notes_add(x, &l, &b);
	}
	gate_notes_maps(x, &l);
	gate_notes_short(x, rules, &l);
	gate_notes_waivers(x, &l);
	if (!gate_notes_compiled(x, &l))
		gate_notes_shorter(x, &l);
	gate_notes_names(x, &l);
	to->notes = arena_zalloc(x->arena, (l.n + 1) * sizeof *to->notes);
	for (size_t i = 0; i < l.n; i++)
		to->notes[i] = l.items[i];
	to->n_notes = l.n;
	free(l.items);
}
