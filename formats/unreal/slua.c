/* SPDX-License-Identifier: MIT
 *
 * sluaunreal's .sluastat, version 4 (2024-07-03 on): i32 4, two i32 of the view, then blocks to
 * the end of the file: i32 raw size, i32 packed size, bytes. They are zlib in builds with Unreal
 * Engine up to 4.26, and Oodle from 4.27 on, which nothing free unpacks. A block holds frames, each
 * with u8 0 before it; u8 1 is the end. A frame:
 *
 *	i32 n, n x {u32 id, FString}               names that are new
 *	i32 n, n nodes: u32 file, u32 function, i32 line, i64 us, i32 calls, i32 depth,
 *			i32 n, n x {the child's file, function and line again, node}
 *	f64 kB of 1024 bytes                       what Lua has in use
 *	i32 n, n x {u32 file, i32 n, n x {i32 line, size}}
 *	i32 n, n x {u32 file, size}                size: u32 file, i32 line, f32 bytes, f32
 *
 * The first list of sizes is everything in every 60th frame from the first, else what changed;
 * but a free of a line that did not allocate in that frame is missing from it. The second list is
 * everything by file, always. So a frame's change by line is put right by its file's, and what
 * no line explains is the file's without a line, until the next full list.
 *
 * Facts: SluaProfilerDataManager.cpp, ProfileDataDefine.cpp and .h of Tencent/sluaunreal, commit
 * 7970ab7; how Unreal archives a TMap (i32 n, n x {key, value}). No file of a game was to be had.
 */
#include "formats/unreal/slua_frame.h"
#include "lib/base/bytes.h"

#include "lib/base/mem.h"
#include "lib/pack/deflate.h"

#include <inttypes.h>
#include <stdlib.h>

enum { VERSION = 4, RAW_MOST = 256 << 20, ZLIB_RATIO = 1032 };

struct unpacked {
	struct inflate_to to;
	uint8_t *bytes;
	size_t n, cap;
};

static size_t slua_room(struct inflate_to *to, uint8_t **place)
{
	struct unpacked *u = (struct unpacked *)to;

	*place = u->bytes + u->n;
	return u->cap - u->n;
}

static void slua_consumed(struct inflate_to *to, size_t n)
{
	((struct unpacked *)to)->n += n;
}

static bool is_zlib(const uint8_t *p, size_t n)
{
	return n >= 2 && (p[0] & 15) == 8 && p[0] >> 4 <= 7 && (p[0] << 8 | p[1]) % 31 == 0;
}

/* Oodle's blocks begin with a byte whose low half is 12. */
static enum status refuse(const uint8_t *p, size_t n, uint64_t offset, struct err *e)
{
	if (n && (p[0] & 15) == 12)
		return err_at(e, ST_UNSUPPORTED, offset,
			      "the blocks are compressed with Oodle, as in Unreal Engine 4.27 "
			      "and later, and no free program unpacks Oodle: record with an "
			      "engine up to 4.26");
	return err_at(e, ST_UNSUPPORTED, offset, "the blocks are not compressed with zlib");
}

static enum status slua_read_block(struct slua *s, struct cursor *c, uint64_t offset, struct err *e)
{
	int32_t raw = (int32_t)cursor_u32(c), packed = (int32_t)cursor_u32(c);
	struct unpacked u = {.to = {slua_room, slua_consumed}};
	struct err inside = ERR_INIT;
	struct cursor inner;
	const uint8_t *p;
	const char *broken;
	enum status st;

	if (cursor_failed(c))
		return err_failure(e);
	if (raw < 1 || raw > RAW_MOST || packed < 2 || (int64_t)packed * ZLIB_RATIO + 64 < raw)
		return err_at(e, ST_BAD, offset,
			      "impossible block size: %" PRId32 " bytes, %" PRId32 " "
			      "compressed",
			      raw, packed);
	p = cursor_bytes(c, (size_t)packed, "block");
	if (!p)
		return err_failure(e);
	if (!is_zlib(p, (size_t)packed))
		return refuse(p, (size_t)packed, offset + 8, e);
	u.cap = (size_t)raw;
	u.bytes = mem_alloc(u.cap);
	broken = inflate_zlib(&u.to, p, (size_t)packed);
	cursor_init(&inner, u.bytes, u.n, 0, &inside);
	st = slua_frames(s, &inner, e);
	if (!broken && u.n != u.cap)
		broken = "the block has fewer bytes than it states";
	if (!st && (broken || cursor_failed(&inner))) {
		trace_note(s->im->t, NOTE_LOSS, 0,
			   "the block at byte %" PRIu64 " is damaged: %s; the rest of the "
			   "block was left out",
			   offset, broken ? broken : inside.msg);
		s->lost = true;
	}
	free(u.bytes);
	return st;
}

static enum status slua_read(struct import *im, struct err *e)
{
	struct slua s = {.im = im};
	struct cursor *c = &im->in->cur;
	int32_t version = (int32_t)cursor_u32(c);
	enum status st = ST_OK;

	cursor_skip(c, 8, "head");
	if (cursor_failed(c))
		return err_failure(e);
	if (version != VERSION)
		return err_at(e, ST_UNSUPPORTED, 0,
			      "unknown .sluastat version %" PRId32 ": tracemill reads version "
			      "4",
			      version);
	trace_set(im->t, "slua.version", "4");
	trace_metric(im->t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(im->t, METRIC_NET, METRIC_EXACT, METRIC_AT_ALL);
	st = import_begin(im, e);
	while (!st && !cursor_done(c))
		st = slua_read_block(&s, c, cursor_offset(c), e);
	if (!st && cursor_failed(c))
		st = err_failure(e);
	slua_notes(&s);
	slua_release(&s);
	return st;
}

static int slua_bid(const uint8_t *head, size_t n, bool whole)
{
	uint32_t raw, packed;

	(void)whole;
	if (n < 22 || !head[0] || head[0] > 9 || head[1] || head[2] || head[3])
		return 0;
	raw = le32(head + 12);
	packed = le32(head + 16);
	if (!raw || raw > RAW_MOST || packed < 2 || packed > RAW_MOST ||
	    (uint64_t)packed * ZLIB_RATIO + 64 < raw)
		return 0;
	if (head[0] != VERSION) /* to refuse it by name */
		return is_zlib(head + 20, n - 20) ? 20 : 0;
	if (is_zlib(head + 20, n - 20))
		return 44;
	return (head[20] & 15) == 12 ? 36 : 0;
}

const struct reader reader_slua = {
    .name = "slua",
    .family = "Unreal Engine",
    .page = "elua",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_STACKS | CAPABILITY_CALLS |
		    CAPABILITY_TIME | CAPABILITY_FRAMES,
    .what = "sluaunreal .sluastat (version 4, zlib): Lua calls and bytes by frame",
    .suffixes = "sluastat",
    .guesses = true,
    .bid = slua_bid,
    .read = slua_read,
};
