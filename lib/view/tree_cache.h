/* SPDX-License-Identifier: MIT
 *
 * The call trees of past queries, by number, so that a node of one can be named later: node 1.7
 * is the eighth of the first tree. A tree is that of a query's stacks; the query is kept for
 * as long as the program runs and its answer while there is room, and asked again when it is
 * needed: the same capture gives the same nodes. Where a capture grows, nodes keep their numbers and
 * new ones come after them; of a tree whose answer had made room before, they are forgotten, and it gets
 * another number.
 */
#ifndef TM_VIEW_TREE_CACHE_H
#define TM_VIEW_TREE_CACHE_H

#include "lib/view/view.h"

enum { TREE_CACHE_TREES = 4096, TREE_CACHE_KEPT = 4 };
#define TREE_CACHE_GONE UINT32_MAX /* parent of what is in the tree no more */

struct tree_cache_node {
	uint32_t parent, children;
	const char *name, *at;         /* at: NULL */
	unsigned __int128 self, total; /* exact */
};

/* A flame graph with its texts in one block, which the thread of a query hands over. */
struct tree_cache_flame {
	const char *type;   /* of values: "bytes" */
	const char *metric; /* "live requested"; NULL: the answer does not say */
	size_t n;
	struct tree_cache_node nodes[]; /* the texts are behind them */
};

struct tree_cache_tree {
	char *question;
	uint64_t version, used; /* of the files, at the query; of nodes, when it was looked at */
	struct tree_cache_flame *flame; /* NULL: the answer is not there */
	size_t n;
	struct tree_cache_node *items; /* the flame's, or */
	struct tree_cache_node
	    *numbered; /* with the numbers of earlier answers; NULL: there were none */
};

struct tree_cache { /* zeroed is empty */
	struct tree_cache_tree **trees;
	size_t n, cap;
	uint64_t clock;
};

/* The tree of a query's stacks. NULL: *e says why. *number is its own. */
struct tree_cache_tree *tree_cache_of(struct tree_cache *m, const struct view *v,
				      const char *question, size_t *number, struct err *e);
/* What "1.7" names; NULL: *e says why. */
struct tree_cache_tree *tree_cache_find(struct tree_cache *m, const struct view *v, const char *id,
					size_t *number, size_t *node, struct err *e);
void tree_cache_release(struct tree_cache *m);

#endif
