/* SPDX-License-Identifier: MIT */
#include "lib/base/zstd.h"

#include "lib/base/mem.h"
#include "lib/base/zone.h"

#include <stdlib.h>
#include <zstd.h>

struct zstd {
	ZSTD_DStream *stream;
};

static void end_stream(void *stream)
{
	ZSTD_freeDStream(stream);
}

struct zstd *zstd_new(void)
{
	struct zstd *z = mem_zalloc(sizeof *z);

	z->stream = ZSTD_createDStream();
	if (!z->stream)
		mem_exhausted();
	zone_hold(z->stream, end_stream);
	return z;
}

void zstd_free(struct zstd *z)
{
	if (z) {
		zone_forget(z->stream);
		end_stream(z->stream);
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
