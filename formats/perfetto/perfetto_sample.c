/* SPDX-License-Identifier: MIT
 *
 * Sampled callstacks: of perf's events (PerfSample), of Chrome's own sampler (StreamingProfilePacket), and of
 * any profiler (StackSample).
 */
#include "formats/perfetto/perfetto.h"

#include <string.h>

static struct emit_sample sample_at(struct perfetto *x, struct perfetto_time at)
{
	return (struct emit_sample){.time = perfetto_known_ns(x, at), .samples = KNOWN(1)};
}

/* 0: not known. */
static uint32_t thread_of(struct perfetto *x, uint32_t pid, uint32_t tid)
{
	return tid ? perfetto_thread(x, pid, tid) : pid ? perfetto_process(x, pid) : 0;
}

static uint32_t stack_of(struct perfetto *x, struct perfetto_seq *s, uint64_t id, uint8_t kind)
{
	struct perfetto_tables *k = s ? s->tables : NULL;
	uint32_t stack;

	x->missing += id && (!k || !map64_get(&k->callstack_ids, id));
	perfetto_stack(x, k, id, kind, &stack);
	return stack;
}

enum status perfetto_perf_sample(struct perfetto *x, struct perfetto_seq *s,
				 const struct perfetto_packet *p, struct err *e)
{
	struct emit_sample sample = sample_at(x, p->time);
	struct pb b = pb_of(&p->data);
	uint64_t callstack = 0, lost = 0, pid = 0, tid = 0;
	bool producer = false, skipped = false;
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 2: pid = f.value; break;
		case 3: tid = f.value; break;
		case 4: callstack = f.value; break;
		case 17: lost = f.value; break;
		case 18: skipped = f.value != 4; break; /* 4: of a process that was not asked for */
		case 19: producer = true; break;
		}
	if (lost || producer) {
		x->lost_records += lost;
		return ST_OK;
	}
	x->skipped += skipped;
	if (!callstack && !skipped) /* counters of the processor alone */
		return ST_OK;
	sample.thread = thread_of(x, (uint32_t)pid, (uint32_t)tid);
	sample.stack = stack_of(x, s, callstack, LOCATION_EXACT);
	return emit_sample(x->im, &sample, e);
}

/* --- Chrome's --- */

static uint64_t perfetto_next_number(struct pb *all, struct pb *list, uint32_t number, bool *any)
{
	struct pb_field f;
	uint64_t v;

	for (*any = true;;) {
		if (pb_packed(list, &v))
			return v;
		if (!pb_next(all, &f))
			break;
		if (f.number != number)
			continue;
		if (f.wire == PB_VARINT)
			return f.value;
		if (f.wire == PB_BYTES)
			*list = pb_of(&f);
	}
	*any = false;
	return 0;
}

enum status perfetto_streaming_profile(struct perfetto *x, struct perfetto_seq *s,
				       const struct perfetto_packet *p, struct err *e)
{
	struct pb stacks = pb_of(&p->data), deltas = stacks;
	struct pb of_stacks = {0}, of_deltas = {0};
	bool more, any;

	for (;;) {
		uint64_t id = perfetto_next_number(&stacks, &of_stacks, 1, &more);
		int64_t delta = (int64_t)perfetto_next_number(&deltas, &of_deltas, 2, &any), ns;
		struct perfetto_time at;
		struct emit_sample sample;
		enum status st;

		if (any && __builtin_add_overflow(s->reference, delta, &s->reference))
			s->reference = 0;
		if (!more || !any) {
			x->missing += more && x->pass == PERFETTO_EVENTS;
			if (!more && !any)
				return ST_OK;
			continue;
		}
		if (__builtin_mul_overflow(s->reference, 1000, &ns))
			continue;
		at = perfetto_time_at(x, PERFETTO_MONOTONIC, ns);
		if (x->pass != PERFETTO_EVENTS)
			continue;
		sample = sample_at(x, at);
		if (s->has_thread)
			sample.thread = thread_of(x, s->pid, s->tid);
		sample.stack = stack_of(x, s, id, LOCATION_UNSTATED);
		st = emit_sample(x->im, &sample, e);
		if (st)
			return st;
	}
}

