/* SPDX-License-Identifier: MIT
 *
 * Trees of calls as reports of profilers list them: a row for each function, behind the one that it hangs below, with
 * what it and all below it have. What a function has itself is the rest, where the report does not say it.
 *
 *	struct call_tree tree = {.t = im->t, .push = push_row, .arg = &reader};
 *
 *	call_tree_add(&tree, &(struct call_tree_row){.depth = 4, .location = l, .total = {12}}, e);
 *	call_tree_end(&tree, e);
 */
#ifndef TM_FORMATS_CALL_TREE_H
#define TM_FORMATS_CALL_TREE_H

#include "lib/trace/model.h"

/* A tree of callers: its stacks are made anew for each row. */
enum { CALL_TREE_AMOUNTS = 2, CALL_TREE_DEPTH_MOST = 65536, CALL_TREE_CALLERS_MOST = 1024 };

struct call_tree_row {
	size_t depth; /* more than that of the row above; by any steps, as columns of a text are */
	uint32_t location; /* 0: a row without a function, such as a thread */
	int64_t total[CALL_TREE_AMOUNTS];
	int64_t own; /* of the first amount, if has_own */
	bool has_own;
};

struct call_tree_node;

/* t, push and arg are set; the rest is zeroed. */
struct call_tree {
	struct trace *t;
	/* What a row has itself, not below 0, once all rows below it have come; also if it is nothing. */
	enum status (*push)(void *arg, uint32_t stack, const int64_t own[CALL_TREE_AMOUNTS],
			    struct err *e);
	void *arg;
	bool callers; /* rows below call the one above them */
	struct call_tree_node *open;
	size_t n_open, cap_open;
	uint64_t above; /* rows of which those below have more */
};

/* False: the row lies too deep, and was not taken. */
bool call_tree_fits(const struct call_tree *c, size_t depth);
enum status call_tree_add(struct call_tree *c, const struct call_tree_row *row, struct err *e);
/* The rows that are open end. Frees, whatever the status is, what the tree holds. */
enum status call_tree_end(struct call_tree *c, struct err *e);
void call_tree_release(struct call_tree *c);

#endif
