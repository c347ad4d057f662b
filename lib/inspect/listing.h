/* SPDX-License-Identifier: MIT
 *
 * A function's instructions with their source lines and, given a trace, the costs of their calls.
 */
#ifndef TM_INSPECT_LISTING_H
#define TM_INSPECT_LISTING_H

#include "lib/inspect/cost.h"
#include "lib/inspect/inspect.h"
#include "lib/inspect/sheet.h"
#include "lib/symbolize/lookup.h"

struct extent { /* what to disassemble */
	uint64_t lo, hi;
	char name[256]; /* "" when no function has it */
	size_t others;  /* more functions of that name */
};

/* what: an address (0x...), or a function's name, raw or demangled, with or without parameters.
 * ST_NONE with a text: not found. */
enum status listing_find(const struct inspect *x, const char *what, struct extent *out,
			 struct err *e);
/* Fills a sheet, to be released by the caller. cost: NULL without a trace. */
enum status listing_make(const struct inspect *x, const struct extent *of,
			 const struct inspect_cost *cost, struct lookup *l, struct inspect_sheet *s,
			 struct err *e);

#endif
