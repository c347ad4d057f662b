/* SPDX-License-Identifier: MIT
 *
 * Snapshots for unit tests, fed event by event.
 */
#ifndef TM_TESTS_UNIT_HEAP_H
#define TM_TESTS_UNIT_HEAP_H

#include "lib/report/heap/heap.h"
#include "tests/unit/test.h"

static struct trace *heap_trace;

static inline void heap_begin(struct heap_set *s)
{
	struct err e = ERR_INIT;

	heap_trace = trace_new();
	s->sink.begin(&s->sink, heap_trace, &e);
}

static inline void heap_event(struct heap_set *s, const struct event *ev)
{
	struct err e = ERR_INIT;

	sink_event(&s->sink, heap_trace, ev, &e);
}

/* size < 0: not known; name may be NULL. */
static inline void heap_object(struct heap_set *s, uint64_t id, const char *type, int64_t size,
			       const char *name)
{
	struct event ev = {.kind = EV_OBJECT, .has = EV_HAS_ADDRESS | EV_HAS_TYPE, .address = id};

	ev.type = trace_type(heap_trace, type, strlen(type));
	if (size >= 0) {
		ev.has |= EV_HAS_REQUESTED;
		ev.requested = (uint64_t)size;
	}
	if (name) {
		ev.has |= EV_HAS_NAME;
		ev.name = trace_strz(heap_trace, name);
	}
	heap_event(s, &ev);
}

static inline void heap_reference(struct heap_set *s, uint64_t from, uint64_t to, const char *name)
{
	struct event ev = {.kind = EV_REFERENCE,
			   .has = EV_HAS_ADDRESS | EV_HAS_TARGET,
			   .address = from,
			   .target = to};

	if (name) {
		ev.has |= EV_HAS_NAME;
		ev.name = trace_strz(heap_trace, name);
	}
	heap_event(s, &ev);
}

static inline struct heap *heap_end(struct heap_set *s)
{
	struct err e = ERR_INIT;

	s->sink.end(&s->sink, heap_trace, &e);
	trace_free(heap_trace);
	heap_trace = NULL;
	return s->n ? &s->heaps[s->n - 1] : NULL;
}

#endif
