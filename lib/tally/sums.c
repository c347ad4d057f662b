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

		if (sum_is_signed(s))
			to->v[s] = (uint64_t)add_signed((int64_t)to->v[s], (int64_t)from->v[s]);
		else
			to->v[s] = add_saturating(to->v[s], from->v[s]);
	}
	to->has |= from->has;
}
