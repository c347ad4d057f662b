/* SPDX-License-Identifier: MIT */
#include "lib/trace/stream_tables.h"

#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/trace/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A number below limit; anything else fails the cursor. what names the table referred to. */
static uint32_t id(struct cursor *c, size_t limit, const char *what)
{
	uint64_t v = cursor_uleb(c);

	if (v >= limit && !(v == 0 && limit == 0))
		cursor_fail(c, ST_BAD, "refers to %s %" PRIu64 ", which has not been defined", what,
			    v);
	return c->failed ? 0 : (uint32_t)v;
}

static uint32_t u32(struct cursor *c, const char *what)
{
	uint64_t v = cursor_uleb(c);

	if (v > UINT32_MAX)
		cursor_fail(c, ST_BAD, "%s %" PRIu64 " has more than 32 bits", what, v);
	return (uint32_t)v;
}

static uint64_t signed_difference(struct cursor *c, uint64_t *previous)
{
	return *previous += (uint64_t)unzigzag(cursor_uleb(c));
}

static const char *text(struct cursor *c, size_t *n)
{
	uint64_t length = cursor_uleb(c);

	/* NULL on failure; the window is the chunk, so the length is bounded by it. */
	*n = length > cursor_window(c) ? cursor_window(c) + 1 : (size_t)length;
	return (const char *)cursor_bytes(c, *n, "text");
}

static size_t strings(const struct trace *t)
{
	return (size_t)intern_count(&t->strings) + 1;
}

static size_t symbol_strings(const struct trace *t)
{
	return (size_t)intern_count(&t->symbols.strings) + 1;
}

enum { MAX_ATTRIBUTES = 1000 };

static void stream_tables_header(struct cursor *c, struct trace *t)
{
	uint64_t flags = cursor_uleb(c), n = cursor_uleb(c);

	t->unordered = flags & 1;
	memset(t->metrics, 0, sizeof t->metrics); /* what is not listed is absent now */
	for (uint64_t m = 0; m < n && !c->failed; m++) {
		uint8_t state = cursor_u8(c), key = cursor_u8(c);

		if (m < METRICS && (state > METRIC_ESTIMATED || key > METRIC_AT_TYPE))
			cursor_fail(c, ST_BAD, "%s: unknown state %u or key %u",
				    metric_name((unsigned)m), state, key);
		if (m < METRICS && !c->failed)
			trace_metric(t, (enum metric)m, state, key);
	}
	n = cursor_uleb(c);
	if (n > MAX_ATTRIBUTES || t->n_attributes > MAX_ATTRIBUTES)
		cursor_fail(c, ST_LIMIT, "more than %d attributes", MAX_ATTRIBUTES);
	while (n-- && !c->failed) {
		char key[256], value[4096];
		size_t k, v;
		const char *s = text(c, &k);

		snprintf(key, sizeof key, "%.*s", s ? (int)k : 0, s ? s : "");
		s = text(c, &v);
		snprintf(value, sizeof value, "%.*s", s ? (int)v : 0, s ? s : "");
		if (!c->failed)
			trace_set(t, key, value);
	}
}

static void stream_tables_module_row(struct cursor *c, struct trace *t)
{
	struct module m = {.name = id(c, strings(t), "string")};
	struct map_range *ranges;
	uint64_t n;

	m.process = u32(c, "process");
	m.epoch_lo = u32(c, "epoch");
	m.epoch_hi = u32(c, "epoch");
	m.build_id = id(c, strings(t), "string");
	m.has_slide = cursor_uleb(c) & 1;
	if (m.has_slide)
		m.slide = cursor_uleb(c);
	n = cursor_uleb(c);
	if (n > MODULE_RANGES || n > cursor_window(c) / 4) {
		cursor_fail(c, ST_BAD, "module with %" PRIu64 " ranges", n);
		return;
	}
	ranges = mem_array((size_t)n, sizeof *ranges);
	for (uint64_t i = 0; i < n; i++) {
		ranges[i].lo = cursor_uleb(c);
		ranges[i].hi = ranges[i].lo + cursor_uleb(c);
		ranges[i].offset = cursor_uleb(c);
		ranges[i].executable = cursor_uleb(c) & 1;
		if (ranges[i].hi < ranges[i].lo)
			cursor_fail(c, ST_BAD, "mapped range wraps around");
	}
	m.ranges = ranges;
	m.n_ranges = (uint32_t)n;
	if (!c->failed)
		trace_module(t, &m);
	free(ranges);
}

