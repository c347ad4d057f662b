/* SPDX-License-Identifier: MIT */
#include "lib/export/profile.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/group/stack_cut.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct profile_index { /* from profile_init to profile_release; profile_close empties it */
	struct id_set stack_set, sample_set; /* of stack ids; of sample indexes + 1 */
};

static uint64_t stack_hash(const struct profile_stack *s)
{
	return hash_u64((uint64_t)s->parent << 32 | s->location);
}

static uint64_t export_profile_stack_row_hash(const void *table, uint32_t id)
{
	return stack_hash(&((const struct profile_stack *)table)[id]);
}

static bool export_profile_stack_equal(const void *table, uint32_t id, const void *key)
{
	const struct profile_stack *a = &((const struct profile_stack *)table)[id], *b = key;

	return a->parent == b->parent && a->location == b->location;
}

static uint32_t add_stack(struct export_profile *p, uint32_t parent, uint32_t location)
{
	struct profile_index *x = p->index;
	static const struct id_rows rows = {export_profile_stack_row_hash,
					    export_profile_stack_equal};
	struct profile_stack s = {parent, location};
	uint64_t hash = stack_hash(&s);
	uint32_t id = id_set_find(&x->stack_set, &rows, p->stacks, hash, &s);

	if (!id) {
		id = (uint32_t)p->n_stacks;
		VEC_PUSH(p->stacks, p->n_stacks, p->cap_stacks) = s;
		id_set_add(&x->stack_set, &rows, p->stacks, hash, id);
	}
	return id;
}

static uint64_t sample_hash(const struct profile_sample *s)
{
	return hash_u64(((uint64_t)s->type << 32 | s->stack) +
			((uint64_t)s->run << 8 | s->domain) * 0x9e3779b97f4a7c15u);
}

/* Ids are indexes + 1. */
static uint64_t export_profile_sample_row_hash(const void *table, uint32_t id)
{
	return sample_hash(&((const struct profile_sample *)table)[id - 1]);
}

static bool export_profile_sample_equal(const void *table, uint32_t id, const void *key)
{
	const struct profile_sample *a = &((const struct profile_sample *)table)[id - 1], *b = key;

	return a->stack == b->stack && a->type == b->type && a->run == b->run &&
	       a->domain == b->domain;
}

/* v: of its values those in has; the others are 0. */
static void export_profile_add_sample(struct export_profile *p, const struct profile_sample *s,
				      const uint64_t v[VALUES])
{
	struct profile_index *x = p->index;
	static const struct id_rows rows = {export_profile_sample_row_hash,
					    export_profile_sample_equal};
	uint64_t hash = sample_hash(s);
	uint32_t id = id_set_find(&x->sample_set, &rows, p->samples, hash, s);

	if (!id) {
		VEC_PUSH(p->samples, p->n_samples, p->cap_samples) = *s;
		id = (uint32_t)p->n_samples;
		id_set_add(&x->sample_set, &rows, p->samples, hash, id);
	}
	p->samples[id - 1].has |= s->has;
	p->known |= s->has;
	for (size_t k = 0; k < VALUES; k++)
		if (v[k]) {
			p->v[k] = mem_grow_zero(p->v[k], &p->cap_v[k], id, sizeof *p->v[k]);
			p->v[k][id - 1] = add_saturating(p->v[k][id - 1], v[k]);
		}
}

