/* SPDX-License-Identifier: MIT
 *
 * A LoliProfiler reader over arbitrary bytes, and what a sink may rely on.
 */
#ifndef TM_TESTS_FUZZ_LOLI_H
#define TM_TESTS_FUZZ_LOLI_H

#include "formats/reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static inline enum status on_edge(struct sink *s, struct trace *t, struct err *e)
{
	(void)s;
	(void)e;
	for (size_t i = 1; i < t->n_locations; i++)
		if (t->locations[i].module >= t->n_modules)
			abort();
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
	if (ev->kind == EV_COUNTER) { /* sizes */
		if (!ev->type || ev->type >= t->n_counters || ev->value < 0 || ev->time < 0)
			abort();
		return ST_OK;
	}
	if (ev->kind != EV_ALLOC && ev->kind != EV_FREE && ev->kind != EV_FREED)
		abort();
	if ((ev->has & EV_HAS_STACK) && (!ev->stack || ev->stack >= t->n_stacks))
		abort();
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
