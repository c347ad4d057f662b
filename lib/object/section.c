/* SPDX-License-Identifier: MIT
 *
 * Contents of sections, decompressed: ELF's with zlib or zstd (SHF_COMPRESSED), and the older
 * .zdebug_NAME ("ZLIB", size as 8 big-endian bytes, a zlib stream).
 *
 * The size that a compressed section declares is a claim: it is refused when no stream of that
 * length could hold so much, or when it is more than is left of the process's allowance
 * (mem_budget.h); memory grows with what really comes out, or is taken at once when the claim is a
 * likely one. Large sections that are not compressed are mapped, and need none of the allowance.
 *
 * libdeflate takes half of zlib's time, but needs all of the output's memory from the start.
 */
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/object/impl.h"
#include "lib/pack/deflate.h"
#include "lib/pack/zstd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

enum { PACKED_ZLIB = 1, PACKED_ZSTD = 2 }; /* gABI, "Section Compression" */

/* Highest expansion per byte: a deflate block of one repeated match, a zstd block of 128 KiB of
 * one repeated byte in 4. */
#define RATIO_ZLIB 1032
#define RATIO_ZSTD 32768
/* Debug sections have two to ten times their compressed size. */
#define RATIO_LIKELY 32

struct inflated {
	struct inflate_to to; /* first */
	uint8_t *data;
	size_t len, cap, n_input;
	uint64_t want;
	bool refused; /* there is no more memory */
};

/* Room for more output, never more than was declared (and a byte, to notice too much). */
static size_t section_make_room(struct inflated *o, size_t n_input)
{
	uint64_t cap = o->cap ? (uint64_t)o->cap * 2 : (uint64_t)n_input * 6 + 4096;
	uint8_t *data;

	if (o->len < o->cap)
		return o->cap - o->len;
	if (cap > o->want + 1)
		cap = o->want + 1;
	if (cap > o->cap) {
		data = mem_budget_grow(o->data, cap);
		o->refused = !data;
		if (!data)
			return 0;
		o->data = data;
		o->cap = (size_t)cap;
	}
	return o->cap - o->len;
}

/* False: it is for zlib, which says what is wrong with it, too. */
static bool section_inflate_at_once(struct inflated *o, const uint8_t *in, size_t n)
{
#ifdef HAVE_LIBDEFLATE
	struct libdeflate_decompressor *d;
	bool good;

	if (o->want / RATIO_LIKELY > n)
		return false;
	o->data = mem_budget_grow(NULL, o->want + 1);
	if (!o->data)
		return false;
	d = libdeflate_alloc_decompressor();
	good = d && !libdeflate_zlib_decompress(d, in, n, o->data, (size_t)o->want, NULL);
	if (d)
		libdeflate_free_decompressor(d);
	if (good) {
		o->len = o->cap = (size_t)o->want;
		return true;
	}
	mem_budget_free(o->data);
	o->data = NULL;
#else
	(void)o;
	(void)in;
	(void)n;
#endif
	return false;
}

static size_t section_room(struct inflate_to *to, uint8_t **place)
{
	struct inflated *o = (struct inflated *)to;
	size_t room = section_make_room(o, o->n_input);

	*place = o->data + o->len;
	return room;
}

static void section_consumed(struct inflate_to *to, size_t n)
{
	struct inflated *o = (struct inflated *)to;

	o->len += n;
}

static const char *inflate_zstd(struct inflated *o, const uint8_t *in, size_t n)
{
	struct zstd *z = zstd_new();
	const char *why = zstd_unpack(z, &o->to, in, n);

	zstd_free(z);
	return why;
}

static enum status too_large(const struct section_header *s, bool packed, uint64_t size,
			     struct err *e)
{
	return err_at(e, ST_LIMIT, s->offset,
		      "section %s: needs %" PRIu64 " bytes%s, but of the limit of %" PRIu64 " "
		      "MiB for all sections only %" PRIu64 " MiB are left%s",
		      s->name, size, packed ? " unpacked" : "", mem_budget_limit() >> 20,
		      mem_budget_left() >> 20,
		      packed ? "; a copy by objcopy --decompress-debug-sections needs no "
			       "memory"
			     : "");
}

static enum status section_inflate(const struct section_header *s, bool zstd, uint64_t want,
				   const uint8_t *in, size_t n, uint8_t **data, uint64_t *size,
				   struct err *e)
{
	struct inflated o = {.to = {section_room, section_consumed}, .n_input = n, .want = want};
	const char *why;

	if (want / (zstd ? RATIO_ZSTD : RATIO_ZLIB) > n)
		return err_at(e, ST_BAD, s->offset,
			      "section %s: %zu bytes cannot hold the %" PRIu64 " it declares",
			      s->name, n, want);
	if (want >= mem_budget_left())
		return too_large(s, true, want, e);
	why = zstd                                 ? inflate_zstd(&o, in, n)
	      : section_inflate_at_once(&o, in, n) ? NULL
						   : inflate_zlib(&o.to, in, n);
	if (!why && o.len != want)
		why = o.len < want ? "shorter than it declares" : "longer than it declares";
	if (why) {
		mem_budget_free(o.data);
		return o.refused ? too_large(s, true, want, e)
				 : err_at(e, ST_BAD, s->offset, "section %s: %s", s->name, why);
	}
	*data = mem_budget_grow(o.data, o.len + 1); /* no longer than it was */
	if (!*data && !(*data = o.data))
		return too_large(s, true, want, e);
	(*data)[o.len] = 0;
	*size = o.len;
	return ST_OK;
}

