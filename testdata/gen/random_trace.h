/* SPDX-License-Identifier: MIT
 *
 * A trace with every kind of row and event, drawn from a seed; shared by the generator trace.c
 * and tests/unit/trace.c. Values are legal and often extreme.
 */
#ifndef TM_TESTDATA_GEN_RANDOM_TRACE_H
#define TM_TESTDATA_GEN_RANDOM_TRACE_H

#include "lib/trace/sink.h"

#include <stdio.h>
#include <string.h>

static uint64_t draw64(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint32_t draw_below(uint64_t *state, uint64_t n)
{
	return (uint32_t)(draw64(state) % n);
}

/* Numbers of every length, the ends of the range among them. */
static uint64_t draw_number(uint64_t *state)
{
	switch (draw_below(state, 8)) {
	case 0: return 0;
	case 1: return UINT64_MAX;
	case 2: return (uint64_t)INT64_MAX + draw_below(state, 3);
	default: return draw64(state) >> draw_below(state, 64);
	}
}

static uint32_t draw_string(uint64_t *state, struct trace *t)
{
	char text[80];
	size_t n = draw_below(state, sizeof text);

	for (size_t i = 0; i < n; i++) {
		static const char letters[] = "abcdefgh:<>_\n\t\"\\\xc3\xa9\xff\0\x1b";

		text[i] = letters[draw_below(state, sizeof letters)];
	}
	return trace_string(t, text, n);
}

static uint32_t draw_string_or_none(uint64_t *state, struct trace *t)
{
	return draw_below(state, 2) ? draw_string(state, t) : 0;
}

static void draw_module(uint64_t *state, struct trace *t)
{
	struct map_range ranges[5];
	struct module m = {.name = draw_string(state, t),
			   .process = draw_below(state, 3),
			   .epoch_lo = draw_below(state, 10),
			   .build_id = draw_string_or_none(state, t),
			   .has_slide = draw_below(state, 2),
			   .ranges = ranges,
			   .n_ranges = draw_below(state, 6)};
	uint64_t lo = draw_number(state) >> 8;

	m.epoch_hi = m.epoch_lo + draw_below(state, 2) * 5;
	if (m.has_slide)
		m.slide = draw_number(state);
	for (uint32_t i = 0; i < m.n_ranges; i++) {
		ranges[i].lo = lo += 1 + draw_below(state, 1 << 20);
		ranges[i].hi = lo += draw_below(state, 1 << 20);
		ranges[i].offset = draw_number(state);
		ranges[i].executable = draw_below(state, 2);
	}
	trace_module(t, &m);
}

static void draw_location(uint64_t *state, struct trace *t)
{
	struct location l = {.raw = draw_number(state),
			     .module = draw_below(state, t->n_modules),
			     .space = (uint8_t)draw_below(state, SPACES),
			     .kind = (uint8_t)draw_below(state, LOCATION_KINDS)};

	if (draw_below(state, 2)) {
		l.process = (uint32_t)draw_number(state);
		l.epoch = (uint32_t)draw_number(state);
	}
	if (draw_below(state, 2)) {
		l.name = draw_string_or_none(state, t);
		l.file = draw_string_or_none(state, t);
		l.line = (uint32_t)draw_number(state);
	}
	trace_location(t, &l);
}

/* Symbols of strings, objects, functions, calls, and bindings of all locations so far. */
static void draw_symbols(uint64_t *state, struct trace *t)
{
	struct trace_symbols *y = &t->symbols;
	char text[32];

	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof text, "_Z%u", draw_below(state, 1000));
		intern_add(&y->strings, text, strlen(text));
	}
#define DRAW_TEXT draw_below(state, intern_count(&y->strings) + 1)
	symbols_object(y, &(struct symbol_object){.name = DRAW_TEXT,
						  .path = DRAW_TEXT,
						  .debug_path = DRAW_TEXT,
						  .build_id = DRAW_TEXT});
	symbols_function(y, &(struct symbol_function){.raw = DRAW_TEXT, .display = DRAW_TEXT});
	symbols_call(y,
		     &(struct symbol_call){.outer = y->n_calls ? draw_below(state, y->n_calls) : 0,
					   .function = draw_below(state, y->n_functions),
					   .file = DRAW_TEXT,
					   .line = (uint32_t)draw_number(state),
					   .column = (uint32_t)draw_number(state)});
#undef DRAW_TEXT
	while (y->n_bindings < t->n_locations)
		symbols_bind(y, (uint32_t)(y->n_bindings ? y->n_bindings : 1),
			     &(struct binding){.vaddr = draw_number(state),
					       .object = draw_below(state, y->n_objects),
					       .call = draw_below(state, y->n_calls),
					       .reason = (uint8_t)draw_below(state, REASONS),
					       .tier = (uint8_t)draw_below(state, TIERS),
					       .flags = (uint8_t)draw_below(state, 8),
					       .kind = (uint8_t)draw_below(state, LOCATION_KINDS)});
}

