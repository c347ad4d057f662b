/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/gate.h"

#include "lib/base/mem.h"
#include "lib/report/compare/gate_rule.h"
#include "lib/report/compare/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gate {
	const struct compare *c;
	struct compare_policy *p;
	struct gate_options options;
	struct compare_rows rows[KEYS]; /* of the keys that rules ask for */
	struct gate_rule *rules;
	struct judge_rule *judged;
	struct judge_result result;
	struct table_check *items;
	struct table_checks checks;
	struct arena arena;
	const char *lossy; /* a run that has lost something */
	uint64_t gave_up;  /* times that patterns of filters, sites and owners were given up */
};

static const struct compare_group *base_of(const struct compare *c)
{
	return &c->groups[0];
}

static const struct compare_group *new_of(const struct compare *c)
{
	return &c->groups[c->n_groups - 1];
}

static double divisor(const struct gate *g, const struct policy_rule *r,
		      const struct aggregate_summary *s)
{
	(void)g;
	return sum_is_mean(r->metric) ? 1 : compare_divisor(s, (enum compare_per)r->per);
}

/* Of a rule whose limits are times: in ns. */
static decimal counter_in_ns(const struct gate *g, const struct policy_rule *r,
			     const struct summary_counter *c)
{
	decimal v = counter_value(&c->stats, r->stat), ns;

	if (!r->time)
		return v;
	ns = decimal_of_unsigned(counter_unit_ns(things_text(g->c->things, c->unit, NULL)));
	return __builtin_mul_overflow(v, ns / DECIMAL_ONE, &ns) ? v : ns;
}

/* A group's values, run by run, of a row, or of everything (row SIZE_MAX). False: not known. */
static bool gate_values_of(struct gate *g, const struct policy_rule *r, size_t row, enum sum sum,
			   const struct compare_group *of, double *v)
{
	for (size_t i = 0; r->counter && i < of->n; i++) {
		const struct summary_counter *c =
		    summary_counter(of->runs[i], g->c->things, r->counter);

		if (!c)
			return false;
		v[i] = decimal_to_double(counter_in_ns(g, r, c));
	}
	for (size_t i = 0; !r->counter && i < of->n; i++) {
		__int128 x;

		if (!(row == SIZE_MAX ? compare_raw_total(of->runs[i], sum, &x)
				      : compare_raw(&g->rows[r->key], row, of->runs[i], sum,
						    r->cumulative, &x)))
			return false;
		v[i] = (double)x / (sum == r->metric ? divisor(g, r, of->runs[i]) : 1);
	}
	return true;
}

static struct gate_subject *add_subject(struct gate *g, struct gate_rule *to)
{
	struct gate_subject s = {.row = SIZE_MAX};

	s.base = arena_zalloc(&g->arena, base_of(g->c)->n * sizeof *s.base);
	s.new = arena_zalloc(&g->arena, new_of(g->c)->n * sizeof *s.new);
	VEC_PUSH(to->subjects, to->n, to->cap) = s;
	return &to->subjects[to->n - 1];
}

static double mean(const double *v, size_t n)
{
	return stats_mean((struct stats_sample){v, n});
}

/* There are enough allocations of it, on one side at least, for the rule to look at. */
static bool frequent(struct gate *g, const struct policy_rule *r, size_t row)
{
	enum sum sum = compare_knows(g->c, (enum key)r->key, SUM_COUNT) ? SUM_COUNT : SUM_ENTRIES;
	size_t nb = base_of(g->c)->n, nn = new_of(g->c)->n;
	double *v = mem_array(nb + nn, sizeof *v), most = 0;

	if (gate_values_of(g, r, row, sum, base_of(g->c), v))
		most = mean(v, nb);
	if (gate_values_of(g, r, row, sum, new_of(g->c), v + nb) && mean(v + nb, nn) > most)
		most = mean(v + nb, nn);
	free(v);
	return most >= (double)r->count;
}

static bool about(struct gate *g, const struct policy_rule *r, size_t row)
{
	const struct aggregate_things *t = g->c->things;
	const struct compare_row *of = &g->rows[r->key].rows[row];
	size_t n;
	const char *s = things_text(t, t->keys[r->key].items[of->thing].name, &n);

	if (policy_about(r, s, n))
		return true;
	s = things_text(t, t->keys[r->key].items[of->other].name, &n);
	return of->other != of->thing && policy_about(r, s, n);
}

static bool guessed(const struct gate *g, const struct policy_rule *r, size_t row)
{
	return g->rows[r->key].rows[row].guess;
}

/* What is smaller than the growth allowed cannot have grown by more. */
static bool small(const struct gate_rule *r, const struct gate_subject *s)
{
	double least = decimal_to_double(r->rule->absolute);

	for (size_t i = 0; i < r->n_base; i++)
		if (fabs(s->base[i]) > least)
			return false;
	for (size_t i = 0; i < r->n_new; i++)
		if (fabs(s->new[i]) > least)
			return false;
	return true;
}

