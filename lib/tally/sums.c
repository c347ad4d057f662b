/* SPDX-License-Identifier: MIT */
#include "lib/tally/sums.h"

unsigned sums_valued(const struct tally_sums *s)
{
	unsigned valued = 0;

	for (unsigned has = s->has; has; has &= has - 1) {
		unsigned i = (unsigned)__builtin_ctz(has);

		valued |= s->v[i] ? SUM_BIT(i) : 0;
	}
	return valued;
}

void sums_add(struct tally_sums *to, const struct tally_sums *from)
{
	for (unsigned has = from->has; has; has &= has - 1) {
		unsigned s = (unsigned)__builtin_ctz(has);

		to->v[s] = sum_join(s, to->has >> s & 1, to->v[s], from->v[s]);
	}
	to->has |= from->has;
}
