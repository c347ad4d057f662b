/* SPDX-License-Identifier: MIT
 *
 * The writer of a trace's chunks, packed where that makes them smaller, with events gathered into
 * columns, to a stdio stream that the caller owns.
 */
#ifndef TM_TRACE_CHUNK_OUT_H
#define TM_TRACE_CHUNK_OUT_H

#include "lib/base/cursor.h"
#include "lib/trace/encode.h"

#include <stdio.h>

struct chunk_out;

struct chunk_out *chunk_out_new(FILE *out);
void chunk_out_free(struct chunk_out *o); /* accepts NULL */
enum status chunk_out_mark(struct chunk_out *o, struct err *e);
enum status chunk_out_chunk(struct chunk_out *o, uint32_t kind, const void *payload, size_t n,
			    struct err *e);
/* Gathers an event. False: what is gathered must be written before the next. */
bool chunk_out_add(struct chunk_out *o, const struct event *ev);
/* Writes what is gathered: before a chunk that is to follow it. Rows may come before events that
 * do not need them. */
static inline bool chunk_out_waits(uint32_t kind)
{
	return kind == CHUNK_TOTALS || kind == CHUNK_HEADER;
}
enum status chunk_out_events(struct chunk_out *o, struct err *e);
/* Any chunk of a trace that is copied, as it was read. */
enum status chunk_out_take(struct chunk_out *o, const struct trace_chunk *c, const uint8_t *payload,
			   struct err *e);
/* Copies all captures of a trace. ST_OK too for one that is cut short, of which the whole chunks are
 * there; ST_BAD for damage, and out is then not to be used. */
enum status chunk_out_copy(FILE *out, struct cursor *in, struct err *e);

#endif
