/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/gate.h"

#include "lib/base/mem.h"
#include "lib/report/compare/gate_known.h"
#include "lib/report/compare/gate_new.h"
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
	struct gate_newness newness;
	struct table_check *items;
	struct table_checks checks;
	struct judge_builds builds; /* of the base; n 0: it is one */
	const char **build_names;
	struct arena arena;
	struct compare_doubts doubts;
	const char *unjudged; /* why nothing is judged; NULL: it is */
	const char *lossy;    /* a run that has lost something */
	uint64_t gave_up;     /* times that patterns of filters, sites and owners were given up */
};

static const struct compare_group *base_of(const struct compare *c)
{
	return &c->groups[0];
}

static const struct compare_group *new_of(const struct compare *c)
{
	return &c->groups[c->n_groups - 1];
}

static double divisor(const struct gate *g, const struct policy_rule *r, const struct profile *s)
{
	(void)g;
	return sum_is_mean(r->metric) ? 1 : compare_divisor(s, r->per);
}

/* Of a rule whose limits are times: in ns. */
static decimal counter_in_ns(const struct gate *g, const struct policy_rule *r,
			     const struct profile_counter *c)
{
	decimal v = counter_value(&c->stats, r->stat), ns;

	if (!r->time)
		return v;
	ns = decimal_of_unsigned(counter_unit_ns(entities_text(g->c->entities, c->unit, NULL)));
	return __builtin_mul_overflow(v, ns / DECIMAL_ONE, &ns) ? v : ns;
}

