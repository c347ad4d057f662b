/* SPDX-License-Identifier: MIT */
#include "lib/pack/deflate.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <zlib.h>

/* Ours, and so the zone's (zone.h). */
static void *deflate_zlib_alloc(void *arg, unsigned n, unsigned size)
{
	(void)arg;
	return calloc(n, size);
}

static void deflate_zlib_free(void *arg, void *p)
{
	(void)arg;
	free(p);
}

static const char *inflate_any(struct inflate_to *to, const uint8_t *in, size_t n, int window)
{
	z_stream z = {.zalloc = deflate_zlib_alloc, .zfree = deflate_zlib_free};
	int r = Z_OK;

	if (inflateInit2(&z, window) != Z_OK)
		return "zlib: out of memory";
	z.next_in = (Bytef *)(uintptr_t)in;
	while (r == Z_OK) {
		uint8_t *place;
		size_t room = to->room(to, &place), chunk = room < UINT32_MAX ? room : UINT32_MAX;

		if (!room || (!z.avail_in && !n))
			break;
		if (!z.avail_in) {
			z.avail_in = n < UINT32_MAX ? (uInt)n : UINT32_MAX;
			n -= z.avail_in;
		}
		z.next_out = place;
		z.avail_out = (uInt)chunk;
		r = inflate(&z, Z_NO_FLUSH);
		to->took(to, chunk - z.avail_out);
	}
	inflateEnd(&z);
	return r == Z_OK || r == Z_STREAM_END ? NULL : "broken zlib stream";
}

const char *inflate_zlib(struct inflate_to *to, const uint8_t *in, size_t n)
{
	return inflate_any(to, in, n, MAX_WBITS);
}

const char *inflate_raw(struct inflate_to *to, const uint8_t *in, size_t n)
{
	return inflate_any(to, in, n, -MAX_WBITS); /* zlib's way to say so */
}

uint32_t crc32_add(uint32_t crc, const void *p, size_t n)
{
	return (uint32_t)crc32_z(crc, p, n);
}

struct gzip {
	z_stream z;
	FILE *out;
	struct err e;
	uint8_t packed[1 << 16];
};

struct gzip *gzip_new(FILE *out)
{
	struct gzip *g = mem_zalloc(sizeof *g);
	enum { GZIP_WINDOW = 15 + 16 };

	g->out = out;
	g->e = (struct err)ERR_INIT;
	if (deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		err_set(&g->e, ST_LIMIT, "zlib: out of memory");
	return g;
}

static void deflate_pack(struct gzip *g, const void *p, size_t n, int flush)
{
	const uint8_t *from = p;

	do {
		uInt chunk = n < (1u << 30) ? (uInt)n : 1u << 30;

		g->z.next_in = (Bytef *)(uintptr_t)from;
		g->z.avail_in = chunk;
		from += chunk;
		n -= chunk;
		do {
			g->z.next_out = g->packed;
			g->z.avail_out = sizeof g->packed;
			deflate(&g->z, n ? Z_NO_FLUSH : flush);
			if (!fwrite(g->packed, sizeof g->packed - g->z.avail_out, 1, g->out) &&
			    g->z.avail_out < sizeof g->packed) {
				err_sys(&g->e, "write");
				return;
			}
		} while (!g->z.avail_out);
	} while (n);
}

void gzip_write(struct gzip *g, const void *p, size_t n)
{
	if (!g->e.code && n)
		deflate_pack(g, p, n, Z_NO_FLUSH);
}

enum status gzip_finish(struct gzip *g, struct err *e)
{
	if (!g->e.code)
		deflate_pack(g, "", 0, Z_FINISH);
	if (g->e.code)
		*e = g->e;
	return g->e.code;
}

void gzip_free(struct gzip *g)
{
	if (!g)
		return;
	deflateEnd(&g->z);
	free(g);
}
