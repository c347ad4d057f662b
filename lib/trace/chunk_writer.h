/* SPDX-License-Identifier: MIT
 *
 * The writer of a trace's chunks, packed where that makes them smaller, with events gathered into
 * columns, to a stdio stream that the caller owns.
 */
#ifndef TM_TRACE_CHUNK_WRITER_H
#define TM_TRACE_CHUNK_WRITER_H

#include "lib/base/cursor.h"
#include "lib/trace/encode.h"

#include <stdio.h>

struct chunk_writer;

struct chunk_writer *chunk_writer_new(FILE *out);
void chunk_writer_free(struct chunk_writer *o); /* accepts NULL */
enum status chunk_writer_mark(struct chunk_writer *o, struct err *e);
enum status chunk_writer_chunk(struct chunk_writer *o, uint32_t kind, const void *payload, size_t n,
			       struct err *e);
/* Gathers an event. False: what is gathered must be written before the next. */
bool chunk_writer_add(struct chunk_writer *o, const struct event *ev);
/* Writes what is gathered: before a chunk that is to follow it. Rows may come before events that
 * do not need them. */
static inline bool chunk_writer_waits(uint32_t kind)
{
	return kind == CHUNK_TOTALS || kind == CHUNK_HEADER;
}
enum status chunk_writer_events(struct chunk_writer *o, struct err *e);
/* Any chunk of a trace that is copied, as it was read. */
enum status chunk_writer_copy_chunk(struct chunk_writer *o, const struct trace_chunk *c,
				    const uint8_t *payload, struct err *e);
/* Copies all captures of a trace. ST_OK too for one that is cut short, of which the whole chunks are
 * there; ST_BAD for damage, and out is then not to be used. */
enum status chunk_writer_copy(FILE *out, struct cursor *in, struct err *e);

#endif
