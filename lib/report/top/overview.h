/* SPDX-License-Identifier: MIT
 *
 * The run as two lines for people: how much it allocated and how fast; its peak and when that was,
 * what is live at the end, what was temporary. From the totals of a profile's run, which ask
 * grouped_profile_options.totals.
 */
#ifndef TM_REPORT_TOP_OVERVIEW_H
#define TM_REPORT_TOP_OVERVIEW_H

#include "lib/group/grouped_profile.h"
#include "lib/table/document.h"

struct top_overview {
	char run[300], memory[300]; /* memory: "" where it is not known which blocks are live */
};

/* False: the captures, or some of them, do not say what becomes of a block, or have no blocks. */
bool overview_make(const struct grouped_profile *p, struct top_overview *o);
/* Of other captures: when they began and how long they took, as numbers, as far as that is known. */
void overview_span(const struct grouped_profile *p, struct table_document *d);
/* The same as overview_make, where that is true, as numbers. */
void overview_numbers(const struct grouped_profile *p, struct table_document *d);

#endif
