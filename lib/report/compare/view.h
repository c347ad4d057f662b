/* SPDX-License-Identifier: MIT
 *
 * A comparison as a document: the entities that changed, most first, the runs they are from, caveats
 * of the differences, and a differential flame graph of the stacks.
 */
#ifndef TM_REPORT_COMPARE_VIEW_H
#define TM_REPORT_COMPARE_VIEW_H

#include "lib/report/compare/compare.h"
#include "lib/table/document.h"

struct compare_options {
	enum key by;
	int sort;        /* an enum sum or SORT_AUTO and so on (metric.h) */
	bool cumulative; /* totals, where the key has them */
	bool all;        /* entities that did not change, too */
	bool flame;      /* the graph, where stacks are held: large */
	uint64_t n;      /* rows; 0: all */
};

struct compare_view;

/* c must outlive it. NULL: the metric is not known in every run; *e says why. */
struct compare_view *compare_view_new(const struct compare *c, const struct compare_options *o,
				      struct err *e);
void compare_view_free(struct compare_view *v); /* accepts NULL */
#define COMPARE_FLAME "stacks"
/* Table "changes", table "runs", and the flame graph where it was asked for. */
void compare_view_add(struct compare_view *v, struct table_document *d);

/* Inside: report/compare/runs.c, report/compare/notes.c, report/compare/flame.c. Lines go into the arena. */
struct compare_runs { /* the table "runs" */
	struct table table;
	const struct compare *c;
	struct table_column columns[SUMS + 8];
};
void compare_runs_init(struct compare_runs *r, const struct compare *c, enum sum shown);
struct table_cell compare_cell(struct compare_number n);
struct compare_lines {
	const char **items;
	size_t n, cap;
	struct arena arena;
};
void compare_notes(const struct compare *c, enum key by, enum sum sum, struct compare_lines *to);
/* The stacks of the base and the last group; f is FLAME_INIT. */
void compare_flame(const struct compare *c, enum sum sum, struct flame *f);
/* An entity with its place: "name (file:line)". */
void compare_entity_text(const struct profile_entities *t, const struct profile_entity *entity,
			 struct buf *to);

#endif
