/* SPDX-License-Identifier: MIT */
#include "formats/unreal/slua_frame.h"

#include "formats/emit.h"
#include "formats/unreal/string.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FULL_EVERY = 60 };
static const int64_t us_most = (int64_t)1 << 52;
static const double bytes_most = 1e15;

static uint32_t name_of(struct slua *s, uint32_t id)
{
	uint32_t *at = map64_put(&s->names, id);
	char text[24];

	if (!*at) {
		s->nameless++;
		snprintf(text, sizeof text, "#%" PRIu32, id);
		*at = trace_strz(s->im->t, text);
	}
	return *at;
}

static bool read_names(struct slua *s, struct cursor *c)
{
	int32_t n = (int32_t)cursor_u32(c);

	if (!cursor_failed(c) && n < 0)
		cursor_fail(c, ST_BAD, "impossible number of names: %" PRId32, n);
	for (int32_t i = 0; i < n && !cursor_failed(c); i++) {
		uint32_t id = cursor_u32(c);

		if (ue_string(c, &s->text, &s->repaired))
			*map64_put(&s->names, id) =
			    trace_string(s->im->t, buf_str(&s->text), s->text.len);
	}
	return !cursor_failed(c);
}

/* "file:line", or the file alone */
static uint32_t place_name(struct slua *s, uint32_t file, int32_t line)
{
	struct trace *t = s->im->t;

	if (line < 0)
		return file;
	s->text.len = 0;
	buf_adds(&s->text, trace_text(t, file));
	buf_addf(&s->text, ":%" PRId32, line);
	return trace_string(t, s->text.data, s->text.len);
}

static uint32_t location_of(struct slua *s, uint32_t file, uint32_t function, int32_t line)
{
	struct location l = {.space = SPACE_NAME};
	uint32_t name = function ? name_of(s, function) : 0;

	l.file = name_of(s, file);
	l.line = line > 0 ? (uint32_t)line : 0;
	l.name = name && *trace_text(s->im->t, name) ? name : place_name(s, l.file, line);
	return trace_location(s->im->t, &l);
}

struct key {
	uint32_t file, function;
	int32_t line;
};

static struct key read_key(struct cursor *c)
{
	struct key k;

	k.file = cursor_u32(c);
	k.function = cursor_u32(c);
	k.line = (int32_t)cursor_u32(c);
	return k;
}

static bool slua_frame_read_node(struct slua *s, struct cursor *c, struct slua_node *x)
{
	uint32_t parent = s->n_open ? s->open[s->n_open - 1].stack : 0;
	struct key outer = {.line = 0}, k;
	int32_t children;

	*x = (struct slua_node){.stack = 0};
	if (s->n_open)
		outer = read_key(c);
	k = read_key(c);
	x->us = (int64_t)cursor_u64(c);
	x->calls = (int32_t)cursor_u32(c);
	cursor_u32(c);
	children = (int32_t)cursor_u32(c);
	if (cursor_failed(c))
		return false;
	if (children < 0) {
		cursor_fail(c, ST_BAD, "impossible number of children of a node: %" PRId32,
			    children);
		return false;
	}
	if (s->n_open)
		s->other_keys +=
		    outer.file != k.file || outer.function != k.function || outer.line != k.line;
	if (x->us > us_most || x->us < -us_most) {
		s->numbers++;
		x->us = 0;
	}
	x->left = (uint32_t)children;
	x->stack = trace_stack(s->im->t, parent, location_of(s, k.file, k.function, k.line));
	return true;
}

static enum status slua_frame_close_node(struct slua *s, bool whole, struct err *e)
{
	struct slua_node x = s->open[--s->n_open];
	struct emit_sample sample = {.stack = x.stack,
				     .calls = KNOWN(x.calls > 0 ? x.calls : 0),
				     .total = KNOWN(x.us * 1000)};
	int64_t self = x.us - x.children;

	if (s->n_open)
		s->open[s->n_open - 1].children += x.us;
	if (whole) {
		if (self < 0) {
			s->clamped++;
			s->clamped_us += self;
		}
		sample.self = KNOWN(self > 0 ? self * 1000 : 0);
	} else {
		s->unclosed++;
	}
	return emit_sample(s->im, &sample, e);
}

static enum status slua_frame_read_tree(struct slua *s, struct cursor *c, struct err *e)
{
	enum status st = ST_OK;
	struct slua_node x;

	s->n_open = 0;
	do {
		if (!slua_frame_read_node(s, c, &x))
			break;
		VEC_PUSH(s->open, s->n_open, s->cap_open) = x;
		while (!st && s->n_open && !s->open[s->n_open - 1].left)
			st = slua_frame_close_node(s, true, e);
		if (!st && s->n_open)
			s->open[s->n_open - 1].left--;
	} while (!st && s->n_open);
	while (!st && s->n_open)
		st = slua_frame_close_node(s, false, e);
	return st;
}

