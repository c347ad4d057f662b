/* SPDX-License-Identifier: MIT
 *
 * A sink that prints a trace as text, a line per row and event, in the order of the stream:
 * for people, for grep, and for golden tests. tm-dump(1) describes the lines.
 */
#ifndef TM_TRACE_DUMP_H
#define TM_TRACE_DUMP_H

#include "lib/trace/sink.h"

#include <stdio.h>

struct dump;

struct dump_options {
	bool tables; /* rows of tables */
	bool events;
	bool symbols; /* bindings and their calls */
};

struct dump *dump_new(FILE *out, const struct dump_options *o); /* o is copied */
void dump_free(struct dump *d);
struct sink *dump_sink(struct dump *d);

#endif
