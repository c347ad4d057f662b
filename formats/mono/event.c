/* SPDX-License-Identifier: MIT */
#include "formats/mono/event.h"

#include "lib/base/mem.h"

#include <stdlib.h>

/* The type is the low half of an event's first byte, what it extends to the high half. */
enum {
	TYPE_ALLOC,
	TYPE_GC,
	TYPE_METADATA,
	TYPE_METHOD,
	TYPE_EXCEPTION,
	TYPE_MONITOR,
	TYPE_HEAP,
	TYPE_SAMPLE,
	TYPE_RUNTIME,
	TYPE_COVERAGE,
	TYPE_META
};

static uint64_t pointer(struct mono_buffer *b)
{
	return b->pointers + (uint64_t)cursor_sleb(&b->c);
}

/* Objects are aligned to 8 bytes, and their addresses stored without the low bits. */
static uint64_t object(struct mono_buffer *b)
{
	return (b->objects + (uint64_t)cursor_sleb(&b->c)) << 3;
}

static uint64_t method(struct mono_buffer *b)
{
	return b->method += (uint64_t)cursor_sleb(&b->c);
}

static void text(struct mono_buffer *b, struct mono_event *ev)
{
	ev->text = cursor_cstr(&b->c, &ev->n_text);
	if (!ev->text) {
		ev->text = "";
		ev->n_text = 0;
	}
}

/* How many follow, of at least each bytes; room is made for twice as many. */
static uint64_t count(struct mono_buffer *b, struct mono_event *ev, unsigned each)
{
	uint64_t n = cursor_uleb(&b->c);

	if (n > cursor_window(&b->c) / each) {
		cursor_fail(&b->c, ST_BAD,
			    "the count %llu is larger than the rest of its "
			    "buffer",
			    (unsigned long long)n);
		return 0;
	}
	if (ev->n_list + (size_t)n * 2 > ev->cap_list)
		ev->list =
		    mem_grow(ev->list, &ev->cap_list, ev->n_list + (size_t)n * 2, sizeof *ev->list);
	return n;
}

static void methods(struct mono_buffer *b, struct mono_event *ev)
{
	for (uint64_t n = count(b, ev, 1); n; n--)
		ev->list[ev->n_list++] = method(b);
}

static void mono_event_read_gc(struct mono_buffer *b, struct mono_event *ev, unsigned more)
{
	switch (more) {
	case 1:
		ev->kind = MONO_GC;
		ev->code = cursor_u8(&b->c);
		ev->generation = cursor_u8(&b->c);
		break;
	case 2:
		ev->kind = MONO_GC_SIZE;
		ev->size = cursor_uleb(&b->c);
		break;
	case 3:
		ev->kind = MONO_GC_MOVES;
		for (uint64_t n = count(b, ev, 1); n; n--)
			ev->list[ev->n_list++] = object(b);
		break;
	case 4:
	case 5:
	case 6:
	case 7:
		ev->kind = MONO_HANDLE;
		ev->code = more & 1;
		cursor_uleb(&b->c); /* type */
		cursor_uleb(&b->c); /* handle */
		if (!ev->code)
			ev->object = object(b);
		if (more >= 6)
			methods(b, ev);
		break;
	case 8: /* finalizers: all begin, all end */
	case 9: break;
	case 10: /* one begins, ends */
	case 11: object(b); break;
	default: cursor_fail(&b->c, ST_BAD, "unknown GC event %u", more);
	}
}

enum { NAMED = 0, LOADED = 2, UNLOADED = 4 };

static void mono_event_read_metadata(struct mono_buffer *b, struct mono_event *ev, unsigned more)
{
	unsigned what = cursor_u8(&b->c);

	if (more != NAMED && more != LOADED && more != UNLOADED) {
		cursor_fail(&b->c, ST_BAD, "unknown metadata event %u", more);
		return;
	}
	ev->pointer = pointer(b);
	switch (what) {
	case 1:
		ev->kind = MONO_CLASS;
		pointer(b); /* image */
		text(b, ev);
		break;
	case 2: /* image: its name, and its id while it is there */
		text(b, ev);
		if (b->version >= 16 && more != UNLOADED)
			text(b, ev);
		break;
	case 3: /* assembly */
		if (b->version >= 14)
			pointer(b);
		text(b, ev);
		break;
	case 4: /* domain */
		if (more == NAMED)
			text(b, ev);
		break;
	case 5:
		if (more == NAMED) {
			ev->kind = MONO_THREAD;
			text(b, ev);
		} else if (more == UNLOADED) {
			ev->kind = MONO_THREAD;
			ev->code = 1;
		}
		break;
	case 6: pointer(b); break; /* context: domain */
	case 7:
		ev->kind = MONO_VTABLE;
		pointer(b); /* domain */
		ev->other = pointer(b);
		break;
	default: cursor_fail(&b->c, ST_BAD, "unknown metadata of type %u", what);
	}
}

