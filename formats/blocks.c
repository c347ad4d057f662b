/* SPDX-License-Identifier: MIT */
#include "formats/blocks.h"

bool blocks_are_huge(const struct format_blocks *b, const int64_t amounts[BLOCKS_AMOUNTS])
{
	return b->live && amounts[BLOCKS_COUNT] > BLOCKS_MOST;
}

void blocks_gone(struct format_blocks *b, const int64_t all[BLOCKS_AMOUNTS],
		 const int64_t live[BLOCKS_AMOUNTS], unsigned known, int64_t gone[BLOCKS_AMOUNTS])
{
	bool above = false;

	for (unsigned a = 0; a < BLOCKS_AMOUNTS; a++) {
		gone[a] = all[a] > live[a] ? all[a] - live[a] : 0;
		above |= known >> a & 1 && all[a] < live[a];
	}
	b->above += above;
}

void blocks_note(const struct format_blocks *b)
{
	if (b->above)
		trace_note(b->im->t, NOTE_GUESS, b->above,
			   "rows have more bytes in use than allocated: the bytes in use "
			   "count as allocated");
}

static enum status push_block(struct format_blocks *b, struct event *ev, bool freed, struct err *e)
{
	struct event end = {.kind = EV_FREED,
			    .has = EV_HAS_ADDRESS | EV_HAS_SEQ | EV_HAS_DOMAIN,
			    .domain = ev->domain,
			    .count = 1};
	enum status st;

	if (b->live) {
		ev->has |= EV_HAS_ADDRESS | EV_HAS_SEQ;
		ev->address = ++b->ids;
		ev->seq = ++b->seq;
	}
	st = import_event(b->im, ev, e);
	if (st || !freed || !b->live)
		return st;
	/* Blocks of one address and of two processes are two. */
	if (ev->has & EV_HAS_THREAD && b->im->t->threads[ev->thread].process) {
		end.has |= EV_HAS_THREAD;
		end.thread = ev->thread;
	}
	end.address = ev->address;
	end.seq = ++b->seq;
	return import_event(b->im, &end, e);
}

enum status blocks_push(struct format_blocks *b, const struct event *first,
			const int64_t amounts[BLOCKS_AMOUNTS], bool freed, struct err *e)
{
	struct event ev = *first;
	uint64_t left = (uint64_t)amounts[BLOCKS_COUNT];
	enum status st = ST_OK;

	ev.requested = (uint64_t)amounts[BLOCKS_REQUESTED];
	ev.real = (uint64_t)amounts[BLOCKS_REAL];
	do {
		uint64_t n = left;

		if (ev.has & EV_HAS_COUNT) {
			n = left > (uint64_t)BLOCK_MOST && b->live ? (uint64_t)BLOCK_MOST : left;
			ev.count = n;
		}
		st = push_block(b, &ev, freed, e);
		left -= n;
		ev.requested = ev.real = 0;
	} while (!st && left);
	return st;
}
