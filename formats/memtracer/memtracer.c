/* SPDX-License-Identifier: MIT
 *
 * MemTracer: managed allocations of IL2CPP games by frame, type and stack. Known from its
 * author's description and two screenshots only. JSON Lines, or one array:
 *
 *	{"slide":"0x100000000"}                                  optional
 *	{"f":9763,"d":[{"t":"String","s":88,"r":96,"st":["0x130589194;"],"sz":[96]}]}
 *
 * f: frame; d: its types; t: type name; s, r: requested and real bytes of all its allocations
 * in the frame; st, sz: stacks and the real bytes of each. Equal stacks of a type are merged, so
 * nothing counts allocations; requested bytes are known per type only; nothing is ever freed.
 * Numbers are C# int: 0 to 2^31-1.
 */
#include "formats/emit.h"
#include "formats/memtracer/keys.h"
#include "formats/memtracer/stack.h"
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum row_field { ROW_TYPE = 1, ROW_REQUESTED = 2, ROW_REAL = 4, ROW_STACK = 8, ROW_TOTAL = 16 };

/* An event that waits for its record to end well, or for its frame's number. */
struct row {
	uint32_t type, stack, requested, real;
	uint8_t has;
};

struct memtracer {
	struct import *im;
	struct json_result at; /* kept up to date by json_walk */
	struct memtracer_stacks stacks;

	bool in_frame;
	bool output_failed;

	bool announced, has_number, has_records; /* of the frame */
	int64_t number;
	struct row *rows; /* of the frame, as long as it is not announced */
	size_t n_rows, cap_rows;

	struct row total; /* of the record: type, requested, real */
	bool bad;
	uint64_t record_at;
	uint32_t *stack_ids, *sizes;
	size_t n_stacks, cap_stacks, n_sizes, cap_sizes;

	struct memtracer_header header, object; /* in force; and what the present object says */
	bool has_header;

	uint64_t refused, first_refused, bad_frames, incomplete, no_number, over, remainders,
	    uneven, others, bad_slides;
};

static void start_tables(struct memtracer *m)
{
	uint8_t forced = m->im->options->locations;

	memtracer_stacks_release(&m->stacks);
	m->stacks.t = m->im->t;
	m->stacks.kind = forced ? forced : (uint8_t)LOCATION_RETURN;
}

static enum status memtracer_begin_capture(struct memtracer *m, struct err *e)
{
	struct trace *t = m->im->t;
	const struct import_options *o = m->im->options;
	struct memtracer_header *h = &m->header;
	char text[32];

	if (o->has_slide) {
		h->has_slide = true;
		h->slide = o->slide;
	}
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_TYPE);
	trace_metric(t, METRIC_REAL, METRIC_EXACT, METRIC_AT_ALL);
	if (h->has_slide) {
		snprintf(text, sizeof text, "0x%" PRIx64, h->slide);
		trace_set(t, "slide", text);
	}
	if ((h->has_slide || h->module.len || h->build_id.len) && !o->maps) {
		struct module row = {.has_slide = h->has_slide, .slide = h->slide};

		row.name = trace_string(t, buf_str(&h->module), h->module.len);
		if (h->build_id.len)
			row.build_id = trace_string(t, h->build_id.data, h->build_id.len);
		trace_module(t, &row);
	}
	return import_begin(m->im, e);
}

static void note(struct memtracer *m, enum severity severity, uint64_t *count, const char *text)
{
	if (*count)
		trace_note(m->im->t, severity, *count, "%s", text);
	*count = 0;
}