/* --- of any profiler --- */

static uint32_t perfetto_place_of(struct perfetto *x, struct pb b)
{
	struct location l = {.space = SPACE_UNKNOWN};
	struct trace *t = x->im->t;
	struct pb_field f;
	uint32_t line = 0;

	while (pb_next(&b, &f))
		if (f.number == 1 && f.n) {
			l.name = trace_string(t, (const char *)f.s, f.n);
			l.space = SPACE_NAME;
		} else if (f.number == 2 && f.n) {
			l.file = trace_string(t, (const char *)f.s, f.n);
		} else if (f.number == 3) {
			line = (uint32_t)f.value;
		}
	l.line = l.file ? line : 0;
	return trace_location(t, &l);
}

static uint32_t inline_stack(struct perfetto *x, uint32_t stack, struct pb b)
{
	struct pb_field f;
	size_t n = 0;

	while (pb_next(&b, &f))
		if (f.number == 1 && f.wire == PB_BYTES && n++ < PERFETTO_STACK_MOST)
			stack = trace_stack(x->im->t, stack, perfetto_place_of(x, pb_of(&f)));
	x->more_calls += n > PERFETTO_STACK_MOST ? n - PERFETTO_STACK_MOST : 0;
	return stack;
}

struct perfetto_weight perfetto_weight_of(struct pb b)
{
	struct perfetto_weight w = {0, 1};
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 3)
			w.unit = f.value;
		else if (f.number == 5 && f.value)
			w.factor = f.value;
	return w;
}

/* Of interned data; NULL: it is not there. */
static const struct perfetto_pair_of *pair_of(struct perfetto *x, const struct perfetto_seq *s,
					      bool task, uint64_t id)
{
	const struct perfetto_tables *k = s ? s->tables : NULL;
	uint32_t at = k ? map64_get(task ? &k->task_ids : &k->weight_ids, id) : 0;

	x->missing += !at;
	return at ? &k->pairs[at - 1] : NULL;
}

/* The scan looks whether there are times. */
void perfetto_stack_sample_scan(struct perfetto *x, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 9 && f.wire == PB_BYTES)
			x->timed |= perfetto_weight_of(pb_of(&f)).unit == PERFETTO_UNIT_NS;
}

static void parse_task(struct pb b, uint32_t *pid, uint32_t *tid)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 2)
			*pid = (uint32_t)f.value;
		else if (f.number == 3)
			*tid = (uint32_t)f.value;
}

enum status perfetto_stack_sample(struct perfetto *x, struct perfetto_seq *s,
				  const struct perfetto_packet *p, struct err *e)
{
	struct emit_sample sample = sample_at(x, p->time);
	struct pb b = pb_of(&p->data);
	struct perfetto_weight w = {s ? s->unit : 0, s && s->factor ? s->factor : 1};
	const struct perfetto_pair_of *pair;
	uint32_t pid = 0, tid = 0;
	uint64_t amount = 0, ns;
	bool weighed = false;
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: parse_task(pb_of(&f), &pid, &tid); break;
		case 2:
			pair = pair_of(x, s, true, f.value);
			pid = pair ? (uint32_t)pair->first : 0;
			tid = pair ? (uint32_t)pair->second : 0;
			break;
		case 5: sample.stack = inline_stack(x, sample.stack, pb_of(&f)); break;
		case 6: sample.stack = stack_of(x, s, f.value, LOCATION_UNSTATED); break;
		case 9: w = perfetto_weight_of(pb_of(&f)); break;
		case 10:
			pair = pair_of(x, s, false, f.value);
			w.unit = pair ? pair->first : 0;
			w.factor = pair && pair->second ? pair->second : 1;
			break;
		case 11:
			amount = f.value;
			weighed = true;
			break;
		}
	sample.thread = thread_of(x, pid, tid);
	if (weighed && w.unit == PERFETTO_UNIT_NS &&
	    !__builtin_mul_overflow(amount, w.factor, &ns) && ns <= INT64_MAX)
		sample.self = KNOWN(ns);
	x->weighed += weighed && !sample.self.is;
	return emit_sample(x->im, &sample, e);
}
