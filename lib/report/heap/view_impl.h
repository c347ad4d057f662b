/* SPDX-License-Identifier: MIT
 *
 * Internal to report/heap/view.h: the common parts of its tables.
 */
#ifndef TM_REPORT_HEAP_VIEW_IMPL_H
#define TM_REPORT_HEAP_VIEW_IMPL_H

#include "lib/base/buf.h"
#include "lib/base/sort.h"
#include "lib/report/heap/view.h"

enum { HEAP_COLUMNS_MAX = 16, HEAP_LINES_MAX = 16 };

struct heap_view {
	const struct heap_set *s;
	const struct heap_part *parts;
	size_t n_parts;
	struct heap_held *held; /* of each part; NULL: this table shows none */
	struct heap_view_options options;
	enum heap_sort sort; /* never auto */
	bool sizes, retained;
	struct table table;
	struct table_column columns[HEAP_COLUMNS_MAX];
	uint8_t whats[HEAP_COLUMNS_MAX]; /* what each column holds, as its table counts */
	struct table_cell totals[HEAP_COLUMNS_MAX];
	struct arena arena;
	const char *notes[HEAP_LINES_MAX];
	struct buf text, path, through;
	/* One of these is filled. */
	struct heap_groups groups[2];
	struct heap_row { /* an object, a group, or the places of a group in both */
		uint32_t a, b;
	} * rows;
	size_t n_rows;
	void *own; /* of one table alone, freed */
};

struct heap_view *heap_view_new(const struct heap_set *s, const struct heap_part *parts,
				size_t n_parts, const struct heap_view_options *o);
void heap_column(struct heap_view *v, uint8_t what, struct table_column c);
void heap_note(struct heap_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void heap_title(struct heap_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What the objects of all parts retain each, where v->retained: most tables need memory before they know. */
void heap_view_hold(struct heap_view *v);
/* After heap_groups_add: where it is too much to find out, groups have no retained size. */
void heap_retained_known(struct heap_view *v);
/* Notes on what is not known of the parts. */
void heap_notes(struct heap_view *v);

/* The best of what comes, in memory for a few times as many: heap_rank each, then heap_ranked. */
struct heap_ranking {
	struct sort_item
	    *items; /* after heap_ranked best first, equal ones in the order they came */
	size_t n, cap;
	size_t most;    /* the caller's; 0: all */
	size_t all;     /* that came */
	uint64_t limit; /* ~key: what has no less is not among the best any more */
};

#define HEAP_RANKING(n)                          \
	{                                        \
		.most = (n), .limit = UINT64_MAX \
	}

void heap_rank(struct heap_ranking *r, uint64_t key, uint32_t index);
void heap_ranked(struct heap_ranking *r);
void heap_ranking_release(struct heap_ranking *r);
/* The best n (0: all) of the indexes by their keys, equal ones in order; returns how many. */
size_t heap_best(uint32_t *indexes, const uint64_t *keys, size_t n_all, size_t n);

#endif