/* raw: what is in the file. */
static enum status section_unpack(const struct object_image *f, const struct section_header *s,
				  const uint8_t *raw, uint8_t **data, uint64_t *size, struct err *e)
{
	uint64_t want;
	struct cursor c;
	uint32_t type;
	enum status st;

	cursor_init(&c, raw, (size_t)s->size, s->offset, e);
	if (s->flags & SECTION_PACKED) { /* Elf32_Chdr, Elf64_Chdr */
		c.big_endian = f->big_endian;
		type = cursor_u32(&c);
		if (f->is_64)
			cursor_u32(&c);
		want = f->is_64 ? cursor_u64(&c) : cursor_u32(&c);
		cursor_skip(&c, f->is_64 ? 8 : 4, "compression header");
	} else {
		const uint8_t *magic = cursor_bytes(&c, 4, "compression header");

		type = magic && !memcmp(magic, "ZLIB", 4) ? PACKED_ZLIB : 0;
		c.big_endian = true;
		want = cursor_u64(&c);
	}
	if (cursor_failed(&c))
		st = err_prefix(e, "section %s", s->name);
	else if (type != PACKED_ZLIB && type != PACKED_ZSTD)
		st = err_at(e, ST_UNSUPPORTED, s->offset,
			    "section %s: unknown compression %" PRIu32, s->name, type);
	else
		st = section_inflate(s, type == PACKED_ZSTD, want, c.pos, cursor_window(&c), data,
				     size, e);
	return st;
}

bool section_is_compressed(const struct section_header *s)
{
	return (s->flags & SECTION_PACKED) || !strncmp(s->name, ".zdebug_", 8);
}

static struct map_piece *map_large(const struct object_image *f, const struct section_header *s,
				   uint8_t **data)
{
	enum { WORTH_IT = 256 << 10 };
	struct map_piece *m;

	if (f->fd < 0 || s->size < WORTH_IT || s->offset > f->size || s->size > f->size - s->offset)
		return NULL;
	m = map_open(f->fd, f->base + s->offset, s->size, data);
	if (m && !map_intact(m)) { /* shorter already: section_read says how */
		map_close(m);
		m = NULL;
	}
	return m;
}

enum status section_read(const struct object_image *f, const struct section_header *s,
			 uint8_t **data, uint64_t *size, struct err *e)
{
	struct map_piece *map = NULL;
	uint8_t *raw;
	enum status st = ST_OK;

	if (s->offset > f->size || s->size > f->size - s->offset)
		return err_at(e, ST_BAD, s->offset,
			      "section %s: %" PRIu64 " bytes lie outside the file of %" PRIu64,
			      s->name, s->size, f->size);
	if (section_is_compressed(s))
		map = map_large(f, s, &raw);
	if (!map) {
		raw = mem_budget_grow(NULL, s->size + 1);
		if (!raw)
			return too_large(s, false, s->size, e);
		st = image_read(f, s->offset, raw, (size_t)s->size, e);
		raw[s->size] = 0;
	}
	if (st)
		st = err_prefix(e, "section %s", s->name);
	else if (section_is_compressed(s))
		st = section_unpack(f, s, raw, data, size, e);
	if (!st && !section_is_compressed(s)) {
		*data = raw;
		*size = s->size;
	} else if (map) {
		map_close(map);
	} else {
		mem_budget_free(raw);
	}
	if (!st && f->flat) {
		st = reloc_apply(f, s, *data, *size, e);
		if (st) {
			mem_budget_free(*data);
			*data = NULL;
		}
	}
	return st;
}

struct map_piece *section_map(const struct object_image *f, const struct section_header *s,
			      uint8_t **data, uint64_t *size)
{
	*size = s->size;
	return section_is_compressed(s) || f->flat ? NULL : map_large(f, s, data);
}

enum status section_file_crc(const struct object_image *f, uint32_t *crc, struct err *e)
{
	enum { CHUNK = 1 << 18 };
	uint8_t *p = mem_alloc(CHUNK);
	uint32_t sum = 0;
	enum status st = ST_OK;

	for (uint64_t at = 0; !st && at < f->size;) {
		size_t n = f->size - at < CHUNK ? (size_t)(f->size - at) : CHUNK;

		st = image_read(f, at, p, n, e);
		if (!st)
			sum = crc32_add(sum, p, n);
		at += n;
	}
	free(p);
	*crc = sum;
	return st;
}

const struct section_header *section_find(const struct object_image *f, const char *name)
{
	const struct section_header *s = image_section(f, name);
	char old[64];

	if (!s && name[0] == '.' && snprintf(old, sizeof old, ".z%s", name + 1) < (int)sizeof old)
		s = image_section(f, old);
	return s;
}
