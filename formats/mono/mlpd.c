/* SPDX-License-Identifier: MIT
 *
 * Mono's log profiler, .mlpd: a header, then buffers of one thread's events each (formats/mono/event.h).
 * Three looks: at the names, at the log, and at the heap snapshots, each of which is a capture of
 * its own behind the log's. Facts: mono/profiler/log.h of data versions 14 and 17, bytes of Mono
 * 6.8, and what its mprof-report says of the same files.
 *
 * Methods are named locations: a stack has no addresses, only methods. Objects move and nothing
 * says when they die, so there are no frees.
 */
#include "formats/mono/mlpd.h"

#include "formats/emit.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define HEADER_MAGIC UINT32_C(0x4D505A01)

enum { TEXT_MAX = 1 << 20, FIELD_NAMES = 4096 };

typedef enum status event_fn(struct mlpd *m, struct mono_buffer *b, struct err *e);

/* A log's first bytes; n are there. */
static bool begins_log(const uint8_t *p, size_t n)
{
	return n >= 8 && !memcmp(p, "\x01ZPM", 4) && p[6] >= MONO_VERSION_MIN &&
	       p[6] <= MONO_VERSION_MAX && (p[7] == 4 || p[7] == 8);
}

static enum status mlpd_read_header(struct mlpd *m, struct err *e)
{
	struct cursor *c = &m->im->in->cur;
	uint32_t magic = cursor_u32(c), n;
	uint8_t pointer_size;
	struct trace *t = m->im->t;
	static const char *const keys[] = {"mono.args", "mono.arch", "mono.os"};
	char text[64];

	if (!cursor_failed(c) && magic != HEADER_MAGIC)
		return err_at(e, ST_UNSUPPORTED, 0, "not a log of Mono's profiler");
	m->major = cursor_u8(c);
	m->minor = cursor_u8(c);
	m->version = cursor_u8(c);
	pointer_size = cursor_u8(c);
	if (!cursor_failed(c) && (m->version < MONO_VERSION_MIN || m->version > MONO_VERSION_MAX))
		return err_at(e, ST_UNSUPPORTED, 6,
			      "unknown data version %u: tracemill reads "
			      "versions %d to %d",
			      m->version, MONO_VERSION_MIN, MONO_VERSION_MAX);
	if (!cursor_failed(c) && pointer_size != 4 && pointer_size != 8)
		return err_at(e, ST_BAD, 7, "impossible pointer size: %u bytes", pointer_size);
	cursor_u64(c); /* ms since 1970 */
	if (m->major >= 3) {
		uint64_t started = cursor_u64(c);

		m->started = started < m->started ? started : m->started;
	}
	cursor_skip(c, 4 + 4 + 4 + 2, "header"); /* overhead of the timer, flags, pid, port */
	for (int i = 0; i < 3; i++) {
		const uint8_t *s;

		n = cursor_u32(c);
		if (n > TEXT_MAX)
			return err_at(e, ST_BAD, cursor_offset(c),
				      "header: impossible text length: %" PRIu32 " bytes", n);
		s = cursor_bytes(c, n, "header");
		if (s && n) {
			char *copy = mem_strndup((const char *)s, n);

			trace_set(t, keys[i], copy);
			free(copy);
		}
	}
	if (cursor_failed(c))
		return err_failure(e);
	snprintf(text, sizeof text, "%u.%u data %u", m->major, m->minor, m->version);
	trace_set(t, "mono.version", text);
	return ST_OK;
}

/* Moves to the next place where a buffer or a log may begin, past at least one byte. */
static void mlpd_resync(struct cursor *c, uint64_t *lost)
{
	for (;;) {
		const uint8_t *p;
		size_t n, i = 1;

		if (cursor_available(c, MONO_BUFFER_HEADER) < 4) {
			*lost += cursor_window(c);
			cursor_skip(c, cursor_window(c), "rest");
			return;
		}
		p = c->pos;
		n = cursor_window(c);
		while (i + 4 <= n && memcmp(p + i, "\x01LPM", 4) != 0 && !begins_log(p + i, n - i))
			i++;
		*lost += i;
		cursor_skip(c, i, "rest");
		if (i + 4 <= n)
			return;
	}
}

