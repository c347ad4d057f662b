/* SPDX-License-Identifier: MIT
 *
 * An aggregate as a summary (summary.h): what tm-compare compares. Of all captures together it has
 * the sums; of frames the worst. Spreads are passed over.
 */
#ifndef TM_AGGREGATE_AGG_SUMMARY_H
#define TM_AGGREGATE_AGG_SUMMARY_H

#include "lib/aggregate/file.h"
#include "lib/aggregate/summary.h"

/* The whole file: things are added to t. *s is released already when it fails. */
enum status agg_summary_read(struct cursor *c, struct things *t, struct summary *s, struct err *e);

/* The sums of a record from metric first on: 0 or AGG_TOTAL. */
struct sums agg_sums_of(const struct agg_record *r, unsigned first);
/* The place of a stack's site; false: there is none, or it makes no sense. */
struct agg_site {
	struct agg_text raw, module, file;
	uint32_t line;
	bool inside;
};
bool agg_site_of(const struct agg_record *r, struct agg_site *s);
void agg_known_of(const struct agg_record *r, struct run_known *k);
bool agg_known_check(const struct agg_record *r, struct err *e);

#endif
