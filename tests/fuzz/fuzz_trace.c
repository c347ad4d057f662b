/* SPDX-License-Identifier: MIT
 *
 * The trace reader over hostile bytes, as they are and with the checksums of every chunk put right,
 * since these stop nearly every mutation.
 */
#include "lib/tally/tally.h"
#include "lib/trace/dump.h"
#include "lib/trace/encode.h"
#include "lib/trace/trace_follow.h"
#include "tests/fuzz/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void repair(uint8_t *p, size_t n)
{
	size_t at = 0;

	while (n - at >= CHUNK_HEADER_SIZE) {
		struct trace_chunk c;

		if (n - at >= TRACE_MARK_SIZE && !memcmp(p + at, TRACE_MAGIC, TRACE_MAGIC_SIZE)) {
			at += TRACE_MARK_SIZE;
			continue;
		}
		c = chunk_decode(p + at);
		if (c.length > n - at - CHUNK_HEADER_SIZE)
			return;
		chunk_encode(p + at, c.kind, p + at + CHUNK_HEADER_SIZE, c.length);
		at += CHUNK_HEADER_SIZE + c.length;
	}
}

/* Everything as text, for the sanitizers. */
static void dump_all(const uint8_t *p, size_t n)
{
	static const struct import_options options = {.format = "trace"};
	static const struct dump_options everything = {true, true, true};
	FILE *null = fopen("/dev/null", "w");
	struct dump *d = dump_new(null, &everything);
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	input_memory(&in, "fuzz", p, n, &e);
	capture_read(&in, &options, dump_sink(d), &lossy, &e);
	input_close(&in);
	dump_free(d);
	fclose(null);
}

static enum status counted(struct sink *s, struct trace *t, struct err *e)
{
	(void)s;
	(void)t;
	(void)e;
	return ST_OK;
}

static enum status count_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			       struct err *e)
{
	(void)b;
	return counted(s, t, e);
}

/* Events that came of it before it went wrong. */
static uint64_t grow(const uint8_t *p, size_t n, size_t step)
{
	struct sink sink = {.begin = counted, .batch = count_batch, .end = counted};
	struct trace_follow g = {.t = NULL};
	struct err e = ERR_INIT;
	uint64_t events = 0;

	for (size_t at = 0; at < n; at += step)
		if (trace_follow_add(&g, p + at, n - at < step ? n - at : step, &sink, &e))
			break;
	for (unsigned k = 0; g.t && k < EV_KINDS; k++)
		events += g.t->events[k];
	events = events << 8 | (uint8_t)g.ended;
	trace_follow_release(&g);
	return events;
}

struct summed {
	uint64_t cells, count, requested;
	bool ended;
};

static enum status take_cells(void *arg, struct trace *t, struct tally *a, struct err *e)
{
	struct summed *s = arg;

	(void)e;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct tally_cell *c = &a->cells[i];

		if (c->domain >= DOMAINS)
			continue;
		s->cells += 1 + c->stack + 3 * (uint64_t)c->type;
		s->count += c->count * (c->stack + 1);
		s->requested += c->requested * (c->type + 1);
	}
	s->cells += t->events[EV_ALLOC] + 5 * t->events[EV_FREE];
	return ST_OK;
}

/* Sums of its captures, where no block is followed. */
static struct summed sum_up(const uint8_t *p, size_t n, bool as_events)
{
	struct summed s = {.cells = 0};
	struct tally a;
	struct trace_follow g = {.t = NULL};
	struct err e = ERR_INIT;

	tally_init(&a, &(struct tally_options){.want = SUM_BIT(SUM_COUNT) | SUM_BIT(SUM_REQUESTED),
					       .done = take_cells,
					       .arg = &s});
	if (as_events)
		a.sink.wants = NULL;
	s.ended = !trace_follow_add(&g, p, n, &a.sink, &e) && !g.t;
	trace_follow_release(&g);
	tally_release(&a);
	return s;
}

static void compare_sums(const uint8_t *p, size_t n)
{
	struct summed columns = sum_up(p, n, false), events = sum_up(p, n, true);

	if (events.ended &&
	    (!columns.ended || columns.cells != events.cells || columns.count != events.count ||
	     columns.requested != events.requested))
		abort();
}

static void once(const uint8_t *p, size_t n)
{
	compare_sums(p, n);
	dump_all(p, n);
	if (n && grow(p, n, n) != grow(p, n, 1 + p[n / 2] % 61))
		abort();
	fuzz_reading("trace", p, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);

	once(data, size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	repair(copy, size);
	once(copy, size);
	free(copy);
	return 0;
}
