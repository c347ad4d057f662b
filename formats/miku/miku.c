/* SPDX-License-Identifier: MIT */
#include "formats/miku/miku.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum name_kind { NAME_LUA, NAME_RESUME, NAME_EXCEPTION, NAME_CUSTOM, NAME_EMPTY };
enum { TICK_RATE = 10000000 };

void miku_init(struct miku *m, struct import *im)
{
	*m = (struct miku){.im = im};
	m->tick_rate = im->options->tick_rate ? im->options->tick_rate : TICK_RATE;
}

void miku_release(struct miku *m)
{
	miku_names_release(&m->names);
	miku_tree_release(&m->tree);
	free(m->infos);
	m->infos = NULL;
	m->n_infos = m->cap_infos = 0;
}

static bool is_marker(const struct miku_tree *t, const struct miku_names *names)
{
	size_t n;

	intern_text(&names->text, t->nodes[0].name, &n);
	return t->n == 1 && !n;
}

/* A heap is far larger than what one entry into Lua allocates; an allocation counter that is set to
 * 0 behind every root holds about that. */
void miku_look(struct miku_evidence *v, const struct miku_tree *t, const struct miku_names *names)
{
	int64_t cost = t->nodes[0].lua;

	if (is_marker(t, names)) {
		v->markers++;
		v->heap_markers += t->current_lua >= 65536;
		return;
	}
	v->roots++;
	v->framed += t->frame != 0;
	for (size_t i = 0; i < t->n; i++)
		v->negative += t->nodes[i].lua < 0;
	if (!t->current_lua)
		return;
	if (cost < 0 || t->current_lua / 4 > cost + 1024)
		v->heaps++;
	else
		v->counters++;
}

static void miku_decide(struct miku *m, const struct miku_evidence *v)
{
	struct trace *t = m->im->t;

	m->heap_of_roots = m->layout >= MIKU_A3;
	m->heap_of_markers = m->heap_of_roots;
	if (m->layout != MIKU_E || m->old)
		return;
	m->allocated = v->counters > v->heaps;
	if (m->allocated) {
		m->heap_of_roots = false;
		m->heap_of_markers = v->heap_markers * 2 > v->markers;
		trace_note(t, NOTE_GUESS, 0,
			   "currentLuaMemory stays near costLuaGC: it is read as an "
			   "allocation counter, and Lua bytes as bytes allocated (Miku since "
			   "2025-08-14)%s",
			   m->heap_of_markers ? ""
					      : "; the capture does not have the size of the "
						"Lua heap");
	} else if (v->heaps) {
		trace_note(t, NOTE_GUESS, 0,
			   "currentLuaMemory is far above costLuaGC: it is read as the size "
			   "of the Lua heap, and Lua bytes as its growth (Miku before "
			   "2025-08-14)");
	} else {
		m->heap_of_roots = m->heap_of_markers = v->negative || v->heap_markers;
		trace_note(t, NOTE_GUESS, 0,
			   "%s: Lua bytes are read as the growth of the heap (Miku before "
			   "2025-08-14)",
			   v->negative ? "costLuaGC is negative in places"
				       : "the capture does not show whether its bytes are "
					 "growth or allocations");
	}
}

static bool has_ticks(const struct miku *m)
{
	return m->layout >= MIKU_B0;
}

enum status miku_begin(struct miku *m, const struct miku_evidence *v, struct err *e)
{
	struct trace *t = m->im->t;
	char rate[32];

	miku_decide(m, v);
	trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_NET, METRIC_EXACT, METRIC_AT_ALL);
	if (m->allocated && !m->im->options->unclamped)
		trace_metric(t, METRIC_REQUESTED, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	else if (m->allocated)
		trace_note(t, NOTE_INFO, 0,
			   "--unclamped: bytes allocated in Lua are among the signed bytes");
	trace_set(t, "miku.layout", miku_layout_name(m->layout));
	trace_set(t, "miku.lua_bytes", m->allocated ? "allocated" : "grown");
	if (has_ticks(m)) {
		snprintf(rate, sizeof rate, "%" PRIu64, m->tick_rate);
		trace_set(t, "miku.tick_rate", rate);
		if (!m->im->options->tick_rate)
			trace_note(t, NOTE_GUESS, 0,
				   "times are Stopwatch ticks, and the capture does not have "
				   "their rate: a tick is read as 100 ns, as in the tool "
				   "(tm-import --tick-rate)");
	}
	return import_begin(m->im, e);
}

