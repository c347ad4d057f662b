/* SPDX-License-Identifier: MIT
 *
 * The text of --explain: how a file was found, and what an address is. Lines begin with a word and
 * are indented below what they are about; what tools disagree about (the time, the machine's
 * folders beyond what was given) is not in them, so that they can be compared.
 */
#ifndef TM_SYMBOLIZE_EXPLAIN_H
#define TM_SYMBOLIZE_EXPLAIN_H

#include "lib/base/buf.h"
#include "lib/symbolize/lookup.h"
#include "lib/symbolize/symbolize.h"

struct explain { /* zeroed is empty */
	struct explain_object {
		struct object *object; /* borrowed */
		struct dwarf_places *places;
		char *why; /* why there are no places */
	} * objects;
	size_t n, cap;
};

void explain_release(struct explain *x); /* before the objects */

/* What was tried for a binary's debug information. */
void explain_object(struct buf *b, const struct object *o, const char *path);
/* What was tried for a module of a capture, and for its debug information. */
void explain_found(struct buf *b, const struct file_found *f);
/* One location of a symbolized trace, all of the above. */
void explain_location(struct explain *x, struct buf *b, const struct find_files *files,
		      const struct trace *t, uint32_t location);
/* One answer of a lookup; the query has a file. */
void explain_query(struct explain *x, struct buf *b, const struct lookup *l,
		   const struct lookup_query *q);
/* The source file of a call at a link-time address into text, which is empty: as the debug information embeds it, else
 * from below the sysroot, or from where its path says. False: it is nowhere. */
bool explain_source(struct explain *x, const struct object_search *search, struct object *o,
		    uint64_t addr, const char *path, struct buf *text);

#endif
