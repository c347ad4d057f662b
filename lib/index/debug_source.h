/* SPDX-License-Identifier: MIT
 *
 * The kinds of debug information that answer for an object's addresses: a row for each, the best first. A new
 * kind has its engine in a room of its own, like lib/dwarf for DWARF, and a row in debug_source.c.
 *
 * Answers of PDBs are not kept on disk. Milliseconds of processor time, a PDB of 413 MB, and DWARF of 368 MB from its index
 * and without (a busy machine; the index takes 2.9 s and 51 MB to make):
 *
 *	addresses           1  1,000  20,000  400,000
 *	PDB                 8     90     250    1,900
 *	DWARF, its index    6     28      43      270
 *	DWARF              24    160     270      750
 *
 * One address would gain nothing. In batches of 1,000 an index could save 60 ms once for each process; what an index does not
 * have, the public symbols, is part of that.
 */
#ifndef TM_INDEX_DEBUG_SOURCE_H
#define TM_INDEX_DEBUG_SOURCE_H

#include "lib/index/cache.h"

struct debug_source {
	const char *name;
	bool (*has)(const struct object *o); /* pure */
	/* Answers every job (engine.h) of objects of which this row is the first that has them. */
	enum status (*answer)(struct index_cache *c, struct dwarf_job *jobs, size_t n,
			      const struct dwarf_options *options, struct err *e);
	bool lines; /* it knows files and lines, and calls that are inlined */
	/* Why libdwarf cannot be asked of it; NULL: it can. */
	const char *no_second_opinion;
};

/* Never NULL: the last row, the symbol table, takes all that is left. */
const struct debug_source *debug_source_of(const struct object *o);

#endif
