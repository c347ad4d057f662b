/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/gate_rule.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/report/compare/gate.h"
#include "lib/report/compare/view.h"
#include "lib/table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One that breaks the rule, would but for a waiver, or cannot be decided. */
struct told {
	size_t subject;
	enum verdict verdict;
	double by; /* how much, to list the worst first */
};

struct outcome {
	struct told *items;
	size_t n, cap;
	size_t of[VERDICTS]; /* items, by verdict */
	size_t improved;
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

static const struct judge_subject *judged(const struct gate_rule *r, size_t i)
{
	return i == GATE_ALL_ALIKE ? &r->judged->common : &r->judged->subjects[i];
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
	static const char *const per[] = {"", " / frame", " / s"};
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
	else if ((!r->time && sum_names[r->metric].unit == SUM_NUMBER) || size >= 1e18)
		buf_addf(b, size == floor(size) || size >= 100 ? "%.0f" : "%.2f", size);
	else if (!r->time && sum_names[r->metric].unit == SUM_BYTES)
		size_text(b, (uint64_t)(size + 0.5));
	else
		time_text(b, (uint64_t)(size + 0.5));
	buf_adds(b, per[r->per]);
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
		compare_thing_text(x->c->things,
				   &x->c->things->keys[key].items[x->rows->rows[s->row].thing], b);
	else if (key != POLICY_TOTAL)
		buf_addf(b, "(sum of %zu %s)", s->things, key_plurals[key]);
	else
		buf_adds(b, r->rule->kind == POLICY_COVERAGE ? "(coverage)" : "(total)");
}

/* "1.5 MiB -> 1.6 MiB (+107.1 KiB, +7.02 %)" */
static void gate_rule_add_measured(const struct gate_rule *r, size_t i, struct buf *b)
{
	const struct gate_subject *s = &r->subjects[i];
	double base, new;

	if (i == GATE_ALL_ALIKE) {
		buf_addf(b, "%+.2f %%", 100 * expm1(r->judged->common.growth));
		return;
	}
	base = gate_base(r, s);
	new = gate_new_value(r, s);
	if (r->rule->kind == POLICY_GROWTH ||
	    (r->rule->kind == POLICY_COVERAGE && !isnan(r->rule->drop))) {
		gate_rule_add_amount(b, r->rule, base);
		buf_adds(b, " -> ");
		gate_rule_add_amount(b, r->rule, new);
		buf_adds(b, " (");
		add_signed_amount(b, r->rule, new - base);
		if (r->rule->kind == POLICY_GROWTH)
			add_percent(b, base, new - base);
		buf_addc(b, ')');
	} else {
		gate_rule_add_amount(b, r->rule, new);
	}
}

/* "+16 B, +1.60 %" */
static void add_told(const struct gate_rule *r, size_t i, struct buf *b)
{
	const struct judge_subject *j = &r->judged->subjects[i];

	add_signed_amount(b, r->rule, j->told);
	add_percent(b, j->middle_base, j->told);
}

/* What growth was asked against: "p 0.0500 of 20 orders of the runs". */
static void gate_rule_add_statistics(const struct gate_rule *r, size_t i, struct buf *b)
{
	const struct judge_subject *j;

	if (r->rule->kind != POLICY_GROWTH || !r->result->orders)
		return;
	j = judged(r, i);
	if (i != GATE_ALL_ALIKE && j->same &&
	    (j->change == CHANGE_REGRESSED || j->why == JUDGE_APPEARS)) {
		buf_adds(b, "; the same in every base run");
		return;
	}
	buf_addf(b, "; p %.4f of %zu %sorders of the runs", j->p, r->result->orders,
		 r->result->sampled ? "random " : "");
}

static const char *run_name(const struct gate_context *x, const struct gate_rule *r, size_t run)
{
	const struct compare_group *g = &x->c->groups[0];

	return run < r->n_base ? g->names[run]
			       : x->c->groups[x->c->n_groups - 1].names[run - r->n_base];
}

/* Of the runs' common factors the one furthest off. */
static void gate_rule_add_factors(const struct gate_context *x, const struct gate_rule *r,
				  struct buf *b)
{
	const double *f = r->judged ? r->judged->factors : NULL;
	size_t n = r->n_base + r->n_new, most = 0;
	double middle;

