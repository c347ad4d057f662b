/* SPDX-License-Identifier: MIT
 *
 * A weighted tree of calls, from which a flame graph, an icicle and folded stacks are drawn.
 *
 *     struct flame f = FLAME_INIT;
 *     f.title = "requested bytes by stack";
 *     f.type = COLUMN_BYTES;
 *     uint32_t at = FLAME_ROOT;
 *     for each call, outermost first: at = flame_child(&f, at, name, len, NULL, 0);
 *     flame_add(&f, at, bytes, 0);
 *     ...
 *     flame_release(&f);
 *
 * A caller that has its tree already may fill nodes itself (flame_release then frees nothing that
 * is not owned: leave `own` NULL).
 */
#ifndef TM_TABLE_FLAME_H
#define TM_TABLE_FLAME_H

#include "lib/table/table.h"

enum { FLAME_ROOT = 0 };

struct flame_node {
	uint32_t parent; /* an index below its own; the root's is 0 */
	const char *name;
	size_t len;
	const char *at; /* "file:line", module or other text for the tooltip; may be NULL */
	size_t at_len;
	uint64_t self; /* what ends here, without its children */
	uint64_t base; /* with differential: the same on the base's side */
};

/* A further weight of the same nodes: only pages have it, where a reader chooses among them. */
enum { FLAME_MEASURES = 12 };
struct flame_measure {
	const char *title; /* "live requested" */
	enum column_type type;
	uint64_t *self; /* by node; of those behind n it is 0 */
	size_t n;
};

struct flame {
	const char *name; /* as a table's */
	const char *title;
	enum column_type type; /* of the values: COLUMN_INT, COLUMN_BYTES or COLUMN_TIME */
	bool differential;     /* self is the new side, base the base's; coloured by the change */
	const char *new_label, *base_label; /* with differential; may be NULL */
	struct flame_node *nodes;           /* [0] is the root: all */
	size_t n_nodes, cap;
	const char **notes; /* lines below; borrowed */
	size_t n_notes;
	const char *measure; /* the title of self, with others: flame_name_measure */
	struct flame_measure more[FLAME_MEASURES];
	size_t n_more;
	struct flame_own *own;
};

#define FLAME_INIT          \
	{                   \
		.own = NULL \
	}

/* The child of a node with this name (and text `at`), made if missing; both are copied.
 * Makes the root by itself. */
uint32_t flame_child(struct flame *f, uint32_t parent, const char *name, size_t n, const char *at,
		     size_t n_at);
/* Adds to what ends at a node; saturates. */
void flame_add(struct flame *f, uint32_t node, uint64_t self, uint64_t base);
/* The title of self; copied. */
void flame_name_measure(struct flame *f, const char *title);
/* Another measure, whose title is copied; NULL: there are FLAME_MEASURES. */
struct flame_measure *flame_measure(struct flame *f, const char *title, enum column_type type);
void flame_measure_add(struct flame_measure *m, uint32_t node, uint64_t self); /* saturates */
/* Per node, with everything below it; arrays of n_nodes, base may be NULL. Saturates. */
void flame_totals(const struct flame *f, uint64_t *total, uint64_t *base);
/* A smaller tree in *to (FLAME_INIT): at most most nodes, those of the largest totals (new or
 * base); what is cut is in nodes "(smaller)", so that every total stays. Returns how many were cut;
 * at 0, *to stays empty. */
size_t flame_prune(const struct flame *f, size_t most, struct flame *to);
void flame_release(struct flame *f);

#endif