/* One look at all buffers of a log: another one may follow in the same file. */
static enum status mlpd_look(struct mlpd *m, event_fn *take, struct err *e)
{
	struct cursor *c = &m->im->in->cur;
	enum status st = ST_OK;

	while (!st && !cursor_done(c)) {
		struct mono_buffer b = {.version = m->version, .e = ERR_INIT};
		struct cursor head;
		struct err ignored = ERR_INIT;
		uint64_t at = cursor_offset(c);
		const uint8_t *p;
		size_t got;
		uint32_t n;

		got = cursor_available(c, MONO_BUFFER_HEADER);
		m->followed = begins_log(c->pos, got);
		if (m->followed)
			break;
		if (got < MONO_BUFFER_HEADER) {
			mlpd_resync(c, &m->lost_bytes);
			continue;
		}
		cursor_init(&head, c->pos, MONO_BUFFER_HEADER, at, &ignored);
		if (cursor_u32(&head) != MONO_BUFFER_MAGIC ||
		    (n = cursor_u32(&head)) > LIMIT_CURSOR / 2) {
			mlpd_resync(c, &m->lost_bytes);
			continue;
		}
		b.time = cursor_u64(&head);
		b.pointers = cursor_u64(&head);
		b.objects = cursor_u64(&head);
		b.thread = cursor_u64(&head);
		b.method = cursor_u64(&head);
		cursor_skip(c, MONO_BUFFER_HEADER, "buffer");
		got = cursor_available(c, n);
		if (got > n)
			got = n;
		p = cursor_bytes(c, got, "buffer");
		if (!p)
			break;
		m->buffers++;
		m->started = b.time < m->started ? b.time : m->started;
		cursor_init(&b.c, p, got, at + MONO_BUFFER_HEADER, &b.e);
		while (!st && mono_next(&b, &m->ev))
			st = take(m, &b, e);
		if (cursor_failed(&b.c)) {
			m->cut_buffers++;
			m->lost_bytes += cursor_window(&b.c);
		}
		m->lost_bytes += n - got;
		if (got < n)
			m->cut_buffers += !cursor_failed(&b.c);
	}
	m->end = cursor_offset(c);
	return st ? st : cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status again(struct mlpd *m, event_fn *take, struct err *e)
{
	enum status st;

	m->buffers = m->cut_buffers = m->lost_bytes = 0;
	st = input_rewind(m->im->in);
	if (!st)
		cursor_skip(&m->im->in->cur, m->begin, "the log before");
	if (!st)
		st = mlpd_read_header(m, e);
	return st ? st : mlpd_look(m, take, e);
}

static void skip_counters(struct mono_buffer *b, const struct mono_event *ev)
{
	struct mono_counter c;

	for (uint64_t i = ev->kind == MONO_COUNTER_NAMES ? ev->size : 0; i; i--)
		if (!mono_counter_name(b, &c))
			return;
	while (ev->kind == MONO_COUNTERS && mono_counter(b, &c))
		;
}

/* First look. */
static enum status mlpd_on_names(struct mlpd *m, struct mono_buffer *b, struct err *e)
{
	const struct mono_event *ev = &m->ev;

	(void)e;
	mono_tables_on_event(&m->tables, ev);
	if (ev->kind == MONO_BINARY && ev->size && ev->pointer + ev->size > ev->pointer &&
	    !m->im->options->maps) {
		struct map_range range = {.lo = ev->pointer,
					  .hi = ev->pointer + ev->size,
					  .offset = ev->offset,
					  .executable = true};

		trace_module(m->im->t,
			     &(struct module){.name = trace_string(m->im->t, ev->text, ev->n_text),
					      .ranges = &range,
					      .n_ranges = 1});
	}
	skip_counters(b, ev);
	return ST_OK;
}

static const char *root_at(struct mlpd *m, uint64_t address, size_t *n)
{
	uint32_t name = address ? mono_ranges_at(&m->tables.roots, address) : 0;

	return intern_text(&m->tables.texts, name, n);
}

static enum status mlpd_object(struct mlpd *m, struct err *e)
{
	const struct mono_event *o = &m->ev;
	enum status st = ST_OK;

