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

static enum status on_event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	(void)s;
	(void)e;
	if (ev->kind != EV_COUNTER && ev->kind != EV_FRAME)
		abort();
	if (ev->kind == EV_COUNTER && (!ev->type || ev->type >= t->n_counters))
		abort();
	return ST_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct sink sink = {on_edge, on_event, on_edge, NULL};
	struct import_options o = {.format = "counters"};
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	reader_by_name("counters")->bid(data, n, true);
	input_memory(&in, "fuzz", data, n, &e);
	if (capture_read(&in, &o, &sink, &lossy, &e) && !e.msg[0])
		abort();
	input_close(&in);
	return 0;
}
