/* SPDX-License-Identifier: MIT */
#include "lib/export/profile.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/group/group_pass.h"
#include "lib/group/stack_cut.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t export_profile_text(struct export_profile *p, const struct trace *t, uint32_t string)
{
	size_t n;
	const char *s = intern_text(&t->strings, string, &n);

	return n ? intern_add(&p->types, s, n) : 0;
}

static void add_row(struct export_profile *p, uint32_t type, unsigned domain, uint32_t stack,
		    const struct tally_sums *sums)
{
	uint32_t kind = grouping_group(&p->kinds, 0, type * DOMAINS + domain, 0, false);

	sums_add(&p->sums.all, sums);
	columns_add(&p->sums.keys[0].self, grouping_group(&p->rows, kind, stack, 0, false), sums);
}

static int choose_domain(const struct export_profile *p, const struct tally *a)
{
	int most = p->options->domain;

	if (most == EXPORT_DOMAIN_DEFAULT)
		most = p->groups.pass ? pass_domain_of_most(p->groups.pass)
				      : tally_domain_of_most(a, NULL, NULL);
	return most < 0 ? DOMAIN_MALLOC : most;
}

/* Not where all calls of its stack are taken out. */
static bool is_exported(const struct export_profile *p, const struct tally_cell *c, int domain)
{
	uint32_t node;

	return (domain == EXPORT_DOMAIN_ALL || domain == c->domain || c->domain >= CELL_TIMED) &&
	       (!p->groups.pass || pass_place(p->groups.pass, c, &node));
}

/* Ours of the capture's stacks, as far as marked with 1. Callers have smaller ids. */
static void merge_stacks(struct export_profile *p, struct export_profile_run *r)
{
	const struct trace *t = r->t;

	for (size_t i = t->n_stacks; i-- > 1;)
		if (r->stacks[i])
			r->stacks[t->stacks[i].parent] = 1;
	r->stacks[0] = 0;
	for (size_t i = 1; i < t->n_stacks; i++)
		if (r->stacks[i])
			r->stacks[i] =
			    stacks_add(&p->groups.stacks, r->stacks[t->stacks[i].parent],
				       names_location(&p->groups.names, t, t->stacks[i].location));
}

/* The same, as filters leave them. */
static void export_profile_view_stacks(struct export_profile *p, const struct export_profile_run *r)
{
	for (uint32_t i = 1; i < r->t->n_stacks; i++)
		if (r->stacks[i])
			r->stacks[i] = pass_stack(p->groups.pass, i);
	r->stacks[0] = 0;
}

/* How often a call was made that is taken out is nothing of its caller's. */
static unsigned taken_out(const struct export_profile *p, uint32_t stack)
{
	return p->groups.pass && pass_call_taken_out(p->groups.pass, stack) ? SUM_BIT(SUM_CALLS)
									    : 0;
}

static void export_profile_add_cell(struct export_profile *p, const struct export_profile_run *r,
				    size_t index)
{
	const struct tally_cell *c = &r->a->cells[index];
	struct tally_sums sums;

	tally_sums(r->a, index, &sums);
	sums.has &= r->known & ~taken_out(p, c->stack);
	add_row(p, export_profile_text(p, r->t, r->t->types[c->type]), c->domain,
		r->stacks[c->stack], &sums);
}

/* False: there are too many events. */
static bool see_event(struct export_profile *p, const struct trace *t, uint32_t marker,
		      uint32_t type)
{
	struct export_profile_column c = {NULL, type, 0};
	const char *unit;
	size_t n;

	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].event == type)
			return true;
	if (p->n_events == PROFILE_EVENTS_MOST)
		return false;
	unit = trace_period_unit(t, marker, &n);
	c.unit = n ? intern_add(&p->types, unit, n) : 0;
	p->events[p->n_events++] = c;
	return true;
}

size_t export_profile_columns(const struct export_profile *p, unsigned sums,
			      struct export_profile_column to[PROFILE_COLUMNS])
{
	size_t n = 0;