	if (o->size) {
		const struct emit_object object = {
		    .id = o->object, .size = KNOWN(o->size), .type = mlpd_type(m, o->vtable)};

		m->objects++;
		m->typeless += !object.type;
		st = emit_object(m->im, &object, e);
	}
	for (size_t i = 0; !st && i + 1 < o->n_list; i += 2) {
		char name[32];
		int n = 0;

		/* Elements of large arrays have no names of their own. */
		if (o->list[i] < FIELD_NAMES)
			n = snprintf(name, sizeof name, "+%" PRIu64, o->list[i]);
		st = emit_reference(m->im, o->object, o->list[i + 1],
				    n ? trace_string(m->im->t, name, (size_t)n) : 0, ABSENT, e);
	}
	return st;
}

static void set_nameless(struct mlpd *m)
{
	struct trace *t = m->im->t;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, m->nameless_methods, "methods (by address) have no name in the log"),
	    LOSS(NOTE_LOSS, m->typeless, "objects have a class without a name in the log"),
	};

	TRACE_LOSSES(t, losses);
	m->nameless_methods = m->typeless = 0;
}

static void set_lost(struct mlpd *m)
{
	struct trace *t = m->im->t;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, m->cut_buffers,
		 "buffers end within an event, or have an unknown event: the rest of each was left "
		 "out"),
	    LOSS(NOTE_LOSS, m->lost_bytes, "bytes were lost or are in no valid buffer"),
	};

	TRACE_LOSSES(t, losses);
	set_nameless(m);
}

static void forget(struct mlpd *m)
{
	map64_release(&m->locations);
	map64_release(&m->types);
	m->thread_now.id = 0;
	map64_release(&m->counters);
	memset(m->recent_locations, 0, sizeof m->recent_locations);
	memset(m->recent_types, 0, sizeof m->recent_types);
	m->n_counters = 0;
}

/* Third look: a capture for each snapshot. */
static enum status mlpd_on_shots(struct mlpd *m, struct mono_buffer *b, struct err *e)
{
	const struct mono_event *ev = &m->ev;
	enum status st = ST_OK;
	char text[32];

	skip_counters(b, ev);
	if (ev->kind == MONO_SHOT) {
		m->in_shot = !ev->code;
		if (ev->code)
			return ST_OK;
		if (m->im->begun) {
			set_nameless(m);
			st = import_next(m->im, e);
			forget(m);
		}
		snprintf(text, sizeof text, "%" PRIu64, m->shot++);
		if (!st) {
			trace_set(m->im->t, "mono.heapshot", text);
			trace_metric(m->im->t, METRIC_REQUESTED, m->sums, METRIC_AT_ALL);
			st = import_begin(m->im, e);
		}
		return st;
	}
	if (!m->in_shot)
		return ST_OK;
	if (ev->kind == MONO_OBJECT)
		return mlpd_object(m, e);
	for (size_t i = 0; ev->kind == MONO_ROOTS && !st && i + 1 < ev->n_list; i += 2) {
		size_t n;
		const char *name = root_at(m, ev->list[i], &n);

		st = emit_reference(m->im, 0, ev->list[i + 1],
				    n ? trace_string(m->im->t, name, n) : 0, ABSENT, e);
	}
	return st;
}

static void note(struct mlpd *m, uint64_t n, const char *what)
{
	if (n)
		trace_note(m->im->t, NOTE_INFO, n, "%s", what);
}

