/* SPDX-License-Identifier: MIT
 *
 * A trace that is still being written, read as its bytes come: each chunk goes to a sink as soon as all
 * of it is there. What is cut at the end waits for its rest, and is no loss.
 *
 * Between two calls the capture that goes on is t, ours, in which all is that has come so far.
 */
#ifndef TM_TRACE_TRACE_FOLLOW_H
#define TM_TRACE_TRACE_FOLLOW_H

#include "lib/base/buf.h"
#include "lib/trace/sink.h"
#include "lib/trace/stream.h"

struct trace_follow { /* zeroed is a trace of which nothing has come */
	struct trace_stream stream;
	struct trace *t;  /* NULL: none is open */
	bool begun;       /* t was passed to the sink */
	struct buf rest;  /* bytes that wait for more */
	uint64_t offset;  /* of the first of them */
	uint64_t ended;   /* captures whose totals were there */
	uint64_t damaged; /* chunks that were left out */
};

/* Takes the next bytes. An error is what ends a trace elsewhere, too; nothing comes behind it. */
enum status trace_follow_add(struct trace_follow *g, const void *p, size_t n, struct sink *to,
			     struct err *e);
void trace_follow_release(struct trace_follow *g);

#endif