	for (const struct export_metric *m = export_metrics; m < export_metrics + EXPORT_METRICS;
	     m++) {
		if (!(p->sums.all.has & sums & SUM_BIT(m->sum)))
			continue;
		for (size_t i = 0; m->sum == SUM_PERIOD && i < p->n_events; i++)
			to[n++] = (struct export_profile_column){m, p->events[i].event,
								 p->events[i].unit};
		if (m->sum != SUM_PERIOD)
			to[n++] = (struct export_profile_column){m, 0, 0};
	}
	return n;
}

unsigned export_profile_shown(const struct export_profile *p, enum sum first)
{
	bool counted = p->sums.all.has >> SUM_COUNT & 1 && first != SUM_ENTRIES;

	return p->sums.all.has & ~(counted ? SUM_BIT(SUM_ENTRIES) : 0);
}

/* Its own time where that is known: what it called has a sample of its own then. */
static void export_profile_add_measured(struct export_profile *p, struct trace *t,
					const struct export_profile_run *r, size_t index)
{
	const struct tally_cell *c = &r->a->cells[index];
	const struct tally_measure *m = tally_timed(r->a, index);
	struct tally_sums sums = {.has = 0};
	uint32_t event = export_profile_text(p, t, t->markers[c->type].name);

	if (!m || !(m->has & (SUMS_TIME | SUM_BIT(SUM_SAMPLES) | SUM_BIT(SUM_PERIOD))))
		return;
	sums.has = m->has & (SUM_BIT(SUM_SAMPLES) | SUM_BIT(SUM_PERIOD) | SUM_BIT(SUM_CALLS)) &
		   ~taken_out(p, c->stack);
	if (m->has >> SUM_PERIOD & 1 && !see_event(p, t, c->type, event)) {
		trace_note(t, NOTE_LOSS, 1, "sums of periods are of more than %d events: left out",
			   PROFILE_EVENTS_MOST);
		sums.has &= ~SUM_BIT(SUM_PERIOD);
	}
	sums.v[SUM_SAMPLES] = m->samples;
	sums.v[SUM_PERIOD] = m->period;
	sums.v[SUM_CALLS] = sums.has >> SUM_CALLS & 1 ? m->calls : 0;
	if (m->has >> SUM_TIME_SELF & 1)
		sums.v[SUM_TIME_SELF] = m->self > 0 ? (uint64_t)m->self : 0;
	else
		sums.v[SUM_TIME_SELF] = m->total;
	if (m->has & (SUM_BIT(SUM_TIME_SELF) | SUM_BIT(SUM_TIME_TOTAL)))
		sums.has |= SUM_BIT(SUM_TIME_SELF);
	add_row(p, event, 0, r->stacks[c->stack], &sums);
}

/* For readers of formats that cannot say so. */
static void export_profile_add_estimated(struct export_profile *p, const struct trace *t)
{
	const char *periods = trace_get(t, TRACE_PERIODS);
	bool heap = false, time = t->metrics[METRIC_TIME].state == METRIC_ESTIMATED;
	bool period = p->n_events && !(periods && !strcmp(periods, TRACE_PERIODS_COUNTED));
	struct buf b = BUF_INIT;

	for (size_t m = METRIC_COUNT; m <= METRIC_LIVE; m++)
		heap |= t->metrics[m].state == METRIC_ESTIMATED;
	buf_addf(&b, TRACE_ESTIMATED_COMMENT "%s%s%s", heap ? "heap, " : "", time ? "time, " : "",
		 period ? "period, " : "");
	if (heap || time || period)
		intern_add(&p->notes, b.data, b.len - 2);
	buf_release(&b);
}

