/* SPDX-License-Identifier: MIT
 *
 * A reader over arbitrary bytes, and what every sink may rely on: ids that exist, parents that
 * stand before their children, kinds and fields in range.
 */
#ifndef TM_TESTS_FUZZ_READING_H
#define TM_TESTS_FUZZ_READING_H

#include "formats/reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* What else holds of a family's events: aborts when it does not. */
typedef void reading_rule_fn(const struct event *ev);

struct reading_sink {
	struct sink sink;
	reading_rule_fn *rule; /* or NULL */
};

static inline enum status reading_edge(struct sink *s, struct trace *t, struct err *e)
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

static inline enum status reading_event(struct sink *s, struct trace *t, const struct event *ev,
					struct err *e)
{
	bool counter = ev->kind == EV_COUNTER;
	bool marker = ev->kind == EV_ENTER || ev->kind == EV_EXIT || ev->kind == EV_SAMPLE;
	const struct reading_sink *r = (const struct reading_sink *)s;
	size_t types = counter ? t->n_counters : marker ? t->n_markers : t->n_types;

	(void)e;
	if (!ev->kind || ev->kind >= EV_KINDS || ev->has & ~EV_FIELDS || ev->domain >= DOMAINS)
		abort();
	if ((ev->has & EV_HAS_TYPE) && (!ev->type || ev->type >= types))
		abort();
	if ((ev->has & EV_HAS_STACK) && (!ev->stack || ev->stack >= t->n_stacks))
		abort();
	if ((ev->has & EV_HAS_THREAD) && (!ev->thread || ev->thread >= t->n_threads))
		abort();
	if ((ev->has & EV_HAS_NAME) && ev->name > intern_count(&t->strings))
		abort();
	if (r->rule)
		r->rule(ev);
	return ST_OK;
}

static inline void fuzz_reading_by(const char *name, const uint8_t *data, size_t n,
				   reading_rule_fn *rule)
{
	struct reading_sink sink = {{reading_edge, reading_event, reading_edge, NULL}, rule};
	struct import_options o = {.format = name};
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	reader_by_name(name)->bid(data, n, true);
	reader_by_name(name)->bid(data, n, false);
	input_memory(&in, "fuzz", data, n, &e);
	if (capture_read(&in, &o, &sink.sink, &lossy, &e) && !e.msg[0])
		abort();
	input_close(&in);
}

static inline void fuzz_reading(const char *name, const uint8_t *data, size_t n)
{
	fuzz_reading_by(name, data, n, NULL);
}

#endif
