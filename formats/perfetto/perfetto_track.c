/* SPDX-License-Identifier: MIT
 *
 * Tracks: calls and counters (TrackEvent). A track whose events come from one sequence and in order is
 * pushed as it is read. Those of others are kept, 32 bytes each, and put in order at the end: an
 * asynchronous call begins on one thread and ends on another, whose packets may stand before.
 */
#include "formats/perfetto/perfetto.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS_INSIDE = 1024 }; /* an end is looked for in so many open calls */
enum { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER };
enum { UNIT_NONE, UNIT_NS, UNIT_COUNT, UNIT_BYTES };

struct track_event {
	decimal value, doubles[PERFETTO_EXTRA_MOST];
	uint64_t type, track, name_id, category_id;
	const uint8_t *name, *category;
	size_t n_name, n_category;
	int64_t delta, absolute;
	bool has_track, has_value, has_delta, has_absolute, has_name;
	uint64_t uuids[PERFETTO_EXTRA_MOST], double_uuids[PERFETTO_EXTRA_MOST];
	int64_t values[PERFETTO_EXTRA_MOST];
	uint32_t n_uuids, n_double_uuids, n_values, n_doubles;
	bool legacy;
	int64_t phase, duration;
	uint64_t legacy_name;
	bool async;
};

/* --- tracks --- */

struct perfetto_track *perfetto_track_of(struct perfetto *x, uint64_t uuid)
{
	struct perfetto_tracks *t = &x->tracks;
	uint32_t *at = map64_put(&t->by_uuid, uuid);

	if (!*at) {
		VEC_PUSH(t->list, t->n, t->cap) =
		    (struct perfetto_track){.uuid = uuid, .factor = 1};
		*at = (uint32_t)t->n;
	}
	return &t->list[*at - 1];
}

static void parse_counter_descriptor(struct perfetto *x, struct perfetto_track *t, struct pb b)
{
	struct pb_field f;

	t->is_counter = true;
	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: t->builtin = f.value < 3 ? (uint8_t)f.value : 0; break;
		case 3: t->unit = f.value < 4 ? (uint8_t)f.value : 0; break;
		case 4: t->factor = f.value ? (int64_t)f.value : 1; break;
		case 5: t->steps = f.value; break;
		case 6: t->unit_name = f.n ? perfetto_name(x, f.s, f.n) : 0; break;
		}
	t->unit = t->builtin == 1 ? UNIT_NS : t->builtin == 2 ? UNIT_COUNT : t->unit;
}

void perfetto_track_descriptor(struct perfetto *x, struct pb b)
{
	struct pb again = b;
	uint64_t uuid = 0;
	struct perfetto_track *t;
	struct pb_field f;
	int64_t reference;

	while (pb_next(&again, &f))
		if (f.number == 1)
			uuid = f.value;
	t = perfetto_track_of(x, uuid);
	while (pb_next(&b, &f))
		switch (f.number) {
		case 2:
		case 10:
		case 13:
			if (f.wire == PB_BYTES && f.n)
				t->name = perfetto_name(x, f.s, f.n);
			break;
		case 3:
			perfetto_process_descriptor(x, pb_of(&f), &t->pid);
			t->has_pid = true;
			break;
		case 4:
			perfetto_thread_descriptor(x, pb_of(&f), &t->pid, &t->tid, &reference);
			t->has_pid = t->has_tid = true;
			break;
		case 5: t->parent = f.value; break;
		case 8: parse_counter_descriptor(x, t, pb_of(&f)); break;
		}
}

/* The process and the thread of a track are those of what it is in. */
static void perfetto_find_process(struct perfetto *x, struct perfetto_track *t, bool *of_thread,
				  uint32_t *tid)
{
	uint64_t up = t->parent;

	*of_thread = t->has_tid;
	*tid = t->tid;
	for (unsigned i = 0; i < 64 && up && !t->has_pid; i++) {
		uint32_t at = map64_get(&x->tracks.by_uuid, up);
		const struct perfetto_track *parent = at ? &x->tracks.list[at - 1] : NULL;

		if (!parent)
			return;
		if (parent->has_pid) {
			t->pid = parent->pid;
			t->has_pid = true;
			*of_thread = parent->has_tid;
			*tid = parent->tid;
			return;
		}
		up = parent->parent;
	}
}

