/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/gate_rule.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/match/near.h"
#include "lib/names/disambiguate.h"
#include "lib/report/compare/gate.h"
#include "lib/report/compare/gate_new.h"
#include "lib/report/compare/view.h"
#include "lib/table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One that breaks the rule, would but for a waiver, or cannot be decided. */
struct finding {
	size_t subject;
	enum verdict verdict;
	double by; /* how much, to list the worst first */
};

struct outcome {
	struct finding *items;
	size_t n, cap;
	size_t of[VERDICTS]; /* items, by verdict */
	size_t improved;     /* subjects; */
	bool all_improved;   /* taken together they did */
	size_t why[JUDGE_WHYS];
};

static const char *kept(const struct gate_context *x, struct buf *b)
{
	const char *s = arena_strndup(x->arena, b->data ? b->data : "", b->len);

	buf_release(b);
	return s;
}

static double mean(const double *v, size_t n)
{
	return stats_mean((struct stats_sample){v, n});
}

double gate_base(const struct gate_rule *r, const struct gate_subject *s)
{
	struct stats_sample base = {s->base, r->n_base};

	return r->median || r->rule->kind == POLICY_GROWTH ? stats_median(base) : stats_mean(base);
}

double gate_new_value(const struct gate_rule *r, const struct gate_subject *s)
{
	struct stats_sample new = {s->new, r->n_new};

	return r->rule->kind == POLICY_GROWTH ? stats_median(new) : stats_mean(new);
}

/* What a waiver's limit is about; NaN of what all subjects have in common. */
static double gate_rule_waived_value(const struct gate_rule *r, size_t i)
{
	return i == GATE_ALL_ALIKE ? NAN : gate_new_value(r, &r->subjects[i]);
}

static const struct judge_subject *judged(const struct gate_rule *r, size_t i)
{
	return i == GATE_ALL_ALIKE ? &r->judged->common : &r->judged->subjects[i];
}

static int gate_rule_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

size_t gate_new_some(const struct gate_rule *r, size_t i, double *value)
{
	const struct gate_subject *s = &r->subjects[i];
	size_t n = 0, few;
	double *v;

	*value = 0;
	if (r->rule->kind == POLICY_NEW && s->runs && s->runs < r->n_new) {
		*value = gate_new_value(r, s) * (double)r->n_new / (double)s->runs;
		return s->runs;
	}
	if (r->rule->kind != POLICY_GROWTH ||
	    (judged(r, i)->why != JUDGE_SOME && fabs(gate_new_value(r, s)) > 0))
		return 0;
	v = mem_array(r->n_new, sizeof *v);
	for (size_t k = 0; k < r->n_new; k++)
		if (fabs(s->new[k]) > 0)
			v[n++] = s->new[k];
	sort_array(v, n, sizeof *v, gate_rule_ascending);
	few = judged(r, i)->why == JUDGE_SOME ? judged(r, i)->large : n;
	*value = few ? stats_median((struct stats_sample){v + n - few, few}) : 0;
	free(v);
	return few;
}

/* As tables show it. */
static void add_reading(struct buf *b, double size)
{
	struct table_column c = {.type = COLUMN_DECIMAL};
	struct table_cell cell;
	decimal v;

	if (!decimal_from_double(size, &v)) {
		buf_addf(b, "%.0f", size);
		return;
	}
	cell = cell_decimal(v);
	cell_for_people(b, &c, &cell, false);
}

static void add_percent_number(struct buf *b, double percent, bool is_signed)
{
	struct table_cell c = cell_percent(percent);

	percent_text(b, &c, is_signed);
}

void gate_rule_add_amount(struct buf *b, const struct policy_rule *r, double v)
{
	double size = fabs(v);

	if (v < 0)
		buf_addc(b, '-');
	if (r->kind == POLICY_COVERAGE) {
		add_percent_number(b, size, false);
		buf_adds(b, " %");
		return;
	}
	if (r->counter && !r->time)
		add_reading(b, size);
	else if ((!r->time && metric_table[r->metric].unit == SUM_NUMBER) || size >= 1e18)
		buf_addf(b, size == floor(size) || size >= 100 ? "%.0f" : "%.2f", size);
	else if (!r->time && metric_table[r->metric].unit == SUM_BYTES)
		size_text(b, (uint64_t)(size + 0.5));
	else
		time_text(b, (uint64_t)(size + 0.5));
	buf_adds(b, per_titles[r->per]);
}

static void add_signed_amount(struct buf *b, const struct policy_rule *r, double v)
{
	if (v >= 0)
		buf_addc(b, '+');
	gate_rule_add_amount(b, r, v);
}

static void add_percent(struct buf *b, double base, double difference)
{
	if (fabs(base) > 0) {
		buf_adds(b, fabs(difference) > 0 ? ", " : ", +");
		add_percent_number(b, 100 * difference / fabs(base), true);
		buf_adds(b, " %");
	}
}

static void add_subject(const struct gate_context *x, const struct gate_rule *r, size_t i,
			struct buf *b)
{
	const struct gate_subject *s = i == GATE_ALL_ALIKE ? NULL : &r->subjects[i];
	int key = r->rule->key;

	if (!s)
		buf_addf(b, "(all %s alike)", key_plurals[key]);
	else if (s->row != SIZE_MAX)
		gate_entity_text(x->c->entities, (enum key)key,
				 &x->c->entities->keys[key].items[x->rows->rows[s->row].entity], b);
	else if (key != POLICY_TOTAL)
		buf_addf(b, "(sum of %zu %s)", s->entities, key_plurals[key]);
	else
		buf_adds(b, r->rule->kind == POLICY_COVERAGE ? "(coverage)" : "(total)");
}

/* Of the subject with this text. */
static const struct policy_waiver *gate_rule_waiver(const struct gate_context *x, size_t index,
						    const struct gate_rule *r, size_t i,
						    const struct buf *text,
						    const struct policy_waiver **other)
{
	const struct gate_subject *s = i == GATE_ALL_ALIKE ? NULL : &r->subjects[i];
	struct name_suffix_name subject = {.name = text->data, .n = text->len};

	if (s && s->row != SIZE_MAX)
		subject.raw = entities_text(
		    x->c->entities,
		    x->c->entities->keys[r->rule->key].items[x->rows->rows[s->row].entity].raw,
		    &subject.n_raw);
	return policy_waived(x->p, index, &subject, gate_rule_waived_value(r, i), x->today, other);
}

