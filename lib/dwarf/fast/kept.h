/* SPDX-License-Identifier: MIT
 *
 * The cache of the fast engine between batches (dwarf_kept of engine.h). It has the units of a file with their
 * address ranges, and all answers, packed, of units that were asked for again. Units go, those used longest ago
 * first, and then whole files, where there would be more bytes than the limit.
 *
 * Nothing of a batch's answer points into what is kept: its calls are copies, whose texts are the file's or copies,
 * too. So what is kept may go at any time, but for what the batch that runs uses. Only dwarf_kept_ask shows it as it is.
 */
#ifndef TM_DWARF_FAST_KEPT_H
#define TM_DWARF_FAST_KEPT_H

#include "lib/dwarf/fast/pieces.h"

/* [lo, hi) is the unit's, as it says itself. */
struct fast_claim {
	uint64_t lo, hi;
	uint32_t unit;
};

struct fast_kept_unit;

struct fast_kept_file {
	const struct object *object;
	struct fast_file file;
	bool extras, discriminators, relative; /* the options that it was read with */
	bool sound; /* of a batch that nothing was complained about: no unit is lost */
	struct fast_claim *claims; /* in the order of the units */
	size_t n_claims;
	/* The claims in the order of their lo, as a search tree: its root is in the middle, and behind
	 * by_lo[i] is the highest hi of the tree that i is the root of. NULL: not made yet. */
	uint32_t *by_lo;
	uint64_t *highest;
	struct fast_kept_of {
		struct fast_kept_unit *unit; /* NULL: it is not kept */
		uint8_t asked;               /* in so many earlier batches; UINT8_MAX: or more */
		bool never;                  /* its answers are not to be had in advance */
		size_t first_claim;          /* up to that of the next one */
	} * units;                           /* by unit, and one more */
	uint64_t bytes;
	uint64_t batch; /* the last that used it */
};

struct fast_kept_found { /* numbers of claims */
	uint32_t *all;
	size_t n, cap;
};

struct dwarf_kept {
	uint64_t limit, bytes;
	uint64_t numbers; /* of units so far */
	uint64_t batch;   /* the present one */
	bool one;         /* it has one address */
	struct fast_kept_file **files;
	size_t n_files, cap_files;
	struct map64 by_object; /* index + 1 */
	pthread_mutex_t lock;   /* of bytes and the list of units */
	struct fast_kept_unit *newest, *oldest;
	struct fast_worker *workers;
	struct fast_scratch *scratch; /* by worker */
	unsigned n_workers;
	struct fast_kept_found found; /* of the last address that was asked alone */
};

/* The file of this object as it was read with these options; NULL: it is not kept. */
struct fast_kept_file *fast_kept_find(struct dwarf_kept *k, const struct object *o,
				      const struct dwarf_options *options);
/* An empty one, which nothing was read into. */
struct fast_kept_file *fast_kept_add(struct dwarf_kept *k, const struct object *o,
				     const struct dwarf_options *options);
/* Its claims, units, and what was compiled of it are counted. */
void fast_kept_count(struct dwarf_kept *k, struct fast_kept_file *f);
void fast_kept_drop(struct dwarf_kept *k, struct fast_kept_file *f);
/* So many workers. */
void fast_kept_workers(struct dwarf_kept *k, unsigned n);
/* Behind a batch: of their memory no more stays than one address needs. */
void fast_kept_rest(struct dwarf_kept *k);

/* The claims that hold one of some addresses, ascending, or may: numbers of them, n of them. NULL: all
 * may. The caller frees it. */
uint32_t *fast_kept_claims(struct fast_kept_file *f, const uint64_t *addrs, size_t n_addrs,
			   size_t *n);
/* The unit is going to be asked in this batch: what is kept of it stays until its end. */
void fast_kept_use(struct dwarf_kept *k, struct fast_kept_file *f, uint32_t unit);
/* As fast_answers_make, from what is kept of the unit, or is from now on. False: nothing is, and
 * nothing was done. */
bool fast_kept_answer(struct dwarf_kept *k, struct fast_kept_file *f, struct fast_worker *w,
		      struct fast_scratch *s, const uint64_t *addrs, struct fast_answers *a);

#endif
