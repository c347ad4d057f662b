/* SPDX-License-Identifier: MIT
 *
 * An aggregate as a summary (summary.h), the input of tm-compare. Of all captures together it has
 * the sums; of frames the worst. Spreads are passed over.
 */
#ifndef TM_AGGREGATE_SUMMARY_RECORD_H
#define TM_AGGREGATE_SUMMARY_RECORD_H

#include "lib/aggregate/file.h"
#include "lib/aggregate/summary.h"

/* The whole file: entities are added to t. *s is released already when it fails. */
enum status aggregate_summary_read(struct cursor *c, struct aggregate_entities *t,
				   struct aggregate_summary *s, struct err *e);

/* The sums of a record from metric first on: 0 or AGG_TOTAL. */
struct tally_sums aggregate_sums_of(const struct aggregate_record *r, unsigned first);
/* The place of a stack's site, or of a function; false: none, or it makes no sense. */
struct aggregate_site {
	struct aggregate_text raw, module, file;
	uint32_t line;
	bool inside;
};
bool aggregate_site_of(const struct aggregate_record *r, struct aggregate_site *s);
void aggregate_known_of(const struct aggregate_record *r, struct run_known *k);
bool aggregate_known_check(const struct aggregate_record *r, struct err *e);

#endif
