/* SPDX-License-Identifier: MIT
 *
 * A sink that hands all on to another one as it came: the one way to stand in front of a sink. Hooks see a
 * capture begin, its events, and its end; the sink behind gets the same calls with a tap and without one.
 */
#ifndef TM_TRACE_TAP_H
#define TM_TRACE_TAP_H

#include "lib/trace/sink.h"

struct sink_tap;

/* Each may be NULL. All but ended are called before the sink behind has the same; where one fails, the
 * sink behind does not get it. */
struct tap_hooks {
	enum status (*begin)(struct sink_tap *tap, struct trace *t, struct err *e);
	enum status (*batch)(struct sink_tap *tap, struct trace *t, const struct sink_batch *b,
			     struct err *e);
	enum status (*end)(struct sink_tap *tap, struct trace *t, struct err *e);
	/* After the other sink's end, even if that failed. */
	void (*ended)(struct sink_tap *tap, struct trace *t);
};

struct sink_tap {
	struct sink sink; /* first */
	struct sink *to;  /* borrowed */
	const struct tap_hooks *hooks;
	bool rows;   /* the hook looks at events: all come as rows */
	bool failed; /* a hook or the sink behind has failed */
};

/* The tap stays where it is; hooks outlives it. */
void sink_tap_init(struct sink_tap *tap, struct sink *to, const struct tap_hooks *hooks, bool rows);

#endif
