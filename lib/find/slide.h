/* SPDX-License-Identifier: MIT
 *
 * The search for a lost slide by the addresses alone. A slide is page-aligned, so an address keeps its low 12
 * bits. Every captured return address votes for the slides that would put it right after a call of the module,
 * and the slides with most votes are checked against all addresses.
 *
 * It is not guessed: the share of the addresses in the module's code that follow a call must be
 * that of a right file, beyond what the best of so many tried slides reaches by chance once in 1000
 * times; and the runner-up must have at most two thirds of its calls.
 */
#ifndef TM_FIND_SLIDE_H
#define TM_FIND_SLIDE_H

#include "lib/disasm/code.h"

struct slide_at { /* what a slide makes of the addresses */
	uint64_t slide;
	uint64_t inside, pass; /* in the module's code; behind a call there */
};

struct slide_guess {
	bool sure;
	struct slide_at best, next; /* inside 0: none */
	uint64_t tried;             /* slides that had a vote */
};

enum { SLIDE_VOTERS = 2048, SLIDE_JUDGES = 50000 }; /* addresses tried, evenly spread */

/* addrs: n captured addresses, ascending, each once. */
void slide_find(const struct disasm_code *c, const uint64_t *addrs, size_t n,
		struct slide_guess *out);

#endif
