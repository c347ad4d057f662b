/* SPDX-License-Identifier: MIT
 *
 * One frame of a Unity .data file: read, then pushed into the sink.
 */
#include "formats/unity/data.h"

#include "formats/unity/stats.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS_MAX = 32 };

struct frame {
	uint32_t number;
	uint64_t start; /* ns */
	uint32_t cpu_us, gpu_us;
	struct unity_stats stats;
};

/* Words of a text: its bytes, a NUL, and what fills the last word. */
static const char *text(struct unity_bytes *b, size_t *n)
{
	const uint8_t *nul = unity_left(b) ? memchr(b->p, 0, unity_left(b)) : NULL;
	const char *s = (const char *)b->p;

	*n = nul ? (size_t)(nul - b->p) : 0;
	if (!nul) {
		b->cut = true;
		b->p = b->end;
		return "";
	}
	unity_read_bytes(b, (*n / 4 + 1) * 4);
	return s;
}

static void skip_text(struct unity_bytes *b)
{
	size_t n;

	text(b, &n);
}

static void skip_words(struct unity_bytes *b, uint64_t n)
{
	unity_read_bytes(b, n * 4);
}

/* A counted array of items of so many words. */
static void skip_array(struct unity_bytes *b, unsigned words)
{
	skip_words(b, (uint64_t)unity_u32(b) * words);
}

static void skip_bytes(struct unity_bytes *b)
{
	skip_words(b, ((uint64_t)unity_u32(b) + 3) / 4);
}

static uint64_t positive(struct unity_data *d, uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof v);
	if (v >= 0 && v < 9e15f)
		return (uint64_t)v;
	d->odd_times++;
	return 0;
}

static void read_start(struct unity_data *d, struct unity_bytes *b, struct frame *f)
{
	f->number = unity_u32(b);
	skip_words(b, 1);
	if (d->ordinal < UNITY_WIDE_START)
		f->start = (uint64_t)unity_u32(b) * 1000;
	else if (d->ordinal < UNITY_WIDE_STACKS)
		f->start = unity_u64(b) * 1000;
	else
		f->start = unity_u64(b);
	f->cpu_us = unity_u32(b);
	f->gpu_us = unity_u32(b);
	if (d->ordinal >= UNITY_2019_3)
		skip_words(b, 1);
}

/* Audio groups, DSPs, names; UI canvases, names; event markers, names; batch instance ids. */
static void skip_arrays(const struct unity_data *d, struct unity_bytes *b)
{
	bool wide = d->ordinal >= UNITY_ENTITY_IDS;

	skip_array(b, wide ? 18 : 16);
	skip_array(b, d->ordinal >= UNITY_2022_1 ? 14 : 11);
	skip_bytes(b);
	skip_array(b, wide ? 15 : 13);
	skip_bytes(b);
	skip_array(b, wide ? 4 : 3);
	skip_bytes(b);
	skip_array(b, wide ? 2 : 1);
}

static void skip_params(struct unity_bytes *b, uint32_t *first)
{
	uint32_t n = unity_u32(b);

	*first = 0;
	for (uint32_t i = 0; i < n && !b->cut; i++) {
		uint32_t type = unity_u32(b);

		*first = i ? *first : type;
		skip_text(b);
	}
}

static void read_markers(struct unity_data *d, struct unity_bytes *b)
{
	uint32_t n = d->ordinal >= UNITY_HEADER_2 ? unity_u32(b) : 0;

	for (uint32_t i = 0; i < n && !b->cut; i++) {
		uint32_t id = unity_u32(b), packed, param;
		size_t length;
		const char *name = text(b, &length);

		packed = unity_u32(b);
		skip_params(b, &param);
		if (!b->cut)
			unity_marker_name(&d->frames.names, id, name, length, packed & 0xffff,
					  packed >> 16, param);
	}
}

