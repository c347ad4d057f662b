/* SPDX-License-Identifier: MIT
 *
 * perf.data: what perf record and simpleperf write. A header with the places of attributes, records
 * and features, in the byte order of the machine that recorded; or, written to a pipe, a short
 * header and then records alone, which hold attributes and features too.
 *
 * Features come last and are needed first, so the file is read at its places; a pipe is copied to a
 * temporary file before.
 */
#include "formats/perf/perf_data.h"

#include "formats/emit.h"
#include "formats/perf/perf_queue.h"

#include "lib/base/mem.h"
#include "lib/pack/zstd.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	HEADER = 104,
	PIPE_HEADER = 16,
	RECORD = 8,
	WINDOW = 1 << 20,
	UNPACKED = 256 << 10,
	SPLIT_MOST = 64 << 20, /* of simpleperf's records in parts */
	RECORD_SMALL = 65536,
};

struct place {
	uint64_t offset, size;
};

struct stream {
	struct perf_data x; /* first */
	struct err *e;
	uint64_t at, end; /* records that are left, in the file */
	uint8_t *window;
	uint64_t window_at;
	size_t n_window, cap_window;
	struct perf_queue queue;
	struct zstd *zstd;
	struct inflate_to to;
	uint8_t *unpacked; /* UNPACKED bytes */
	size_t n_unpacked;
	uint64_t unpacked_at; /* place of the record that holds them */
	enum status unpacked_status;
	uint8_t *split; /* a record in parts */
	size_t n_split, cap_split;
	uint64_t rounds, beyond;
	bool cut, unended;
};

/* --- bytes of the file --- */

static enum status read_cursor(struct perf_data *x, struct cursor *c, uint64_t offset, size_t n,
			       uint8_t **bytes, const char *what, struct err *e)
{
	enum status st;

	*bytes = NULL;
	cursor_init(c, NULL, 0, offset, e);
	c->failed = true; /* until there are bytes */
	if (offset > x->im->in->size || n > x->im->in->size - offset)
		return err_at(e, ST_BAD, offset,
			      "%s: needs %zu bytes, %" PRIu64 " "
			      "are left",
			      what, n, offset > x->im->in->size ? 0 : x->im->in->size - offset);
	*bytes = mem_alloc(n + 1);
	st = input_at(x->im->in, offset, *bytes, n, what, e);
	if (st)
		return st;
	cursor_init(c, *bytes, n, offset, e);
	c->big_endian = x->big_endian;
	return ST_OK;
}

/* n bytes of the file at an offset; NULL: an error. They are valid until the next call. */
static const uint8_t *window_at(struct stream *s, uint64_t offset, size_t n)
{
	uint64_t left = s->x.im->in->size - offset;
	size_t take = n > WINDOW ? n : WINDOW;

	if (offset >= s->window_at && offset - s->window_at <= s->n_window &&
	    n <= s->n_window - (offset - s->window_at))
		return s->window + (offset - s->window_at);
	if (take > left)
		take = (size_t)left;
	if (take > s->cap_window)
		s->window = mem_grow(s->window, &s->cap_window, take, 1);
	s->window_at = offset;
	s->n_window = take;
	return input_at(s->x.im->in, offset, s->window, take, "record", s->e) ? NULL : s->window;
}

/* --- records --- */

static enum status perf_data_unpack(struct stream *s, const struct perf_record *r);

static void on_attr(struct perf_data *x, const struct perf_record *r)
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own), peek = c;
	size_t index = x->n_attrs, size;

	cursor_u32(&peek);
	size = cursor_u32(&peek);
	if (!perf_attr_add(x, &c, size ? size : 64)) {
		x->odd++;
		return;
	}
	while (cursor_window(&c) >= 8)
		perf_attr_id(x, cursor_u64(&c), index);
}

