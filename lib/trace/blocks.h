/* SPDX-License-Identifier: MIT
 *
 * A batch of moves: allocations and frees in captures that know a block only by its kind (size and stack), and not
 * by an address. The newest block of a kind is freed first. Blocks are malloc's and of no thread, their requested
 * bytes are known; all allocations of such a capture come so, and it has no frames of a game.
 *
 * A sink that only adds up takes them as they are (SINK_WANTS_MOVES), and needs no table of live blocks.
 * Any other gets the rows that they stand for: a block's address is its kind and its number
 * among those of the kind that are live.
 */
#ifndef TM_TRACE_BLOCKS_H
#define TM_TRACE_BLOCKS_H

#include "lib/trace/sink.h"

struct block_kind {
	uint64_t requested;
	uint32_t stack; /* 0: none is known */
	uint32_t live;  /* kept by the reader, behind the last move; below UINT32_MAX */
};

enum { BLOCK_KINDS = 1u << 31 };

struct sink_blocks {
	struct block_kind *kinds; /* at most BLOCK_KINDS; those that were used stay as they are */
	size_t n_kinds;
	const uint32_t *moves; /* kind << 1, | 1: freed, of which there is a live one */
	size_t n, n_freed;
	int64_t time; /* of all of them, ns */
};

/* Counts them in t->events and hands them to the sink. */
enum status sink_blocks(struct sink *s, struct trace *t, const struct sink_blocks *b,
			struct err *e);

#endif