	if (!f)
		return;
	middle = stats_median((struct stats_sample){f, n});
	for (size_t i = 1; i < n; i++)
		if (fabs(f[i] - middle) > fabs(f[most] - middle))
			most = i;
	buf_addf(b, "; what a run has more of everywhere is taken out (%s: %+.2f %%)",
		 run_name(x, r, most), 100 * expm1(f[most] - middle));
}

/* So many runs it takes. */
static void gate_rule_add_need(const struct gate_rule *r, struct buf *b)
{
	const struct judge_result *j = r->result;

	buf_addf(b, "; %zu run%s against %zu would tell", j->runs_new, j->runs_new == 1 ? "" : "s",
		 r->n_base);
	if (j->runs_base != r->n_base)
		buf_addf(b, ", or %zu against %zu", r->n_new, j->runs_base);
}

/* Of all that is kept, what would have to grow most to be detected. */
static void gate_rule_add_least_told(const struct gate_context *x, const struct gate_rule *r,
				     struct buf *b)
{
	size_t worst = SIZE_MAX;
	double most = -1;

	for (size_t i = 0; r->rule->kind == POLICY_GROWTH && i < r->n; i++) {
		const struct judge_subject *j = &r->judged->subjects[i];
		double of = fabs(j->middle_base) > 0 ? j->told / fabs(j->middle_base) : 0;

		if (isnan(j->told) || j->why || j->change == CHANGE_REGRESSED || of <= most)
			continue;
		most = of;
		worst = i;
	}
	if (worst == SIZE_MAX)
		return;
	buf_adds(b, "; told from ");
	add_told(r, worst, b);
	if (r->n > 1) {
		buf_adds(b, " at most (");
		add_subject(x, r, worst, b);
		buf_addc(b, ')');
	}
}

static const char *gate_rule_limit_text(const struct gate_context *x, const struct policy_rule *r)
{
	struct buf b = BUF_INIT;

	switch (r->kind) {
	case POLICY_MAX: gate_rule_add_amount(&b, r, decimal_to_double(r->max)); break;
	case POLICY_NEW:
		buf_addf(&b, "%" PRIu64 " new %s", r->most_new, key_plurals[r->key]);
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

static void tell(struct outcome *o, size_t subject, enum verdict verdict, double by)
{
	VEC_PUSH(o->items, o->n, o->cap) = (struct told){subject, verdict, by};
	o->of[verdict]++;
}

static void judge_one(const struct gate_rule *r, size_t i, struct outcome *o)
{
	const struct judge_subject *j = judged(r, i);
	double by = i == GATE_ALL_ALIKE ? INFINITY : j->middle_new - j->middle_base;

	if (j->change == CHANGE_REGRESSED)
		tell(o, i, VERDICT_FAIL, by);
	else if (j->change == CHANGE_INCONCLUSIVE)
		tell(o, i, VERDICT_INCONCLUSIVE, by);
	o->improved += j->change == CHANGE_IMPROVED;
	o->why[j->why]++;
}

static void judge_growth(const struct gate_rule *r, struct outcome *o)
{
	for (size_t i = 0; i < r->n; i++)
		judge_one(r, i, o);
	if (r->judged->factors)
		judge_one(r, GATE_ALL_ALIKE, o);
}

/* On average, and in every run; some above and some below decide nothing. */
static void judge_max(const struct gate_rule *r, struct outcome *o)
{
	for (size_t i = 0; i < r->n; i++) {
		double limit = decimal_to_double(r->rule->max),
		       new = mean(r->subjects[i].new, r->n_new);
		size_t above = 0;

		for (size_t k = 0; k < r->n_new; k++)
			above += r->subjects[i].new[k] > limit;
		if (new > limit)
			tell(o, i, above == r->n_new ? VERDICT_FAIL : VERDICT_INCONCLUSIVE,
			     new - limit);
	}
}

static void judge_new(const struct gate_rule *r, struct outcome *o)
{
	for (size_t i = 0; r->n > r->rule->most_new && i < r->n; i++)
		tell(o, i, VERDICT_FAIL, mean(r->subjects[i].new, r->n_new));
}

static void judge_coverage(const struct gate_rule *r, struct outcome *o)
{
	double base = gate_base(r, &r->subjects[0]);
	double new = mean(r->subjects[0].new, r->n_new);

	if (r->unknown)
		return;
	if ((!isnan(r->rule->percent) && new < r->rule->percent) ||
	    (!isnan(r->rule->drop) && base - new > r->rule->drop))
		tell(o, 0, VERDICT_FAIL, 100 - new);
}

/* What broke the rule, then what cannot be decided, then what is waived. */
static int gate_rule_told_order(const void *a, const void *b)
{
	const struct told *x = a, *y = b;

	if (x->verdict != y->verdict)
		return x->verdict > y->verdict ? -1 : 1;
	if (x->by < y->by || x->by > y->by)
		return x->by > y->by ? -1 : 1;
	return x->subject < y->subject ? -1 : x->subject > y->subject;
}

static const char *const why_texts[JUDGE_WHYS] = {
    [JUDGE_CLEAR] = "the runs do not agree",
    [JUDGE_SINGLE] = "above the limit, but in fewer runs than the policy asks for",
    [JUDGE_FEW] = "stands out, but so few runs cannot tell it from noise",
    [JUDGE_LARGE] = "many times the base, but the runs do not confirm it",
    [JUDGE_APPEARS] = "in no base run, but not in all new ones",
    [JUDGE_MANY] = "one of more that stand out than chance explains",
    [JUDGE_ABOVE] = "above the limit, but not confirmed",
};

static const char *waiver_text(const struct gate_context *x, const struct policy_waiver *w)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s (until %s)", w->reason, w->until);
	return kept(x, &b);
}

static const char *breach_word(const struct gate_rule *r, const struct told *t)
{
	if (t->verdict == VERDICT_INCONCLUSIVE)
		return why_texts[r->rule->kind == POLICY_GROWTH ? judged(r, t->subject)->why
								: JUDGE_CLEAR];
	switch (r->rule->kind) {
	case POLICY_NEW: return "is new";
	case POLICY_MAX: return "is above the limit";
	case POLICY_COVERAGE: return "is too low";
	default: return "grew";
	}
}

/* That it is the base's thing is a guess: of one, what that was. */
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
	compare_thing_text(x->c->things,
			   &x->c->things->keys[r->rule->key].items[x->rows->rows[s->row].other], b);
}

static void gate_rule_fill_breach(const struct gate_context *x, size_t index,
				  const struct gate_rule *r, const struct told *from,
				  struct breach *to)
{
	const struct policy_waiver *expired, *waiver;
	const struct aggregate_thing *t = NULL;
	size_t i = from->subject;
	struct buf b = BUF_INIT;

