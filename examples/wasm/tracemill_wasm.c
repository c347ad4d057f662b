/* SPDX-License-Identifier: MIT
 *
 * A recorder for programs that run as WebAssembly: allocations, with the stacks that the engine gives, and what the
 * program marks by tracemill.h (frames, counters, blocks of its own allocators, of Lua). It writes tracemill's stream,
 * tracemill-trace(5), through three functions of the page: tracemill_wasm.js has them.
 *
 * Compile it with the program, and link everything with
 *	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
 * It needs xxhash.h, which is one file. There is one thread.
 */
#include "tracemill.h"
#include "tracemill_lua.h"

#include <stdbool.h>

#ifndef TRACEMILL_MODULE
#define TRACEMILL_MODULE "game.wasm" /* what the module's file is called, by which it is found again */
#endif

#define XXH_INLINE_ALL
#define XXH_NO_STDLIB
#define XXH_NO_STREAM
#include <xxhash.h>

#define IMPORT(name) __attribute__((import_module("tracemill"), import_name(name)))
#define NOINLINE     __attribute__((noinline))

/* n bytes of the stream. */
IMPORT("write") void tracemill_page_write(const void *bytes, size_t n);
/* The calls from here on as offsets in the module's file, innermost first, at most max. */
IMPORT("stack") uint32_t tracemill_page_stack(uint32_t *offsets, uint32_t max);
IMPORT("now") double tracemill_page_now(void); /* milliseconds */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t each);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);

enum { STRINGS, MODULES, LOCATIONS, STACKS, TYPES, THREADS, MARKERS, COUNTERS, TABLES };
enum {
	CHUNK_HEADER = 1,
	CHUNK_TABLE = 2, /* and the number of the table */
	CHUNK_EVENTS = 10,
	CHUNK_TOTALS = 12,
	CHUNK_HEAD = 16,
	CHUNK_BYTES = 1 << 16,
	CHUNK_ROOM = 4096, /* a row or an event takes less */
	DEEPEST = 256,
	OWN_CALLS = 2, /* of a stack: find_stack, and the function that the program calls */
	NAME_MAX_BYTES = 127,
	SPACE_FILE_OFFSET = 1,
	KIND_EXACT = 2,
};
enum { EV_FRAME = 1, EV_ALLOC, EV_FREE, EV_COUNTER = 9, EV_KINDS };
enum {
	HAS_ADDRESS = 1 << 1,
	HAS_REQUESTED = 1 << 2,
	HAS_TYPE = 1 << 4,
	HAS_STACK = 1 << 5,
	HAS_TIME = 1 << 6,
	HAS_VALUE = 1 << 9,
	HAS_NAME = 1 << 10,
	HAS_DOMAIN = 1 << 11,
};

/* Rows of a table, or events, that are not written yet; n counts all that were. */
struct pending {
	uint8_t bytes[CHUNK_BYTES];
	size_t used;
	uint32_t n;
};

/* Rows by a key of two numbers: id is the row's number, 0 nothing. */
struct rows {
	struct row {
		uint32_t a, b, id;
	} * slots;
	uint32_t mask, used;
};

static struct pending tables[TABLES], events;
static struct rows locations, stacks, texts, counters, types;
static uint64_t event_counts[EV_KINDS];
static uint64_t last_address, last_time, last_location, frame;
static double start;
static bool started, busy, ended;

static void put(struct pending *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		p->bytes[p->used++] = (uint8_t)(v | 0x80);
	p->bytes[p->used++] = (uint8_t)v;
}

static void put_delta(struct pending *p, uint64_t v, uint64_t *last)
{
	int64_t d = (int64_t)(v - *last);

	put(p, (uint64_t)d << 1 ^ (uint64_t)(d >> 63));
	*last = v;
}

static void write_chunk(uint32_t kind, const uint8_t *payload, size_t n)
{
	uint8_t head[CHUNK_HEAD];
	uint64_t sum = XXH3_64bits_withSeed(payload, n, kind);

	for (unsigned i = 0; i < 4; i++) {
		head[i] = (uint8_t)(kind >> 8 * i);
		head[4 + i] = (uint8_t)(n >> 8 * i);
	}
	for (unsigned i = 0; i < 8; i++)
		head[8 + i] = (uint8_t)(sum >> 8 * i);
	tracemill_page_write(head, sizeof head);
	tracemill_page_write(payload, n);
}