/* A group's values, run by run, of a row, or of everything (row SIZE_MAX). False: not known. */
static bool gate_values_of(struct gate *g, const struct policy_rule *r, size_t row, enum sum sum,
			   const struct compare_group *of, double *v)
{
	for (size_t i = 0; r->counter && i < of->n; i++) {
		const struct profile_counter *c =
		    profile_counter(of->runs[i], g->c->entities, r->counter);

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

/* By run, how many times the bytes of a row, or of everything, are those from sample to sample: samples are as many, or
 * fewer larger ones. */
static void gate_points_of(struct gate *g, const struct policy_rule *r, size_t row,
			   const struct compare_group *of, double *to)
{
	enum sum sum = metric_table[r->metric].unit == SUM_BYTES ? r->metric : SUM_REQUESTED;

	for (size_t i = 0; i < of->n; i++) {
		double every = compare_sampled_every(g->c, of->runs[i]);
		__int128 x;

		to[i] =
		    every > 0 && (row == SIZE_MAX ? compare_raw_total(of->runs[i], sum, &x)
						  : compare_raw(&g->rows[r->key], row, of->runs[i],
								sum, r->cumulative, &x))
			? fabs((double)x) / every
			: NAN;
	}
}

/* Adds those of all new runs. */
static void gate_add_points(struct gate *g, const struct gate_rule *r, size_t row,
			    struct gate_subject *to)
{
	double *v;

	if (!r->estimated)
		return;
	v = mem_array(r->n_new, sizeof *v);
	gate_points_of(g, r->rule, row, new_of(g->c), v);
	for (size_t i = 0; i < r->n_new; i++)
		to->points += v[i];
	free(v);
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

static double largest(const double *v, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, v[i]);
	return most;
}

/* There are enough allocations of it, on one side at least, for the rule to look at; in_run: in a run. */
static bool frequent(struct gate *g, const struct policy_rule *r, size_t row, bool in_run)
{
	double (*of)(const double *v, size_t n) = in_run ? largest : mean;
	enum sum sum = compare_knows(g->c, (enum key)r->key, SUM_COUNT) ? SUM_COUNT : SUM_ENTRIES;
	size_t nb = base_of(g->c)->n, nn = new_of(g->c)->n;
	double *v = mem_array(nb + nn, sizeof *v), most = 0;

	if (gate_values_of(g, r, row, sum, base_of(g->c), v))
		most = of(v, nb);
	if (gate_values_of(g, r, row, sum, new_of(g->c), v + nb))
		most = fmax(most, of(v + nb, nn));
	free(v);
	return most >= (double)r->count;
}

static bool about(struct gate *g, const struct policy_rule *r, size_t row)
{
	for (size_t i = 0; i < r->n_match; i++)
		if (gate_row_matches(&g->rows[r->key], row, r->match[i]))
			return true;
	return !r->n_match;
}

/* What a rule is about, so far as it is not passed over as too rare. */
static bool gate_looks_at(struct gate *g, const struct policy_rule *r, size_t row,
			  struct gate_rule *to)
{
	if (!about(g, r, row))
		return false;
	if (!r->count || frequent(g, r, row, false))
		return true;
	to->small++;
	return false;
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

/* There is some of it at all. */
static bool gate_is_any(const struct gate_rule *r, const struct gate_subject *s)
{
	for (size_t i = 0; i < r->n_base; i++)
		if (fabs(s->base[i]) > 0)
			return true;
	for (size_t i = 0; i < r->n_new; i++)
		if (fabs(s->new[i]) > 0)
			return true;
	return false;
}

static void gate_gather_each(struct gate *g, const struct policy_rule *r, struct gate_rule *to)
{
	for (size_t i = 0; i < g->rows[r->key].n; i++) {
		struct gate_subject *s;
		bool known;

		if (!gate_looks_at(g, r, i, to))
			continue;
		s = add_subject(g, to);
		s->row = i;
		s->guessed = guessed(g, r, i);
		to->guessed += s->guessed;
		known = gate_values_of(g, r, i, r->metric, new_of(g->c), s->new);
		known &= r->kind == POLICY_MAX ||
			 gate_values_of(g, r, i, r->metric, base_of(g->c), s->base);
		to->unknown += !known;
		gate_add_points(g, to, i, s);
		if (known && r->kind == POLICY_GROWTH && small(to, s))
			to->small += gate_is_any(to, s);
		else if (known)
			continue;
		to->n--;
	}
}

static void gate_gather_sum(struct gate *g, const struct policy_rule *r, struct gate_rule *to)
{
	size_t nb = base_of(g->c)->n, nn = new_of(g->c)->n;
	double *base = mem_array(nb, sizeof *base), *new = mem_array(nn, sizeof *new);
	struct gate_subject *s = add_subject(g, to);

	for (size_t i = 0; i < g->rows[r->key].n; i++) {
		if (!gate_looks_at(g, r, i, to))
			continue;
		if (!gate_values_of(g, r, i, r->metric, base_of(g->c), base) ||
		    !gate_values_of(g, r, i, r->metric, new_of(g->c), new)) {
			to->unknown++;
			continue;
		}
		s->entities++;
		s->guessed += guessed(g, r, i);
		gate_add_points(g, to, i, s);
		for (size_t k = 0; k < nb; k++)
			s->base[k] += base[k];
		for (size_t k = 0; k < nn; k++)
			s->new[k] += new[k];
	}
	to->guessed = s->guessed;
	free(base);
	free(new);
}

/* One of the entities that runs have or have not. False: a base run has it. */
static bool gate_gather_presence(struct gate *g, const struct gate_rule *r,
				 const struct gate_subject *s)
{
	size_t nb = base_of(g->c)->n, nn = new_of(g->c)->n;
	double *points = NULL;

	if (r->rule->count && !frequent(g, r->rule, s->row, true))
		return largest(s->base, nb) <= 0;
	if (r->estimated) {
		points = mem_array(nb + nn, sizeof *points);
		gate_points_of(g, r->rule, s->row, base_of(g->c), points);
		gate_points_of(g, r->rule, s->row, new_of(g->c), points + nb);
	}
	gate_new_add(&g->newness, r, s, points);
	free(points);
	return largest(s->base, nb) <= 0;
}

/* Of a row's groups (compare_row.in) the last. */
static uint32_t in_last_group(const struct gate *g)
{
	return UINT32_C(1) << ((g->c->n_groups - 1) & 31);
}

/* New entities: no run of the base has any of the metric in them. */
static void gate_gather_new(struct gate *g, const struct policy_rule *r, struct gate_rule *to)
{
	uint32_t last = in_last_group(g);
	double least = decimal_to_double(r->absolute);

	for (size_t i = 0; i < g->rows[r->key].n; i++) {
		const struct compare_row *of = &g->rows[r->key].rows[i];
		struct gate_subject *s;
		bool in_base = of->in & 1;
		double value;

		if (!(of->in & (last | 1)) || !about(g, r, i))
			continue;
		s = add_subject(g, to);
		s->row = i;
		if (!gate_values_of(g, r, i, r->metric, new_of(g->c), s->new) ||
		    (of->unknown & 1)) {
			to->unknown += !in_base;
			to->n--;
			continue;
		}
		/* What it has of other metrics does not count. */
		if (gate_values_of(g, r, i, r->metric, base_of(g->c), s->base))
			in_base = !gate_gather_presence(g, to, s);
		if (!(of->in & last) || !gate_looks_at(g, r, i, to)) {
			to->n--;
			continue;
		}
		gate_add_points(g, to, i, s);
		value = mean(s->new, new_of(g->c)->n);
		to->most = fmax(to->most, value);
		to->guessed += in_base && value > 0 && guessed(g, r, i);
		if (in_base || value < least || !(value > 0)) {
			to->small += value < least;
			to->n--;
		}
	}
}

/* The share of the metric at named sites, in percent. */
bool gate_named_share(const struct profile *s, enum sum sum, double *share)
{
	double named = 0;

	if (!profile_knows(&s->known, sum) || !s->all.v[sum])
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
		to->unknown += !gate_named_share(base_of(g->c)->runs[i], r->metric, &s->base[i]) &&
			       !isnan(r->drop);
	for (size_t i = 0; i < new_of(g->c)->n; i++)
		to->unknown += !gate_named_share(new_of(g->c)->runs[i], r->metric, &s->new[i]);
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
					       "%s has blocks of domain %s, %s has blocks of "
					       "domain %s: use --domain to compare the same",
					       of, domain_name(domain - 1),
					       c->groups[ends[k]].names[i], domain_name(d - 1));
			if (d && !domain) {
				domain = d;
				of = c->groups[ends[k]].names[i];
			}
		}
	return ST_OK;
}

static bool gate_is_of_blocks(const struct policy_rule *r)
{
	return !r->counter && !(SUMS_MEASURED >> r->metric & 1);
}

static bool gate_counts_blocks(const struct compare_policy *p)
{
	for (size_t i = 0; i < p->n_rules; i++)
		if (gate_is_of_blocks(&p->rules[i]))
			return true;
	return false;
}

/* A sum of each run: of several captures it is that of all. */
static bool gate_is_per_run(const struct policy_rule *r)
{
	return !r->counter && r->kind != POLICY_COVERAGE && r->per == PER_RUN &&
	       !sum_is_mean(r->metric);
}

static bool gate_asks_per_run(const struct compare_policy *p)
{
	for (size_t i = 0; i < p->n_rules; i++)
		if (gate_is_per_run(&p->rules[i]))
			return true;
	return false;
}

static enum status gate_check_rule(const struct gate *g, const struct policy_rule *r, struct err *e)
{
	const struct compare *c = g->c;
	bool base = r->kind != POLICY_MAX;

	if (base && gate_is_of_blocks(r) && gate_check_domain(c, e))
		return err_failure(e);

	for (size_t k = base ? 0 : c->n_groups - 1; k < c->n_groups; k++)
		for (size_t i = 0; i < c->groups[k].n; i++) {
			const struct profile *s = c->groups[k].runs[i];
			const char *name = c->groups[k].names[i];

			if (k && k != c->n_groups - 1)
				continue;
			const struct profile_counter *counter =
			    r->counter ? profile_counter(s, c->entities, r->counter) : NULL;

			if (counter && r->time &&
			    !counter_unit_ns(entities_text(c->entities, counter->unit, NULL)))
				return err_set(e, ST_UNSUPPORTED,
					       "line %u: rule '%s': the counter '%s' of %s is in "
					       "'%s', which is not a unit of time",
					       r->line, r->name, r->counter, name,
					       entities_text(c->entities, counter->unit, NULL));
			if (counter)
				continue;
			if (r->counter)
				return err_set(e, ST_UNSUPPORTED,
					       "line %u: rule '%s': %s has no counter '%s'",
					       r->line, r->name, name, r->counter);
			if (r->key != POLICY_TOTAL && !s->keys[r->key].held)
				return err_set(e, ST_UNSUPPORTED,
					       "line %u: rule '%s': %s has no data by %s", r->line,
					       r->name, name, key_words[r->key]);
			if (!profile_knows(r->key == POLICY_TOTAL ? &s->known
								  : &s->keys[r->key].known,
					   r->metric))
				return err_set(e, ST_UNSUPPORTED,
					       "line %u: rule '%s': %s has no '%s'%s%s", r->line,
					       r->name, name, metric_table[r->metric].title,
					       r->key == POLICY_TOTAL ? "" : " per ",
					       r->key == POLICY_TOTAL ? "" : key_words[r->key]);
			if (!(compare_divisor(s, r->per) > 0))
				return err_set(e, ST_UNSUPPORTED,
					       "line %u: rule '%s': %s has no %s to divide by",
					       r->line, r->name, name,
					       r->per == PER_FRAME ? "frames" : "times");
		}
	return ST_OK;
}

/* Whether an expression matches something of the base, and of the new side under the name that it has there or
 * had in the base. */
static void gate_find_match(struct gate *g, const struct policy_rule *r, struct match *m,
			    bool *in_base, bool *in_new)
{
	const struct compare_rows *rows = &g->rows[r->key];
	uint32_t last = in_last_group(g);

	for (size_t i = 0; i < rows->n && !*in_new; i++) {
		const struct compare_row *of = &rows->rows[i];

		if (!gate_row_matches(rows, i, m))
			continue;
		*in_base |= of->in & 1;
		*in_new |= of->in & last;
	}
}

static void gate_find_unmatched(struct gate *g, const struct policy_rule *r, struct gate_rule *to)
{
	bool any = false;

	for (size_t i = 0; i < r->n_match; i++) {
		bool in_base = false, in_new = false;

		gate_find_match(g, r, r->match[i], &in_base, &in_new);
		any |= in_base || in_new;
		if (in_base && !in_new && !to->gone)
			to->gone = r->match[i];
	}
	to->unmatched = r->n_match && !any;
}

/* All that there is by the key is without a name: runs do not say it, or it was not asked for. */
static bool gate_is_nameless(struct gate *g, const struct policy_rule *r)
{
	const struct profile_entities *t = g->c->entities;
	const struct compare_rows *rows = &g->rows[r->key];

	if (r->key != KEY_TYPE && r->key != KEY_OWNER)
		return false;
	for (size_t i = 0; i < rows->n; i++) {
		size_t n;
		const char *s =
		    entities_text(t, t->keys[r->key].items[rows->rows[i].entity].name, &n);

		if (n && strcmp(s, "[no type]") != 0 && strcmp(s, "[no owner]") != 0)
			return false;
	}
	return true;
}

typedef bool gate_finding(const struct compare *c, const struct policy_rule *r, struct buf *b);

static const char *gate_found(struct gate *g, const struct policy_rule *r, gate_finding *find)
{
	struct buf b = BUF_INIT;
	const char *s = find(g->c, r, &b) ? arena_strndup(&g->arena, b.data, b.len) : NULL;

	buf_release(&b);
	return s;
}

static bool gate_is_estimated(const struct gate *g, const struct policy_rule *r)
{
	for (size_t k = 0; k < g->c->n_groups && !r->counter; k++)
		for (size_t i = 0; i < g->c->groups[k].n; i++)
			if (g->c->groups[k].runs[i]->known.state[r->metric] == METRIC_ESTIMATED)
				return true;
	return false;
}

static void gate_gather(struct gate *g, const struct policy_rule *r, struct gate_rule *to)
{
	to->rule = r;
	to->n_base = base_of(g->c)->n;
	to->n_new = new_of(g->c)->n;
	to->median = base_of(g->c)->median;
	to->estimated = gate_is_estimated(g, r);
	to->nameless = r->key != POLICY_TOTAL && gate_is_nameless(g, r);
	gate_find_unmatched(g, r, to);
	to->unseen = gate_found(g, r, gate_known_without_stacks);
	if (!to->unseen)
		to->unseen = gate_found(g, r, gate_known_without_names);
	if (!to->unseen)
		to->unseen = gate_found(g, r, gate_known_in_part);
	to->others_grew = gate_found(g, r, gate_known_others_grew);
	if (r->kind == POLICY_COVERAGE) {
		gather_coverage(g, r, to);
	} else if (r->kind == POLICY_NEW) {
		gate_gather_new(g, r, to);
	} else if (r->key == POLICY_TOTAL) {
		struct gate_subject *s = add_subject(g, to);

		to->unknown += !gate_values_of(g, r, SIZE_MAX, r->metric, base_of(g->c), s->base) &&
			       r->kind != POLICY_MAX;
		to->unknown += !gate_values_of(g, r, SIZE_MAX, r->metric, new_of(g->c), s->new);
		gate_add_points(g, to, SIZE_MAX, s);
	} else if (r->each) {
		gate_gather_each(g, r, to);
	} else {
		gate_gather_sum(g, r, to);
	}
}

/* A build's place is that of its newest run. */
static void gate_find_builds(struct gate *g)
{
	const struct compare_group *base = base_of(g->c);
	size_t n = 0, *of;

	if (!base->builds || !base->n)
		return;
	of = arena_zalloc(&g->arena, base->n * sizeof *of);
	g->build_names = arena_zalloc(&g->arena, base->n * sizeof *g->build_names);
	for (size_t i = base->n; i-- > 0;) { /* the newest first */
		while (of[i] < n && strcmp(g->build_names[of[i]], base->names[i]) != 0)
			of[i]++;
		if (of[i] == n)
			g->build_names[n++] = base->names[i];
	}
	for (size_t i = 0; i < base->n; i++)
		of[i] = n - 1 - of[i];
	for (size_t i = 0; i < n / 2; i++) {
		const char *s = g->build_names[i];

		g->build_names[i] = g->build_names[n - 1 - i];
		g->build_names[n - 1 - i] = s;
	}
	g->builds = (struct judge_builds){of, base->n, n};
}

static void gate_negate(const struct gate_rule *r, struct gate_subject *s)
{
	for (size_t i = 0; i < r->n_base; i++)
		s->base[i] = -s->base[i];
}

/* Of several builds the best is the base: what it has least of, or the most of it that is named. */
static void gate_find_least(struct gate *g, struct gate_rule *r)
{
	bool coverage = r->rule->kind == POLICY_COVERAGE && !isnan(r->rule->drop) && !r->unknown;

	if (!g->builds.n || (r->rule->kind != POLICY_GROWTH && !coverage))
		return;
	r->builds = g->build_names;
	r->n_builds = g->builds.n;
	for (size_t i = 0; i < r->n; i++) {
		struct gate_subject *s = &r->subjects[i];

		if (coverage)
			gate_negate(r, s);
		s->least = judge_least(&g->builds, s->base);
		if (coverage)
			gate_negate(r, s);
	}
}

static void gate_judge(struct gate *g)
{
	struct judge_options o = {.alpha = g->p->alpha,
				  .power = 0.8,
				  .runs_min = g->p->runs,
				  .decrease = true,
				  .detectable = true};

	for (size_t i = 0; i < g->p->n_rules; i++) {
		struct gate_rule *r = &g->rules[i];
		struct judge_rule *j = &g->judged[i];

		r->judged = j;
		r->result = &g->result;
		if (r->rule->kind != POLICY_GROWTH)
			continue;
		o.estimates |= r->estimated;
		j->subjects = mem_zarray(r->n + 1, sizeof *j->subjects);
		j->n = r->n;
		for (size_t k = 0; k < r->n; k++)
			j->subjects[k] = (struct judge_subject){
			    .base = {r->subjects[k].base, r->n_base},
			    .new = {r->subjects[k].new, r->n_new},
			    .ratio = isnan(r->rule->percent) ? 0 : r->rule->percent / 100,
			    .absolute = decimal_to_double(r->rule->absolute),
			    .detectable = NAN};
	}
	if (o.estimates && o.runs_min < 2)
		o.runs_min = 2; /* single ones are not exact */
	if (g->c->n_groups > 1)
		g->result = judge_rules(g->judged, g->p->n_rules, &o);
}

/* Live bytes are largest behind an allocation. */
static double gate_moments(const struct gate *g)
{
	const struct compare_group *of = new_of(g->c);
	double sum = 0;

	for (size_t i = 0; i < of->n; i++) {
		const struct tally_sums *all = &of->runs[i]->unfiltered;

		sum += log(
		    fmax(1, (double)all->v[all->has >> SUM_COUNT & 1 ? SUM_COUNT : SUM_ENTRIES]));
	}
	return sum;
}

/* Of all rules on what is new together, and of all on limits. */
static void gate_judge_chance(struct gate *g)
{
	size_t limited = 0;

	gate_new_find(&g->newness);
	for (size_t i = 0; i < g->p->n_rules; i++)
		limited += g->rules[i].rule->kind == POLICY_MAX ? g->rules[i].n : 0;
	for (size_t i = 0; i < g->p->n_rules; i++) {
		struct gate_rule *r = &g->rules[i];

		r->newness = &g->newness;
		r->level = g->p->alpha / (double)(limited ? limited : 1);
		r->moments = gate_moments(g);
		for (size_t k = 0; r->rule->kind == POLICY_NEW && k < r->n; k++)
			gate_new_judge(&g->newness, r, &r->subjects[k]);
	}
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

/* Blocks that were seen and that no rule has looked at, on both sides. */
static const char *gate_other_domains(struct gate *g)
{
	struct buf b = BUF_INIT;
	const char *s = NULL;

	gate_known_add_others(g->c, &b);
	if (b.len) {
		buf_adds(&b, " (--domain)");
		s = arena_strndup(&g->arena, b.data, b.len);
	}
	buf_release(&b);
	return s;
}

/* A script that starts the game is judged for itself. */
static const char *gate_started(struct gate *g)
{
	const struct compare_group *of = new_of(g->c);
	struct buf b = BUF_INIT;
	const char *s = NULL;
	bool known;

	for (size_t i = 0; i < of->n && !s; i++) {
		if (!of->runs[i]->started)
			continue;
		known = of->runs[i]->program && of->runs[i]->program != PROFILE_MIXED;
		buf_addf(&b,
			 "%s is of %s alone: the program " PROFILE_STARTED
			 ", and these are not judged",
			 of->names[i],
			 known ? entities_text(g->c->entities, of->runs[i]->program, NULL)
			       : "the program");
		s = arena_strndup(&g->arena, b.data, b.len);
	}
	buf_release(&b);
	return s;
}

/* What runs are none to judge for, where that is allowed, and what else is to be said of them. */
static void gate_report_runs(struct gate *g)
{
	const struct gate_options *o = &g->options;
	size_t n = 0;
	const char **notes =
	    arena_zalloc(&g->arena, (g->checks.n_notes + o->n_notes + DOUBTS + 2) * sizeof *notes);
	const char *others =
	    gate_counts_blocks(g->p) && !g->doubts.of[DOUBT_DOMAIN] ? gate_other_domains(g) : NULL;
	const char *started = gate_started(g);

	for (enum compare_doubt i = 0; i < DOUBTS; i++) {
		struct buf b = BUF_INIT;

		if (!g->doubts.of[i] || g->doubts.of[i] == g->unjudged)
			continue;
		if (doubts_allowed(i, &o->allowed))
			buf_adds(&b, "judged because an option allows it: ");
		buf_adds(&b, g->doubts.of[i]);
		notes[n++] = arena_strndup(&g->arena, b.data, b.len);
		buf_release(&b);
	}
	if (others)
		notes[n++] = others;
	if (started)
		notes[n++] = started;
	for (size_t i = 0; i < o->n_notes; i++)
		notes[n++] = arena_strndup(&g->arena, o->notes[i], strlen(o->notes[i]));
	for (size_t i = 0; i < g->checks.n_notes; i++)
		notes[n++] = g->checks.notes[i];
	g->checks.notes = notes;
	g->checks.n_notes = n;
}

static void gate_judge_rules(struct gate *g)
{
	struct compare_policy *p = g->p;
	unsigned keys = gate_keys(p);
	struct gate_context x;

	for (enum key k = 0; k < KEYS; k++)
		if (keys >> k & 1 && compare_holds(g->c, k))
			compare_rows_init(&g->rows[k], g->c, k);
	gate_find_builds(g);
	g->newness = (struct gate_newness){.n_base = base_of(g->c)->n,
					   .n_new = new_of(g->c)->n,
					   .in_order = base_of(g->c)->median,
					   .alpha = p->alpha,
					   .arena = &g->arena};
	for (size_t i = 0; i < p->n_rules; i++) {
		gate_gather(g, &p->rules[i], &g->rules[i]);
		gate_find_least(g, &g->rules[i]);
	}
	gate_judge(g);
	gate_judge_chance(g);
	find_loss(g);
	x = (struct gate_context){.c = g->c,
				  .p = p,
				  .today = g->options.today,
				  .lossy = g->lossy,
				  .no_base = g->options.no_base,
				  .allow_no_base = g->options.allow_no_base,
				  .allow_unmatched = g->options.allowed.unmatched,
				  .sites = g->rows[KEY_SITE].c ? &g->rows[KEY_SITE] : NULL,
				  .stacks = g->rows[KEY_STACK].c ? &g->rows[KEY_STACK] : NULL,
				  .used = arena_zalloc(&g->arena, p->n_waivers + 1),
				  .open = arena_zalloc(&g->arena, p->n_waivers + 1),
				  .gave_up = g->gave_up,
				  .arena = &g->arena};
	for (size_t i = 0; i < p->n_rules; i++) {
		int key = p->rules[i].key;

		x.rows = key == POLICY_TOTAL ? NULL : &g->rows[key];
		gate_check(&x, i, &g->rules[i], &g->items[i]);
	}
	gate_notes(&x, g->rules, g->rows, &g->checks);
}

/* Whether the runs know what the rules ask for. */
static bool gate_check_rules(const struct gate *g, struct err *e)
{
	for (size_t i = 0; i < g->p->n_rules && !g->c->unread; i++)
		if (gate_check_rule(g, &g->p->rules[i], e))
			return false;
	return true;
}

/* Limits alone are asked of the new side alone. */
static bool gate_needs_base(const struct compare_policy *p)
{
	for (size_t i = 0; i < p->n_rules; i++)
		if (p->rules[i].kind == POLICY_GROWTH || p->rules[i].kind == POLICY_NEW ||
		    !isnan(p->rules[i].drop))
			return true;
	return false;
}

struct gate *gate_new(const struct compare *c, struct compare_policy *p,
		      const struct gate_options *o, struct err *e)
{
	struct gate *g = mem_zalloc(sizeof *g);

	/* Before a rule is applied: of the policy's own only the rule is in doubt. */
	*g = (struct gate){.c = c, .p = p, .options = *o, .gave_up = match_all_timed_out()};
	g->rules = mem_zarray(p->n_rules, sizeof *g->rules);
	g->items = mem_zarray(p->n_rules, sizeof *g->items);
	g->judged = mem_zarray(p->n_rules + 1, sizeof *g->judged);
	g->checks = (struct table_checks){.name = "policy",
					  .title = "policy",
					  .policy = o->policy,
					  .items = g->items,
					  .n_items = p->n_rules};
	doubts_find(&g->doubts, c, gate_needs_base(p) ? 0 : c->n_groups - 1);
	if (!gate_counts_blocks(p))
		g->doubts.of[DOUBT_DOMAIN] = NULL;
	if (!gate_asks_per_run(p))
		g->doubts.of[DOUBT_CAPTURES] = NULL;
	g->unjudged = doubts_first(&g->doubts, &o->allowed);
	for (size_t i = 0; g->unjudged && i < p->n_rules; i++)
		gate_check_nothing(&g->arena, &p->rules[i], g->unjudged, &g->items[i]);
	if (!gate_check_rules(g, e)) {
		gate_free(g);
		return NULL;
	}
	if (!g->unjudged)
		gate_judge_rules(g);
	gate_report_runs(g);
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
	gate_new_release(&g->newness);
	free(g->rules);
	free(g->judged);
	free(g->items);
	doubts_release(&g->doubts);
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

bool gate_compared(const struct gate *g)
{
	for (size_t i = 0; i < g->p->n_rules; i++)
		if (g->items[i].verdict != VERDICT_SKIPPED)
			return true;
	return !g->options.no_base;
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

	for (size_t i = 0; i < p->n_rules; i++)
		sums |= metric_wants(p->rules[i].metric);
	return sums;
}
