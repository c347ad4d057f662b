/* SPDX-License-Identifier: MIT
 *
 * Miku-LuaProfiler's network stream, as dumped from its TCP connection: a head, an i32 message
 * number, the message; nothing says how long it is. 4.x has the head 0x00114514 and the messages
 * heartbeat 0, disconnect 1, sample 2, reference 3. v2.3.3 to 3.1.x have 0x23333333 and sample 0,
 * reference 1, diff 2; their first betas send no message number, and an i32 0 as a heartbeat; the
 * WinForm tool's samples lack three fields. Which of these it is nothing says either: by trial.
 *
 * Where a head is missing or a message breaks the rules, reading goes on at the next head. Strings
 * that were defined in what was passed over are unknown from then on.
 */
#include "formats/emit.h"
#include "formats/miku/lists.h"
#include "formats/miku/miku.h"
#include "lib/base/bytes.h"
#include "lib/base/mem.h"

#include <stdlib.h>

enum { HEAD_4 = 0x00114514, HEAD_OLD = 0x23333333 };
enum { WINDOW = 1 << 20, FIRST_TRY = 64 << 10, TRIAL_MESSAGES = 256 };
enum wire { WIRE_4, WIRE_OLD, WIRE_TOOL, WIRE_BETA, WIRES };
enum kind { KIND_HEARTBEAT, KIND_DISCONNECT, KIND_SAMPLE, KIND_REF, KIND_DIFF, KIND_COMMAND };
enum outcome { GOOD, SHORT, BAD, UNKNOWN };

struct stream {
	struct miku m;
	enum wire wire;
	enum kind kind;             /* of the message just read */
	struct miku_ref ref;        /* also */
	struct miku_diff diff;      /* also */
	enum miku_diff_shape shape; /* of the last diff */
	struct miku_evidence evidence;

	struct miku_refs refs;
	struct miku_diff *diffs; /* kept until the end */
	size_t n_diffs, cap_diffs;
	uint64_t messages, heartbeats, disconnects, commands, skipped, bad, unknown, cut;
};

static uint32_t head_of(enum wire w)
{
	return w == WIRE_4 ? HEAD_4 : HEAD_OLD;
}

static enum miku_layout layout_of(enum wire w)
{
	return w == WIRE_TOOL ? MIKU_E_TOOL : w == WIRE_BETA ? MIKU_E_BETA : MIKU_E;
}

/* Whether what follows a message may follow it: a head, a heartbeat, or nothing. */
static bool followed(const struct stream *s, const struct cursor *c)
{
	size_t n = cursor_window(c);

	if (!n)
		return true;
	if (n < 4)
		return false;
	return le32(c->pos) == head_of(s->wire) || (s->wire == WIRE_BETA && !le32(c->pos));
}

static enum outcome outcome(const struct cursor *c, bool broken)
{
	return !cursor_failed(c) ? GOOD : broken || c->e->code != ST_BAD ? BAD : SHORT;
}

static enum outcome miku_tcp_read_diff(struct stream *s, struct cursor *c)
{
	struct miku_names *names = &s->m.names;
	const struct miku_names_place before = miku_names_place(names);
	bool is_short = false;

	for (int i = 0; i <= MIKU_DIFF_SHAPES; i++) {
		enum miku_diff_shape shape = i ? (enum miku_diff_shape)(i - 1) : s->shape;
		struct err e = ERR_INIT;
		struct cursor at = *c;
		bool broken = false;

		at.e = &e;
		miku_names_back(names, &before);
		names->fresh = true;
		miku_diff_read(&s->diff, names, shape, &at, &broken);
		is_short |= outcome(&at, broken) == SHORT;
		if (outcome(&at, broken) == GOOD && followed(s, &at)) {
			s->shape = shape;
			c->pos = at.pos;
			return GOOD;
		}
	}
	miku_names_back(names, &before);
	return is_short ? SHORT : BAD;
}

