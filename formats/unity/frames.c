/* SPDX-License-Identifier: MIT */
#include "formats/unity/frames.h"

#include "formats/emit.h"
#include "formats/unity/bytes.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	UNTIED_MAX = 1 << 14, /* looked through for a frame */
	AHEAD = 8,            /* items, whose nodes are asked for */
	AHEAD_MAX = 16,       /* a thread's frame, of the one that counts */
};

void unity_frames_init(struct unity_frames *f, struct import *im, uint32_t ordinal)
{
	*f = (struct unity_frames){.im = im, .clock = {1, 1, 0, false, 0}};
	unity_names_init(&f->names, im->t, ordinal);
	VEC_PUSH(f->lanes, f->n_lanes, f->cap_lanes) = (struct unity_lane){0};
}

void unity_frames_release(struct unity_frames *f)
{
	unity_names_release(&f->names);
	unity_jit_release(&f->jit);
	for (size_t i = 0; i < UNITY_BUCKETS; i++)
		free(f->buckets[i].items);
	free(f->lanes);
	free(f->untied);
	intern_release(&f->callstacks);
	map64_release(&f->addresses);
	map64_release(&f->callstack_index);
	*f = (struct unity_frames){0};
}

static enum status flush_batch(struct unity_frames *f, struct err *e)
{
	size_t n = f->n_batch, stacks = f->im->t->n_stacks;
	enum status st;

	f->n_batch = 0;
	st = n ? sink_events(f->im->sink, f->im->t, f->batch, n, e) : ST_OK;
	f->names.shared |= f->im->t->n_stacks != stacks;
	return st;
}

static uint32_t lane_row(struct unity_frames *f, uint32_t lane)
{
	struct unity_lane *l = &f->lanes[lane];

	if (!l->row) {
		f->nameless_threads += !l->name;
		l->row = trace_thread(
		    f->im->t,
		    &(struct thread){.generation = l->generation, .name = l->name, .tid = l->tid});
	}
	return l->row;
}

static uint32_t unity_frames_address_location(struct unity_frames *f, uint64_t address)
{
	uint8_t forced = f->im->options->locations;
	uint8_t kind = forced ? forced : (uint8_t)LOCATION_RETURN;
	uint32_t *id = map64_put(&f->addresses, address);
	const struct unity_method *m;
	struct location l = {.raw = address, .space = SPACE_RUNTIME, .kind = kind};
	struct trace *t = f->im->t;
	size_t n, locations = t->n_locations;
	const char *s;

	if (*id)
		return *id;
	m = unity_jit_find(&f->jit, address - (kind == LOCATION_RETURN && address));
	if (m) {
		l = (struct location){.space = SPACE_NAME, .line = m->line};
		s = intern_text(&f->jit.texts, m->name, &n);
		l.name = trace_string(t, s, n);
		s = intern_text(&f->jit.texts, m->file, &n);
		l.file = n ? trace_string(t, s, n) : 0;
	}
	*id = trace_location(t, &l);
	f->names.shared |= *id < locations;
	return *id;
}

/* The callstack within the path of the sample. */
static uint32_t inner_stack(struct unity_frames *f, uint32_t node, uint32_t calls)
{
	uint32_t stack = unity_stack(&f->names, node);
	uint32_t *id;
	const char *p;
	size_t n;

	if (!calls)
		return stack;
	id = map64_put(&f->callstack_index, (uint64_t)node << 32 | calls);
	if (*id)
		return *id;
	p = intern_text(&f->callstacks, calls, &n);
	for (; n >= 8; n -= 8)
		stack =
		    trace_stack(f->im->t, stack,
				unity_frames_address_location(f, le64((const uint8_t *)p + n - 8)));
	return *id = stack;
}

static struct event sample_of(struct unity_frames *f, const struct unity_item *it)
{
	struct emit_sample s = {.time = KNOWN(unity_time(&f->clock, it->start)),
				.total = KNOWN(it->total),
				.self = KNOWN(it->self)};
	const struct unity_node *node = &f->names.nodes[it->node];

	s.stack = unity_stack(&f->names, it->node);
	s.marker = unity_marker_row(&f->names, node->marker);
	if (it->calls)
		s.stack = trace_stack(f->im->t, inner_stack(f, node->parent, it->calls),
				      unity_marker_location(&f->names, node->marker));
	s.thread = lane_row(f, it->thread);
	return event_of_sample(&s);
}

