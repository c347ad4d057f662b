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
	(void)s;
	(void)e;
	if ((ev->has & EV_HAS_TYPE) && (!ev->type || ev->type >= t->n_types))
		abort();
	if ((ev->has & EV_HAS_STACK) && (!ev->stack || ev->stack >= t->n_stacks))
		abort();
	return ST_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct sink sink = {on_edge, on_event, on_edge, NULL};
	struct import_options o = {.format = "memtracer"};
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	reader_by_name("memtracer")->bid(data, n, true);
	input_memory(&in, "fuzz", data, n, &e);
	capture_read(&in, &o, &sink, &lossy, &e);
	input_close(&in);
	return 0;
}
