/* SPDX-License-Identifier: MIT
 *
 * Series and checks as tables, for the formats that know nothing else.
 */
#ifndef TM_TABLE_VIEWS_H
#define TM_TABLE_VIEWS_H

#include "lib/table/checks.h"
#include "lib/table/series.h"
#include "lib/table/table.h"

struct table_view { /* owns what table points to; what it was made from must outlive it */
	struct table table;
	struct view_own *own;
};

/* x, the label, the time and a column per line; a row per point. */
struct table_view view_series(const struct table_series *s);

/* flat: a row per breach, or one for a check without any; otherwise a row per check, its breaches
 * as lines beneath. */
struct table_view view_checks(const struct table_checks *c, bool flat);
/* For people, not escaped; lines, the last without its end. With a fact that, who calls, where to look,
 * how to accept it, and the statistics; else "subject: message, measured, limit ...  file:line". */
void breach_text(struct buf *out, const struct breach *b);
/* Of the rule and what broke it, not of numbers or lines, so that the next run's is the same; b is one of c's,
 * or NULL. */
uint64_t breach_hash(const struct table_check *c, const struct breach *b);
void view_release(struct table_view *v); /* accepts a zeroed struct */

#endif
