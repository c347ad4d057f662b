/* SPDX-License-Identifier: MIT */
#include "lib/export/profile.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/group/stack_cut.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct
    export_profile_index { /* from export_profile_init to export_profile_release; export_profile_close empties it */
	struct id_set sample_set; /* of sample indexes + 1 */
};

static uint64_t sample_hash(const struct export_profile_sample *s)
{
	return hash_u64(((uint64_t)s->type << 32 | s->stack) +
			((uint64_t)s->run << 8 | s->domain) * 0x9e3779b97f4a7c15u);
}

/* Ids are indexes + 1. */
static uint64_t export_profile_sample_row_hash(const void *table, uint32_t id)
{
	return sample_hash(&((const struct export_profile_sample *)table)[id - 1]);
}

static bool export_profile_sample_equal(const void *table, uint32_t id, const void *key)
{
	const struct export_profile_sample *a = &(
					       (const struct export_profile_sample *)table)[id - 1],
					   *b = key;

	return a->stack == b->stack && a->type == b->type && a->run == b->run &&
	       a->domain == b->domain;
}

static void export_profile_add_sample(struct export_profile *p,
				      const struct export_profile_sample *s,
				      const struct tally_sums *sums)
{
	struct export_profile_index *x = p->index;
	static const struct id_rows rows = {export_profile_sample_row_hash,
					    export_profile_sample_equal};
	uint64_t hash = sample_hash(s);
	uint32_t id = id_set_find(&x->sample_set, &rows, p->samples, hash, s);

	if (!id) {
		VEC_PUSH(p->samples, p->n_samples, p->cap_samples) = *s;
		id = (uint32_t)p->n_samples;
		id_set_add(&x->sample_set, &rows, p->samples, hash, id);
	}
	p->known |= sums->has;
	columns_add(&p->sums, id - 1, sums);
}

/* The sums that stacks of this capture have. What is known per type only is not theirs. */
static unsigned export_profile_known_sums(const struct trace *t, const struct tally *a)
{
	bool live = t->metrics[METRIC_LIVE].state != METRIC_ABSENT;
	unsigned known = 0;
	uint64_t records = 0;

	for (size_t d = 0; d < DOMAINS; d++)
		records += a->records[d];
	if (records)
		known |= SUM_BIT(SUM_ENTRIES);
	for (size_t m = METRIC_COUNT; m <= METRIC_REAL; m++) {
		static const enum sum sums[] = {SUM_COUNT, SUM_REQUESTED, SUM_REAL};
		static const enum sum lives[] = {SUM_LIVE_COUNT, SUM_LIVE_REQUESTED, SUM_LIVE_REAL};
		bool has =
		    t->metrics[m].state != METRIC_ABSENT && t->metrics[m].key == METRIC_AT_ALL;

		if (has)
			known |= SUM_BIT(sums[m]);
		if (live && (has || m == METRIC_COUNT))
			known |= SUM_BIT(lives[m]);
	}
	return known;
}

static int choose_domain(const struct export_profile *p, const struct tally *a)
{
	uint64_t bytes[DOMAINS] = {0}, entries[DOMAINS] = {0};
	int most;

	if (p->options->domain != EXPORT_DOMAIN_DEFAULT)
		return p->options->domain;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct tally_cell *c = &a->cells[i];

		if (c->domain >= DOMAINS || !(c->count || c->requested || c->real))
			continue;
		bytes[c->domain] =
		    add_saturating(bytes[c->domain], c->requested ? c->requested : c->real);
		entries[c->domain] = add_saturating(entries[c->domain], c->count ? c->count : 1);
	}
	most = domain_most(bytes, entries);
	return most < 0 ? DOMAIN_MALLOC : most;
}

static bool is_exported(const struct tally_cell *c, int domain)
{
	return domain == EXPORT_DOMAIN_ALL || domain == c->domain || c->domain >= CELL_TIMED;
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
			    stacks_add(&p->stacks, r->stacks[t->stacks[i].parent],
				       names_location(&p->names, t, t->stacks[i].location));
}

static uint32_t type_of(struct export_profile *p, const struct trace *t, uint32_t string)
{
	size_t n;
	const char *s = intern_text(&t->strings, string, &n);

	return n ? intern_add(&p->types, s, n) : 0;
}

static void export_profile_add_cell(struct export_profile *p, const struct export_profile_run *r,
				    size_t index)
{
	const struct tally_cell *c = &r->a->cells[index];
	struct export_profile_sample s = {.run = p->by_run ? r->number : 0,
					  .type = type_of(p, r->t, r->t->types[c->type]),
					  .stack = r->stacks[c->stack],
					  .domain = c->domain};
	struct tally_sums sums;

	tally_sums(r->a, index, &sums);
	sums.has &= r->known;
	export_profile_add_sample(p, &s, &sums);
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
		if (!(p->known & sums & SUM_BIT(m->sum)))
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
	bool counted = p->known >> SUM_COUNT & 1 && first != SUM_ENTRIES;

	return p->known & ~(counted ? SUM_BIT(SUM_ENTRIES) : 0);
}

