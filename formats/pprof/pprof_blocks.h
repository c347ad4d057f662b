/* SPDX-License-Identifier: MIT
 *
 * Blocks as profiles of a heap tell of them: so many of one stack, some of them in use, without
 * addresses. Each lot gets a number for an address; what is no longer in use is freed at an unknown
 * time.
 */
#ifndef TM_FORMATS_PPROF_PPROF_BLOCKS_H
#define TM_FORMATS_PPROF_PPROF_BLOCKS_H

#include "formats/reader.h"

enum pprof_amount { PPROF_COUNT, PPROF_REQUESTED, PPROF_REAL, PPROF_AMOUNTS };

struct pprof_blocks {
	struct import *im;
	uint64_t ids; /* given as addresses */
	uint64_t seq;
	bool live; /* it is known what is in use */
};

/* A live block may stand for so many (report/live.h), and a row become so many of those: what has
 * more would be a flood of events. */
#define PPROF_BLOCK_MOST  ((INT64_C(1) << 30) - 2)
#define PPROF_BLOCKS_MOST (64 * PPROF_BLOCK_MOST)
bool pprof_is_huge(const struct pprof_blocks *b, const int64_t amounts[PPROF_AMOUNTS]);

/* Pushes blocks that share a fate, amounts[PPROF_COUNT] of them. *first: an ALLOC with all but address,
 * seq and amounts, and a bit for each amount that is known. */
enum status pprof_push_blocks(struct pprof_blocks *b, const struct event *first,
			      const int64_t amounts[PPROF_AMOUNTS], bool freed, struct err *e);

#endif