/* function,file&line:12 as the tool splits it; false: no such name. */
static bool split(const char *s, size_t n, size_t *function, const char **file, size_t *n_file,
		  uint64_t *line)
{
	const char *comma = memchr(s, ',', n), *end = s + n, *amp;

	amp = comma ? memchr(comma, '&', (size_t)(end - comma)) : NULL;
	if (!amp || !text_begins(amp, (size_t)(end - amp), "&line:") ||
	    !num_dec(amp + 6, (size_t)(end - amp) - 6, line) || *line > UINT32_MAX)
		return false;
	*function = (size_t)(comma - s);
	*file = comma + 1;
	*n_file = (size_t)(amp - comma) - 1;
	return true;
}

static uint32_t miku_lua_location(struct trace *t, const char *s, size_t n)
{
	struct buf b = BUF_INIT;
	size_t function, n_file;
	const char *file;
	uint64_t line;
	uint32_t of_file, name;

	if (!split(s, n, &function, &file, &n_file, &line))
		return emit_named(t, trace_string(t, s, n), 0, 0);
	of_file = trace_string(t, file, n_file);
	if (function) {
		name = trace_string(t, s, function);
	} else { /* as Lua's own tracebacks call it */
		buf_adds(&b, "function <");
		buf_add(&b, file, n_file);
		buf_addf(&b, ":%" PRIu64 ">", line);
		name = trace_string(t, b.data, b.len);
	}
	buf_release(&b);
	return emit_named(t, name, of_file, (uint32_t)line);
}

static const struct miku_name *miku_name_info(struct miku *m, uint32_t id)
{
	static const char *const categories[] = {"lua", "lua", "exception", "custom", "custom"};
	struct trace *t = m->im->t;
	struct miku_name *info;
	const char *s;
	size_t n;

	while (m->n_infos <= id)
		VEC_PUSH(m->infos, m->n_infos, m->cap_infos) = (struct miku_name){0};
	info = &m->infos[id];
	if (info->location)
		return info;
	s = intern_text(&m->names.text, id, &n);
	info->kind = !n                                                  ? NAME_EMPTY
		     : text_begins(s, n, "[lua]:coroutine.resume")       ? NAME_RESUME
		     : text_begins(s, n, "[lua]:")                       ? NAME_LUA
		     : text_begins(s, n, "exception happen clear stack") ? NAME_EXCEPTION
									 : NAME_CUSTOM;
	info->marker = trace_marker(
	    t, &(struct marker){trace_string(t, s, n), trace_strz(t, categories[info->kind])});
	if (info->kind <= NAME_RESUME)
		info->location = miku_lua_location(t, s + 6, n - 6);
	else
		info->location = trace_location(
		    t, &(struct location){.space = SPACE_NAME, .name = trace_string(t, s, n)});
	return info;
}

static int64_t add(int64_t a, int64_t b)
{
	int64_t v;

	return __builtin_add_overflow(a, b, &v) ? (a < 0 ? INT64_MIN : INT64_MAX) : v;
}

static int64_t subtract(int64_t a, int64_t b)
{
	int64_t v;

	return __builtin_sub_overflow(a, b, &v) ? (a < 0 ? INT64_MIN : INT64_MAX) : v;
}

/* Ticks to ns; MIKU_NO_TIME stays. */
static int64_t nanoseconds(const struct miku *m, int64_t ticks)
{
	int64_t rate = (int64_t)m->tick_rate, ns;

	if (ticks == MIKU_NO_TIME || !has_ticks(m))
		return ticks;
	if (__builtin_mul_overflow(ticks / rate, 1000000000, &ns))
		return MIKU_NO_TIME;
	return add(ns, ticks % rate * 1000000000 / rate);
}

static void add_sums(struct miku_node *to, int64_t lua, int64_t mono, int64_t time)
{
	to->kids_lua = add(to->kids_lua, lua);
	to->kids_mono = add(to->kids_mono, mono);
	to->kids_time = add(to->kids_time, time);
}

/* 3.x raises a node's bytes to the sum of those below it when it reads a file. A node's parent
 * comes before it, so from the last to the first all sums are there in time. */
static void raise_all(struct miku *m)
{
	struct miku_node *nodes = m->tree.nodes;

	for (size_t i = m->tree.n; i-- > 0;) {
		struct miku_node *n = &nodes[i];

		m->raised += n->kids_lua > n->lua || n->kids_mono > n->mono;
		n->lua = n->kids_lua > n->lua ? n->kids_lua : n->lua;
		n->mono = n->kids_mono > n->mono ? n->kids_mono : n->mono;
		if (i)
			add_sums(&nodes[n->parent], n->lua, n->mono, 0);
	}
	for (size_t i = 0; i < m->tree.n; i++)
		nodes[i].kids_lua = nodes[i].kids_mono = 0;
}