static void add_difference(const struct gate_rule *r, double base, double by, struct buf *b)
{
	add_signed_amount(b, r->rule, by);
	if (r->rule->kind == POLICY_GROWTH)
		add_percent(b, base, by);
}

/* " (+107.1 KiB, +7.02 %)". Runs are judged by an estimate, which medians may contradict. */
static void gate_rule_add_change(const struct gate_rule *r, size_t i, double base, double new,
				 struct buf *b)
{
	const struct judge_subject *j = r->rule->kind == POLICY_GROWTH ? judged(r, i) : NULL;
	double medians = new - base, by = j && !isnan(j->by) ? j->by : medians;

	buf_adds(b, " (");
	if (j && ((by > j->limit) != (medians > j->limit) ||
		  fabs(by - medians) > fmax(fabs(by), fabs(medians)) / 10))
		buf_adds(b, "medians; the estimate: ");
	add_difference(r, base, by, b);
	buf_addc(b, ')');
}

/* "1.5 MiB -> 1.6 MiB (+107.1 KiB, +7.02 %)" */
static void gate_rule_add_measured(const struct gate_rule *r, size_t i, struct buf *b)
{
	const struct gate_subject *s = &r->subjects[i];
	double base, new, some;
	size_t n_some;

	if (i == GATE_ALL_ALIKE) {
		buf_addf(b, "%+.2f %%", 100 * expm1(r->judged->common.growth));
		return;
	}
	base = gate_base(r, s);
	new = gate_new_value(r, s);
	n_some = gate_new_some(r, i, &some);
	if (n_some) {
		if (r->rule->kind == POLICY_GROWTH) {
			gate_rule_add_amount(b, r->rule, base);
			buf_adds(b, " -> ");
		}
		gate_rule_add_amount(b, r->rule, some);
		buf_addf(b, " in %zu of %zu runs", n_some, r->n_new);
		return;
	}
	if (r->rule->kind == POLICY_GROWTH ||
	    (r->rule->kind == POLICY_COVERAGE && !isnan(r->rule->drop))) {
		gate_rule_add_amount(b, r->rule, base);
		buf_adds(b, " -> ");
		gate_rule_add_amount(b, r->rule, new);
		gate_rule_add_change(r, i, base, new, b);
	} else {
		gate_rule_add_amount(b, r->rule, new);
	}
}

/* "+16 B, +1.60 %" */
static void add_detectable(const struct gate_rule *r, size_t i, struct buf *b)
{
	const struct judge_subject *j = &r->judged->subjects[i];

	add_signed_amount(b, r->rule, j->detectable);
	if (fabs(j->detectable) >= GATE_TENFOLD * fabs(j->middle_base) && fabs(j->middle_base) > 0)
		buf_addf(b, ", %.0f times its size", fabs(j->detectable / j->middle_base));
	else
		add_percent(b, j->middle_base, j->detectable);
}

/* The most that estimates are off by, as a standard deviation: sqrt(bytes from sample to sample x sum), of the means
 * of the sides. */
static void gate_rule_add_error(const struct gate_context *x, const struct gate_rule *r, size_t i,
				struct buf *b)
{
	double every = compare_sampled_every(x->c, x->c->groups[x->c->n_groups - 1].runs[0]);
	bool growth = r->rule->kind == POLICY_GROWTH;

	if (!r->estimated || i == GATE_ALL_ALIKE)
		return;
	buf_adds(b, "; estimated by sampling");
	if (SUMS_PEAK >> r->rule->metric & 1) {
		buf_adds(b, ", and tends to be too high");
		return;
	}
	if (!(every > 0) || metric_table[r->rule->metric].unit != SUM_BYTES ||
	    r->rule->per != PER_RUN)
		return;
	buf_addf(b, ", %sgive or take ", growth ? "the difference " : "");
	gate_rule_add_amount(
	    b, r->rule,
	    sqrt(every * ((growth ? fabs(gate_base(r, &r->subjects[i])) / (double)r->n_base : 0) +
			  fabs(gate_new_value(r, &r->subjects[i])) / (double)r->n_new)));
}

/* What it takes to tell that an entity is new. */
static void gate_rule_add_new_need(const struct gate_rule *r, const struct gate_subject *s,
				   struct buf *b)
{
	const struct gate_newness *c = r->newness;
	size_t runs = gate_new_runs(c, s->runs);

	if (r->estimated && c->same && s->points > 0) {
		buf_adds(b, "; a decision needs ");
		gate_rule_add_amount(b, r->rule,
				     gate_new_value(r, s) * gate_new_points(c) / s->points);
	} else if (runs) {
		buf_addf(b, "; %zu runs a side would decide%s", runs,
			 s->runs < r->n_new ? ", if the same share of them has the thing" : "");
	}
}

static void gate_rule_add_newness(const struct gate_rule *r, const struct gate_subject *s,
				  struct buf *b)
{
	const struct gate_newness *c = r->newness;

	if (r->n_base + r->n_new > 2 && c->orders) {
		buf_addf(b, "; in %zu of %zu new runs and no base run", s->runs, r->n_new);
		if (s->exact)
			buf_adds(b, "; all base runs have the same things");
		else
			buf_addf(b, "; p %.4f of %zu %sorders of the runs", s->p, c->orders,
				 c->sampled ? "random " : "");
	}
	if (!s->certain)
		gate_rule_add_new_need(r, s, b);
}

