/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/judge.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/report/compare/judge_model.h"
#include "lib/stats/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double stands_out =
    2; /* a statistic that is counted, and a factor beyond all others */

/* What exchanging the runs has shown of each column. */
struct exchanged {
	struct model m;
	struct exchange x;
	double *observed, *p; /* by column */
	double *largest;      /* by set: of all columns */
	double many;          /* p of the number of subjects that stand out */
	double *room;         /* for the statistics of a set */
	size_t *order;        /* columns, the largest observed first */
};

struct judging {
	struct judge_rule *rules;
	size_t n;
	const struct judge_options *o;
	struct judge_result result;
	double lone; /* how far a base run departs from what all others agree on, at most */
	double *
	    apart; /* how far a subject of each base run is above its limit, the farthest run first */
	bool single; /* one run against one */
};

/* --- exchanging runs --- */

static int judge_larger_first(const void *a, const void *b, void *arg)
{
	const double *of = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (of[x] != of[y])
		return of[x] > of[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/* Equal sets of values add up in another order: what differs by rounding alone is as large. */
static bool reaches(double t, double observed)
{
	return t >= observed - 1e-9 * (1 + fabs(observed));
}

static size_t standing_out(const struct exchanged *e, const double *t)
{
	size_t n = 0;

	for (size_t i = 0; i < e->m.n_subjects; i++)
		n += reaches(t[i], stands_out);
	return n;
}

/* Of a set: which columns, from the smallest observed one on, it has as large a statistic for. */
static double count_set(const struct exchanged *e, const double *t, double *counts)
{
	double most = -INFINITY;

	for (size_t i = e->m.n_columns; i--;) {
		size_t column = e->order[i];

		most = t[column] > most ? t[column] : most;
		counts[column] += reaches(most, e->observed[column]);
	}
	return most;
}

static void exchanged_init(struct exchanged *e, const struct judging *j, double direction,
			   bool hold)
{
	size_t columns, many = 0, observed;
	double *t;

	model_init(&e->m, j->rules, j->n, direction, hold);
	columns = e->m.n_columns;
	exchange_init(&e->x, e->m.n, e->m.n_new, JUDGE_EXACT_MAX, JUDGE_ORDERS);
	e->observed = mem_array(columns + 1, sizeof *e->observed);
	e->p = mem_zarray(columns + 1, sizeof *e->p);
	e->order = mem_array(columns + 1, sizeof *e->order);
	e->largest = mem_array(e->x.n, sizeof *e->largest);
	e->room = mem_array(3 * columns + 1, sizeof *e->room);
	t = mem_array(columns + 1, sizeof *t);
	model_statistics(&e->m, e->x.sets, e->room, e->observed);
	for (size_t i = 0; i < columns; i++)
		e->order[i] = i;
	sort_array_by(e->order, columns, sizeof *e->order, judge_larger_first, e->observed);
	observed = standing_out(e, e->observed);
	for (size_t i = 0; i < e->x.n; i++) {
		model_statistics(&e->m, e->x.sets + i * e->x.chosen, e->room, t);
		e->largest[i] = count_set(e, t, e->p);
		many += standing_out(e, t) >= observed;
	}
	e->many = (double)many / (double)e->x.n;
	for (size_t i = 0; i < columns; i++) {
		double *p = &e->p[e->order[i]];

		*p /= (double)e->x.n;
		if (i && *p < e->p[e->order[i - 1]])
			*p = e->p[e->order[i - 1]];
	}
	free(t);
}

static void exchanged_release(struct exchanged *e)
{
	model_release(&e->m);
	exchange_release(&e->x);
	free(e->observed);
	free(e->p);
	free(e->order);
	free(e->largest);
	free(e->room);
}

/* The most that another set than the one that was observed has shown. */
static double largest_other(const struct exchanged *e)
{
	double most = -INFINITY;

	for (size_t i = 1; i < e->x.n; i++)
		most = e->largest[i] > most ? e->largest[i] : most;
	return most;
}

/* --- limits --- */

/* By more than rounding. A share of a value, an amount, is not as exact as the values are. */
static bool more_than(double growth, double limit)
{
	return growth > limit + 1e-12 * fabs(limit);
}

static bool beyond_limit(const struct model_column *c)
{
	return c->growth > c->limit + 1e-12 * (1 + c->limit);
}

static bool raw_beyond_limit(const struct model_column *c)
{
	return c->raw > c->limit + 1e-12 * (1 + c->limit);
}

/* --- what is the same in every base run --- */

static bool all_same(struct stats_sample s)
{
	for (size_t i = 1; i < s.n; i++)
		if (s.v[i] != s.v[0])
			return false;
	return true;
}

/* How far x lies from v, in the measure of the model. */
static double distance(double v, double x)
{
	if (x == v)
		return 0;
	return v > 0 && x > 0 ? fabs(log(x / v)) : INFINITY;
}

/* How far one run of a sample lies from what all others agree on. */
static double departure(struct stats_sample s)
{
	double most = 0;

	for (size_t i = 0; i < s.n && s.n > 1; i++) {
		double v = s.v[!i];
		bool agree = true;

		for (size_t k = 0; k < s.n; k++)
			agree &= k == i || s.v[k] == v;
		if (agree && distance(v, s.v[i]) > most)
			most = distance(v, s.v[i]);
	}
	return most;
}

static double lone_departure(const struct judging *j)
{
	double most = 0;

	for (size_t i = 0; i < j->n; i++)
		for (size_t k = 0; k < j->rules[i].n; k++) {
			const struct judge_subject *s = &j->rules[i].subjects[k];
			double far = s->base.n > 1      ? departure(s->base)
				     : all_same(s->new) ? 0
							: INFINITY;

			most = far > most ? far : most;
		}
	return most;
}

static double least(struct stats_sample s)
{
	double v = s.v[0];

	for (size_t i = 1; i < s.n; i++)
		v = s.v[i] < v ? s.v[i] : v;
	return v;
}

static double most_of(struct stats_sample s)
{
	double v = s.v[0];

	for (size_t i = 1; i < s.n; i++)
		v = s.v[i] > v ? s.v[i] : v;
	return v;
}

/* Farther than what a base run departs from all others by. */
static bool far_from(const struct judging *j, double v, double x)
{
	return !(j->lone > 0) || more_than(distance(v, x), 2 * j->lone);
}

/* So far that no base run of another subject makes it a pass. */
static bool far_above(double v, double x, double limit)
{
	return more_than(x - v, 2 * limit) && more_than(x - v, fabs(v) / 2);
}

/* True: it is decided. */
static bool compare_same(const struct judging *j, struct judge_subject *s)
{
	double v = s->base.v[0], low = least(s->new), high = most_of(s->new);

	if (!s->same)
		return false;
	if (more_than(low - v, s->limit) && far_from(j, v + s->limit, low))
		s->change = CHANGE_REGRESSED;
	else if (more_than(v - high, s->limit) && far_from(j, v - s->limit, high))
		s->change = CHANGE_IMPROVED;
	else if (v == 0 && more_than(high, s->limit) && !isinf(j->lone))
		s->why = JUDGE_APPEARS;
	else if (!j->result.reachable && !isinf(j->lone) && far_above(v, low, s->limit))
		s->why = JUDGE_FEW;
	else
		s->let_by = !j->result.reachable && !isinf(j->lone) && more_than(low - v, s->limit);
	return s->change || s->why;
}

/* --- verdicts --- */

static double sample_mean_there(struct stats_sample s, double *share)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if (s.v[i] > 0) {
			sum += s.v[i];
			n++;
		}
	*share = (double)n / (double)s.n;
	return sum / (double)s.n;
}

/* More than is allowed: of those runs that have it, or because more runs have it. */
static bool grew(const struct judge_subject *s, const struct model_column *c)
{
	double base, new, before, after;

	if (beyond_limit(c))
		return true;
	if (c->linear)
		return false;
	before = sample_mean_there(s->base, &base);
	after = sample_mean_there(s->new, &new);
	return new > base &&after - before > s->limit + 1e-12 * (s->limit + after);
}

static double middle_there(struct stats_sample s)
{
	double *v = mem_array(s.n + 1, sizeof *v), middle;
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if (s.v[i] > 0)
			v[n++] = s.v[i];
	middle = stats_median((struct stats_sample){v, n});
	free(v);
	return middle;
}

/* --- what is large in some runs --- */

/* How far x is above what the subject may be, as a logarithm; at least 0. The base has it. */
static double distance_above(const struct judge_subject *s, double x)
{
	double most = middle_there(s->base) + s->limit;

	return more_than(x, most) ? log(x / most) : 0;
}

/* No run of the base has more of it. */
static double distance_in_base(const struct judge_subject *s)
{
	return middle_there(s->base) > 0 ? distance_above(s, most_of(s->base)) : 0;
}

static int judge_farthest_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* Of each base run the subject that is farthest off. */
static double *runs_apart(const struct judging *j, size_t n)
{
	double *apart = mem_zarray(n, sizeof *apart);

	for (size_t i = 0; i < j->n; i++)
		for (size_t k = 0; k < j->rules[i].n; k++) {
			const struct judge_subject *s = &j->rules[i].subjects[k];
			bool any = distance_in_base(s) > 0;

			for (size_t r = 0; any && r < n; r++)
				apart[r] = fmax(apart[r], distance_above(s, s->base.v[r]));
		}
	sort_array(apart, n, sizeof *apart, judge_farthest_first);
	return apart;
}

static size_t count_large(const struct judge_subject *s)
{
	double base = middle_there(s->base);
	size_t n = 0;

	for (size_t i = 0; i < s->new.n &&base > 0; i++)
		n += more_than(s->new.v[i], JUDGE_TENFOLD * (base + s->limit));
	return n;
}

/* So many new runs are so many times what the subject may be, and farther than twice what as many base
 * runs are in any subject, and any one in this: where runs have such values by chance the base shows it. */
static size_t far_off(const struct judging *j, const struct judge_subject *s, double times)
{
	double *v = mem_array(s->new.n, sizeof *v);
	double base = middle_there(s->base), own = distance_in_base(s);
	size_t n = 0;

	memcpy(v, s->new.v, s->new.n * sizeof *v);
	sort_array(v, s->new.n, sizeof *v, judge_farthest_first);
	for (size_t k = 0; k < s->new.n &&base > 0; k++) {
		double others = k < s->base.n ? j->apart[k] : 0;

		if (more_than(v[k], times * (base + s->limit)) &&
		    more_than(distance_above(s, v[k]), 2 * fmax(own, others)))
			n = k + 1;
	}
	free(v);
	return n;
}

static bool in_some(struct stats_sample s)
{
	size_t n = 0;

	for (size_t k = 0; k < s.n; k++)
		n += fabs(s.v[k]) > 0;
	return n && n < s.n;
}

/* What no run of a side has may come by chance where entities of the base come and go: as large as these, within
 * JUDGE_TENFOLD, or small beside all that the base has. */
static double comes_by_chance(const struct judge_rule *r)
{
	double most = 0, all = 0;

	for (size_t k = 0; k < r->n; k++) {
		const struct judge_subject *s = &r->subjects[k];

		if (in_some(s->base) || in_some(s->new))
			most = fmax(most, most_of(s->base));
		all += fmax(0, s->middle_base);
	}
	return fmax(JUDGE_TENFOLD * most, all / JUDGE_SMALL);
}

/* No base run has it, and half of the new ones or more have too much for chance. */
static bool appears(const struct judge_rule *r, const struct judge_subject *s)
{
	size_t n = 0;

	for (size_t k = 0; k < s->new.n; k++)
		n += more_than(s->new.v[k], s->limit + r->comes);
	return s->base.v[0] == 0 && all_same(s->base) && 2 * n >= s->new.n &&n;
}

static bool tenfold(const struct judge_subject *s)
{
	double base = middle_there(s->base), new = middle_there(s->new);

	return base > 0 && more_than(new, JUDGE_TENFOLD * (base + s->limit));
}

static bool too_few(const struct judging *j, const struct judge_subject *s)
{
	return s->base.n < j->o->runs_min || s->new.n < j->o->runs_min;
}

static void regress(const struct judging *j, struct judge_subject *s)
{
	if (too_few(j, s)) {
		s->change = CHANGE_UNCHANGED;
		s->why = JUDGE_SINGLE;
	} else {
		s->change = CHANGE_REGRESSED;
	}
}

static enum judge_why doubt(const struct judging *j, const struct judge_rule *r,
			    const struct judge_subject *s, const struct exchanged *e, size_t column,
			    double other)
{
	if (s != &r->common && tenfold(s))
		return JUDGE_LARGE;
	if (s != &r->common && appears(r, s))
		return JUDGE_APPEARS;
	if (s != &r->common && far_off(j, s, JUDGE_TENFOLD))
		return JUDGE_SOME;
	if (!(s == &r->common ? beyond_limit(&e->m.columns[column])
			      : grew(s, &e->m.columns[column])))
		return JUDGE_CLEAR;
	if (!j->result.reachable && !reaches(stands_out * other, e->observed[column]))
		return JUDGE_FEW;
	if (s != &r->common && r->n == 1 && s->limit > 0)
		return JUDGE_ABOVE;
	return JUDGE_CLEAR;
}

static bool stands(const struct judging *j, const struct exchanged *e, size_t column)
{
	return j->result.reachable && e->p[column] <= j->o->alpha && e->observed[column] > 0;
}

/* The amount that grew() has compared with the limit, where one was. */
static double amount_of(const struct judge_subject *s, const struct model_column *c)
{
	double share;

	if (s->same)
		return NAN;
	if (!beyond_limit(c) && grew(s, c))
		return sample_mean_there(s->new, &share) - sample_mean_there(s->base, &share);
	return c->linear ? c->growth * c->unit : middle_there(s->base) * expm1(c->growth);
}

/* Each needs as many runs as the policy asks for. Without an exchange that can reach alpha, only what is compared
 * exactly fails. */
static bool is_mute(const struct judging *j, const struct judge_subject *s)
{
	return too_few(j, s) || (!j->result.reachable && (!s->same || isinf(j->lone)));
}

static void decide_growth(struct judging *j, struct judge_rule *r, struct judge_subject *s,
			  const struct exchanged *e, size_t column, const double *other)
{
	const struct model_column *c = &e->m.columns[column];
	bool common = s == &r->common;

	s->growth = c->growth;
	s->t = e->observed[column];
	s->p = e->p[column];
	if (!common) {
		s->high = far_off(j, s, JUDGE_HIGH);
		s->by = amount_of(s, c);
		s->mute = c->asked && is_mute(j, s);
	}
	if (!common && compare_same(j, s)) {
		if (s->change == CHANGE_REGRESSED)
			regress(j, s);
		else if (s->change == CHANGE_IMPROVED && too_few(j, s))
			s->change = CHANGE_UNCHANGED;
		return;
	}
	if (stands(j, e, column) && (common ? beyond_limit(c) : grew(s, c)))
		regress(j, s);
	else
		s->why = doubt(j, r, s, e, column, *other);
	/* These compare runs, or medians. */
	if (s->why == JUDGE_LARGE || s->why == JUDGE_APPEARS || s->why == JUDGE_SOME)
		s->by = NAN;
}

/* A column of the model with the subject that it is of. */
typedef void each_column(struct judging *j, struct judge_rule *r, struct judge_subject *s,
			 const struct exchanged *e, size_t column, const double *arg);

static void for_columns(struct judging *j, const struct exchanged *e, each_column *call,
			const double *arg)
{
	size_t at = 0;

	for (size_t i = 0; i < j->n; i++)
		for (size_t k = 0; k < j->rules[i].n; k++, at++)
			call(j, &j->rules[i], &j->rules[i].subjects[k], e, at, arg);
	for (size_t i = 0; i < j->n; i++)
		if (j->rules[i].factors)
			call(j, &j->rules[i], &j->rules[i].common, e, e->m.n_subjects + i, arg);
}

/* Where it is not known whose what new runs have in common is, the machine's or the build's, a verdict that depends on
 * it is inconclusive. What all have more of together may fail by itself, and is not said once more of each. */
static void decide_held(struct judging *j, struct judge_rule *r, struct judge_subject *s,
			const struct exchanged *e, size_t column, const double *arg)
{
	bool fails = s->change == CHANGE_REGRESSED || s->why == JUDGE_SINGLE, held;
	struct judge_subject exact = *s;

	(void)arg;
	exact.change = CHANGE_UNCHANGED; /* what the model found is no answer of compare_same() */
	exact.why = JUDGE_CLEAR;
	if (s == &r->common || !r->doubtful || compare_same(j, &exact))
		return;
	held = stands(j, e, column) && grew(s, &e->m.columns[column]);
	if (fails ? held : !held || s->why || r->common.change == CHANGE_REGRESSED)
		return;
	s->change = CHANGE_UNCHANGED;
	s->why = JUDGE_EITHER;
}

static void hold_doubtful(struct judging *j)
{
	struct exchanged e;
	bool any = false;

	for (size_t i = 0; i < j->n; i++)
		any |= j->rules[i].doubtful;
	if (!any || !j->result.reachable)
		return;
	exchanged_init(&e, j, 1, true);
	for_columns(j, &e, decide_held, NULL);
	exchanged_release(&e);
}

/* 2: it fails, 1: it is inconclusive. */
static int how_bad(const struct judge_subject *s)
{
	return s->change == CHANGE_REGRESSED ? 2 : s->why ? 1 : 0;
}

/* What half of the subjects or more have by themselves is not said once more of all. */
static void explain_common(struct judging *j, struct judge_rule *r, struct judge_subject *s,
			   const struct exchanged *e, size_t column, const double *arg)
{
	const struct model_column *c = e->m.columns;
	size_t by = 0, of = 0;

	(void)j;
	(void)column;
	(void)arg;
	if (s != &r->common || !how_bad(s))
		return;
	while (c->subject != r->subjects)
		c++;
	for (size_t i = 0; i < r->n; i++) {
		of += c[i].by_factor;
		by += c[i].by_factor && how_bad(&r->subjects[i]) >= how_bad(s);
	}
	if (2 * by >= of) {
		s->change = CHANGE_UNCHANGED;
		s->why = JUDGE_CLEAR;
	}
}

static void decide_decrease(struct judging *j, struct judge_rule *r, struct judge_subject *s,
			    const struct exchanged *e, size_t column, const double *arg)
{
	const struct model_column *c = &e->m.columns[column];

	(void)r;
	(void)arg;
	if (!s->change && !s->why && stands(j, e, column) && beyond_limit(c) &&
	    raw_beyond_limit(c) && !too_few(j, s))
		s->change = CHANGE_IMPROVED;
}

static void decide_many(struct judging *j, struct judge_rule *r, struct judge_subject *s,
			const struct exchanged *e, size_t column, const double *arg)
{
	(void)j;
	(void)arg;
	if (s != &r->common && !s->change && !s->why && reaches(e->observed[column], stands_out) &&
	    grew(s, &e->m.columns[column]))
		s->why = JUDGE_MANY;
}

/* --- what would have been detected --- */

static void set_detectable(struct judging *j, struct judge_rule *r, struct judge_subject *s,
			   const struct exchanged *e, size_t column, const double *detectable)
{
	const struct model_column *c = &e->m.columns[column];
	double most;

	if (s == &r->common || !c->asked || s->mute)
		return;
	if (s->same && !isinf(j->lone) && s->base.v[0] > 0) {
		s->detectable = (s->base.v[0] + s->limit) * exp(2 * j->lone) - s->base.v[0];
		return;
	}
	if (!detectable)
		return;
	most = c->limit + detectable[column];
	s->detectable = c->linear ? most * c->unit : s->middle_base * expm1(most);
}

static void find_detectable(struct judging *j, const struct exchanged *e)
{
	double *detectable = NULL;
	size_t allowed = (size_t)(j->o->alpha * (double)e->x.n + 1e-9);

	if (j->result.reachable) {
		detectable = mem_array(e->m.n_subjects, sizeof *detectable);
		model_detectable(&e->m, &e->x, allowed - 1, j->o->power, detectable);
	}
	for_columns(j, e, set_detectable, detectable);
	free(detectable);
}

/* --- the whole --- */

static void describe(struct judging *j)
{
	for (size_t i = 0; i < j->n; i++) {
		j->rules[i].factors = NULL;
		j->rules[i].difference = j->rules[i].systematic = 0;
		j->rules[i].doubtful = j->rules[i].taken_out = false;
		j->rules[i].common =
		    (struct judge_subject){.growth = NAN, .p = 1, .detectable = NAN};
		for (size_t k = 0; k < j->rules[i].n; k++) {
			struct judge_subject *s = &j->rules[i].subjects[k];
			double by;

			s->middle_base = stats_median(s->base);
			s->middle_new = stats_median(s->new);
			by = s->ratio * (least(s->base) < 0 || least(s->new) < 0
					     ? fabs(s->middle_base)
					     : middle_there(s->base));
			s->limit = s->absolute > by ? s->absolute : by;
			s->large = count_large(s);
			s->high = 0;
			s->let_by = false;
			s->growth = s->by = s->detectable = NAN;
			s->mute = false;
			s->p = 1;
			s->same = !j->o->estimates && all_same(s->base);
			s->change = CHANGE_UNCHANGED;
			s->why = JUDGE_CLEAR;
			j->rules[i].common.base = s->base;
			j->rules[i].common.new = s->new;
		}
		j->rules[i].comes = comes_by_chance(&j->rules[i]);
	}
}

/* One run a side: each is as it is. */
static void decide_single(struct judging *j)
{
	for (size_t i = 0; i < j->n; i++)
		for (size_t k = 0; k < j->rules[i].n; k++) {
			struct judge_subject *s = &j->rules[i].subjects[k];

			if (more_than(s->new.v[0] - s->base.v[0], s->limit))
				regress(j, s);
			else if (more_than(s->base.v[0] - s->new.v[0], s->limit) &&
				 j->o->runs_min < 2)
				s->change = CHANGE_IMPROVED;
		}
}

static bool any(const struct judging *j, enum change change)
{
	for (size_t i = 0; i < j->n; i++) {
		if (j->rules[i].common.change == change)
			return true;
		for (size_t k = 0; k < j->rules[i].n; k++)
			if (j->rules[i].subjects[k].change == change)
				return true;
	}
	return false;
}

static void decide(struct judging *j)
{
	struct exchanged e;
	double other;

	exchanged_init(&e, j, 1, false);
	j->result.orders = e.x.n;
	j->result.sampled = e.x.sampled;
	j->result.reachable = (double)e.x.n * j->o->alpha >= 1 - 1e-9;
	j->result.drawn_in = e.m.drawn_in;
	other = largest_other(&e);
	for_columns(j, &e, decide_growth, &other);
	hold_doubtful(j);
	for_columns(j, &e, explain_common, NULL);
	if (j->result.reachable && e.many <= j->o->alpha && !any(j, CHANGE_REGRESSED))
		for_columns(j, &e, decide_many, NULL);
	if (j->o->detectable)
		find_detectable(j, &e);
	exchanged_release(&e);
	if (j->o->decrease && j->result.reachable) {
		exchanged_init(&e, j, -1, false);
		for_columns(j, &e, decide_decrease, NULL);
		exchanged_release(&e);
	}
}

/* Inconclusive is what has a reason to be. */
static void conclude(struct judge_subject *s)
{
	if (s->why)
		s->change = CHANGE_INCONCLUSIVE;
}

static void runs_needed(struct judging *j, size_t base, size_t new)
{
	struct judge_result *r = &j->result;
	double needed = 1 / j->o->alpha - 1e-9;

	for (r->runs_each = 1; (double)exchange_count(2 * r->runs_each, r->runs_each) < needed;)
		r->runs_each++;
	for (r->runs_new = new; (double)exchange_count(base + r->runs_new, r->runs_new) < needed;)
		r->runs_new++;
	for (r->runs_base = base; (double)exchange_count(r->runs_base + new, new) < needed;)
		r->runs_base++;
}

struct judge_result judge_rules(struct judge_rule *rules, size_t n, const struct judge_options *o)
{
	struct judging j = {.rules = rules, .n = n, .o = o};
	const struct judge_subject *first = NULL;

	describe(&j);
	for (size_t i = 0; i < n && !first; i++)
		first = rules[i].n ? rules[i].subjects : NULL;
	if (!first)
		return j.result;
	j.single = first->base.n == 1 && first->new.n == 1;
	runs_needed(&j, first->base.n, first->new.n);
	j.lone = lone_departure(&j);
	j.apart = runs_apart(&j, first->base.n);
	if (j.single)
		decide_single(&j);
	else
		decide(&j);
	for (size_t i = 0; i < n; i++) {
		conclude(&rules[i].common);
		for (size_t k = 0; k < rules[i].n; k++)
			conclude(&rules[i].subjects[k]);
	}
	free(j.apart);
	return j.result;
}

void judge_release(struct judge_rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(rules[i].factors);
		rules[i].factors = NULL;
	}
}
