/* SPDX-License-Identifier: MIT */
#include "lib/trace/blocks.h"

enum { BLOCKS_AT_ONCE = 64 };

static struct event blocks_event(const struct sink_blocks *b, uint32_t move)
{
	struct block_kind *kind = &b->kinds[move >> 1];
	struct event ev = {.kind = EV_FREE,
			   .has = EV_HAS_ADDRESS | EV_HAS_TIME | EV_HAS_DOMAIN,
			   .domain = DOMAIN_MALLOC,
			   .time = b->time,
			   .count = 1};

	if (move & 1) {
		kind->live--;
	} else {
		ev.kind = EV_ALLOC;
		ev.has |= EV_HAS_REQUESTED | (kind->stack ? EV_HAS_STACK : 0);
		ev.requested = kind->requested;
		ev.stack = kind->stack;
	}
	ev.address = (((uint64_t)move >> 1) + 1) << 32 | kind->live;
	if (!(move & 1))
		kind->live++;
	return ev;
}

enum status sink_blocks(struct sink *s, struct trace *t, const struct sink_blocks *b, struct err *e)
{
	struct event batch[BLOCKS_AT_ONCE];
	enum status st = ST_OK;

	if (sink_wants(s, t) & SINK_WANTS_MOVES) {
		const struct sink_batch as_they_are = {.n = b->n, .moves = b};

		t->events[EV_ALLOC] += b->n - b->n_freed;
		t->events[EV_FREE] += b->n_freed;
		return s->batch(s, t, &as_they_are, e);
	}
	/* What was live before the first of them numbers them. */
	for (size_t i = b->n; i--;)
		b->kinds[b->moves[i] >> 1].live += b->moves[i] & 1 ? 1 : -1u;
	for (size_t i = 0; i < b->n;) {
		size_t n = 0;

		while (n < BLOCKS_AT_ONCE && i < b->n)
			batch[n++] = blocks_event(b, b->moves[i++]);
		if (!st)
			st = sink_events(s, t, batch, n, e);
	}
	return st;
}
