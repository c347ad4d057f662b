/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's desktop cache (cache_N.bin), left behind by a crashed session: blocks of
 * records, big-endian, no frees, no names. A record that was taken without its stack has only
 * the hash of its library's name.
 */
#include "formats/loli/loli.h"

#include "formats/emit.h"
#include <inttypes.h>
#include <stdio.h>

/* A record without its frames; no agent sends more frames than fit into a record of a stream. */
enum { RECORD_SIZE = 33, FRAMES_MAX = 8188 };

struct cached {
	uint32_t seq, size, library, n;
	uint64_t addr;
	int64_t time;
	uint8_t type;
};

static struct cached fixed_part(const uint8_t *p)
{
	return (struct cached){.seq = be32(p),
			       .addr = be64(p + 4),
			       .size = be32(p + 12),
			       .time = (int64_t)be64(p + 16),
			       .library = be32(p + 24),
			       .type = p[28],
			       .n = be32(p + 29)};
}

static bool plausible(const struct cached *r)
{
	return r->type <= 1 && r->n <= FRAMES_MAX && (r->type || !r->n);
}

struct cache {
	struct loli l;
	struct map64 libraries; /* hash of a library's name -> stack */
	uint64_t hashed;
};

/* The name cannot be had back from its hash, but records of one library stay together. */
static uint32_t loli_cache_hashed_library(struct cache *s, uint32_t hash)
{
	struct trace *t = s->l.im->t;
	uint32_t *stack;
	char text[32];
	int n;

	if (!hash)
		return 0;
	s->hashed++;
	stack = map64_put(&s->libraries, hash);
	if (!*stack) {
		n = snprintf(text, sizeof text, "library %08" PRIx32, hash);
		*stack = trace_stack(t, 0, emit_named(t, trace_string(t, text, (size_t)n), 0, 0));
	}
	return *stack;
}

static enum status loli_cache_one_record(struct cache *s, struct cursor *c, struct err *e)
{
	uint64_t offset = cursor_offset(c), seq;
	const uint8_t *p = cursor_bytes(c, RECORD_SIZE, "record"), *frames = NULL;
	struct loli *l = &s->l;
	struct loli_key key = {0};
	struct cached r;
	uint32_t stack;

	if (!p)
		return err_failure(e);
	r = fixed_part(p);
	if (!plausible(&r))
		return err_at(e, ST_BAD, offset, "impossible record: type %u with %u frames",
			      r.type, r.n);
	if (r.n) {
		frames = cursor_bytes(c, (size_t)r.n * 8, "stack of a record");
		if (!frames)
			return err_failure(e);
		key = loli_key_bytes(frames, r.n * 8u);
	}
	if (!l->im->begun && loli_begin(l, e))
		return err_failure(e);
	seq = loli_seqs_extend(&l->seqs, r.seq);
	if (!loli_seqs_add(&l->seqs, seq))
		l->repeated++;
	stack = r.type ? loli_runtime_stack(l, key, frames, r.n, true)
		       : loli_cache_hashed_library(s, r.library);
	return loli_alloc(l, seq, r.time, r.size, r.addr, stack, e);
}

static enum status loli_cache_blocks(struct cache *s, struct err *e)
{
	struct cursor *c = &s->l.im->in->cur;

	while (!cursor_done(c)) {
		uint64_t offset = cursor_offset(c);
		const uint8_t *p = cursor_bytes(c, 4, "block");
		uint32_t count = p ? be32(p) : 0;

		if (count > INT32_MAX)
			return err_at(e, ST_BAD, offset,
				      "impossible number of records in a "
				      "block: %d",
				      (int32_t)count);
		for (uint32_t i = 0; i < count; i++) {
			enum status st = loli_cache_one_record(s, c, e);

			if (st)
				return st;
		}
	}
	return cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status loli_cache_read(struct import *im, struct err *e)
{
	struct cache s = {0};
	enum status st = loli_init(&s.l, im, "loli-cache", LOLI_FREES_NONE, e);

	if (!st)
		loli_needs_maps(&s.l);
	if (!st)
		st = loli_cache_blocks(&s, e);
	if (!st && !im->begun)
		st = loli_begin(&s.l, e);
	if (s.hashed)
		trace_note(im->t, NOTE_INFO, s.hashed,
			   "records have the hash of a library's name instead of a stack");
	loli_end(&s.l);
	map64_release(&s.libraries);
	loli_release(&s.l);
	return st;
}

/* Return addresses; what an unwinder puts behind the last may be 0. */
static bool are_frames(const uint8_t *p, size_t n)
{
	const uint64_t most = UINT64_C(1) << 56;

	if (!be64(p))
		return false;
	for (size_t i = 0; i < n; i++)
		if (be64(p + 8 * i) >= most)
			return false;
	return true;
}

/* Every record of the head is one. Zeros between numbers are as plausible as a record without frames,
 * so one such record proves something only where the file ends with it. */
static int loli_cache_bid(const uint8_t *head, size_t n, bool whole)
{
	uint32_t left = n >= 4 ? be32(head) : 0;
	size_t at = 4, stacks = 0;
	int sound = 0;

	if (!left)
		return 0;
	while (n - at >= (left ? RECORD_SIZE : 4)) {
		size_t known, frames;
		struct cached r;

		if (!left) { /* another block */
			left = be32(head + at);
			at += 4;
			continue;
		}
		r = fixed_part(head + at);
		if (left > INT32_MAX || !plausible(&r) || !r.seq || !r.addr || !r.size ||
		    r.time < 0 || r.time >> 40)
			break;
		at += RECORD_SIZE;
		known = (n - at) / 8;
		frames = r.n < known ? r.n : known;
		if (frames && !are_frames(head + at, frames))
			break;
		stacks += frames > 0;
		sound++;
		left--;
		at = r.n > known ? n : at + r.n * 8u;
		if (r.n > known)
			break;
	}
	if (n - at >= RECORD_SIZE && sound < (stacks ? 2 : 8))
		return 0; /* too few records before bytes that are not one */
	if (whole && !left && at == n)
		return sound ? 28 + 6 * (sound < 4 ? sound : 4) : 0;
	return stacks || sound > 2 ? 18 + 6 * (sound < 4 ? sound : 4) : 0;
}

const struct reader reader_loli_cache = {
    .name = "loli-cache",
    .family = "LoliProfiler",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS | CAPABILITY_TIME |
		    CAPABILITY_ADDRESSES,
    .what = "LoliProfiler: cache file of the desktop program",
    .suffixes = "bin",
    .guesses = true,
    .bid = loli_cache_bid,
    .read = loli_cache_read,
};
