/* SPDX-License-Identifier: MIT
 *
 * The report on memory (lib/tally/memory.h) as a document: a table of sizes, the curve of live
 * bytes with its peak, a table of the pages that hold the last live blocks.
 */
#ifndef TM_REPORT_TOP_MEMORY_REPORT_H
#define TM_REPORT_TOP_MEMORY_REPORT_H

#include "lib/report/top/memory_modules.h"
#include "lib/table/document.h"
#include "lib/tally/memory.h"

struct memory_report;

/* domain: an enum domain, or below 0: domain_most. NULL: none. m must
 * outlive it. */
struct memory_report *memory_report_new(const struct tally_memory *m, int domain);
/* Its pages, by module, of the same events; to be asked for while both are there. */
void memory_report_modules(struct memory_report *r, struct memory_modules *modules);
void memory_report_free(struct memory_report *r);                       /* accepts NULL */
const struct table *memory_report_sizes(const struct memory_report *r); /* alone */
/* The curve of live bytes and its slope in words, alone; NULL where it is not known. */
const struct table_series *memory_report_live(const struct memory_report *r);
const char *memory_report_growth(const struct memory_report *r);
/* Puts its sections and heads into the document, which borrows them. */
void memory_report_add(const struct memory_report *r, struct table_document *d);

#endif