static uint32_t counter_name(struct perfetto *x, const struct perfetto_track *t)
{
	static const char *const builtin[] = {"counter", "thread time", "thread instructions"};

	if (t->name)
		return t->name;
	return perfetto_name(x, builtin[t->builtin], strlen(builtin[t->builtin]));
}

/* Counters of one name differ by their thread or process. */
static void perfetto_name_counter(struct perfetto *x, struct perfetto_track *t, bool many)
{
	static const char *const units[] = {"", "ns", "", "B"};
	struct trace *trace = x->im->t;
	uint32_t name = counter_name(x, t), of, tid;
	struct counter row;
	bool of_thread;

	perfetto_find_process(x, t, &of_thread, &tid);
	x->text.len = 0;
	buf_adds(&x->text, intern_text(&x->names.strings, name, NULL));
	if (many && t->has_pid) {
		of = of_thread ? map64_get(&x->names.threads, (uint64_t)t->pid << 32 | tid) : 0;
		of = of ? of : map64_get(&x->names.processes, t->pid);
		buf_addf(&x->text, " %s%s%u", of ? intern_text(&x->names.strings, of, NULL) : "",
			 of ? " " : "", of_thread ? tid : t->pid);
	}
	row = (struct counter){trace_string(trace, x->text.data, x->text.len),
			       t->unit_name        ? perfetto_string(x, t->unit_name)
			       : units[t->unit][0] ? trace_strz(trace, units[t->unit])
						   : 0};
	t->counter = trace_counter(trace, &row);
}

/* Rows of the trace, now that all names are known. */
void perfetto_tracks_ready(struct perfetto *x)
{
	struct perfetto_tracks *t = &x->tracks;
	struct map64 of_name = MAP64_INIT;

	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].is_counter)
			++*map64_put(&of_name, counter_name(x, &t->list[i]));
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].is_counter)
			perfetto_name_counter(
			    x, &t->list[i], map64_get(&of_name, counter_name(x, &t->list[i])) > 1);
	map64_release(&of_name);
}

/* A track that is no thread is one of its own. */
static uint32_t perfetto_thread_of(struct perfetto *x, struct perfetto_track *t)
{
	struct thread row = {0};
	bool of_thread;
	uint32_t tid;

	if (t->thread)
		return t->thread;
	if (t->has_tid)
		return t->thread = perfetto_thread(x, t->pid, t->tid);
	perfetto_find_process(x, t, &of_thread, &tid);
	row.process = t->pid;
	row.generation = (uint32_t)(t - x->tracks.list) + 1;
	row.name = t->name       ? perfetto_string(x, t->name)
		   : !t->has_pid ? trace_strz(x->im->t, "track")
				 : trace_strz(x->im->t, "process");
	return t->thread = trace_thread(x->im->t, &row);
}

/* --- calls --- */

static uint32_t stack_of(struct perfetto *x, uint32_t marker)
{
	struct perfetto_tracks *t = &x->tracks;
	struct trace *trace = x->im->t;

	while (t->n_stacks <= marker)
		VEC_PUSH(t->stacks, t->n_stacks, t->cap_stacks) = 0;
	if (!t->stacks[marker])
		t->stacks[marker] =
		    trace_stack(trace, 0, emit_named(trace, trace->markers[marker].name, 0, 0));
	return t->stacks[marker];
}

static enum status push_edge(struct perfetto *x, size_t track, uint32_t marker,
			     enum event_kind kind, struct known_number value, int64_t at,
			     struct err *e)
{
	const struct emit_call call = {.marker = marker,
				       .stack = stack_of(x, marker),
				       .thread = perfetto_thread_of(x, &x->tracks.list[track]),
				       .time = KNOWN(at),
				       .value = value};

	return emit_edge(x->im, kind, &call, e);
}

