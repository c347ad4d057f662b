/* SPDX-License-Identifier: MIT */
#include "lib/report/gate_rule.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/report/compare_view.h"
#include "lib/report/gate.h"
#include "lib/report/stats_steps.h"
#include "lib/table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One that breaks the rule. */
struct broken {
	size_t subject;
	double by; /* how much, to tell the worst first */
};

struct outcome {
	struct broken *broken;
	size_t n, cap;
	size_t improved, unsure;
	size_t why[JUDGE_SPREAD + 1];
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

	return r->median ? stats_median(base) : stats_mean(base);
}

static void add_amount(struct buf *b, const struct policy_rule *r, double v)
{
	static const char *const per[] = {"", " / frame", " / s"};
	double size = fabs(v);

	if (v < 0)
		buf_addc(b, '-');
	if (r->kind == POLICY_COVERAGE) {
		buf_addf(b, "%.2f %%", size);
		return;
	}
	if (r->counter || sum_names[r->metric].unit == SUM_NUMBER || size >= 1e18)
		buf_addf(b, size == floor(size) ? "%.0f" : "%.3f", size);
	else if (sum_names[r->metric].unit == SUM_BYTES)
		size_text(b, (uint64_t)(size + 0.5));
	else
		time_text(b, (uint64_t)(size + 0.5));
	buf_adds(b, per[r->per]);
}

static void add_signed_amount(struct buf *b, const struct policy_rule *r, double v)
{
	if (v >= 0)
		buf_addc(b, '+');
	add_amount(b, r, v);
}

static void add_percent(struct buf *b, double base, double difference)
{
	if (fabs(base) > 0)
		buf_addf(b, ", %+.2f %%", 100 * difference / fabs(base));
}

static void add_subject(const struct gate_context *x, const struct gate_rule *r, size_t i,
			struct buf *b)
{
	const struct gate_subject *s = &r->subjects[i];
	int key = r->rule->key;

	if (s->row != SIZE_MAX)
		compare_thing_text(x->c->things,
				   &x->c->things->keys[key].items[x->rows->rows[s->row].thing], b);
	else if (key != POLICY_TOTAL)
		buf_addf(b, "(sum of %zu %s)", s->things, key_plurals[key]);
	else
		buf_adds(b, r->rule->kind == POLICY_COVERAGE ? "(coverage)" : "(total)");
}

/* "1.5 MiB -> 1.6 MiB (+107.1 KiB, +7.02 %)" */
static void add_measured(const struct gate_rule *r, size_t i, struct buf *b)
{
	const struct gate_subject *s = &r->subjects[i];
	double base = gate_base(r, s), new = mean(s->new, r->n_new);

	if (r->rule->kind == POLICY_GROWTH ||
	    (r->rule->kind == POLICY_COVERAGE && !isnan(r->rule->drop))) {
		add_amount(b, r->rule, base);
		buf_adds(b, " -> ");
		add_amount(b, r->rule, new);
		buf_adds(b, " (");
		add_signed_amount(b, r->rule, new - base);
		if (r->rule->kind == POLICY_GROWTH)
			add_percent(b, base, new - base);
		buf_addc(b, ')');
	} else {
		add_amount(b, r->rule, new);
	}
}

static void add_statistics(const struct gate_rule *r, size_t i, struct buf *b)
{
	const struct judge_subject *j;

	if (r->rule->kind != POLICY_GROWTH)
		return;
	j = &r->judged->subjects[i];
	if (j->has_interval) {
		buf_adds(b, "; 95 % interval ");
		add_signed_amount(b, r->rule, j->interval.low);
		buf_adds(b, " to ");
		add_signed_amount(b, r->rule, j->interval.high);
		buf_addf(b, "; p %.4f", r->judged->p_worse);
	}
	if (j->has_floor) {
		buf_adds(b, "; noise floor ");
		add_amount(b, r->rule, j->floor);
	}
	if (j->has_detectable) {
		buf_adds(b, "; smallest detectable ");
		add_amount(b, r->rule, j->detectable);
	}
}

static const char *limit_text(const struct gate_context *x, const struct policy_rule *r)
{
	struct buf b = BUF_INIT;

	switch (r->kind) {
	case POLICY_MAX: add_amount(&b, r, (double)r->max); break;
	case POLICY_NEW: buf_addf(&b, "%" PRIu64 " new %s", r->max, key_plurals[r->key]); break;
	case POLICY_COVERAGE:
		if (!isnan(r->percent))
			buf_addf(&b, "at least %.2f %%", r->percent);
		if (!isnan(r->drop))
			buf_addf(&b, "%sno more than %.2f points less", b.len ? ", " : "", r->drop);
		break;
	default:
		if (!isnan(r->percent))
			buf_addf(&b, "+%.2f %%", r->percent);
		if (r->absolute || isnan(r->percent)) {
			buf_adds(&b, b.len ? " and " : "");
			add_signed_amount(&b, r, (double)r->absolute);
		}
		break;
	}
	if (r->count && r->kind != POLICY_MAX && r->kind != POLICY_COVERAGE)
		buf_addf(&b, ", of %" PRIu64 " allocations or more", r->count);
	return kept(x, &b);
}

