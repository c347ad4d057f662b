/* SPDX-License-Identifier: MIT
 *
 * The reader of a trace stream's chunks. stream_next gives one checked chunk after the other;
 * stream_apply puts a table chunk's rows into the model; stream_events pushes an event
 * chunk's events. Every reference is checked: nothing points forward or outside. What is packed comes
 * out unpacked, but for the columns of events.
 */
#ifndef TM_TRACE_STREAM_H
#define TM_TRACE_STREAM_H

#include "lib/base/cursor.h"
#include "lib/trace/encode.h"
#include "lib/trace/sink.h"

struct event_columns_reader;
struct zstd;

/* Zeroed before the first capture of an input. */
struct trace_stream {
	struct cursor *in;
	uint64_t unknown_chunks, unknown_events; /* of a later minor version; skipped */
	uint64_t damaged_chunks; /* of events and notes, whose checksum differs; skipped */
	uint64_t
	    offset; /* of the chunk's payload, for messages; what is packed counts from there on as
			  * if it were not */
	uint16_t major, minor;
	struct event_columns_reader
	    *columns; /* ours, as what follows; NULL until there is need of it */
	struct zstd *zstd;
	uint8_t *unpacked;
};

/* It may be zeroed. */
void stream_release(struct trace_stream *s);

/* Reads the mark with which every capture begins. ST_NONE at the end of input, ST_UNSUPPORTED
 * for another major version. */
enum status stream_mark(struct trace_stream *s, struct cursor *in, struct err *e);
/* The next chunk: its kind in *c, payload (c->length bytes) in *payload until the next call.
 * ST_BAD at the end of input: a capture ends with CHUNK_TOTALS. Damaged event and note chunks
 * are counted and skipped; any other damage ends the capture. */
enum status stream_next(struct trace_stream *s, struct trace_chunk *c, const uint8_t **payload,
			struct err *e);
/* Tables, notes, header, symbols, totals. */
enum status stream_apply(struct trace_stream *s, struct trace *t, const struct trace_chunk *c,
			 const uint8_t *payload, struct err *e);
static inline bool stream_has_events(const struct trace_stream *s, const struct trace_chunk *c)
{
	return c->kind == CHUNK_EVENTS || (c->kind == CHUNK_COLUMNS && s->major > 1);
}
enum status stream_events(struct trace_stream *s, struct trace *t, const struct trace_chunk *c,
			  const uint8_t *payload, struct sink *sink, struct err *e);
/* Rows of each table that the stream has had so far, in the order of CHUNK_TOTALS. */
void stream_rows(const struct trace *t, uint64_t rows[TOTALS_ROWS]);

#endif