/* type, id, and a name where it is one (2). */
static void on_update(struct perf_data *x, const struct perf_record *r)
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own);
	uint64_t type = cursor_u64(&c), id = cursor_u64(&c);

	if (type == 2 && !cursor_failed(&c))
		perf_attr_named(x, id, (const char *)c.pos,
				strnlen((const char *)c.pos, cursor_window(&c)));
}

static void on_feature(struct perf_data *x, const struct perf_record *r)
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own);
	uint64_t bit = cursor_u64(&c);

	if (cursor_failed(&c))
		x->odd++;
	else
		perf_feature(x, bit < 256 ? (unsigned)bit : 256, &c);
}

static void on_lost(struct perf_data *x, const struct perf_record *r)
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own);

	if (r->type == PERF_LOST) {
		cursor_u64(&c);
		x->lost += cursor_u64(&c);
	} else {
		x->lost_samples += cursor_u64(&c);
	}
}

/* Pairs of an attribute and an id. */
static void on_event_ids(struct perf_data *x, const struct perf_record *r)
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own);
	uint64_t n = cursor_u64(&c);

	for (; n && cursor_window(&c) >= 16; n--) {
		uint64_t attr = cursor_u64(&c);

		perf_attr_id(x, cursor_u64(&c), attr < SIZE_MAX ? (size_t)attr : SIZE_MAX);
	}
}

static void on_kernel_symbols(struct perf_data *x, const struct perf_record *r)
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own);
	uint32_t n = cursor_u32(&c);

	if (n <= cursor_window(&c))
		perf_kallsyms(x, (const char *)c.pos, n);
	else
		x->odd++;
}

static void on_build_id(struct perf_data *x, const struct perf_record *r)
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own);

	perf_build_id(x, &c, r->misc);
}

/* In the order of time. */
static enum status perf_data_on_record_in_order(struct perf_data *x, const struct perf_record *r,
						struct err *e)
{
	switch (r->type) {
	case PERF_SAMPLE: return perf_on_sample(x, r, e);
	case PERF_MMAP:
	case PERF_MMAP2: perf_on_mmap(x, r); break;
	case PERF_COMM: perf_on_comm(x, r); break;
	case PERF_FORK: perf_on_fork(x, r); break;
	case PERF_EXIT: perf_on_exit(x, r); break;
	case PERF_KSYMBOL: perf_on_ksymbol(x, r); break;
	case PERF_LOST:
	case PERF_LOST_SAMPLES: on_lost(x, r); break;
	case PERF_THROTTLE: x->throttled++; break;
	case PERF_AUX: x->aux++; break;
	default: break; /* switches, namespaces, cgroups, text that was patched */
	}
	return ST_OK;
}

static enum status on_kernel_record(struct stream *s, const struct perf_record *r)
{
	struct perf_data *x = &s->x;
	uint64_t time =
	    r->type == PERF_SAMPLE ? perf_time_of_sample(x, r) : perf_time_of_other(x, r);

	return perf_queue_add(&s->queue, x, r, time, perf_data_on_record_in_order, s->e);
}

static void count_other(struct perf_data *x, const struct perf_record *r)
{
	if (!x->others++)
		x->first_other = r->type;
}

static enum status perf_data_join_split(struct stream *s, const struct perf_record *r);

static enum status perf_data_on_record(struct stream *s, const struct perf_record *r)
{
	struct perf_data *x = &s->x;

