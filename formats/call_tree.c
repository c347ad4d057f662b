/* SPDX-License-Identifier: MIT */
#include "formats/call_tree.h"

#include "lib/base/mem.h"

#include <stdlib.h>

struct call_tree_node {
	size_t depth;
	uint32_t location, stack; /* stack: of a tree of callees */
	int64_t own[CALL_TREE_AMOUNTS];
	bool has_own;
};

/* From the outermost caller, which is the last open row. */
static uint32_t stack_of_callers(struct call_tree *c)
{
	uint32_t stack = 0;

	for (size_t i = c->n_open; i-- > 0;)
		if (c->open[i].location)
			stack = trace_stack(c->t, stack, c->open[i].location);
	return stack;
}

static enum status close_row(struct call_tree *c, struct err *e)
{
	struct call_tree_node *row = &c->open[c->n_open - 1];
	uint32_t stack = c->callers ? stack_of_callers(c) : row->stack;

	c->above += row->own[0] < 0;
	for (int i = 0; i < CALL_TREE_AMOUNTS; i++)
		row->own[i] = row->own[i] > 0 ? row->own[i] : 0;
	c->n_open--;
	return c->push(c->arg, stack, row->own, e);
}

bool call_tree_fits(const struct call_tree *c, size_t depth)
{
	size_t n = c->n_open;

	if (n < (c->callers ? CALL_TREE_CALLERS_MOST : CALL_TREE_DEPTH_MOST))
		return true;
	return c->open[n - 1].depth >= depth;
}

enum status call_tree_add(struct call_tree *c, const struct call_tree_row *row, struct err *e)
{
	struct call_tree_node node = {
	    .depth = row->depth, .location = row->location, .has_own = row->has_own};
	enum status st = ST_OK;

	while (!st && c->n_open && c->open[c->n_open - 1].depth >= row->depth)
		st = close_row(c, e);
	if (st)
		return st;
	for (int i = 0; i < CALL_TREE_AMOUNTS; i++)
		node.own[i] = row->total[i];
	if (row->has_own)
		node.own[0] = row->own;
	if (c->n_open) {
		struct call_tree_node *in = &c->open[c->n_open - 1];

		node.stack = in->stack;
		/* Below zero they are nothing, however far. */
		for (int i = 0; i < CALL_TREE_AMOUNTS; i++)
			if ((i || !in->has_own) && in->own[i] >= 0)
				in->own[i] -= row->total[i];
	}
	if (row->location && !c->callers)
		node.stack = trace_stack(c->t, node.stack, row->location);
	VEC_PUSH(c->open, c->n_open, c->cap_open) = node;
	return ST_OK;
}

void call_tree_release(struct call_tree *c)
{
	free(c->open);
	c->open = NULL;
	c->n_open = c->cap_open = 0;
}

enum status call_tree_end(struct call_tree *c, struct err *e)
{
	enum status st = ST_OK;

	while (!st && c->n_open)
		st = close_row(c, e);
	call_tree_release(c);
	return st;
}
