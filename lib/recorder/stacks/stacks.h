/* SPDX-License-Identifier: MIT
 *
 * Stacks, interned as a tree in the process: a node is a return address and the node of its
 * callers; its number is the stack's id in the trace. Any thread looks nodes up without a lock and
 * adds them under one; the writer reads them in the order of their numbers. Memory is bounded: when
 * CAP_NODES are there, further stacks get the id of as much of them as is known.
 *
 * Memory comes from mmap. Nothing here allocates otherwise.
 */
#ifndef TM_RECORDER_STACKS_STACKS_H
#define TM_RECORDER_STACKS_STACKS_H

#include "lib/recorder/base/lock.h"
#include "lib/recorder/base/settings.h"

#include <stdint.h>

/* 128 MiB of addresses when full; a quarter where addresses are few. */
enum { CAP_NODES = UINTPTR_MAX > UINT32_MAX ? 1 << 23 : 1 << 21 };

struct cap_node {
	uint64_t pc;
	uint32_t parent;   /* 0: outermost */
	uint32_t location; /* the writer's */
};

struct cap_stacks_table {
	struct cap_node *nodes; /* [0] unused; reserved for CAP_NODES, used from the front */
	_Atomic uint32_t n;     /* nodes made; their contents are visible up to here */
	_Atomic(struct cap_slots *) slots;
	struct cap_lock lock;     /* of the thread that adds */
	_Atomic uint32_t flushed; /* how often cap_stacks_forget was called */
	_Atomic uint64_t cut;     /* stacks cut short because the table is full */
	_Atomic uint64_t waited;  /* because lock was given up */
	uint32_t limit;           /* nodes at most */
};

/* The stack that a thread had last: of the next one only what differs is looked up. */
struct cap_last {
	unsigned n;
	uint32_t flushed;
	uint64_t pc[CAP_DEPTH_MAX];   /* outermost first */
	uint64_t hash[CAP_DEPTH_MAX]; /* of the addresses up to here */
	uint32_t id[CAP_DEPTH_MAX];
};

/* False: no memory. limit 0 is CAP_NODES. */
bool cap_stacks_init(struct cap_stacks_table *t, uint32_t limit);
/* How many of n return addresses, innermost first, the last stack has too, from the outermost on.
 */
unsigned cap_stacks_same(const struct cap_stacks_table *t, struct cap_last *last,
			 const uint64_t *pc, unsigned n);
/* Their id, same being what that said; 0 for none. */
uint32_t cap_stacks_rest(struct cap_stacks_table *t, struct cap_last *last, const uint64_t *pc,
			 unsigned n, unsigned same);
static inline uint32_t cap_stacks_id(struct cap_stacks_table *t, struct cap_last *last,
				     const uint64_t *pc, unsigned n)
{
	return cap_stacks_rest(t, last, pc, n, cap_stacks_same(t, last, pc, n));
}
/* Addresses have a new meaning from now on: no node that is there is found again. */
void cap_stacks_forget(struct cap_stacks_table *t);

#endif
