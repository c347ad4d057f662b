/* SPDX-License-Identifier: MIT
 *
 * The events of a Mono log as events of the trace.
 */
#include "formats/mono/mlpd.h"

#include "formats/emit.h"
#include "lib/base/mem.h"

#include <stdio.h>

static uint32_t string_of(struct mlpd *m, uint32_t name)
{
	size_t n;
	const char *s = intern_text(&m->tables.texts, name, &n);

	return trace_string(m->im->t, s, n);
}

static struct mlpd_recent *recent_of(struct mlpd_recent table[MLPD_RECENT], uint64_t key)
{
	return &table[hash_u64(key) % MLPD_RECENT];
}

uint32_t mlpd_type(struct mlpd *m, uint64_t vtable)
{
	struct mlpd_recent *recent = recent_of(m->recent_types, vtable);
	uint32_t name, *id;
	const char *s;
	size_t n;

	if (recent->id && recent->key == vtable)
		return recent->id;
	name = mono_tables_class(&m->tables, vtable);
	if (!name)
		return 0;
	id = map64_put(&m->types, name);
	if (!*id) {
		s = intern_text(&m->tables.texts, name, &n);
		*id = trace_type(m->im->t, s, n);
	}
	*recent = (struct mlpd_recent){vtable, *id};
	return *id;
}

/* The one that has the number now. */
static uint32_t thread_of(struct mlpd *m, uint64_t tid)
{
	struct thread_now *now = &m->thread_now;
	uint64_t time = m->ev.time;
	struct thread th = {.tid = tid};

	if (now->id && now->tid == tid && time <= now->is.until &&
	    (!now->is.generation || time > now->is.after))
		return now->id;
	now->is = mono_tables_thread(&m->tables, tid, time);
	now->tid = tid;
	th.generation = now->is.generation;
	th.name = now->is.name ? string_of(m, now->is.name) : 0;
	return now->id = trace_thread(m->im->t, &th);
}

static uint32_t named(struct mlpd *m, uint32_t name)
{
	return emit_named(m->im->t, string_of(m, name), 0, 0);
}

static uint32_t method_of(struct mlpd *m, uint64_t method)
{
	struct mlpd_recent *recent = recent_of(m->recent_locations, method);
	uint32_t *id, name;

	if (recent->id && recent->key == method)
		return recent->id;
	id = map64_put(&m->locations, method);
	*recent = (struct mlpd_recent){method, *id};
	if (*id)
		return *id;
	name = map64_get(&m->tables.methods, method);
	m->nameless_methods += !name;
	*id = name ? named(m, name)
		   : trace_location(m->im->t,
				    &(struct location){.space = SPACE_UNKNOWN, .raw = method});
	return *id;
}

static uint32_t *room(struct mlpd *m, size_t n)
{
	if (n > m->cap_stack)
		m->stack = mem_grow(m->stack, &m->cap_stack, n, sizeof *m->stack);
	return m->stack;
}

/* Of an allocation: they are written outermost first. */
static uint32_t alloc_stack(struct mlpd *m)
{
	size_t n = m->ev.n_list;
	uint32_t *l = room(m, n);

	for (size_t i = 0; i < n; i++)
		l[i] = method_of(m, m->ev.list[n - 1 - i]);
	return trace_stack_of(m->im->t, l, n);
}

/* Mono gives its native symbols no sizes (all of Mono 6's have 0). */
static uint32_t symbol_of(struct mlpd *m, uint64_t ip)
{
	uint32_t name = mono_ranges_at(&m->tables.symbols, ip);

	if (name)
		return name;
	name = mono_ranges_below(&m->tables.symbols, ip);
	m->nearest += name != 0;
	return name;
}

/* The native part of a sampled stack, up to the first managed code, which the methods describe
 * better.
 */
static uint32_t mlpd_log_hit_stack(struct mlpd *m)
{
	const struct mono_event *ev = &m->ev;
	bool managed = ev->n_list > ev->n_native;
	size_t n = 0;

	for (size_t i = 0; i < ev->n_native; i++) {
		uint64_t ip = ev->list[i];
		uint32_t name = mono_ranges_at(&m->tables.code, ip);
		uint32_t *l = room(m, n + 1);

		if (name && managed)
			break;
		if (!name)
			name = symbol_of(m, ip);
		l[n++] =
		    name ? named(m, name)
			 : trace_location(m->im->t, &(struct location){.raw = ip,
								       .space = SPACE_RUNTIME,
								       .kind = i ? LOCATION_RETURN
										 : LOCATION_EXACT});
	}
	room(m, n + ev->n_list - ev->n_native);
	for (size_t i = ev->n_native; i < ev->n_list; i++)
		m->stack[n++] = method_of(m, ev->list[i]);
	return trace_stack_of(m->im->t, m->stack, n);
}

static struct known_number time_of(const struct mlpd *m)
{
	return KNOWN(m->ev.time - m->started);
}

static uint32_t marker_of(struct mlpd *m, uint32_t name, const char *category)
{
	return trace_marker(m->im->t, &(struct marker){name, trace_strz(m->im->t, category)});
}

static enum status alloc(struct mlpd *m, const struct mono_buffer *b, struct err *e)
{
	struct emit_alloc a = {.thread = thread_of(m, b->thread),
			       .time = time_of(m),
			       .address = KNOWN(m->ev.object),
			       .requested = KNOWN(m->ev.size),
			       .domain = KNOWN(DOMAIN_MONO)};

