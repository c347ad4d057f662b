/* SPDX-License-Identifier: MIT
 *
 * .nettrace: events of .NET's runtime (EventPipe), as dotnet-trace writes them.
 *
 *	"Nettrace", 20 and "!FastSerialization.1"; then objects: 5 5 1, version, least version, length and name of the
 *	type, 6, its fields, 6; 1 at the end. "Trace" is the first. The others have a size, zeros up to a multiple of 4
 *	bytes of the file, and so many bytes: a head (u16 size, u16 flags ...) and blobs ("EventBlock", "MetadataBlock"), or
 *	stacks: first id, count, and for each its bytes and so many ("StackBlock"). An "SPBlock" ends what ids of stacks mean.
 *
 * Each event has a number that a blob of a MetadataBlock explains: provider, and its number there. From
 * microsoft/perfview's NetTraceFormat_v5.md (versions 4 and 5), the fields of events from .NET's documentation of
 * runtime events, and perfview's test files with their baselines.
 *
 * Methods are named by events that mostly stand at the end of the file: it is read twice. A sample is of each thread
 * of managed code in turn, also of threads that wait: it tells time, and not time on the processor.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/utf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_COMPRESSED = 1, NAME_MOST = 64, FRAMES_MOST = 4096, METHODS_MOST = 1 << 22 };

enum event_type {
	TYPE_OTHER = 1,
	TYPE_SAMPLE,
	TYPE_ALLOCATION,
	TYPE_METHOD,
	TYPE_GC_START,
	TYPE_GC_END,
	TYPE_HEAP,
	TYPE_SUSPEND,
	TYPE_RESTARTED,
	TYPE_EXCEPTION
};

/* Of which provider, its number there, what it is here. */
static const struct {
	const char *provider;
	uint32_t id;
	enum event_type type;
} event_types[] = {{"Microsoft-DotNETCore-SampleProfiler", 0, TYPE_SAMPLE},
		   {"Microsoft-Windows-DotNETRuntime", 10, TYPE_ALLOCATION},
		   {"Microsoft-Windows-DotNETRuntime", 143, TYPE_METHOD},
		   {"Microsoft-Windows-DotNETRuntimeRundown", 143, TYPE_METHOD},
		   {"Microsoft-Windows-DotNETRuntimeRundown", 144, TYPE_METHOD},
		   {"Microsoft-Windows-DotNETRuntime", 1, TYPE_GC_START},
		   {"Microsoft-Windows-DotNETRuntime", 2, TYPE_GC_END},
		   {"Microsoft-Windows-DotNETRuntime", 4, TYPE_HEAP},
		   {"Microsoft-Windows-DotNETRuntime", 9, TYPE_SUSPEND},
		   {"Microsoft-Windows-DotNETRuntime", 3, TYPE_RESTARTED},
		   {"Microsoft-Windows-DotNETRuntime", 80, TYPE_EXCEPTION}};

struct method {
	uint64_t start, end;
	uint32_t name; /* string of ours */
};

struct kept_stack {
	size_t first, n; /* in bytes */
	uint32_t stack;  /* of the trace, + 1; 0: not made yet */
};

/* What the blob before had, in a block; the next one may leave it out. */
struct blob {
	uint32_t metadata, stack, payload_size;
	uint64_t thread;
	int64_t qpc;
};

struct nettrace {
	struct import *im;
	bool second;
	int64_t zero;
	uint64_t frequency;
	uint32_t pointer, process;
	struct map64 types; /* number of an event -> enum event_type */
	struct map64 versions;
	struct intern strings;
	struct method *methods;
	size_t n_methods, cap_methods;
	struct map64 stack_ids; /* -> index + 1 of stacks */
	struct kept_stack *stacks;
	size_t n_stacks, cap_stacks;
	struct buf bytes;       /* of the stacks */
	struct map64 locations; /* by address */
	struct map64 gcs;       /* threads with an open GC, or pause: bits */
	uint32_t *frames;
	size_t n_frames, cap_frames;
	struct buf text;
	uint64_t of_type[TYPE_EXCEPTION + 1];
	uint64_t odd, no_stack, no_time, more_methods, background, objects;
};

