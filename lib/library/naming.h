/* SPDX-License-Identifier: MIT
 *
 * The struct behind tracemill/symbolize_trace.h: as binaries and processes it lies outside of the
 * zone, and what it has opened and scanned in it.
 */
#ifndef TM_LIBRARY_NAMING_H
#define TM_LIBRARY_NAMING_H

#include "lib/input/input.h"
#include "lib/library/symbolizer.h"
#include "lib/library/tracemill/symbolize_trace.h"
#include "lib/symbolize/coverage.h"
#include "lib/symbolize/rewrite.h"
#include "lib/symbolize/stack_text.h"

/* In the zone. */
struct naming_opened {
	struct symbolizer symbolizer;
	struct symbolize_stats stats;
	struct trace *maps; /* NULL: not read yet, or there are none */
	struct input in;    /* of the stream; its errors go to e */
	char *ends;         /* why it ends too early, or NULL */
	struct err e;
	struct rewrite rewrite;
	bool scanned;
	struct symbolize_coverage *coverage; /* by binary of a capture, [0]: all */
	size_t covered;                      /* number of that capture + 1 */
	struct explain explain;
	struct stack_text text;
	struct buf out; /* the text that was returned last */
};

struct tracemill_naming {
	struct tracemill_naming *next;
	struct tracemill_symbolizer *s;
	struct tracemill_naming_options options;
	struct kept_texts texts;
	char *maps; /* NULL: none */
	size_t n_maps;
	struct naming_opened *opened; /* NULL: not in this zone */
};

/* A call of the interface: fn runs in the zone, and what the naming needs is open. */
struct naming_call {
	struct tracemill_naming *n;
	enum tracemill_status (*fn)(struct naming_call *c, struct naming_opened *x);
	void *to;       /* what fn fills in */
	const void *in; /* what it knows */
	size_t i;
	uint32_t id;
};
enum tracemill_status naming_run(const struct naming_call *c);

/* *to (of room bytes, its size member at its beginning) as far as the caller knows it. */
void naming_give(void *to, void *from, size_t size);
/* Whether the caller's struct has its size; else the error is set. */
bool naming_has_size(struct tracemill_naming *n, const void *to);

/* For programs of this tree that read a capture themselves and write no trace. The first scans the tables of a trace
 * into to, which is zeroed and the caller's to release; errors go to in->e. It stops where to->named shows that the trace has symbols.
 * The second gives a capture that is in memory its symbols, as symbolizer_run does. */
enum tracemill_status naming_scan_tables(struct tracemill_naming *n, struct cursor *in,
					 struct rewrite *to);
enum tracemill_status naming_symbolize(struct tracemill_naming *n, struct trace *t);
/* Whether a file with the captured build-id names something in t. */
bool naming_has_proof(const struct trace *t);

void naming_free_all(struct tracemill_naming *n);
void naming_close(struct tracemill_naming *n); /* what it holds, where no zone does it */

#endif
