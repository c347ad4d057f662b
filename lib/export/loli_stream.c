/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's live stream (formats/loli/stream.c has the format; this is what its agents write
 * from v1.0.1 on): packets of at most 3000 records, each an LZ4 block; little-endian.
 *
 *	u32 bytes that follow, u32 0, u32 raw size, LZ4 block of records
 *	free:   u16 13, u8 0, u32 number, u64 address
 *	alloc:  u16 length, u8 1, u32 number, i64 ms, u32 size, u64 address, u8 1,
 *	        u64 return addresses
 *
 * Records are numbered as they come, from 1. A block's size is the requested one, where the capture
 * has that, else the real one. Threads, types, frames and counters have no place in it, nor has a record
 * that stands for several allocations: it is one, of all their bytes, and the rest is counted. Addresses
 * of blocks do not say whose they are, so only one domain is written: malloc, or the chosen one.
 * As an agent sends it there are both of malloc and pool: where a pool's block begins where one of
 * malloc does, that is freed before, and its own free is left out.
 * A packet ends when it is full, when options->live is set also with the events that came at once,
 * and at the end of a capture.
 */
#include "lib/export/export.h"
#include "lib/pack/lz4.h"

#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/tally/sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	RECORDS = 3000,
	RAW = 3 << 20,
	FREE = 13,
	ALLOC = 26,
	ENTRIES_MAX = (UINT16_MAX - ALLOC) / 8
};

struct stream {
	struct export export; /* first */
	struct sink sink;
	const struct export_options *options;
	FILE *out;
	struct buf raw, packet;
	struct map64
	    owners; /* domain + 1 of what is live at an address, with EXPORT_DOMAIN_AGENT */
	unsigned n; /* records in raw */
	uint32_t number;
	uint64_t listed; /* addresses given to EV_PROFILE in this capture */
	uint64_t allocs, frees;
	uint64_t others, nowhere, together, unsized, large, deep; /* what is not in it */
};

static struct stream *of(struct sink *s)
{
	return (struct stream *)((char *)s - offsetof(struct stream, sink));
}

static void put(struct buf *b, uint64_t v, unsigned n)
{
	char *p = buf_reserve(b, n);

	for (unsigned i = 0; i < n; i++)
		p[i] = (char)(v >> 8 * i);
	b->len += n;
}

static enum status export_stream_put_packet(struct stream *s, struct err *e)
{
	size_t n, most = lz4_block_most(s->raw.len);

	if (!s->n)
		return ST_OK;
	s->packet.len = 0;
	put(&s->packet, 0, 4);
	put(&s->packet, 0, 4);
	put(&s->packet, s->raw.len, 4);
	n = lz4_block_write((const uint8_t *)s->raw.data, s->raw.len,
			    (uint8_t *)buf_reserve(&s->packet, most), most);
	s->packet.len += n;
	n += 8;
	for (unsigned i = 0; i < 4; i++)
		s->packet.data[i] = (char)(n >> 8 * i);
	fwrite(s->packet.data, 1, s->packet.len, s->out);
	s->raw.len = 0;
	s->n = 0;
	if (s->options->live)
		fflush(s->out);
	return export_written(s->out, e);
}

static void export_stream_put_alloc(struct stream *s, const struct trace *t, const struct event *ev)
{
	uint64_t size = ev->has & EV_HAS_REQUESTED ? ev->requested : ev->real;
	size_t at = s->raw.len, entries = 0;

	put(&s->raw, 0, 2);
	put(&s->raw, 1, 1);
	put(&s->raw, s->number, 4);
	put(&s->raw, (uint64_t)(ev->has & EV_HAS_TIME ? ev->time / 1000000 : 0), 8);
	if (size > UINT32_MAX) {
		s->large++;
		size = UINT32_MAX;
	}
	s->unsized += !(ev->has & (EV_HAS_REQUESTED | EV_HAS_REAL));
	if (ev->has & EV_HAS_COUNT && ev->count > 1)
		s->together = add_saturating(s->together, ev->count - 1);
	put(&s->raw, size, 4);
	put(&s->raw, ev->address, 8);
	put(&s->raw, 1, 1);
	for (uint32_t k = ev->stack; k; k = t->stacks[k].parent) {
		const struct location *l = &t->locations[t->stacks[k].location];

		if (l->space != SPACE_RUNTIME)
			continue;
		if (entries == ENTRIES_MAX) {
			s->deep++;
			break;
		}
		put(&s->raw, l->raw, 8);
		entries++;
	}
	entries = ALLOC + entries * 8;
	s->raw.data[at] = (char)entries;
	s->raw.data[at + 1] = (char)(entries >> 8);
	s->allocs++;
}

static bool wanted(const struct stream *s, const struct event *ev)
{
	int domain = s->options->domain;

	if (domain == EXPORT_DOMAIN_DEFAULT)
		domain = DOMAIN_MALLOC;
	if (domain == EXPORT_DOMAIN_AGENT)
		return ev->domain == DOMAIN_MALLOC || ev->domain == DOMAIN_POOL;
	return domain == EXPORT_DOMAIN_ALL || ev->domain == domain;
}

static void put_free(struct stream *s, uint64_t address)
{
	s->number++;
	put(&s->raw, FREE, 2);
	put(&s->raw, 0, 1);
	put(&s->raw, s->number, 4);
	put(&s->raw, address, 8);
	s->frees++;
	s->n++;
}

