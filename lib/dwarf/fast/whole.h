/* SPDX-License-Identifier: MIT
 *
 * All answers of the fast engine for one file, as ranges of addresses that have one answer. A persistent index
 * is made of them.
 *
 * Whatever dwarf_fast answers for a batch of addresses is what their stretches say, but for
 * those marked DWARF_ASK: their units are broken, split or badly nested, so that what is
 * said of an address (or what is complained about) may depend on the batch. They are left to the
 * engine, all that are in a batch at once. A file with something broken beyond single units is
 * refused as a whole.
 */
#ifndef TM_DWARF_FAST_WHOLE_H
#define TM_DWARF_FAST_WHOLE_H

#include "lib/dwarf/engine.h"

enum { DWARF_ASK = 64 }; /* in addition to enum dwarf_found */

struct dwarf_stretch {
	uint64_t lo;   /* up to the next one's lo; what is before the first is DWARF_NOT_FOUND */
	uint32_t call; /* in calls; 0: none */
	uint8_t found; /* DWARF_NOT_FOUND, DWARF_FUNCTION, DWARF_LINE_ONLY or DWARF_ASK */
};

struct dwarf_whole {
	struct dwarf_stretch *all; /* ascending; neighbours differ */
	size_t n, cap;
	/* With discriminators, whatever the options ask for. Equal calls are one; outer calls come
	 * before inner ones, in the order of the addresses. of and n of it are unused. */
	struct dwarf_answers answers;
	uint64_t companions; /* dwarf_companions before anything was read; 0: nothing is split */
};

/* What is to be seen from outside of the .dwo and .dwp files that the units of o may have their
 * functions in: which paths there are, and each one's device, inode, size and time. 0: no unit of o
 * is split. */
uint64_t dwarf_companions(struct object *o);

/* Fills *w, zeroed by the caller. ST_NONE: the file has no DWARF. ST_UNSUPPORTED: refused, *e says
 * why. ST_LIMIT: takes too long or too much. */
enum status dwarf_whole(struct dwarf_whole *w, struct object *o,
			const struct dwarf_options *options, struct err *e);
void dwarf_whole_release(struct dwarf_whole *w);

#endif