static void miku_sum_up(struct miku *m)
{
	struct miku_node *nodes = m->tree.nodes;

	for (size_t i = m->tree.n; i-- > 0;) {
		struct miku_node *n = &nodes[i], *parent = &nodes[n->parent];

		n->time = nanoseconds(m, n->time);
		n->no_self_time |= n->time == MIKU_NO_TIME;
		m->bad_times += n->time == MIKU_NO_TIME;
		if (!i)
			break;
		n->collapsed = m->im->options->collapse_resumes && parent->name == n->name &&
			       miku_name_info(m, n->name)->kind == NAME_RESUME;
		parent->no_self_time |= n->collapsed ? n->no_self_time : n->time == MIKU_NO_TIME;
		if (n->collapsed)
			add_sums(parent, n->kids_lua, n->kids_mono, n->kids_time);
		else
			add_sums(parent, n->lua, n->mono, n->time == MIKU_NO_TIME ? 0 : n->time);
	}
}

static int64_t self(int64_t total, int64_t below, struct miku_sum *clamped, bool clamp)
{
	int64_t v = subtract(total, below);

	if (v >= 0 || !clamp)
		return v;
	clamped->n++;
	clamped->amount += 0 - (uint64_t)v;
	return 0;
}

static enum status miku_push_sample(struct miku *m, const struct miku_node *n,
				    const struct miku_name *info, struct err *e)
{
	struct emit_sample sample = {.marker = info->marker,
				     .stack = n->stack,
				     .calls = KNOWN_IF(n->calls >= 0, n->calls),
				     .total = KNOWN_IF(n->time != MIKU_NO_TIME, n->time)};

	m->bad_calls += n->calls < 0;
	if (!n->no_self_time)
		sample.self = KNOWN(self(n->time, n->kids_time, &m->clamped_time, true));
	return emit_sample(m->im, &sample, e);
}

static enum status miku_push_bytes(struct miku *m, const struct miku_node *n, int64_t bytes,
				   enum domain domain, struct err *e)
{
	const struct emit_alloc alloc = {
	    .stack = n->stack, .domain = KNOWN(domain), .requested = KNOWN(bytes)};
	const struct emit_delta delta = {.stack = n->stack,
					 .domain = domain,
					 .bytes = bytes,
					 .calls = KNOWN_IF(n->calls >= 0, n->calls)};

	if (!bytes)
		return ST_OK;
	return m->allocated && domain == DOMAIN_LUA && !m->im->options->unclamped
		   ? emit_alloc(m->im, &alloc, e)
		   : emit_delta(m->im, &delta, e);
}

static enum status miku_push_node(struct miku *m, size_t i, struct err *e)
{
	struct miku_node *n = &m->tree.nodes[i];
	bool clamp = !m->im->options->unclamped;
	uint32_t above = i ? m->tree.nodes[n->parent].stack : 0;
	const struct miku_name *info = miku_name_info(m, n->name);
	enum status st;

	m->negative_lua += n->lua < 0;
	m->negative_mono += n->mono < 0;
	if (n->collapsed) {
		m->collapsed++;
		n->stack = above;
		return ST_OK;
	}
	m->exceptions += info->kind == NAME_EXCEPTION;
	n->stack = trace_stack(m->im->t, above, info->location);
	st = miku_push_sample(m, n, info, e);
	if (!st)
		st = miku_push_bytes(m, n, self(n->lua, n->kids_lua, &m->clamped_lua, clamp),
				     DOMAIN_LUA, e);
	if (!st)
		st = miku_push_bytes(m, n, self(n->mono, n->kids_mono, &m->clamped_mono, clamp),
				     DOMAIN_MONO, e);
	return st;
}

static enum status push_frame(struct miku *m, struct err *e)
{
	if (!m->tree.frame || (m->has_frame && m->frame == m->tree.frame))
		return ST_OK;
	m->has_frame = true;
	m->frame = m->tree.frame;
	for (size_t i = 0; i < sizeof m->counters / sizeof *m->counters; i++)
		m->counters[i].told = false;
	return emit_frame(m->im, KNOWN(m->tree.frame), ABSENT, e);
}

/* None of these can be 0: that is what the game writes when it does not know. */
static enum status miku_push_counter(struct miku *m, size_t which, int64_t value, struct err *e)
{
	static const struct {
		const char *name, *unit;
	} rows[] = {{"miku.fps", "mfps"},
		    {"miku.memory", "B"},
		    {"miku.power", "m%"},
		    {"lua.heap", "B"},
		    {"mono.heap", "B"}};
	struct miku_counter *c = &m->counters[which];

