/* SPDX-License-Identifier: MIT
 *
 * Blocks as heap profiles list them: a number per stack, some of them in use, without addresses.
 * Each lot gets a number for an address; what is no longer in use is freed at an unknown time.
 */
#ifndef TM_FORMATS_BLOCKS_H
#define TM_FORMATS_BLOCKS_H

#include "formats/reader.h"

enum block_amount { BLOCKS_COUNT, BLOCKS_REQUESTED, BLOCKS_REAL, BLOCKS_AMOUNTS };

struct format_blocks {
	struct import *im;
	uint64_t ids; /* given as addresses */
	uint64_t seq;
	uint64_t above; /* rows of which more is in use than was allocated */
	bool live;      /* it is known what is in use */
};

/* A live block may stand for so many (tally/live.h), and a row become so many of those: what has
 * more would be a flood of events. */
#define BLOCK_MOST  ((INT64_C(1) << 30) - 2)
#define BLOCKS_MOST (64 * BLOCK_MOST)
bool blocks_are_huge(const struct format_blocks *b, const int64_t amounts[BLOCKS_AMOUNTS]);

/* What is no longer in use of a row, not less than nothing; known: bits of what was counted of both. */
void blocks_gone(struct format_blocks *b, const int64_t all[BLOCKS_AMOUNTS],
		 const int64_t live[BLOCKS_AMOUNTS], unsigned known, int64_t gone[BLOCKS_AMOUNTS]);
/* Notes what that found. */
void blocks_note(const struct format_blocks *b);
/* Pushes blocks that share a fate, amounts[BLOCKS_COUNT] of them. *first: an ALLOC with all but address,
 * seq and amounts, and a bit for each amount that is known. */
enum status blocks_push(struct format_blocks *b, const struct event *first,
			const int64_t amounts[BLOCKS_AMOUNTS], bool freed, struct err *e);

#endif