	if (i != GATE_ALL_ALIKE && r->subjects[i].row != SIZE_MAX)
		t = &x->c->things->keys[r->rule->key]
			 .items[x->rows->rows[r->subjects[i].row].thing];
	add_subject(x, r, i, &b);
	waiver = policy_waived(x->p, index, b.data, b.len, x->today, &expired);
	*to = (struct breach){.verdict = from->verdict, .subject = kept(x, &b)};
	gate_rule_add_measured(r, i, &b);
	to->measured = kept(x, &b);
	to->limit = gate_rule_limit_text(x, r->rule);
	if (t && t->file) {
		to->file = things_text(x->c->things, t->file, NULL);
		to->line = t->line;
	}
	if (r->rule->kind == POLICY_GROWTH && !isnan(judged(r, i)->told)) {
		add_told(r, i, &b);
		to->told = kept(x, &b);
	}
	buf_adds(&b, breach_word(r, from));
	gate_rule_add_statistics(r, i, &b);
	if (from->verdict == VERDICT_INCONCLUSIVE && r->rule->kind == POLICY_GROWTH &&
	    r->result->orders && !r->result->reachable)
		gate_rule_add_need(r, &b);
	add_guess(x, r, i, &b);
	if (expired)
		buf_addf(&b, "; waiver '%s' ended on %s", expired->name, expired->until);
	to->message = kept(x, &b);
	if (from->verdict == VERDICT_WAIVED)
		to->waiver = waiver_text(x, waiver);
	gate_say(x, r, i, to);
}

/* What a waiver covers is taken out of what is broken. */
static const struct policy_waiver *gate_rule_waive(const struct gate_context *x, size_t index,
						   const struct gate_rule *r, struct outcome *o)
{
	const struct policy_waiver *used = NULL;

	for (size_t i = 0; i < o->n; i++) {
		const struct policy_waiver *w;
		struct buf b = BUF_INIT;

		if (o->items[i].verdict != VERDICT_FAIL)
			continue;
		add_subject(x, r, o->items[i].subject, &b);
		w = policy_waived(x->p, index, b.data, b.len, x->today, NULL);
		buf_release(&b);
		if (!w)
			continue;
		used = w;
		x->used[w - x->p->waivers] = true;
		o->items[i].verdict = VERDICT_WAIVED;
		o->of[VERDICT_FAIL]--;
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

static void list_breaches(const struct gate_context *x, size_t index, const struct gate_rule *r,
			  const struct outcome *o, bool certain, struct table_check *to)
{
	struct breach *breaches = arena_zalloc(x->arena, (o->n + 1) * sizeof *breaches);
	size_t listed[VERDICTS] = {0};

	for (size_t i = 0; i < o->n; i++)
		if (listed[o->items[i].verdict]++ < GATE_BREACHES_MAX)
			gate_rule_fill_breach(x, index, r, &o->items[i],
					      &breaches[to->n_breaches++]);
	/* Fifty times the same advice hides what it is about. */
	for (size_t i = GATE_ADVICE_MAX; i < to->n_breaches; i++)
		breaches[i].look = breaches[i].accept = NULL;
	for (size_t i = 0; !certain && i < to->n_breaches; i++)
		if (breaches[i].verdict == VERDICT_FAIL)
			breaches[i].verdict = VERDICT_INCONCLUSIVE;
	to->breaches = breaches;
}

static const char *why_text(const struct outcome *o)
{
	for (size_t why = JUDGE_CLEAR + 1; why < JUDGE_WHYS; why++)
		if (o->why[why])
			return why_texts[why];
	return why_texts[JUDGE_CLEAR];
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

	if (x->c->n_groups == 1 && to->verdict == VERDICT_PASS &&
	    (r->rule->kind == POLICY_GROWTH || r->rule->kind == POLICY_NEW)) {
		to->message = "nothing to compare with yet";
		return;
	}
	if (x->lossy)
		buf_addf(&b, "%s has lost something, so nothing is certain (--allow-loss); ",
			 x->lossy);
	if (gave_up)
		buf_addf(&b,
			 "an expression was given up %" PRIu64 " time%s, so nothing is certain; ",
			 gave_up, gave_up == 1 ? "" : "s");
	if (r->unmatched)
		buf_addf(&b, "none of the %s match%s; ", plural,
			 x->allow_unmatched ? "" : ", so nothing was checked (--allow-unmatched)");
	if (to->verdict == VERDICT_INCONCLUSIVE && unsure && !one)
		buf_addf(&b, "%s; ", why_text(o));
	if (r->rule->kind == POLICY_NEW)
		buf_addf(&b, "%zu new %s", r->n, plural);
	else if (one && unsure)
		buf_adds(&b, why_text(o));
	else if (one)
		buf_adds(&b, broken || waived ? "breaks the rule" : "within the rule");
	else
		buf_addf(&b, "%zu of %zu %s break the rule", broken, r->n, plural);
	if (one && !o->n)
		gate_rule_add_statistics(r, 0, &b);
	if (!broken || !one)
		gate_rule_add_least_told(x, r, &b);
	gate_rule_add_factors(x, r, &b);
	if (o->improved && !one)
		buf_addf(&b, "; %zu improved", o->improved);
	if (unsure && !one)
		buf_addf(&b, "; %zu cannot be told", unsure);
	if (waived)
		buf_addf(&b, "; %zu waived", waived);
	if (r->unknown)
		buf_addf(&b, "; of %zu nothing is known", r->unknown);
	if (r->guessed)
		buf_addf(&b, "; %zu matched by a guess", r->guessed);
	if (o->n > to->n_breaches)
		buf_addf(&b, "; the %d largest of each are listed", GATE_BREACHES_MAX);
	to->message = kept(x, &b);
}

static enum verdict verdict_of(const struct gate_context *x, const struct gate_rule *r,
			       const struct outcome *o, bool certain)
{
	/* Of what is not known something may be new, or have grown. */
	return !certain || (r->unmatched && !x->allow_unmatched) ? VERDICT_INCONCLUSIVE
	       : o->of[VERDICT_FAIL]                             ? VERDICT_FAIL
	       : o->of[VERDICT_INCONCLUSIVE] || r->unknown       ? VERDICT_INCONCLUSIVE
	       : o->of[VERDICT_WAIVED]                           ? VERDICT_WAIVED
	       : o->improved                                     ? VERDICT_IMPROVED
								 : VERDICT_PASS;
}

void gate_check(const struct gate_context *x, size_t index, const struct gate_rule *r,
		struct table_check *to)
{
	const struct policy_waiver *waiver;
	struct outcome o = {.n = 0};
	struct buf b = BUF_INIT;
	uint64_t gave_up;
	bool certain;

	switch (r->rule->kind) {
	case POLICY_GROWTH: judge_growth(r, &o); break;
	case POLICY_MAX: judge_max(r, &o); break;
	case POLICY_NEW: judge_new(r, &o); break;
	case POLICY_COVERAGE: judge_coverage(r, &o); break;
	}
	waiver = gate_rule_waive(x, index, r, &o);
	gave_up = x->gave_up + policy_gave_up(x->p, index);
	certain = !x->lossy && !gave_up;
	if (r->rule->kind == POLICY_NEW && o.of[VERDICT_FAIL] <= r->rule->most_new &&
	    o.of[VERDICT_WAIVED])
		forget(&o, VERDICT_FAIL); /* without the waived ones there are few enough */
	if (o.n)
		sort_array(o.items, o.n, sizeof *o.items, gate_rule_told_order);
	*to = (struct table_check){.name = r->rule->name,
				   .category = policy_kinds[r->rule->kind],
				   .verdict = verdict_of(x, r, &o, certain),
				   .limit = gate_rule_limit_text(x, r->rule),
				   .policy_line = r->rule->line};
	if (r->n == 1 && r->rule->kind != POLICY_NEW)
		gate_rule_add_measured(r, 0, &b);
	else if (r->rule->kind == POLICY_NEW)
		buf_addf(&b, "%zu", r->n);
	else
		buf_addf(&b, "%zu of %zu %s", o.of[VERDICT_FAIL], r->n, key_plurals[r->rule->key]);
	to->measured = kept(x, &b);
	if (waiver)
		to->waiver = waiver_text(x, waiver);
	list_breaches(x, index, r, &o, certain, to);
	gate_rule_write_message(x, r, &o, gave_up, to);
	free(o.items);
}