/* From the first call of a thread to the end of all that are open with it. */
static void keep_span(struct perfetto *x, struct perfetto_track *t, bool ends, int64_t at)
{
	if (!x->sched.seen || !t->has_tid || t->n_open)
		return;
	if (!ends)
		VEC_PUSH(t->spans, t->n_spans, t->cap_spans) = (struct perfetto_span){at, at};
	else if (t->n_spans)
		t->spans[t->n_spans - 1].to = at;
}

/* Ends what is open above n calls. */
static enum status end_above(struct perfetto *x, size_t track, size_t n, int64_t at, struct err *e)
{
	struct perfetto_track *t = &x->tracks.list[track];
	enum status st = ST_OK;

	while (!st && t->n_open > n) {
		const struct perfetto_open *o = &t->open[--t->n_open];
		int64_t end = o->end < at ? o->end : at;

		keep_span(x, t, true, end);
		st = push_edge(x, track, o->marker, EV_EXIT, ABSENT, end, e);
	}
	return st;
}

/* Ends the complete ones that are over. */
static enum status end_before(struct perfetto *x, size_t track, int64_t at, struct err *e)
{
	struct perfetto_track *t = &x->tracks.list[track];
	enum status st = ST_OK;

	while (!st && t->n_open && t->open[t->n_open - 1].end <= at)
		st = end_above(x, track, t->n_open - 1, at, e);
	return st;
}

/* Of one name, and of one category where both have one. */
static bool is_end_of(const struct trace *t, uint32_t end, uint32_t begin)
{
	const struct marker *a = &t->markers[end], *b = &t->markers[begin];

	return (!a->name || a->name == b->name) &&
	       (!a->category || !b->category || a->category == b->category);
}

static enum status perfetto_push_end(struct perfetto *x, size_t track,
				     const struct perfetto_call *c, struct err *e)
{
	struct perfetto_track *t = &x->tracks.list[track];
	size_t i = t->n_open, least = i > CALLS_INSIDE ? i - CALLS_INSIDE : 0;

	while (i > least && (t->open[i - 1].end != INT64_MAX ||
			     (c->marker && !is_end_of(x->im->t, c->marker, t->open[i - 1].marker))))
		i--;
	if (i == least) {
		x->tracks.unmatched++;
		return ST_OK;
	}
	x->tracks.clipped += t->n_open - i;
	return end_above(x, track, i - 1, c->ts, e);
}

static enum status perfetto_push_call(struct perfetto *x, const struct perfetto_call *call,
				      struct err *e)
{
	struct perfetto_call c = *call;
	struct perfetto_track *t = &x->tracks.list[c.track];
	struct perfetto_open open;
	enum status st;

	c.ts = c.ts < t->last ? t->last : c.ts;
	t->last = c.ts;
	st = end_before(x, c.track, c.ts, e);
	if (st || c.ends)
		return st ? st : perfetto_push_end(x, c.track, &c, e);
	if (c.waits && !t->n_open)
		return ST_OK;
	open = (struct perfetto_open){c.end, c.marker};
	if (t->n_open && open.end != INT64_MAX && t->open[t->n_open - 1].end < open.end) {
		open.end = t->open[t->n_open - 1].end;
		x->tracks.clipped += !c.waits;
	}
	if (open.end < c.ts)
		open.end = c.ts;
	keep_span(x, t, false, c.ts);
	VEC_PUSH(t->open, t->n_open, t->cap_open) = open;
	return push_edge(x, c.track, c.marker, EV_ENTER, KNOWN_IF(c.waits, ENTER_WAIT), c.ts, e);
}

/* --- an event --- */

static void parse_numbers(const struct pb_field *f, uint64_t *list, uint32_t *n)
{
	struct pb b = pb_of(f);
	uint64_t v = f->value;

	if (f->wire == PB_VARINT && *n < PERFETTO_EXTRA_MOST)
		list[(*n)++] = v;
	while (f->wire == PB_BYTES && pb_packed(&b, &v))
		if (*n < PERFETTO_EXTRA_MOST)
			list[(*n)++] = v;
}

/* Of what is no number, or too large: no reading. */
#define NO_READING PERFETTO_NO_READING

