/* SPDX-License-Identifier: MIT
 *
 * Sums of many rows, by column: a metric that no row has costs nothing, and a million rows with three
 * metrics are three arrays. What the rows are is the caller's; one that was never added to is there, too,
 * with nothing known. Zeroed is empty and valid.
 */
#ifndef TM_PROFILE_COLUMNS_H
#define TM_PROFILE_COLUMNS_H

#include "lib/tally/tally.h"

struct profile_columns {
	uint64_t *v[SUMS]; /* NULL: 0 everywhere */
	uint32_t *has;     /* bits 1 << sum, as in struct tally_sums */
	size_t n, cap;     /* n: one above the highest index added to */
};

void columns_add(struct profile_columns *c, size_t i, const struct tally_sums *s);
struct tally_sums columns_get(const struct profile_columns *c, size_t i);
/* Adds all that is in from, which is empty then: row i to rows[i]. */
void columns_move(struct profile_columns *to, struct profile_columns *from, const uint32_t *rows);
void columns_release(struct profile_columns *c); /* empty again */

static inline unsigned columns_has(const struct profile_columns *c, size_t i)
{
	return i < c->n ? c->has[i] : 0;
}

/* What is known of a group's own, from what its own, its total and all groups have. What only calls others
 * has no records of its own: all that any record has is a known 0. Where it has some, and they lack what
 * others below it have, that is not known. */
static inline unsigned self_known(unsigned own, unsigned total, unsigned all)
{
	const unsigned records = SUM_BIT(SUM_COUNT) | SUM_BIT(SUM_REQUESTED) | SUM_BIT(SUM_REAL) |
				 SUM_BIT(SUM_LIVE_COUNT);
	const unsigned of_records = SUMS_ALL & ~SUMS_MEASURED;

	if (own & records)
		return own | (total & ~of_records);
	return own | total | (total & records ? all & of_records : 0);
}

static inline uint64_t columns_value(const struct profile_columns *c, size_t i, enum sum sum)
{
	return i < c->n && c->v[sum] ? c->v[sum][i] : 0;
}

#endif
