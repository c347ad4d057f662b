/* SPDX-License-Identifier: MIT
 *
 * The call trees of past questions, by number, so that a node of one can be named later: node 1.7
 * is the eighth of the first tree. A tree is that of a question's stacks; the question is kept for
 * as long as the program runs and its answer while there is room, and asked again when it is
 * needed: the same capture gives the same nodes. Where a capture grows, nodes keep their numbers and
 * new ones come behind them; of a tree whose answer had made room before, they are forgotten, and it gets
 * another number.
 */
#ifndef TM_VIEW_NODES_H
#define TM_VIEW_NODES_H

#include "lib/view/view.h"

enum { NODES_TREES = 4096, NODES_KEPT = 4 };
#define NODES_GONE UINT32_MAX /* parent of what is in the tree no more */

struct nodes_tree {
	char *question;
	uint64_t version, used; /* of the files, at the question; of nodes, when it was looked at */
	struct arena arena;     /* zeroed: the answer is not there */
	const char *type;       /* of values: "bytes" */
	const char *metric;     /* "live requested"; NULL: the answer does not say */
	size_t n;
	struct nodes_node {
		uint32_t parent, children;
		const char *name, *at;         /* at: NULL */
		unsigned __int128 self, total; /* exact */
	} * items;
};

struct view_nodes { /* zeroed is empty */
	struct nodes_tree **trees;
	size_t n, cap;
	uint64_t clock;
};

/* The tree of a question's stacks. NULL: *e says why. *number is its own. */
struct nodes_tree *nodes_of(struct view_nodes *m, const struct view *v, const char *question,
			    size_t *number, struct err *e);
/* What "1.7" names; NULL: *e says why. */
struct nodes_tree *nodes_find(struct view_nodes *m, const struct view *v, const char *id,
			      size_t *number, size_t *node, struct err *e);
void nodes_release(struct view_nodes *m);

#endif