static void breaks(struct outcome *o, size_t subject, double by)
{
	VEC_PUSH(o->broken, o->n, o->cap) = (struct broken){subject, by};
}

static void judge_growth(const struct gate_rule *r, struct outcome *o)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct judge_subject *j = &r->judged->subjects[i];

		if (j->change == CHANGE_REGRESSED)
			breaks(o, i, j->difference);
		o->improved += j->change == CHANGE_IMPROVED;
		o->unsure += j->change == CHANGE_INCONCLUSIVE;
		o->why[j->why]++;
	}
}

/* On average, and in every run; some above and some below cannot tell. */
static void judge_max(const struct gate_rule *r, struct outcome *o)
{
	for (size_t i = 0; i < r->n; i++) {
		double limit = (double)r->rule->max, new = mean(r->subjects[i].new, r->n_new);
		size_t above = 0;

		for (size_t k = 0; k < r->n_new; k++)
			above += r->subjects[i].new[k] > limit;
		if (new > limit && above == r->n_new)
			breaks(o, i, new - limit);
		else if (new > limit)
			o->unsure++;
	}
}

static void judge_new(const struct gate_rule *r, struct outcome *o)
{
	for (size_t i = 0; r->n > r->rule->max && i < r->n; i++)
		breaks(o, i, mean(r->subjects[i].new, r->n_new));
}

static void judge_coverage(const struct gate_rule *r, struct outcome *o)
{
	double base = gate_base(r, &r->subjects[0]);
	double new = mean(r->subjects[0].new, r->n_new);

	if (r->unknown)
		return;
	if ((!isnan(r->rule->percent) && new < r->rule->percent) ||
	    (!isnan(r->rule->drop) && base - new > r->rule->drop))
		breaks(o, 0, 100 - new);
}

static int broken_order(const void *a, const void *b)
{
	const struct broken *x = a, *y = b;

	if (x->by < y->by || x->by > y->by)
		return x->by > y->by ? -1 : 1;
	return x->subject < y->subject ? -1 : x->subject > y->subject;
}

static void fill_breach(const struct gate_context *x, const struct gate_rule *r, size_t i,
			const struct policy_waiver *expired, struct breach *to)
{
	const struct thing *t = NULL;
	struct buf b = BUF_INIT;

	if (r->subjects[i].row != SIZE_MAX)
		t = &x->c->things->keys[r->rule->key]
			 .items[x->rows->rows[r->subjects[i].row].thing];
	add_subject(x, r, i, &b);
	to->subject = kept(x, &b);
	add_measured(r, i, &b);
	to->measured = kept(x, &b);
	to->limit = limit_text(x, r->rule);
	if (t && t->file) {
		to->file = things_text(x->c->things, t->file, NULL);
		to->line = t->line;
	}
	buf_adds(&b, r->rule->kind == POLICY_NEW        ? "is new"
		     : r->rule->kind == POLICY_MAX      ? "is above the limit"
		     : r->rule->kind == POLICY_COVERAGE ? "is too low"
							: "grew");
	add_statistics(r, i, &b);
	if (expired)
		buf_addf(&b, "; waiver '%s' ended on %s", expired->name, expired->until);
	to->message = kept(x, &b);
}

/* What a waiver covers is taken out of what is broken. */
static const struct policy_waiver *waive(const struct gate_context *x, size_t index,
					 const struct gate_rule *r, struct outcome *o,
					 size_t *waived)
{
	const struct policy_waiver *used = NULL;
	size_t left = 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct policy_waiver *w;
		struct buf b = BUF_INIT;

		add_subject(x, r, o->broken[i].subject, &b);
		w = policy_waived(x->p, index, b.data, b.len, x->today, NULL);
		buf_release(&b);
		if (w)
			used = w;
		else
			o->broken[left++] = o->broken[i];
	}
	*waived = o->n - left;
	o->n = left;
	return used;
}

static void list_breaches(const struct gate_context *x, size_t index, const struct gate_rule *r,
			  const struct outcome *o, struct check *to)
{
	size_t n = o->n < GATE_BREACHES_MAX ? o->n : GATE_BREACHES_MAX;
	struct breach *breaches = arena_zalloc(x->arena, (n + 1) * sizeof *breaches);

	for (size_t i = 0; i < n; i++) {
		const struct policy_waiver *expired;
		struct buf b = BUF_INIT;

		add_subject(x, r, o->broken[i].subject, &b);
		policy_waived(x->p, index, b.data, b.len, x->today, &expired);
		buf_release(&b);
		fill_breach(x, r, o->broken[i].subject, expired, &breaches[i]);
	}
	to->breaches = breaches;
	to->n_breaches = n;
}

