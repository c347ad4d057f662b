/* SPDX-License-Identifier: MIT
 *
 * Internal to the LoliProfiler readers: the set of sequence numbers that were seen in a run. The agent takes a
 * number from one counter (u32, from 1, wrapping) right before it sends a record, so in a raw stream a missing
 * number is a lost record and a repeated one is another run. Records come in any order.
 *
 * One bit per number, in windows that are freed when full; at most 32 MiB of them: then the
 * oldest window is closed, and a repetition in it goes unnoticed.
 */
#ifndef TM_FORMATS_LOLI_SEQS_H
#define TM_FORMATS_LOLI_SEQS_H

#include "lib/base/hash.h"

struct loli_seqs { /* zeroed is empty and valid */
	uint64_t min, max, distinct;
	struct map64 index; /* number of a window -> place in windows + 1 */
	struct loli_window {
		uint64_t *bits; /* NULL: full, or closed */
		uint32_t seen;
		bool full;
	} * windows;
	size_t n, cap;
	size_t live;   /* windows with bits */
	size_t oldest; /* no window before it has bits */
	uint64_t last; /* window of the last call, and its place */
	size_t last_place;
};

void loli_seqs_release(struct loli_seqs *s);
/* The number with the wraps counted in, judged by the highest so far. A step over the wrap of more
 * than 16 M records is no wrap. */
uint64_t loli_seqs_extend(const struct loli_seqs *s, uint32_t seq);
bool loli_seqs_seen(struct loli_seqs *s, uint64_t seq);
bool loli_seqs_add(struct loli_seqs *s, uint64_t seq); /* false: it was there */
/* Numbers between the lowest and the highest that were not seen. */
uint64_t loli_seqs_missing(const struct loli_seqs *s);

#endif
