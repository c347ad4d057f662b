/* SPDX-License-Identifier: MIT
 *
 * The limit on the calls that a report prints, where each stack is a text of its own. The callers of stacks are
 * a tree, and stacks from the root to each of its nodes can be as long as the square of that: a file of a few
 * kilobytes fills a disk. Of usual captures each call is printed less than a thousand times on average. Where it
 * is more, long stacks are cut in the middle.
 *
 * Nodes are added in the order of their ids, from 1 on, callers before what they call; then the
 * stacks that are printed; then stack_cut_choose. Zeroed is valid, and cuts nothing.
 */
#ifndef TM_GROUP_STACK_CUT_H
#define TM_GROUP_STACK_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STACKS_FREE_CALLS = 16 << 20, STACKS_FREE_BYTES = 256 << 20, STACK_CUT_NOTE = 192 };

struct stack_cut {
	struct stack_cut_node *nodes; /* [0]: the root, no call */
	size_t n, cap;
	uint64_t once, all, shown; /* bytes of the nodes, of the printed stacks; printed stacks */
	uint64_t most;             /* bytes of a stack's text; 0: each is whole */
};

/* Of stacks whose nodes have once together so much may be printed, whatever it is that counts; at
 * least free. */
uint64_t stacks_budget(uint64_t once, uint64_t free);

/* The next node. bytes: of the names of its calls. */
void stack_cut_add(struct stack_cut *c, uint32_t parent, uint64_t calls, uint64_t bytes);
void stack_cut_show(struct stack_cut *c, uint32_t node);
/* True: some are cut. Otherwise nothing is kept. */
bool stack_cut_choose(struct stack_cut *c);
/* Where rows are written as they come: a stack that is printed next, in place of stack_cut_show and
 * stack_cut_choose. Nodes may still be added. True: from now on long ones are cut. */
bool stack_cut_next(struct stack_cut *c, uint32_t node);
/* For people, after stack_cut_choose or stack_cut_next was true. */
void stack_cut_note(const struct stack_cut *c, char text[STACK_CUT_NOTE]);
/* The node behind which, on the way to the root, a stack is cut: *outer comes next (0: none), and
 * *left calls between them are left out. 0: it is printed whole. */
uint32_t stack_cut_at(const struct stack_cut *c, uint32_t node, uint32_t *outer, uint64_t *left);
void stack_cut_release(struct stack_cut *c);

#endif