static void read_method(struct mono_buffer *b, struct mono_event *ev, unsigned more)
{
	if (more < 1 || more > 4) {
		cursor_fail(&b->c, ST_BAD, "unknown method event %u", more);
		return;
	}
	ev->method = method(b);
	ev->kind = more == 4 ? MONO_JIT : more == 2 ? MONO_ENTER : MONO_LEAVE;
	ev->code = more == 3;
	if (more == 4) {
		ev->pointer = pointer(b);
		ev->size = cursor_uleb(&b->c);
		text(b, ev);
	}
}

static void mono_event_read_exception(struct mono_buffer *b, struct mono_event *ev, unsigned more)
{
	if (more == 1) { /* a clause is run */
		cursor_u8(&b->c);
		cursor_uleb(&b->c);
		method(b);
		if (b->version >= 14)
			object(b);
		return;
	}
	if (more != 0 && more != 8) {
		cursor_fail(&b->c, ST_BAD, "unknown exception event %u", more);
		return;
	}
	ev->kind = MONO_THROW;
	ev->object = object(b);
	if (more)
		methods(b, ev);
}

static void read_monitor(struct mono_buffer *b, struct mono_event *ev, unsigned more)
{
	ev->kind = MONO_MONITOR;
	ev->code = b->version >= 14 ? cursor_u8(&b->c) : more & 7;
	if (b->version >= 14 && (more & 7))
		cursor_fail(&b->c, ST_BAD, "unknown monitor event %u", more);
	ev->object = object(b);
	if (more & 8)
		methods(b, ev);
}

static void references(struct mono_buffer *b, struct mono_event *ev)
{
	uint64_t offset = 0;

	for (uint64_t n = count(b, ev, 2); n; n--) {
		offset += cursor_uleb(&b->c);
		ev->list[ev->n_list++] = offset;
		ev->list[ev->n_list++] = object(b);
	}
}

static void roots(struct mono_buffer *b, struct mono_event *ev)
{
	uint64_t n = count(b, ev, 2);

	ev->kind = MONO_ROOTS;
	if (b->version < 15)
		cursor_uleb(&b->c); /* number of the collection */
	for (; n; n--) {
		ev->list[ev->n_list++] = b->version < 15 ? 0 : pointer(b);
		ev->list[ev->n_list++] = object(b);
		if (b->version < 15) {
			cursor_uleb(&b->c); /* type: below 128 */
			cursor_uleb(&b->c); /* extra */
		}
	}
}

static void mono_event_read_heap(struct mono_buffer *b, struct mono_event *ev, unsigned more)
{
	switch (more) {
	case 0:
	case 1:
		ev->kind = MONO_SHOT;
		ev->code = (uint8_t)more;
		break;
	case 2:
		ev->kind = MONO_OBJECT;
		ev->object = object(b);
		ev->vtable = pointer(b);
		ev->size = cursor_uleb(&b->c);
		if (b->version >= 16)
			ev->generation = cursor_u8(&b->c);
		references(b, ev);
		break;
	case 3: roots(b, ev); break;
	case 4:
		ev->kind = MONO_ROOT;
		ev->pointer = pointer(b);
		ev->size = cursor_uleb(&b->c);
		ev->code = cursor_u8(&b->c);
		ev->other = pointer(b);
		text(b, ev);
		break;
	case 5: pointer(b); break;
	default: cursor_fail(&b->c, ST_BAD, "unknown heap event %u", more);
	}
}

static void read_hit(struct mono_buffer *b, struct mono_event *ev)
{
	ev->kind = MONO_HIT;
	if (b->version < 14)
		cursor_u8(&b->c); /* what was sampled */
	ev->other = pointer(b);
	for (uint64_t n = count(b, ev, 1); n; n--)
		ev->list[ev->n_list++] = pointer(b);
	ev->n_native = ev->n_list;
	methods(b, ev);
}

static void mono_event_read_sample(struct mono_buffer *b, struct mono_event *ev, unsigned more)
{
	switch (more) {
	case 0: read_hit(b, ev); break;
	case 1:
		ev->kind = MONO_SYMBOL;
		ev->pointer = pointer(b);
		ev->size = cursor_uleb(&b->c);
		text(b, ev);
		break;
	case 2:
		ev->kind = MONO_BINARY;
		ev->pointer = b->version >= 14 ? pointer(b) : (uint64_t)cursor_sleb(&b->c);
		ev->offset = cursor_uleb(&b->c);
		ev->size = cursor_uleb(&b->c);
		text(b, ev);
		break;
	case 3:
		ev->kind = MONO_COUNTER_NAMES;
		ev->size = count(b, ev, 5);
		break;
	case 4: ev->kind = MONO_COUNTERS; break;
	default: cursor_fail(&b->c, ST_BAD, "unknown sample event %u", more);
	}
}