static void gate_gather_each(struct gate *g, const struct policy_rule *r, struct gate_rule *to)
{
	for (size_t i = 0; i < g->rows[r->key].n; i++) {
		struct gate_subject *s;
		bool known;

		if (!about(g, r, i) || (r->count && !frequent(g, r, i)))
			continue;
		s = add_subject(g, to);
		s->row = i;
		s->guessed = guessed(g, r, i);
		to->guessed += s->guessed;
		known = gate_values_of(g, r, i, r->metric, new_of(g->c), s->new);
		known &= r->kind == POLICY_MAX ||
			 gate_values_of(g, r, i, r->metric, base_of(g->c), s->base);
		to->unknown += !known;
		if (!known || (r->kind == POLICY_GROWTH && small(to, s)))
			to->n--;
	}
}

static void gate_gather_sum(struct gate *g, const struct policy_rule *r, struct gate_rule *to)
{
	size_t nb = base_of(g->c)->n, nn = new_of(g->c)->n;
	double *base = mem_array(nb, sizeof *base), *new = mem_array(nn, sizeof *new);
	struct gate_subject *s = add_subject(g, to);

	for (size_t i = 0; i < g->rows[r->key].n; i++) {
		if (!about(g, r, i) || (r->count && !frequent(g, r, i)))
			continue;
		if (!gate_values_of(g, r, i, r->metric, base_of(g->c), base) ||
		    !gate_values_of(g, r, i, r->metric, new_of(g->c), new)) {
			to->unknown++;
			continue;
		}
		s->things++;
		s->guessed += guessed(g, r, i);
		for (size_t k = 0; k < nb; k++)
			s->base[k] += base[k];
		for (size_t k = 0; k < nn; k++)
			s->new[k] += new[k];
	}
	to->guessed = s->guessed;
	free(base);
	free(new);
}

/* New things: none of the base's runs has them. */
static void gate_gather_new(struct gate *g, const struct policy_rule *r, struct gate_rule *to)
{
	size_t nn = new_of(g->c)->n;
	uint32_t last = 1u << (g->c->n_groups - 1);

	for (size_t i = 0; i < g->rows[r->key].n; i++) {
		const struct compare_row *of = &g->rows[r->key].rows[i];
		struct gate_subject *s;

		if ((of->in & 1) || !(of->in & last) || !about(g, r, i) ||
		    (r->count && !frequent(g, r, i)))
			continue;
		s = add_subject(g, to);
		s->row = i;
		if (!gate_values_of(g, r, i, r->metric, new_of(g->c), s->new) ||
		    (of->unknown & 1)) {
			to->unknown++;
			to->n--;
		} else if (mean(s->new, nn) < decimal_to_double(r->absolute) ||
			   !(mean(s->new, nn) > 0)) {
			to->n--;
		}
	}
}

/* The share of the metric at named sites, in percent. */
static bool share_of(const struct aggregate_summary *s, enum sum sum, double *share)
{
	double named = 0;

	if (!run_knows(&s->known, sum) || !s->all.v[sum])
		return false;
	for (unsigned t = TIER_NAME; t < TIERS; t++)
		named += (double)s->coverage[t].v[sum];
	*share = 100 * named / (double)s->all.v[sum];
	return true;
}

static void gather_coverage(struct gate *g, const struct policy_rule *r, struct gate_rule *to)
{
	struct gate_subject *s = add_subject(g, to);

	for (size_t i = 0; i < base_of(g->c)->n; i++)
		to->unknown +=
		    !share_of(base_of(g->c)->runs[i], r->metric, &s->base[i]) && !isnan(r->drop);
	for (size_t i = 0; i < new_of(g->c)->n; i++)
		to->unknown += !share_of(new_of(g->c)->runs[i], r->metric, &s->new[i]);
}

/* Bytes of two domains do not compare. */
static enum status gate_check_domain(const struct compare *c, struct err *e)
{
	const size_t ends[] = {0, c->n_groups - 1};
	const char *of = NULL;
	unsigned domain = 0;

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < c->groups[ends[k]].n; i++) {
			unsigned d = c->groups[ends[k]].runs[i]->domain;

			if (d && domain && d != domain)
				return err_set(e, ST_UNSUPPORTED,
					       "%s counts the blocks of domain %s, %s those of "
					       "domain %s: --domain makes them alike",
					       of, domain_name(domain - 1),
					       c->groups[ends[k]].names[i], domain_name(d - 1));
			if (d && !domain) {
				domain = d;
				of = c->groups[ends[k]].names[i];
			}
		}
	return ST_OK;
}