/* The values that stacks of this capture have. What is known per type only is not theirs. */
static uint16_t export_profile_known_values(const struct trace *t, const struct tally *a)
{
	bool live = t->metrics[METRIC_LIVE].state != METRIC_ABSENT;
	uint16_t known = 0;
	uint64_t records = 0;

	for (size_t d = 0; d < DOMAINS; d++)
		records += a->records[d];
	if (records)
		known |= 1u << VALUE_ENTRIES;
	for (size_t m = METRIC_COUNT; m <= METRIC_REAL; m++) {
		static const enum value sums[] = {VALUE_COUNT, VALUE_REQUESTED, VALUE_REAL};
		static const enum value lives[] = {VALUE_LIVE_COUNT, VALUE_LIVE_REQUESTED,
						   VALUE_LIVE_REAL};
		bool has =
		    t->metrics[m].state != METRIC_ABSENT && t->metrics[m].key == METRIC_AT_ALL;

		if (has)
			known |= (uint16_t)(1u << sums[m]);
		if (live && (has || m == METRIC_COUNT))
			known |= (uint16_t)(1u << lives[m]);
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
	return domain == EXPORT_DOMAIN_ALL || domain == c->domain || c->domain >= CELL_MEASURED;
}

/* Ours of the capture's stacks, as far as marked with 1. Callers have smaller ids. */
static void merge_stacks(struct export_profile *p, struct profile_run *r)
{
	const struct trace *t = r->t;

	for (size_t i = t->n_stacks; i-- > 1;)
		if (r->stacks[i])
			r->stacks[t->stacks[i].parent] = 1;
	r->stacks[0] = 0;
	for (size_t i = 1; i < t->n_stacks; i++)
		if (r->stacks[i])
			r->stacks[i] =
			    add_stack(p, r->stacks[t->stacks[i].parent],
				      names_location(&p->names, t, t->stacks[i].location));
}

static uint32_t type_of(struct export_profile *p, const struct trace *t, uint32_t string)
{
	size_t n;
	const char *s = intern_text(&t->strings, string, &n);

	return n ? intern_add(&p->types, s, n) : 0;
}

static void export_profile_add_cell(struct export_profile *p, const struct profile_run *r,
				    size_t index)
{
	static const enum sum from[] = {
	    [VALUE_COUNT] = SUM_COUNT,           [VALUE_ENTRIES] = SUM_ENTRIES,
	    [VALUE_REQUESTED] = SUM_REQUESTED,   [VALUE_REAL] = SUM_REAL,
	    [VALUE_LIVE_COUNT] = SUM_LIVE_COUNT, [VALUE_LIVE_REQUESTED] = SUM_LIVE_REQUESTED,
	    [VALUE_LIVE_REAL] = SUM_LIVE_REAL,
	};
	const struct tally_cell *c = &r->a->cells[index];
	struct profile_sample s = {.run = p->by_run ? r->number : 0,
				   .type = type_of(p, r->t, r->t->types[c->type]),
				   .stack = r->stacks[c->stack],
				   .domain = c->domain};
	uint64_t values[VALUES] = {0};
	struct tally_sums sums;

	tally_sums(r->a, index, &sums);
	for (size_t v = 0; v < sizeof from / sizeof *from; v++)
		if (sums.has >> from[v] & r->known >> v & 1) {
			values[v] = sums.v[from[v]];
			s.has |= (uint16_t)(1u << v);
		}
	export_profile_add_sample(p, &s, values);
}

/* False: there are too many events. */
static bool see_event(struct export_profile *p, const struct trace *t, uint32_t marker,
		      uint32_t type)
{
	struct profile_column c = {VALUE_PERIOD, type, 0};
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

size_t profile_columns(const struct export_profile *p, unsigned values,
		       struct profile_column to[PROFILE_COLUMNS])
{
	size_t n = 0;

	for (enum value v = 0; v < VALUES; v++) {
		if (!(p->known & values & 1u << v))
			continue;
		for (size_t i = 0; v == VALUE_PERIOD && i < p->n_events; i++)
			to[n++] = p->events[i];
		if (v != VALUE_PERIOD)
			to[n++] = (struct profile_column){v, 0, 0};
	}
	return n;
}

/* Its own time where that is known: what it called has a sample of its own then. */
static void export_profile_add_measured(struct export_profile *p, struct trace *t,
					const struct profile_run *r, size_t index)
{
	const struct tally_cell *c = &r->a->cells[index];
	const struct tally_measure *m = tally_measured(r->a, index);
	uint64_t values[VALUES] = {0};
	struct profile_sample s = {.run = p->by_run ? r->number : 0,
				   .type = type_of(p, r->t, r->t->markers[c->type].name),
				   .stack = r->stacks[c->stack]};

	if (!m || !(m->has & (SUMS_TIME | SUM_BIT(SUM_SAMPLES) | SUM_BIT(SUM_PERIOD))))
		return;
	if (m->has >> SUM_SAMPLES & 1) {
		values[VALUE_SAMPLES] = m->samples;
		s.has |= 1u << VALUE_SAMPLES;
	}
	if (m->has >> SUM_PERIOD & 1 && !see_event(p, t, c->type, s.type)) {
		trace_note(t, NOTE_LOSS, 1, "sums of periods are of more than %d events: left out",
			   PROFILE_EVENTS_MOST);
	} else if (m->has >> SUM_PERIOD & 1) {
		values[VALUE_PERIOD] = m->period;
		s.has |= 1u << VALUE_PERIOD;
	}
	if (m->has >> SUM_CALLS & 1) {
		values[VALUE_CALLS] = m->calls;
		s.has |= 1u << VALUE_CALLS;
	}
	if (m->has >> SUM_TIME_SELF & 1)
		values[VALUE_TIME] = m->self > 0 ? (uint64_t)m->self : 0;
	else
		values[VALUE_TIME] = m->total;
	if (m->has & (SUM_BIT(SUM_TIME_SELF) | SUM_BIT(SUM_TIME_TOTAL)))
		s.has |= 1u << VALUE_TIME;
	export_profile_add_sample(p, &s, values);
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
	struct profile_run r = {
	    .t = t, .a = a, .number = ++p->runs, .known = export_profile_known_values(t, a)};
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
		if (a->cells[i].domain >= CELL_MEASURED)
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

void profile_init(struct export_profile *p, const struct export_options *o)
{
	*p = (struct export_profile){.options = o, .index = mem_zalloc(sizeof *p->index)};
	tally_init(&p->tally,
		   &(struct tally_options){.want = TALLY_WANT | SUMS_TIME | SUM_BIT(SUM_SAMPLES) |
						   SUM_BIT(SUM_PERIOD),
					   .done = export_profile_fold,
					   .arg = p});
	names_init(&p->names);
	p->names.mangled = o->mangled;
	VEC_PUSH(p->stacks, p->n_stacks, p->cap_stacks) = (struct profile_stack){0, 0};
}

void profile_close(struct export_profile *p)
{
	struct profile_index *x = p->index;

	tally_release(&p->tally);
	names_close(&p->names);
	names_tell_apart(&p->names);
	if (x) {
		id_set_release(&x->stack_set);
		id_set_release(&x->sample_set);
	}
}

void profile_release(struct export_profile *p)
{
	profile_close(p);
	names_release(&p->names);
	intern_release(&p->types);
	intern_release(&p->notes);
	intern_release(&p->formats);
	free(p->index);
	free(p->stacks);
	free(p->samples);
	for (size_t v = 0; v < VALUES; v++)
		free(p->v[v]);
	*p = (struct export_profile){.runs = 0};
}

bool value_is_bytes(enum value v)
{
	return v == VALUE_REQUESTED || v == VALUE_REAL || v == VALUE_LIVE_REQUESTED ||
	       v == VALUE_LIVE_REAL;
}

/* ": real, count" or " nothing". */
static void add_values(const struct export_profile *p, struct buf *b)
{
	const char *between = "";

	for (enum value v = 0; v < VALUES; v++)
		if (profile_has(p, v)) {
			buf_addf(b, "%s%s", between, value_words[v]);
			between = ", ";
		}
}

/* Calls, or bytes of their names, of one location. */
static uint64_t profile_weight(const struct export_profile *p, uint32_t location, bool texts)
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

enum status profile_check_depth(const struct export_profile *p, bool texts, struct err *e)
{
	uint64_t *below = mem_zarray(p->n_stacks + 1, sizeof *below), once = 0, all = 0;

	for (size_t i = 1; i < p->n_stacks; i++) {
		uint64_t own = profile_weight(p, p->stacks[i].location, texts);

		below[i] = add_saturating(below[p->stacks[i].parent], own);
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

enum status profile_value(const struct export_profile *p, bool one, enum value *v, struct err *e)
{
	static const enum value order[] = {VALUE_TIME,  VALUE_REAL,    VALUE_REQUESTED,
					   VALUE_COUNT, VALUE_SAMPLES, VALUE_PERIOD,
					   VALUE_CALLS, VALUE_ENTRIES};
	int asked = p->options->value;
	bool several = one && p->n_events > 1;
	struct buf b = BUF_INIT;
	enum status st = ST_OK;

	for (size_t i = 0; asked == VALUE_AUTO && i < sizeof order / sizeof *order; i++)
		if (profile_has(p, order[i]) && !(several && order[i] == VALUE_PERIOD)) {
			*v = order[i];
			return ST_OK;
		}
	add_values(p, &b);
	if (several && (asked == VALUE_PERIOD || asked == VALUE_AUTO) &&
	    profile_has(p, VALUE_PERIOD)) {
		st = err_set(e, ST_UNSUPPORTED,
			     "its periods are of several events, which do not add up, and the "
			     "format has one value: tm-filter --type keeps one event");
	} else if (asked == VALUE_AUTO || !b.len) {
		st = err_set(e, ST_ABSENT,
			     "nothing in the input has a stack and a size, a time or a count%s%s",
			     b.len ? "; --sort can be " : "", buf_str(&b));
	} else if (!(p->known >> asked & 1)) {
		st =
		    err_set(e, ST_ABSENT, "--sort: no stack of the captures has '%s'; they have %s",
			    value_words[asked], buf_str(&b));
	} else if (one && !profile_has(p, (enum value)asked)) {
		st = err_set(
		    e, ST_ABSENT,
		    "--sort: '%s' of every stack is 0, so nothing is to be written; more have "
		    "%s",
		    value_words[asked], buf_str(&b));
	} else {
		*v = (enum value)asked;
	}
	buf_release(&b);
	return st;
}