static enum outcome read_sample(struct stream *s, struct cursor *c)
{
	s->kind = KIND_SAMPLE;
	miku_tree_read(&s->m.tree, &s->m.names, s->m.layout, c, 0);
	return outcome(c, s->m.tree.broken);
}

static enum outcome read_ref(struct stream *s, struct cursor *c)
{
	bool broken = false;

	s->kind = KIND_REF;
	miku_ref_read(&s->ref, &s->m.names, c, &broken);
	return outcome(c, broken);
}

/* What follows the head. */
static enum outcome miku_tcp_read_body(struct stream *s, struct cursor *c)
{
	uint32_t id;

	s->m.names.fresh = true;
	if (s->wire == WIRE_BETA)
		return read_sample(s, c);
	if (cursor_window(c) < 4)
		return SHORT;
	id = cursor_u32(c);
	if (s->wire == WIRE_4)
		switch (id) {
		case 0: s->kind = KIND_HEARTBEAT; return GOOD;
		case 1: s->kind = KIND_DISCONNECT; return GOOD;
		case 2: return read_sample(s, c);
		case 3: return read_ref(s, c);
		default: return UNKNOWN;
		}
	if (id < 4 && cursor_window(c) >= 4 && le32(c->pos) == HEAD_OLD) {
		s->kind = KIND_COMMAND; /* the other direction */
		return GOOD;
	}
	switch (id) {
	case 0: return read_sample(s, c);
	case 1: return read_ref(s, c);
	case 2: s->kind = KIND_DIFF; return miku_tcp_read_diff(s, c);
	default: return UNKNOWN;
	}
}

/* The message at p, whose head is right; *used is its size with the head when it is good. sure:
 * what follows must fit too. */
static enum outcome miku_tcp_read_message(struct stream *s, const uint8_t *p, size_t n,
					  uint64_t offset, bool sure, size_t *used)
{
	struct miku_names *names = &s->m.names;
	uint64_t lost = names->lost, restarts = names->restarts, repaired = names->repaired;
	struct err e = ERR_INIT;
	struct cursor c;
	const struct miku_names_place before = miku_names_place(names);
	enum outcome o;

	cursor_init(&c, p + 4, n - 4, offset + 4, &e);
	o = miku_tcp_read_body(s, &c);
	if (o == GOOD && sure && !followed(s, &c))
		o = BAD;
	*used = (size_t)(c.pos - p);
	if (o == SHORT) /* will be read again */
		miku_names_back(names, &before);
	if (o != GOOD) {
		names->lost = lost;
		names->restarts = restarts;
		names->repaired = repaired;
	}
	return o;
}

static bool is_head(const struct stream *s, const uint8_t *p)
{
	return le32(p) == head_of(s->wire);
}

/* Reads the start of a stream as one of the wires: how many messages are good and end where another
 * begins, less those that do not. */
static int64_t miku_tcp_try_wire(struct stream *s, enum wire w, const uint8_t *p, size_t n)
{
	int64_t good = 0;
	size_t at = 0, used, messages = 0;

	*s = (struct stream){.wire = w};
	s->m.layout = layout_of(w);
	s->m.names.lossy = true; /* the dump may begin within a connection */
	while (n - at >= 8 && messages < TRIAL_MESSAGES) {
		if (!is_head(s, p + at)) {
			at++;
			continue;
		}
		messages++;
		if (miku_tcp_read_message(s, p + at, n - at, at, false, &used) != GOOD) {
			at += 4;
			continue;
		}
		at += used;
		good +=
		    n - at < 4 || is_head(s, p + at) || (w == WIRE_BETA && !le32(p + at)) ? 1 : -1;
		if (s->kind == KIND_SAMPLE)
			miku_look(&s->evidence, &s->m.tree, &s->m.names);
	}
	return good;
}