static void draw_rows(uint64_t *state, struct trace *t)
{
	uint32_t name;

	draw_module(state, t);
	for (int i = 0; i < 4; i++)
		draw_location(state, t);
	for (int i = 0; i < 6; i++)
		trace_stack(t, draw_below(state, t->n_stacks),
			    1 + draw_below(state, t->n_locations - 1));
	name = draw_string(state, t);
	trace_type(t, trace_text(t, name), strlen(trace_text(t, name)));
	trace_thread(t, &(struct thread){.process = draw_below(state, 4),
					 .generation = draw_below(state, 4),
					 .name = draw_string_or_none(state, t),
					 .tid = draw_number(state)});
	name = draw_string(state, t);
	trace_marker(t, &(struct marker){name, draw_string_or_none(state, t)});
	name = draw_string(state, t);
	trace_counter(t, &(struct counter){name, draw_string_or_none(state, t)});
}

/* An event with just these fields; its ids are in the tables of t (NULL: any). */
static struct event draw_fields(uint64_t *state, const struct trace *t, uint8_t kind, uint16_t has)
{
	const uint64_t any = (uint64_t)UINT32_MAX + 1;
	struct event ev = {.kind = kind, .has = has, .count = 1};
	uint64_t types = any;

	if (t && (kind == EV_ENTER || kind == EV_EXIT || kind == EV_SAMPLE))
		types = t->n_markers;
	else if (t)
		types = kind == EV_COUNTER ? t->n_counters : t->n_types;
#define DRAW_IF(bit, field, value) ((has & (bit)) ? (void)(ev.field = (value)) : (void)0)
	DRAW_IF(EV_HAS_SEQ, seq, draw_number(state));
	DRAW_IF(EV_HAS_ADDRESS, address, draw_number(state));
	DRAW_IF(EV_HAS_REQUESTED, requested, draw_number(state));
	DRAW_IF(EV_HAS_REAL, real, draw_number(state));
	DRAW_IF(EV_HAS_TYPE, type, draw_below(state, types));
	DRAW_IF(EV_HAS_STACK, stack, draw_below(state, t ? t->n_stacks : any));
	DRAW_IF(EV_HAS_TIME, time, (int64_t)draw_number(state));
	DRAW_IF(EV_HAS_COUNT, count, draw_number(state));
	DRAW_IF(EV_HAS_THREAD, thread, draw_below(state, t ? t->n_threads : any));
	DRAW_IF(EV_HAS_VALUE, value, (int64_t)draw_number(state));
	DRAW_IF(EV_HAS_NAME, name, draw_below(state, t ? intern_count(&t->strings) + 1 : any));
	DRAW_IF(EV_HAS_DOMAIN, domain, (uint8_t)draw_below(state, DOMAINS));
	DRAW_IF(EV_HAS_TARGET, target, draw_number(state));
#undef DRAW_IF
	return ev;
}

static struct event draw_event(uint64_t *state, const struct trace *t)
{
	uint8_t kind = (uint8_t)(1 + draw_below(state, EV_KINDS - 1));

	return draw_fields(state, t, kind, (uint16_t)draw_below(state, EV_FIELDS + 1));
}

/* One capture of that many events into the sink; rows come in between. */
static enum status draw_capture(uint64_t seed, uint64_t events, struct trace *t, struct sink *sink,
				struct err *e)
{
	uint64_t state = seed;
	char key[32];
	enum status st;

	t->unordered = draw_below(&state, 2);
	for (int m = 0; m < METRICS; m++)
		trace_metric(t, (enum metric)m, (enum metric_state)draw_below(&state, 4),
			     (enum metric_key)draw_below(&state, 2));
	snprintf(key, sizeof key, "key%u", draw_below(&state, 10));
	trace_set(t, key, "value \"quoted\"");
	trace_set(t, "clock", "monotonic");
	st = sink->begin(sink, t, e);
	for (uint64_t i = 0; !st && i < events; i++) {
		struct event ev;

		if (i % 16 == 0) {
			draw_rows(&state, t);
			draw_symbols(&state, t);
		}
		ev = draw_event(&state, t);
		st = sink_event(sink, t, &ev, e);
	}
	trace_note(t, NOTE_INFO, 0, "drawn from seed %llu", (unsigned long long)seed);
	trace_note(t, NOTE_GUESS, draw_number(&state), "a guess");
	if (draw_below(&state, 2))
		trace_set(t, "late", "known only at the end");
	return st ? st : sink->end(sink, t, e);
}

#endif