/* What growth was asked against: "p 0.0500 of 20 orders of the runs". */
static void gate_rule_add_statistics(const struct gate_rule *r, size_t i, struct buf *b)
{
	const struct judge_subject *j;

	if (r->rule->kind == POLICY_NEW)
		gate_rule_add_newness(r, &r->subjects[i], b);
	if (r->rule->kind != POLICY_GROWTH || !r->result->orders)
		return;
	j = judged(r, i);
	if (j->change != CHANGE_REGRESSED && !j->why)
		return; /* of growth that there is not */
	if (i != GATE_ALL_ALIKE && j->same && j->why == JUDGE_APPEARS)
		return;
	if (i != GATE_ALL_ALIKE && j->same && j->change == CHANGE_REGRESSED) {
		buf_adds(b, "; the same in every base run");
		return;
	}
	buf_addf(b, "; p %.4f of %zu %sorders of the runs", j->p, r->result->orders,
		 r->result->sampled ? "random " : "");
}

void gate_rule_add_least(const struct gate_rule *r, size_t i, const char *before, struct buf *b)
{
	const struct judge_least *l = i == GATE_ALL_ALIKE ? NULL : &r->subjects[i].least;

	if (!r->builds || !l || !l->like || l->like == r->n_builds)
		return;
	buf_adds(b, before);
	buf_addf(b, "build %s", r->builds[l->build]);
	if (l->like > 1)
		buf_addf(b, " and %zu like it", l->like - 1);
	buf_addf(b, ", the least of %zu", r->n_builds);
}

static const char *run_name(const struct gate_context *x, const struct gate_rule *r, size_t run)
{
	const struct compare_group *g = &x->c->groups[0];

	return run < r->n_base ? g->names[run]
			       : x->c->groups[x->c->n_groups - 1].names[run - r->n_base];
}

/* What all new runs have more or less of in common is taken out as noise. */
static bool gate_rule_takes_difference(const struct gate_rule *r)
{
	const struct judge_rule *j = r->judged;

	return j && j->factors && j->taken_out && !(fabs(j->systematic) > 0);
}

bool gate_rule_is_beside(const struct gate_rule *r, size_t i)
{
	const struct judge_subject *j = judged(r, i);

	return r->rule->kind == POLICY_GROWTH && i != GATE_ALL_ALIKE &&
	       j->change == CHANGE_REGRESSED && gate_rule_takes_difference(r) &&
	       j->middle_new - j->middle_base <= j->limit;
}

/* Of the runs' common factors the one furthest off. */
static void gate_rule_add_factors(const struct gate_context *x, const struct gate_rule *r,
				  struct buf *b)
{
	size_t n = r->n_base + r->n_new, most = 0;
	double middle, *f;

	if (!r->judged || !r->judged->factors || !r->judged->taken_out)
		return;
	f = mem_array(n, sizeof *f);
	for (size_t i = 0; i < n; i++)
		f[i] = r->judged->factors[i] - (i < r->n_base ? 0 : r->judged->systematic);
	middle = stats_median((struct stats_sample){f, n});
	for (size_t i = 1; i < n; i++)
		if (fabs(f[i] - middle) > fabs(f[most] - middle))
			most = i;
	buf_addf(b, "; a change shared by all things of a run is subtracted (%s: %+.2f %%",
		 run_name(x, r, most), 100 * expm1(f[most] - middle));
	if (gate_rule_takes_difference(r))
		buf_addf(b, "; in all new runs: %+.2f %%", 100 * expm1(r->judged->difference));
	buf_addc(b, ')');
	free(f);
}

/* So many runs it takes. */
static void gate_rule_add_need(const struct gate_rule *r, struct buf *b)
{
	const struct judge_result *j = r->result;

	buf_addf(b, "; a decision needs %zu new run%s against %zu base run%s", j->runs_new,
		 plural_s(j->runs_new), r->n_base, plural_s(r->n_base));
	if (j->runs_base != r->n_base)
		buf_addf(b, ", or %zu against %zu", r->n_new, j->runs_base);
}

/* Some new runs have so much more of it that a pass has to say so. */
static bool gate_rule_is_open(const struct judge_subject *j)
{
	return j->large || j->high;
}

/* Entities that so few runs cannot make fail, and how many runs could. */
static void gate_rule_add_mute(const struct gate_context *x, const struct gate_rule *r,
			       struct buf *b)
{
	const struct judge_result *j = r->result;
	size_t n = 0;

	for (size_t i = 0; r->rule->kind == POLICY_GROWTH && i < r->n; i++)
		n += r->judged->subjects[i].mute;
	if (!n)
		return;
	buf_adds(b, "; ");
	if (r->n == 1)
		buf_adds(b, "the value");
	else
		buf_addf(b, "%zu %s", n,
			 n == 1 ? key_words[r->rule->key] : key_plurals[r->rule->key]);
	buf_adds(b, " cannot fail with so few runs: ");
	if (r->n_base < x->p->runs || r->n_new < x->p->runs) {
		buf_addf(b, "the policy asks for %" PRIu64 " on each side", x->p->runs);
		return;
	}
	if (j->runs_new > r->n_new)
		buf_addf(b, "%zu more new run%s", j->runs_new - r->n_new,
			 plural_s(j->runs_new - r->n_new));
	if (j->runs_base > r->n_base)
		buf_addf(b, "%s%zu more base run%s", j->runs_new > r->n_new ? " or " : "",
			 j->runs_base - r->n_base, plural_s(j->runs_base - r->n_base));
	buf_adds(b, " would do");
}

/* Of all that is kept and can fail, what would have to grow most to be detected. */
static void gate_rule_add_least_detectable(const struct gate_context *x, const struct gate_rule *r,
					   struct buf *b)
{
	size_t worst = SIZE_MAX, n = 0;
	double most = -1;

	for (size_t i = 0; r->rule->kind == POLICY_GROWTH && i < r->n; i++) {
		const struct judge_subject *j = &r->judged->subjects[i];
		double of = fabs(j->middle_base) > 0 ? j->detectable / fabs(j->middle_base) : 0;

		if (isnan(j->detectable) || j->why || gate_rule_is_open(j) ||
		    j->change == CHANGE_REGRESSED)
			continue;
		n++;
		if (of <= most)
			continue;
		most = of;
		worst = i;
	}
	if (worst == SIZE_MAX)
		return;
	buf_adds(b, "; growth");
	if (r->n > 1) {
		buf_adds(b, " of ");
		add_subject(x, r, worst, b);
	}
	buf_adds(b, " is detectable from ");
	add_detectable(r, worst, b);
	if (n > 1)
		buf_addf(b, ", and of %zu other%s from that or less", n - 1, plural_s(n - 1));
}