static void release(struct stream *s)
{
	for (size_t i = 0; i < s->n_diffs; i++)
		miku_diff_release(&s->diffs[i]);
	free(s->diffs);
	miku_diff_release(&s->diff);
	miku_refs_release(&s->refs);
	miku_release(&s->m);
}

static bool find_wire(enum wire *wire, struct miku_evidence *v, const uint8_t *p, size_t n)
{
	int64_t most = 0;

	for (int w = 0; w < WIRES; w++) {
		struct stream s;
		int64_t good = miku_tcp_try_wire(&s, (enum wire)w, p, n);

		if (good > most) {
			most = good;
			*wire = (enum wire)w;
			*v = s.evidence;
		}
		release(&s);
	}
	return most > 0;
}

static enum status begin(struct stream *s, struct err *e)
{
	static const char *const names[] = {"4", "2.3.3-3.1", "2.3.3-3.1 WinForm tool",
					    "2.3.3 beta"};
	struct trace *t = s->m.im->t;

	trace_set(t, "miku.wire", names[s->wire]);
	return miku_begin(&s->m, &s->evidence, e);
}

static enum status push_ref(struct stream *s, struct err *e)
{
	miku_ref_add(&s->refs, &s->ref);
	return emit_counter(s->m.im, emit_counter_id(s->m.im, "miku.refs", ""), ABSENT,
			    (int64_t)s->refs.held, e);
}

static enum status miku_tcp_push_message(struct stream *s, struct err *e)
{
	enum status st = ST_OK;

	s->messages++;
	if ((s->kind == KIND_SAMPLE || s->kind == KIND_REF) && !s->m.im->begun)
		st = begin(s, e);
	if (st)
		return st;
	switch (s->kind) {
	case KIND_SAMPLE: return miku_root(&s->m, e);
	case KIND_REF: return push_ref(s, e);
	case KIND_DIFF:
		VEC_PUSH(s->diffs, s->n_diffs, s->cap_diffs) = s->diff;
		s->diff = (struct miku_diff){0};
		break;
	case KIND_HEARTBEAT: s->heartbeats++; break;
	case KIND_DISCONNECT: s->disconnects++; break;
	case KIND_COMMAND: s->commands++; break;
	}
	return ST_OK;
}

/* One that needs strings from before the dump is read again, as one that may lack some. */
static enum outcome miku_tcp_next_message(struct stream *s, struct cursor *c, size_t *used)
{
	size_t want = FIRST_TRY, have = cursor_available(c, want);
	enum outcome o;

	for (;;) {
		o = miku_tcp_read_message(s, c->pos, have, cursor_offset(c), false, used);
		if (o == BAD && !s->m.names.lossy) {
			s->m.names.lossy = true;
			o = miku_tcp_read_message(s, c->pos, have, cursor_offset(c), true, used);
		}
		if (o != SHORT || c->at_end || have >= LIMIT_CURSOR / 2)
			return o;
		want = have * 2;
		have = cursor_available(c, want);
		if (have < want && !c->at_end)
			return o;
	}
}

/* To the next head, or to the end. */
static void skip(struct stream *s, struct cursor *c)
{
	uint64_t from = cursor_offset(c);

	c->pos++;
	while (cursor_available(c, 4) >= 4 && !is_head(s, c->pos)) {
		const uint8_t *p =
		    memchr(c->pos + 1, (int)(head_of(s->wire) & 0xff), cursor_window(c) - 1);

		c->pos = p ? p : c->end;
	}
	if (cursor_window(c) < 4)
		c->pos = c->end;
	s->skipped += cursor_offset(c) - from;
}

static enum status miku_tcp_messages(struct stream *s, struct err *e)
{
	struct cursor *c = &s->m.im->in->cur;
	enum status st = ST_OK;
	size_t used;

