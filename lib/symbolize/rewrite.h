/* SPDX-License-Identifier: MIT
 *
 * The insertion of symbols into a trace stream, in two passes. The first reads the tables (not the events) and
 * symbolizes. The second copies the stream, with events as columns. It puts the symbol tables after the header, and
 * each binding after its location, before any event that uses it. Symbols that were in the stream are left out.
 */
#ifndef TM_SYMBOLIZE_REWRITE_H
#define TM_SYMBOLIZE_REWRITE_H

#include "lib/base/cursor.h"
#include "lib/symbolize/symbolize.h"

#include <stdio.h>

struct rewrite_capture {
	struct trace *t;   /* tables and symbols */
	size_t first_note; /* notes from there on are new */
	bool events;       /* it has some: worth keeping when it is cut short */
	uint64_t end;      /* offset behind its last sound chunk */
	uint32_t
	    *location_ends; /* how many locations (with [0]) there are after each chunk of them */
	size_t n_ends, cap_ends;
};

struct rewrite {
	struct rewrite_capture *captures;
	size_t n, cap;
	bool cut;      /* the stream ends before its totals */
	bool nameless; /* asked for: a trace that has symbols is not looked at any further; */
	bool named;    /* it has some */
};

/* First look. maps: modules from elsewhere for all captures, or NULL. A stream that is cut
 * short or damaged gives what was sound (cut is set, with a loss note); ST_BAD when nothing. */
enum status rewrite_scan(struct rewrite *w, struct cursor *in, struct symbolizer *s,
			 const struct trace *maps, struct err *e);
/* Second look, over the same bytes. */
enum status rewrite_copy(struct rewrite *w, struct cursor *in, FILE *to, struct err *e);
void rewrite_release(struct rewrite *w);

#endif
