/* SPDX-License-Identifier: MIT
 *
 * What of a policy had no effect: expressions that match nothing, waivers that nothing needs, and rules that
 * would have passed much larger values.
 */
#include "lib/report/compare/gate_rule.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GATE_TENFOLD = 10 };

struct gate_lines {
	const char **items;
	size_t n, cap;
};

static void gate_notes_add(const struct gate_context *x, struct gate_lines *l, struct buf *b)
{
	VEC_PUSH(l->items, l->n, l->cap) = arena_strndup(x->arena, b->data ? b->data : "", b->len);
	buf_release(b);
}

static bool gate_notes_hits(const struct gate_context *x, const struct compare_rows *rows,
			    struct match *m)
{
	const struct aggregate_things *t = x->c->things;

	for (size_t i = 0; i < rows->n; i++) {
		uint32_t of[] = {rows->rows[i].thing, rows->rows[i].other};

		for (size_t k = 0; k < 2; k++) {
			size_t n;
			const char *s = things_text(t, t->keys[rows->key].items[of[k]].name, &n);

			if (match_test(m, s, n))
				return true;
		}
	}
	return false;
}

/* Where none of them hits anything the rule itself says so. */
static void gate_notes_matches(const struct gate_context *x, const struct gate_rule *r,
			       const struct compare_rows *rows, struct gate_lines *l)
{
	const struct policy_rule *rule = r->rule;

	for (size_t i = 0; rule->n_match > 1 && !r->unmatched && i < rule->n_match; i++) {
		struct buf b = BUF_INIT;

		if (gate_notes_hits(x, rows, rule->match[i]))
			continue;
		buf_addf(&b, "rule '%s': match = %s hits none of the %s", rule->name,
			 match_pattern(rule->match[i]), key_plurals[rule->key]);
		gate_notes_add(x, l, &b);
	}
}

/* A tenfold value of one of the rule's things would break it, as far as the limit goes. */
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

	if (r->unmatched || gate_notes_bites(r))
		return false;
	if (!r->n)
		buf_addf(&b, "rule '%s' has checked nothing: none of the %s is as large as it asks",
			 r->rule->name, key_plurals[r->rule->key]);
	else
		buf_addf(&b, "rule '%s' would have passed a tenfold value", r->rule->name);
	gate_notes_add(x, l, &b);
	return true;
}

static void gate_notes_waivers(const struct gate_context *x, struct gate_lines *l)
{
	for (size_t i = 0; i < x->p->n_waivers; i++) {
		const struct policy_waiver *w = &x->p->waivers[i];
		struct buf b = BUF_INIT;

		if (x->used[i])
			continue;
		buf_addf(&b, "waiver '%s' of rule '%s' is not needed: it covers nothing here%s%s",
			 w->name, w->rule_name,
			 strcmp(x->today, w->until) > 0 ? ", and ended on " : "",
			 strcmp(x->today, w->until) > 0 ? w->until : "");
		gate_notes_add(x, l, &b);
	}
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
	}
	if (slack == x->p->n_rules) {
		struct buf b = BUF_INIT;

		buf_adds(&b,
			 "the policy would have passed anything: none of its rules can break here");
		gate_notes_add(x, &l, &b);
	}
	gate_notes_waivers(x, &l);
	to->notes = arena_zalloc(x->arena, (l.n + 1) * sizeof *to->notes);
	for (size_t i = 0; i < l.n; i++)
		to->notes[i] = l.items[i];
	to->n_notes = l.n;
	free(l.items);
}
