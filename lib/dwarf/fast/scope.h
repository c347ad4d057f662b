/* SPDX-License-Identifier: MIT
 *
 * The functions and inlined calls of one unit that hold the wanted addresses: a walk over
 * its DIEs that leaves out what cannot matter.
 *
 * A scope found later wins over an earlier one, so a nested one over what is around it. Functions
 * inside other functions (of lambdas, of local classes) and inside types are found by a second
 * walk over everything, for the addresses that the first has left.
 */
#ifndef TM_DWARF_FAST_SCOPE_H
#define TM_DWARF_FAST_SCOPE_H

#include "lib/base/err.h"
#include "lib/dwarf/fast/ranges.h"

struct fast_scope {
	uint64_t die; /* offset in .debug_info */
	const struct abbrev *abbrev;
	uint32_t parent; /* enclosing scope, index + 1; 0: none */
	/* what the one that asks has found out; 0: nothing yet */
	uint32_t name, call, extra;
};

struct fast_level;

/* What a walk has found in long lists of ranges, so that one that many DIEs refer to is read, and
 * looked for among the addresses, once. */
struct fast_lists {
	struct map64 by_place; /* DW_AT_ranges' value -> index in all + 1 */
	struct fast_list {
		size_t first; /* of runs: the addresses that lie in it */
		uint32_t n;
		size_t living; /* ranges */
	} * all;
	size_t n, cap;
	struct fast_run *runs; /* of a list ascending and apart */
	size_t n_runs, cap_runs;
};

/* A walk's arrays, reused from unit to unit. Zeroed is empty. */
struct fast_scopes {
	struct fast_scope *all;
	size_t n, cap;
	struct fast_level *stack; /* of LIMIT_NESTING + 1 */
	struct fast_ranges ranges;
	struct fast_lists lists;
	const char *why; /* what was wrong, with the place of the DIE */
	/* For callers that must know whether answers depend on the other addresses of a batch: set
	 * stamps to zeroes, one for each address, before a walk. loose: some ranges lie outside
	 * what is around them (or, in fast_scopes_ranges with blocks, DW_AT_sibling leads
	 * astray). */
	uint32_t *stamps;
	bool loose;
};

enum {
	LIMIT_NESTING = 4096,    /* of DIEs that were entered */
	LIMIT_SCOPES = 64 << 20, /* of one unit */
};

/* For addrs (ascending, n of them): the index + 1 of the innermost scope into node, or 0.
 * everything: the second walk. scopes of an earlier walk stay. ST_BAD or ST_LIMIT. */
enum status fast_scopes_walk(const struct fast_file *f, const struct fast_unit *u,
			     const struct abbrevs *t, const uint64_t *addrs, size_t n,
			     bool everything, struct budget *b, struct fast_scopes *s,
			     uint32_t *node);
/* The ranges of all functions and inlined calls, and of blocks if wanted, through found. */
typedef void fast_scopes_found_fn(void *arg, uint64_t lo, uint64_t hi);
enum status fast_scopes_ranges(const struct fast_file *f, const struct fast_unit *u,
			       const struct abbrevs *t, bool blocks, struct budget *b,
			       struct fast_scopes *s, fast_scopes_found_fn *found, void *arg);
void fast_scopes_release(struct fast_scopes *s);

#endif
