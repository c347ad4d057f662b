/* SPDX-License-Identifier: MIT
 *
 * The kinds of debug information that answer for an object's addresses: a row for each, the best first. An object may
 * have several, as a program of Windows whose DWARF is that of mingw's start code, and whose own code is in a PDB: the
 * next one answers for addresses of which the first knows nothing. A new kind has its engine in a room of its own, like
 * lib/dwarf for DWARF, and a row in debug_source.c.
 *
 * A kind whose engine can answer for a whole file has these answers kept on disk. Milliseconds of processor time, with an
 * index and without (a busy machine), of a PDB of 332 MB, whose index takes 6 s and 115 MB to make, and of DWARF of 368 MB,
 * whose index takes 2.9 s and 51 MB:
 *
 *	addresses              1  1,000  20,000  400,000
 *	PDB, its index         4     80     230    1,800
 *	PDB                    8    140     410    3,200
 *	DWARF, its index       6     28      43      270
 *	DWARF                 24    160     270      750
 *
 * The names of a PDB are to be demangled, and what lies between functions is sought in its public symbols: both are in the
 * figures, and no index has them.
 */
#ifndef TM_INDEX_DEBUG_SOURCE_H
#define TM_INDEX_DEBUG_SOURCE_H

#include "lib/index/cache.h"

struct debug_source {
	const char *name;
	bool (*has)(const struct object *o); /* pure */
	/* Answers every job (engine.h) of objects that have it: an engine, which can
	 * answer for a whole file (lib/dwarf/whole.h), so that the cache keeps its answers on disk ... */
	dwarf_answer_fn *engine;
	dwarf_whole_fn *whole;
	/* ... or, where there is no engine, this, every time anew. */
	enum status (*answer)(struct index_cache *c, struct dwarf_job *jobs, size_t n,
			      const struct dwarf_options *options, struct err *e);
	bool lines; /* it knows files and lines, and calls that are inlined */
	/* Why libdwarf cannot be asked of it; NULL: it can. */
	const char *no_second_opinion;
};

/* Never NULL: the last row, the symbol table, takes all that is left. */
const struct debug_source *debug_source_of(const struct object *o);
/* Whether the answer of the first one leaves the address to another. */
bool debug_source_leaves(const struct object *o, enum dwarf_found found);

#endif