static void read_runtime(struct mono_buffer *b, struct mono_event *ev, unsigned more)
{
	/* of the types of helpers the one with a name, which was renumbered once */
	unsigned named = b->version < 14 ? 6 : 5, type = cursor_u8(&b->c);

	if (more != 1) {
		cursor_fail(&b->c, ST_BAD, "unknown runtime event %u", more);
		return;
	}
	ev->kind = MONO_HELPER;
	ev->pointer = pointer(b);
	ev->size = cursor_uleb(&b->c);
	if (type == named)
		text(b, ev);
}

static void read_meta(struct mono_buffer *b, struct mono_event *ev, unsigned more)
{
	if (more == 0)
		cursor_u8(&b->c); /* all threads have written what they had */
	else if (more == 1 && b->version >= 16)
		text(b, ev);
	else
		cursor_fail(&b->c, ST_BAD, "unknown meta event %u", more);
}

static void mono_event_read(struct mono_buffer *b, struct mono_event *ev, unsigned type,
			    unsigned more)
{
	switch (type) {
	case TYPE_ALLOC:
		ev->kind = MONO_ALLOC;
		ev->vtable = pointer(b);
		ev->object = object(b);
		ev->size = cursor_uleb(&b->c);
		if (more == 1)
			methods(b, ev);
		else if (more)
			cursor_fail(&b->c, ST_BAD, "unknown allocation event %u", more);
		break;
	case TYPE_GC: mono_event_read_gc(b, ev, more); break;
	case TYPE_METADATA: mono_event_read_metadata(b, ev, more); break;
	case TYPE_METHOD: read_method(b, ev, more); break;
	case TYPE_EXCEPTION: mono_event_read_exception(b, ev, more); break;
	case TYPE_MONITOR: read_monitor(b, ev, more); break;
	case TYPE_HEAP: mono_event_read_heap(b, ev, more); break;
	case TYPE_SAMPLE: mono_event_read_sample(b, ev, more); break;
	case TYPE_RUNTIME: read_runtime(b, ev, more); break;
	case TYPE_META: read_meta(b, ev, more); break;
	default: cursor_fail(&b->c, ST_BAD, "unknown event of type %u", type);
	}
}

/* All but its memory; field by field is a third of the time that the whole takes. */
static void clear(struct mono_event *ev)
{
	ev->kind = MONO_OTHER;
	ev->code = ev->generation = 0;
	ev->pointer = ev->other = ev->object = ev->vtable = ev->method = ev->size = ev->offset = 0;
	ev->text = "";
	ev->n_text = ev->n_list = ev->n_native = 0;
}

bool mono_next(struct mono_buffer *b, struct mono_event *ev)
{
	unsigned byte;

	if (cursor_done(&b->c))
		return false;
	clear(ev);
	ev->at = cursor_offset(&b->c);
	byte = cursor_u8(&b->c);
	b->time += cursor_uleb(&b->c);
	ev->time = b->time;
	mono_event_read(b, ev, byte & 15, byte >> 4);
	return !cursor_failed(&b->c);
}

void mono_event_release(struct mono_event *ev)
{
	free(ev->list);
	*ev = (struct mono_event){.list = NULL};
}

/* MONO_COUNTER_PERFCOUNTERS: the only section that names counters' own sections. */
#define SECTION_PERFCOUNTERS 0x8000

static uint32_t small(struct mono_buffer *b)
{
	uint64_t v = b->version >= 15 ? cursor_uleb(&b->c) : cursor_u8(&b->c);

	return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

bool mono_counter_name(struct mono_buffer *b, struct mono_counter *c)
{
	uint64_t section = cursor_uleb(&b->c);
	size_t n;

	*c = (struct mono_counter){.index = 0};
	if (section == SECTION_PERFCOUNTERS)
		c->section = cursor_cstr(&b->c, &n);
	c->name = cursor_cstr(&b->c, &n);
	c->type = small(b);
	c->unit = small(b);
	small(b); /* variance */
	c->index = cursor_uleb(&b->c);
	return !cursor_failed(&b->c);
}

enum { INT, UINT, WORD, LONG, ULONG, DOUBLE, STRING, INTERVAL };

bool mono_counter(struct mono_buffer *b, struct mono_counter *c)
{
	uint64_t bits;
	size_t n;

	*c = (struct mono_counter){.index = cursor_uleb(&b->c), .numeric = true};
	if (!c->index || cursor_failed(&b->c))
		return false;
	c->type = small(b);
	switch (c->type) {
	case INT:
	case WORD:
	case LONG:
	case INTERVAL: c->value = cursor_sleb(&b->c); break;
	case UINT:
	case ULONG: c->value = (int64_t)cursor_uleb(&b->c); break;
	case DOUBLE:
		bits = cursor_u64(&b->c);
		memcpy(&c->real, &bits, sizeof bits);
		c->floating = true;
		break;
	case STRING:
		if (cursor_u8(&b->c))
			cursor_cstr(&b->c, &n);
		c->numeric = false;
		break;
	default: cursor_fail(&b->c, ST_BAD, "unknown counter of type %u", c->type);
	}
	return !cursor_failed(&b->c);
}
