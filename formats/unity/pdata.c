/* SPDX-License-Identifier: MIT
 *
 * .pdata of Unity's Profile Analyzer, versions 1 to 7: markers of frames and threads with their
 * times, no start; names come after them. Facts: the source of Profile Analyzer 1.3.3; no file
 * was there to check.
 *
 *	i32 version, offset, frames; frames x { f64 start (from version 2; seconds before 6, then
 *	ms), f32 ms, i32 threads x { i32 thread, i32 markers x { i32 name, f32 ms, i32 depth from
 *	1, depth first, f32 children's ms (version 3) } } }; i32 n, names; i32 n, thread names
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "formats/unity/bytes.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { VERSION_MAX = 7, NAME_MAX_BYTES = 1 << 20, HEADER = 12 };

struct open_marker {
	uint32_t marker, stack;
	int32_t depth;
	uint64_t total, children;
};

struct pdata {
	struct import *im;
	struct cursor *c;
	uint32_t version, offset, frames;
	struct {
		uint32_t marker, location;
	} * names;         /* by index in the file */
	uint32_t *threads; /* also */
	size_t n_names, cap_names, n_threads, cap_threads;
	struct open_marker *open;
	size_t n_open, cap_open;
	double first; /* ms */
	uint32_t frame_time;
	uint64_t odd_times, odd_depths, clamped, clamped_ns, unnamed;
};

static double as_f64(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

static double as_f32(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof v);
	return (double)v;
}

static uint64_t to_ns(struct pdata *p, double ms)
{
	if (ms >= 0 && ms < 9e12)
		return (uint64_t)(ms * 1e6 + 0.5);
	p->odd_times++;
	return 0;
}

/* A .NET string: 7-bit length, UTF-8. */
static const char *name(struct cursor *c, size_t *n)
{
	uint64_t length = cursor_uleb(c);

	if (length > NAME_MAX_BYTES) {
		cursor_fail(c, ST_BAD, "impossible name length: %" PRIu64 " bytes", length);
		return NULL;
	}
	*n = (size_t)length;
	return (const char *)cursor_bytes(c, *n, "name");
}

static void header(struct pdata *p)
{
	p->version = cursor_u32(p->c);
	p->offset = cursor_u32(p->c);
	p->frames = cursor_u32(p->c);
	if (!cursor_failed(p->c) && (!p->version || p->version > VERSION_MAX))
		cursor_fail(p->c, ST_UNSUPPORTED, "unknown .pdata version %" PRIu32, p->version);
}

static uint32_t marker_size(const struct pdata *p)
{
	return p->version == 3 ? 16 : 12;
}

static void skip_frames(struct pdata *p)
{
	struct cursor *c = p->c;

	for (uint32_t f = 0; f < p->frames && !cursor_failed(c); f++) {
		uint32_t threads;

		cursor_skip(c, p->version >= 2 ? 12 : 4, "frame");
		threads = cursor_u32(c);
		for (uint32_t t = 0; t < threads && !cursor_failed(c); t++) {
			cursor_u32(c);
			cursor_skip(c, (uint64_t)cursor_u32(c) * marker_size(p), "markers");
		}
	}
}

static void pdata_read_names(struct pdata *p)
{
	struct trace *t = p->im->t;
	uint32_t n = cursor_u32(p->c);
	size_t length;
	const char *s;

	for (uint32_t i = 0; i < n && (s = name(p->c, &length)); i++) {
		uint32_t id = trace_string(t, s, length);

		if (p->n_names == p->cap_names)
			p->names =
			    mem_grow(p->names, &p->cap_names, p->n_names + 1, sizeof *p->names);
		p->names[p->n_names].location = emit_named(t, id, 0, 0);
		p->names[p->n_names++].marker = trace_marker(t, &(struct marker){.name = id});
	}
	n = cursor_u32(p->c);
	for (uint32_t i = 0; i < n && (s = name(p->c, &length)); i++) {
		const char *colon = memchr(s, ':', length);
		size_t skip = colon ? (size_t)(colon - s) + 1 : 0;

		VEC_PUSH(p->threads, p->n_threads, p->cap_threads) = trace_thread(
		    t,
		    &(struct thread){.tid = i, .name = trace_string(t, s + skip, length - skip)});
	}
}

static enum status pdata_close(struct pdata *p, uint32_t thread, struct err *e)
{
	const struct open_marker *o = &p->open[--p->n_open];
	const struct emit_sample sample = {
	    .thread = thread,
	    .marker = o->marker,
	    .stack = o->stack,
	    .total = KNOWN(o->total),
	    .self = KNOWN(o->total > o->children ? o->total - o->children : 0)};

	/* half a us is what an f32 of ms may be off */
	if (o->children > o->total + 500) {
		p->clamped++;
		p->clamped_ns += o->children - o->total;
	}
	if (p->n_open)
		p->open[p->n_open - 1].children += o->total;
	return emit_sample(p->im, &sample, e);
}

static enum status pdata_read_marker(struct pdata *p, uint32_t thread, struct err *e)
{
	uint32_t index = cursor_u32(p->c);
	double ms = as_f32(cursor_u32(p->c));
	int32_t depth = (int32_t)cursor_u32(p->c);
	enum status st = ST_OK;
	uint32_t parent;