/* Its own time where that is known: what it called has a sample of its own then. */
static void export_profile_add_measured(struct export_profile *p, struct trace *t,
					const struct export_profile_run *r, size_t index)
{
	const struct tally_cell *c = &r->a->cells[index];
	const struct tally_measure *m = tally_timed(r->a, index);
	struct tally_sums sums = {.has = 0};
	struct export_profile_sample s = {.run = p->by_run ? r->number : 0,
					  .type = type_of(p, r->t, r->t->markers[c->type].name),
					  .stack = r->stacks[c->stack]};

	if (!m || !(m->has & (SUMS_TIME | SUM_BIT(SUM_SAMPLES) | SUM_BIT(SUM_PERIOD))))
		return;
	sums.has = m->has & (SUM_BIT(SUM_SAMPLES) | SUM_BIT(SUM_PERIOD) | SUM_BIT(SUM_CALLS));
	if (m->has >> SUM_PERIOD & 1 && !see_event(p, t, c->type, s.type)) {
		trace_note(t, NOTE_LOSS, 1, "sums of periods are of more than %d events: left out",
			   PROFILE_EVENTS_MOST);
		sums.has &= ~SUM_BIT(SUM_PERIOD);
	}
	sums.v[SUM_SAMPLES] = m->samples;
	sums.v[SUM_PERIOD] = m->period;
	sums.v[SUM_CALLS] = m->calls;
	if (m->has >> SUM_TIME_SELF & 1)
		sums.v[SUM_TIME_SELF] = m->self > 0 ? (uint64_t)m->self : 0;
	else
		sums.v[SUM_TIME_SELF] = m->total;
	if (m->has & (SUM_BIT(SUM_TIME_SELF) | SUM_BIT(SUM_TIME_TOTAL)))
		sums.has |= SUM_BIT(SUM_TIME_SELF);
	export_profile_add_sample(p, &s, &sums);
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
	const char *format = trace_get(t, "format"), *filtered = trace_get(t, TRACE_FILTERED);

	if (a->live.lost_frees)
		trace_note(t, NOTE_LOSS, a->live.lost_frees,
			   "blocks were allocated again at an address whose free is missing: the "
			   "newest is live, the older ones count as freed");
	if (a->without_address[DOMAINS])
		trace_note(t, NOTE_GUESS, a->without_address[DOMAINS],
			   "allocations have no address: they do not count as live");
	if (format)
		intern_add(&p->formats, format, strlen(format));
	if (filtered) {
		struct buf b = BUF_INIT;

		buf_addf(&b, TRACE_FILTERED_COMMENT "%s", filtered);
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
	struct export_profile_run r = {
	    .t = t, .a = a, .number = ++p->runs, .known = export_profile_known_sums(t, a)};
	int domain = choose_domain(p, a);
	enum status st = ST_OK;

	if (t->events[EV_DELTA] && !p->options->events)
		trace_note(t, NOTE_LOSS, t->events[EV_DELTA],
			   "measurements of how the heap grew are not exported: the format has no "
			   "negative sums");
	export_profile_add_notes(p, t, a);
	names_capture(&p->names, t);
	r.stacks = mem_zarray(t->n_stacks, sizeof *r.stacks);
	for (size_t i = 0; i < t->n_stacks && p->all_stacks; i++)
		r.stacks[i] = 1;
	for (size_t i = 0; i < a->n_cells; i++)
		if (is_exported(&a->cells[i], domain))
			r.stacks[a->cells[i].stack] = 1;
	merge_stacks(p, &r);
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cells[i].domain >= CELL_TIMED)
			export_profile_add_measured(p, t, &r, i);
		else if (is_exported(&a->cells[i], domain))
			export_profile_add_cell(p, &r, i);
		else
			p->other_domains += a->cells[i].entries;
	export_profile_add_estimated(p, t);
	if (p->captured)
		st = p->captured(p->arg, t, &r, e);
	free(r.stacks);
	return st;
}

void export_profile_init(struct export_profile *p, const struct export_options *o)
{
	*p = (struct export_profile){.options = o, .index = mem_zalloc(sizeof *p->index)};
	tally_init(&p->tally,
		   &(struct tally_options){.want = TALLY_WANT | SUMS_TIME | SUM_BIT(SUM_SAMPLES) |
						   SUM_BIT(SUM_PERIOD),
					   .done = export_profile_fold,
					   .arg = p});
	names_init(&p->names);
	p->names.mangled = o->mangled;
	stacks_init(&p->stacks);
}

void export_profile_close(struct export_profile *p)
{
	struct export_profile_index *x = p->index;

	tally_release(&p->tally);
	names_close(&p->names);
	names_disambiguate(&p->names);
	if (x) {
		stacks_close(&p->stacks);
		id_set_release(&x->sample_set);
	}
}

void export_profile_release(struct export_profile *p)
{
	export_profile_close(p);
	names_release(&p->names);
	intern_release(&p->types);
	intern_release(&p->notes);
	intern_release(&p->formats);
	free(p->index);
	stacks_release(&p->stacks);
	free(p->samples);
	columns_release(&p->sums);
	*p = (struct export_profile){.runs = 0};
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
	const struct names_location *l = &p->names.locations[location];
	uint64_t weight = l->n_calls;

	for (uint32_t k = l->first; texts && k < l->first + l->n_calls; k++) {
		size_t n;

		names_text(&p->names, p->names.functions[p->names.calls[k].function].display, &n);
		weight += n;
	}
	return weight;
}

enum status export_profile_check_depth(const struct export_profile *p, bool texts, struct err *e)
{
	uint64_t *below = mem_zarray(p->stacks.n + 1, sizeof *below), once = 0, all = 0;

	for (size_t i = 1; i < p->stacks.n; i++) {
		uint64_t own = export_profile_weight(p, p->stacks.rows[i].location, texts);

		below[i] = add_saturating(below[p->stacks.rows[i].parent], own);
		once = add_saturating(once, own);
	}
	for (size_t i = 0; i < p->n_samples; i++)
		all = add_saturating(all, below[p->samples[i].stack]);
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
	} else if (!(p->known >> asked & 1)) {
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
