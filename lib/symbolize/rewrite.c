/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/rewrite.h"

#include "lib/base/mem.h"
#include "lib/trace/stream.h"
#include "lib/trace/writer.h"

#include <inttypes.h>
#include <stdlib.h>

static bool is_symbols(uint32_t kind)
{
	return kind >= CHUNK_SYMBOL_STRINGS && kind <= CHUNK_SYMBOL_NOTES;
}

/* The tables of one capture. */
static enum status rewrite_scan_capture(struct rewrite *all, struct rewrite_capture *w,
					struct trace_stream *s, struct err *e)
{
	struct trace *t = w->t;
	struct trace_chunk c = {0};

	while (c.kind != CHUNK_TOTALS) {
		const uint8_t *payload;
		enum status st = stream_next(s, &c, &payload, e);

		if (!st && all->nameless && is_symbols(c.kind)) {
			all->named = true;
			return ST_OK;
		}
		/* Totals are compared with events, which are not counted here. */
		if (!st && !stream_has_events(s, &c) && c.kind != CHUNK_TOTALS &&
		    !is_symbols(c.kind))
			st = stream_apply(s, t, &c, payload, e);
		if (st)
			return st;
		w->end = cursor_offset(s->in);
		w->events |= stream_has_events(s, &c);
		if (c.kind == CHUNK_LOCATIONS)
			VEC_PUSH(w->location_ends, w->n_ends, w->cap_ends) =
			    (uint32_t)t->n_locations;
	}
	return ST_OK;
}

static void release_capture(struct rewrite_capture *c)
{
	trace_free(c->t);
	free(c->location_ends);
}

/* An error is a loss when something before it is sound: of this capture, or another one. */
static enum status rewrite_salvage(struct rewrite *w, struct rewrite_capture *c, enum status st,
				   const struct err *e)
{
	if (c && !c->events) {
		release_capture(c);
		w->n--;
		c = NULL;
	}
	if (!c && w->n)
		c = &w->captures[w->n - 1];
	if (!c)
		return st;
	if (e->offset == ERR_NO_OFFSET)
		trace_note(c->t, NOTE_LOSS, 0, "%s; the rest was not read", e->msg);
	else
		trace_note(c->t, NOTE_LOSS, 0, "%s (at byte %" PRIu64 "); the rest was not read",
			   e->msg, e->offset);
	w->cut = true;
	return ST_OK;
}

static enum status rewrite_scan_all(struct rewrite *w, struct trace_stream *s, struct cursor *in,
				    struct symbolizer *sy, const struct trace *maps, struct err *e)
{
	for (;;) {
		enum status st = stream_mark(s, in, e);
		struct rewrite_capture *c;

		if (st == ST_NONE)
			return ST_OK;
		if (st)
			return rewrite_salvage(w, NULL, st, e);
		VEC_PUSH(w->captures, w->n, w->cap) = (struct rewrite_capture){.t = trace_new()};
		c = &w->captures[w->n - 1];
		st = rewrite_scan_capture(w, c, s, e);
		if (w->named)
			return ST_OK;
		c->first_note = c->t->n_notes;
		if (s->damaged_chunks)
			trace_note(c->t, NOTE_LOSS, s->damaged_chunks,
				   "damaged chunks were left out");
		if (st) {
			size_t n = w->n;

			st = rewrite_salvage(w, c, st, e);
			if (st || w->n < n)
				return st;
		}
		if (!st) {
			size_t before = c->t->n_notes;

			st = symbolizer_run(sy, c->t, maps ? maps : c->t, e);
			for (size_t k = before; k < c->t->n_notes; k++)
				c->t->notes[k].symbolizing = true;
		}
		if (st || w->cut)
			return st;
	}
}

enum status rewrite_scan(struct rewrite *w, struct cursor *in, struct symbolizer *sy,
			 const struct trace *maps, struct err *e)
{
	struct trace_stream s = {0};
	enum status st = rewrite_scan_all(w, &s, in, sy, maps, e);

	stream_release(&s);
	return st;
}

static enum status rewrite_discard(struct sink *s, struct trace *t, const struct sink_batch *b,
				   struct err *e)
{
	(void)s, (void)t, (void)b, (void)e;
	return ST_OK;
}

/* The first pass reported why the capture ends here: with totals it is reported once. */
static enum status end_cut(const struct rewrite_capture *w, bool counted, struct chunk_writer *out,
			   struct err *e)
{
	uint64_t rows[TOTALS_ROWS];
	enum status st = chunk_writer_events(out, e);

	if (!st)
		st = writer_notes(out, w->t, w->first_note, w->t->n_notes, e);

	stream_rows(w->t, rows);
	return st || !counted ? st : writer_totals(out, w->t, rows, e);
}

/* Copies the chunks of one capture, its totals included. cut: it ends before them. */
static enum status rewrite_copy_capture(const struct rewrite_capture *w, struct trace_stream *s,
					struct chunk_writer *out, bool cut, struct err *e)
{
	struct sink counts = {.batch = rewrite_discard};
	struct trace *t = w->t;
	bool symbols_out = false, counted = true;
	uint32_t locations = 1;
	size_t table = 0;
	struct trace_chunk c = {0};

	while (c.kind != CHUNK_TOTALS) {
		const uint8_t *payload;
		enum status st;

		if (cut && cursor_offset(s->in) >= w->end)
			return end_cut(w, counted, out, e);
		st = stream_next(s, &c, &payload, e);
		if (!st && cut && stream_has_events(s, &c)) {
			struct err bad = ERR_INIT; /* for those who read the events */

			counted &= !stream_events(s, t, &c, payload, &counts, &bad);
		}
		if (st)
			return st;
		if (is_symbols(c.kind))
			continue;
		if (!symbols_out && c.kind != CHUNK_HEADER) {
			st = writer_symbols(out, &t->symbols, e);
			symbols_out = true;
		}
		if (!st && c.kind == CHUNK_TOTALS)
			st = chunk_writer_events(out, e);
		if (!st && c.kind == CHUNK_TOTALS)
			st = writer_notes(out, t, w->first_note, t->n_notes, e);
		if (!st)
			st = chunk_writer_copy_chunk(out, &c, payload, e);
		if (!st && c.kind == CHUNK_LOCATIONS && table < w->n_ends) {
			st = writer_bindings(out, &t->symbols, locations, w->location_ends[table],
					     e);
			locations = w->location_ends[table++];
		}
		if (st)
			return st;
	}
	return ST_OK;
}

enum status rewrite_copy(struct rewrite *w, struct cursor *in, FILE *to, struct err *e)
{
	struct chunk_writer *out = chunk_writer_new(to);
	struct trace_stream s = {0};
	enum status st = ST_OK;

	for (size_t i = 0; !st && i < w->n; i++) {
		st = stream_mark(&s, in, e);
		if (st == ST_NONE)
			st = err_set(e, ST_BAD, "the trace became shorter while it was read");
		if (!st)
			st = chunk_writer_mark(out, e);
		if (!st)
			st = rewrite_copy_capture(&w->captures[i], &s, out, w->cut && i + 1 == w->n,
						  e);
	}
	stream_release(&s);
	chunk_writer_free(out);
	return st;
}

void rewrite_release(struct rewrite *w)
{
	for (size_t i = 0; i < w->n; i++)
		release_capture(&w->captures[i]);
	free(w->captures);
	*w = (struct rewrite){.n = 0};
}
