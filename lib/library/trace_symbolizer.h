/* SPDX-License-Identifier: MIT
 *
 * The struct behind tracemill/symbolize_trace.h. Like binaries and processes, it lies outside of the scope; what
 * it has opened and scanned lies in the scope.
 */
#ifndef TM_LIBRARY_TRACE_SYMBOLIZER_H
#define TM_LIBRARY_TRACE_SYMBOLIZER_H

#include "lib/input/input.h"
#include "lib/library/symbolizer.h"
#include "lib/library/tracemill/symbolize_trace.h"
#include "lib/symbolize/coverage.h"
#include "lib/symbolize/rewrite.h"
#include "lib/symbolize/stack_text.h"

/* In the scope. */
struct trace_symbolizer_opened {
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

struct tracemill_trace_symbolizer {
	struct tracemill_trace_symbolizer *next;
	struct tracemill_symbolizer *s;
	struct tracemill_trace_symbolizer_options options;
	struct kept_texts texts;
	char *maps; /* NULL: none */
	size_t n_maps;
	struct trace_symbolizer_opened *opened; /* NULL: not in this scope */
};

/* A call of the interface: fn runs in the scope, and what the trace symbolizer needs is open. */
struct trace_symbolizer_call {
	struct tracemill_trace_symbolizer *n;
	enum tracemill_status (*fn)(struct trace_symbolizer_call *c,
				    struct trace_symbolizer_opened *x);
	void *to;       /* what fn fills in */
	const void *in; /* what it knows */
	size_t i;
	uint32_t id;
};
enum tracemill_status trace_symbolizer_run(const struct trace_symbolizer_call *c);

/* The modules of tracemill_trace_symbolizer_maps; NULL: none were given. */
const struct trace *trace_symbolizer_maps(const struct tracemill_trace_symbolizer *n,
					  struct trace_symbolizer_opened *x);

/* *to (of room bytes, its size member at its beginning) as far as the caller knows it. */
void trace_symbolizer_give(void *to, void *from, size_t size);
/* Whether the caller's struct has its size; else the error is set. */
bool trace_symbolizer_has_size(struct tracemill_trace_symbolizer *n, const void *to);

/* For programs of this tree that read a capture themselves and write no trace. The first scans the tables of a trace
 * into to, which is zeroed and the caller's to release; errors go to in->e. It stops where to->named shows that the trace has symbols.
 * The second gives a capture that is in memory its symbols, as symbolizer_run does. */
enum tracemill_status trace_symbolizer_scan_tables(struct tracemill_trace_symbolizer *n,
						   struct cursor *in, struct rewrite *to);
enum tracemill_status trace_symbolizer_symbolize(struct tracemill_trace_symbolizer *n,
						 struct trace *t);
/* Whether a file with the captured build-id names something in t. */
bool trace_symbolizer_has_proof(const struct trace *t);

/* Lines of a log, all of them before any is given to tracemill_trace_symbolizer_text: what they say of modules then counts for
 * the whole log. */
enum tracemill_status trace_symbolizer_scan_text(struct tracemill_trace_symbolizer *n,
						 const char *text, size_t size);
/* What speaks against the names of the present log, each once, before tracemill_trace_symbolizer_text_end; NULL: no more. */
const char *trace_symbolizer_next_text_note(struct tracemill_trace_symbolizer *n);
/* Whether a call of the present log names its module, before the same. */
bool trace_symbolizer_text_has_modules(struct tracemill_trace_symbolizer *n);

void trace_symbolizer_free_all(struct tracemill_trace_symbolizer *n);
void trace_symbolizer_close(
    struct tracemill_trace_symbolizer *n); /* what it holds, where no scope does it */

#endif
