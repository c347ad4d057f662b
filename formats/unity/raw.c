/* SPDX-License-Identifier: MIT
 *
 * Unity's binary profiler log (.raw), and the recorded stream of a player (formats/unity/tcp.h): a session
 * header, then blocks {signature, id, thread, length, body, id of the thread's next, signature}.
 * Another session header begins another capture. Bytes that are no block are skipped up to the
 * next one whose two signatures are where its length says.
 *
 * Facts: unity3d-jp/ProfilerReader, wotakuro/ProfilerBinarylogSplit; the header without its
 * version tail, blocks and chains were checked on a log of Unity 2019.4.4.
 */
#include "formats/emit.h"
#include "formats/unity/stream.h"
#include "formats/unity/tcp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	HEADER = 36,
	TAIL = 20,
	BLOCK_HEAD = 20,
	BLOCK_TAIL = 8,
	BLOCK_MAX = 16 << 20, /* bodies of 16 KiB are what is seen */
};
#define SESSION 0x55334450u
#define BLOCK   0xB10C7EADu
#define FOOTER  0xB10CF007u
#define UPR_TAG UINT64_C(2014011020150810)

struct raw {
	struct import *im;
	struct cursor *c;
	struct unity_tcp tcp;
	struct unity_stream s;
	bool framed, open;
	uint64_t resyncs, skipped, cut;
};

static bool is_session(const uint8_t *p, size_t n)
{
	return n >= HEADER && le32(p) == SESSION && p[4] <= 1 && p[5] <= 1 &&
	       unity_version_possible(le32(p + 8));
}

/* The whole size of the block at p, 0: n bytes hold none. */
static size_t block_size(const uint8_t *p, size_t n)
{
	uint32_t length = n >= BLOCK_HEAD ? le32(p + 16) : 0;
	size_t size = (size_t)BLOCK_HEAD + length + BLOCK_TAIL;

	return n >= BLOCK_HEAD && le32(p) == BLOCK && length <= BLOCK_MAX && size <= n &&
		       le32(p + size - 4) == FOOTER
		   ? size
		   : 0;
}

static uint64_t common(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void set_clock(struct raw *r, uint64_t numerator, uint64_t denominator)
{
	struct trace *t = r->im->t;
	char text[32];
	uint64_t divisor;

	if (!numerator || !denominator) {
		trace_note(t, NOTE_GUESS, 0,
			   "the stream has no clock rate: ticks are read as "
			   "ns");
		return;
	}
	divisor = common(numerator, denominator);
	r->s.frames.clock.numerator = numerator / divisor;
	r->s.frames.clock.denominator = denominator / divisor;
	if (numerator >= denominator) {
		snprintf(text, sizeof text, "%" PRIu64, numerator / denominator);
		trace_set(t, "time_resolution_ns", text);
	}
}

/* Whether the version tail is there: by the version, but what follows must be a block. */
static bool has_tail(struct cursor *c, uint32_t version)
{
	bool expected = unity_ordinal(version) >= UNITY_HEADER_2;
	size_t n = cursor_available(c, HEADER + TAIL + 4);
	const uint8_t *p = c->pos;
	bool with = n >= HEADER + TAIL + 4 && le32(p + HEADER + TAIL) == BLOCK;
	bool without = n >= HEADER + 4 && le32(p + HEADER) == BLOCK;

	return with == without ? expected : with;
}

static enum status unity_raw_session(struct raw *r, struct err *e)
{
	struct cursor *c = r->c;
	uint64_t offset = cursor_offset(c);
	const uint8_t *p = cursor_bytes(c, HEADER, "session header");
	uint32_t version, release[5];
	struct trace *t = r->im->t;
	bool tail;

	if (!p)
		return err_failure(e);
	if (le32(p) != SESSION)
		return err_at(e, ST_BAD, offset,
			      "no session header: the beginning of the stream is missing");
	version = le32(p + 8);
	if (!p[4])
		return err_at(e, ST_UNSUPPORTED, offset, "big-endian streams are not supported");
	if (p[4] > 1 || p[5] > 1 || !unity_version_possible(version))
		return err_at(e, ST_UNSUPPORTED, offset,
			      "the session header has an unknown layout (version 0x%08" PRIx32 ")",
			      version);
	unity_stream_init(&r->s, r->im, version);
	r->open = true;
	r->s.aligned = p[5];
	r->s.main_thread = le64(p + 28);
	unity_version_attributes(t, version);
	set_clock(r, le64(p + 12), le64(p + 20));
	trace_set(t, "clock", "monotonic");
	trace_set(t, "unity.layout", p[5] ? "aligned" : "unaligned");
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	c->pos -= HEADER;
	tail = has_tail(c, version);
	c->pos += HEADER;
	if (tail) {
		p = cursor_bytes(c, TAIL, "session header");
		if (!p)
			return err_failure(e);
		for (int i = 0; i < 5; i++)
			release[i] = le32(p + (size_t)i * 4);
		unity_release_attribute(t, release);
	}
	return ST_OK;
}

static enum status end_session(struct raw *r, struct err *e)
{
	struct trace *t = r->im->t;
	enum status st = unity_stream_end(&r->s, e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, r->resyncs, "places have no block where a block should begin"),
	    LOSS(NOTE_LOSS, r->skipped, "bytes belong to no block"),
	    LOSS(NOTE_LOSS, r->cut, "bytes of the last block are missing"),
	};

	TRACE_LOSSES(t, losses);
	if (r->framed)
		unity_tcp_notes(&r->tcp, t);
	r->resyncs = r->skipped = r->cut = 0;
	unity_stream_release(&r->s);
	r->open = false;
	return st;
}