/* The stream's next row is ours with this number. */
static void came(struct stream_ids *x, size_t ours)
{
	size_t n = stream_ids_n(x);

	x->n = n + 1;
	if (!x->to && ours == n)
		return;
	if (!x->to) {
		x->to = mem_grow(NULL, &x->cap, n + 1, sizeof *x->to);
		for (size_t i = 0; i < n; i++)
			x->to[i] = (uint32_t)i;
	}
	x->to = mem_grow(x->to, &x->cap, n + 1, sizeof *x->to);
	x->to[n] = (uint32_t)ours;
}

static void stream_tables_location_row(struct cursor *c, struct trace *t, uint64_t *previous)
{
	uint8_t b = cursor_u8(c);
	struct location l = {.space = b & 7, .kind = b >> 3 & 7};

	if (l.space >= SPACES || l.kind >= LOCATION_KINDS)
		cursor_fail(c, ST_BAD, "location of unknown space or kind");
	l.raw = signed_difference(c, previous);
	l.module = id(c, t->n_modules, "module");
	if (b & 1 << 6) {
		l.process = u32(c, "process");
		l.epoch = u32(c, "epoch");
	}
	if (b & 1 << 7) {
		l.name = id(c, strings(t), "string");
		l.file = id(c, strings(t), "string");
		l.line = u32(c, "line");
	}
	if (c->failed)
		return;
	came(&t->index->stream_locations, t->n_locations);
	VEC_PUSH(t->locations, t->n_locations, t->cap_locations) = l;
}

static void stream_tables_stack_row(struct cursor *c, struct trace *t)
{
	struct trace_index *x = t->index;
	const struct stream_ids *locations = &x->stream_locations;
	size_t next = stream_ids_n(&x->stream_stacks);
	uint64_t back = cursor_uleb(c);
	uint32_t location = id(c, stream_ids_n(locations), "location");
	struct stack s;

	if (back < 1 || back > next)
		cursor_fail(c, ST_BAD, "stack refers forward");
	if (!location)
		cursor_fail(c, ST_BAD, "stack without a location");
	if (c->failed)
		return;
	s = (struct stack){stream_id(&x->stream_stacks, (uint32_t)(next - back)),
			   stream_id(locations, location)};
	came(&x->stream_stacks, t->n_stacks);
	VEC_PUSH(t->stacks, t->n_stacks, t->cap_stacks) = s;
}

static void thread_row(struct cursor *c, struct trace *t)
{
	struct thread th = {.process = u32(c, "process")};
	uint32_t before;
	size_t n;

	th.tid = cursor_uleb(c);
	th.generation = u32(c, "generation");
	th.name = id(c, strings(t), "string");
	if (c->failed)
		return;
	/* A row that comes again is a thread that has another name now. */
	n = t->n_threads;
	before = trace_thread(t, &th);
	if (t->n_threads == n) {
		t->threads[before].name = th.name;
		t->more_names++;
		VEC_PUSH(t->threads, t->n_threads, t->cap_threads) = th;
	}
}

/* These two tables have no ids. */
static void module_file_row(struct cursor *c, struct trace *t)
{
	struct module_file f = {.module = id(c, t->n_modules, "module")};

	f.device = cursor_uleb(c);
	f.inode = cursor_uleb(c);
	f.size = cursor_uleb(c);
	f.modified = unzigzag(cursor_uleb(c));
	if (!f.module)
		cursor_fail(c, ST_BAD, "file of no module");
	if (!c->failed)
		trace_module_file(t, &f);
}

static void location_name_row(struct cursor *c, struct trace *t)
{
	const struct stream_ids *locations = &t->index->stream_locations;
	uint32_t location = id(c, stream_ids_n(locations), "location");
	uint32_t name = id(c, strings(t), "string");

	if (!location)
		cursor_fail(c, ST_BAD, "name of no location");
	if (!c->failed)
		trace_location_name(t,
				    &(struct location_name){stream_id(locations, location), name});
}

static void note_row(struct cursor *c, struct trace *t)
{
	uint8_t severity = cursor_u8(c);
	uint64_t count = cursor_uleb(c);
	size_t n;
	const char *s = text(c, &n);

	if (severity > NOTE_LOSS)
		cursor_fail(c, ST_BAD, "note of unknown severity");
	if (!c->failed)
		trace_note(t, severity, count, "%.*s", (int)n, s);
}

static void call_row(struct cursor *c, struct trace_symbols *y, size_t n_strings)
{
	size_t next = y->n_calls ? y->n_calls : 1;
	uint64_t back = cursor_uleb(c);
	struct symbol_call call = {.function = id(c, y->n_functions, "function")};

	if (back < 1 || back > next)
		cursor_fail(c, ST_BAD, "call refers forward");
	call.outer = (uint32_t)(next - back);
	call.file = id(c, n_strings, "string");
	call.line = u32(c, "line");
	call.column = u32(c, "column");
	if (!c->failed)
		symbols_call(y, &call);
}