static uint32_t data_frame_find_lane(struct unity_data *d, struct unity_bytes *b)
{
	uint64_t id = d->ordinal >= UNITY_THREAD_IDS ? unity_u64(b) : 0;
	size_t n_group, n_name;
	const char *group = text(b, &n_group), *name = text(b, &n_name);
	struct unity_lane lane = {.tid = id, .has_frame = true};
	uint32_t *place;

	d->text.len = 0;
	buf_add(&d->text, group, n_group);
	if (n_group)
		buf_addc(&d->text, '.');
	buf_add(&d->text, name, n_name);
	if (!id)
		lane.tid = intern_add(&d->names, buf_at(&d->text, 0), d->text.len);
	place = map64_put(&d->lanes, lane.tid);
	if (!*place) {
		*place = (uint32_t)d->frames.n_lanes;
		if (d->text.len)
			lane.name = trace_string(d->im->t, d->text.data, d->text.len);
		VEC_PUSH(d->frames.lanes, d->frames.n_lanes, d->frames.cap_lanes) = lane;
	}
	return *place;
}

static void data_frame_read_samples(struct unity_data *d, struct unity_bytes *b)
{
	uint32_t n = unity_u32(b);
	bool ids = d->ordinal >= UNITY_HEADER_2;

	for (uint32_t i = 0; i < n && !b->cut; i++) {
		struct unity_data_sample s = {0};
		uint32_t id = ids ? unity_u32(b) : 0, total = unity_u32(b);

		if (d->ordinal >= UNITY_WIDE_STACKS) {
			s.total = positive(d, total);
			s.start = unity_u64(b);
		} else if (d->ordinal >= UNITY_WIDE_START) {
			s.total = positive(d, total) * 1000;
			s.start = unity_u64(b) * 1000;
		} else {
			s.total = (uint64_t)total * 1000;
			s.start = (uint64_t)unity_u32(b) * 1000;
		}
		s.children = unity_u32(b);
		s.marker = ids ? unity_marker(&d->frames.names, id) : 0;
		VEC_PUSH(d->samples, d->n_samples, d->cap_samples) = s;
	}
}

/* Before markers had ids: a name for each sample. */
static void data_frame_read_sample_names(struct unity_data *d, struct unity_bytes *b,
					 const struct unity_data_thread *t)
{
	for (size_t i = 0; i < t->n && !b->cut; i++) {
		uint32_t packed, id = UINT32_MAX, param = 0;
		size_t length;
		const char *name;

		if (unity_u32(b)) {
			name = text(b, &length);
			packed = unity_u32(b);
			if (d->ordinal >= UNITY_MARKER_PARAMS)
				skip_params(b, &param);
			if (b->cut)
				return;
			id = intern_add(&d->names, name, length);
			unity_marker_name(&d->frames.names, id, name, length, packed & 0xffff,
					  packed >> 16, param);
		}
		d->samples[t->first + i].marker = unity_marker(&d->frames.names, id);
	}
}

static void read_allocs(struct unity_data *d, struct unity_bytes *b,
			const struct unity_data_thread *t)
{
	uint32_t n = unity_u32(b);

	for (uint32_t i = 0; i < n && !b->cut; i++) {
		uint32_t sample = unity_u32(b), bytes = unity_u32(b);

		if (!b->cut && sample < t->n)
			VEC_PUSH(d->allocs, d->n_allocs, d->cap_allocs) =
			    (struct unity_data_alloc){t->first + sample, t->lane, bytes};
	}
}

static void skip_metadata(struct unity_bytes *b)
{
	uint32_t n = unity_u32(b);

	for (uint32_t i = 0; i < n && !b->cut; i++) {
		uint32_t values;

		skip_words(b, 1);
		values = unity_u32(b);
		for (uint32_t v = 0; v < values && !b->cut; v++) {
			skip_words(b, 1);
			skip_bytes(b);
		}
	}
}

static void data_frame_read_callstacks(struct unity_data *d, struct unity_bytes *b,
				       const struct unity_data_thread *t)
{
	bool wide = d->ordinal >= UNITY_WIDE_STACKS;
	uint32_t n = unity_u32(b);

	for (uint32_t i = 0; i < n && !b->cut; i++) {
		uint8_t addresses[CALLS_MAX * 8] = {0};
		uint32_t sample = unity_u32(b);
		const uint8_t *p = unity_read_bytes(b, CALLS_MAX * (wide ? 8 : 4));
		size_t count = 0;

		for (; p && count < CALLS_MAX; count++) {
			memcpy(addresses + count * 8, p + count * (wide ? 8 : 4), wide ? 8 : 4);
			if (!le64(addresses + count * 8))
				break;
		}
		if (p && sample < t->n)
			d->samples[t->first + sample].calls =
			    unity_frames_calls(&d->frames, addresses, count);
	}
}