/* False: the free of a block that another one has taken the place of. */
static bool owns(struct stream *s, const struct event *ev)
{
	uint32_t ours = ev->domain + 1u, owner;

	if (s->options->domain != EXPORT_DOMAIN_AGENT)
		return true;
	owner = map64_get(&s->owners, ev->address);
	if (ev->kind != EV_ALLOC) {
		if (owner == ours)
			map64_remove(&s->owners, ev->address);
		return owner == ours;
	}
	if (owner && owner != ours)
		put_free(s, ev->address);
	*map64_put(&s->owners, ev->address) = ours;
	return true;
}

static enum status export_stream_put(struct stream *s, struct trace *t, const struct event *ev,
				     struct err *e)
{
	if (ev->kind != EV_ALLOC && ev->kind != EV_FREE && ev->kind != EV_FREED)
		return ST_OK;
	if (!wanted(s, ev)) {
		s->others++;
		return ST_OK;
	}
	if (!(ev->has & EV_HAS_ADDRESS)) {
		s->nowhere++;
		return ST_OK;
	}
	if (!owns(s, ev))
		return ST_OK;
	if (ev->kind == EV_ALLOC) {
		s->number++;
		export_stream_put_alloc(s, t, ev);
		s->n++;
	} else {
		put_free(s, ev->address);
	}
	return s->n >= RECORDS || s->raw.len >= RAW ? export_stream_put_packet(s, e) : ST_OK;
}

/* The stream has blocks only: what a profile lists becomes one with an address of its own. */
static enum status export_stream_put_listed(struct stream *s, struct trace *t,
					    const struct event *from, struct err *e)
{
	struct event ev = *from;
	enum status st;

	ev.kind = EV_ALLOC;
	if (ev.has & EV_HAS_VALUE) {
		ev.has |= EV_HAS_ADDRESS;
		ev.address = ++s->listed;
	}
	st = export_stream_put(s, t, &ev, e);
	if (st || !(ev.has & EV_HAS_VALUE) || ev.value != PROFILE_FREED)
		return st;
	ev.kind = EV_FREED;
	return export_stream_put(s, t, &ev, e);
}

static enum status export_stream_event(struct sink *sink, struct trace *t, const struct event *ev,
				       struct err *e)
{
	struct stream *s = of(sink);

	return ev->kind == EV_PROFILE ? export_stream_put_listed(s, t, ev, e)
				      : export_stream_put(s, t, ev, e);
}

static enum status export_stream_batch(struct sink *sink, struct trace *t,
				       const struct sink_batch *b, struct err *e)
{
	struct stream *s = of(sink);
	enum status st = sink_each(sink, t, b, e, export_stream_event);

	return st || !s->options->live ? st : export_stream_put_packet(s, e);
}

/* Another capture is another run, whose numbers begin at 1. */
static enum status export_stream_begin(struct sink *sink, struct trace *t, struct err *e)
{
	(void)t, (void)e;
	of(sink)->number = 0;
	of(sink)->listed = 0;
	return ST_OK;
}

static enum status export_stream_end(struct sink *sink, struct trace *t, struct err *e)
{
	(void)t;
	return export_stream_put_packet(of(sink), e);
}

static enum status export_stream_finish(struct export *x, struct err *e)
{
	struct stream *s = (struct stream *)x;
	const struct {
		uint64_t n;
		const char *noun, *what;
	} lost[] = {
	    {s->together, "allocation", "left out: a record that stands for several is one"},
	    {s->nowhere, "record", "without an address left out"},
	    {s->others, "record", "of other domains left out"},
	    {s->unsized, "size", "not known, and written as 0"},
	    {s->large, "size", "cut to 4 GiB"},
	    {s->deep, "stack", "cut"},
	};
	struct buf b = BUF_INIT;

	buf_addf(&b, "%" PRIu64 " allocation%s, %" PRIu64 " free%s", s->allocs, plural_s(s->allocs),
		 s->frees, plural_s(s->frees));
	for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
		if (lost[i].n) {
			buf_addf(&b, "; %" PRIu64 " %s%s %s", lost[i].n, lost[i].noun,
				 plural_s(lost[i].n), lost[i].what);
			x->loses = true;
		}
	snprintf(x->summary, sizeof x->summary, "%s", buf_str(&b));
	buf_release(&b);
	x->lacks = s->number ? NULL : "is an allocation or a free of this domain";
	return export_written(s->out, e);
}

static void export_stream_release(struct export *x)
{
	struct stream *s = (struct stream *)x;

	buf_release(&s->raw);
	buf_release(&s->packet);
	map64_release(&s->owners);
	free(s);
}

static struct export *export_stream_open(const struct export_options *o, FILE *out, struct err *e)
{
	struct stream *s = mem_zalloc(sizeof *s);

	(void)e;
	s->sink = (struct sink){
	    .begin = export_stream_begin, .batch = export_stream_batch, .end = export_stream_end};
	s->export = (struct export){
	    .sink = &s->sink, .finish = export_stream_finish, .free = export_stream_release};
	s->options = o;
	s->out = out;
	return &s->export;
}

const struct exporter exporter_loli_stream = {
    .name = "loli-stream",
    .what = "LoliProfiler's live stream, as its agents send it",
    .flags = EXPORT_BINARY,
    .open = export_stream_open,
};