static struct slua_row *file_row(struct slua *s, uint32_t file)
{
	uint32_t *at = map64_put(&s->file_index, file);

	if (!*at) {
		uint32_t location = location_of(s, file, 0, -1);

		VEC_PUSH(s->files, s->n_files, s->cap_files) =
		    (struct slua_row){.stack = trace_stack(s->im->t, 0, location)};
		*at = (uint32_t)s->n_files;
	}
	return &s->files[*at - 1];
}

static uint32_t line_row(struct slua *s, uint32_t file, int32_t line)
{
	uint64_t key = (uint64_t)file << 32 | (uint32_t)line;
	uint32_t *at = map64_put(&s->line_index, key);

	if (!*at) {
		uint32_t location = location_of(s, file, 0, line < 0 ? -1 : line);
		uint32_t of = (uint32_t)(file_row(s, file) - s->files);

		VEC_PUSH(s->lines, s->n_lines, s->cap_lines) =
		    (struct slua_row){.stack = trace_stack(s->im->t, 0, location), .file = of};
		*at = (uint32_t)s->n_lines;
	}
	return *at - 1;
}

static bool read_size(struct slua *s, struct cursor *c, int64_t *bytes)
{
	uint32_t bits;
	float v;

	cursor_u32(c);
	cursor_u32(c);
	bits = cursor_u32(c);
	cursor_u32(c);
	memcpy(&v, &bits, sizeof v);
	if (!isfinite(v) || fabs((double)v) > bytes_most) {
		s->numbers++;
		return false;
	}
	*bytes = llroundf(v);
	return !cursor_failed(c);
}

static void on_line(struct slua *s, uint32_t file, int32_t line, int64_t bytes, bool full)
{
	uint32_t index = line_row(s, file, line);
	struct slua_row *r = &s->lines[index];

	if (r->seen != s->frame + 1)
		VEC_PUSH(s->touched, s->n_touched, s->cap_touched) = index;
	r->seen = s->frame + 1;
	r->change = full ? bytes - r->bytes : bytes;
}

static bool slua_frame_read_lines(struct slua *s, struct cursor *c, bool full)
{
	int32_t n = (int32_t)cursor_u32(c);

	if (!cursor_failed(c) && n < 0)
		cursor_fail(c, ST_BAD, "impossible number of files: %" PRId32, n);
	for (int32_t i = 0; i < n && !cursor_failed(c); i++) {
		uint32_t file = cursor_u32(c);
		int32_t lines = (int32_t)cursor_u32(c);

		if (!cursor_failed(c) && lines < 0)
			cursor_fail(c, ST_BAD, "impossible number of lines of a file: %" PRId32,
				    lines);
		for (int32_t k = 0; k < lines && !cursor_failed(c); k++) {
			int32_t line = (int32_t)cursor_u32(c);
			int64_t bytes;

			if (read_size(s, c, &bytes) && !s->lost)
				on_line(s, file, line, bytes, full);
		}
	}
	return !cursor_failed(c);
}

static bool slua_frame_read_files(struct slua *s, struct cursor *c)
{
	int32_t n = (int32_t)cursor_u32(c);

	if (!cursor_failed(c) && n < 0)
		cursor_fail(c, ST_BAD, "impossible number of files: %" PRId32, n);
	for (int32_t i = 0; i < n && !cursor_failed(c); i++) {
		uint32_t file = cursor_u32(c);
		int64_t bytes;

		if (read_size(s, c, &bytes)) {
			struct slua_row *r = file_row(s, file);

			r->total = bytes;
			r->seen = s->frame + 1;
		}
	}
	return !cursor_failed(c);
}

static enum status put_change(struct slua *s, uint32_t stack, int64_t change, struct err *e)
{
	const struct emit_delta delta = {.domain = DOMAIN_LUA, .stack = stack, .bytes = change};

	return change ? emit_delta(s->im, &delta, e) : ST_OK;
}

/* Of a full list, lines that are not in it have nothing in use any more. */
static void touch_all(struct slua *s)
{
	s->n_touched = 0;
	for (size_t i = 0; i < s->n_lines; i++) {
		struct slua_row *r = &s->lines[i];

		if (r->seen != s->frame + 1)
			r->change = -r->bytes;
		if (r->change)
			VEC_PUSH(s->touched, s->n_touched, s->cap_touched) = (uint32_t)i;
	}
}

static enum status slua_frame_put_memory(struct slua *s, bool full, struct err *e)
{
	enum status st = ST_OK;

