/* SPDX-License-Identifier: MIT
 *
 * The table of metrics: a row has the words, key, unit and order of one, and how its values join.
 * Options, their lists, reports, exports and files read it. A new metric is a row here, and the
 * code that finds its value (values.c).
 *
 * Bytes are requested ones (what was asked for) or real ones (the allocator's size), never mixed.
 */
#ifndef TM_TALLY_METRICS_H
#define TM_TALLY_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rows, in the order of lists of words and of columns. GROUP: a word for the best known of the
 * rows that follow it and are of its family.
 *
 *	number    in memory and in files; it never changes
 *	word      of options and reports
 *	title     for people
 *	key       of CSV, JSON and the tables of a history
 *	unit      SUM_NUMBER, SUM_BYTES, SUM_NS
 *	family    metrics of one set of blocks, calls or samples
 *	join      how values of several cells, slices or runs become one
 *	rank      of SORT_AUTO: the known one with the least number; 0: never
 *	lists     ALL: of every --sort; RUNS: not of tm-frames; NONE: of no list and no table
 *	verb,     "allocates 3 times": of a thing, with the value between them
 *	rest */
/* clang-format off */
#define METRIC_ROWS(ROW, GROUP) \
/*  enum             number  word      title               key              unit    family     join   rank lists  verb, rest */ \
ROW(COUNT,           0, "count",           "count",           "count",           NUMBER, BLOCKS,    ADD,    5, ALL,  "allocates", " times") \
ROW(ENTRIES,         1, "entries",         "entries",         "entries",         NUMBER, RECORDS,   ADD,   11, ALL,  "has", " entries") \
ROW(REQUESTED,       2, "requested",       "requested",       "requested",       BYTES,  BLOCKS,    ADD,    4, ALL,  "allocates", "") \
ROW(REAL,            3, "real",            "real",            "real",            BYTES,  BLOCKS,    ADD,    3, ALL,  "allocates", " (real)") \
GROUP(LIVE, "live") \
ROW(LIVE_COUNT,      5, "live-count",      "live count",      "live_count",      NUMBER, LIVE,      ADD,    0, ALL,  "keeps", " blocks to the end") \
ROW(LIVE_REQUESTED,  6, "live-requested",  "live requested",  "live_requested",  BYTES,  LIVE,      ADD,    0, ALL,  "keeps", " to the end") \
ROW(LIVE_REAL,       7, "live-real",       "live real",       "live_real",       BYTES,  LIVE,      ADD,    0, ALL,  "keeps", " (real) to the end") \
ROW(SLACK,           4, "slack",           "slack",           "slack",           BYTES,  BLOCKS,    SIGNED, 0, ALL,  "wastes", "") \
GROUP(FREED, "freed") \
ROW(FREED_COUNT,     8, "freed-count",     "freed count",     "freed_count",     NUMBER, FREED,     ADD,    0, ALL,  "frees", " blocks") \
ROW(FREED_REQUESTED, 9, "freed-requested", "freed requested", "freed_requested", BYTES,  FREED,     ADD,    0, ALL,  "frees", "") \
ROW(FREED_REAL,     10, "freed-real",      "freed real",      "freed_real",      BYTES,  FREED,     ADD,    0, ALL,  "frees", " (real)") \
GROUP(PEAK, "peak") \
ROW(PEAK_COUNT,     11, "peak-count",      "peak count",      "peak_count",      NUMBER, PEAK,      ADD,    0, RUNS, "holds", " blocks at the peak") \
ROW(PEAK_REQUESTED, 12, "peak-requested",  "peak requested",  "peak_requested",  BYTES,  PEAK,      ADD,    0, RUNS, "holds", " at the peak") \
ROW(PEAK_REAL,      13, "peak-real",       "peak real",       "peak_real",       BYTES,  PEAK,      ADD,    0, RUNS, "holds", " (real) at the peak") \
ROW(TEMPORARY,      14, "temporary",       "temporary",       "temporary",       NUMBER, TEMPORARY, ADD,    0, ALL,  "makes", " temporary blocks") \
ROW(LIFETIME,       15, "lifetime",        "lifetime",        "lifetime_ns",     NS,     LIFETIME,  MEAN,   0, RUNS, "keeps its blocks for", "") \
ROW(TIMED,          16, "timed",           "timed",           "timed",           NUMBER, LIFETIME,  ADD,    0, NONE, "has", " blocks with a lifetime") \
ROW(TIME_SELF,      17, "self-time",       "self time",       "self_ns",         NS,     TIME,      ADD,    1, ALL,  "takes", " itself") \
ROW(TIME_TOTAL,     18, "total-time",      "total time",      "total_ns",        NS,     TIME,      ADD,    2, RUNS, "takes", " with what it calls") \
ROW(CALLS,          19, "calls",           "calls",           "calls",           NUMBER, TIME,      ADD,   10, ALL,  "is called", " times") \
ROW(TIME_MEAN,      20, "mean-time",       "mean time",       "mean_ns",         NS,     TIME,      MEAN,   0, RUNS, "takes", " a call") \
ROW(WAITING,        25, "waiting",         "waiting",         "waiting_ns",      NS,     TIME,      ADD,    0, ALL,  "waits", "") \
ROW(LUA_NET,        21, "lua-net",         "lua net",         "lua_net",         BYTES,  NET,       SIGNED, 6, ALL,  "adds", " to Lua's heap") \
ROW(MONO_NET,       22, "mono-net",        "mono net",        "mono_net",        BYTES,  NET,       SIGNED, 7, ALL,  "adds", " to Mono's heap") \
ROW(SAMPLES,        23, "samples",         "samples",         "samples",         NUMBER, SAMPLES,   ADD,    8, ALL,  "has", " samples") \
ROW(PERIOD,         24, "period",          "period",          "period",          NUMBER, SAMPLES,   ADD,    9, ALL,  "has", " events of its samples")
/* clang-format on */