static struct event alloc_of(struct unity_frames *f, const struct unity_item *it, uint32_t node)
{
	static const char name[] = "GC.Alloc";
	struct emit_alloc a = {.stack = inner_stack(f, node, it->calls),
			       .time = KNOWN(unity_time(&f->clock, it->start)),
			       .requested = KNOWN(it->total),
			       .domain = KNOWN(DOMAIN_MONO)};

	if (!f->gc_alloc)
		f->gc_alloc = trace_type(f->im->t, name, sizeof name - 1);
	a.type = f->gc_alloc;
	a.thread = lane_row(f, it->thread);
	return event_of_alloc(EV_ALLOC, &a);
}

/* Logs and counters may have no time. */
static struct known_number time_of(struct unity_frames *f, const struct unity_item *it)
{
	return it->start ? KNOWN(unity_time(&f->clock, it->start)) : ABSENT;
}

/* Unity's LogType. */
static struct event log_of(struct unity_frames *f, const struct unity_item *it)
{
	static const char *const levels[] = {"Error", "Assert", "Warning", "Log", "Exception"};
	struct trace *t = f->im->t;
	struct emit_log l = {.text = it->node, .level = KNOWN(it->total), .time = time_of(f, it)};

	if (it->total < sizeof levels / sizeof *levels)
		l.severity = trace_marker(
		    t, &(struct marker){trace_strz(t, levels[it->total]), trace_strz(t, "log")});
	return event_of_log(&l);
}

static enum status unity_frames_emit(struct unity_frames *f, const struct unity_item *it,
				     struct err *e)
{
	const struct unity_node *node;

	if (f->n_batch == UNITY_BATCH) {
		enum status st = flush_batch(f, e);

		if (st)
			return st;
	}
	switch ((enum unity_kind)it->kind) {
	case UNITY_SAMPLE: f->batch[f->n_batch++] = sample_of(f, it); break;
	case UNITY_MAYBE_ALLOC:
	case UNITY_GC_ALLOC:
		node = &f->names.nodes[it->node];
		if (f->names.markers[node->marker].gc_alloc)
			f->batch[f->n_batch++] = alloc_of(f, it, node->parent);
		break;
	case UNITY_ALLOC: f->batch[f->n_batch++] = alloc_of(f, it, it->node); break;
	case UNITY_LOG: f->batch[f->n_batch++] = log_of(f, it); break;
	case UNITY_COUNTER:
		f->batch[f->n_batch++] = event_of_decimal(
		    it->node, time_of(f, it), decimal_join((int64_t)it->total, it->self));
		break;
	}
	return ST_OK;
}

static enum status unity_frames_announce(struct unity_frames *f, struct err *e)
{
	const struct unity_bucket *b = &f->buckets[0];
	struct known_number time = ABSENT;
	enum status st = ST_OK;

	if (f->announced)
		return ST_OK;
	f->announced = true;
	if (!f->clock.has_base) {
		f->clock.has_base = true;
		f->clock.base = b->timed ? b->start : b->n ? b->items[0].start : 0;
	}
	if (!f->im->begun)
		st = import_begin(f->im, e);
	if (st || !b->numbered)
		return st;
	st = flush_batch(f, e);
	if (b->timed)
		time = KNOWN(unity_time(&f->clock, b->start));
	f->batch[f->n_batch++] = event_of_frame(KNOWN(b->number), time);
	return st;
}

/* Writes what the oldest frame has so far. */
static enum status drain(struct unity_frames *f, struct err *e)
{
	struct unity_bucket *b = &f->buckets[0];
	enum status st = unity_frames_announce(f, e);

	for (size_t i = 0; !st && i < b->n; i++) {
		const struct unity_item *ahead = &b->items[i + AHEAD < b->n ? i + AHEAD : i];

		if (ahead->kind == UNITY_SAMPLE)
			unity_node_prefetch(&f->names, ahead->node);
		st = unity_frames_emit(f, &b->items[i], e);
	}
	f->n_waiting -= b->n;
	b->n = 0;
	return st;
}

/* Writes the oldest frame and forgets it. */
static enum status retire(struct unity_frames *f, struct err *e)
{
	enum status st = drain(f, e);
	struct unity_bucket first = f->buckets[0];

