/* SPDX-License-Identifier: MIT
 *
 * The blocks that are live at the end of a capture. A block is (space, address), where space is a
 * number for a process and a domain. An allocation is freed when there is a free of its block with
 * a greater sequence number (formats: LoliProfiler's rule); of several allocations of one block
 * that no free separates from the end, the newest is live and the others are "lost frees".
 *
 * Unordered captures may deliver a free before its allocation, so there every freed block is
 * remembered: memory is O(distinct blocks). In ordered ones a free takes effect in its place in the
 * order and its block is forgotten: O(live blocks).
 *
 * Its table is not one of lib/base/hash.h: blocks leave it all the time, and a slot that moves up is
 * found by the hash in it, without a look at its block.
 */
#ifndef TM_TALLY_LIVE_H
#define TM_TALLY_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_block {
	uint64_t address;
	uint64_t seq;             /* of the newest allocation */
	uint64_t freed;           /* largest number of a free; 0: none */
	uint64_t requested, real; /* of the newest allocation, as the next */
	int64_t time;             /* the caller's, as the next two */
	uint32_t space;
	uint32_t cell;
	uint32_t newest;
	uint32_t count : 30;    /* LIVE_COUNT_MAX stands for more, too */
	uint32_t allocated : 1; /* there is an allocation that no free is known to end */
	uint32_t known : 1;     /* an allocation was seen, freed or not */
};

#define LIVE_COUNT_MAX ((1u << 30) - 1)

struct live {
	struct live_block *blocks; /* with holes, whose allocated and known are false */
	size_t n, cap;
	size_t n_known;  /* not holes */
	uint32_t hole;   /* the first, + 1; its cell is the next */
	uint64_t *slots; /* hash in the upper half, index + 1 in the lower; 0: free */
	size_t mask;
	size_t touched; /* the last allocation's block */
	bool unordered;
	uint64_t lost_frees;    /* complete after live_finish */
	uint64_t unknown_frees; /* ordered: frees; unordered: blocks freed, never allocated */

	struct live_displaced { /* an allocation that a newer one of its block has covered */
		uint64_t seq;
		uint32_t block;
	} * displaced;
	size_t n_displaced, cap_displaced, sweep_at;
};

/* What an allocation or a free ended; that allocation is then in *gone. */
enum live_end {
	LIVE_NOTHING,
	LIVE_OTHER, /* an allocation that came before */
	LIVE_SELF,  /* the one that came: a free with a greater number was there, or a newer one */
};

/* Zeroed is an empty ordered one. Numbers are the capture's sequence, or the order of arrival,
 * and start at 1. The block is then l->blocks[l->touched], until it is freed. */
enum live_end live_alloc(struct live *l, uint32_t space, uint64_t address, uint64_t seq,
			 const struct live_block *what, struct live_block *gone);
/* True when it ended an allocation, which is then in *gone. */
bool live_free(struct live *l, uint32_t space, uint64_t address, uint64_t seq,
	       struct live_block *gone);
/* Freed by the event with this number, whenever that was. */
bool live_freed(struct live *l, uint32_t space, uint64_t address, uint64_t seq,
		struct live_block *gone);
/* Settles the counts. Live are then the blocks with allocated set. */
void live_finish(struct live *l);
void live_reset(struct live *l); /* empty again; keeps its memory */
void live_release(struct live *l);

/* Asks the memory for what live_alloc or live_free will touch: first the slot, and some time
 * later the block. */
void live_prefetch_slot(const struct live *l, uint32_t space, uint64_t address);
void live_prefetch_block(const struct live *l, uint32_t space, uint64_t address);
/* A block that may be this one and is there; NULL: none where it is looked for first. */
const struct live_block *live_peek(const struct live *l, uint32_t space, uint64_t address);

#endif