	a.type = mlpd_type(m, m->ev.vtable);
	m->typeless += !a.type;
	a.stack = alloc_stack(m);
	return emit_alloc(m->im, &a, e);
}

enum { GC_START = 0, GC_END = 5 }; /* enum MonoProfilerGCEvent */

static enum status collection(struct mlpd *m, const struct mono_buffer *b, struct err *e)
{
	struct emit_call c = {.time = time_of(m)};
	char name[32];

	if (m->ev.code != GC_START && m->ev.code != GC_END)
		return ST_OK;
	c.thread = thread_of(m, b->thread);
	snprintf(name, sizeof name, "GC generation %u", m->ev.generation);
	c.marker = marker_of(m, trace_strz(m->im->t, name), "gc");
	return m->ev.code == GC_START ? emit_enter(m->im, &c, e) : emit_exit(m->im, &c, e);
}

static enum status call(struct mlpd *m, const struct mono_buffer *b, struct err *e)
{
	struct emit_call c = {.time = time_of(m), .thread = thread_of(m, b->thread)};
	uint32_t name = map64_get(&m->tables.methods, m->ev.method);

	m->nameless_methods += !name;
	c.marker = marker_of(m, name ? string_of(m, name) : 0, "method");
	return m->ev.kind == MONO_ENTER ? emit_enter(m->im, &c, e) : emit_exit(m->im, &c, e);
}

static enum status hit(struct mlpd *m, const struct mono_buffer *b, struct err *e)
{
	struct emit_sample s = {.time = time_of(m)};

	thread_of(m, b->thread); /* has its row first, also where another thread was hit */
	s.thread = thread_of(m, m->ev.other);
	s.marker = marker_of(m, trace_strz(m->im->t, "sample"), "mono");
	s.stack = mlpd_log_hit_stack(m);
	return emit_sample(m->im, &s, e);
}

static void mlpd_log_name_counters(struct mlpd *m, struct mono_buffer *b)
{
	/* MONO_COUNTER_RAW, BYTES, TIME, COUNT, PERCENTAGE */
	static const char *const units[] = {"", "B", "ns", "", "%"};
	struct mono_counter c;

	for (uint64_t i = 0; i < m->ev.size && mono_counter_name(b, &c); i++) {
		char name[256];
		uint32_t unit = c.unit >> 24, *at;

		snprintf(name, sizeof name, "mono.%s", c.name ? c.name : "");
		at = map64_put(&m->counters, c.index);
		if (*at)
			continue;
		VEC_PUSH(m->counter_states, m->n_counters, m->cap_counters) =
		    (struct counter_state){
			.is_time = unit == 2,
			.counter = emit_counter_id(m->im, name, unit < 5 ? units[unit] : "")};
		*at = (uint32_t)m->n_counters;
	}
}

static int64_t counter_value(const struct counter_state *s, bool floating)
{
	int64_t v = floating ? (int64_t)s->real : s->value;

	return s->is_time ? (int64_t)((uint64_t)v * 100) : v;
}

/* A sample of a counter is what it grew by. */
static enum status mlpd_log_read_counters(struct mlpd *m, struct mono_buffer *b, struct err *e)
{
	struct mono_counter c;
	enum status st = ST_OK;

	while (!st && mono_counter(b, &c)) {
		uint32_t at = map64_get(&m->counters, c.index);
		struct counter_state *s = at ? &m->counter_states[at - 1] : NULL;

		if (!s || !c.numeric) {
			m->no_number++;
			continue;
		}
		s->value = (int64_t)((uint64_t)s->value + (uint64_t)c.value);
		s->real += c.real;
		if (c.floating && !(s->real > -9e18 && s->real < 9e18)) {
			m->no_number++;
			s->real = 0;
			continue;
		}
		st = emit_counter(m->im, s->counter, time_of(m), counter_value(s, c.floating), e);
	}
	return st;
}

/* Second look: all but the objects of snapshots. */
enum status mlpd_on_event(struct mlpd *m, struct mono_buffer *b, struct err *e)
{
	switch (m->ev.kind) {
	case MONO_ALLOC: return alloc(m, b, e);
	case MONO_GC: return collection(m, b, e);
	case MONO_GC_SIZE: {
		uint32_t heap = emit_counter_id(m->im, "mono.heap", "B");

		if (m->ev.size > INT64_MAX) {
			m->no_number++;
			return ST_OK;
		}
		return emit_counter(m->im, heap, time_of(m), (int64_t)m->ev.size, e);
	}
	case MONO_GC_MOVES: m->moves += m->ev.n_list / 2; return ST_OK;
	case MONO_HANDLE: m->handles += !m->ev.code; return ST_OK;
	case MONO_ENTER:
	case MONO_LEAVE: return call(m, b, e);
	case MONO_THROW: m->throws++; return ST_OK;
	case MONO_MONITOR: m->monitors += m->ev.code == 1; return ST_OK;
	case MONO_HIT: return hit(m, b, e);
	case MONO_COUNTER_NAMES: mlpd_log_name_counters(m, b); return ST_OK;
	case MONO_COUNTERS: return mlpd_log_read_counters(m, b, e);
	default: return ST_OK;
	}
}
