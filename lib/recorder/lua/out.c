/* SPDX-License-Identifier: MIT */
#include "lib/recorder/lua/out.h"

#include "lib/recorder/script.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* lib/trace/model.h's, which is not for in here. */
enum { COUNT, REQUESTED, REAL, LIVE, TIME, N_METRICS };
enum { FLUSH_NS = 100000000 };
enum { EXACT = 1, LOSS = 2, SPACE_NAME = 4, HAS_PLACE = 1 << 7 };

void *own_grow(void *p, size_t n)
{
	void *q;

	tracemill_own(1);
	q = realloc(p, n);
	tracemill_own(0);
	return q;
}

void *own_zeroed(size_t n, size_t size)
{
	void *p;

	tracemill_own(1);
	p = calloc(n, size);
	tracemill_own(0);
	return p;
}

void own_free(void *p)
{
	tracemill_own(1);
	free(p);
	tracemill_own(0);
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

static uint64_t hash(const char *p, size_t n, uint64_t h)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)p[i]) * 1099511628211u;
	return mix(h ^ n << 32);
}

static bool grow(struct lua_slots *t)
{
	struct lua_slots to = {.mask = t->mask ? t->mask * 2 + 1 : 255};

	to.slots = own_zeroed(to.mask + 1, sizeof *to.slots);
	if (!to.slots)
		return false;
	for (size_t i = 0; t->slots && i <= t->mask; i++)
		if (t->slots[i].used)
			*slots_put(&to, t->slots[i].key) = t->slots[i].value;
	own_free(t->slots);
	*t = to;
	return true;
}

uint32_t *slots_put(struct lua_slots *t, uint64_t key)
{
	size_t i;

	if ((!t->slots || t->n >= t->mask / 2) && !grow(t)) {
		t->failed = true;
		return NULL;
	}
	for (i = mix(key) & t->mask; t->slots[i].used; i = (i + 1) & t->mask)
		if (t->slots[i].key == key)
			return &t->slots[i].value;
	t->slots[i] = (struct lua_slot){key, 0, 1};
	t->n++;
	return &t->slots[i].value;
}

uint32_t slots_get(const struct lua_slots *t, uint64_t key)
{
	if (!t->slots)
		return 0;
	for (size_t i = mix(key) & t->mask; t->slots[i].used; i = (i + 1) & t->mask)
		if (t->slots[i].key == key)
			return t->slots[i].value;
	return 0;
}

/* Those behind move up, so that nothing marks where one was. */
void slots_remove(struct lua_slots *t, uint64_t key)
{
	size_t i, hole;

	if (!t->slots)
		return;
	for (i = mix(key) & t->mask; t->slots[i].used && t->slots[i].key != key;)
		i = (i + 1) & t->mask;
	if (!t->slots[i].used)
		return;
	hole = i;
	for (i = (i + 1) & t->mask; t->slots[i].used; i = (i + 1) & t->mask) {
		size_t home = mix(t->slots[i].key) & t->mask;

		if (((i - home) & t->mask) >= ((i - hole) & t->mask)) {
			t->slots[hole] = t->slots[i];
			hole = i;
		}
	}
	t->slots[hole].used = 0;
	t->n--;
}