	if (full && !s->lost)
		touch_all(s);
	for (size_t i = 0; !st && i < s->n_touched; i++) {
		struct slua_row *r = &s->lines[s->touched[i]];

		st = put_change(s, r->stack, r->change, e);
		s->files[r->file].change += r->change;
		r->bytes += r->change;
		r->change = 0;
	}
	for (size_t i = 0; !st && i < s->n_files; i++) {
		struct slua_row *r = &s->files[i];
		int64_t total = r->seen == s->frame + 1 ? r->total : 0;

		st = put_change(s, r->stack, total - r->bytes - r->change, e);
		r->bytes = total;
		r->change = 0;
	}
	s->n_touched = 0;
	return st;
}

static enum status put_heap(struct slua *s, double kb, struct err *e)
{
	if (!isfinite(kb) || fabs(kb) > bytes_most / 1024) {
		s->numbers++;
		return ST_OK;
	}
	if (!s->heap_counter)
		s->heap_counter = emit_counter_id(s->im, "lua.heap", "B");
	return emit_counter(s->im, s->heap_counter, ABSENT, llround(kb * 1024), e);
}

static enum status read_memory(struct slua *s, struct cursor *c, struct err *e)
{
	bool full = s->frame % FULL_EVERY == 0;
	uint64_t bits = cursor_u64(c);
	enum status st = ST_OK;
	double kb;

	memcpy(&kb, &bits, sizeof kb);
	if (!cursor_failed(c))
		st = put_heap(s, kb, e);
	if (!st && slua_frame_read_lines(s, c, full) && slua_frame_read_files(s, c))
		st = slua_frame_put_memory(s, full, e);
	for (size_t i = 0; i < s->n_touched; i++)
		s->lines[s->touched[i]].change = 0;
	s->n_touched = 0;
	return st;
}

static enum status slua_frame_read(struct slua *s, struct cursor *c, struct err *e)
{
	enum status st = ST_OK;
	int32_t n;

	if (!read_names(s, c))
		return ST_OK;
	n = (int32_t)cursor_u32(c);
	if (cursor_failed(c))
		return ST_OK;
	if (n < 0) {
		cursor_fail(c, ST_BAD, "impossible number of functions of a frame: %" PRId32, n);
		return ST_OK;
	}
	st = emit_frame(s->im, ABSENT, ABSENT, e);
	for (int32_t i = 0; !st && i < n && !cursor_failed(c); i++)
		st = slua_frame_read_tree(s, c, e);
	if (!st && !cursor_failed(c))
		st = read_memory(s, c, e);
	s->frame++;
	return st;
}

enum status slua_frames(struct slua *s, struct cursor *c, struct err *e)
{
	enum status st = ST_OK;

	while (!st && !cursor_done(c)) {
		uint8_t mode = cursor_u8(c);

		if (mode == 1) {
			s->ended = true;
			s->behind += cursor_window(c);
			return ST_OK;
		}
		if (mode) {
			cursor_fail(c, ST_BAD, "neither a frame nor the end follows: %u", mode);
			return ST_OK;
		}
		s->ended = false;
		st = slua_frame_read(s, c, e);
	}
	return st;
}

void slua_notes(struct slua *s)
{
	struct trace *t = s->im->t;
	const struct trace_loss losses[] = {
	    LOSS_IF(NOTE_LOSS, !s->ended,
		    "the end of the recording is missing: the file was cut short"),
	    LOSS(NOTE_LOSS, s->behind, "bytes follow the end"),
	    LOSS(NOTE_LOSS, s->unclosed,
		 "functions were open where a frame was cut: their self time is unknown"),
	    LOSS_IF(NOTE_LOSS, s->lost,
		    "bytes after the first damaged block are known by file, not by line"),
	    LOSS(NOTE_LOSS, s->nameless, "names are not in the file"),
	    LOSS(NOTE_LOSS, s->numbers, "numbers are infinite or impossible: left out"),
	    LOSS(NOTE_INFO, s->other_keys,
		 "functions have one key in their caller and another in themselves"),
	    LOSS_WITH(NOTE_INFO, s->clamped,
		      "functions have less time than their callees: their self time is 0, not {} "
		      "us in all",
		      s->clamped_us),
	    LOSS(NOTE_INFO, s->repaired, "characters of names are not text"),
	    LOSS_IF(NOTE_INFO, s->frame,
		    "frames without a Lua call are not in the file, and frames have no number"),
	};

	TRACE_LOSSES(t, losses);
}

void slua_release(struct slua *s)
{
	map64_release(&s->names);
	map64_release(&s->line_index);
	map64_release(&s->file_index);
	free(s->lines);
	free(s->files);
	free(s->touched);
	free(s->open);
	buf_release(&s->text);
}