	if (p->version == 3)
		cursor_u32(p->c);
	if (cursor_failed(p->c))
		return err_failure(e);
	while (!st && p->n_open && p->open[p->n_open - 1].depth >= depth)
		st = pdata_close(p, thread, e);
	if (st)
		return st;
	if (index >= p->n_names) {
		p->unnamed++;
		return ST_OK;
	}
	p->odd_depths += depth != (p->n_open ? p->open[p->n_open - 1].depth + 1 : 1);
	parent = p->n_open ? p->open[p->n_open - 1].stack : 0;
	VEC_PUSH(p->open, p->n_open, p->cap_open) =
	    (struct open_marker){.marker = p->names[index].marker,
				 .stack = trace_stack(p->im->t, parent, p->names[index].location),
				 .depth = depth,
				 .total = to_ns(p, ms)};
	return ST_OK;
}

static enum status pdata_start_frame(struct pdata *p, uint32_t f, struct err *e)
{
	double start = p->version >= 2 ? as_f64(cursor_u64(p->c)) : 0;
	struct known_number time = ABSENT;
	int64_t duration;
	enum status st;

	if (p->version < 6)
		start *= 1000;
	if (!f)
		p->first = start;
	duration = (int64_t)to_ns(p, as_f32(cursor_u32(p->c)));
	if (cursor_failed(p->c))
		return err_failure(e);
	if (start - p->first > -9e12 && start - p->first < 9e12)
		time = KNOWN_IF(p->version >= 2, (int64_t)((start - p->first) * 1e6));
	else
		p->odd_times++;
	st = emit_frame(p->im, KNOWN((int64_t)p->offset + f), time, e);
	return st ? st : emit_counter(p->im, p->frame_time, ABSENT, duration, e);
}

static enum status pdata_read_frames(struct pdata *p, struct err *e)
{
	struct cursor *c = p->c;
	enum status st = ST_OK;

	for (uint32_t f = 0; !st && f < p->frames; f++) {
		uint32_t threads;

		st = pdata_start_frame(p, f, e);
		threads = cursor_u32(c);
		for (uint32_t i = 0; !st && i < threads && !cursor_failed(c); i++) {
			uint32_t index = cursor_u32(c), n = cursor_u32(c);
			uint32_t thread = index < p->n_threads ? p->threads[index] : 0;

			for (uint32_t m = 0; !st && m < n && !cursor_failed(c); m++)
				st = pdata_read_marker(p, thread, e);
			while (!st && p->n_open)
				st = pdata_close(p, thread, e);
			p->n_open = 0;
		}
		if (cursor_failed(c))
			return err_failure(e);
	}
	return st;
}

static void pdata_add_notes(struct pdata *p)
{
	struct trace *t = p->im->t;

	trace_note(t, NOTE_GUESS, 0,
		   "best effort: this reader was never checked with a real "
		   "file of the format");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, p->unnamed, "markers refer to a name that is not in the file"),
	    LOSS(NOTE_LOSS, p->odd_times, "times are invalid and shown as 0"),
	    LOSS(NOTE_GUESS, p->odd_depths,
		 "markers are more than one level deeper than the marker before them"),
	    LOSS(NOTE_LOSS, p->clamped,
		 "samples are shorter than their callees: their self time is 0"),
	    LOSS(NOTE_LOSS, p->clamped_ns,
		 "ns of difference between these samples and their callees"),
	};

	TRACE_LOSSES(t, losses);
}

/* Without the names nothing can be said: they come last. */
static enum status pdata_read(struct import *im, struct err *e)
{
	struct pdata p = {.im = im, .c = &im->in->cur};
	struct trace *t = im->t;
	char text[16];
	enum status st = ST_OK;

	header(&p);
	skip_frames(&p);
	pdata_read_names(&p);
	if (cursor_failed(p.c))
		st = err_failure(e);
	if (!st)
		st = input_rewind(im->in);
	if (!st) {
		header(&p);
		snprintf(text, sizeof text, "%" PRIu32, p.version);
		trace_set(t, "unity.version", text);
		trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
		p.frame_time = trace_counter(
		    t, &(struct counter){trace_strz(t, "unity.time.frame"), trace_strz(t, "ns")});
		st = import_begin(im, e);
	}
	if (!st)
		st = pdata_read_frames(&p, e);
	pdata_add_notes(&p);
	free(p.names);
	free(p.threads);
	free(p.open);
	return st;
}

/* There is no mark: a first frame that makes sense. */
static int pdata_bid(const uint8_t *head, size_t n, bool whole)
{
	struct unity_bytes b = {.base = head, .p = head, .end = head + n};
	uint32_t version = unity_u32(&b), offset = unity_u32(&b), frames = unity_u32(&b);
	uint32_t threads, thread, markers, index;
	double start, ms;

	(void)whole;
	if (!version || version > VERSION_MAX || offset > INT32_MAX || !frames || frames > 10000000)
		return 0;
	start = version >= 2 ? as_f64(unity_u64(&b)) : 0;
	ms = as_f32(unity_u32(&b));
	threads = unity_u32(&b);
	thread = unity_u32(&b);
	markers = unity_u32(&b);
	index = unity_u32(&b);
	if (b.cut || !(start >= 0 && start < 1e13) || !(ms >= 0 && ms < 1e7) || !threads ||
	    threads > 10000 || thread > 10000 || !markers || markers > 10000000 || index > 1000000)
		return 0;
	ms = as_f32(unity_u32(&b));
	return ms >= 0 && ms < 1e7 && unity_u32(&b) == 1 ? 40 : 0;
}

const struct reader reader_unity_pdata = {
    .name = "unity-pdata",
    .family = "Unity",
    .page = "unity",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_THREADS |
		    CAPABILITY_FRAMES,
    .what = "Unity Profile Analyzer: .pdata, versions 1 to 7 (best effort)",
    .suffixes = "pdata",
    .rewinds = true,
    .guesses = true,
    .bid = pdata_bid,
    .read = pdata_read,
};
