/* SPDX-License-Identifier: MIT
 *
 * The main chain of callers of each of a ranking's first rows. A site's main caller is the one through which most of
 * the row's sum comes; the next is that caller's main caller. The chain ends at main, or where less than a quarter of
 * the row comes that way. One line each: "by b < c < main: 61.20% of it".
 */
#ifndef TM_REPORT_TOP_CALLERS_H
#define TM_REPORT_TOP_CALLERS_H

#include "lib/group/rank.h"

enum { CALLERS_ROWS_MAX = 1000 };

struct callers;

/* The call one level out of call, in *stack, which goes with it; 0: none. */
uint32_t callers_next(const struct grouped_profile *p, uint32_t *stack, uint32_t call);
/* From the innermost location of *stack to its site's call. False: it has none. */
bool callers_start(const struct grouped_profile *p, uint32_t *stack, uint32_t *call);

/* groups: n rows' groups of the ranking; the profile's second grouping is by stack within the
 * first. cached: blocks in caches of libraries (profile_key.cached) count, too. Lines are made here. */
struct callers *callers_new(const struct ranking *r, const uint32_t *groups, size_t n, bool cached);
void callers_free(struct callers *c);                          /* accepts NULL */
const char *callers_line(const struct callers *c, size_t row); /* NULL: none */

#endif