static enum status gate_check_rule(const struct gate *g, const struct policy_rule *r, struct err *e)
{
	const struct compare *c = g->c;
	bool base = r->kind != POLICY_MAX;

	if (base && !r->counter && !(SUMS_MEASURED >> r->metric & 1) && gate_check_domain(c, e))
		return err_failure(e);

	for (size_t k = base ? 0 : c->n_groups - 1; k < c->n_groups; k++)
		for (size_t i = 0; i < c->groups[k].n; i++) {
			const struct aggregate_summary *s = c->groups[k].runs[i];
			const char *name = c->groups[k].names[i];

			if (k && k != c->n_groups - 1)
				continue;
			const struct summary_counter *counter =
			    r->counter ? summary_counter(s, c->things, r->counter) : NULL;

			if (counter && r->time &&
			    !counter_unit_ns(things_text(c->things, counter->unit, NULL)))
				return err_set(e, ST_UNSUPPORTED,
					       "line %u: rule '%s': the counter '%s' of %s is in "
					       "'%s', which is no unit of time",
					       r->line, r->name, r->counter, name,
					       things_text(c->things, counter->unit, NULL));
			if (counter)
				continue;
			if (r->counter)
				return err_set(e, ST_UNSUPPORTED,
					       "line %u: rule '%s': %s has no counter '%s'",
					       r->line, r->name, name, r->counter);
			if (r->key != POLICY_TOTAL && !s->keys[r->key].held)
				return err_set(e, ST_UNSUPPORTED,
					       "line %u: rule '%s': %s holds nothing by %s",
					       r->line, r->name, name, key_words[r->key]);
			if (!run_knows(r->key == POLICY_TOTAL ? &s->known : &s->keys[r->key].known,
				       r->metric))
				return err_set(e, ST_UNSUPPORTED,
					       "line %u: rule '%s': %s does not know '%s'%s%s",
					       r->line, r->name, name, sum_names[r->metric].word,
					       r->key == POLICY_TOTAL ? "" : " per ",
					       r->key == POLICY_TOTAL ? "" : key_words[r->key]);
			if (!(compare_divisor(s, (enum compare_per)r->per) > 0))
				return err_set(e, ST_UNSUPPORTED,
					       "line %u: rule '%s': %s has no %s to divide by",
					       r->line, r->name, name,
					       r->per == POLICY_PER_FRAME ? "frames" : "times");
		}
	return ST_OK;
}

static void gate_gather(struct gate *g, const struct policy_rule *r, struct gate_rule *to)
{
	to->rule = r;
	to->n_base = base_of(g->c)->n;
	to->n_new = new_of(g->c)->n;
	to->median = base_of(g->c)->median;
	to->unmatched = r->n_match > 0;
	for (size_t i = 0; to->unmatched && i < g->rows[r->key].n; i++)
		to->unmatched = !about(g, r, i);
	if (r->kind == POLICY_COVERAGE) {
		gather_coverage(g, r, to);
	} else if (r->kind == POLICY_NEW) {
		gate_gather_new(g, r, to);
	} else if (r->key == POLICY_TOTAL) {
		struct gate_subject *s = add_subject(g, to);

		to->unknown += !gate_values_of(g, r, SIZE_MAX, r->metric, base_of(g->c), s->base) &&
			       r->kind != POLICY_MAX;
		to->unknown += !gate_values_of(g, r, SIZE_MAX, r->metric, new_of(g->c), s->new);
	} else if (r->each) {
		gate_gather_each(g, r, to);
	} else {
		gate_gather_sum(g, r, to);
	}
}

static void gate_judge(struct gate *g)
{
	struct judge_options o = {.alpha = g->p->alpha,
				  .power = 0.8,
				  .runs_min = g->p->runs,
				  .decrease = true,
				  .told = true};

	g->judged = mem_zarray(g->p->n_rules + 1, sizeof *g->judged);
	for (size_t i = 0; i < g->p->n_rules; i++) {
		struct gate_rule *r = &g->rules[i];
		struct judge_rule *j = &g->judged[i];

		r->judged = j;
		r->result = &g->result;
		if (r->rule->kind != POLICY_GROWTH)
			continue;
		j->subjects = mem_zarray(r->n + 1, sizeof *j->subjects);
		j->n = r->n;
		for (size_t k = 0; k < r->n; k++)
			j->subjects[k] = (struct judge_subject){
			    .base = {r->subjects[k].base, r->n_base},
			    .new = {r->subjects[k].new, r->n_new},
			    .ratio = isnan(r->rule->percent) ? 0 : r->rule->percent / 100,
			    .absolute = decimal_to_double(r->rule->absolute),
			    .told = NAN};
	}
	if (g->c->n_groups > 1)
		g->result = judge_rules(g->judged, g->p->n_rules, &o);
}

