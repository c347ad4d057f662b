/* SPDX-License-Identifier: MIT
 *
 * lua_Alloc logs, binary: tracemill-lualloc(5) is the definition. Little-endian, a head of 32
 * bytes, then records of 56, in the order in which the calls returned:
 *
 *	head    "LUALLOC\0", u16 version 1, u16 record size, u8 Lua version (54) or 0, u8 flags,
 *	        u16 0, i64 ns of a time tick, u64 heap in use before the log
 *	record  u64 ud, ptr, osize, nsize, result, i64 time, u32 frame, u32 kind
 */
#include "formats/lua/lualloc.h"

#include <inttypes.h>

enum { HEAD_SIZE = 32, RECORD_SIZE = 56, RECORD_MOST = 4096 };
enum { HAS_UD = 1, HAS_TIME = 2, HAS_FRAME = 4, HAS_RESULT = 8, HAS_HEAP = 16, FLAGS = 31 };
enum { KIND_ABSENT = -1, KIND_END = -2, KIND_FRAME = -3 };
static const char magic[8] = "LUALLOC";

struct head {
	uint16_t size;
	uint8_t flags;
	int64_t tick;
	uint64_t heap;
};

static enum status lualloc_binary_read_head(struct cursor *c, struct lualloc *l, struct head *h,
					    struct err *e)
{
	const uint8_t *p = cursor_bytes(c, sizeof magic, "lua_Alloc log");
	uint16_t version;

	if (!p)
		return err_failure(e);
	if (memcmp(p, magic, sizeof magic) != 0)
		return err_at(e, ST_BAD, 0, "does not begin with LUALLOC");
	version = cursor_u16(c);
	h->size = cursor_u16(c);
	l->lua = cursor_u8(c);
	h->flags = cursor_u8(c);
	cursor_u16(c);
	h->tick = (int64_t)cursor_u64(c);
	h->heap = cursor_u64(c);
	if (cursor_failed(c))
		return err_failure(e);
	if (version != 1)
		return err_at(e, ST_UNSUPPORTED, 8,
			      "unknown lua_Alloc log version %u: "
			      "tracemill reads version 1",
			      version);
	if (h->size < RECORD_SIZE || h->size > RECORD_MOST)
		return err_at(e, ST_BAD, 10, "impossible record size: %u bytes", h->size);
	if (h->flags & ~FLAGS || h->heap > INT64_MAX ||
	    (h->flags & HAS_TIME && (h->tick < 1 || h->tick > 1000000000)))
		return err_at(e, ST_BAD, 13,
			      "lua_Alloc log: the header has impossible flags, "
			      "tick or heap");
	return ST_OK;
}

static enum status lualloc_binary_read_records(struct cursor *c, struct lualloc *l,
					       const struct head *h, bool *has_end, uint64_t *end,
					       uint64_t *bad_times, struct err *e)
{
	enum status st = ST_OK;

	while (!st && !*has_end && !cursor_done(c)) {
		struct lualloc_record r = {
		    .has = h->flags & (LUALLOC_UD | LUALLOC_TIME | LUALLOC_FRAME | LUALLOC_RESULT)};
		int32_t kind;

		if (cursor_available(c, h->size) < h->size) {
			cursor_skip(c, h->size, "record");
			break;
		}
		r.ud = cursor_u64(c);
		r.ptr = cursor_u64(c);
		r.osize = cursor_u64(c);
		r.nsize = cursor_u64(c);
		r.result = cursor_u64(c);
		r.time = (int64_t)cursor_u64(c);
		r.frame = cursor_u32(c);
		kind = (int32_t)cursor_u32(c);
		cursor_skip(c, h->size - RECORD_SIZE, "record");
		if ((r.has & LUALLOC_TIME) && __builtin_mul_overflow(r.time, h->tick, &r.time)) {
			++*bad_times;
			r.has &= (uint8_t)~LUALLOC_TIME;
		}
		if (kind == KIND_END) {
			*has_end = true;
			*end = r.nsize;
		} else if (kind == KIND_FRAME) {
			st = lualloc_frame(l, r.frame, r.has & LUALLOC_TIME, r.time, e);
		} else {
			if (kind != KIND_ABSENT)
				r.kind = lualloc_kind_number(l, (uint32_t)kind);
			st = lualloc_record(l, &r, e);
		}
	}
	return cursor_failed(c) ? err_failure(e) : st;
}

static enum status lualloc_binary_read(struct import *im, struct err *e)
{
	struct lualloc l = {.im = im};
	struct head h = {.size = 0};
	struct err later = ERR_INIT;
	uint64_t end = 0, bad_times = 0;
	bool has_end = false;
	enum status st = lualloc_binary_read_head(&im->in->cur, &l, &h, e), out;

	l.no_addresses = !(h.flags & HAS_RESULT);
	if (!st)
		st = lualloc_begin(&l, h.flags & HAS_HEAP ? &h.heap : NULL, e);
	if (!st)
		st = lualloc_binary_read_records(&im->in->cur, &l, &h, &has_end, &end, &bad_times,
						 e);
	if (im->begun && im->t) {
		out = lualloc_end(&l, has_end ? &end : NULL, &later);
		if (out && !st) {
			st = out;
			*e = later;
		}
		if (bad_times)
			trace_note(im->t, NOTE_LOSS, bad_times,
				   "records have a time above 292 years");
	}
	lualloc_release(&l);
	return st;
}

static int lualloc_binary_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= sizeof magic && !memcmp(head, magic, sizeof magic) ? 64 : 0;
}

const struct reader reader_lualloc_binary = {
    .name = "lualloc-bin",
    .family = "Lua",
    .page = "lualloc",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES | CAPABILITY_FRAMES,
    .what = "lua_Alloc log, binary: one record for each call of Lua's allocator",
    .suffixes = "lualloc,bin",
    .cut = CUT_BUT_LAST, /* bytes and blocks in use, while a tick is not over */
    .bid = lualloc_binary_bid,
    .read = lualloc_binary_read,
};