static void data_frame_read_thread(struct unity_data *d, struct unity_bytes *b)
{
	struct unity_data_thread t = {.lane = data_frame_find_lane(d, b), .first = d->n_samples};

	data_frame_read_samples(d, b);
	t.n = d->n_samples - t.first;
	skip_array(b, 3); /* GPU */
	if (d->ordinal >= UNITY_2022_1)
		skip_array(b, d->ordinal >= UNITY_ENTITY_IDS ? 3 : 2);
	read_allocs(d, b, &t);
	if (d->ordinal < UNITY_HEADER_2)
		data_frame_read_sample_names(d, b, &t);
	skip_array(b, 1); /* warnings */
	skip_metadata(b);
	if (d->ordinal >= UNITY_2019_1)
		skip_array(b, 1); /* statistics of the frame */
	if (d->ordinal >= UNITY_2018_3 && unity_u32(b) == 0 && d->version == UNITY_2018_3)
		skip_words(b, 1); /* that was an empty list; then the depth */
	if (d->ordinal >= UNITY_JIT)
		data_frame_read_callstacks(d, b, &t);
	if (d->ordinal >= UNITY_FLOW)
		skip_array(b, 3);
	VEC_PUSH(d->threads, d->n_threads, d->cap_threads) = t;
}

static void read_methods(struct unity_data *d, struct unity_bytes *b)
{
	uint32_t n = d->ordinal >= UNITY_JIT ? unity_u32(b) : 0;

	for (uint32_t i = 0; i < n && !b->cut; i++) {
		size_t n_name, n_file;
		const char *name = text(b, &n_name), *file = text(b, &n_file);
		uint64_t lo = d->ordinal >= UNITY_WIDE_STACKS ? unity_u64(b) : unity_u32(b);
		uint32_t size = unity_u32(b), line = unity_u32(b);

		if (!b->cut)
			unity_jit_add(&d->frames.jit, lo, size, name, n_name, file, n_file, line);
	}
}

static void read_categories(struct unity_data *d, struct unity_bytes *b)
{
	uint32_t n = d->ordinal >= UNITY_CATEGORIES ? unity_u32(b) : 0;

	for (uint32_t i = 0; i < n && !b->cut; i++) {
		uint32_t id = unity_u32(b);
		size_t length;
		const char *name;

		skip_words(b, 2);
		name = text(b, &length);
		if (d->ordinal >= UNITY_CATEGORY_STATE)
			skip_words(b, 1);
		if (!b->cut)
			unity_category_name(&d->frames.names, id, name, length);
	}
}

static void data_frame_skip_objects(const struct unity_data *d, struct unity_bytes *b)
{
	bool later = d->ordinal >= UNITY_2022_2, wide = d->ordinal >= UNITY_ENTITY_IDS;
	uint32_t n;

	if (d->ordinal < UNITY_2022_1)
		return;
	n = unity_u32(b);
	for (uint32_t i = 0; i < n && !b->cut; i++) {
		skip_words(b, 1);
		skip_text(b);
	}
	n = unity_u32(b);
	for (uint32_t i = 0; i < n && !b->cut; i++) {
		skip_words(b, (1 + (uint64_t)later) * (wide ? 2 : 1) + 1);
		skip_text(b);
		skip_words(b, later ? 2 : 0);
	}
	if (later)
		skip_array(b, 4);
}

static enum status data_frame_close(struct unity_data *d, uint32_t lane, struct err *e)
{
	const struct unity_data_open *o = &d->open[--d->n_open];
	const struct unity_data_sample *s = &d->samples[o->sample];
	struct unity_item it = {.start = s->start,
				.total = s->total,
				.self = s->total - o->children,
				.node = s->node,
				.thread = lane,
				.calls = s->calls};