static void memtracer_add_notes(struct memtracer *m)
{
	struct trace *t = m->im->t;

	if (m->refused)
		trace_note(t, NOTE_LOSS, m->refused,
			   "records with missing, negative, too large or mistyped fields were "
			   "left out, the first at byte %" PRIu64,
			   m->first_refused);
	m->refused = 0;
	note(m, NOTE_LOSS, &m->bad_frames, "frames have records that are not an array");
	note(m, NOTE_LOSS, &m->incomplete,
	     "records have no requested or no real size: the totals lack it");
	note(m, NOTE_LOSS, &m->stacks.bad,
	     "stack entries are not addresses (counted once for each different stack)");
	note(m, NOTE_INFO, &m->no_number, "frames have no number");
	note(m, NOTE_INFO, &m->over, "records have stack sizes whose sum is above r");
	note(m, NOTE_INFO, &m->remainders,
	     "records have stack sizes whose sum is below r: the rest has no stack");
	note(m, NOTE_INFO, &m->uneven, "records do not have as many stacks as sizes");
	note(m, NOTE_INFO, &m->others, "JSON values were skipped: not frames");
	note(m, NOTE_INFO, &m->bad_slides, "slides in a header are not numbers");
	note(m, NOTE_INFO, &m->at.repaired, "bytes of invalid UTF-8 became U+FFFD");
	if (m->stacks.has_addresses && !m->header.has_slide && !m->im->options->maps)
		trace_note(t, NOTE_GUESS, 0,
			   "the capture has no slide and no maps: addresses are used as "
			   "captured");
}

static enum status memtracer_push(struct memtracer *m, const struct row *r, struct err *e)
{
	const struct emit_alloc alloc = {.type = r->has & ROW_TYPE ? r->type : 0,
					 .stack = r->has & ROW_STACK ? r->stack : 0,
					 .requested =
					     KNOWN_IF(r->has & ROW_REQUESTED, r->requested),
					 .real = KNOWN_IF(r->has & ROW_REAL, r->real)};
	enum status st =
	    r->has & ROW_TOTAL ? emit_type_total(m->im, &alloc, e) : emit_alloc(m->im, &alloc, e);

	m->output_failed |= st != ST_OK;
	return st;
}

static enum status put_row(struct memtracer *m, const struct row *r, struct err *e)
{
	if (m->announced)
		return memtracer_push(m, r, e);
	VEC_PUSH(m->rows, m->n_rows, m->cap_rows) = *r;
	return ST_OK;
}

static void keep_header(struct memtracer *m)
{
	struct memtracer_header old = m->header;

	m->header = m->object;
	m->object = old;
	m->has_header = true;
}

/* The frame's event, and what was waiting for it. */
static enum status memtracer_announce(struct memtracer *m, struct err *e)
{
	enum status st = ST_OK;

	if (!m->im->begun) {
		if (m->object.has_slide)
			keep_header(m);
		st = memtracer_begin_capture(m, e);
	}
	m->announced = true;
	m->no_number += !m->has_number;
	if (!st)
		st = emit_frame(m->im, KNOWN_IF(m->has_number, m->number), ABSENT, e);
	m->output_failed |= st != ST_OK;
	for (size_t i = 0; !st && i < m->n_rows; i++)
		st = memtracer_push(m, &m->rows[i], e);
	m->n_rows = 0;
	return st;
}

static void begin_object(struct memtracer *m)
{
	m->in_frame = true;
	m->announced = m->has_number = m->has_records = false;
	m->n_rows = 0;
	m->object.has_slide = false;
	m->object.module.len = m->object.build_id.len = 0;
}

/* A header behind frames begins another file: captures may be concatenated. */
static enum status next_capture(struct memtracer *m, struct err *e)
{
	enum status st;

	memtracer_add_notes(m);
	st = import_next(m->im, e);
	m->output_failed |= st != ST_OK;
	if (!st)
		start_tables(m);
	return st;
}

static enum status end_object(struct memtracer *m, struct err *e)
{
	bool is_frame = m->has_number || m->has_records;
	const struct memtracer_header *o = &m->object;
	enum status st = ST_OK;