static decimal reading_of_double(uint64_t bits)
{
	double d;
	decimal v;

	memcpy(&d, &bits, sizeof d);
	return decimal_from_double(d, &v) ? v : NO_READING;
}

static void parse_doubles(const struct pb_field *f, struct track_event *ev)
{
	for (size_t i = 0;
	     f->wire == PB_BYTES && i + 8 <= f->n && ev->n_doubles < PERFETTO_EXTRA_MOST; i += 8) {
		uint64_t v = 0;

		for (size_t k = 8; k-- > 0;)
			v = v << 8 | f->s[i + k];
		ev->doubles[ev->n_doubles++] = reading_of_double(v);
	}
	if (f->wire == PB_FIXED64 && ev->n_doubles < PERFETTO_EXTRA_MOST)
		ev->doubles[ev->n_doubles++] = reading_of_double(f->value);
}

static void parse_legacy(struct track_event *ev, struct pb b)
{
	struct pb_field f;

	ev->legacy = true;
	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: ev->legacy_name = f.value; break;
		case 2: ev->phase = (int64_t)f.value; break;
		case 3: ev->duration = (int64_t)f.value; break;
		case 6:
		case 10:
		case 11: ev->async = true; break;
		}
}

static void perfetto_track_field(struct track_event *ev, const struct pb_field *f)
{
	switch (f->number) {
	case 1:
		ev->delta = (int64_t)f->value;
		ev->has_delta = true;
		return;
	case 16:
		ev->absolute = (int64_t)f->value;
		ev->has_absolute = true;
		return;
	case 3:
		if (!ev->category_id && f->wire == PB_VARINT)
			ev->category_id = f->value;
		else if (!ev->category_id && f->n) {
			struct pb list = pb_of(f);

			ev->category_id = pb_varint(&list);
		}
		return;
	case 22:
		if (!ev->category && f->wire == PB_BYTES) {
			ev->category = f->s;
			ev->n_category = f->n;
		}
		return;
	case 6: parse_legacy(ev, pb_of(f)); return;
	case 9: ev->type = f->value; return;
	case 10: ev->name_id = f->value; return;
	case 11:
		ev->track = f->value;
		ev->has_track = true;
		return;
	case 23:
		ev->name = f->wire == PB_BYTES ? f->s : NULL;
		ev->n_name = f->n;
		return;
	case 30:
		ev->value = decimal_of((int64_t)f->value);
		ev->has_value = true;
		return;
	case 44:
		ev->value = reading_of_double(f->value);
		ev->has_value = true;
		return;
	case 31: parse_numbers(f, ev->uuids, &ev->n_uuids); return;
	case 12: parse_numbers(f, (uint64_t *)ev->values, &ev->n_values); return;
	case 45: parse_numbers(f, ev->double_uuids, &ev->n_double_uuids); return;
	case 46: parse_doubles(f, ev); return;
	}
}

static bool parse_event(struct track_event *ev, struct pb b)
{
	struct pb_field f;

	*ev = (struct track_event){0};
	while (pb_next(&b, &f))
		perfetto_track_field(ev, &f);
	/* The phases of old events that are calls of a thread. */
	if (!ev->type && ev->legacy && !ev->async)
		ev->type = ev->phase == 'B' || ev->phase == 'X' ? TYPE_BEGIN
			   : ev->phase == 'E'                   ? TYPE_END
								: 0;
	return !b.bad;
}

/* The track that it is on; of an old event its thread's. */
static uint64_t perfetto_uuid_of(struct perfetto *x, const struct perfetto_seq *s,
				 const struct track_event *ev)
{
	uint64_t uuid = ev->has_track ? ev->track : s && s->has_track ? s->track : 0;

	if (uuid || !s || !s->has_thread)
		return uuid;
	uuid = hash_u64(((uint64_t)s->pid << 32 | s->tid) ^ 0x7065726665747400u);
	if (!map64_get(&x->tracks.by_uuid, uuid)) {
		struct perfetto_track *t = perfetto_track_of(x, uuid);

		t->pid = s->pid;
		t->tid = s->tid;
		t->has_pid = t->has_tid = true;
	}
	return uuid;
}

