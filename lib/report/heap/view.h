/* SPDX-License-Identifier: MIT
 *
 * Snapshots as tables: objects summed by type, site, root or owner; objects, largest first; and two
 * snapshots side by side.
 */
#ifndef TM_REPORT_HEAP_VIEW_H
#define TM_REPORT_HEAP_VIEW_H

#include "lib/report/heap/parts.h"
#include "lib/table/table.h"

enum heap_sort { HEAP_SORT_AUTO, HEAP_SORT_SIZE, HEAP_SORT_COUNT, HEAP_SORT_RETAINED };
extern const char *const heap_sort_words[];

struct heap_view_options {
	enum heap_key by;
	enum heap_sort sort;
	size_t n;              /* rows; 0: all */
	struct owners *owners; /* the caller's; NULL: none */
	const char *what;      /* what the objects are: "objects", "objects only in b.tmt" */
	unsigned min_share;    /* dominators: hundredths of a percent; what has less is left out */
};

enum {
	HEAP_MANY = 4
}; /* so many that are alike share a row of paths and of the tree of dominators */

struct heap_view;

/* Parts and set outlive the view. Retained sizes are shown where the parts have dominators. */
struct heap_view *heap_view_groups(const struct heap_set *s, const struct heap_part *parts,
				   size_t n_parts, const struct heap_view_options *o);
struct heap_view *heap_view_objects(const struct heap_set *s, const struct heap_part *parts,
				    size_t n_parts, const struct heap_view_options *o);
/* parts[0] is the base, parts[1] the new one. */
struct heap_view *heap_view_compare(const struct heap_set *s, const struct heap_part *parts,
				    const struct heap_view_options *o);
/* The referrers of what counts in parts[0]: by the referrer's type and its field. */
struct heap_view *heap_view_referrers(const struct heap_set *s, const struct heap_part *parts,
				      const struct heap_view_options *o);
/* What keeps the objects that count: of each the shortest path through each of its referrers, at
 * most k (0: all), shortest first; of at most o->n objects, those nearest to a root first. HEAP_MANY or more objects
 * of one type whose paths differ in the numbers of elements alone are one, and so are as many such references of one. */
struct heap_view *heap_view_paths(const struct heap_set *s, const struct heap_part *parts,
				  const struct heap_view_options *o, size_t k);
/* Objects of one type with equal contents, or (where contents are not known) equal names and sizes;
 * most wasted bytes first. */
struct heap_view *heap_view_same(const struct heap_set *s, const struct heap_part *parts,
				 const struct heap_view_options *o);
/* The tree of dominators of parts[0], largest retained first: o->n rows beneath that of all. Each is
 * an object; HEAP_MANY or more of one type and name (or none) beneath one row, but for one that
 * retains more than all the others; or those of a type beneath one row that have less than
 * o->min_share each. Rows are those that count and what dominates them; what they retain is that
 * of the whole snapshot. */
struct heap_view *heap_view_dominators(const struct heap_set *s, const struct heap_part *parts,
				       const struct heap_view_options *o);
const struct table *heap_view_table(const struct heap_view *v);
void heap_view_free(struct heap_view *v); /* accepts NULL */

#endif