	m->in_frame = false;
	if (is_frame)
		return m->announced ? ST_OK : memtracer_announce(m, e);
	if (!o->has_slide && (m->im->begun || (!o->module.len && !o->build_id.len))) {
		m->others++;
		return ST_OK;
	}
	if (m->im->begun)
		st = next_capture(m, e);
	keep_header(m);
	return st;
}

static void refuse_record(struct memtracer *m, uint64_t at)
{
	if (!m->refused++)
		m->first_refused = at;
}

static void begin_record(struct memtracer *m)
{
	m->record_at = m->at.offset - 1;
	m->total = (struct row){.has = ROW_TOTAL};
	m->n_stacks = m->n_sizes = 0;
	m->bad = false;
}

/* One row for each pair of stack and size; what only one of the two arrays has is a row of its own,
 * and real bytes that no stack accounts for are an allocation without one. */
static enum status memtracer_end_record(struct memtracer *m, struct err *e)
{
	size_t n = m->n_stacks > m->n_sizes ? m->n_stacks : m->n_sizes;
	struct row rest = {.type = m->total.type, .has = m->total.has & ROW_TYPE};
	bool has_real = m->total.has & ROW_REAL;
	uint64_t sum = 0;
	enum status st;

	if (m->bad || (!(m->total.has & ROW_REQUESTED) && !has_real && !n)) {
		refuse_record(m, m->record_at);
		return ST_OK;
	}
	m->incomplete += !(m->total.has & ROW_REQUESTED) || !has_real;
	m->uneven += m->n_stacks != m->n_sizes;
	st = put_row(m, &m->total, e);
	for (size_t i = 0; !st && i < n; i++) {
		struct row r = rest;

		if (i < m->n_stacks && m->stack_ids[i]) {
			r.stack = m->stack_ids[i];
			r.has |= ROW_STACK;
		}
		if (i < m->n_sizes) {
			r.real = m->sizes[i];
			r.has |= ROW_REAL;
			sum += r.real;
		}
		st = put_row(m, &r, e);
	}
	if (!st && has_real && sum < m->total.real) {
		m->remainders++;
		rest.real = m->total.real - (uint32_t)sum;
		rest.has |= ROW_REAL;
		st = put_row(m, &rest, e);
	}
	m->over += has_real && sum > m->total.real;
	return st;
}

/* A value of a kind that does not belong there. */
static void misplaced(struct memtracer *m, unsigned place)
{
	switch (place) {
	case NOT_FRAME: m->others++; break;
	case NOT_RECORDS: m->bad_frames++; break;
	case NOT_RECORD: refuse_record(m, m->at.offset); break;
	default: m->bad = true; break;
	}
}

static bool parse_int(const char *s, size_t n, uint32_t *v)
{
	uint64_t x;

	if (!num_dec(s, n, &x) || x > INT32_MAX)
		return false;
	*v = (uint32_t)x;
	return true;
}

static enum status memtracer_on_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct memtracer *m = arg;
	bool is_text = v.kind == JSON_STRING, is_number = v.kind == JSON_NUMBER;
	uint32_t x = 0;

	(void)e;
	if (v.kind == JSON_NULL)
		return ST_OK;
	switch (place) {
	case STACK:
		if (is_text)
			VEC_PUSH(m->stack_ids, m->n_stacks, m->cap_stacks) =
			    memtracer_stack(&m->stacks, v.s, v.n);
		m->bad |= !is_text;
		break;
	case SIZE:
		if (is_number && parse_int(v.s, v.n, &x))
			VEC_PUSH(m->sizes, m->n_sizes, m->cap_sizes) = x;
		else
			m->bad = true;
		break;
	case REQUESTED:
	case REAL:
		if (is_number && parse_int(v.s, v.n, &x)) {
			*(place == REAL ? &m->total.real : &m->total.requested) = x;
			m->total.has |= place == REAL ? ROW_REAL : ROW_REQUESTED;
		} else {
			m->bad = true;
		}
		break;
	case TYPE:
		if (is_text) {
			m->total.type = trace_type(m->im->t, v.s, v.n);
			m->total.has |= ROW_TYPE;
		}
		m->bad |= !is_text;
		break;
	case NUMBER:
		if (is_number && !m->announced)
			m->has_number = num_i64(v.s, v.n, &m->number);
		break;
	case SLIDE:
		m->bad_slides +=
		    (!is_text && !is_number) || !memtracer_set_slide(&m->object, v.s, v.n, is_text);
		break;
	case MODULE:
		if (is_text) {
			m->object.module.len = 0;
			buf_add(&m->object.module, v.s, v.n);
		}
		break;
	case BUILD_ID:
		if (is_text)
			memtracer_set_build_id(&m->object, v.s, v.n);
		break;
	default: misplaced(m, place); break;
	}
	return ST_OK;
}

