/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's live stream, agent to desktop: packets of at most 3000 records, LZ4 blocks,
 * little-endian, no version and no end mark. Two framings: with a packet type (v1.0.1 on), and
 * without (v0.9.9b to v1.0.0), distinguished by the first packet. Addresses are raw addresses of
 * the process; the map of its modules is pulled from the device apart (--maps).
 *
 * Packets do not come in order: an agent with a backlog sends the newest records first. A
 * connection ends with the answer to the dump command, so what follows it in one file is another
 * run of the application, as is a packet with a number that was there already.
 */
#include "formats/loli/loli.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/pack/lz4.h"

#include <stdlib.h>

enum {
	PACKET_RECORDS = 0,
	PACKET_COMMAND = 1,
	RAW_MAX = 16 << 20, /* the agent's largest is 3000 * 1036 */
	PACKET_MAX = RAW_MAX + RAW_MAX / 255 + 64,
};

enum { BATCH = 64, BID_RAW = 64 << 10 };
enum { KIND_FREE = 0, KIND_REALLOC = 4, KIND_COMMAND = 255 };
enum { FREE_SIZE = 13, ALLOC_SIZE = 26, COMMAND_SIZE = 5 };

struct live {
	struct loli l;
	bool typed;   /* packets have a type */
	bool decided; /* typed is known */
	bool ended;   /* the agent has said that it sends no more */
	uint8_t *raw;
	size_t cap_raw;
	uint64_t good;                               /* packets */
	uint64_t other_packets, bad_packets;         /* of the capture in progress */
	uint64_t bad_records, other_records, cut, n; /* also */
};

struct record {
	const uint8_t *p; /* after the length */
	uint32_t n;
	uint8_t kind;
	bool sound; /* the length fits the kind */
	struct loli_key stack;
};

/* False: the buffer ends, or is cut within the record. */
static bool loli_stream_next_record(const uint8_t **p, const uint8_t *end, struct record *r)
{
	size_t left = (size_t)(end - *p);
	uint32_t n = left >= 2 ? le16(*p) : 0;

	if (left < 2 || n > left - 2 || !n)
		return false;
	r->p = *p + 2;
	r->n = n;
	r->kind = r->p[0];
	if (r->kind == KIND_FREE)
		r->sound = n == FREE_SIZE;
	else if (r->kind <= KIND_REALLOC)
		r->sound = n >= ALLOC_SIZE &&
			   (r->p[25] == 1 ? (n - ALLOC_SIZE) % 8 == 0
					  : r->p[25] == 0 && n >= 28 && 28 + le16(r->p + 26) == n);
	else
		r->sound = r->kind == KIND_COMMAND && n == COMMAND_SIZE;
	*p = r->p + n;
	return true;
}

static bool numbered(const struct record *r)
{
	return r->sound && r->kind <= KIND_REALLOC;
}

static enum status alloc_record(struct live *s, const struct record *r, uint64_t seq, struct err *e)
{
	const uint8_t *p = r->p;
	uint32_t stack = p[25] ? loli_runtime_stack(&s->l, r->stack, p + 26, (r->n - 26) / 8, false)
			       : loli_library_stack(&s->l, (const char *)p + 28, r->n - 28);

	return loli_alloc(&s->l, seq, (int64_t)le64(p + 5), le32(p + 13), le64(p + 17), stack, e);
}

static enum status loli_stream_one_record(struct live *s, const struct record *r, struct err *e)
{
	uint64_t seq;

	if (r->kind > KIND_REALLOC && r->kind != KIND_COMMAND) {
		s->other_records++;
		return ST_OK;
	}
	if (!r->sound) {
		s->bad_records++;
		return ST_OK;
	}
	if (r->kind == KIND_COMMAND) {
		s->ended = true;
		return ST_OK;
	}
	s->n++;
	seq = loli_seqs_extend(&s->l.seqs, le32(r->p + 1));
	if (!loli_seqs_add(&s->l.seqs, seq))
		s->l.repeated++;
	if (r->kind == KIND_FREE)
		return loli_free(&s->l, false, le64(r->p + 5), seq, e);
	return alloc_record(s, r, seq, e);
}