static int method_order(const void *pa, const void *pb)
{
	const struct method *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* --- payloads --- */

static uint64_t take_pointer(const struct nettrace *t, struct cursor *c)
{
	return t->pointer == 4 ? cursor_u32(c) : cursor_u64(c);
}

/* UTF-16 up to a 0, added to text. */
static void take_text(struct nettrace *t, struct cursor *c)
{
	size_t n = cursor_window(c), i = 0;
	const uint8_t *p = c->pos;

	while (i + 1 < n && (p[i] || p[i + 1]))
		i += 2;
	utf16_to_utf8(&t->text, p, i, false);
	cursor_skip(c, i + 2, "a text");
}

static void read_method(struct nettrace *t, struct cursor *c)
{
	struct method m;

	cursor_skip(c, 16, "a method");
	m.start = cursor_u64(c);
	m.end = m.start + cursor_u32(c);
	cursor_skip(c, 8, "a method");
	t->text.len = 0;
	take_text(t, c);
	buf_addc(&t->text, '.');
	take_text(t, c);
	if (cursor_failed(c) || m.end <= m.start) {
		t->odd += cursor_failed(c);
		return;
	}
	if (t->n_methods >= METHODS_MOST) {
		t->more_methods++;
		return;
	}
	m.name = intern_add(&t->strings, t->text.data, t->text.len);
	VEC_PUSH(t->methods, t->n_methods, t->cap_methods) = m;
}

/* --- stacks --- */

static uint32_t place_of(struct nettrace *t, uint64_t address)
{
	uint32_t *at = map64_put(&t->locations, address);
	struct trace *trace = t->im->t;
	size_t i = *at ? 0 : BISECT(k, 0, t->n_methods, t->methods[k].start <= address), n;
	const struct method *m = i ? &t->methods[i - 1] : NULL;

	if (*at)
		return *at;
	if (m && address < m->end) {
		const char *s = intern_text(&t->strings, m->name, &n);

		return *at = emit_named(trace, trace_string(trace, s, n), 0, 0);
	}
	return *at = trace_location(trace, &(struct location){.raw = address,
							      .space = SPACE_RUNTIME,
							      .kind = LOCATION_UNSTATED});
}

static void read_stacks(struct nettrace *t, struct cursor *c)
{
	uint32_t id = cursor_u32(c), count = cursor_u32(c);

	for (uint32_t i = 0; i < count && !cursor_failed(c); i++) {
		uint32_t n = cursor_u32(c);
		const uint8_t *p = cursor_failed(c) ? NULL : cursor_bytes(c, n, "a stack");

		if (!p)
			return;
		VEC_PUSH(t->stacks, t->n_stacks, t->cap_stacks) =
		    (struct kept_stack){t->bytes.len, n, 0};
		buf_add(&t->bytes, p, n);
		*map64_put(&t->stack_ids, id++) = (uint32_t)t->n_stacks;
	}
}

static void forget_stacks(struct nettrace *t)
{
	map64_release(&t->stack_ids);
	t->stack_ids = (struct map64)MAP64_INIT;
	t->n_stacks = 0;
	t->bytes.len = 0;
}

/* 0: none, or it is not known. */
static uint32_t stack_of(struct nettrace *t, uint32_t id)
{
	uint32_t at = map64_get(&t->stack_ids, id), size = t->pointer;
	struct kept_stack *k = at ? &t->stacks[at - 1] : NULL;
	struct cursor c;
	struct err e = ERR_INIT;
	uint32_t stack = 0;

	if (!k || k->n < size || k->n / size > FRAMES_MOST) {
		t->no_stack++;
		return 0;
	}
	if (k->stack)
		return k->stack - 1;
	cursor_init(&c, t->bytes.data + k->first, k->n, 0, &e);
	t->n_frames = 0;
	for (size_t i = 0; i < k->n / size; i++)
		VEC_PUSH(t->frames, t->n_frames, t->cap_frames) = place_of(t, take_pointer(t, &c));
	for (size_t i = t->n_frames; i-- > 0;)
		stack = trace_stack(t->im->t, stack, t->frames[i]);
	k->stack = stack + 1;
	return stack;
}

/* --- events --- */

static struct known_number time_of(const struct nettrace *t, int64_t qpc)
{
	__int128 ns = ((__int128)qpc - t->zero) * 1000000000 / (__int128)t->frequency;

	return KNOWN_IF(ns >= INT64_MIN && ns <= INT64_MAX, (int64_t)ns);
}

static uint32_t named_marker(struct nettrace *t, const char *name, const char *category)
{
	struct trace *trace = t->im->t;

	return trace_marker(trace,
			    &(struct marker){trace_strz(trace, name), trace_strz(trace, category)});
}

static uint32_t thread_of(struct nettrace *t, uint64_t id)
{
	return trace_thread(t->im->t, &(struct thread){.process = t->process, .tid = (uint32_t)id});
}

static enum status push_sample(struct nettrace *t, const struct blob *b, struct cursor *c,
			       struct err *e)
{
	static const char *const words[] = {"error", "external", "managed"};
	uint32_t type = cursor_u32(c);
	struct emit_sample s = {.stack = stack_of(t, b->stack),
				.thread = thread_of(t, b->thread),
				.time = time_of(t, b->qpc),
				.samples = KNOWN(1)};

	if (cursor_failed(c) || type > 2) {
		t->odd++;
		return ST_OK;
	}
	s.marker = named_marker(t, words[type], "sample");
	return emit_sample(t->im, &s, e);
}

static enum status push_allocation(struct nettrace *t, const struct blob *b, uint32_t version,
				   struct cursor *c, struct err *e)
{
	struct emit_alloc a = {.thread = thread_of(t, b->thread), .time = time_of(t, b->qpc)};
	uint64_t bytes = cursor_u32(c);

	cursor_u32(c);
	if (version >= 1)
		cursor_u16(c);
	if (version >= 2) {
		bytes = cursor_u64(c);
		take_pointer(t, c);
		t->text.len = 0;
		take_text(t, c);
		if (t->text.len)
			a.type = trace_type(t->im->t, t->text.data, t->text.len);
	}
	if (cursor_failed(c) || bytes > INT64_MAX) {
		t->odd++;
		return ST_OK;
	}
	a.stack = stack_of(t, b->stack);
	a.requested = KNOWN(bytes);
	a.domain = KNOWN(DOMAIN_POOL);
	return emit_alloc(t->im, &a, e);
}

static enum status push_heap(struct nettrace *t, const struct blob *b, uint32_t version,
			     struct cursor *c, struct err *e)
{
	static const char *const names[] = {"gc.gen0", "gc.gen1", "gc.gen2", "gc.loh", "gc.poh"};
	uint64_t sizes[5], total = 0;
	unsigned n = 4;
	enum status st = ST_OK;

	for (unsigned i = 0; i < 4; i++) {
		sizes[i] = cursor_u64(c);
		cursor_u64(c);
	}
	cursor_skip(c, 16 + 4 + 4 + 4, "sizes of a heap");
	if (version >= 1)
		cursor_u16(c);
	if (version >= 2)
		sizes[n++] = cursor_u64(c);
	if (cursor_failed(c)) {
		t->odd++;
		return ST_OK;
	}
	for (unsigned i = 0; !st && i < n; i++) {
		total += sizes[i] & INT64_MAX >> 4;
		st = emit_counter(t->im, emit_counter_id(t->im, names[i], "B"), time_of(t, b->qpc),
				  (int64_t)(sizes[i] & INT64_MAX >> 4), e);
	}
	return st ? st
		  : emit_counter(t->im, emit_counter_id(t->im, "gc.heap", "B"), time_of(t, b->qpc),
				 (int64_t)total, e);
}

enum { OPEN_PAUSE = 1, OPEN_GC };

/* A collection, or the pause around it, begins or ends on its thread. */
static enum status push_edge(struct nettrace *t, const struct blob *b, uint32_t kind, bool begins,
			     const char *name, struct err *e)
{
	uint32_t *open = map64_put(&t->gcs, b->thread), was = *open & 3;
	struct emit_call call = {.thread = thread_of(t, b->thread), .time = time_of(t, b->qpc)};

	*open = 4 | (begins ? was | kind : was & ~kind);
	if (begins == ((was & kind) != 0))
		return ST_OK;
	if (begins) {
		call.marker = named_marker(t, name, "GC");
		call.stack = trace_stack(t->im->t, 0,
					 emit_named(t->im->t, trace_strz(t->im->t, name), 0, 0));
	}
	return emit_edge(t->im, begins ? EV_ENTER : EV_EXIT, &call, e);
}

static enum status push_gc_start(struct nettrace *t, const struct blob *b, struct cursor *c,
				 struct err *e)
{
	static const char *const names[] = {"GC of generation 0", "GC of generation 1",
					    "GC of generation 2"};
	uint32_t depth, type;

	cursor_u32(c);
	depth = cursor_u32(c);
	cursor_u32(c);
	type = cursor_u32(c);
	if (cursor_failed(c) || depth > 2) {
		t->odd++;
		return ST_OK;
	}
	if (type == 1) { /* goes on while the program runs, and has others in it */
		t->background++;
		return ST_OK;
	}
	return push_edge(t, b, OPEN_GC, true, names[depth], e);
}

static enum status push_exception(struct nettrace *t, const struct blob *b, struct cursor *c,
				  struct err *e)
{
	struct trace *trace = t->im->t;
	struct emit_log line = {.time = time_of(t, b->qpc)};

	t->text.len = 0;
	take_text(t, c);
	buf_adds(&t->text, ": ");
	take_text(t, c);
	if (cursor_failed(c)) {
		t->odd++;
		return ST_OK;
	}
	line.text = trace_string(trace, t->text.data, t->text.len);
	line.severity =
	    trace_marker(trace, &(struct marker){.name = trace_strz(trace, "exception")});
	return emit_log(t->im, &line, e);
}

static enum status read_event(struct nettrace *t, const struct blob *b, struct cursor *c,
			      struct err *e)
{
	uint32_t type = map64_get(&t->types, b->metadata);
	uint32_t version = map64_get(&t->versions, b->metadata) - 1, reason;

	if (!t->second) {
		t->of_type[type ? type : TYPE_OTHER]++;
		if (type == TYPE_METHOD)
			read_method(t, c);
		return ST_OK;
	}
	switch (type) {
	case TYPE_SAMPLE: return push_sample(t, b, c, e);
	case TYPE_ALLOCATION: return push_allocation(t, b, version, c, e);
	case TYPE_HEAP: return push_heap(t, b, version, c, e);
	case TYPE_GC_START: return push_gc_start(t, b, c, e);
	case TYPE_GC_END: return push_edge(t, b, OPEN_GC, false, NULL, e);
	case TYPE_SUSPEND:
		reason = cursor_u32(c);
		return reason == 1 || reason == 6 ? push_edge(t, b, OPEN_PAUSE, true, "GC pause", e)
						  : ST_OK;
	case TYPE_RESTARTED: return push_edge(t, b, OPEN_PAUSE, false, NULL, e);
	case TYPE_EXCEPTION: return push_exception(t, b, c, e);
	default: return ST_OK;
	}
}

static void read_metadata(struct nettrace *t, struct cursor *c)
{
	uint32_t number = cursor_u32(c), id;
	enum event_type type = TYPE_OTHER;

	t->text.len = 0;
	take_text(t, c);
	id = cursor_u32(c);
	for (size_t i = 0; i < sizeof event_types / sizeof *event_types; i++)
		if (id == event_types[i].id && t->text.len == strlen(event_types[i].provider) &&
		    !memcmp(t->text.data, event_types[i].provider, t->text.len))
			type = event_types[i].type;
	take_text(t, c);
	cursor_u64(c);
	*map64_put(&t->versions, number) = (cursor_u32(c) & 0xff) + 1;
	*map64_put(&t->types, number) = type;
	t->odd += cursor_failed(c);
}

/* --- blocks --- */

enum {
	HAS_METADATA = 1,
	HAS_CAPTURE = 2,
	HAS_THREAD = 4,
	HAS_STACK = 8,
	HAS_ACTIVITY = 16,
	HAS_RELATED = 32,
	HAS_SIZE = 128
};

static void read_compressed(struct cursor *c, struct blob *b)
{
	uint8_t flags = cursor_u8(c);

	if (flags & HAS_METADATA)
		b->metadata = (uint32_t)cursor_uleb(c);
	if (flags & HAS_CAPTURE) {
		cursor_uleb(c); /* number in its thread, the thread, its processor */
		cursor_uleb(c);
		cursor_uleb(c);
	}
	if (flags & HAS_THREAD)
		b->thread = cursor_uleb(c);
	if (flags & HAS_STACK)
		b->stack = (uint32_t)cursor_uleb(c);
	b->qpc = (int64_t)((uint64_t)b->qpc + cursor_uleb(c));
	if (flags & HAS_ACTIVITY)
		cursor_skip(c, 16, "an activity");
	if (flags & HAS_RELATED)
		cursor_skip(c, 16, "an activity");
	if (flags & HAS_SIZE)
		b->payload_size = (uint32_t)cursor_uleb(c);
}

static void read_plain(struct cursor *c, struct blob *b)
{
	cursor_u32(c); /* size */
	b->metadata = cursor_u32(c) & INT32_MAX;
	cursor_u32(c);
	b->thread = cursor_u64(c);
	cursor_u64(c);
	cursor_u32(c);
	b->stack = cursor_u32(c);
	b->qpc = (int64_t)cursor_u64(c);
	cursor_skip(c, 32, "activities");
	b->payload_size = cursor_u32(c);
}

static enum status read_blobs(struct nettrace *t, struct cursor *c, bool metadata, struct err *e)
{
	uint64_t begin = cursor_offset(c);
	uint16_t head = cursor_u16(c), flags = cursor_u16(c);
	struct blob b = {.metadata = 0};
	enum status st = ST_OK;

	if (head < 4)
		return cursor_fail(c, ST_BAD, "head of a block: %u bytes", head);
	cursor_skip(c, head - 4u, "head of a block");
	while (!st && !cursor_failed(c) && cursor_window(c)) {
		struct cursor payload;
		struct err own = ERR_INIT;
		uint64_t at;
		const uint8_t *p;

		if (flags & HEADER_COMPRESSED)
			read_compressed(c, &b);
		else
			read_plain(c, &b);
		at = cursor_offset(c);
		p = cursor_failed(c) ? NULL : cursor_bytes(c, b.payload_size, "an event");
		if (!p)
			break;
		cursor_init(&payload, p, b.payload_size, at, &own);
		if (metadata && !t->second)
			read_metadata(t, &payload);
		else if (!metadata)
			st = read_event(t, &b, &payload, e);
		if (!(flags & HEADER_COMPRESSED))
			while ((cursor_offset(c) - begin) % 4 && cursor_window(c))
				cursor_u8(c);
	}
	return st ? st : cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status read_block(struct nettrace *t, struct cursor *c, const char *name, struct err *e)
{
	uint32_t n = cursor_u32(c);
	struct cursor block;
	const uint8_t *p;
	uint64_t at;

	while (!cursor_failed(c) && cursor_offset(c) % 4)
		cursor_u8(c);
	at = cursor_offset(c);
	if (!strcmp(name, "EventBlock") || !strcmp(name, "MetadataBlock") ||
	    !strcmp(name, "StackBlock")) {
		p = cursor_failed(c) ? NULL : cursor_bytes(c, n, "a block");
		if (!p)
			return err_failure(e);
		cursor_init(&block, p, n, at, e);
		if (*name == 'S')
			read_stacks(t, &block);
		else
			return read_blobs(t, &block, *name == 'M', e);
		return cursor_failed(&block) ? err_failure(e) : ST_OK;
	}
	if (!strcmp(name, "SPBlock"))
		forget_stacks(t);
	cursor_skip(c, n, "a block");
	return cursor_failed(c) ? err_failure(e) : ST_OK;
}

/* --- the file --- */

static enum status read_trace_object(struct nettrace *t, struct cursor *c)
{
	cursor_skip(c, 16, "the date");
	t->zero = (int64_t)cursor_u64(c);
	t->frequency = cursor_u64(c);
	t->pointer = cursor_u32(c);
	t->process = cursor_u32(c);
	cursor_skip(c, 8, "the trace");
	if (!cursor_failed(c) &&
	    (!t->frequency || t->frequency > INT64_MAX || (t->pointer != 4 && t->pointer != 8)))
		return cursor_fail(c, ST_BAD,
				   "the trace: %" PRIu64 " ticks a second, pointers of %u bytes",
				   t->frequency, t->pointer);
	return cursor_failed(c) ? err_failure(c->e) : ST_OK;
}

/* ST_NONE: the end. */
static enum status read_object(struct nettrace *t, struct cursor *c, struct err *e)
{
	uint8_t tag = cursor_u8(c);
	char name[NAME_MOST] = "";
	uint32_t n, least;
	const uint8_t *p;
	enum status st;

	if (tag == 1 && !cursor_failed(c))
		return ST_NONE;
	if (tag != 5 || cursor_u8(c) != 5 || cursor_u8(c) != 1)
		return cursor_fail(c, ST_BAD, "this is no object of .NET's serialization");
	cursor_u32(c);
	least = cursor_u32(c);
	n = cursor_u32(c);
	if (!cursor_failed(c) && n >= NAME_MOST)
		return cursor_fail(c, ST_BAD, "the name of a type has %" PRIu32 " bytes", n);
	p = cursor_failed(c) ? NULL : cursor_bytes(c, n, "the name of a type");
	if (!p)
		return err_failure(e);
	memcpy(name, p, n);
	if (cursor_u8(c) != 6)
		return cursor_fail(c, ST_BAD, "the type %s does not end", name);
	if (!strcmp(name, "Trace") && least > 5)
		return cursor_fail(c, ST_UNSUPPORTED,
				   "version %" PRIu32 " of nettrace; 4 and 5 are read", least);
	if (!strcmp(name, "Trace"))
		st = read_trace_object(t, c);
	else if (!t->frequency)
		st = cursor_fail(c, ST_BAD, "%s stands before the trace's own object", name);
	else
		st = read_block(t, c, name, e);
	if (st)
		return st;
	t->objects++;
	return cursor_u8(c) == 6 ? ST_OK
				 : cursor_fail(c, ST_BAD, "an object %s does not end", name);
}

static enum status read_objects(struct nettrace *t, bool second, struct err *e)
{
	static const char mark[] = "!FastSerialization.1";
	struct cursor *c = &t->im->in->cur;
	enum status st = ST_OK;
	const uint8_t *p;

	t->second = second;
	forget_stacks(t);
	cursor_skip(c, 8, "the mark");
	if (cursor_u32(c) != sizeof mark - 1)
		return cursor_fail(c, ST_UNSUPPORTED,
				   "a later version of nettrace; 4 and 5 are read");
	p = cursor_bytes(c, sizeof mark - 1, "the mark");
	if (!p || memcmp(p, mark, sizeof mark - 1) != 0)
		return p ? cursor_fail(c, ST_BAD, "the mark of the serialization is not there")
			 : err_failure(e);
	while (!st)
		st = read_object(t, c, e);
	return st == ST_NONE ? ST_OK : st;
}

static void nettrace_metrics(const struct nettrace *t)
{
	if (t->of_type[TYPE_ALLOCATION]) {
		trace_metric(t->im->t, METRIC_COUNT, METRIC_ABSENT, METRIC_AT_ALL);
		trace_metric(t->im->t, METRIC_REQUESTED, METRIC_ESTIMATED, METRIC_AT_ALL);
	}
	if (t->of_type[TYPE_GC_START] || t->of_type[TYPE_SUSPEND])
		trace_metric(t->im->t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
}

static void nettrace_notes(const struct nettrace *t)
{
	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, t->of_type[TYPE_OTHER], "events of other kinds were left out"),
	    LOSS(NOTE_INFO, t->background,
		 "collections in the background were left out; their pauses are there"),
	    LOSS(NOTE_INFO, t->no_stack, "events have no stack"),
	    LOSS(NOTE_LOSS, t->odd, "events do not hold what their kind says"),
	    LOSS(NOTE_LOSS, t->more_methods, "methods above the limit of 4194304 have no names"),
	};

	TRACE_LOSSES(t->im->t, losses);
}

static enum status read_twice(struct nettrace *t, struct err *e)
{
	struct err first = ERR_INIT;
	struct cursor *c = &t->im->in->cur;
	struct err *was = c->e;
	enum status st;

	c->e = &first;
	st = read_objects(t, false, &first);
	c->e = was;
	if (st && !t->objects) {
		*e = first;
		return st;
	}
	sort_stable(t->methods, t->n_methods, sizeof *t->methods, method_order);
	nettrace_metrics(t);
	st = input_rewind(t->im->in);
	st = st ? st : import_begin(t->im, e);
	st = st ? st : read_objects(t, true, e);
	nettrace_notes(t);
	return st;
}

static enum status nettrace_read(struct import *im, struct err *e)
{
	struct nettrace t = {.im = im};
	enum status st = read_twice(&t, e);

	map64_release(&t.types);
	map64_release(&t.versions);
	map64_release(&t.stack_ids);
	map64_release(&t.locations);
	map64_release(&t.gcs);
	intern_release(&t.strings);
	buf_release(&t.bytes);
	buf_release(&t.text);
	free(t.methods);
	free(t.stacks);
	free(t.frames);
	return st;
}

static int nettrace_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= 8 && !memcmp(head, "Nettrace", 8) ? 64 : 0;
}

const struct reader reader_nettrace = {
    .name = "nettrace",
    .family = ".NET",
    .page = "dotnet",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_TYPES | CAPABILITY_STACKS |
		    CAPABILITY_SAMPLES | CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_THREADS |
		    CAPABILITY_COUNTERS,
    .what =
	"events of .NET's runtime (dotnet-trace): samples, allocations, collections, exceptions",
    .suffixes = "nettrace",
    .rewinds = true,
    .cut = CUT_NEVER, /* names of methods stand at the end */
    .bid = nettrace_bid,
    .read = nettrace_read,
};
