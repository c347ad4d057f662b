/* SPDX-License-Identifier: MIT
 *
 * The heap's pages that hold what is live at the end, by the module of the blocks' sites: how much memory each
 * module keeps, and for how few live bytes. A page on which several modules have blocks is each one's.
 */
#ifndef TM_REPORT_TOP_MEMORY_MODULES_H
#define TM_REPORT_TOP_MEMORY_MODULES_H

#include "lib/group/grouped_profile.h"
#include "lib/table/table.h"
#include "lib/tally/memory.h"

struct memory_modules;

/* of: whose sites, filters, names and paths count; the caller's, as what it points to. The events
 * that come are already what its filters leave. */
struct memory_modules *memory_modules_new(const struct grouped_profile_options *of);
void memory_modules_free(struct memory_modules *m); /* accepts NULL */
struct sink *memory_modules_sink(struct memory_modules *m);

/* The table, when all is read: the modules of a domain, the largest waste first. Without rows when
 * what is live, or where, is not known. Borrowed. */
const struct table *memory_modules_table(struct memory_modules *m, unsigned domain);

#endif