	while (!st && !cursor_done(c)) {
		size_t have = cursor_available(c, 8);
		enum outcome o;

		if (have >= 4 && s->wire == WIRE_BETA && !le32(c->pos)) {
			c->pos += 4;
			s->heartbeats++;
			continue;
		}
		if (have < 4 || !is_head(s, c->pos)) {
			skip(s, c);
			continue;
		}
		o = miku_tcp_next_message(s, c, &used);
		if (o == GOOD) {
			c->pos += used;
			st = miku_tcp_push_message(s, e);
			continue;
		}
		s->bad += o == BAD;
		s->unknown += o == UNKNOWN;
		s->cut += o == SHORT;
		s->m.names.lossy |= o != UNKNOWN;
		skip(s, c);
	}
	return st ? st : cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status miku_tcp_finish(struct stream *s, struct err *e)
{
	struct import *im = s->m.im;
	struct trace *t = im->t;
	enum status st = ST_OK;

	if (im->begun)
		st = miku_refs_push(&s->refs, &s->m.names, im, e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, s->bad, "messages are damaged: left out"),
	    LOSS(NOTE_LOSS, s->cut, "messages have no end: left out"),
	    LOSS(NOTE_LOSS, s->unknown, "messages have an unknown kind: left out"),
	    LOSS(NOTE_LOSS, s->skipped, "bytes belong to no readable message"),
	    LOSS(NOTE_INFO, s->heartbeats, "heartbeats"),
	    LOSS(NOTE_INFO, s->disconnects, "ends of a connection"),
	    LOSS(NOTE_INFO, s->commands, "commands to the game"),
	};

	TRACE_LOSSES(t, losses);
	if (im->begun)
		miku_end(&s->m);
	for (size_t i = 0; !st && i < s->n_diffs; i++)
		st = miku_diff_push(&s->diffs[i], &s->m.names, i + 1, im, e);
	return st;
}

static enum status miku_tcp_read_stream(struct import *im, struct err *e)
{
	struct cursor *c = &im->in->cur;
	size_t n = cursor_available(c, WINDOW);
	struct stream s = {0};
	enum status st;

	miku_init(&s.m, im);
	if (!cursor_failed(c) && !find_wire(&s.wire, &s.evidence, c->pos, n < WINDOW ? n : WINDOW))
		return err_at(e, ST_BAD, 0,
			      "the stream has no readable message of "
			      "Miku-LuaProfiler");
	s.m.layout = layout_of(s.wire);
	s.m.old = s.wire != WIRE_4;
	st = miku_tcp_messages(&s, e);
	if (im->t)
		st = st ? st : miku_tcp_finish(&s, e);
	release(&s);
	return st;
}

static int miku_tcp_bid_stream(const uint8_t *head, size_t n, bool whole)
{
	struct miku_evidence v;
	enum wire wire;
	uint32_t first = n >= 8 ? le32(head) : 0;

	(void)whole;
	if (n < 8 ||
	    (first != HEAD_4 && first != HEAD_OLD && !memmem(head, n, "\x14\x45\x11\0", 4) &&
	     !memmem(head, n, "\x33\x33\x33\x23", 4)))
		return 0;
	if (find_wire(&wire, &v, head, n))
		return first == HEAD_4 || first == HEAD_OLD ? 64 : 30;
	return 0;
}

const struct reader reader_miku_tcp = {
    .name = "miku-tcp",
    .family = "Miku-LuaProfiler",
    .page = "miku",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_STACKS | CAPABILITY_CALLS |
		    CAPABILITY_TIME | CAPABILITY_FRAMES | CAPABILITY_COUNTERS | CAPABILITY_OBJECTS,
    .what = "Miku-LuaProfiler: dump of the network stream (v2.3.3 to 4.x)",
    .suffixes = "bin,tcp",
    .guesses = true,
    .cut = CUT_NEVER, /* which wire it is, is tried over many messages; diffs come last */
    .bid = miku_tcp_bid_stream,
    .read = miku_tcp_read_stream,
};