#define METRIC_NO_GROUP(...)
#define METRIC_ENUM(name, number, ...) SUM_##name = number,
#define METRIC_ONE(...)                +1
/* SUM_ENTRIES: records in the capture, which are shown where a format merges allocations into
 * records without saying how many (count is then absent). SUM_SLACK: real - requested of the
 * records that have both. SUM_LIVE_: allocated and not freed at the end; of a slice, after it.
 * SUM_PEAK_: live at the first moment at which the capture's live bytes are largest.
 * SUM_TEMPORARY: blocks freed before their thread allocated again. SUM_LIFETIME: from allocation
 * to free, added up over the SUM_TIMED: freed blocks of which both times are known.
 * SUM_TIME_SELF: ns of calls, without what they called: adds up to the whole. SUM_TIME_TOTAL: with
 * it; of a group: of its outermost calls only, so recursion counts once. Totals of groups overlap;
 * that of everything is the time of the roots. SUM_TIME_MEAN: SUM_TIME_TOTAL / SUM_CALLS; never
 * added up or stored. SUM_WAITING: of SUM_TIME_SELF, the time off the processor (ENTER_WAIT).
 * SUM_LUA_NET, SUM_MONO_NET: bytes by which the heap grew in the code itself.
 * SUM_SAMPLES: of stacks, by a sampling profiler; SUM_PERIOD: events that they stand for: perf's
 * period, where it is no time. */
enum sum {
	METRIC_ROWS(METRIC_ENUM, METRIC_NO_GROUP) SUMS = 0 METRIC_ROWS(METRIC_ONE, METRIC_NO_GROUP)
};

enum sum_unit { SUM_NUMBER, SUM_BYTES, SUM_NS };

enum sum_family {
	FAMILY_RECORDS,
	FAMILY_BLOCKS, /* that were allocated */
	FAMILY_LIVE,
	FAMILY_FREED,
	FAMILY_PEAK,
	FAMILY_TEMPORARY,
	FAMILY_LIFETIME,
	FAMILY_TIME,
	FAMILY_NET,
	FAMILY_SAMPLES
};

enum sum_join {
	JOIN_ADD,    /* saturating at 2^64-1 */
	JOIN_SIGNED, /* int64_t in two's complement, saturating as such */
	JOIN_MEAN,   /* metric_over: parts are added up, and the mean shown */
};

enum sum_lists { LISTS_NONE, LISTS_RUNS, LISTS_ALL };

struct metric_row {
	const char *word, *title, *key;
	const char *verb, *rest;
	uint8_t unit, family, join, rank, lists; /* enum sum_unit and so on */
};

extern const struct metric_row metric_table[SUMS]; /* by enum sum */

/* All sums in the order of the rows. */
extern const uint8_t metric_order[SUMS];

/* Words of options for these, without those of no list; a list begins with "auto". */
#define METRIC_LISTED_NONE(word)
#define METRIC_LISTED_RUNS(word) word,
#define METRIC_LISTED_ALL(word)  word,