static void mlpd_end_log(struct mlpd *m)
{
	const uint64_t *kinds = m->tables.kinds;

	set_lost(m);
	note(m, kinds[MONO_JIT], "methods were compiled");
	note(m, kinds[MONO_ROOT], "heap roots were registered");
	note(m, m->moves, "objects were moved by the collector");
	note(m, m->handles, "GC handles were created");
	note(m, m->throws, "exceptions were thrown");
	note(m, m->monitors, "monitors were contended");
	if (m->nearest)
		trace_note(m->im->t, NOTE_GUESS, m->nearest,
			   "native addresses have the name of the symbol below them: the log "
			   "has no symbol sizes");
	note(m, m->no_number, "values are not numbers or belong to unknown counters");
	note(m, m->tables.renamed, "methods had another name before, at the same address");
	m->no_number = m->nearest = 0;
}

/* What a log holds decides what it can say. */
static bool has_log(const struct mlpd *m)
{
	static const enum mono_kind log[] = {MONO_ALLOC, MONO_GC,  MONO_GC_SIZE,
					     MONO_ENTER, MONO_HIT, MONO_COUNTERS};

	for (size_t i = 0; i < sizeof log / sizeof *log; i++)
		if (m->tables.kinds[log[i]])
			return true;
	return !m->tables.shots;
}

static enum status mlpd_read_log(struct mlpd *m, struct err *e)
{
	struct trace *t = m->im->t;
	const uint64_t *kinds = m->tables.kinds;
	enum status st;

	trace_set(t, "clock", "mono");
	if (kinds[MONO_ALLOC]) {
		trace_metric(t, METRIC_REQUESTED, m->sums, METRIC_AT_ALL);
		trace_metric(t, METRIC_COUNT, m->sums, METRIC_AT_ALL);
	}
	if (kinds[MONO_ENTER])
		trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	st = import_begin(m->im, e);
	if (!st)
		st = again(m, mlpd_on_event, e);
	mlpd_end_log(m);
	return st;
}

static enum status mlpd_read_all(struct mlpd *m, struct err *e)
{
	enum status st;
	bool log;

	m->begin = cursor_offset(&m->im->in->cur);
	st = mlpd_read_header(m, e);
	if (!st)
		st = mlpd_look(m, mlpd_on_names, e);
	if (st && !m->buffers)
		return st;
	if (!st && !m->buffers && m->lost_bytes)
		return err_at(e, ST_BAD, cursor_offset(&m->im->in->cur) - m->lost_bytes,
			      "no buffer of events follows");
	mono_tables_sort(&m->tables);
	mono_ranges_sort(&m->tables.code);
	mono_ranges_sort(&m->tables.roots);
	mono_ranges_sort(&m->tables.symbols);
	m->sums = m->cut_buffers || m->lost_bytes ? METRIC_LOWER_BOUND : METRIC_EXACT;
	log = has_log(m);
	if (log)
		st = mlpd_read_log(m, e);
	if (st || !m->tables.shots)
		return st;
	st = again(m, mlpd_on_shots, e);
	set_lost(m);
	return st;
}

static enum status mlpd_read(struct import *im, struct err *e)
{
	enum status st = ST_OK;
	bool more = true;

	while (!st && more) {
		struct mlpd *m = mem_zalloc(sizeof *m);

		m->im = im;
		m->started = UINT64_MAX;
		st = mlpd_read_all(m, e);
		more = m->followed;
		mono_tables_release(&m->tables);
		mono_event_release(&m->ev);
		forget(m);
		free(m->counter_states);
		free(m->stack);
		free(m);
		if (!st && more)
			st = import_next(im, e);
	}
	return st;
}

static int mlpd_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	if (n < 8 || memcmp(head, "\x01ZPM", 4) != 0)
		return 0;
	return head[7] == 4 || head[7] == 8 ? 40 : 32;
}

const struct reader reader_mono_mlpd = {
    .name = "mono-mlpd",
    .family = "Mono",
    .page = "mono",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES |
		    CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_CALLS | CAPABILITY_TIME |
		    CAPABILITY_THREADS | CAPABILITY_COUNTERS | CAPABILITY_OBJECTS |
		    CAPABILITY_REFERENCES,
    .what = "Mono: log profiler (.mlpd, data versions 13 to 17)",
    .suffixes = "mlpd",
    .rewinds = true,
    .bid = mlpd_bid,
    .read = mlpd_read,
};