/* When it was: given in the packet, or since the last event of its sequence. */
static struct perfetto_time perfetto_time_of(struct perfetto *x, struct perfetto_seq *s,
					     const struct perfetto_packet *p,
					     const struct track_event *ev)
{
	int64_t us = ev->absolute, ns;

	if (p->time.clock)
		return perfetto_time_at(x, x->clocks.list[p->time.clock - 1].key, p->time.raw);
	if (ev->has_delta && s) {
		if (__builtin_add_overflow(s->reference, ev->delta, &s->reference))
			s->reference = 0;
		us = s->reference;
	} else if (!ev->has_absolute) {
		return (struct perfetto_time){0, 0};
	}
	if (__builtin_mul_overflow(us, 1000, &ns))
		return (struct perfetto_time){0, 0};
	return perfetto_time_at(x, PERFETTO_MONOTONIC, ns);
}

static void perfetto_scan_event(struct perfetto *x, const struct perfetto_packet *p,
				const struct track_event *ev, uint64_t uuid,
				struct perfetto_time at)
{
	struct perfetto_track *t;

	x->calls |= ev->type == TYPE_BEGIN;
	x->counters |= ev->type == TYPE_COUNTER || ev->n_values || ev->n_doubles;
	t = perfetto_track_of(x, uuid);
	if ((ev->type != TYPE_BEGIN && ev->type != TYPE_END) || !at.clock)
		return;
	t->mixed |= t->seen && (t->seq != p->seq || t->last_seen.clock != at.clock ||
				t->last_seen.raw > at.raw);
	t->seen = true;
	t->seq = p->seq;
	t->last_seen = at;
}

enum status perfetto_push_value(struct perfetto *x, struct perfetto_seq *s, uint64_t uuid,
				decimal value, struct perfetto_time at, struct err *e)
{
	uint32_t i = map64_get(&x->tracks.by_uuid, uuid);
	struct perfetto_track *t = i ? &x->tracks.list[i - 1] : NULL;
	const decimal most = decimal_of(INT64_MAX);

	if (!t || !t->is_counter) {
		x->tracks.unknown_counters++;
		return ST_OK;
	}
	if (t->steps && s) {
		uint32_t *sum = map64_put(&s->sums, i);

		if (!*sum) {
			VEC_PUSH(s->values, s->n_values, s->cap_values) = 0;
			*sum = (uint32_t)s->n_values;
		}
		if (value != NO_READING)
			value += s->values[*sum - 1];
		if (value != NO_READING && value >= -most && value <= most)
			s->values[*sum - 1] = value;
	}
	if (value == NO_READING || __builtin_mul_overflow(value, t->factor, &value) ||
	    value > most || value < -most) {
		x->tracks.no_number++;
		return ST_OK;
	}
	return emit_decimal(x->im, t->counter, perfetto_known_ns(x, at), value, e);
}

static enum status perfetto_push_values(struct perfetto *x, struct perfetto_seq *s,
					const struct track_event *ev, uint64_t uuid,
					struct perfetto_time at, struct err *e)
{
	enum status st = ST_OK;

	if (ev->type == TYPE_COUNTER && ev->has_value)
		st = perfetto_push_value(x, s, uuid, ev->value, at, e);
	for (uint32_t i = 0; !st && i < ev->n_values; i++) {
		if (i < (ev->n_uuids ? ev->n_uuids : s ? s->n_extra : 0))
			st = perfetto_push_value(x, s, ev->n_uuids ? ev->uuids[i] : s->extra[i],
						 decimal_of(ev->values[i]), at, e);
		else
			x->tracks.unknown_counters++;
	}
	for (uint32_t i = 0; !st && i < ev->n_doubles; i++) {
		const uint64_t *of = ev->n_double_uuids ? ev->double_uuids : s ? s->doubles : NULL;

		if (of && i < (ev->n_double_uuids ? ev->n_double_uuids : s->n_doubles))
			st = perfetto_push_value(x, s, of[i], ev->doubles[i], at, e);
		else
			x->tracks.unknown_counters++;
	}
	return st;
}

