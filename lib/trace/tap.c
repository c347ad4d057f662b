/* SPDX-License-Identifier: MIT */
#include "lib/trace/tap.h"

#include "lib/trace/allocs.h"
#include "lib/trace/blocks.h"

static enum status outcome(struct sink_tap *tap, enum status st)
{
	tap->failed |= st != ST_OK;
	return st;
}

static inline enum status see(struct sink_tap *tap, struct trace *t, const struct event *ev,
			      size_t n, struct err *e)
{
	return tap->hooks->events ? tap->hooks->events(tap, t, ev, n, e) : ST_OK;
}

static enum status tap_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct sink_tap *tap = (struct sink_tap *)s;
	enum status st = tap->hooks->begin ? tap->hooks->begin(tap, t, e) : ST_OK;

	return outcome(tap, st ? st : tap->to->begin(tap->to, t, e));
}

static enum status tap_event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	struct sink_tap *tap = (struct sink_tap *)s;
	enum status st = see(tap, t, ev, 1, e);

	return outcome(tap, st ? st : tap->to->event(tap->to, t, ev, e));
}

static enum status tap_events(struct sink *s, struct trace *t, const struct event *ev, size_t n,
			      struct err *e)
{
	struct sink_tap *tap = (struct sink_tap *)s;
	enum status st = see(tap, t, ev, n, e);

	return outcome(tap, st ? st : sink_pass(tap->to, t, ev, n, e));
}

static enum status tap_blocks(struct sink *s, struct trace *t, const struct sink_blocks *b,
			      struct err *e)
{
	struct sink_tap *tap = (struct sink_tap *)s;
	enum status st = see(tap, t, NULL, b->n, e);

	return outcome(tap, st ? st : tap->to->blocks(tap->to, t, b, e));
}

/* A digest may be refused, and then its events come: a hook would see them twice. */
static bool tap_digest(struct sink *s, struct trace *t, const struct sink_digest *d)
{
	struct sink_tap *tap = (struct sink_tap *)s;

	return !tap->hooks->events && tap->to->digest(tap->to, t, d);
}

static unsigned tap_fields(struct sink *s, const struct trace *t)
{
	struct sink_tap *tap = (struct sink_tap *)s;

	return tap->rows ? 0 : sink_allocs_fields(tap->to, t);
}

static enum status tap_allocs(struct sink *s, struct trace *t, const struct sink_allocs *a,
			      struct err *e)
{
	struct sink_tap *tap = (struct sink_tap *)s;
	enum status st = see(tap, t, NULL, a->n + a->n_free + a->n_freed, e);

	return outcome(tap, st ? st : tap->to->allocs->take(tap->to, t, a, e));
}

static const struct sink_takes_allocs tap_takes_allocs = {tap_fields, tap_allocs};

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
	*tap = (struct sink_tap){.sink = {.begin = tap_begin,
					  .event = tap_event,
					  .end = tap_end,
					  .events = tap_events,
					  .blocks = to->blocks && !rows ? tap_blocks : NULL,
					  .digest = to->digest && !rows ? tap_digest : NULL,
					  .allocs = to->allocs && !rows ? &tap_takes_allocs : NULL},
				 .to = to,
				 .hooks = hooks,
				 .rows = rows};
}