static double largest_of(struct stats_sample s)
{
	double most = s.v[0];

	for (size_t k = 1; k < s.n; k++)
		most = fmax(most, s.v[k]);
	return most;
}

/* The first that passes although it is above its limit in each new run. */
static bool gate_rule_describe_let_by(const struct gate_context *x, const struct gate_rule *r,
				      struct buf *b)
{
	for (size_t i = 0; r->rule->kind == POLICY_GROWTH && i < r->n; i++) {
		if (!r->judged->subjects[i].let_by || r->judged->subjects[i].why)
			continue;
		buf_addf(b, "rule '%s': ", r->rule->name);
		add_subject(x, r, i, b);
		buf_adds(b, " is above its limit and was the same in every base run: the rule "
			    "passes because another thing in one base run differs as much");
		gate_rule_add_need(r, b);
		return true;
	}
	return false;
}

bool gate_rule_describe_open(const struct gate_context *x, const struct gate_rule *r, bool large,
			     struct buf *b)
{
	const struct judge_subject *of = NULL;
	size_t first = 0, n = 0;

	for (size_t i = 0; r->rule->kind == POLICY_GROWTH && i < r->n; i++) {
		const struct judge_subject *j = &r->judged->subjects[i];

		if (!gate_rule_is_open(j) || j->why || j->change == CHANGE_REGRESSED ||
		    (j->large > 0) != large)
			continue;
		first = of ? first : i;
		of = of ? of : j;
		n++;
	}
	if (!n)
		return !large && gate_rule_describe_let_by(x, r, b);
	buf_addf(b, "rule '%s': in %zu of %zu new runs ", r->rule->name,
		 large ? of->large : of->high, r->n_new);
	add_subject(x, r, first, b);
	if (large)
		buf_addf(b, " is more than %d times its base", JUDGE_TENFOLD);
	else
		buf_addf(b, " is %s%.1f times as large as in any base run",
			 of->high > 1 ? "up to " : "", largest_of(of->new) / largest_of(of->base));
	if (n > 1)
		buf_addf(b, ", and so are %zu more", n - 1);
	buf_adds(b, large                  ? ": not judged, because a base run differs as much"
		    : of->high == r->n_new ? ": the runs cannot rule out noise"
					   : ": not judged, because too few runs show it");
	return true;
}

static const char *gate_rule_limit_text(const struct gate_context *x, const struct policy_rule *r)
{
	struct buf b = BUF_INIT;

	switch (r->kind) {
	case POLICY_MAX: gate_rule_add_amount(&b, r, decimal_to_double(r->max)); break;
	case POLICY_NEW:
		buf_addf(&b, "%" PRIu64 " new %s", r->most_new,
			 r->most_new == 1 ? key_words[r->key] : key_plurals[r->key]);
		break;
	case POLICY_COVERAGE:
		if (!isnan(r->percent))
			buf_addf(&b, "at least %.15g %%", r->percent);
		if (!isnan(r->drop))
			buf_addf(&b, "%sno more than %.15g points less", b.len ? ", " : "",
				 r->drop);
		break;
	default:
		if (!isnan(r->percent))
			buf_addf(&b, "+%.15g %%", r->percent);
		if (r->absolute || isnan(r->percent)) {
			buf_adds(&b, b.len ? " and " : "");
			add_signed_amount(&b, r, decimal_to_double(r->absolute));
		}
		break;
	}
	if (r->count && r->kind != POLICY_MAX && r->kind != POLICY_COVERAGE)
		buf_addf(&b, ", of %" PRIu64 " allocations or more", r->count);
	return kept(x, &b);
}

static void add_finding(struct outcome *o, size_t subject, enum verdict verdict, double by)
{
	VEC_PUSH(o->items, o->n, o->cap) = (struct finding){subject, verdict, by};
	o->of[verdict]++;
}

/* Of the entities of a rule, without what they have in common. */
static size_t broken_entities(const struct outcome *o)
{
	size_t n = o->of[VERDICT_FAIL];

	for (size_t i = 0; i < o->n; i++)
		n -= o->items[i].verdict == VERDICT_FAIL && o->items[i].subject == GATE_ALL_ALIKE;
	return n;
}

static void judge_one(const struct gate_rule *r, size_t i, struct outcome *o)
{
	const struct judge_subject *j = judged(r, i);
	double by = INFINITY, some;

	if (i != GATE_ALL_ALIKE) {
		by = j->why == JUDGE_SOME && gate_new_some(r, i, &some) ? some : j->middle_new;
		by -= j->middle_base;
	}
	if (j->change == CHANGE_REGRESSED)
		add_finding(o, i, VERDICT_FAIL, by);
	else if (j->change == CHANGE_INCONCLUSIVE)
		add_finding(o, i, VERDICT_INCONCLUSIVE, by);
	o->improved += i != GATE_ALL_ALIKE && j->change == CHANGE_IMPROVED;
	o->all_improved |= i == GATE_ALL_ALIKE && j->change == CHANGE_IMPROVED;
	o->why[j->why]++;
}

static void judge_growth(const struct gate_rule *r, struct outcome *o)
{
	for (size_t i = 0; i < r->n; i++)
		judge_one(r, i, o);
	if (r->judged->factors)
		judge_one(r, GATE_ALL_ALIKE, o);
}

/* That samples of what is at its limit add up to as much, at most (Chernoff 1952). */
static double gate_rule_chance(const struct gate_subject *s, double limit, double value)
{
	double expected = s->points * limit / value;

	return expected > 0 ? exp(s->points - expected - s->points * log(s->points / expected)) : 0;
}

