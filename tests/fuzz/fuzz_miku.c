/* SPDX-License-Identifier: MIT
 *
 * The readers of Miku-LuaProfiler over arbitrary bytes, and what a sink may rely on. The bytes'
 * number chooses the options.
 */
#include "formats/reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static enum status on_edge(struct sink *s, struct trace *t, struct err *e)
{
	(void)s;
	(void)e;
	for (size_t i = 1; i < t->n_stacks; i++)
		if (t->stacks[i].parent >= i || !t->stacks[i].location ||
		    t->stacks[i].location >= t->n_locations)
			abort();
	return ST_OK;
}

static size_t rows_of_type(const struct trace *t, uint8_t kind)
{
	return kind == EV_SAMPLE ? t->n_markers : kind == EV_COUNTER ? t->n_counters : t->n_types;
}

static enum status on_event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	(void)s;
	(void)e;
	if ((ev->has & EV_HAS_TYPE) && (!ev->type || ev->type >= rows_of_type(t, ev->kind)))
		abort();
	if ((ev->has & EV_HAS_STACK) && (!ev->stack || ev->stack >= t->n_stacks))
		abort();
	/* what is clamped is never below 0, nor more than the total */
	if (ev->kind == EV_SAMPLE && (ev->has & EV_HAS_TARGET) &&
	    (!(ev->has & EV_HAS_VALUE) || ev->target > (uint64_t)ev->value))
		abort();
	if (ev->kind == EV_ALLOC && (int64_t)ev->requested < 0)
		abort();
	return ST_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const names[] = {"miku-sample", "miku-tcp", "miku-diff", "miku-ref"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct sink sink = {on_edge, on_event, on_edge, NULL};
		struct import_options o = {
		    .format = names[i], .unclamped = n & 1, .collapse_resumes = n & 2};
		struct err e = ERR_INIT;
		struct input in;
		bool lossy;

		reader_by_name(names[i])->bid(data, n, true);
		reader_by_name(names[i])->bid(data, n, false);
		input_memory(&in, "fuzz", data, n, &e);
		if (capture_read(&in, &o, &sink, &lossy, &e) && !e.msg[0])
			abort();
		input_close(&in);
	}
	return 0;
}