static uint32_t text_of(struct perfetto *x, const struct perfetto_seq *s, enum perfetto_text kind,
			uint64_t id, const uint8_t *text, size_t n)
{
	uint32_t string;

	if (text)
		return trace_string(x->im->t, (const char *)text, n);
	if (!id)
		return 0;
	string = s && s->tables ? map64_get(&s->tables->texts[kind], id) : 0;
	x->missing += !string;
	return string;
}

/* 0 of an end without a name. */
static uint32_t marker_of(struct perfetto *x, const struct perfetto_seq *s,
			  const struct track_event *ev)
{
	uint64_t id = ev->name_id ? ev->name_id : ev->legacy_name;
	struct marker m = {
	    text_of(x, s, PERFETTO_EVENT_NAME, id, ev->name, ev->n_name),
	    text_of(x, s, PERFETTO_CATEGORY, ev->category_id, ev->category, ev->n_category)};

	if (ev->type == TYPE_END && !m.name)
		return 0;
	if (!m.name)
		m.name = trace_strz(x->im->t, "(no name)");
	return trace_marker(x->im->t, &m);
}

static enum status perfetto_add_call(struct perfetto *x, struct perfetto_seq *s,
				     const struct track_event *ev, uint64_t uuid,
				     struct perfetto_time at, struct err *e)
{
	struct perfetto_tracks *t = &x->tracks;
	struct perfetto_call c = {.end = INT64_MAX, .ends = ev->type == TYPE_END};
	const struct perfetto_track *track;
	int64_t ns;

	track = perfetto_track_of(x, uuid);
	c.track = (uint32_t)(track - t->list);
	if (!perfetto_ns(x, at, &c.ts)) {
		t->no_time++;
		return ST_OK;
	}
	c.marker = marker_of(x, s, ev);
	if (ev->legacy && ev->phase == 'X' &&
	    (ev->duration < 0 || __builtin_mul_overflow(ev->duration, 1000, &ns) ||
	     __builtin_add_overflow(c.ts, ns, &c.end)))
		c.end = c.ts;
	if (!t->list[c.track].mixed)
		return perfetto_push_call(x, &c, e);
	VEC_PUSH(t->calls, t->n_calls, t->cap_calls) = c;
	return ST_OK;
}

enum status perfetto_track_event(struct perfetto *x, struct perfetto_seq *s,
				 const struct perfetto_packet *p, struct err *e)
{
	struct track_event ev;
	struct perfetto_time at;
	enum status st;
	uint64_t uuid;

	if (!parse_event(&ev, pb_of(&p->data)))
		return ST_OK;
	uuid = perfetto_uuid_of(x, s, &ev);
	at = perfetto_time_of(x, s, p, &ev);
	if (x->pass == PERFETTO_SCAN) {
		perfetto_scan_event(x, p, &ev, uuid, at);
		return ST_OK;
	}
	st = perfetto_push_values(x, s, &ev, uuid, at, e);
	if (!st && (ev.type == TYPE_BEGIN || ev.type == TYPE_END))
		st = perfetto_add_call(x, s, &ev, uuid, at, e);
	else if (ev.type == TYPE_INSTANT || (!ev.type && !ev.async))
		x->tracks.instants++;
	else if (!ev.type)
		x->tracks.asyncs++;
	return st;
}

/* --- the end --- */

