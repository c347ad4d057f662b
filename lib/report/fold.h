/* SPDX-License-Identifier: MIT
 *
 * Inside of project.h: one capture on its way into the groups.
 */
#ifndef TM_REPORT_FOLD_H
#define TM_REPORT_FOLD_H

#include "lib/report/project.h"

/* A capture while it is folded; arrays by the capture's stack ids. */
struct fold {
	struct project *p;
	const struct trace *t;
	const struct aggregate *a;
	int domain;
	bool *used;
	uint32_t *location; /* names.h id of its innermost location */
	uint32_t *site;     /* the call, and INSIDE when no call is outside of the rules */
	uint32_t *matched;  /* bit per filter, over the whole stack; NULL: no filters */
	uint32_t *cells;    /* KEY_FUNCTION, KEY_LOCATION: first cell + 1 */
	uint32_t *cell_next;
	uint32_t *merged; /* KEY_STACK: our stack id */
	unsigned at_cells;
};

#define INSIDE 0x80000000u

/* The index of the group of a thing, made when it is new. Moves p->self and p->total. */
uint32_t fold_group(struct project *p, uint32_t id, uint32_t site);
/* What a cell adds, as far as it is known at the key. */
struct sums fold_cell(const struct fold *f, size_t index);
/* Chooses the domain, learns which sums the capture has, counts frames, adds notes to t. */
void fold_learn(struct fold *f, struct trace *t);
/* Totals of functions or locations: what lies in or below them, recursion counted once. */
void fold_totals(struct fold *f);

#endif
