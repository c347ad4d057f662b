/* SPDX-License-Identifier: MIT */
#include "lib/pack/zstd.h"

#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct zstd {
	ZSTD_DStream *stream;
	ZSTD_CCtx *packer; /* NULL: nothing has been packed yet */
	uint8_t *tried;    /* what the other level made */
	size_t cap_tried;
};

/* The quick level takes a third of the time, and packing is a fifth of that of most imports. Of some tables and columns it
 * makes half as much again: it is used where it makes an eighth more at most. */
enum {
	LEVEL = 3,
	LEVEL_QUICK = 1,
	TRIED_EVERY = 16,
	TRIED_LEAST = 4096,
	WORSE_MOST = 8,
	WORTH = 8
};

static void zstd_end_stream(void *stream)
{
	ZSTD_freeDStream(stream);
}

static void zstd_end_packer(void *packer)
{
	ZSTD_freeCCtx(packer);
}

struct zstd *zstd_new(void)
{
	struct zstd *z = mem_zalloc(sizeof *z);

	z->stream = ZSTD_createDStream();
	if (!z->stream)
		mem_exhausted();
	resource_scope_hold(z->stream, zstd_end_stream);
	return z;
}

void zstd_free(struct zstd *z)
{
	if (!z)
		return;
	resource_scope_forget(z->stream);
	zstd_end_stream(z->stream);
	if (z->packer) {
		resource_scope_forget(z->packer);
		zstd_end_packer(z->packer);
	}
	free(z->tried);
	free(z);
}

const char *zstd_unpack(struct zstd *z, struct inflate_to *to, const uint8_t *in, size_t n)
{
	ZSTD_inBuffer from = {in, n, 0};

	for (;;) {
		ZSTD_outBuffer out = {0};
		size_t before = from.pos;
		uint8_t *place;

		out.size = to->room(to, &place);
		if (!out.size) /* what is wrong the caller sees */
			return NULL;
		out.dst = place;
		if (ZSTD_isError(ZSTD_decompressStream(z->stream, &out, &from)))
			return "broken zstd stream";
		to->took(to, out.pos);
		if (from.pos == before && !out.pos)
			return NULL;
	}
}

size_t zstd_pack(struct zstd *z, void *out, size_t room, const void *in, size_t n, int level)
{
	size_t size;

	if (!z->packer) {
		z->packer = ZSTD_createCCtx();
		if (!z->packer)
			mem_exhausted();
		resource_scope_hold(z->packer, zstd_end_packer);
	}
	size = ZSTD_compressCCtx(z->packer, out, room, in, n, level);
	if (ZSTD_isError(size) && ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation)
		mem_exhausted();
	return ZSTD_isError(size) ? 0 : size;
}

size_t zstd_pack_paced(struct zstd *z, struct zstd_pace *pace, void *out, size_t room,
		       const void *in, size_t n)
{
	size_t packed, quick;

	if (n < TRIED_LEAST)
		return zstd_pack(z, out, room, in, n, LEVEL);
	if (pace->left) {
		pace->left--;
		return zstd_pack(z, out, room, in, n, pace->quick ? LEVEL_QUICK : LEVEL);
	}
	packed = zstd_pack(z, out, room, in, n, LEVEL);
	z->tried = mem_grow(z->tried, &z->cap_tried, room, 1);
	quick = zstd_pack(z, z->tried, room, in, n, LEVEL_QUICK);
	pace->left = TRIED_EVERY - 1;
	/* what repeats itself so much is soon packed, and is worth it */
	pace->quick = packed > n / WORTH ? quick && quick <= packed + packed / WORSE_MOST : !packed;
	return packed;
}

bool zstd_unpack_whole(struct zstd *z, void *out, size_t n, const void *in, size_t packed)
{
	/* Of several frames it would take them all. */
	size_t frame = ZSTD_findFrameCompressedSize(in, packed), got;

	if (frame != packed)
		return false;
	got = ZSTD_decompressDCtx(z->stream, out, n, in, packed);
	if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		mem_exhausted();
	return got == n;
}