static void find_loss(struct gate *g)
{
	for (size_t k = 0; k < g->c->n_groups && !g->lossy; k++)
		for (size_t i = 0; i < g->c->groups[k].n; i++)
			if (g->c->groups[k].runs[i]->notes[NOTE_LOSS])
				g->lossy = g->c->groups[k].names[i];
	if (g->options.allow_loss)
		g->lossy = NULL;
}

struct gate *gate_new(const struct compare *c, struct compare_policy *p,
		      const struct gate_options *o, struct err *e)
{
	struct gate *g = mem_zalloc(sizeof *g);
	unsigned keys = gate_keys(p);
	struct gate_context x;

	/* Before a rule is applied: of the policy's own only the rule is in doubt. */
	*g = (struct gate){.c = c, .p = p, .options = *o, .gave_up = match_all_gave_up()};
	for (size_t i = 0; i < p->n_rules; i++)
		if (gate_check_rule(g, &p->rules[i], e)) {
			free(g);
			return NULL;
		}
	for (enum key k = 0; k < KEYS; k++)
		if (keys >> k & 1 && compare_holds(c, k))
			compare_rows_init(&g->rows[k], c, k);
	g->rules = mem_zarray(p->n_rules, sizeof *g->rules);
	g->items = mem_zarray(p->n_rules, sizeof *g->items);
	for (size_t i = 0; i < p->n_rules; i++)
		gate_gather(g, &p->rules[i], &g->rules[i]);
	gate_judge(g);
	find_loss(g);
	x = (struct gate_context){.c = c,
				  .p = p,
				  .today = o->today,
				  .lossy = g->lossy,
				  .allow_unmatched = o->allow_unmatched,
				  .sites = g->rows[KEY_SITE].c ? &g->rows[KEY_SITE] : NULL,
				  .stacks = g->rows[KEY_STACK].c ? &g->rows[KEY_STACK] : NULL,
				  .used = arena_zalloc(&g->arena, p->n_waivers + 1),
				  .gave_up = g->gave_up,
				  .arena = &g->arena};
	for (size_t i = 0; i < p->n_rules; i++) {
		int key = p->rules[i].key;

		x.rows = key == POLICY_TOTAL ? NULL : &g->rows[key];
		gate_check(&x, i, &g->rules[i], &g->items[i]);
	}
	g->checks = (struct table_checks){.name = "policy",
					  .title = "policy",
					  .policy = o->policy,
					  .items = g->items,
					  .n_items = p->n_rules};
	gate_notes(&x, g->rules, g->rows, &g->checks);
	return g;
}

void gate_free(struct gate *g)
{
	if (!g)
		return;
	for (enum key k = 0; k < KEYS; k++)
		compare_rows_release(&g->rows[k]);
	for (size_t i = 0; i < g->p->n_rules; i++) {
		free(g->rules[i].subjects);
		free(g->judged[i].subjects);
	}
	judge_release(g->judged, g->p->n_rules);
	free(g->rules);
	free(g->judged);
	free(g->items);
	arena_release(&g->arena);
	free(g);
}

const struct table_checks *gate_checks(const struct gate *g)
{
	return &g->checks;
}

static bool any(const struct gate *g, enum verdict v, bool coverage)
{
	for (size_t i = 0; i < g->p->n_rules; i++)
		if (g->items[i].verdict == v &&
		    (g->p->rules[i].kind == POLICY_COVERAGE) == coverage)
			return true;
	return false;
}

bool gate_failed(const struct gate *g)
{
	return any(g, VERDICT_FAIL, false);
}

bool gate_incomplete(const struct gate *g)
{
	return any(g, VERDICT_FAIL, true);
}

bool gate_inconclusive(const struct gate *g)
{
	return any(g, VERDICT_INCONCLUSIVE, false) || any(g, VERDICT_INCONCLUSIVE, true);
}

unsigned gate_keys(const struct compare_policy *p)
{
	unsigned keys = 0;

	for (size_t i = 0; i < p->n_rules; i++) {
		int key = p->rules[i].key;

		if (key != POLICY_TOTAL)
			keys |= 1u << key;
		/* For whom a breach names. */
		if (key == KEY_FUNCTION || key == KEY_SITE || key == KEY_LOCATION)
			keys |= 1u << KEY_STACK | 1u << KEY_SITE;
	}
	return keys;
}

unsigned gate_sums(const struct compare_policy *p)
{
	unsigned sums = 0;

	for (size_t i = 0; i < p->n_rules; i++) {
		sums |= SUM_BIT(p->rules[i].metric);
		if (p->rules[i].metric == SUM_LIFETIME)
			sums |= SUM_BIT(SUM_TIMED);
		if (p->rules[i].metric == SUM_TIME_MEAN)
			sums |= SUMS_TIME;
	}
	return sums;
}
