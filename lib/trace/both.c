/* SPDX-License-Identifier: MIT */
#include "lib/trace/both.h"

static struct sink *first(struct sink_tap *tap)
{
	return ((struct sink_both *)tap)->first;
}

static enum status both_begin(struct sink_tap *tap, struct trace *t, struct err *e)
{
	return first(tap)->begin(first(tap), t, e);
}

static enum status both_batch(struct sink_tap *tap, struct trace *t, const struct sink_batch *b,
			      struct err *e)
{
	return first(tap)->batch(first(tap), t, b, e);
}

static enum status both_end(struct sink_tap *tap, struct trace *t, struct err *e)
{
	return first(tap)->end(first(tap), t, e);
}

static const struct tap_hooks both_hooks = {
    .begin = both_begin, .batch = both_batch, .end = both_end};

void sink_both_init(struct sink_both *b, struct sink *first, struct sink *second)
{
	sink_tap_init(&b->tap, second, &both_hooks, true);
	b->first = first;
}