/* A peak is the largest of the estimates of so many moments: of any of them, in each run, it may be by chance. */
static bool gate_rule_sampled_above(const struct gate_rule *r, const struct gate_subject *s,
				    double limit, double value)
{
	double chance = gate_rule_chance(s, limit, value);

	if (!(SUMS_PEAK >> r->rule->metric & 1))
		return chance <= r->level;
	return log(chance) + r->moments <= log(r->level);
}

/* On average, and in every run; some above and some below decide nothing. */
static void judge_max(const struct gate_rule *r, struct outcome *o)
{
	for (size_t i = 0; i < r->n; i++) {
		double limit = decimal_to_double(r->rule->max),
		       new = mean(r->subjects[i].new, r->n_new);
		size_t above = 0;
		bool sure;

		for (size_t k = 0; k < r->n_new; k++)
			above += r->subjects[i].new[k] > limit;
		if (new > limit) {
			sure = r->estimated
				   ? gate_rule_sampled_above(r, &r->subjects[i], limit, new)
				   : above == r->n_new;
			add_finding(o, i, sure ? VERDICT_FAIL : VERDICT_INCONCLUSIVE, new - limit);
		}
	}
}

static void judge_new(const struct gate_rule *r, struct outcome *o)
{
	for (size_t i = 0; r->n > r->rule->most_new && i < r->n; i++)
		add_finding(o, i, r->subjects[i].certain ? VERDICT_FAIL : VERDICT_INCONCLUSIVE,
			    mean(r->subjects[i].new, r->n_new));
}

static void judge_coverage(const struct gate_rule *r, struct outcome *o)
{
	double base = gate_base(r, &r->subjects[0]);
	double new = mean(r->subjects[0].new, r->n_new);

	if (r->unknown)
		return;
	if ((!isnan(r->rule->percent) && new < r->rule->percent) ||
	    (!isnan(r->rule->drop) && base - new > r->rule->drop))
		add_finding(o, 0, VERDICT_FAIL, 100 - new);
}

/* What broke the rule, then what cannot be decided, then what is waived. */
static int gate_rule_finding_order(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->verdict != y->verdict)
		return x->verdict > y->verdict ? -1 : 1;
	if (x->by < y->by || x->by > y->by)
		return x->by > y->by ? -1 : 1;
	return x->subject < y->subject ? -1 : x->subject > y->subject;
}

static const char *const why_texts[JUDGE_WHYS] = {
    [JUDGE_CLEAR] = "the runs do not agree",
    [JUDGE_SINGLE] = "above the limit, but in fewer runs than the policy asks for",
    [JUDGE_FEW] = "stands out, but the runs are too few to rule out noise",
    [JUDGE_LARGE] = "many times the base, but the runs do not confirm it",
    [JUDGE_SOME] = "many times the base in some new runs: the runs do not agree",
    [JUDGE_APPEARS] = "in no base run, but the runs do not confirm it",
    [JUDGE_MANY] = "one of several that stand out, more than chance explains",
    [JUDGE_ABOVE] = "above the limit, but not confirmed",
    [JUDGE_EITHER] =
	("all new runs differ in the same way, because of the machine or the build: more runs "
	 "would decide"),
};

/* Why nothing is certain, where the rule is not on growth. */
static const char *why_open(const struct gate_rule *r, bool certain)
{
	if (r->rule->kind == POLICY_MAX && r->estimated)
		return "above the limit, but sampling may be the reason";
	if (r->rule->kind != POLICY_NEW)
		return why_texts[JUDGE_CLEAR];
	if (certain)
		return "is new, and the number of new things may be above the limit";
	if (r->estimated)
		return "seems new, but the samples of the base may have missed it";
	return "seems new, but this may be chance";
}

static const char *why_word(const struct gate_rule *r, enum judge_why why)
{
	if (!why)
		return why_open(r, false);
	return why == JUDGE_SINGLE && r->estimated
		   ? "above the limit, but single sampled runs cannot decide"
		   : why_texts[why];
}

static const char *waiver_text(const struct gate_context *x, const struct policy_waiver *w)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s (until %s)", w->reason, w->until);
	return kept(x, &b);
}

static const char *breach_word(const struct gate_rule *r, const struct finding *t)
{
	if (t->verdict == VERDICT_INCONCLUSIVE)
		return r->rule->kind == POLICY_GROWTH
			   ? why_word(r, judged(r, t->subject)->why)
			   : why_open(r, r->subjects[t->subject].certain);
	switch (r->rule->kind) {
	case POLICY_NEW: return r->subjects[t->subject].certain ? "is new" : why_open(r, false);
	case POLICY_MAX: return "is above the limit";
	case POLICY_COVERAGE: return "is too low";
	default: return gate_rule_is_beside(r, t->subject) ? "grew more than the others" : "grew";
	}
}

/* That it is the base's entity is a guess: of one, what that was. */
static void add_guess(const struct gate_context *x, const struct gate_rule *r, size_t i,
		      struct buf *b)
{
	const struct gate_subject *s = &r->subjects[i];

	if (i == GATE_ALL_ALIKE || !s->guessed)
		return;
	if (s->row == SIZE_MAX) {
		buf_addf(b, "; %zu of them matched by a guess", s->guessed);
		return;
	}
	buf_adds(b, "; matched by a guess, in the base ");
	compare_entity_text(x->c->entities,
			    &x->c->entities->keys[r->rule->key].items[x->rows->rows[s->row].other],
			    b);
}

static void gate_rule_fill_breach(const struct gate_context *x, size_t index,
				  const struct gate_rule *r, const struct finding *from,
				  struct breach *to)
{
	const struct policy_waiver *other, *waiver;
	const struct profile_entity *t = NULL;
	size_t i = from->subject;
	struct buf b = BUF_INIT;

