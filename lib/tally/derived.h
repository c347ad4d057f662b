/* SPDX-License-Identifier: MIT
 *
 * Metrics that follow from the fields of each allocation by itself. A new one is a row here and a row in metrics.h:
 * its values are added up by cell, type and slice, and are known as well as the fields that they follow from.
 */
#ifndef TM_TALLY_DERIVED_H
#define TM_TALLY_DERIVED_H

#include "lib/tally/sums.h"
#include "lib/trace/event.h"

/* The sum; the EV_HAS_ bits of the fields (of requested and real bytes) that an event must have; its value. */
#define DERIVED_METRICS(ROW) \
	ROW(SLACK, EV_HAS_REQUESTED | EV_HAS_REAL, (uint64_t)slack_of(requested, real))

#define DERIVED_ENUM(name, needs, value)  DERIVED_##name,
#define DERIVED_SUM(name, needs, value)   SUM_##name,
#define DERIVED_NEEDS(name, needs, value) needs,
#define DERIVED_MASK(name, needs, value)  | 1 << SUM_##name
enum { DERIVED_METRICS(DERIVED_ENUM) DERIVED };
enum { SUMS_DERIVED = 0 DERIVED_METRICS(DERIVED_MASK) };
static const uint8_t derived_sums[DERIVED] = {DERIVED_METRICS(DERIVED_SUM)};
static const uint16_t derived_needs[DERIVED] = {DERIVED_METRICS(DERIVED_NEEDS)};

struct derived { /* by enum DERIVED_ */
	uint64_t v[DERIVED];
	unsigned has; /* bits */
};

/* Which of the wanted sums (SUM_BITs) an event with these fields has, as bits of struct derived. */
static inline unsigned derived_of(unsigned want, unsigned has)
{
	unsigned to = 0;

	for (unsigned k = 0; k < DERIVED; k++)
		if (want >> derived_sums[k] & 1 && (has & derived_needs[k]) == derived_needs[k])
			to |= 1u << k;
	return to;
}

/* has: derived_of. The values of an allocation. */
static inline void derived_set(struct derived *d, unsigned has, uint64_t requested, uint64_t real)
{
#define DERIVED_SET(name, needs, value)       \
	if (has >> DERIVED_##name & 1)        \
		d->v[DERIVED_##name] = value; \
	else                                  \
		d->v[DERIVED_##name] = 0;
	DERIVED_METRICS(DERIVED_SET)
	d->has = has;
}

static inline void derived_add(struct derived *to, const struct derived *from)
{
	for (unsigned k = 0; k < DERIVED; k++)
		if (from->has >> k & 1)
			to->v[k] =
			    sum_join(derived_sums[k], to->has >> k & 1, to->v[k], from->v[k]);
	to->has |= from->has;
}

/* Their SUM_BITs. */
static inline unsigned derived_bits(const struct derived *d)
{
	unsigned bits = 0;

	for (unsigned k = 0; k < DERIVED; k++)
		bits |= d->has >> k & 1 ? SUM_BIT(derived_sums[k]) : 0;
	return bits;
}

/* Puts the values among the sums, whose has stays. */
static inline void derived_put(const struct derived *d, struct tally_sums *s)
{
	for (unsigned k = 0; k < DERIVED; k++)
		s->v[derived_sums[k]] = d->v[k];
}

#endif