static void loli_stream_end_run(struct live *s)
{
	struct trace *t = s->l.im->t;
	uint64_t missing = loli_seqs_missing(&s->l.seqs);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, missing, "records are missing: their numbers were never received"),
	    LOSS(NOTE_LOSS, s->l.seqs.distinct && s->l.seqs.min > 1 ? s->l.seqs.min - 1 : 0,
		 "records were sent before the first record in this file"),
	    LOSS(NOTE_LOSS, s->bad_packets, "packets cannot be decompressed"),
	    LOSS(NOTE_LOSS, s->cut, "packets end within a record or have a record of length 0"),
	    LOSS(NOTE_LOSS, s->bad_records, "records have a length that does not fit their kind"),
	    LOSS(NOTE_LOSS, s->other_records, "records have an unknown kind"),
	    LOSS_IF(NOTE_INFO, s->ended && s->n,
		    "the agent dropped its unsent records when the dump was requested"),
	    LOSS(NOTE_INFO, s->other_packets, "packets have an unknown type"),
	};

	TRACE_LOSSES(t, losses);
	s->bad_packets = s->cut = s->bad_records = s->other_records = s->other_packets = s->n = 0;
	s->ended = false;
	loli_end(&s->l);
}

static enum status begin_run(struct live *s, struct err *e)
{
	loli_needs_maps(&s->l);
	return loli_begin(&s->l, e);
}

/* A packet of another run than the records before. */
static bool loli_stream_restarts(struct live *s, const uint8_t *p, const uint8_t *end)
{
	struct record r;

	if (!s->n)
		return false;
	while (loli_stream_next_record(&p, end, &r)) {
		uint32_t seq;

		if (!numbered(&r))
			continue;
		if (s->ended)
			return true;
		seq = le32(r.p + 1);
		if (loli_seqs_seen(&s->l.seqs, loli_seqs_extend(&s->l.seqs, seq)))
			return true;
	}
	return false;
}

/* Up to BATCH records, with their stacks looked up ahead: the table of stacks is larger than the
 * processor's caches, and its misses then overlap. */
static size_t next_batch(struct live *s, const uint8_t **p, const uint8_t *end, struct record *r)
{
	size_t n = 0;

	while (n < BATCH && loli_stream_next_record(p, end, &r[n])) {
		const uint8_t *q = r[n].p;

		if (r[n].sound && r[n].kind && r[n].kind <= KIND_REALLOC && q[25]) {
			r[n].stack = loli_key_bytes(q + 26, r[n].n - 26);
			map64_prefetch(&s->l.stacks, r[n].stack.hash);
		}
		n++;
	}
	return n;
}

static enum status loli_stream_records(struct live *s, size_t n, struct err *e)
{
	const uint8_t *p = s->raw, *end = s->raw + n;
	struct record batch[BATCH];
	enum status st = ST_OK;
	size_t got;

	if (loli_stream_restarts(s, p, end)) {
		loli_stream_end_run(s);
		st = import_next(s->l.im, e);
	}
	if (!st && !s->l.im->begun)
		st = begin_run(s, e);
	s->ended = false;
	while (!st && (got = next_batch(s, &p, end, batch)))
		for (size_t i = 0; !st && i < got; i++)
			st = loli_stream_one_record(s, &batch[i], e);
	s->cut += !st && p != end;
	return st;
}

/* A byte of an LZ4 block stands for 255 at most. */
static bool possible(uint32_t raw, size_t block)
{
	return raw && raw <= RAW_MAX && raw / 255 <= block;
}

static uint8_t *raw_buffer(struct live *s, size_t n)
{
	if (s->cap_raw < n)
		s->raw = mem_grow(s->raw, &s->cap_raw, n, 1);
	return s->raw;
}

/* The agents before v0.9.9b sent lines of text in the packets of the old framing. */
static bool is_text(const uint8_t *p, size_t n)
{
	return n > 4 && p[0] >= '0' && p[0] <= '9' && p[1] == '\\';
}

static enum status loli_stream_packet(struct live *s, const uint8_t *p, size_t n, struct err *e)
{
	uint32_t second = le32(p), raw;