	if (i != GATE_ALL_ALIKE && r->subjects[i].row != SIZE_MAX)
		t = &x->c->entities->keys[r->rule->key]
			 .items[x->rows->rows[r->subjects[i].row].entity];
	add_subject(x, r, i, &b);
	waiver = gate_rule_waiver(x, index, r, i, &b, &other);
	*to = (struct breach){.verdict = from->verdict, .subject = kept(x, &b)};
	gate_rule_add_measured(r, i, &b);
	to->measured = kept(x, &b);
	to->limit = gate_rule_limit_text(x, r->rule);
	if (t && t->file) {
		to->file = entities_text(x->c->entities, t->file, NULL);
		to->line = t->line;
	}
	if (r->rule->kind == POLICY_GROWTH && !isnan(judged(r, i)->detectable) &&
	    judged(r, i)->why != JUDGE_SOME) {
		add_detectable(r, i, &b);
		to->detectable = kept(x, &b);
	}
	buf_adds(&b, breach_word(r, from));
	gate_rule_add_least(r, i, "; against ", &b);
	gate_rule_add_statistics(r, i, &b);
	gate_rule_add_error(x, r, i, &b);
	if (from->verdict == VERDICT_INCONCLUSIVE && r->rule->kind == POLICY_GROWTH &&
	    r->result->orders && !r->result->reachable)
		gate_rule_add_need(r, &b);
	add_guess(x, r, i, &b);
	if (other)
		x->used[other - x->p->waivers] = true; /* which is said here */
	if (other && strcmp(x->today, other->until) > 0) {
		buf_addf(&b, "; waiver '%s' ended on %s", other->name, other->until);
	} else if (other) {
		buf_addf(&b, "; waiver '%s' covers up to ", other->name);
		gate_rule_add_amount(&b, r->rule, decimal_to_double(other->max));
	}
	to->message = kept(x, &b);
	if (from->verdict == VERDICT_WAIVED)
		to->waiver = waiver_text(x, waiver);
	gate_describe(x, r, i, to);
}

/* What a waiver covers is taken out of what is broken. */
static const struct policy_waiver *gate_rule_waive(const struct gate_context *x, size_t index,
						   const struct gate_rule *r, struct outcome *o)
{
	const struct policy_waiver *used = NULL;

	for (size_t i = 0; i < o->n; i++) {
		const struct policy_waiver *w;
		struct buf b = BUF_INIT;

		add_subject(x, r, o->items[i].subject, &b);
		w = gate_rule_waiver(x, index, r, o->items[i].subject, &b, NULL);
		buf_release(&b);
		if (!w)
			continue;
		if (o->items[i].verdict != VERDICT_FAIL && r->rule->kind != POLICY_NEW) {
			x->open[w - x->p->waivers] = true;
			continue;
		}
		used = w;
		x->used[w - x->p->waivers] = true;
		o->of[o->items[i].verdict]--;
		o->items[i].verdict = VERDICT_WAIVED;
		o->of[VERDICT_WAIVED]++;
	}
	return used;
}

/* Takes what has the verdict out. */
static void forget(struct outcome *o, enum verdict verdict)
{
	size_t left = 0;

	for (size_t i = 0; i < o->n; i++)
		if (o->items[i].verdict != verdict)
			o->items[left++] = o->items[i];
	o->n = left;
	o->of[verdict] = 0;
}

/* Without the waived ones there may be few enough new entities, and perhaps without uncertain ones. */
static void gate_rule_count_new(const struct gate_rule *r, struct outcome *o)
{
	size_t broken = o->of[VERDICT_FAIL];

	if (broken > r->rule->most_new)
		return;
	if (broken + o->of[VERDICT_INCONCLUSIVE] <= r->rule->most_new) {
		forget(o, VERDICT_FAIL);
		forget(o, VERDICT_INCONCLUSIVE);
		return;
	}
	for (size_t i = 0; i < o->n; i++)
		if (o->items[i].verdict == VERDICT_FAIL)
			o->items[i].verdict = VERDICT_INCONCLUSIVE;
	o->of[VERDICT_FAIL] = 0;
	o->of[VERDICT_INCONCLUSIVE] += broken;
}

static void list_breaches(const struct gate_context *x, size_t index, const struct gate_rule *r,
			  const struct outcome *o, bool certain, struct table_check *to)
{
	struct breach *breaches = arena_zalloc(x->arena, (o->n + 1) * sizeof *breaches);
	size_t listed[VERDICTS] = {0};

	for (size_t i = 0; i < o->n; i++)
		if (listed[o->items[i].verdict]++ < GATE_BREACHES_MAX)
			gate_rule_fill_breach(x, index, r, &o->items[i],
					      &breaches[to->n_breaches++]);
	/* What reads the same has one waiver. */
	for (size_t i = 1; i < to->n_breaches; i++)
		for (size_t k = 0; k < i && breaches[i].accept; k++)
			if (breaches[k].accept && !strcmp(breaches[k].subject, breaches[i].subject))
				breaches[i].accept = NULL;
	/* Fifty times the same advice hides what it is about. */
	for (size_t i = GATE_ADVICE_MAX; i < to->n_breaches; i++)
		breaches[i].look = breaches[i].accept = NULL;
	for (size_t i = 0; !certain && i < to->n_breaches; i++)
		if (breaches[i].verdict == VERDICT_FAIL)
			breaches[i].verdict = VERDICT_INCONCLUSIVE;
	to->breaches = breaches;
}

static const char *why_text(const struct gate_rule *r, const struct outcome *o)
{
	for (enum judge_why why = JUDGE_CLEAR + 1; why < JUDGE_WHYS; why++)
		if (o->why[why])
			return why_word(r, why);
	return why_word(r, JUDGE_CLEAR);
}

bool gate_row_matches(const struct compare_rows *rows, size_t row, struct match *m)
{
	const struct profile_entities *t = rows->c->entities;
	const struct compare_row *of = &rows->rows[row];
	const uint32_t entities[] = {of->entity, of->other};
	bool matched = false;

	for (size_t i = 0; !matched && i < 2; i++) {
		const struct profile_entity *entity = &t->keys[rows->key].items[entities[i]];
		size_t n, n_raw;
		const char *s = entities_text(t, entity->name, &n);
		const char *raw = entities_text(t, entity->raw, &n_raw);

		matched = (i == 0 || of->other != of->entity) &&
			  name_suffix_match(m, &(struct name_suffix_name){s, n, raw, n_raw});
	}
	return matched;
}

