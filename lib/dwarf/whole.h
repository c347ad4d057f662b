/* SPDX-License-Identifier: MIT
 *
 * All answers of an engine for one file, as ranges of addresses that have one answer. A persistent index is made of
 * them.
 *
 * Whatever the engine answers for a batch of addresses is what their stretches say, but for those marked DWARF_ASK:
 * what they are of is broken, so that what is said of an address (or what is complained about) may depend on the batch.
 * They are left to the engine, all that are in a batch at once. A file with something broken that no stretch could
 * hold is refused as a whole.
 */
#ifndef TM_DWARF_WHOLE_H
#define TM_DWARF_WHOLE_H

#include "lib/dwarf/engine.h"

enum { DWARF_ASK = 64 }; /* in addition to enum dwarf_found */

/* Limits of an engine that answers for a whole file. */
enum {
	WHOLE_SECONDS = 600,           /* of processor time, of one worker */
	WHOLE_LIMIT_PIECES = 64 << 20, /* ranges that it looks at */
};

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
	/* dwarf_companions (fast/whole.h) before anything was read; 0: nothing is split */
	uint64_t companions;
};

/* Fills *w, zeroed by the caller. ST_NONE: the file has nothing that the engine reads. ST_UNSUPPORTED: refused, *e says
 * why. ST_LIMIT: takes too long or too much. */
typedef enum status dwarf_whole_fn(struct dwarf_whole *w, struct object *o,
				   const struct dwarf_options *options, struct err *e);
void dwarf_whole_release(struct dwarf_whole *w);

/* From an engine's answers to a whole, where equal calls and texts are one. */
struct whole_writer {
	const struct dwarf_answers *from;
	struct dwarf_whole *to;
	uint32_t *calls, *texts; /* by number in the store: in to; 0: not yet */
	struct map64 text_of;    /* by where it is: in to */
	uint32_t *path;
	size_t cap_path;
};

/* The answers have all that is going to be added, in their store. */
void whole_writer_init(struct whole_writer *c, const struct dwarf_answers *from,
		       struct dwarf_whole *to);
void whole_writer_release(struct whole_writer *c);
/* An answer from lo on, which is not below any before. */
void whole_add(struct whole_writer *c, uint64_t lo, struct dwarf_answer a);

#endif
