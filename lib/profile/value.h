/* SPDX-License-Identifier: MIT
 *
 * The distribution of one number over many captures (or many frames): its count of readings, exact
 * sum, least and largest value with their places, and spread. Joining is associative and
 * commutative, and a value has one form: any grouping and order of joins gives equal bytes.
 *
 * The spread is a histogram with buckets of logarithmic width (quantiles.h): whole numbers from
 * -127 to 127 have buckets of their own, others 64 to each power of two. So a quantile of it is at
 * most 1/128 (0.8 %) off the value of its rank, whatever was joined with what; the least and the
 * largest are exact. Of numbers with decimals the spread is not known.
 */
#ifndef TM_PROFILE_VALUE_H
#define TM_PROFILE_VALUE_H

#include "lib/base/buf.h"
#include "lib/base/cursor.h"

struct aggregate_place { /* where a number was read */
	uint64_t input;  /* the hash of the input's record (profile/record.h) */
	int64_t frame;   /* its number, when has_frame */
	bool has_frame;
};

struct aggregate_bucket {
	int32_t bucket; /* below 0: of numbers below 0 */
	uint64_t n;
};

struct aggregate_value { /* zeroed is that of nothing, and valid */
	uint64_t n;
	unsigned decimals; /* 0 to 18: sum, min and max are in units of 10^-decimals; of counters */
	__int128 sum, min, max;
	struct aggregate_place min_at, max_at; /* of equal numbers the least place */
	bool spread; /* there are buckets; else how it is spread is not known */
	struct aggregate_bucket *buckets; /* ascending; owned */
	size_t n_buckets, cap_buckets;
};

void aggregate_value_release(struct aggregate_value *v); /* that of nothing again */
/* One number more. spread as in all other calls for v. */
void aggregate_value_add(struct aggregate_value *v, __int128 number, struct aggregate_place at,
			 bool spread);
/* n numbers of which the sum and the ends are known, but not how they are spread. */
void aggregate_value_set(struct aggregate_value *v, uint64_t n, __int128 sum, __int128 min,
			 __int128 max, struct aggregate_place at);
void aggregate_value_join(struct aggregate_value *to, const struct aggregate_value *from);
/* percent: 0 to 100, by the nearest rank. False: there were no readings, or the spread is not
 * known. */
bool aggregate_value_quantile(const struct aggregate_value *v, unsigned percent, __int128 *q);

int aggregate_place_order(const struct aggregate_place *a, const struct aggregate_place *b);

/* places: the index of each place among those that the record lists. */
struct aggregate_places {
	struct aggregate_place *items; /* ascending */
	size_t n, cap;
};
void aggregate_value_write(const struct aggregate_value *v, const struct aggregate_places *places,
			   struct buf *out);
/* Replaces *v. The cursor fails on what is no value in its one form. */
void aggregate_value_read(struct aggregate_value *v, const struct aggregate_places *places,
			  struct cursor *c);

#endif
