/* SPDX-License-Identifier: MIT
 *
 * The sums that reports add up, and their names.
 */
#ifndef TM_TALLY_SUMS_H
#define TM_TALLY_SUMS_H

#include <stdint.h>

/* Bytes are requested ones (what was asked for) or real ones (the allocator's size), never mixed.
 * Entries are records in the capture; they are shown where a format merges allocations into
 * records without saying how many (count is then absent). */
enum sum {
	SUM_COUNT,
	SUM_ENTRIES,
	SUM_REQUESTED,
	SUM_REAL,
	SUM_SLACK,      /* real - requested of the records that have both; signed */
	SUM_LIVE_COUNT, /* allocated and not freed (at the end; of a slice: after it) */
	SUM_LIVE_REQUESTED,
	SUM_LIVE_REAL,
	SUM_FREED_COUNT,
	SUM_FREED_REQUESTED,
	SUM_FREED_REAL,
	SUM_PEAK_COUNT, /* live at the first moment at which the capture's live bytes are largest */
	SUM_PEAK_REQUESTED,
	SUM_PEAK_REAL,
	SUM_TEMPORARY, /* blocks freed before their thread allocated again */
	SUM_LIFETIME,  /* ns from allocation to free, added up over the next */
	SUM_TIMED,     /* freed blocks of which both times are known */
	SUM_TIME_SELF, /* ns of calls, without what they called: adds up to the whole */
	/* ns with it. Of a group: of its outermost calls only, so recursion counts once. Totals
	 * of groups overlap; that of everything is the time of the roots. */
	SUM_TIME_TOTAL,
	SUM_CALLS,
	SUM_TIME_MEAN, /* SUM_TIME_TOTAL / SUM_CALLS; never added up or stored */
	SUM_LUA_NET,   /* bytes by which the Lua heap grew in the code itself; signed */
	SUM_MONO_NET,  /* the same of Mono's */
	SUM_SAMPLES,   /* of stacks, by a sampling profiler */
	SUM_PERIOD,    /* events that the samples stand for: perf's period, where it is no time */
	SUMS
};

#define SUM_BIT(sum) (1u << (sum))
enum {
	SUMS_BASE = (1 << SUM_SLACK) - 1, /* what a record has itself */
	SUMS_LIVE = 1 << SUM_LIVE_COUNT | 1 << SUM_LIVE_REQUESTED | 1 << SUM_LIVE_REAL,
	SUMS_FREED = 1 << SUM_FREED_COUNT | 1 << SUM_FREED_REQUESTED | 1 << SUM_FREED_REAL,
	SUMS_PEAK = 1 << SUM_PEAK_COUNT | 1 << SUM_PEAK_REQUESTED | 1 << SUM_PEAK_REAL,
	SUMS_LIFETIME = 1 << SUM_LIFETIME | 1 << SUM_TIMED,
	/* For these, frees are matched with allocations. */
	SUMS_MATCHED = SUMS_LIVE | SUMS_FREED | SUMS_PEAK | 1 << SUM_TEMPORARY | SUMS_LIFETIME,
	SUMS_TIME = 1 << SUM_TIME_SELF | 1 << SUM_TIME_TOTAL | 1 << SUM_CALLS | 1 << SUM_TIME_MEAN,
	SUMS_NET = 1 << SUM_LUA_NET | 1 << SUM_MONO_NET,
	/* Tables have these where a capture knows them, and no columns for them where none does. */
	SUMS_MEASURED = SUMS_TIME | SUMS_NET | 1 << SUM_SAMPLES | 1 << SUM_PERIOD,
	/* Not added up over frames: states, and what may span several. */
	SUMS_OF_MOMENTS = SUMS_LIVE | SUMS_PEAK | 1 << SUM_TIME_TOTAL | 1 << SUM_TIME_MEAN,
	SUMS_SIGNED = 1 << SUM_SLACK | SUMS_NET,
	SUMS_ALL = (1 << SUMS) - 1,
};

/* has: SUM_BITs of what is known (an absent sum is no 0, though v reads 0). Sums saturate at
 * 2^64-1; SUMS_SIGNED are int64_t in two's complement and saturate as such. */
struct tally_sums {
	uint64_t v[SUMS];
	unsigned has;
};

enum sum_unit { SUM_NUMBER, SUM_BYTES, SUM_NS };

struct sum_name {
	const char *word; /* for people: "live requested" */
	const char *key;  /* CSV column: "live_requested" */
	uint8_t unit;     /* enum sum_unit */
};

extern const struct sum_name sum_names[SUMS];

/* On the command line and in reports, in the order of enum sum. */
#define SUM_WORDS                                                                         \
	"count", "entries", "requested", "real", "slack", "live-count", "live-requested", \
	    "live-real", "freed-count", "freed-requested", "freed-real", "peak-count",    \
	    "peak-requested", "peak-real", "temporary", "lifetime", "timed", "self-time", \
	    "total-time", "calls", "mean-time", "lua-net", "mono-net", "samples", "period"
extern const char *const sum_words[SUMS];

/* SUM_BITs of those that are there and not 0. */
unsigned sums_valued(const struct tally_sums *s);
void sums_add(struct tally_sums *to, const struct tally_sums *from);

static inline int sum_is_signed(unsigned sum)
{
	return SUMS_SIGNED >> sum & 1;
}

/* Of such there are no sums, and nothing to divide again. */
static inline int sum_is_mean(unsigned sum)
{
	return sum == SUM_LIFETIME || sum == SUM_TIME_MEAN;
}

static inline uint64_t add_saturating(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

static inline int64_t add_signed(int64_t a, int64_t b)
{
	int64_t r;

	return __builtin_add_overflow(a, b, &r) ? (a < 0 ? INT64_MIN : INT64_MAX) : r;
}

/* It is at its limit: more than 64 bits can hold. Times are signed while calls are open. */
static inline int sum_is_full(unsigned sum, uint64_t v)
{
	return sum_is_signed(sum)     ? v == INT64_MAX || v == (uint64_t)INT64_MIN
	       : SUMS_TIME >> sum & 1 ? v >= INT64_MAX
				      : v == UINT64_MAX;
}

/* v / n, to the nearest whole number; halves up. n is not 0. */
static inline uint64_t mean_rounded(uint64_t v, uint64_t n)
{
	return v / n + (v % n >= n - v % n);
}

/* So that sums of one kind order as unsigned numbers. */
static inline uint64_t sum_order(unsigned sum, uint64_t v)
{
	return sum_is_signed(sum) ? v ^ (uint64_t)1 << 63 : v;
}

/* real - requested, saturated. */
static inline int64_t slack_of(uint64_t requested, uint64_t real)
{
	uint64_t d = real >= requested ? real - requested : requested - real;

	if (d > INT64_MAX)
		return real >= requested ? INT64_MAX : INT64_MIN;
	return real >= requested ? (int64_t)d : -(int64_t)d;
}

#endif
