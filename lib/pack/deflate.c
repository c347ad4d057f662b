/* SPDX-License-Identifier: MIT */
#include "lib/pack/deflate.h"

#include "lib/base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

/* Ours, and so the scope's (resource_scope.h). */
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

enum {
	GZIP_WINDOW = 15 + 16,
	GZIP_FIRST = 0x1f
}; /* zlib's way to say gzip; a member's first byte */

struct gunzip {
	z_stream z;
	ssize_t (*read)(void *arg, const void **p);
	void *arg;
	const char *error;
	uint64_t used;
	bool inside, ended; /* a member; the file */
	uint8_t out[256 << 10];
};

struct gunzip *gunzip_new(ssize_t (*read)(void *arg, const void **p), void *arg)
{
	struct gunzip *g = mem_alloc(sizeof *g);

	*g = (struct gunzip){.read = read, .arg = arg, .inside = true};
	g->z.zalloc = deflate_zlib_alloc;
	g->z.zfree = deflate_zlib_free;
	if (inflateInit2(&g->z, GZIP_WINDOW) != Z_OK)
		g->error = "zlib: out of memory";
	return g;
}

/* Whether there is input; otherwise the file has ended. -1: it cannot be read. */
static int gunzip_fill(struct gunzip *g)
{
	const void *p;
	ssize_t got;

	if (g->z.avail_in)
		return 1;
	got = g->read(g->arg, &p);
	if (got <= 0)
		return (int)got;
	g->z.next_in = (Bytef *)(uintptr_t)p;
	g->z.avail_in = (uInt)got;
	return 1;
}

/* What decompresses one piece of input. */
static void gunzip_inflate(struct gunzip *g)
{
	uInt before = g->z.avail_in;
	int r = inflate(&g->z, Z_NO_FLUSH);

	g->used += before - g->z.avail_in;
	if (r == Z_STREAM_END)
		g->inside = false;
	else if (r != Z_OK && r != Z_BUF_ERROR)
		g->error = g->z.msg ? g->z.msg : "damaged gzip input";
}

ssize_t gunzip_next(struct gunzip *g, const void **p)
{
	size_t n = 0;

	*p = g->out;
	g->z.next_out = g->out;
	g->z.avail_out = sizeof g->out;
	while (!g->error && !g->ended && !n) {
		int more = gunzip_fill(g);

		if (more < 0)
			return -1;
		if (!more && g->inside)
			g->error = "truncated gzip input";
		else if (!more || (!g->inside && *g->z.next_in != GZIP_FIRST))
			g->ended = true;
		else if (!g->inside && inflateReset(&g->z) != Z_OK)
			g->error = "damaged gzip input";
		else {
			g->inside = true;
			gunzip_inflate(g);
		}
		n = sizeof g->out - g->z.avail_out;
	}
	return n ? (ssize_t)n : g->error ? -1 : 0;
}

uint64_t gunzip_used(const struct gunzip *g)
{
	return g->used;
}

const char *gunzip_error(const struct gunzip *g)
{
	return g->error;
}

void gunzip_free(struct gunzip *g)
{
	if (!g)
		return;
	inflateEnd(&g->z);
	free(g);
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
