/* SPDX-License-Identifier: MIT */
#include "lib/base/zstd.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <zstd.h>

struct zstd {
	ZSTD_DStream *stream;
	ZSTD_CCtx *packer; /* NULL: nothing has been packed yet */
};

struct zstd *zstd_new(void)
{
	struct zstd *z = mem_zalloc(sizeof *z);

	z->stream = ZSTD_createDStream();
	if (!z->stream)
		mem_exhausted();
	return z;
}

void zstd_free(struct zstd *z)
{
	if (z)
		ZSTD_freeDStream(z->stream);
	if (z)
		ZSTD_freeCCtx(z->packer);
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

	if (!z->packer)
		z->packer = ZSTD_createCCtx();
	if (!z->packer)
		mem_exhausted();
	size = ZSTD_compressCCtx(z->packer, out, room, in, n, level);
	return ZSTD_isError(size) ? 0 : size;
}

bool zstd_unpack_whole(struct zstd *z, void *out, size_t n, const void *in, size_t packed)
{
	/* Of several frames it would take them all. */
	size_t frame = ZSTD_findFrameCompressedSize(in, packed);

	return frame == packed && ZSTD_decompressDCtx(z->stream, out, n, in, packed) == n;
}