/* By track and time; what begins or ends at one time stays as it was in the file. */
static int perfetto_by_time(const void *pa, const void *pb)
{
	const struct perfetto_call *a = pa, *b = pb;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (!a->ends && !b->ends && a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return 0;
}

static enum status end_track(struct perfetto *x, size_t track, struct err *e)
{
	struct perfetto_track *t = &x->tracks.list[track];

	for (size_t i = 0; i < t->n_open; i++)
		if (t->open[i].end == INT64_MAX)
			x->tracks.unended++;
		else if (t->open[i].end > t->last)
			t->last = t->open[i].end;
	return end_above(x, track, 0, t->last, e);
}

static void perfetto_track_notes(const struct perfetto *x)
{
	const struct perfetto_tracks *t = &x->tracks;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, t->unmatched, "ends of calls have no begin"),
	    LOSS(NOTE_GUESS, t->unended,
		 "calls have no end: they end with the last event of their track"),
	    LOSS(NOTE_GUESS, t->clipped,
		 "calls end after their caller: they end with their caller"),
	    LOSS(NOTE_LOSS, t->no_time, "events have no time: left out"),
	    LOSS(NOTE_LOSS, t->unknown_counters,
		 "readings are of counters that the trace does not describe"),
	    LOSS(NOTE_LOSS, t->no_number,
		 "readings of counters are not numbers or too large: left out"),
	    LOSS(NOTE_INFO, t->asyncs, "asynchronous events of the old kind were not read"),
	    LOSS(NOTE_INFO, t->instants, "instants, states and other events were left out"),
	};

	TRACE_LOSSES(x->im->t, losses);
}

enum status perfetto_tracks_end(struct perfetto *x, struct err *e)
{
	struct perfetto_tracks *t = &x->tracks;
	enum status st = ST_OK;

	st = perfetto_android_end(x, e);
	perfetto_sched_waits(x);
	sort_stable(t->calls, t->n_calls, sizeof *t->calls, perfetto_by_time);
	for (size_t i = 0; !st && i < t->n_calls; i++)
		st = perfetto_push_call(x, &t->calls[i], e);
	for (size_t i = 0; !st && i < t->n; i++)
		st = end_track(x, i, e);
	if (!st)
		st = perfetto_sched_runs(x, e);
	perfetto_track_notes(x);
	return st;
}

void perfetto_tracks_release(struct perfetto_tracks *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->list[i].open);
	for (size_t i = 0; i < t->n; i++)
		free(t->list[i].spans);
	free(t->list);
	free(t->calls);
	free(t->stacks);
	map64_release(&t->by_uuid);
}

/* --- what the kernel says of a process's memory --- */

static enum status perfetto_push_stats(struct perfetto *x, struct perfetto_time at, struct pb b,
				       struct err *e)
{
	static const struct {
		uint8_t number;
		const char *name;
	} fields[] = {{2, "vm-size"},    {3, "rss"},        {4, "rss.anon"},        {5, "rss.file"},
		      {6, "rss.shmem"},  {7, "swap"},       {8, "locked"},          {9, "rss.peak"},
		      {16, "smaps.rss"}, {17, "smaps.pss"}, {23, "smaps.swap-pss"}, {24, "dmabuf"}};
	struct known_number time = perfetto_known_ns(x, at);
	struct pb again = b;
	uint32_t pid = 0, name;
	enum status st = ST_OK;
	struct pb_field f;

	while (pb_next(&again, &f))
		if (f.number == 1)
			pid = (uint32_t)f.value;
	name = map64_get(&x->names.processes, pid);
	while (!st && pb_next(&b, &f)) {
		size_t i = 0;

		while (i < sizeof fields / sizeof *fields && fields[i].number != f.number)
			i++;
		if (i == sizeof fields / sizeof *fields || f.wire != PB_VARINT ||
		    f.value > INT64_MAX >> 10)
			continue;
		x->text.len = 0;
		buf_addf(&x->text, "process.%s %u", fields[i].name, pid);
		if (name)
			buf_addf(&x->text, " %s", intern_text(&x->names.strings, name, NULL));
		st = emit_counter(x->im, emit_counter_id(x->im, buf_str(&x->text), "B"), time,
				  (int64_t)(f.value << 10), e);
	}
	return st;
}

enum status perfetto_process_stats(struct perfetto *x, const struct perfetto_packet *p,
				   struct err *e)
{
	struct pb b = pb_of(&p->data);
	enum status st = ST_OK;
	struct pb_field f;

	while (!st && pb_next(&b, &f))
		if (f.number == 1 && f.wire == PB_BYTES)
			st = perfetto_push_stats(x, p->time, pb_of(&f), e);
	return st;
}