static void stream_tables_binding_row(struct cursor *c, struct trace *t, uint64_t *previous)
{
	struct trace_index *x = t->index;
	size_t location = x->stream_bindings + 1;
	struct binding b = {.reason = cursor_u8(c)};
	uint8_t bits = cursor_u8(c);

	b.tier = bits & 7;
	b.kind = bits >> 3;
	b.flags = (uint8_t)cursor_uleb(c);
	b.object = id(c, t->symbols.n_objects, "object");
	b.vaddr = signed_difference(c, previous);
	b.call = id(c, t->symbols.n_calls, "call");
	if (b.reason == REASON_REPLACED)
		b.reason = REASONS;
	if (b.flags & BINDING_REPLACED && b.reason == REASON_BUILD_ID_DIFFERS)
		b.reason = REASON_REPLACED;
	b.flags &= (uint8_t)~BINDING_REPLACED;
	if (b.reason >= REASONS || b.tier >= TIERS || b.kind >= LOCATION_KINDS)
		cursor_fail(c, ST_BAD, "binding of unknown reason, tier or kind");
	if (location >= stream_ids_n(&x->stream_locations))
		cursor_fail(c, ST_BAD, "binding of a location that has not been defined");
	if (c->failed)
		return;
	symbols_bind(&t->symbols, stream_id(&x->stream_locations, (uint32_t)location), &b);
	x->stream_bindings = location;
}

void stream_rows(const struct trace *t, uint64_t rows[TOTALS_ROWS])
{
	const struct trace_index *x = t->index;
	const size_t have[TOTALS_ROWS] = {strings(t),
					  t->n_modules,
					  stream_ids_n(&x->stream_locations),
					  stream_ids_n(&x->stream_stacks),
					  t->n_types,
					  t->n_threads,
					  t->n_markers,
					  t->n_counters};

	for (size_t i = 0; i < TOTALS_ROWS; i++)
		rows[i] = have[i] - 1;
}

/* A mismatch is a loss that no checksum shows: chunks that are missing as a whole. */
static void stream_tables_totals(struct cursor *c, struct trace *t)
{
	uint64_t have[TOTALS_ROWS], n = cursor_uleb(c);

	stream_rows(t, have);
	t->complete = true;
	for (uint64_t k = 0; k < n && !c->failed; k++) {
		uint64_t written = cursor_uleb(c);

		if (k < EV_KINDS && !c->failed && written != t->events[k]) {
			t->complete = false;
			trace_note(
			    t, NOTE_LOSS, written > t->events[k] ? written - t->events[k] : 0,
			    "the trace says it has %" PRIu64 " %s events, %" PRIu64 " are there",
			    written, event_kind_name((unsigned)k), t->events[k]);
		}
	}
	n = cursor_uleb(c);
	for (uint64_t i = 0; i < n && !c->failed; i++) {
		uint64_t written = cursor_uleb(c);

		if (i < TOTALS_ROWS && !c->failed && written != have[i]) {
			t->complete = false;
			trace_note(t, NOTE_LOSS, 0,
				   "the trace's tables are shorter than its totals say");
		}
	}
}

/* Rows that rows after this one in the table would have to follow. */
static size_t *stream_tables_size(struct trace *t, uint32_t kind, size_t *scratch)
{
	struct trace_index *x = t->index;
	struct trace_symbols *y = &t->symbols;

	switch (kind) {
	case CHUNK_STRINGS: *scratch = strings(t); return scratch;
	case CHUNK_MODULES: return &t->n_modules;
	case CHUNK_LOCATIONS: *scratch = stream_ids_n(&x->stream_locations); return scratch;
	case CHUNK_STACKS: *scratch = stream_ids_n(&x->stream_stacks); return scratch;
	case CHUNK_TYPES: return &t->n_types;
	case CHUNK_THREADS: return &t->n_threads;
	case CHUNK_MARKERS: return &t->n_markers;
	case CHUNK_COUNTERS: return &t->n_counters;
	case CHUNK_SYMBOL_STRINGS: *scratch = symbol_strings(t); return scratch;
	case CHUNK_SYMBOL_OBJECTS: *scratch = y->n_objects ? y->n_objects : 1; return scratch;
	case CHUNK_SYMBOL_FUNCTIONS: *scratch = y->n_functions ? y->n_functions : 1; return scratch;
	case CHUNK_SYMBOL_CALLS: *scratch = y->n_calls ? y->n_calls : 1; return scratch;
	case CHUNK_BINDINGS: *scratch = x->stream_bindings + 1; return scratch;
	default: return NULL;
	}
}