static enum status memtracer_on_begin(void *arg, unsigned place, struct err *e)
{
	struct memtracer *m = arg;

	switch (place) {
	case LIST: break;
	case FRAME: begin_object(m); break;
	case RECORDS:
		m->has_records = true;
		return m->has_number && !m->announced ? memtracer_announce(m, e) : ST_OK;
	case RECORD: begin_record(m); break;
	case STACKS: m->n_stacks = 0; break;
	case SIZES: m->n_sizes = 0; break;
	case SLIDE: m->bad_slides++; break;
	default: misplaced(m, place); break;
	}
	return ST_OK;
}

static enum status memtracer_on_end(void *arg, unsigned place, struct err *e)
{
	return place == FRAME    ? end_object(arg, e)
	       : place == RECORD ? memtracer_end_record(arg, e)
				 : ST_OK;
}

/* After an error in the input: what the frame that it cut has up to there. */
static enum status salvage(struct memtracer *m, struct err *e)
{
	enum status st = ST_OK;

	if (!m->in_frame || m->output_failed)
		return ST_OK;
	if (!m->announced && m->n_rows)
		st = memtracer_announce(m, e);
	if (!st && m->announced && m->has_number)
		trace_note(m->im->t, NOTE_LOSS, 0, "frame %" PRId64 " is not complete", m->number);
	else if (!st && m->announced)
		trace_note(m->im->t, NOTE_LOSS, 0, "the last frame is not complete");
	return st;
}

static enum status memtracer_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {.rows = memtracer_rows,
						  .begin = memtracer_on_begin,
						  .end = memtracer_on_end,
						  .value = memtracer_on_value};
	static const struct json_options options = {.repair_utf8 = true};
	struct memtracer m = {.im = im};
	struct err later = ERR_INIT;
	enum status st, out = ST_OK;

	start_tables(&m);
	st = json_walk(&im->in->cur, &walker, &m, &options, &m.at, NULL, e);
	if (st && !m.output_failed) {
		out = salvage(&m, &later);
	} else if (!st && !im->begun) {
		if (m.has_header)
			st = memtracer_begin_capture(&m, e);
		else
			st = err_at(e, ST_BAD, 0,
				    "the file has no frame: no object has \"f\" "
				    "or \"d\"");
	}
	if (out) {
		*e = later;
		st = out;
	}
	if (im->t)
		memtracer_add_notes(&m);
	memtracer_stacks_release(&m.stacks);
	buf_release(&m.header.module);
	buf_release(&m.header.build_id);
	buf_release(&m.object.module);
	buf_release(&m.object.build_id);
	free(m.rows);
	free(m.stack_ids);
	free(m.sizes);
	return st;
}

const struct reader reader_memtracer = {
    .name = "memtracer",
    .family = "MemTracer",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_TYPES | CAPABILITY_STACKS |
		    CAPABILITY_FRAMES | CAPABILITY_ADDRESSES,
    .what = "MemTracer .mem: IL2CPP allocations by frame, type and stack (JSON Lines)",
    .suffixes = "mem,jsonl,json",
    .bid = memtracer_bid,
    .read = memtracer_read,
};
