/* SPDX-License-Identifier: MIT
 *
 * A Unity reader over arbitrary bytes, and what a sink may rely on.
 */
#ifndef TM_TESTS_FUZZ_UNITY_H
#define TM_TESTS_FUZZ_UNITY_H

#include "formats/reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static inline enum status on_edge(struct sink *s, struct trace *t, struct err *e)
{
	(void)s;
	(void)e;
	for (size_t i = 1; i < t->n_stacks; i++)
		if (t->stacks[i].parent >= i || !t->stacks[i].location ||
		    t->stacks[i].location >= t->n_locations)
			abort();
	return ST_OK;
}

static inline enum status on_event(struct sink *s, struct trace *t, const struct event *ev,
				   struct err *e)
{
	(void)s;
	(void)e;
	if ((ev->has & EV_HAS_STACK) && (!ev->stack || ev->stack >= t->n_stacks))
		abort();
	if ((ev->has & EV_HAS_THREAD) && (!ev->thread || ev->thread >= t->n_threads))
		abort();
	switch (ev->kind) {
	case EV_FRAME: break;
	case EV_ALLOC:
		if (!ev->type || ev->type >= t->n_types)
			abort();
		break;
	case EV_COUNTER:
		if (!ev->type || ev->type >= t->n_counters)
			abort();
		break;
	case EV_SAMPLE:
		if (!ev->type || ev->type >= t->n_markers || ev->value < 0 ||
		    ev->target > (uint64_t)ev->value)
			abort();
		break;
	default: abort();
	}
	return ST_OK;
}

static inline int fuzz_reader(const char *name, const uint8_t *data, size_t n)
{
	struct sink sink = {on_edge, on_event, on_edge, NULL};
	struct import_options o = {.format = name};
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	reader_by_name(name)->bid(data, n, true);
	reader_by_name(name)->bid(data, n, false);
	input_memory(&in, "fuzz", data, n, &e);
	if (capture_read(&in, &o, &sink, &lossy, &e) && !e.msg[0])
		abort();
	input_close(&in);
	return 0;
}

#endif