void slots_release(struct lua_slots *t)
{
	own_free(t->slots);
	*t = (struct lua_slots){0};
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t out_time(struct lua_out *out)
{
	out->seen = out->joined ? tracemill_script_time() : now() - out->start;
	return out->seen;
}

static uint8_t *text(uint8_t *p, const char *s, size_t n)
{
	p = cap_uleb(p, n);
	memcpy(p, s, n);
	return p + n;
}

static uint8_t *number(uint8_t *p, const char *key, uint64_t v)
{
	char digits[20];
	size_t i = sizeof digits;

	do
		digits[--i] = (char)('0' + v % 10);
	while (v /= 10);
	return text(text(p, key, strlen(key)), digits + i, sizeof digits - i);
}

static uint64_t wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* end: of the recording; below 0: it goes on. */
static void luaout_header(struct lua_out *out, int64_t end)
{
	static const char *const words[] = {"format",     "capture.lua",        "clock",
					    "monotonic",  "time_resolution_ns", "1",
					    "lua.version"};
	uint8_t payload[1024], *p = payload;
	bool bytes = out->kinds & OUT_ALLOCATIONS;

	*p++ = 0;
	*p++ = N_METRICS;
	for (unsigned m = 0; m < N_METRICS; m++) {
		bool here = m == TIME ? out->kinds & OUT_CALLS : bytes && m != REAL;

		*p++ = here ? EXACT : 0;
		*p++ = 0;
	}
	*p++ = (uint8_t)((end < 0 ? 5 : 6) + !out->kinds);
	for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
		p = text(p, words[w], strlen(words[w]));
	p = text(p, out->version, strlen(out->version));
	p = number(p, TRACE_DATE, out->date);
	if (!out->kinds)                                              /* a snapshot */
		p = text(text(p, "objects.ids", 11), "addresses", 9); /* TRACE_OBJECT_IDS */
	if (end >= 0)
		p = number(p, TRACE_END, (uint64_t)end);
	cap_output_chunk(&out->o, CHUNK_HEADER, payload, (uint32_t)(p - payload));
}

struct lua_out *out_new(const char *path, const char *version, unsigned kinds)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct lua_out *out = fd < 0 ? NULL : own_zeroed(1, sizeof *out);

	if (out)
		out->columns = own_grow(NULL, COLUMN_ENCODER_ROOM);
	if (!out || !out->columns) {
		own_free(out);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	out->start = now();
	out->date = wall();
	out->kinds = kinds;
	memcpy(out->version, version, strnlen(version, sizeof out->version - 1));
	cap_output_begin(&out->o, fd, NULL, out->columns, 1);
	luaout_header(out, -1);
	return out;
}

struct lua_out *out_new_joined(unsigned kinds)
{
	struct lua_out *out = own_zeroed(1, sizeof *out);

	if (!out)
		return NULL;
	out->o.fd = -1;
	out->joined = true;
	out->kinds = kinds;
	return out;
}

/* The trace's end; 0, or errno. */
static int luaout_finish(struct lua_out *out)
{
	int fd, error;

	if (out->joined)
		return 0;
	if (out->lost)
		cap_output_note(&out->o, LOSS, out->lost, "rows that there was no memory for");
	cap_output_flush(&out->o);
	luaout_header(out, now() - out->start);
	cap_output_totals(&out->o);
	fd = out->o.fd;
	error = out->o.error;
	if (fd >= 0 && close(fd) && !error)
		error = errno;
	return error;
}

bool out_free(struct lua_out *out)
{
	int error;

	if (!out)
		return true;
	error = luaout_finish(out);
	slots_release(&out->strings);
	slots_release(&out->types);
	slots_release(&out->locations);
	slots_release(&out->stacks);
	slots_release(&out->markers);
	slots_release(&out->counters);
	own_free(out->columns);
	own_free(out);
	errno = error;
	return !error;
}

/* The row of a key, made by the caller when *id is 0; NULL: no memory. */
static uint32_t *row_of(struct lua_out *out, struct lua_slots *t, uint64_t key)
{
	uint32_t *id = slots_put(t, key);

	out->lost += !id;
	return id;
}

/* Strings are one when their hashes are: a chance of 1 in 10^9 with 100000 of them. */
uint32_t out_string(struct lua_out *out, const char *s, size_t n)
{
	uint32_t *id = row_of(out, &out->strings, hash(s, n, 14695981039346656037u));

	if (id && !*id)
		*id = (uint32_t)cap_output_string(&out->o, s, n);
	return id ? *id : 0;
}

static uint32_t string(struct lua_out *out, const char *s)
{
	return s && *s ? out_string(out, s, strlen(s)) : 0;
}

uint32_t out_type(struct lua_out *out, const char *s)
{
	uint32_t name = string(out, s), *id = row_of(out, &out->types, name);
	uint8_t *p;

	if (!id || *id)
		return id ? *id : 0;
	p = cap_output_row(&out->o, CHUNK_TYPES, ++out->o.types, 16);
	cap_output_rows(&out->o, cap_uleb(p, name));
	return *id = (uint32_t)out->o.types;
}

uint32_t out_location(struct lua_out *out, uint32_t name, uint32_t file, int line)
{
	uint32_t l = line > 0 ? (uint32_t)line : 0;
	uint32_t *id = row_of(out, &out->locations, mix((uint64_t)name << 32 | file) ^ l);
	uint8_t *p;

	if (!id || *id)
		return id ? *id : 0;
	p = cap_output_row(&out->o, CHUNK_LOCATIONS, ++out->o.locations, 48);
	*p++ = SPACE_NAME | HAS_PLACE;
	p = cap_uleb(p, 0);
	p = cap_uleb(p, 0);
	p = cap_uleb(p, name);
	p = cap_uleb(p, file);
	cap_output_rows(&out->o, cap_uleb(p, l));
	return *id = (uint32_t)out->o.locations;
}

uint32_t out_stack(struct lua_out *out, uint32_t parent, uint32_t location)
{
	uint32_t *id = row_of(out, &out->stacks, (uint64_t)parent << 32 | location);
	uint8_t *p;

	if (!id || *id)
		return id ? *id : 0;
	p = cap_output_row(&out->o, CHUNK_STACKS, ++out->o.stacks, 24);
	p = cap_uleb(p, out->o.stacks - parent);
	cap_output_rows(&out->o, cap_uleb(p, location));
	return *id = (uint32_t)out->o.stacks;
}

/* A row of two strings. */
static uint32_t pair(struct lua_out *out, struct lua_slots *t, uint32_t kind, uint64_t *n,
		     const char *a, const char *b)
{
	uint32_t first = string(out, a), second = string(out, b), *id = row_of(out, t, first);
	uint8_t *p;

	if (!id || *id)
		return id ? *id : 0;
	p = cap_output_row(&out->o, kind, ++*n, 24);
	p = cap_uleb(p, first);
	cap_output_rows(&out->o, cap_uleb(p, second));
	return *id = (uint32_t)*n;
}

uint32_t out_severity(struct lua_out *out, unsigned severity)
{
	return cap_output_severity(&out->o, severity);
}

uint32_t out_marker(struct lua_out *out, const char *name)
{
	return pair(out, &out->markers, CHUNK_MARKERS, &out->o.markers, name, "lua");
}

uint32_t out_counter(struct lua_out *out, const char *name, const char *unit)
{
	return pair(out, &out->counters, CHUNK_COUNTERS, &out->o.counters, name, unit);
}

uint32_t out_thread(struct lua_out *out, uint64_t id, const char *name)
{
	uint32_t n = string(out, name);
	uint8_t *p = cap_output_row(&out->o, CHUNK_THREADS, ++out->o.threads, 50);

	p = cap_uleb(p, 0);
	p = cap_uleb(p, id);
	p = cap_uleb(p, 0);
	cap_output_rows(&out->o, cap_uleb(p, n));
	return (uint32_t)out->o.threads;
}

void out_event(struct lua_out *out, const struct event *ev)
{
	if (out->joined)
		return;
	cap_output_event(&out->o, ev);
	if (ev->has & EV_HAS_TIME && ev->time - out->flushed > FLUSH_NS) {
		cap_output_flush(&out->o);
		out->flushed = ev->time;
	}
}
