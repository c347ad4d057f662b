/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's desktop cache (cache_N.bin), left behind by a crashed session: blocks of
 * records, big-endian, no frees, no names. A record that was taken without its stack has only
 * the hash of its library's name.
 */
#include "formats/loli/loli.h"

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
	struct location at = {.space = SPACE_NAME};
	uint32_t *stack;
	char text[32];
	int n;

	if (!hash)
		return 0;
	s->hashed++;
	stack = map64_put(&s->libraries, hash);
	if (!*stack) {
		n = snprintf(text, sizeof text, "library %08" PRIx32, hash);
		at.name = trace_string(t, text, (size_t)n);
		*stack = trace_stack(t, 0, trace_location(t, &at));
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
		return e->code;
	r = fixed_part(p);
	if (!plausible(&r))
		return err_at(e, ST_BAD, offset, "a record of type %u with %u frames", r.type, r.n);
	if (r.n) {
		frames = cursor_bytes(c, (size_t)r.n * 8, "stack of a record");
		if (!frames)
			return e->code;
		key = loli_key_bytes(frames, r.n * 8u);
	}
	if (!l->im->begun && loli_begin(l, e))
		return e->code;
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
			return err_at(e, ST_BAD, offset, "a block of %d records", (int32_t)count);
		for (uint32_t i = 0; i < count; i++) {
			enum status st = loli_cache_one_record(s, c, e);

			if (st)
				return st;
		}
	}
	return cursor_failed(c) ? e->code : ST_OK;
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

/* The fields with few values in as many records as the head holds: each is about 30 bits. */
static int loli_cache_bid(const uint8_t *head, size_t n, bool whole)
{
	uint32_t count = n >= 4 ? be32(head) : 0, left = count;
	size_t at = 4, frames = 0;
	int sound = 0;

	if (!count || count > INT32_MAX)
		return 0;
	while (sound < 4 && n - at >= RECORD_SIZE) {
		struct cached r;

		if (!left) { /* another block */
			left = be32(head + at);
			at += 4;
			if (left > INT32_MAX)
				break;
			continue;
		}
		r = fixed_part(head + at);
		if (!plausible(&r) || !r.seq || !r.addr || !r.size || r.time < 0 || r.time >> 40)
			break;
		if (r.n * 8u > n - at - RECORD_SIZE && whole)
			break;
		at += RECORD_SIZE + r.n * 8u;
		left--;
		sound++;
		frames += r.n;
		if (at > n)
			break;
	}
	/* Zeros between numbers are as plausible. */
	if (sound == 1 && !frames && whole && (left || at != n))
		return 0;
	return sound ? 18 + 6 * sound + (whole && !left && at == n ? 10 : 0) : 0;
}

const struct reader reader_loli_cache = {
    .name = "loli-cache",
    .family = "LoliProfiler",
    .carries =
	CARRIES_ALLOCATIONS | CARRIES_LIVE | CARRIES_STACKS | CARRIES_TIME | CARRIES_ADDRESSES,
    .what = "LoliProfiler: cache file of the desktop program",
    .suffixes = "bin",
    .bid = loli_cache_bid,
    .read = loli_cache_read,
};