static const char *why_text(const struct outcome *o)
{
	return o->why[JUDGE_NOISE] ? "above the limit, but not above the noise of the base runs"
	       : o->why[JUDGE_FEW_RUNS]
		   ? "above the limit, but so few runs cannot confirm it among so many rules"
	       : o->why[JUDGE_UNSURE] ? "above the limit, but not confirmed"
	       : o->why[JUDGE_SPREAD] ? "the runs differ so much that a breach would not show"
				      : "the runs do not agree";
}

static void write_message(const struct gate_context *x, const struct gate_rule *r,
			  const struct outcome *o, size_t waived, uint64_t gave_up,
			  struct check *to)
{
	struct buf b = BUF_INIT;
	bool one = r->n == 1 && r->rule->kind != POLICY_NEW;

	if (x->lossy)
		buf_addf(&b, "%s has lost something, so nothing is certain (--allow-loss); ",
			 x->lossy);
	if (gave_up)
		buf_addf(&b,
			 "an expression was given up %" PRIu64 " time%s, so nothing is certain; ",
			 gave_up, gave_up == 1 ? "" : "s");
	if (to->verdict == VERDICT_INCONCLUSIVE && o->unsure && !one)
		buf_addf(&b, "%s; ", why_text(o));
	if (r->rule->kind == POLICY_NEW)
		buf_addf(&b, "%zu new %s", r->n, key_plurals[r->rule->key]);
	else if (one && o->unsure)
		buf_adds(&b, why_text(o));
	else if (one)
		buf_adds(&b, o->n || waived ? "breaks the rule" : "within the rule");
	else
		buf_addf(&b, "%zu of %zu %s break the rule", o->n, r->n, key_plurals[r->rule->key]);
	if (one)
		add_statistics(r, 0, &b);
	if (o->improved && !one)
		buf_addf(&b, "; %zu improved", o->improved);
	if (o->unsure && !one)
		buf_addf(&b, "; %zu cannot be told", o->unsure);
	if (waived)
		buf_addf(&b, "; %zu waived", waived);
	if (r->unknown)
		buf_addf(&b, "; of %zu nothing is known", r->unknown);
	if (o->n > to->n_breaches)
		buf_addf(&b, "; the %zu largest are listed", to->n_breaches);
	to->message = kept(x, &b);
}

void gate_check(const struct gate_context *x, size_t index, const struct gate_rule *r,
		struct check *to)
{
	const struct policy_waiver *waiver;
	struct outcome o = {.n = 0};
	struct buf b = BUF_INIT;
	uint64_t gave_up;
	size_t waived;

	switch (r->rule->kind) {
	case POLICY_GROWTH: judge_growth(r, &o); break;
	case POLICY_MAX: judge_max(r, &o); break;
	case POLICY_NEW: judge_new(r, &o); break;
	case POLICY_COVERAGE: judge_coverage(r, &o); break;
	}
	if (o.n)
		sort_array(o.broken, o.n, sizeof *o.broken, broken_order);
	waiver = waive(x, index, r, &o, &waived);
	gave_up = x->gave_up + policy_gave_up(x->p, index);
	if (r->rule->kind == POLICY_NEW && o.n <= r->rule->max && waived)
		o.n = 0; /* without the waived ones there are few enough */
	*to = (struct check){.name = r->rule->name,
			     .category = policy_kinds[r->rule->kind],
			     .limit = limit_text(x, r->rule),
			     .policy_line = r->rule->line};
	if (r->n == 1 && r->rule->kind != POLICY_NEW)
		add_measured(r, 0, &b);
	else
		buf_addf(&b, "%zu", r->rule->kind == POLICY_NEW ? r->n : o.n);
	to->measured = kept(x, &b);
	/* Of what is not known something may be new, or have grown. */
	to->verdict = x->lossy || gave_up      ? VERDICT_INCONCLUSIVE
		      : o.n                    ? VERDICT_FAIL
		      : o.unsure || r->unknown ? VERDICT_INCONCLUSIVE
		      : waived                 ? VERDICT_WAIVED
		      : o.improved             ? VERDICT_IMPROVED
					       : VERDICT_PASS;
	if (waiver) {
		buf_addf(&b, "%s (until %s)", waiver->reason, waiver->until);
		to->waiver = kept(x, &b);
	}
	list_breaches(x, index, r, &o, to);
	write_message(x, r, &o, waived, gave_up, to);
	free(o.broken);
}