	if (o->children > s->total) {
		/* rounding of f32 is no finding */
		if (o->children - s->total > s->total >> 20) {
			d->clamped++;
			d->clamped_ns += o->children - s->total;
		}
		it.self = 0;
	}
	if (d->n_open)
		d->open[d->n_open - 1].children += s->total;
	return unity_frames_push(&d->frames, &it, s->start + s->total, e);
}

/* Depth first: each sample says how many of its own follow. */
static enum status data_frame_push_thread(struct unity_data *d, const struct unity_data_thread *t,
					  uint32_t number, struct err *e)
{
	enum status st = ST_OK;

	d->frames.lanes[t->lane].frame = number;
	d->frames.lanes[t->lane].has_frame = true;
	for (size_t i = t->first; !st && i < t->first + t->n; i++) {
		struct unity_data_sample *s = &d->samples[i];
		uint32_t parent = 0;

		if (d->n_open) {
			d->open[d->n_open - 1].left--;
			parent = d->samples[d->open[d->n_open - 1].sample].node;
		}
		s->node = unity_node(&d->frames.names, parent, s->marker);
		VEC_PUSH(d->open, d->n_open, d->cap_open) =
		    (struct unity_data_open){.sample = i, .left = s->children};
		while (!st && d->n_open && !d->open[d->n_open - 1].left)
			st = data_frame_close(d, t->lane, e);
	}
	d->odd_trees += d->n_open;
	while (!st && d->n_open)
		st = data_frame_close(d, t->lane, e);
	d->n_open = 0;
	return st;
}

static enum status push_alloc(struct unity_data *d, const struct unity_data_alloc *a, struct err *e)
{
	const struct unity_data_sample *s = &d->samples[a->sample];
	bool own = d->frames.names.markers[s->marker].gc_alloc;
	const struct unity_item it = {.start = s->start,
				      .total = a->bytes,
				      .node = s->node,
				      .thread = a->lane,
				      .calls = s->calls,
				      .kind = own ? UNITY_GC_ALLOC : UNITY_ALLOC};

	return unity_frames_push(&d->frames, &it, s->start, e);
}

static enum status push_frame(struct unity_data *d, const struct frame *f, struct err *e)
{
	struct unity_frames *frames = &d->frames;
	enum status st = unity_frames_state(frames, f->number, f->start, e);
	uint32_t lane = d->n_threads ? d->threads[0].lane : 0;

	for (size_t i = 0; !st && i < d->n_threads; i++)
		st = data_frame_push_thread(d, &d->threads[i], f->number, e);
	for (size_t i = 0; !st && i < d->n_allocs; i++)
		st = push_alloc(d, &d->allocs[i], e);
	if (!st)
		st = unity_counter(frames, lane, "unity.time.cpu", "ns", (int64_t)f->cpu_us * 1000,
				   f->start, e);
	if (!st)
		st = unity_counter(frames, lane, "unity.time.gpu", "ns", (int64_t)f->gpu_us * 1000,
				   f->start, e);
	return st ? st : unity_stats_push(frames, lane, &f->stats, f->start, e);
}

enum status unity_data_frame(struct unity_data *d, const uint8_t *p, size_t n, bool sound,
			     struct err *e)
{
	struct unity_bytes b = {.base = p, .p = p, .end = p + n};
	struct frame f = {0};
	uint32_t threads;

	d->n_samples = d->n_threads = d->n_allocs = 0;
	read_start(d, &b, &f);
	unity_stats_read(&b, d->ordinal, &f.stats);
	skip_arrays(d, &b);
	read_markers(d, &b);
	threads = unity_u32(&b);
	for (uint32_t i = 0; i < threads && !b.cut; i++)
		data_frame_read_thread(d, &b);
	read_methods(d, &b);
	read_categories(d, &b);
	data_frame_skip_objects(d, &b);
	if (!sound || b.cut || b.p != b.end) {
		d->bad_frames++;
		return ST_OK;
	}
	return push_frame(d, &f, e);
}

void unity_data_release(struct unity_data *d)
{
	if (d->begun)
		unity_frames_release(&d->frames);
	map64_release(&d->lanes);
	intern_release(&d->names);
	buf_release(&d->text);
	free(d->samples);
	free(d->threads);
	free(d->allocs);
	free(d->open);
}
