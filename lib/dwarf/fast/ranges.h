/* SPDX-License-Identifier: MIT
 *
 * Address ranges of a DIE: DW_AT_low_pc and DW_AT_high_pc, or a list in .debug_ranges (DWARF 2 to
 * 4, section 2.17.3 of DWARF 4) or .debug_rnglists (DWARF 5, section 7.25).
 */
#ifndef TM_DWARF_FAST_RANGES_H
#define TM_DWARF_FAST_RANGES_H

#include "lib/dwarf/budget.h"
#include "lib/dwarf/fast/unit.h"

struct fast_range {
	uint64_t lo, hi;
};

struct fast_ranges {
	struct fast_range *all;
	size_t n, cap;
	size_t entries; /* of the list, living or not */
	bool limited;   /* it was not read because of LIST_READINGS, or of the time */
};

/* Lists of so many entries are worth remembering (scope.c). Sound ones do not overlap and are
 * read a few times each, so what is read of them altogether is limited to LIST_READINGS times the
 * size of their sections. */
enum { LONG_LIST = 64, LIST_READINGS = 16 };

/* False for what linkers have discarded, which they mark by 0, by 1 (in .debug_ranges), or by the
 * two highest addresses. */
static inline bool range_lives(const struct fast_file *f, uint64_t lo)
{
	return lo < f->last - 1 && lo >= f->first;
}

/* Replaces *out by the living ranges. *there: the DIE says something about its addresses. NULL, or
 * why the list is invalid (also at a limit: out->limited), with its place in its section where it
 * is that which is wrong; the place of the DIE is the caller's to say. */
const char *fast_ranges_read(const struct fast_file *f, const struct fast_unit *u,
			     const struct fast_value *ranges, const struct fast_value *low,
			     const struct fast_value *high, struct budget *b,
			     struct fast_ranges *out, bool *there);
const char *fast_ranges_read_list(const struct fast_file *f, const struct fast_unit *u,
				  const struct fast_value *list, struct budget *b,
				  struct fast_ranges *out);

#endif