	memmove(f->buckets, f->buckets + 1, (UNITY_BUCKETS - 1) * sizeof *f->buckets);
	f->buckets[UNITY_BUCKETS - 1] =
	    (struct unity_bucket){.items = first.items, .cap = first.cap};
	f->n_buckets--;
	f->announced = false;
	f->has_retired |= first.numbered;
	if (first.numbered)
		f->retired = first.number;
	return st;
}

/* The bucket of a frame in *b, made when it is not there; the oldest for one that was written. */
static enum status unity_frames_find(struct unity_frames *f, uint32_t number, bool numbered,
				     struct unity_bucket **b, struct err *e)
{
	size_t i = f->n_buckets;
	struct unity_bucket spare;
	enum status st = ST_OK;

	while (i && f->buckets[i - 1].numbered && (!numbered || f->buckets[i - 1].number > number))
		i--;
	if (i && f->buckets[i - 1].numbered == numbered &&
	    (!numbered || f->buckets[i - 1].number == number)) {
		*b = &f->buckets[i - 1];
		return ST_OK;
	}
	if (f->n_buckets &&
	    ((!i && f->announced) || (numbered && f->has_retired && number <= f->retired))) {
		f->late++;
		*b = &f->buckets[0];
		return ST_OK;
	}
	if (f->n_buckets == UNITY_BUCKETS) {
		st = retire(f, e);
		i -= i > 0;
	}
	spare = f->buckets[f->n_buckets++];
	memmove(f->buckets + i + 1, f->buckets + i, (f->n_buckets - 1 - i) * sizeof spare);
	f->buckets[i] = (struct unity_bucket){
	    .number = number, .numbered = numbered, .items = spare.items, .cap = spare.cap};
	*b = &f->buckets[i];
	return st;
}

static enum status put(struct unity_frames *f, struct unity_bucket *b, const struct unity_item *it,
		       struct err *e)
{
	enum status st = ST_OK;

	if (b == &f->buckets[0] && f->announced)
		return unity_frames_emit(f, it, e);
	VEC_PUSH(b->items, b->n, b->cap) = *it;
	if (++f->n_waiting <= UNITY_WAITING)
		return ST_OK;
	/* The oldest frame is written as it comes from now on; if it was already, it is over. */
	if (f->announced)
		st = retire(f, e);
	return st ? st : drain(f, e);
}

/* Of a thread without frames: the last frame that began before the end, or the oldest. */
static enum status put_by_time(struct unity_frames *f, const struct unity_untied *u, struct err *e)
{
	size_t i = f->n_buckets;
	struct unity_bucket *b;
	enum status st;

	while (i && (!f->buckets[i - 1].timed || f->buckets[i - 1].start > u->end))
		i--;
	f->late += !i && f->has_retired;
	if (f->n_buckets)
		return put(f, &f->buckets[i - (i > 0)], &u->item, e);
	st = unity_frames_find(f, f->current, f->has_current, &b, e);
	return st ? st : put(f, b, &u->item, e);
}

enum status unity_frames_log(struct unity_frames *f, uint32_t lane, uint32_t level,
			     const char *text, size_t n, struct err *e)
{
	const struct unity_lane *l = &f->lanes[lane];
	struct unity_item it = {.kind = UNITY_LOG, .total = level, .thread = lane};

	it.node = trace_string(f->im->t, text, n);
	for (size_t i = 0; i < f->n_buckets && l->has_frame; i++)
		if (f->buckets[i].numbered && f->buckets[i].timed &&
		    f->buckets[i].number == l->frame)
			it.start = f->buckets[i].start;
	return unity_frames_push(f, &it, it.start, e);
}

enum status unity_frames_push_slow(struct unity_frames *f, const struct unity_item *it,
				   uint64_t end, struct err *e)
{
	const struct unity_lane *l = &f->lanes[it->thread];
	struct unity_untied u = {*it, end};
	struct unity_bucket *b;
	enum status st;

	if (l->untied && f->has_current) {
		size_t i = f->n_buckets;

		while (i && !f->buckets[i - 1].timed)
			i--;
		if (!i || f->buckets[i - 1].start > end)
			return put_by_time(f, &u, e);
		if (f->n_untied >= UNTIED_MAX) {
			f->early++;
			return put_by_time(f, &u, e);
		}
		if (!f->n_untied || end < f->untied_first)
			f->untied_first = end;
		VEC_PUSH(f->untied, f->n_untied, f->cap_untied) = u;
		return ST_OK;
	}
	if (l->has_frame && !l->untied)
		st = unity_frames_find(f, l->frame, true, &b, e);
	else if (f->has_state && !f->main_counts)
		st = unity_frames_find(f, f->state, true, &b, e);
	else
		st = unity_frames_find(f, f->current, f->has_current, &b, e);
	return st ? st : put(f, b, it, e);
}

