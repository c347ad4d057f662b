/* SPDX-License-Identifier: MIT */
#include "lib/trace/tap.h"

static enum status outcome(struct sink_tap *tap, enum status st)
{
	tap->failed |= st != ST_OK && st != ST_NONE;
	return st;
}

static enum status tap_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct sink_tap *tap = (struct sink_tap *)s;
	enum status st = tap->hooks->begin ? tap->hooks->begin(tap, t, e) : ST_OK;

	return outcome(tap, st ? st : tap->to->begin(tap->to, t, e));
}

static enum status tap_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			     struct err *e)
{
	struct sink_tap *tap = (struct sink_tap *)s;
	enum status st = tap->hooks->batch ? tap->hooks->batch(tap, t, b, e) : ST_OK;

	return outcome(tap, st ? st : tap->to->batch(tap->to, t, b, e));
}

static unsigned tap_wants(struct sink *s, const struct trace *t)
{
	struct sink_tap *tap = (struct sink_tap *)s;

	unsigned wants = tap->rows ? 0 : sink_wants(tap->to, t);

	/* A digest may be refused, and then its events come: a hook would see them twice. */
	return tap->hooks->batch ? wants & ~(unsigned)SINK_WANTS_DIGESTS : wants;
}

static enum status tap_end(struct sink *s, struct trace *t, struct err *e)
{
	struct sink_tap *tap = (struct sink_tap *)s;
	enum status st = tap->hooks->end ? tap->hooks->end(tap, t, e) : ST_OK;

	st = outcome(tap, st ? st : tap->to->end(tap->to, t, e));
	if (tap->hooks->ended)
		tap->hooks->ended(tap, t);
	return st;
}

void sink_tap_init(struct sink_tap *tap, struct sink *to, const struct tap_hooks *hooks, bool rows)
{
	*tap = (struct sink_tap){
	    .sink = {.begin = tap_begin, .batch = tap_batch, .end = tap_end, .wants = tap_wants},
	    .to = to,
	    .hooks = hooks,
	    .rows = rows};
}