	switch (r->type) {
	case PERF_HEADER_ATTR: on_attr(x, r); break;
	case PERF_HEADER_BUILD_ID: on_build_id(x, r); break;
	case PERF_EVENT_UPDATE: on_update(x, r); break;
	case PERF_HEADER_FEATURE: on_feature(x, r); break;
	case PERF_AUXTRACE: x->aux++; break;
	case PERF_FINISHED_ROUND:
		s->rounds++;
		return perf_queue_round(&s->queue, x, perf_data_on_record_in_order, s->e);
	case PERF_COMPRESSED:
	case PERF_COMPRESSED2: return perf_data_unpack(s, r);
	case PERF_SIMPLE_KERNEL_SYMBOL: on_kernel_symbols(x, r); break;
	case PERF_SIMPLE_EVENT_ID: on_event_ids(x, r); break;
	case PERF_SIMPLE_SPLIT:
	case PERF_SIMPLE_SPLIT_END: return perf_data_join_split(s, r);
	case PERF_HEADER_EVENT_TYPE:
	case PERF_HEADER_TRACING_DATA:
	case PERF_FINISHED_INIT: break;
	case 0: x->odd++; break;
	default:
		if (r->type < PERF_KINDS)
			return on_kernel_record(s, r);
		if (r->type > PERF_COMPRESSED2)
			count_other(x, r); /* the others describe processors and clocks */
	}
	return ST_OK;
}

/* The header of a record of which n bytes are there; its size with it, 0: no record is so small. */
static uint64_t record_header(const struct perf_data *x, const uint8_t *p, struct perf_record *r)
{
	struct err own = ERR_INIT;
	struct cursor c;
	uint64_t size;

	cursor_init(&c, p, RECORD, 0, &own);
	c.big_endian = x->big_endian;
	r->type = cursor_u32(&c);
	r->misc = cursor_u16(&c);
	size = cursor_u16(&c);
	if (r->type >= PERF_SIMPLE && r->type < 2 * PERF_SIMPLE) {
		size |= (uint64_t)r->misc << 16;
		r->misc = 0;
		return size < RECORD ? 0 : size;
	}
	return size < RECORD ? 0 : size;
}

static enum status perf_data_join_split(struct stream *s, const struct perf_record *r)
{
	struct perf_record whole = {.at = r->at};
	enum status st = ST_OK;

	if (r->type == PERF_SIMPLE_SPLIT) {
		if (s->n_split + r->n > SPLIT_MOST)
			return err_at(s->e, ST_LIMIT, r->at,
				      "record in parts: the limit is "
				      "%d bytes",
				      SPLIT_MOST);
		if (s->n_split + r->n > s->cap_split)
			s->split = mem_grow(s->split, &s->cap_split, s->n_split + r->n, 1);
		memcpy(s->split + s->n_split, r->p, r->n);
		s->n_split += r->n;
		return ST_OK;
	}
	if (s->n_split >= RECORD && record_header(&s->x, s->split, &whole) == s->n_split &&
	    whole.type != PERF_SIMPLE_SPLIT && whole.type != PERF_SIMPLE_SPLIT_END &&
	    whole.type != PERF_COMPRESSED && whole.type != PERF_COMPRESSED2) {
		whole.p = s->split + RECORD;
		whole.n = s->n_split - RECORD;
		st = perf_data_on_record(s, &whole);
	} else {
		s->x.odd++;
	}
	s->n_split = 0;
	return st;
}

/* --- compressed records --- */

static size_t perf_data_unpacked_room(struct inflate_to *to, uint8_t **place)
{
	struct stream *s = (struct stream *)((char *)to - offsetof(struct stream, to));

	*place = s->unpacked + s->n_unpacked;
	return s->unpacked_status ? 0 : UNPACKED - s->n_unpacked;
}

/* Whole records are taken; a part of one waits for the rest of it. */
static void perf_data_unpacked_consumed(struct inflate_to *to, size_t n)
{
	struct stream *s = (struct stream *)((char *)to - offsetof(struct stream, to));
	size_t used = 0;

	s->n_unpacked += n;
	while (!s->unpacked_status && s->n_unpacked - used >= RECORD) {
		struct perf_record r = {.at = s->unpacked_at};
		uint64_t size = record_header(&s->x, s->unpacked + used, &r);

		if (!size || size > UNPACKED || r.type == PERF_COMPRESSED ||
		    r.type == PERF_COMPRESSED2) {
			s->unpacked_status = err_at(s->e, ST_BAD, s->unpacked_at,
						    "compressed records: impossible record of "
						    "type %" PRIu32 " and %" PRIu64 " bytes",
						    r.type, size);
			return;
		}
		if (size > s->n_unpacked - used)
			break;
		r.p = s->unpacked + used + RECORD;
		r.n = (size_t)size - RECORD;
		s->unpacked_status = perf_data_on_record(s, &r);
		used += (size_t)size;
	}
	s->n_unpacked -= used;
	memmove(s->unpacked, s->unpacked + used, s->n_unpacked);
}