static void export_profile_add_notes(struct export_profile *p, struct trace *t,
				     const struct tally *a)
{
	const char *format = trace_get(t, "format"), *filtered = trace_get(t, TRACE_FILTERED),
		   *view = p->options->view_words;

	if (a->live.lost_frees)
		trace_note(t, NOTE_LOSS, a->live.lost_frees,
			   "blocks were allocated again at an address whose free is missing: the "
			   "newest is live, the older ones count as freed");
	if (a->without_address[DOMAINS])
		trace_note(t, NOTE_GUESS, a->without_address[DOMAINS],
			   "allocations have no address: they do not count as live");
	if (format)
		intern_add(&p->formats, format, strlen(format));
	if (filtered || view) {
		struct buf b = BUF_INIT;

		buf_addf(&b, TRACE_FILTERED_COMMENT "%s%s%s", filtered ? filtered : "",
			 filtered && view ? " " : "", view ? view : "");
		intern_add(&p->notes, b.data, b.len);
		buf_release(&b);
	}
	for (size_t i = 0; i < t->n_notes; i++) {
		const struct trace_note *n = &t->notes[i];
		struct buf b = BUF_INIT;

		buf_addf(&b, "%s: %s", severity_name(n->severity), n->text);
		if (n->count)
			buf_addf(&b, ": %" PRIu64, n->count);
		intern_add(&p->notes, b.data, b.len);
		buf_release(&b);
	}
}

static enum status export_profile_fold(void *arg, struct trace *t, struct tally *a, struct err *e)
{
	struct export_profile *p = arg;
	struct export_profile_run r = {.t = t, .a = a};
	enum status st = ST_OK;
	int domain;

	if (filters_take_calls(p->groups.options.filters))
		pass_begin(&p->groups, t)->a = a;
	else
		names_capture(&p->groups.names, t);
	domain = choose_domain(p, a);
	r.known = tally_cell_states(a, t, (unsigned)domain);

	if (t->events[EV_DELTA] && !p->options->events)
		trace_note(t, NOTE_LOSS, t->events[EV_DELTA],
			   "measurements of how the heap grew are not exported: the format has no "
			   "negative sums");
	export_profile_add_notes(p, t, a);
	r.stacks = mem_zarray(t->n_stacks, sizeof *r.stacks);
	for (size_t i = 0; i < t->n_stacks && p->all_stacks; i++)
		r.stacks[i] = 1;
	for (size_t i = 0; i < a->n_cells; i++)
		if (is_exported(p, &a->cells[i], domain))
			r.stacks[a->cells[i].stack] = 1;
	if (p->groups.pass)
		export_profile_view_stacks(p, &r);
	else
		merge_stacks(p, &r);
	for (size_t i = 0; i < a->n_cells; i++)
		if (!is_exported(p, &a->cells[i], domain))
			continue;
		else if (a->cells[i].domain >= CELL_TIMED)
			export_profile_add_measured(p, t, &r, i);
		else
			export_profile_add_cell(p, &r, i);
	export_profile_add_estimated(p, t);
	if (p->captured)
		st = p->captured(p->arg, t, &r, e);
	free(r.stacks);
	pass_end(&p->groups);
	return st;
}

void export_profile_init(struct export_profile *p, const struct export_options *o)
{
	struct grouped_profile_options view = {.domain = DOMAIN_DEFAULT};

	if (o->view)
		view = *o->view;
	view.mangled = o->mangled;
	view.by[0].by = KEY_STACK;
	view.n_by = 1;
	*p = (struct export_profile){.options = o};
	grouped_profile_init(&p->groups, &view);
	tally_init(&p->tally,
		   &(struct tally_options){.want = TALLY_WANT | SUMS_TIME | SUM_BIT(SUM_SAMPLES) |
						   SUM_BIT(SUM_PERIOD),
					   .hook_cost = view.hook_cost,
					   .done = export_profile_fold,
					   .arg = p});
	grouping_init(&p->kinds, (struct grouping_key){.by = KEY_TYPE});
	grouping_init(&p->rows, (struct grouping_key){.by = KEY_STACK, .within = 1});
	profile_init(&p->sums, 1);
}

void export_profile_finish_run(struct export_profile *p)
{
	profile_release(&p->sums);
	profile_init(&p->sums, 1);
}

void export_profile_close(struct export_profile *p)
{
	tally_release(&p->tally);
	grouped_profile_close(&p->groups);
	names_disambiguate(&p->groups.names);
}