/* Tables first: an id names a row that was written. */
static void write_pending(void)
{
	for (uint32_t i = 0; i < TABLES; i++) {
		if (tables[i].used)
			write_chunk(CHUNK_TABLE + i, tables[i].bytes, tables[i].used);
		tables[i].used = 0;
	}
	last_location = 0; /* the differences of a chunk begin anew with it */
	if (events.used)
		write_chunk(CHUNK_EVENTS, events.bytes, events.used);
	events.used = 0;
	last_address = last_time = 0;
}

static struct pending *begin_row(uint32_t table)
{
	struct pending *p = &tables[table];

	if (p->used > CHUNK_BYTES - CHUNK_ROOM)
		write_pending();
	if (!p->used)
		put(p, p->n + 1);
	p->n++;
	return p;
}

static uint32_t row_hash(uint32_t a, uint32_t b)
{
	uint64_t h = (a * UINT64_C(0x9e3779b97f4a7c15)) ^ (b * UINT64_C(0xc2b2ae3d27d4eb4f));

	return (uint32_t)(h ^ h >> 32);
}

static struct row *row_slot(const struct rows *t, uint32_t a, uint32_t b)
{
	uint32_t at = row_hash(a, b) & t->mask;

	while (t->slots[at].id && (t->slots[at].a != a || t->slots[at].b != b))
		at = (at + 1) & t->mask;
	return &t->slots[at];
}

/* The row of the key; its id is 0 if it is new, and the caller sets it. NULL: there is no memory. */
static struct row *find_row(struct rows *t, uint32_t a, uint32_t b)
{
	struct rows larger = {NULL, t->slots ? 2 * t->mask + 1 : 255, t->used};
	struct row *r;

	if (!t->slots || 2 * t->used > t->mask) {
		larger.slots = __real_calloc(larger.mask + 1, sizeof *larger.slots);
		if (!larger.slots)
			return NULL;
		for (uint32_t i = 0; t->slots && i <= t->mask; i++)
			if (t->slots[i].id)
				*row_slot(&larger, t->slots[i].a, t->slots[i].b) = t->slots[i];
		__real_free(t->slots);
		*t = larger;
	}
	r = row_slot(t, a, b);
	if (!r->id) {
		r->a = a;
		r->b = b;
		t->used++;
	}
	return r;
}

static uint32_t string_id(const char *s)
{
	size_t n = 0;
	uint64_t hash;
	struct pending *p;
	struct row *r;

	while (s[n] && n < NAME_MAX_BYTES)
		n++;
	hash = XXH3_64bits(s, n);
	r = find_row(&texts, (uint32_t)hash, (uint32_t)(hash >> 32));
	if (!r || r->id)
		return r ? r->id : 0;
	p = begin_row(STRINGS);
	put(p, n);
	for (size_t i = 0; i < n; i++)
		p->bytes[p->used++] = (uint8_t)s[i];
	return r->id = p->n;
}

static uint32_t location_id(uint32_t offset)
{
	struct row *r = find_row(&locations, offset, 1);
	struct pending *p;

	if (!r || r->id)
		return r ? r->id : 0;
	p = begin_row(LOCATIONS);
	p->bytes[p->used++] = SPACE_FILE_OFFSET | KIND_EXACT << 3;
	put_delta(p, offset, &last_location);
	put(p, 1); /* the only module */
	return r->id = p->n;
}

/* Where the program is now: 0 if the engine does not say. */
static NOINLINE uint32_t find_stack(void)
{
	static uint32_t offsets[DEEPEST];
	uint32_t n = tracemill_page_stack(offsets, DEEPEST), id = 0;

	while (n > OWN_CALLS) {
		uint32_t location = location_id(offsets[--n]);
		struct row *r = location ? find_row(&stacks, id, location) : NULL;
		struct pending *p;

		if (!r)
			return 0;
		if (!r->id) {
			p = begin_row(STACKS);
			put(p, p->n - id);
			put(p, location);
			r->id = p->n;
		}
		id = r->id;
	}
	return id;
}