	if (value < 0)
		m->negative_heaps++;
	if (value <= 0 || (c->told && c->last == value))
		return ST_OK;
	c->told = true;
	c->last = value;
	return emit_counter(m->im, emit_counter_id(m->im, rows[which].name, rows[which].unit),
			    ABSENT, value, e);
}

static enum status push_counters(struct miku *m, bool marker, struct err *e)
{
	const struct miku_tree *t = &m->tree;
	bool heap = marker ? m->heap_of_markers : m->heap_of_roots;
	const int64_t values[] = {
	    num_nearest((double)t->fps * 1000),
	    t->pss,
	    num_nearest((double)t->power * 1000),
	    heap ? t->current_lua : 0,
	    t->current_mono,
	};
	enum status st = ST_OK;

	m->memories += t->pss != 0;
	for (size_t i = 0; !st && i < sizeof values / sizeof *values; i++)
		st = miku_push_counter(m, i, values[i], e);
	return st;
}

enum status miku_root(struct miku *m, struct err *e)
{
	bool marker = is_marker(&m->tree, &m->names);
	enum status st = push_frame(m, e);

	m->markers += marker;
	m->roots += !marker;
	m->framed += !marker && m->tree.frame;
	if (!marker) {
		if (m->layout == MIKU_D && !m->im->options->unclamped)
			raise_all(m);
		miku_sum_up(m);
		for (size_t i = 0; !st && i < m->tree.n; i++)
			st = miku_push_node(m, i, e);
	}
	return st ? st : push_counters(m, marker, e);
}

static void clamp_note(struct trace *t, const struct miku_sum *s, const char *what,
		       const char *unit)
{
	if (s->n)
		trace_note(t, NOTE_INFO, s->n,
			   "nodes have fewer %s than their children: their own are 0, not "
			   "negative (%" PRIu64 " %s in all)",
			   what, s->amount, unit);
}

void miku_end(struct miku *m)
{
	struct trace *t = m->im->t;
	const struct trace_loss of_file[] = {
	    LOSS_IF(NOTE_INFO, m->roots && !m->framed,
		    "no root has a frame number: the file is a result save, one tree of all "
		    "frames, without values by frame"),
	    LOSS_IF(NOTE_GUESS, m->memories,
		    "miku.memory is the field pss: Android's PSS in 2.3 captures, Unity's "
		    "allocated memory in 3.1 captures; the capture does not state which"),
	};

	TRACE_LOSSES(t, of_file);
	clamp_note(t, &m->clamped_time, "time", "ns");
	clamp_note(t, &m->clamped_lua, "Lua bytes", "B");
	clamp_note(t, &m->clamped_mono, "Mono bytes", "B");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, m->raised,
		 "nodes have fewer bytes than their children: raised to the sum of the children, "
		 "as in 3.x"),
	    LOSS(NOTE_INFO, m->collapsed, "repeated coroutine.resume nodes were collapsed"),
	    LOSS(NOTE_INFO, m->exceptions, "exceptions closed open calls early"),
	    LOSS(NOTE_INFO, m->negative_lua,
		 "nodes have negative Lua bytes: a garbage collection happened during the call"),
	    LOSS(NOTE_INFO, m->negative_mono,
		 "nodes have negative Mono bytes: a garbage collection happened during the call"),
	    LOSS(NOTE_INFO, m->tree.pictures, "screenshots were left out"),
	    LOSS(NOTE_INFO, m->tree.picture_names,
		 "screenshots have a name that is not in the file: left out"),
	    LOSS(NOTE_LOSS, m->bad_times,
		 "times are negative, infinite or too large (32 bits of ticks last 214 s): left "
		 "out"),
	    LOSS(NOTE_LOSS, m->bad_calls, "nodes have a negative number of calls: left out"),
	    LOSS(NOTE_LOSS, m->tree.bad_floats,
		 "values of fps or power are negative or not finite: left out"),
	    LOSS(NOTE_LOSS, m->negative_heaps, "heap sizes are negative: left out"),
	    LOSS(NOTE_LOSS, m->names.repaired, "names are not UTF-8: repaired"),
	    LOSS(NOTE_LOSS, m->names.lost, "names were lost with their definitions: <str#N>"),
	    LOSS(NOTE_INFO, m->names.restarts, "more connections follow the first"),
	};

	TRACE_LOSSES(t, losses);
}