static enum status perf_data_unpack(struct stream *s, const struct perf_record *r)
{
	const uint8_t *p = r->p;
	size_t n = r->n;
	const char *why;

	if (r->type == PERF_COMPRESSED2) { /* how many bytes there are before the padding */
		uint64_t size = n >= 8 ? perf_word(&s->x, p) : UINT64_MAX;

		if (n < 8 || size > n - 8)
			return err_at(s->e, ST_BAD, r->at,
				      "compressed record: %" PRIu64 " bytes do not fit into "
				      "%zu",
				      size, n);
		p += 8;
		n = (size_t)size;
	}
	if (!s->zstd) {
		s->zstd = zstd_new();
		s->unpacked = mem_alloc(UNPACKED);
	}
	s->unpacked_at = r->at;
	why = zstd_unpack(s->zstd, &s->to, p, n);
	if (s->unpacked_status)
		return s->unpacked_status;
	return why ? err_at(s->e, ST_BAD, r->at, "compressed record: %s", why) : ST_OK;
}

/* --- the file --- */

/* Bytes that follow a record and that its size leaves out. */
static uint64_t bytes_behind(const struct perf_data *x, const struct perf_record *r)
{
	uint64_t n = 0;
	uint32_t small;

	if (r->type == PERF_AUXTRACE && r->n >= 8) {
		n = perf_word(x, r->p);
	} else if (x->pipe && r->type == PERF_HEADER_TRACING_DATA && r->n >= 4) {
		memcpy(&small, r->p, sizeof small);
		n = ((x->big_endian ? __builtin_bswap32(small) : small) + 7ull) & ~7ull;
	}
	return n;
}

static enum status perf_data_read_records(struct stream *s)
{
	struct perf_data *x = &s->x;
	enum status st = ST_OK;

	while (!st && s->end - s->at >= RECORD) {
		const uint8_t *p = window_at(s, s->at, RECORD);
		struct perf_record r = {.at = s->at};
		uint64_t size, behind;

		if (!p)
			return err_failure(s->e);
		size = record_header(x, p, &r);
		if (!size)
			return err_at(s->e, ST_BAD, s->at, "record of type %" PRIu32 " has no size",
				      r.type);
		if (size > s->end - s->at || size > SPLIT_MOST) {
			s->cut = size > s->end - s->at;
			return s->cut ? ST_OK
				      : err_at(s->e, ST_LIMIT, s->at,
					       "impossible record size: %" PRIu64 " "
					       "bytes",
					       size);
		}
		p = window_at(s, s->at, (size_t)size);
		if (!p)
			return err_failure(s->e);
		r.p = p + RECORD;
		r.n = (size_t)size - RECORD;
		behind = bytes_behind(x, &r);
		st = perf_data_on_record(s, &r);
		s->at += size;
		if (behind > s->end - s->at) {
			s->cut = true;
			return st;
		}
		s->at += behind;
	}
	s->cut |= !st && s->end > s->at;
	return st;
}

static enum status perf_data_read_ids(struct perf_data *x, size_t attr, struct place at,
				      struct err *e)
{
	enum { PIECE = 8192 };
	struct cursor c;

	while (at.size >= 8) {
		size_t n = at.size < PIECE ? (size_t)(at.size & ~7ull) : PIECE;
		uint8_t *bytes;
		enum status st = read_cursor(x, &c, at.offset, n, &bytes, "ids of an event", e);

		while (!st && cursor_window(&c))
			perf_attr_id(x, cursor_u64(&c), attr);
		free(bytes);
		if (st)
			return st;
		at.offset += n;
		at.size -= n;
	}
	return ST_OK;
}