	if (!s->decided) {
		s->typed = second <= PACKET_COMMAND || !possible(second, n - 4) ||
			   !lz4_block(p + 4, n - 4, raw_buffer(s, second), second);
		s->decided = true;
		if (!s->typed && is_text(s->raw, second))
			return err_set(e, ST_UNSUPPORTED,
				       "streams of agents before v0.9.9b (records are text) "
				       "are not supported");
	}
	if (s->typed) {
		if (second == PACKET_COMMAND) {
			s->ended = true;
			return ST_OK;
		}
		if (second != PACKET_RECORDS || n < 8) {
			s->other_packets += second != PACKET_RECORDS;
			s->bad_packets += second == PACKET_RECORDS;
			return ST_OK;
		}
		p += 4;
		n -= 4;
	}
	raw = le32(p);
	if (!possible(raw, n - 4) || !lz4_block(p + 4, n - 4, raw_buffer(s, raw), raw)) {
		s->bad_packets++;
		return ST_OK;
	}
	s->good++;
	return loli_stream_records(s, raw, e);
}

static enum status loli_stream_packets(struct live *s, struct err *e)
{
	struct cursor *c = &s->l.im->in->cur;
	enum status st = ST_OK;

	while (!st && !cursor_done(c)) {
		uint64_t offset = cursor_offset(c);
		const uint8_t *p = cursor_bytes(c, 4, "packet");
		uint32_t n = p ? le32(p) : 0;

		if (p && (n < 4 || n > PACKET_MAX))
			return err_at(e, ST_BAD, offset, "impossible packet size: %u bytes", n);
		p = p ? cursor_bytes(c, n, "packet") : NULL;
		if (!p)
			break;
		st = loli_stream_packet(s, p, n, e);
	}
	return cursor_failed(c) ? err_failure(e) : st;
}

static enum status loli_stream_read(struct import *im, struct err *e)
{
	struct live s = {0};
	enum status st = loli_init(&s.l, im, "loli-stream", LOLI_FREES, e);

	if (!st)
		st = loli_stream_packets(&s, e);
	if (!st && !s.good && s.bad_packets)
		st = err_set(e, ST_BAD, "none of the %llu packets can be decompressed",
			     (unsigned long long)s.bad_packets);
	if (!st && !im->begun)
		st = begin_run(&s, e);
	if (im->t && im->begun)
		loli_stream_end_run(&s);
	loli_release(&s.l);
	free(s.raw);
	return st;
}

/* The block, or as much of it as the head has, holds records from its first byte on. */
static int loli_stream_bid_block(const uint8_t *block, size_t n, bool all, uint32_t raw)
{
	uint32_t most = raw < BID_RAW || all ? raw : BID_RAW;
	int sound = 0, other = 0, bits = 0;
	const uint8_t *p;
	struct record r;
	uint8_t *out;
	size_t got;

	if (raw < 2 + COMMAND_SIZE || !possible(raw, all ? n : RAW_MAX))
		return 0;
	out = mem_alloc(most);
	got = all ? lz4_block(block, n, out, raw) ? raw : 0 : lz4_block_begin(block, n, out, most);
	for (p = out; loli_stream_next_record(&p, out + got, &r); other += !r.sound)
		sound += r.sound;
	if (is_text(out, got))
		bits = all ? 20 : 0;
	else if (all && 2 * sound > other)
		bits = 60;
	else if (sound > 2 && !other)
		bits = 20;
	free(out);
	return bits;
}

static int loli_stream_bid(const uint8_t *head, size_t n, bool whole)
{
	uint32_t size, second;
	bool all;

	while (n > 12 && le32(head) == 8 && le32(head + 4) == PACKET_COMMAND) {
		head += 12;
		n -= 12;
	}
	if (n < 12)
		return 0;
	size = le32(head);
	second = le32(head + 4);
	all = size <= n - 4;
	if (size < 8 || size > PACKET_MAX)
		return 0;
	if (second == PACKET_COMMAND)
		return size == 8 && whole && le32(head + 8) < 256 ? 40 : 0;
	if (second == PACKET_RECORDS)
		return loli_stream_bid_block(head + 12, (all ? size + 4 : n) - 12, all,
					     le32(head + 8));
	return loli_stream_bid_block(head + 8, (all ? size + 4 : n) - 8, all, second) * 3 / 4;
}

const struct reader reader_loli_stream = {
    .name = "loli-stream",
    .family = "LoliProfiler",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS | CAPABILITY_TIME |
		    CAPABILITY_THREADS | CAPABILITY_COUNTERS | CAPABILITY_ADDRESSES,
    .what = "LoliProfiler: live stream of an agent (v0.9.9b on)",
    .suffixes = "bin",
    .guesses = true,
    .bid = loli_stream_bid,
    .read = loli_stream_read,
};