bool gate_rule_is_idle(const struct gate_rule *r)
{
	return !r->n && !r->unknown && !r->unmatched && !r->gone && !r->nameless &&
	       (r->rule->kind != POLICY_NEW || !(r->most > 0) ||
		GATE_TENFOLD * r->most < decimal_to_double(r->rule->absolute));
}

/* It compares with a base, which is missing. */
static bool gate_rule_lacks_base(const struct gate_context *x, const struct gate_rule *r)
{
	return x->no_base && (r->rule->kind == POLICY_GROWTH || r->rule->kind == POLICY_NEW ||
			      !isnan(r->rule->drop));
}

/* It has nothing that it could be broken by, through what it asks and not through the runs. */
static bool gate_rule_checks_nothing(const struct gate_context *x, const struct gate_rule *r)
{
	return r->nameless || (r->unmatched && !x->allow_unmatched);
}

static void gate_rule_describe_idle(const struct gate_rule *r, struct buf *b)
{
	const char *plural = key_plurals[r->rule->key];

	if (r->small)
		buf_addf(b,
			 "nothing was checked: none of %zu %s is as large as the rule "
			 "requires",
			 r->small, plural);
	else
		buf_addf(b, "nothing was checked: none of the %s%s has any of this metric", plural,
			 r->rule->n_match ? " that match" : "");
}

/* What comes nearest to the patterns, where that is near: " (did you mean 'trail(int)'?)" */
static void gate_rule_add_near(const struct gate_context *x, const struct gate_rule *r,
			       struct buf *b)
{
	struct near best = {.n = 0};
	struct buf name = BUF_INIT;

	for (size_t i = 0; x->rows && i < r->rule->n_match; i++) {
		const char *pattern = match_pattern(r->rule->match[i]);
		struct near near;

		near_init(&near, pattern, strlen(pattern), true);
		for (size_t k = 0; near.n && k < x->rows->n; k++) {
			name.len = 0;
			gate_entity_text(
			    x->c->entities, x->rows->key,
			    &x->c->entities->keys[x->rows->key].items[x->rows->rows[k].entity],
			    &name);
			near_try(&near, buf_str(&name), name.len);
		}
		if (*near.name && (!*best.name || near.distance < best.distance))
			best = near;
	}
	if (*best.name)
		buf_addf(b, " (did you mean '%s'?)", best.name);
	buf_release(&name);
}

/* Why it has checked nothing. */
static void gate_rule_describe_unmatched(const struct gate_context *x, const struct gate_rule *r,
					 struct buf *b)
{
	const char *plural = r->rule->key == POLICY_TOTAL ? "" : key_plurals[r->rule->key];
	const char *allow = x->allow_unmatched ? "" : " (--allow-unmatched)";

	if (r->nameless)
		buf_addf(b, "nothing was checked: %s",
			 r->rule->key == KEY_OWNER ? "owners need --owners FILE"
						   : "the runs have no types");
	else if (r->gone)
		buf_addf(b,
			 "match = %s matches %s of the base but none of the new side: renamed, "
			 "without names, or removed%s",
			 match_pattern(r->gone), plural, allow);
	else {
		buf_addf(b, "none of the %s match", plural);
		gate_rule_add_near(x, r, b);
		buf_addf(b, "%s%s", x->allow_unmatched ? "" : ", so nothing was checked", allow);
	}
}

void gate_check_nothing(struct arena *arena, const struct policy_rule *r, const char *why,
			struct table_check *to)
{
	struct gate_context x = {.arena = arena};
	struct buf b = BUF_INIT;

	buf_addf(&b, "not judged: %s", why);
	*to = (struct table_check){.name = r->name,
				   .category = policy_kinds[r->kind],
				   .verdict = VERDICT_INCONCLUSIVE,
				   .limit = gate_rule_limit_text(&x, r),
				   .policy_line = r->line};
	to->message = kept(&x, &b);
}

/* "2 of 12 sites break the rule; 7 are too small for the rule" */
static void add_broken(struct buf *b, const struct gate_rule *r, const struct outcome *o,
		       const char *plural)
{
	size_t broken = broken_entities(o);

	buf_addf(b, "%zu of %zu %s break the rule%s", broken, r->n + r->small, plural,
		 broken < o->of[VERDICT_FAIL] ? ", and all of them taken together do" : "");
	if (r->small)
		buf_addf(b, "; %zu %s too %s for the rule", r->small, r->small == 1 ? "is" : "are",
			 !r->rule->count     ? "small"
			 : r->rule->absolute ? "small or too rare"
					     : "rare");
}

static void gate_rule_write_message(const struct gate_context *x, const struct gate_rule *r,
				    const struct outcome *o, uint64_t gave_up,
				    struct table_check *to)
{
	size_t broken = o->of[VERDICT_FAIL], unsure = o->of[VERDICT_INCONCLUSIVE];
	size_t waived = o->of[VERDICT_WAIVED];
	const char *plural = r->rule->key == POLICY_TOTAL ? "" : key_plurals[r->rule->key];
	bool one = r->n == 1 && r->rule->kind != POLICY_NEW;
	struct buf b = BUF_INIT;