/* A block or a session in n bytes from i on, n if none; *need: a block may begin at the place, and
 * this many bytes decide. */
static size_t unity_raw_next_place(const uint8_t *p, size_t n, size_t i, size_t *need)
{
	*need = 0;
	for (; i + 4 <= n; i++) {
		uint32_t signature = le32(p + i), length;

		if (signature == SESSION && n - i < HEADER) {
			*need = HEADER;
			return i;
		}
		if (signature == BLOCK && n - i < BLOCK_HEAD) {
			*need = BLOCK_HEAD;
			return i;
		}
		if (signature == SESSION ? is_session(p + i, n - i)
					 : signature == BLOCK && block_size(p + i, n - i))
			return i;
		length = signature == BLOCK ? le32(p + i + 16) : BLOCK_MAX + 1u;
		if (length <= BLOCK_MAX && length + BLOCK_HEAD + BLOCK_TAIL > n - i) {
			*need = (size_t)length + BLOCK_HEAD + BLOCK_TAIL;
			return i;
		}
	}
	return n;
}

static void skip(struct raw *r, size_t n)
{
	r->c->pos += n;
	r->skipped += n;
}

/* Bytes that are no block: up to the next. */
static void unity_raw_resynchronize(struct raw *r)
{
	struct cursor *c = r->c;
	size_t n = cursor_window(c), i, need;

	r->resyncs++;
	skip(r, n > 0);
	while ((n = cursor_available(c, 4))) {
		i = unity_raw_next_place(c->pos, n, 0, &need);
		while (need && c->at_end)
			i = unity_raw_next_place(c->pos, n, i + 1, &need);
		if (i == n) {
			skip(r, c->at_end || n < 4 ? n : n - 3);
			continue;
		}
		skip(r, i);
		if (!need)
			return;
		/* twice what is needed, so that bytes are moved few times */
		cursor_available(c, need * 2);
	}
}

/* The file ends within this block: what is there of it, unless another begins in it. */
static enum status cut_block(struct raw *r, size_t n, uint32_t length, struct err *e)
{
	struct cursor *c = r->c;
	const uint8_t *p = c->pos;
	size_t got = n - BLOCK_HEAD, need, next = unity_raw_next_place(p, n, 1, &need);

