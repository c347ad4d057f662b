/* SPDX-License-Identifier: MIT */
#include "lib/trace/tee.h"

static struct sink *first(struct sink_tap *tap)
{
	return ((struct sink_tee *)tap)->first;
}

static enum status tee_begin(struct sink_tap *tap, struct trace *t, struct err *e)
{
	return first(tap)->begin(first(tap), t, e);
}

static enum status tee_batch(struct sink_tap *tap, struct trace *t, const struct sink_batch *b,
			     struct err *e)
{
	return first(tap)->batch(first(tap), t, b, e);
}

static enum status tee_end(struct sink_tap *tap, struct trace *t, struct err *e)
{
	return first(tap)->end(first(tap), t, e);
}

static const struct tap_hooks tee_hooks = {.begin = tee_begin, .batch = tee_batch, .end = tee_end};

void sink_tee_init(struct sink_tee *b, struct sink *first, struct sink *second)
{
	sink_tap_init(&b->tap, second, &tee_hooks, true);
	b->first = first;
}