static void stream_tables_row(struct cursor *c, struct trace *t, uint32_t kind, uint64_t *previous)
{
	struct trace_symbols *y = &t->symbols;
	size_t n, n_sym = symbol_strings(t);
	const char *s;

	switch (kind) {
	case CHUNK_STRINGS:
	case CHUNK_SYMBOL_STRINGS:
		s = text(c, &n);
		if (s && n > TRACE_STRING_MAX)
			cursor_fail(c, ST_BAD, "string of %zu bytes: at most %d are legal", n,
				    TRACE_STRING_MAX);
		else if (s)
			intern_append(kind == CHUNK_STRINGS ? &t->strings : &y->strings, s, n);
		break;
	case CHUNK_MODULES: stream_tables_module_row(c, t); break;
	case CHUNK_LOCATIONS: stream_tables_location_row(c, t, previous); break;
	case CHUNK_STACKS: stream_tables_stack_row(c, t); break;
	case CHUNK_TYPES: {
		uint32_t name = id(c, strings(t), "string");

		if (!c->failed)
			VEC_PUSH(t->types, t->n_types, t->cap_types) = name;
		break;
	}
	case CHUNK_THREADS: thread_row(c, t); break;
	case CHUNK_MARKERS: {
		struct marker m = {.name = id(c, strings(t), "string")};

		m.category = id(c, strings(t), "string");
		if (!c->failed)
			VEC_PUSH(t->markers, t->n_markers, t->cap_markers) = m;
		break;
	}
	case CHUNK_COUNTERS: {
		struct counter m = {.name = id(c, strings(t), "string")};

		m.unit = id(c, strings(t), "string");
		if (!c->failed)
			VEC_PUSH(t->counters, t->n_counters, t->cap_counters) = m;
		break;
	}
	case CHUNK_SYMBOL_OBJECTS: {
		struct symbol_object o = {.name = id(c, n_sym, "string")};

		o.path = id(c, n_sym, "string");
		o.debug_path = id(c, n_sym, "string");
		o.build_id = id(c, n_sym, "string");
		if (!c->failed)
			symbols_object(y, &o);
		break;
	}
	case CHUNK_SYMBOL_FUNCTIONS: {
		struct symbol_function f = {.raw = id(c, n_sym, "string")};

		f.display = id(c, n_sym, "string");
		if (!c->failed)
			symbols_function(y, &f);
		break;
	}
	case CHUNK_SYMBOL_CALLS: call_row(c, y, n_sym); break;
	case CHUNK_BINDINGS: stream_tables_binding_row(c, t, previous); break;
	default: break;
	}
}

enum status stream_table(struct trace *t, const struct trace_chunk *c, const uint8_t *payload,
			 uint64_t offset, struct err *e)
{
	struct cursor cur;
	size_t scratch, *size = stream_tables_size(t, c->kind, &scratch);
	uint64_t first, previous = 0;

	cursor_init(&cur, payload, c->length, offset, e);
	if (c->kind == CHUNK_HEADER) {
		stream_tables_header(&cur, t);
	} else if (c->kind == CHUNK_TOTALS) {
		stream_tables_totals(&cur, t);
	} else if (c->kind == CHUNK_NOTES || c->kind == CHUNK_SYMBOL_NOTES) {
		size_t before = t->n_notes;

		cursor_uleb(&cur); /* notes have no ids */
		while (!cursor_done(&cur))
			note_row(&cur, t);
		for (size_t i = before; i < t->n_notes; i++)
			t->notes[i].symbolizing = c->kind == CHUNK_SYMBOL_NOTES;
	} else if (c->kind == CHUNK_MODULE_FILES || c->kind == CHUNK_LOCATION_NAMES) {
		cursor_uleb(&cur);
		while (!cursor_done(&cur))
			(c->kind == CHUNK_MODULE_FILES ? module_file_row : location_name_row)(&cur,
											      t);
	} else if (size) {
		first = cursor_uleb(&cur);
		if (!cur.failed && first != *size)
			cursor_fail(&cur, ST_BAD,
				    "table chunk of kind %" PRIu32 " starts at row %" PRIu64
				    ", expected %zu: a chunk is missing",
				    c->kind, first, *size);
		while (!cursor_done(&cur))
			stream_tables_row(&cur, t, c->kind, &previous);
	} else {
		return ST_NONE;
	}
	return cur.failed ? err_failure(e) : ST_OK;
}