#define SUM_BIT(sum)                (1u << (sum))
#define METRIC_BIT(name, condition) | (int)(condition) << SUM_##name
#define METRIC_IN(name, family, of) METRIC_BIT(name, FAMILY_##family == FAMILY_##of)
/* clang-format off */
#define METRIC_RECORDS(name, number, word, title, key, unit, family, ...) METRIC_IN(name, family, RECORDS)
#define METRIC_BLOCKS(name, number, word, title, key, unit, family, ...) METRIC_IN(name, family, BLOCKS)
#define METRIC_LIVES(name, number, word, title, key, unit, family, ...) METRIC_IN(name, family, LIVE)
#define METRIC_FREED(name, number, word, title, key, unit, family, ...) METRIC_IN(name, family, FREED)
#define METRIC_PEAKS(name, number, word, title, key, unit, family, ...) METRIC_IN(name, family, PEAK)
#define METRIC_BRIEF(name, number, word, title, key, unit, family, ...) METRIC_IN(name, family, TEMPORARY)
#define METRIC_AGES(name, number, word, title, key, unit, family, ...) METRIC_IN(name, family, LIFETIME)
#define METRIC_TIMES(name, number, word, title, key, unit, family, ...) METRIC_IN(name, family, TIME)
#define METRIC_NETS(name, number, word, title, key, unit, family, ...) METRIC_IN(name, family, NET)
#define METRIC_SAMPLED(name, number, word, title, key, unit, family, ...) METRIC_IN(name, family, SAMPLES)
#define METRIC_SIGNED(name, number, word, title, key, unit, family, join, ...) METRIC_BIT(name, JOIN_##join == JOIN_SIGNED)
#define METRIC_MEANS(name, number, word, title, key, unit, family, join, ...) METRIC_BIT(name, JOIN_##join == JOIN_MEAN)
#define METRIC_MASK(of) (0 METRIC_ROWS(of, METRIC_NO_GROUP))
/* clang-format on */

enum {
	SUMS_ALL = (int)(((int64_t)1 << SUMS) - 1),
	SUMS_SIGNED = METRIC_MASK(METRIC_SIGNED),
	SUMS_MEANS = METRIC_MASK(METRIC_MEANS),
	SUMS_BLOCKS = METRIC_MASK(METRIC_BLOCKS),
	SUMS_BASE = METRIC_MASK(METRIC_RECORDS) |
		    (SUMS_BLOCKS & ~SUMS_SIGNED), /* what a record has itself */
	SUMS_LIVE = METRIC_MASK(METRIC_LIVES),
	SUMS_FREED = METRIC_MASK(METRIC_FREED),
	SUMS_PEAK = METRIC_MASK(METRIC_PEAKS),
	SUMS_TEMPORARY = METRIC_MASK(METRIC_BRIEF),
	SUMS_LIFETIME = METRIC_MASK(METRIC_AGES),
	/* For these, frees are matched with allocations. */
	SUMS_MATCHED = SUMS_LIVE | SUMS_FREED | SUMS_PEAK | SUMS_TEMPORARY | SUMS_LIFETIME,
	SUMS_TIME = METRIC_MASK(METRIC_TIMES),
	SUMS_NET = METRIC_MASK(METRIC_NETS),
	/* Tables have these where a capture knows them, and no columns for them where none does. */
	SUMS_MEASURED = SUMS_TIME | SUMS_NET | METRIC_MASK(METRIC_SAMPLED),
	/* Tables have these columns whether or not a capture knows them. */
	SUMS_COLUMNS = SUMS_ALL & ~(SUMS_MEASURED | SUMS_LIFETIME),
	/* Not added up over frames: states, and what may span several. */
	SUMS_OF_MOMENTS = SUMS_LIVE | SUMS_PEAK | 1 << SUM_TIME_TOTAL | 1 << SUM_TIME_MEAN
};

static inline bool sum_is_signed(unsigned sum)
{
	return SUMS_SIGNED >> sum & 1;
}

/* Of such there are no sums, and nothing to divide again. */
static inline bool sum_is_mean(unsigned sum)
{
	return SUMS_MEANS >> sum & 1;
}

/* A mean is metric_part / metric_over; any other metric is its own part and over. */
static inline enum sum metric_part(enum sum sum)
{
	return sum == SUM_TIME_MEAN ? SUM_TIME_TOTAL : sum;
}

static inline enum sum metric_over(enum sum sum)
{
	return sum == SUM_LIFETIME ? SUM_TIMED : sum == SUM_TIME_MEAN ? SUM_CALLS : sum;
}

/* The SUM_BITs that it takes to know one. */
static inline unsigned metric_wants(enum sum sum)
{
	return sum == SUM_TIME_MEAN ? (unsigned)SUMS_TIME
				    : SUM_BIT(sum) | SUM_BIT(metric_over(sum));
}

/* The metric with this word of n bytes; SUMS: there is no such metric. */
enum sum metric_of_word(const char *word, size_t n);

#endif