/* Those that ended before the ticks at which a frame begins. */
static enum status unity_frames_settle_untied(struct unity_frames *f, bool all, uint64_t ticks,
					      struct err *e)
{
	uint64_t first = UINT64_MAX;
	enum status st = ST_OK;
	size_t kept = 0;

	if (!all && f->untied_first >= ticks)
		return ST_OK;
	for (size_t i = 0; i < f->n_untied; i++)
		if (!st && (all || f->untied[i].end < ticks)) {
			st = put_by_time(f, &f->untied[i], e);
		} else {
			first = f->untied[i].end < first ? f->untied[i].end : first;
			f->untied[kept++] = f->untied[i];
		}
	f->untied_first = first;
	f->n_untied = kept;
	return st;
}

static enum status write_all(struct unity_frames *f, struct err *e)
{
	enum status st = unity_frames_settle_untied(f, true, 0, e);

	while (!st && f->n_buckets)
		st = retire(f, e);
	return st;
}

static enum status unity_frames_advance(struct unity_frames *f, uint32_t number, uint64_t ticks,
					struct err *e)
{
	struct unity_bucket *b;
	enum status st;

	if (f->has_current && number < f->current) {
		f->backwards++;
		st = write_all(f, e);
		f->has_retired = false;
	} else {
		st = unity_frames_settle_untied(f, false, ticks, e);
	}
	if (!st)
		st = unity_frames_find(f, number, true, &b, e);
	if (st)
		return st;
	if (!b->timed) {
		b->timed = true;
		b->start = ticks;
	}
	f->current = number;
	f->has_current = true;
	while (!st && f->n_buckets > 1 &&
	       (!f->buckets[0].numbered ||
		(f->buckets[0].number < number && number - f->buckets[0].number > UNITY_WINDOW)))
		st = retire(f, e);
	return st;
}

enum status unity_frames_state(struct unity_frames *f, uint32_t number, uint64_t ticks,
			       struct err *e)
{
	if (!f->clock.has_base) {
		f->clock.has_base = true;
		f->clock.base = ticks;
	}
	if (number == UINT32_MAX)
		return ST_OK;
	f->has_state = true;
	f->state = number;
	return unity_frames_advance(f, number, ticks, e);
}

enum status unity_frames_start(struct unity_frames *f, uint32_t lane, uint32_t number,
			       uint64_t ticks, bool main, struct err *e)
{
	struct unity_lane *l = &f->lanes[lane];
	enum status st = ST_OK;

	l->has_frame = number != UINT32_MAX;
	l->frame = number;
	if (!l->has_frame)
		return ST_OK;
	if (main || (!f->main_counts && (!f->has_current || number > f->current)))
		st = unity_frames_advance(f, number, ticks, e);
	f->main_counts |= main;
	if (number > f->current && number - f->current > AHEAD_MAX) {
		f->odd++;
		l->has_frame = false;
	}
	return st;
}

uint32_t unity_frames_calls(struct unity_frames *f, const uint8_t *addresses, size_t n)
{
	return n ? intern_add(&f->callstacks, (const char *)addresses, n * 8) : 0;
}

static void note(struct unity_frames *f, enum severity severity, uint64_t count, const char *text)
{
	if (count)
		trace_note(f->im->t, severity, count, "%s", text);
}

enum status unity_frames_end(struct unity_frames *f, struct err *e)
{
	enum status st = write_all(f, e);

	if (!st)
		st = flush_batch(f, e);
	note(f, NOTE_GUESS, f->late,
	     "samples came after their frame was written: they count "
	     "in a later frame");
	note(f, NOTE_GUESS, f->early,
	     "samples of threads without frames came before their frame: they count in the "
	     "newest frame");
	note(f, NOTE_GUESS, f->odd,
	     "frame numbers of threads are far from the main thread's: the main thread's are "
	     "used");
	note(f, NOTE_INFO, f->backwards, "frame numbers go back");
	note(f, NOTE_INFO, f->nameless_threads, "threads have no name");
	note(f, NOTE_LOSS, f->names.nameless, "markers have no name: the number stands for it");
	note(f, NOTE_LOSS, f->clock.overflows, "times above 292 years are cut to 292 years");
	return st;
}
