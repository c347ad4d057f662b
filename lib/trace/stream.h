/* SPDX-License-Identifier: MIT
 *
 * Reads the chunks of a trace stream. stream_next gives one checked chunk after the other;
 * stream_apply puts a table chunk's rows into the model; stream_events pushes an event
 * chunk's events. Every reference is checked: nothing points forward or outside.
 */
#ifndef TM_TRACE_STREAM_H
#define TM_TRACE_STREAM_H

#include "lib/base/cursor.h"
#include "lib/trace/encode.h"
#include "lib/trace/sink.h"

struct stream {
	struct cursor *in;
	uint64_t unknown_chunks, unknown_events; /* of a later minor version; skipped */
	uint64_t damaged_chunks; /* of events and notes, whose checksum differs; skipped */
	uint16_t minor;
};

/* Reads the mark with which every capture begins. ST_NONE at the end of input, ST_UNSUPPORTED
 * for another major version. */
enum status stream_mark(struct stream *s, struct cursor *in, struct err *e);
/* The next chunk: header in *c, payload (c->length bytes) in *payload until the next call.
 * ST_BAD at the end of input: a capture ends with CHUNK_TOTALS. Damaged event and note chunks
 * are counted and skipped; any other damage ends the capture. */
enum status stream_next(struct stream *s, struct chunk *c, const uint8_t **payload, struct err *e);
/* Tables, notes, header, symbols, totals. offset: of the payload, for messages. */
enum status stream_apply(struct stream *s, struct trace *t, const struct chunk *c,
			 const uint8_t *payload, uint64_t offset, struct err *e);
enum status stream_events(struct stream *s, struct trace *t, const struct chunk *c,
			  const uint8_t *payload, uint64_t offset, struct sink *sink,
			  struct err *e);
/* Rows of each table that the stream has had so far, in the order of CHUNK_TOTALS. */
void stream_rows(const struct trace *t, uint64_t rows[TOTALS_ROWS]);

#endif
