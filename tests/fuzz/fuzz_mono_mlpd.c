/* SPDX-License-Identifier: MIT */
#include "formats/reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static enum status on_edge(struct sink *s, struct trace *t, struct err *e)
{
	(void)s;
	(void)t;
	(void)e;
	return ST_OK;
}

/* What a sink may rely on. */
static enum status on_event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	bool marker = ev->kind == EV_ENTER || ev->kind == EV_EXIT || ev->kind == EV_SAMPLE;
	size_t types = marker ? t->n_markers : ev->kind == EV_COUNTER ? t->n_counters : t->n_types;

	(void)s;
	(void)e;
	if ((ev->has & EV_HAS_TYPE) && (!ev->type || ev->type >= types))
		abort();
	if ((ev->has & EV_HAS_STACK) && (!ev->stack || ev->stack >= t->n_stacks))
		abort();
	if ((ev->has & EV_HAS_THREAD) && (!ev->thread || ev->thread >= t->n_threads))
		abort();
	return ST_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct sink sink = {on_edge, on_event, on_edge, NULL};
	struct import_options o = {.format = "mono-mlpd"};
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	reader_by_name("mono-mlpd")->bid(data, n, true);
	input_memory(&in, "fuzz", data, n, &e);
	capture_read(&in, &o, &sink, &lossy, &e);
	input_close(&in);
	return 0;
}
