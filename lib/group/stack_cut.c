/* SPDX-License-Identifier: MIT */
#include "lib/group/stack_cut.h"

#include "lib/base/mem.h"
#include "lib/tally/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* TIMES: a call is printed on average. INNERMOST: nodes that are never cut, as reports for people
 * print so many calls beneath a row. */
enum { TIMES = 512, INNERMOST = 128 };
/* Bytes of a stack where more than may be printed were printed before it. */
enum { MOST_NEXT = 4096 };

struct stack_cut_node {
	uint64_t calls, bytes;  /* from the root, its own included */
	uint32_t parent, outer; /* outer: the innermost on its way that is in the outer half */
};

static void find_outer(struct stack_cut *c, size_t i)
{
	struct stack_cut_node *node = &c->nodes[i];

	node->outer = node->bytes <= c->most / 2 ? (uint32_t)i : c->nodes[node->parent].outer;
}

uint64_t stacks_budget(uint64_t once, uint64_t free)
{
	uint64_t all = once > UINT64_MAX / TIMES ? UINT64_MAX : once * TIMES;

	return all > free ? all : free;
}

void stack_cut_add(struct stack_cut *c, uint32_t parent, uint64_t calls, uint64_t bytes)
{
	struct stack_cut_node node = {.parent = parent};

	if (!c->n)
		VEC_PUSH(c->nodes, c->n, c->cap) = (struct stack_cut_node){.parent = 0};
	bytes = add_saturating(bytes, calls); /* what is between them */
	node.calls = add_saturating(c->nodes[parent].calls, calls);
	node.bytes = add_saturating(c->nodes[parent].bytes, bytes);
	c->once = add_saturating(c->once, bytes);
	VEC_PUSH(c->nodes, c->n, c->cap) = node;
	if (c->most)
		find_outer(c, c->n - 1);
}

void stack_cut_show(struct stack_cut *c, uint32_t node)
{
	if (!node)
		return;
	c->all = add_saturating(c->all, c->nodes[node].bytes);
	c->shown++;
}

bool stack_cut_choose(struct stack_cut *c)
{
	uint64_t budget = stacks_budget(c->once, STACKS_FREE_BYTES);

	if (c->all <= budget) {
		stack_cut_release(c);
		return false;
	}
	c->most = budget / c->shown;
	for (size_t i = 1; i < c->n; i++)
		find_outer(c, i);
	return true;
}

bool stack_cut_next(struct stack_cut *c, uint32_t node)
{
	stack_cut_show(c, node);
	if (c->most || c->all <= stacks_budget(c->once, STACKS_FREE_BYTES))
		return c->most > 0;
	c->most = MOST_NEXT;
	for (size_t i = 1; i < c->n; i++)
		find_outer(c, i);
	return true;
}

void stack_cut_note(const struct stack_cut *c, char text[STACK_CUT_NOTE])
{
	snprintf(text, STACK_CUT_NOTE,
		 "stacks are nested too deeply to write each from the root (%" PRIu64
		 " bytes): in the field 'stack' those of more than %" PRIu64
		 " bytes are cut in the middle",
		 c->all, c->most);
}

uint32_t stack_cut_at(const struct stack_cut *c, uint32_t node, uint32_t *outer, uint64_t *left)
{
	const struct stack_cut_node *nodes = c->nodes;
	uint32_t at = node, next;
	uint64_t all;

	if (!c->most || nodes[node].bytes <= c->most)
		return 0;
	all = nodes[node].bytes;
	for (size_t n = 1; (next = nodes[at].parent); n++, at = next)
		if (n >= INNERMOST && all - nodes[nodes[next].parent].bytes > c->most / 2)
			break;
	*outer = nodes[node].outer;
	if (nodes[next].calls <= nodes[*outer].calls)
		return 0;
	*left = nodes[next].calls - nodes[*outer].calls;
	return at;
}

void stack_cut_release(struct stack_cut *c)
{
	free(c->nodes);
	*c = (struct stack_cut){.most = 0};
}
