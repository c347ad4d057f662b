/* SPDX-License-Identifier: MIT */
#include "lib/pack/zstd.h"

#include "lib/base/mem.h"
#include "lib/base/zone.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct zstd {
	ZSTD_DStream *stream;
	ZSTD_CCtx *packer; /* NULL: nothing has been packed yet */
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
	zone_hold(z->stream, zstd_end_stream);
	return z;
}

void zstd_free(struct zstd *z)
{
	if (!z)
		return;
	zone_forget(z->stream);
	zstd_end_stream(z->stream);
	if (z->packer) {
		zone_forget(z->packer);
		zstd_end_packer(z->packer);
	}
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
		zone_hold(z->packer, zstd_end_packer);
	}
	size = ZSTD_compressCCtx(z->packer, out, room, in, n, level);
	if (ZSTD_isError(size) && ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation)
		mem_exhausted();
	return ZSTD_isError(size) ? 0 : size;
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