	if (to->verdict == VERDICT_SKIPPED) {
		gate_rule_describe_idle(r, &b);
		to->message = kept(x, &b);
		return;
	}
	if (x->lossy)
		buf_addf(&b, "%s is incomplete, so nothing is certain (--allow-loss); ", x->lossy);
	if (gave_up)
		buf_addf(&b,
			 "an expression took too long %" PRIu64 " time%s, so nothing is "
			 "certain; ",
			 gave_up, plural_s(gave_up));
	if (r->unmatched || r->gone) {
		gate_rule_describe_unmatched(x, r, &b);
		buf_adds(&b, "; ");
	}
	if (r->others_grew)
		buf_addf(&b, "%s; ", r->others_grew);
	if (to->verdict == VERDICT_INCONCLUSIVE && unsure && !one)
		buf_addf(&b, "%s; ", why_text(r, o));
	if (r->rule->kind == POLICY_NEW)
		buf_addf(&b, "%zu new %s", r->n, r->n == 1 ? key_words[r->rule->key] : plural);
	else if (one && unsure)
		buf_adds(&b, why_text(r, o));
	else if (one)
		buf_adds(&b, broken || waived ? "breaks the rule" : "within the rule");
	else
		add_broken(&b, r, o, plural);
	if (one && !o->n)
		gate_rule_add_least(r, 0, "; against ", &b);
	if (one && !o->n)
		gate_rule_add_statistics(r, 0, &b);
	if (one)
		gate_rule_add_error(x, r, 0, &b);
	if (!broken || !one)
		gate_rule_add_least_detectable(x, r, &b);
	gate_rule_add_mute(x, r, &b);
	gate_rule_add_factors(x, r, &b);
	if (o->improved && !one)
		buf_addf(&b, "; %zu improved", o->improved);
	else if (o->all_improved)
		buf_adds(&b, "; all of them taken together improved");
	if (unsure && !one)
		buf_addf(&b, "; %zu undecided", unsure);
	if (waived)
		buf_addf(&b, "; %zu waived", waived);
	if (r->unknown)
		buf_addf(&b, "; %zu unknown", r->unknown);
	if (r->guessed)
		buf_addf(&b, "; %zu matched by a guess", r->guessed);
	if (o->n > to->n_breaches)
		buf_addf(&b, "; the %d largest of each are listed", GATE_BREACHES_MAX);
	to->message = kept(x, &b);
}

static enum verdict verdict_of(const struct gate_context *x, const struct gate_rule *r,
			       const struct outcome *o, bool certain)
{
	bool gone = r->gone && !x->allow_unmatched;

	/* Of what is not known something may be new, or have grown. */
	return !certain              ? VERDICT_INCONCLUSIVE
	       : o->of[VERDICT_FAIL] ? VERDICT_FAIL
	       : o->of[VERDICT_INCONCLUSIVE] || r->unknown || gone || r->others_grew
		   ? VERDICT_INCONCLUSIVE
	       : o->of[VERDICT_WAIVED]            ? VERDICT_WAIVED
	       : gate_rule_is_idle(r) && r->small ? VERDICT_SKIPPED
	       : o->improved || o->all_improved   ? VERDICT_IMPROVED
						  : VERDICT_PASS;
}

/* A lower bound that is above the limit is enough. */
static bool gate_rule_is_above(const struct gate_rule *r)
{
	for (size_t i = 0; r->rule->kind == POLICY_MAX && i < r->n; i++)
		if (gate_new_value(r, &r->subjects[i]) > decimal_to_double(r->rule->max))
			return true;
	return false;
}

/* A rule that nothing can be asked of: without a base, or with nothing that it is about. */
static bool gate_rule_passes_over(const struct gate_context *x, const struct gate_rule *r,
				  struct table_check *to)
{
	struct buf b = BUF_INIT;

	if (gate_rule_lacks_base(x, r)) {
		to->verdict = x->allow_no_base ? VERDICT_SKIPPED : VERDICT_INCONCLUSIVE;
		buf_addf(&b, "nothing was compared: %s", x->no_base);
	} else if (gate_rule_checks_nothing(x, r)) {
		to->verdict = VERDICT_INCONCLUSIVE;
		gate_rule_describe_unmatched(x, r, &b);
	} else if (r->unseen && !gate_rule_is_above(r)) {
		to->verdict = VERDICT_INCONCLUSIVE;
		buf_addf(&b, "nothing was checked: %s", r->unseen);
	} else {
		return false;
	}
	to->message = kept(x, &b);
	return true;
}

void gate_check(const struct gate_context *x, size_t index, const struct gate_rule *r,
		struct table_check *to)
{
	const struct policy_waiver *waiver;
	struct outcome o = {.n = 0};
	struct buf b = BUF_INIT;
	uint64_t gave_up;
	bool certain;

	*to = (struct table_check){.name = r->rule->name,
				   .category = policy_kinds[r->rule->kind],
				   .limit = gate_rule_limit_text(x, r->rule),
				   .policy_line = r->rule->line};
	gave_up = x->gave_up + policy_gave_up(x->p, index);
	if (!gave_up && gate_rule_passes_over(x, r, to)) {
		for (size_t i = 0; i < x->p->n_waivers; i++)
			x->open[i] |= x->p->waivers[i].rule == index;
		return;
	}
	switch (r->rule->kind) {
	case POLICY_GROWTH: judge_growth(r, &o); break;
	case POLICY_MAX: judge_max(r, &o); break;
	case POLICY_NEW: judge_new(r, &o); break;
	case POLICY_COVERAGE: judge_coverage(r, &o); break;
	}
	waiver = gate_rule_waive(x, index, r, &o);
	gave_up = x->gave_up + policy_gave_up(x->p, index);
	certain = !x->lossy && !gave_up;
	if (r->rule->kind == POLICY_NEW)
		gate_rule_count_new(r, &o);
	if (o.n)
		sort_array(o.items, o.n, sizeof *o.items, gate_rule_finding_order);
	to->verdict = verdict_of(x, r, &o, certain);
	if (r->n == 1 && r->rule->kind != POLICY_NEW) {
		if (r->subjects[0].row != SIZE_MAX) {
			add_subject(x, r, 0, &b);
			buf_adds(&b, ": ");
		}
		gate_rule_add_measured(r, 0, &b);
	} else if (r->rule->kind == POLICY_NEW)
		buf_addf(&b, "%zu", r->n);
	else
		buf_addf(&b, "%zu of %zu %s", broken_entities(&o), r->n + r->small,
			 key_plurals[r->rule->key]);
	to->measured = kept(x, &b);
	to->more_runs =
	    certain && to->verdict == VERDICT_INCONCLUSIVE && o.of[VERDICT_INCONCLUSIVE];
	if (waiver)
		to->waiver = waiver_text(x, waiver);
	list_breaches(x, index, r, &o, certain, to);
	gate_rule_write_message(x, r, &o, gave_up, to);
	free(o.items);
}