static void begin_stream(void)
{
	static const uint8_t mark[] = {0x89, 'T', 'M', 'T', '\r', '\n', 0x1a, '\n',
				       2,    0,   1,   0,   0,    0,    0,    0};
	/* no flags; six metrics, of which count, requested and live are exact; an attribute, format="capture" */
	static const uint8_t header[] = {0, 6,   1,   0,   1,   0,   0,   0, 1,   0,
					 0, 0,   0,   0,   1,   6,   'f', 'o', 'r', 'm',
					 'a', 't', 7,   'c', 'a', 'p', 't', 'u', 'r', 'e'};
	struct pending *p;
	uint32_t name;

	started = true;
	start = tracemill_page_now();
	tracemill_page_write(mark, sizeof mark);
	write_chunk(CHUNK_HEADER, header, sizeof header);
	name = string_id(TRACEMILL_MODULE);
	p = begin_row(MODULES);
	put(p, name);
	for (int i = 0; i < 6; i++) /* no process, no epochs, no build-id, no slide, no ranges */
		put(p, 0);
}

/* An event before it is added: its fields follow in the order of their bits. */
static struct pending body;

static void begin_event(uint32_t fields)
{
	/* The deltas of a chunk begin anew with it. */
	if (events.used > CHUNK_BYTES - CHUNK_ROOM)
		write_pending();
	body.used = 0;
	put(&body, fields);
}

static void end_event(uint32_t kind)
{
	event_counts[kind]++;
	events.bytes[events.used++] = (uint8_t)kind;
	put(&events, body.used);
	for (size_t i = 0; i < body.used; i++)
		events.bytes[events.used++] = body.bytes[i];
}

static uint64_t nanoseconds(void)
{
	double ms = tracemill_page_now() - start;

	return ms > 0 ? (uint64_t)(ms * 1e6) : 0;
}

/* False: what happens is the recorder's own, or behind the end. */
static bool enter(void)
{
	if (busy || ended)
		return false;
	busy = true;
	if (!started)
		begin_stream();
	return true;
}

static void leave(bool mine)
{
	if (mine)
		busy = false;
}

static void record_alloc(uint32_t domain, const void *p, size_t n, uint32_t type, uint32_t stack)
{
	begin_event(HAS_ADDRESS | HAS_REQUESTED | HAS_TIME | HAS_DOMAIN | (stack ? HAS_STACK : 0) |
		    (type ? HAS_TYPE : 0));
	put_delta(&body, (uintptr_t)p, &last_address);
	put(&body, n);
	if (type)
		put(&body, type);
	if (stack)
		put(&body, stack);
	put_delta(&body, nanoseconds(), &last_time);
	put(&body, domain);
	end_event(EV_ALLOC);
}

static void record_free(uint32_t domain, const void *p)
{
	begin_event(HAS_ADDRESS | HAS_TIME | HAS_DOMAIN);
	put_delta(&body, (uintptr_t)p, &last_address);
	put_delta(&body, nanoseconds(), &last_time);
	put(&body, domain);
	end_event(EV_FREE);
}

static uint32_t named_row(struct rows *rows, uint32_t table, const char *name, const char *unit)
{
	uint32_t a = string_id(name), b = table == COUNTERS ? string_id(unit) : 0;
	struct row *r = a ? find_row(rows, a, b) : NULL;
	struct pending *p;

	if (!r || r->id)
		return r ? r->id : 0;
	p = begin_row(table);
	put(p, a);
	if (table == COUNTERS)
		put(p, b);
	return r->id = p->n;
}

/* The hooks of malloc. Each is one call of the stack, and takes it itself: OWN_CALLS counts on that. What the allocator
 * asks of itself meanwhile is not the program's. */

NOINLINE void *__wrap_malloc(size_t n)
{
	bool mine = enter();
	void *p = __real_malloc(n);

	if (mine && p)
		record_alloc(0, p, n, 0, find_stack());
	leave(mine);
	return p;
}

