/* SPDX-License-Identifier: MIT
 *
 * A writer of LoliProfiler's formats, piece by piece, into a buffer: for the generator and for the
 * unit tests, which break the pieces. Nothing here is shared with the readers.
 */
#ifndef TM_TESTDATA_LOLI_BYTES_H
#define TM_TESTDATA_LOLI_BYTES_H

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "testdata/gen/gen.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline void put_be(struct buf *b, uint64_t v, unsigned n)
{
	while (n--)
		buf_addc(b, (char)(v >> 8 * n));
}

/* A QString of Latin-1 text. */
static inline void put_qstring(struct buf *b, const char *s)
{
	put_be(b, strlen(s) * 2, 4);
	for (; *s; s++)
		put_be(b, (unsigned char)*s, 2);
}

static inline void put_qnull(struct buf *b)
{
	put_be(b, UINT32_MAX, 4);
}

static inline void put_uuid(struct buf *b, uint32_t id)
{
	static const char digits[] = "0123456789abcdef";
	char text[] = "{00000000-5eed-4000-8000-00000000cafe}";

	for (int i = 8; i; i--, id >>= 4)
		text[i] = digits[id & 15];
	put_qstring(b, text);
}

/* Records of the stream, into a packet's raw buffer. */
static inline void put_free(struct buf *raw, uint32_t seq, uint64_t addr)
{
	put(raw, 13, 2);
	put(raw, 0, 1);
	put(raw, seq, 4);
	put(raw, addr, 8);
}

static inline void put_alloc_head(struct buf *raw, size_t tail, uint32_t seq, int64_t ms,
				  uint32_t size, uint64_t addr, int type)
{
	put(raw, 26 + tail, 2);
	put(raw, 1, 1);
	put(raw, seq, 4);
	put(raw, (uint64_t)ms, 8);
	put(raw, size, 4);
	put(raw, addr, 8);
	put(raw, (uint64_t)type, 1);
}

static inline void put_alloc(struct buf *raw, uint32_t seq, int64_t ms, uint32_t size,
			     uint64_t addr, const uint64_t *frames, size_t n)
{
	put_alloc_head(raw, n * 8, seq, ms, size, addr, 1);
	for (size_t i = 0; i < n; i++)
		put(raw, frames[i], 8);
}

static inline void put_alloc_library(struct buf *raw, uint32_t seq, int64_t ms, uint32_t size,
				     uint64_t addr, const char *library)
{
	put_alloc_head(raw, 2 + strlen(library), seq, ms, size, addr, 0);
	put(raw, strlen(library), 2);
	buf_adds(raw, library);
}

static inline void put_lz4_sequence(struct buf *out, const char *literals, size_t n, size_t match,
				    size_t offset)
{
	size_t extra = match ? match - 4 : 0, left;

	buf_addc(out, (char)((n < 15 ? n : 15) << 4 | (extra < 15 ? extra : 15)));
	if (n >= 15) {
		for (left = n - 15; left >= 255; left -= 255)
			buf_addc(out, (char)255);
		buf_addc(out, (char)left);
	}
	if (n)
		buf_add(out, literals, n);
	if (!match)
		return;
	put(out, offset, 2);
	if (extra >= 15) {
		for (left = extra - 15; left >= 255; left -= 255)
			buf_addc(out, (char)255);
		buf_addc(out, (char)left);
	}
}

/* An LZ4 block: greedy, one candidate per hash. */
static inline void put_lz4(struct buf *out, const char *p, size_t n)
{
	enum { BITS = 14 };
	uint32_t *seen = mem_zarray((size_t)1 << BITS, sizeof *seen);
	size_t at = 0, from = 0;

	while (n >= 13 && at < n - 12) {
		uint32_t word, *slot;
		size_t candidate, len = 4;

		memcpy(&word, p + at, 4);
		slot = &seen[word * 2654435761u >> (32 - BITS)];
		candidate = *slot;
		*slot = (uint32_t)at + 1;
		if (!candidate || at - (candidate - 1) > 65535 ||
		    memcmp(p + candidate - 1, p + at, 4) != 0) {
			at++;
			continue;
		}
		candidate--;
		while (at + len < n - 5 && p[candidate + len] == p[at + len])
			len++;
		put_lz4_sequence(out, p + from, at - from, len, at - candidate);
		at += len;
		from = at;
	}
	put_lz4_sequence(out, p + from, n - from, 0, 0);
	free(seen);
}

/* A packet around raw, which is emptied. typed: the framing since v1.0.1. */
static inline void put_packet(struct buf *out, struct buf *raw, bool typed)
{
	struct buf block = BUF_INIT;

	put_lz4(&block, raw->data, raw->len);
	put(out, block.len + (typed ? 8 : 4), 4);
	if (typed)
		put(out, 0, 4);
	put(out, raw->len, 4);
	buf_add(out, block.data, block.len);
	buf_release(&block);
	raw->len = 0;
}

static inline void put_command(struct buf *out)
{
	put(out, 8, 4);
	put(out, 1, 4);
	put(out, 0, 4);
}

/* A record of a cache file: n frames, or with none of a library's hash. */
static inline void put_cached(struct buf *out, uint32_t seq, uint64_t addr, uint32_t size,
			      int64_t ms, uint32_t library, int type, const uint64_t *frames,
			      uint32_t n)
{
	put_be(out, seq, 4);
	put_be(out, addr, 8);
	put_be(out, size, 4);
	put_be(out, (uint64_t)ms, 8);
	put_be(out, library, 4);
	put_be(out, (uint64_t)type, 1);
	put_be(out, n, 4);
	for (uint32_t i = 0; i < n; i++)
		put_be(out, frames[i], 8);
}

/* Pieces of a .loli file. */
static inline void put_loli_head(struct buf *out, uint32_t version)
{
	put_be(out, 0xA4B3C2D1, 4);
	put_be(out, version, 4);
}

static inline void put_loli_record(struct buf *out, uint32_t uuid, uint32_t seq, uint32_t ms,
				   uint32_t size, uint64_t addr, uint32_t library)
{
	put_uuid(out, uuid);
	put_be(out, seq, 4);
	put_be(out, ms, 4);
	put_be(out, size, 4);
	put_be(out, addr, 8);
	put_be(out, 0, 8);
	put_be(out, library, 4);
}

static inline void put_hex(struct buf *out, uint64_t v)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "0x%llx", (unsigned long long)v);
	put_qstring(out, buf_str(&text));
	buf_release(&text);
}

static inline void put_loli_range(struct buf *out, uint64_t lo, uint64_t hi, uint64_t offset)
{
	put_be(out, lo, 8);
	put_be(out, hi, 8);
	put_be(out, offset, 8);
}

static inline void put_zeros(struct buf *out, size_t n)
{
	while (n--)
		buf_addc(out, '\0');
}

#endif
