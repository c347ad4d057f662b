/* SPDX-License-Identifier: MIT
 *
 * A batch of allocations in columns, with the frees among them: a sink that looks at no address gets only the
 * number of frees, and one that follows blocks gets each in its place. Traces whose allocations have the same
 * fields give batches of this form; other events, and allocations with something else among them, come as rows.
 */
#ifndef TM_TRACE_ALLOCS_H
#define TM_TRACE_ALLOCS_H

#include "lib/trace/sink.h"

enum { SINK_ALLOCS_MOST = 64 };

struct sink_allocs {
	size_t n;     /* of each column, but as frees says; at most SINK_ALLOCS_MOST */
	unsigned has; /* EV_HAS_*, of what the sink looks at: every one of them has these */
	/* By the bit of the field. Of what they have not, anything; ids are of rows that are there. */
	uint64_t *v[EV_FIELD_BITS];
	size_t n_free, n_freed;
	struct sink_span times; /* of allocations and frees */
	bool untimed;           /* one of these has none */
	/* Where the sink looks at addresses, n + n_free events in their order, no EV_FREED among them:
	 * not 0 is a free. SINK_MOVES columns have a value for each then, 0 of what it has not, and
	 * there are no times. NULL: it does not. */
	const uint8_t *frees;
	unsigned free_has; /* EV_HAS_*: every free has these of SINK_MOVES */
};

enum { SINK_MOVES = EV_HAS_SEQ | EV_HAS_ADDRESS | EV_HAS_TIME | EV_HAS_THREAD | EV_HAS_DOMAIN };

/* Counts them in t->events and hands them to a sink that wants them. */
static inline enum status sink_allocs(struct sink *s, struct trace *t, const struct sink_allocs *a,
				      struct err *e)
{
	const struct sink_batch b = {.n = a->n + a->n_free + a->n_freed, .columns = a};

	t->events[EV_ALLOC] += a->n;
	t->events[EV_FREE] += a->n_free;
	t->events[EV_FREED] += a->n_freed;
	return s->batch(s, t, &b, e);
}

#endif
