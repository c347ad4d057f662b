/* SPDX-License-Identifier: MIT */
#include "lib/tally/sums.h"

const char *const sum_words[] = {SUM_WORDS};
_Static_assert(sizeof sum_words == SUMS * sizeof *sum_words, "each has a word");

const struct sum_name sum_names[SUMS] = {
    [SUM_COUNT] = {"count", "count", SUM_NUMBER},
    [SUM_ENTRIES] = {"entries", "entries", SUM_NUMBER},
    [SUM_REQUESTED] = {"requested", "requested", SUM_BYTES},
    [SUM_REAL] = {"real", "real", SUM_BYTES},
    [SUM_SLACK] = {"slack", "slack", SUM_BYTES},
    [SUM_LIVE_COUNT] = {"live count", "live_count", SUM_NUMBER},
    [SUM_LIVE_REQUESTED] = {"live requested", "live_requested", SUM_BYTES},
    [SUM_LIVE_REAL] = {"live real", "live_real", SUM_BYTES},
    [SUM_FREED_COUNT] = {"freed count", "freed_count", SUM_NUMBER},
    [SUM_FREED_REQUESTED] = {"freed requested", "freed_requested", SUM_BYTES},
    [SUM_FREED_REAL] = {"freed real", "freed_real", SUM_BYTES},
    [SUM_PEAK_COUNT] = {"peak count", "peak_count", SUM_NUMBER},
    [SUM_PEAK_REQUESTED] = {"peak requested", "peak_requested", SUM_BYTES},
    [SUM_PEAK_REAL] = {"peak real", "peak_real", SUM_BYTES},
    [SUM_TEMPORARY] = {"temporary", "temporary", SUM_NUMBER},
    [SUM_LIFETIME] = {"lifetime", "lifetime_ns", SUM_NS},
    [SUM_TIMED] = {"timed", "timed", SUM_NUMBER},
    [SUM_TIME_SELF] = {"self time", "self_ns", SUM_NS},
    [SUM_TIME_TOTAL] = {"total time", "total_ns", SUM_NS},
    [SUM_CALLS] = {"calls", "calls", SUM_NUMBER},
    [SUM_TIME_MEAN] = {"mean time", "mean_ns", SUM_NS},
    [SUM_LUA_NET] = {"lua net", "lua_net", SUM_BYTES},
    [SUM_MONO_NET] = {"mono net", "mono_net", SUM_BYTES},
    [SUM_SAMPLES] = {"samples", "samples", SUM_NUMBER},
    [SUM_PERIOD] = {"period", "period", SUM_NUMBER},
};

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
