/* SPDX-License-Identifier: MIT
 *
 * The three questions that a report of memory begins with: which sites make the peak, which have
 * blocks that are live at the end, and which allocate blocks that soon are freed again. A table of
 * at most five sites each, with the main chain of callers of each site.
 */
#ifndef TM_REPORT_TOP_FIRST_SCREEN_H
#define TM_REPORT_TOP_FIRST_SCREEN_H

#include "lib/group/grouped_profile.h"
#include "lib/table/document.h"

enum { FIRST_SCREEN_TABLES = 3 };

/* Their names: "peak", "live", "temporary"; ends with NULL. */
extern const char *const first_screen_names[FIRST_SCREEN_TABLES + 1];

/* The sums that the tables need: SUM_BITs. */
unsigned first_screen_wants(void);

struct first_screen;

/* p: its first grouping is by site, its second by stack within the first. Where p's options have
 * caches, blocks in caches of libraries are left out of what is live at the end. p must outlive it.
 * NULL: the captures do not say what becomes of a block. */
struct first_screen *first_screen_new(const struct grouped_profile *p);
void first_screen_free(struct first_screen *s); /* accepts NULL */
/* Adds the tables; a table without rows or notes is left out. */
void first_screen_add(const struct first_screen *s, struct table_document *d);

#endif