void export_profile_release(struct export_profile *p)
{
	export_profile_close(p);
	grouped_profile_release(&p->groups);
	intern_release(&p->types);
	intern_release(&p->notes);
	intern_release(&p->formats);
	grouping_release(&p->kinds);
	grouping_release(&p->rows);
	profile_release(&p->sums);
	*p = (struct export_profile){.options = NULL};
}

static void add_words(const struct export_profile *p, struct buf *b)
{
	const char *between = "";

	for (size_t i = 0; i < EXPORT_METRICS; i++)
		if (export_profile_has(p, export_metrics[i].sum)) {
			buf_addf(b, "%s%s", between, export_metric_name(export_metrics[i].sum));
			between = ", ";
		}
}

/* Calls, or bytes of their names, of one location. */
static uint64_t export_profile_weight(const struct export_profile *p, uint32_t location, bool texts)
{
	const struct names_location *l = &p->groups.names.locations[location];
	uint64_t weight = l->n_calls;

	for (uint32_t k = l->first; texts && k < l->first + l->n_calls; k++) {
		size_t n;

		names_text(&p->groups.names,
			   p->groups.names.functions[p->groups.names.calls[k].function].display,
			   &n);
		weight += n;
	}
	return weight;
}

enum status export_profile_check_depth(const struct export_profile *p, bool texts, struct err *e)
{
	uint64_t *below = mem_zarray(p->groups.stacks.n + 1, sizeof *below), once = 0, all = 0;

	for (size_t i = 1; i < p->groups.stacks.n; i++) {
		uint64_t own = export_profile_weight(p, p->groups.stacks.rows[i].location, texts);

		below[i] = add_saturating(below[p->groups.stacks.rows[i].parent], own);
		once = add_saturating(once, own);
	}
	for (size_t i = 0; i < p->rows.n; i++)
		all = add_saturating(all, below[export_profile_stack(p, i)]);
	free(below);
	if (all <= stacks_budget(once, texts ? STACKS_FREE_BYTES : STACKS_FREE_CALLS))
		return ST_OK;
	return err_set(
	    e, ST_LIMIT,
	    "its stacks are nested too deeply for a format that writes each from the root: %" PRIu64
	    " %s, of which %" PRIu64 " differ; a trace, an aggregate (tm-compare --save-baseline) "
	    "or --as sqlite hold them as a tree",
	    all, texts ? "bytes of names" : "calls", once);
}

enum status export_profile_sort(const struct export_profile *p, bool one, enum sum *to,
				struct err *e)
{
	int asked = p->options->sort;
	bool several = one && p->n_events > 1;
	unsigned valued = 0;
	struct buf b = BUF_INIT;
	enum status st = ST_OK;

	for (enum sum s = 0; s < SUMS; s++)
		if (export_profile_has(p, s) && metric_table[s].rank &&
		    !(several && s == SUM_PERIOD))
			valued |= SUM_BIT(s);
	if (asked == SORT_AUTO && valued) {
		*to = sort_first(valued);
		return ST_OK;
	}
	add_words(p, &b);
	if (several && (asked == SUM_PERIOD || asked == SORT_AUTO) &&
	    export_profile_has(p, SUM_PERIOD)) {
		st = err_set(e, ST_UNSUPPORTED,
			     "its periods are of several events, which do not add up, and the "
			     "format has one value: tm-filter --type keeps one event");
	} else if (asked == SORT_AUTO || !b.len) {
		st = err_set(e, ST_ABSENT,
			     "nothing in the input has a stack and a size, a time or a count%s%s",
			     b.len ? "; --sort can be " : "", buf_str(&b));
	} else if (!(p->sums.all.has >> asked & 1)) {
		st =
		    err_set(e, ST_ABSENT, "--sort: no stack of the captures has '%s'; they have %s",
			    export_metric_name((enum sum)asked), buf_str(&b));
	} else if (one && !export_profile_has(p, (enum sum)asked)) {
		st = err_set(
		    e, ST_ABSENT,
		    "--sort: '%s' of every stack is 0, so nothing is to be written; more have "
		    "%s",
		    export_metric_name((enum sum)asked), buf_str(&b));
	} else {
		*to = (enum sum)asked;
	}
	buf_release(&b);
	return st;
}