static enum status perf_data_read_attrs(struct perf_data *x, struct place at, uint64_t each,
					struct err *e)
{
	enum status st = ST_OK;

	if (each < 80 || each > 4096)
		return err_at(e, ST_BAD, 16,
			      "header: impossible attribute size: %" PRIu64 " "
			      "bytes",
			      each);
	for (uint64_t i = 0; !st && i < at.size / each && i < PERF_ATTRS_MOST; i++) {
		struct place ids;
		struct cursor c;
		uint8_t *bytes;
		bool sound;

		st = read_cursor(x, &c, at.offset + i * each, (size_t)each, &bytes, "attribute", e);
		sound = !st && perf_attr_add(x, &c, (size_t)each - 16);
		ids.offset = cursor_u64(&c);
		ids.size = cursor_u64(&c);
		free(bytes);
		if (sound)
			st = perf_data_read_ids(x, (size_t)i, ids, e);
	}
	return st;
}

/* One of them that makes no sense is reported; the others are read. */
static void perf_data_read_features(struct perf_data *x, uint64_t at, const uint8_t *bits)
{
	struct err own = ERR_INIT;

	for (unsigned bit = 0; bit < 256; bit++) {
		struct place place;
		struct cursor c;
		uint8_t *bytes;
		uint64_t word = perf_word(x, bits + bit / 64 * 8);

		if (!(word >> bit % 64 & 1))
			continue;
		if (read_cursor(x, &c, at, 16, &bytes, "feature", &own)) {
			x->broken_features++;
			free(bytes);
			return;
		}
		place.offset = cursor_u64(&c);
		place.size = cursor_u64(&c);
		free(bytes);
		at += 16;
		if (place.size > PERF_FEATURE_MOST ||
		    read_cursor(x, &c, place.offset, (size_t)place.size, &bytes, "feature", &own))
			x->broken_features++;
		else
			perf_feature(x, bit, &c);
		if (place.size <= PERF_FEATURE_MOST)
			free(bytes);
		own = (struct err)ERR_INIT;
	}
}

static enum status perf_data_read_header(struct stream *s, struct err *e)
{
	struct perf_data *x = &s->x;
	uint64_t size = x->im->in->size, each;
	uint8_t p[HEADER];
	struct place attrs, data;
	struct cursor c;
	enum status st;

	st = input_at(x->im->in, 0, p, PIPE_HEADER, "header", e);
	if (st)
		return st;
	x->big_endian = !memcmp(p, "2ELIFREP", 8);
	x->pipe = perf_word(x, p + 8) == PIPE_HEADER;
	if (x->big_endian)
		trace_set(x->im->t, "perf.byte_order", "big-endian");
	if (x->pipe) {
		s->at = PIPE_HEADER;
		s->end = size;
		return ST_OK;
	}
	st = input_at(x->im->in, 0, p, HEADER, "header", e);
	if (st)
		return st;
	cursor_init(&c, p + 16, HEADER - 16, 16, e);
	c.big_endian = x->big_endian;
	each = cursor_u64(&c);
	attrs.offset = cursor_u64(&c);
	attrs.size = cursor_u64(&c);
	data.offset = cursor_u64(&c);
	data.size = cursor_u64(&c);
	st = perf_data_read_attrs(x, attrs, each, e);
	if (st)
		return st;
	if (data.offset > size)
		return err_at(e, ST_BAD, 40,
			      "header: impossible place of the records: byte %" PRIu64,
			      data.offset);
	s->unended = !data.size && data.offset < size;
	if (s->unended) /* written when the recording ends */
		data.size = size - data.offset;
	if (data.size > size - data.offset) {
		s->beyond = data.size - (size - data.offset);
		data.size = size - data.offset;
	} else if (!s->unended) {
		perf_data_read_features(x, data.offset + data.size, p + 72);
	}
	s->at = data.offset;
	s->end = data.offset + data.size;
	return ST_OK;
}

