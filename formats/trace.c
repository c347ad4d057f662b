/* SPDX-License-Identifier: MIT
 *
 * tracemill's own trace stream, as one more format: tracemill-trace(5).
 */
#include "formats/reader.h"
#include "lib/trace/stream.h"

#include <inttypes.h>

static int trace_reader_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= TRACE_MAGIC_SIZE && !memcmp(head, TRACE_MAGIC, TRACE_MAGIC_SIZE) ? 64 : 0;
}

static void note_losses(struct trace *t, const struct trace_stream *s)
{
	if (s->damaged_chunks)
		trace_note(t, NOTE_LOSS, s->damaged_chunks, "damaged chunks were left out");
	if (s->unknown_chunks || s->unknown_events)
		trace_note(t, NOTE_INFO, s->unknown_chunks + s->unknown_events,
			   "chunks and events of a later version (%u.%u) were skipped", s->major,
			   s->minor);
}

/* One capture, from behind its mark to its totals. */
static enum status trace_reader_capture(struct import *im, struct trace_stream *s, struct err *e)
{
	struct trace *t = im->t;
	const uint8_t *payload;
	struct trace_chunk c = {0};
	enum status st = ST_OK;

	while (c.kind != CHUNK_TOTALS) {
		st = stream_next(s, &c, &payload, e);
		if (st)
			break;
		if (!im->begun && c.kind != CHUNK_HEADER) {
			st = import_begin(im, e);
			if (st)
				return st;
		}
		st = stream_has_events(s, &c) ? stream_events(s, t, &c, payload, im->sink, e)
					      : stream_apply(s, t, &c, payload, e);
		if (st)
			break;
	}
	note_losses(t, s);
	return st;
}

static enum status trace_reader_read(struct import *im, struct err *e)
{
	struct trace_stream s = {0};
	enum status st = stream_mark(&s, &im->in->cur, e);

	while (!st) {
		st = trace_reader_capture(im, &s, e);
		if (st)
			break;
		st = stream_mark(&s, &im->in->cur, e);
		if (!st)
			st = import_next(im, e);
	}
	stream_release(&s);
	return st == ST_NONE ? ST_OK : st;
}

const struct reader reader_trace = {
    .name = "trace",
    .family = "Of tracemill",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES |
		    CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_CALLS | CAPABILITY_TIME |
		    CAPABILITY_THREADS | CAPABILITY_FRAMES | CAPABILITY_COUNTERS |
		    CAPABILITY_OBJECTS | CAPABILITY_REFERENCES | CAPABILITY_ADDRESSES |
		    CAPABILITY_BUILD_IDS,
    .what = "tracemill's own trace stream, see tracemill-trace(5)",
    .suffixes = "tmt",
    .own_tables = true,
    .bid = trace_reader_bid,
    .read = trace_reader_read,
};