	while (need)
		next = unity_raw_next_place(p, n, next + 1, &need);
	if (next < n) {
		unity_raw_resynchronize(r);
		return ST_OK;
	}
	c->pos += n;
	r->cut += length + BLOCK_HEAD + BLOCK_TAIL - n;
	return unity_block(&r->s, le64(p + 8), le32(p + 4), 0, p + BLOCK_HEAD,
			   got < length ? got : length, false, e);
}

/* What the game wrote to its log up to here. */
static enum status put_logs(struct raw *r, struct err *e)
{
	const struct unity_log *log;
	enum status st = ST_OK;

	while (!st && r->framed && (log = unity_tcp_log(&r->tcp, cursor_offset(r->c)))) {
		uint32_t lane = unity_stream_thread(&r->s, r->s.main_thread)->lane;

		st = unity_frames_log(&r->s.frames, lane, log->level, log->text, log->n, e);
	}
	return st;
}

static enum status unity_raw_blocks(struct raw *r, struct err *e)
{
	struct cursor *c = r->c;
	enum status st = ST_OK;

	while (!st && !(st = put_logs(r, e)) && cursor_available(c, HEADER)) {
		size_t n = cursor_window(c), size;
		const uint8_t *p = c->pos;
		uint32_t length;

		if (n >= BLOCK_HEAD && le32(p) == BLOCK && (length = le32(p + 16)) <= BLOCK_MAX) {
			size = (size_t)BLOCK_HEAD + length + BLOCK_TAIL;
			if (n < size)
				n = cursor_available(c, size);
			p = c->pos;
			if (n < size) {
				st = c->failed ? err_failure(e) : cut_block(r, n, length, e);
				continue;
			}
			if (le32(p + size - 4) == FOOTER) {
				st =
				    unity_block(&r->s, le64(p + 8), le32(p + 4), le32(p + size - 8),
						p + BLOCK_HEAD, length, true, e);
				c->pos += size;
				continue;
			}
		} else if (is_session(p, n)) {
			st = end_session(r, e);
			if (!st)
				st = import_next(r->im, e);
			if (!st)
				st = unity_raw_session(r, e);
			continue;
		}
		unity_raw_resynchronize(r);
	}
	return st ? st : c->failed ? err_failure(e) : ST_OK;
}

static enum status unity_raw_read(struct import *im, struct err *e)
{
	struct raw r = {.im = im, .c = &im->in->cur};
	struct err later = ERR_INIT;
	const uint8_t *head;
	size_t n;
	enum status st = input_head(im->in, &head, &n);

	if (st)
		return st;
	if (n >= 8 && le64(head) == UPR_TAG)
		return err_at(e, ST_UNSUPPORTED, 0,
			      "UPR's own framing, compressed or encrypted, is not supported");
	if (n >= 4 && le32(head) == UNITY_TCP_MAGIC) {
		unity_tcp_init(&r.tcp, r.c);
		r.c = &r.tcp.payload;
		r.framed = true;
	}
	st = unity_raw_session(&r, e);
	if (!st)
		st = unity_raw_blocks(&r, e);
	if (r.open && im->t) {
		enum status end = end_session(&r, st ? &later : e);

		st = st ? st : end;
	}
	unity_stream_release(&r.s);
	unity_tcp_release(&r.tcp);
	return st;
}

static int unity_raw_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	if (n >= 8 && le64(head) == UPR_TAG)
		return 64;
	if (is_session(head, n))
		return 32 + 14 + 24;
	if (n >= 4 && (le32(head) == SESSION || le32(head) == BLOCK))
		return 32;
	return unity_tcp_bid(head, n);
}

const struct reader reader_unity_raw = {
    .name = "unity-raw",
    .family = "Unity",
    .page = "unity",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_STACKS | CAPABILITY_CALLS |
		    CAPABILITY_TIME | CAPABILITY_THREADS | CAPABILITY_FRAMES | CAPABILITY_COUNTERS |
		    CAPABILITY_ADDRESSES,
    .what = "Unity profiler: binary log .raw, and recorded streams of players (2018.1 on)",
    .suffixes = "raw",
    .cut = CUT_NEVER, /* a frame waits for threads that may be cut off */
    .bid = unity_raw_bid,
    .read = unity_raw_read,
};