static void perf_data_add_notes(struct stream *s)
{
	struct perf_data *x = &s->x;
	struct trace *t = x->im->t;

	perf_samples_note(x);
	perf_features_note(x);

	const struct trace_loss losses[] = {
	    LOSS_IF(NOTE_INFO, !x->samples, "the file has no sample"),
	    LOSS_IF(NOTE_INFO, x->big_endian, "the file was recorded on a big-endian machine"),
	    LOSS(NOTE_INFO, s->queue.late,
		 "records came later than the file's rounds allow: threads and mappings may be "
		 "from a later moment"),
	    LOSS_IF(NOTE_LOSS, s->unended,
		    "the recording was not ended: build-ids and names of events are unknown"),
	};

	TRACE_LOSSES(t, losses);
	if (s->beyond)
		trace_note(t, NOTE_LOSS, s->beyond,
			   "bytes of records are missing: the file was cut short");
	else if (s->cut || s->n_unpacked || s->n_split)
		trace_note(t, NOTE_LOSS, 0, "the last record is cut short");
	if (x->others)
		trace_note(t, NOTE_INFO, x->others,
			   "records have kinds that tracemill does not read; the first kind "
			   "is %" PRIu64,
			   x->first_other);
}

static enum status perf_data_read_stream(struct stream *s, struct err *e)
{
	struct perf_data *x = &s->x;
	enum status st = input_random(x->im->in, e), ended;

	if (!st)
		st = perf_data_read_header(s, e);
	if (st)
		return st;
	st = perf_data_read_records(s);
	/* What was sound is in the trace, whatever came then. */
	if (!st || st == ST_BAD || st == ST_LIMIT) {
		struct err own = ERR_INIT;

		ended = perf_queue_end(&s->queue, x, perf_data_on_record_in_order, &own);
		if (ended && !st) {
			*e = own;
			return ended;
		}
	}
	if (x->begun && (!st || st == ST_BAD || st == ST_LIMIT)) {
		struct err own = ERR_INIT;

		ended = perf_events_push(&x->events, x->im, &own);
		if (ended && !st) {
			*e = own;
			return ended;
		}
	}
	if (!st && !x->samples && !x->n_attrs)
		return err_at(e, ST_BAD, s->at, "the file describes no event");
	return st;
}

static enum status perf_data_read(struct import *im, struct err *e)
{
	struct stream s = {
	    .x = {.im = im}, .e = e, .to = {perf_data_unpacked_room, perf_data_unpacked_consumed}};
	struct perf_data *x = &s.x;
	enum status st = perf_data_read_stream(&s, e);

	if (x->begun || !st)
		perf_data_add_notes(&s);
	perf_maps_release(x);
	perf_queue_release(&s.queue);
	zstd_free(s.zstd);
	map64_release(&x->ids);
	map64_release(&x->build_ids);
	map64_release(&x->file_of_path);
	map64_release(&x->stacks);
	free(x->attrs);
	free(x->files);
	free(x->functions);
	free(x->line);
	free(s.window);
	free(s.unpacked);
	free(s.split);
	return st;
}

static int perf_data_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= PIPE_HEADER && (!memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8))
		   ? 64
		   : 0;
}

const struct reader reader_perf_data = {
    .name = "perf-data",
    .family = "perf",
    .page = "perf",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME | CAPABILITY_THREADS |
		    CAPABILITY_ADDRESSES | CAPABILITY_BUILD_IDS,
    .what = "perf.data of perf and simpleperf: samples with their stacks",
    .suffixes = "data",
    .cut = CUT_NEVER, /* names and build-ids come after the records */
    .bid = perf_data_bid,
    .read = perf_data_read,
};
