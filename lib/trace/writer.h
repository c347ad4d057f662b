/* SPDX-License-Identifier: MIT
 *
 * The sink that writes the trace stream, front to back, to a stdio stream it does not own.
 * Table rows go out before the events that use them. Memory: one chunk.
 */
#ifndef TM_TRACE_WRITER_H
#define TM_TRACE_WRITER_H

#include "lib/trace/chunk_writer.h"
#include "lib/trace/sink.h"

#include <stdio.h>

struct writer;

struct writer *writer_new(FILE *out);
void writer_free(struct writer *w);
struct sink *writer_sink(struct writer *w);

/* For tm-symbolize, which copies a stream and adds to it. */
/* Writes the symbol tables of s (strings, objects, functions, calls). */
enum status writer_symbols(struct chunk_writer *out, const struct trace_symbols *s, struct err *e);
/* Writes the bindings of locations [first, end). */
enum status writer_bindings(struct chunk_writer *out, const struct trace_symbols *s, uint32_t first,
			    uint32_t end, struct err *e);
/* Writes notes [first, end) of t. */
enum status writer_notes(struct chunk_writer *out, const struct trace *t, size_t first, size_t end,
			 struct err *e);
/* Ends a capture: how many events of each kind t has had, and rows of each table. */
enum status writer_totals(struct chunk_writer *out, const struct trace *t,
			  const uint64_t rows[TOTALS_ROWS], struct err *e);

#endif