NOINLINE void *__wrap_calloc(size_t n, size_t each)
{
	bool mine = enter();
	void *p = __real_calloc(n, each);

	if (mine && p)
		record_alloc(0, p, n * each, 0, find_stack());
	leave(mine);
	return p;
}

NOINLINE void *__wrap_realloc(void *old, size_t n)
{
	bool mine = enter();
	void *p = __real_realloc(old, n);

	if (mine && old && (p || !n))
		record_free(0, old);
	if (mine && p)
		record_alloc(0, p, n, 0, find_stack());
	leave(mine);
	return p;
}

void __wrap_free(void *p)
{
	bool mine = enter();

	if (mine && p)
		record_free(0, p);
	__real_free(p);
	leave(mine);
}

/* tracemill.h */

NOINLINE void tracemill_mark_alloc(enum tracemill_domain domain, const void *p, size_t n,
				   const char *type)
{
	if (!p || !enter())
		return;
	record_alloc(domain, p, n, type ? named_row(&types, TYPES, type, NULL) : 0, find_stack());
	busy = false;
}

void tracemill_mark_free(enum tracemill_domain domain, const void *p)
{
	if (!p || !enter())
		return;
	record_free(domain, p);
	busy = false;
}

NOINLINE void tracemill_mark_realloc(enum tracemill_domain domain, const void *old, const void *p,
				     size_t n, const char *type)
{
	if (!enter())
		return;
	if (old)
		record_free(domain, old);
	if (p)
		record_alloc(domain, p, n, type ? named_row(&types, TYPES, type, NULL) : 0,
			     find_stack());
	busy = false;
}

void tracemill_mark_frame_named(int64_t number, const char *label)
{
	uint32_t name;

	if (!enter())
		return;
	name = label ? string_id(label) : 0;
	begin_event(HAS_TIME | HAS_VALUE | (name ? HAS_NAME : 0));
	put_delta(&body, nanoseconds(), &last_time);
	put(&body, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
	if (name)
		put(&body, name);
	end_event(EV_FRAME);
	frame = (uint64_t)number + 1;
	busy = false;
}

void tracemill_mark_frame(void)
{
	tracemill_mark_frame_named((int64_t)frame, NULL);
}

void tracemill_mark_counter(const char *name, const char *unit, int64_t value)
{
	uint32_t counter;

	if (!enter())
		return;
	counter = named_row(&counters, COUNTERS, name, unit);
	if (counter) {
		begin_event(HAS_TYPE | HAS_TIME | HAS_VALUE);
		put(&body, counter);
		put_delta(&body, nanoseconds(), &last_time);
		put(&body, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
		end_event(EV_COUNTER);
	}
	busy = false;
}

void tracemill_mark_flush(void)
{
	if (started && !ended)
		write_pending();
}

/* lua_setallocf(L, tracemill_lua_alloc, &s), where lua_getallocf(L, &s.data) gave s.alloc. Lua asks with the size of a
 * new block's type in old_size, which says nothing of a block. */
NOINLINE void *tracemill_lua_alloc(void *state, void *old, size_t old_size, size_t n)
{
	const struct tracemill_lua *s = state;
	void *p = s->alloc(s->data, old, old_size, n);

	if ((p || !n) && (old || p) && enter()) {
		if (old)
			record_free(TRACEMILL_LUA, old);
		if (p)
			record_alloc(TRACEMILL_LUA, p, n, 0, find_stack());
		busy = false;
	}
	return p;
}

/* The stream ends; nothing is recorded behind it. */
__attribute__((export_name("tracemill_end"))) void tracemill_end(void)
{
	if (!enter())
		return;
	write_pending();
	body.used = 0;
	put(&body, EV_KINDS);
	for (unsigned i = 0; i < EV_KINDS; i++)
		put(&body, event_counts[i]);
	put(&body, TABLES);
	for (unsigned i = 0; i < TABLES; i++)
		put(&body, tables[i].n);
	write_chunk(CHUNK_TOTALS, body.bytes, body.used);
	ended = true;
	busy = false;
}
