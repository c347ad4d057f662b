/* SPDX-License-Identifier: MIT */
#include "formats/unity/snap_file.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHAPTERS_MAX = 4096, BLOCKS_MAX = 1 << 20 };
#define FOOTER_MAGIC    0xABCDCDAEu
#define DIRECTORY_MAGIC 0xCDCDAEABu
#define SECTION_VERSION 0x20170724u

static uint64_t get(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)p[i] << i * 8;
	return v;
}

/* n numbers of 64 bits at an offset of the file, in the arena. */
static enum status numbers_at(struct snap_file *f, uint64_t offset, uint64_t n, const char *what,
			      uint64_t **v, struct err *e)
{
	enum status st;

	if (offset > f->in->size || n > (f->in->size - offset) / 8)
		return err_at(e, ST_BAD, offset,
			      "%s: %" PRIu64 " offsets do not fit into the "
			      "file",
			      what, n);
	*v = arena_alloc(&f->arena, (size_t)(n ? n : 1) * 8);
	st = input_at(f->in, offset, *v, (size_t)n * 8, what, e);
	for (uint64_t i = 0; !st && i < n; i++) {
		uint8_t raw[8];

		memcpy(raw, &(*v)[i], 8);
		(*v)[i] = get(raw, 8);
	}
	return st;
}

static enum status snap_file_open_block(struct snap_file *f, uint64_t offset, struct snap_block *b,
					struct err *e)
{
	uint8_t p[16];
	enum status st = input_at(f->in, offset, p, sizeof p, "block", e);

	if (st)
		return st;
	b->chunk = get(p, 8);
	b->total = get(p + 8, 8);
	if (b->total > f->in->size || (b->total && !b->chunk))
		return err_at(e, ST_BAD, offset,
			      "block: %" PRIu64 " bytes in chunks of %" PRIu64 " do not fit "
			      "into the file of %" PRIu64 " bytes",
			      b->total, b->chunk, f->in->size);
	b->n_chunks = b->total ? (b->total - 1) / b->chunk + 1 : 0;
	st = numbers_at(f, offset + 16, b->n_chunks, "block", &b->chunks, e);
	for (uint64_t i = 0; !st && i < b->n_chunks; i++) {
		uint64_t n = i + 1 < b->n_chunks ? b->chunk : b->total - i * b->chunk;

		if (b->chunks[i] > f->in->size || n > f->in->size - b->chunks[i])
			st = err_at(e, ST_BAD, offset,
				    "block: the chunk at byte %" PRIu64 " of %" PRIu64 " "
				    "bytes lies outside the file",
				    b->chunks[i], n);
	}
	return st;
}

static enum status snap_file_open_blocks(struct snap_file *f, uint64_t offset, struct err *e)
{
	uint8_t p[8];
	uint64_t *offsets = NULL;
	enum status st = input_at(f->in, offset, p, sizeof p, "block section", e);

	if (st)
		return st;
	if (get(p, 4) != SECTION_VERSION)
		return err_at(e, ST_UNSUPPORTED, offset,
			      "block section: unknown version 0x%" PRIx64, get(p, 4));
	f->n_blocks = get(p + 4, 4);
	if (f->n_blocks > BLOCKS_MAX)
		return err_at(e, ST_BAD, offset,
			      "block section: impossible number of blocks: "
			      "%" PRIu64,
			      f->n_blocks);
	st = numbers_at(f, offset + 8, f->n_blocks, "block section", &offsets, e);
	f->blocks = arena_zalloc(&f->arena, ((size_t)f->n_blocks + 1) * sizeof *f->blocks);
	for (uint64_t i = 0; !st && i < f->n_blocks; i++)
		st = snap_file_open_block(f, offsets[i], &f->blocks[i], e);
	return st;
}

static enum status snap_file_open_chapter(struct snap_file *f, uint64_t offset,
					  struct snap_chapter *c, struct err *e)
{
	uint8_t p[18] = {0};
	enum status st = input_at(f->in, offset, p, 14, "chapter", e);
	uint64_t total;

	if (st)
		return st;
	c->kind = (uint16_t)get(p, 2);
	c->block = (uint32_t)get(p + 2, 4);
	if (c->kind == SNAP_ABSENT || c->kind > SNAP_VARIED)
		return err_at(e, ST_UNSUPPORTED, offset, "chapter of unknown kind %u", c->kind);
	if (c->block >= f->n_blocks)
		return err_at(e, ST_BAD, offset,
			      "chapter: block %u does not exist, only %" PRIu64 " "
			      "blocks do",
			      c->block, f->n_blocks);
	total = f->blocks[c->block].total;
	switch (c->kind) {
	case SNAP_VALUE:
		st = input_at(f->in, offset, p, sizeof p, "chapter", e);
		c->element = (uint32_t)get(p + 6, 4);
		c->at = get(p + 10, 8);
		c->count = 1;
		if (!st && (c->at > total || c->element > total - c->at))
			st = err_at(e, ST_BAD, offset,
				    "chapter: the value lies outside its "
				    "block");
		return st;
	case SNAP_FIXED:
		c->element = (uint32_t)get(p + 6, 4);
		c->count = get(p + 10, 4);
		if (c->element && c->count > total / c->element)
			return err_at(e, ST_BAD, offset,
				      "chapter: %" PRIu64 " elements of %u bytes do not fit "
				      "into their block of %" PRIu64 " bytes",
				      c->count, c->element, total);
		return ST_OK;
	default:
		c->count = get(p + 6, 4);
		c->at = offset + 10;
		if (c->count + 1 > (f->in->size - c->at) / 8)
			return err_at(e, ST_BAD, offset,
				      "chapter: the positions of %" PRIu64 " elements lie "
				      "outside the file",
				      c->count);
		return ST_OK;
	}
}

enum status snap_open(struct snap_file *f, struct input *in, struct err *e)
{
	uint8_t p[20];
	uint64_t directory, *offsets = NULL;
	enum status st = input_random(in, e);

	*f = (struct snap_file){.in = in};
	if (st)
		return st;
	if (in->size < 16)
		return err_at(e, ST_BAD, 0, "not a snapshot: %" PRIu64 " bytes are too few",
			      in->size);
	st = input_at(in, in->size - 12, p, 12, "footer", e);
	if (st)
		return st;
	if (get(p + 8, 4) != FOOTER_MAGIC)
		return err_at(e, ST_BAD, in->size - 12,
			      "the snapshot has no footer: it was cut short or not finished");
	directory = get(p, 8);
	st = input_at(in, directory, p, 20, "directory", e);
	if (st)
		return st;
	if (get(p, 4) != DIRECTORY_MAGIC)
		return err_at(e, ST_BAD, directory, "the footer does not point to a directory");
	if (get(p + 4, 4) != SECTION_VERSION)
		return err_at(e, ST_UNSUPPORTED, directory, "directory: unknown version 0x%" PRIx64,
			      get(p + 4, 4));
	f->n_chapters = get(p + 16, 4);
	if (f->n_chapters > CHAPTERS_MAX)
		return err_at(e, ST_BAD, directory,
			      "directory: impossible number of "
			      "chapters: %" PRIu64,
			      f->n_chapters);
	st = snap_file_open_blocks(f, get(p + 8, 8), e);
	if (!st)
		st = numbers_at(f, directory + 20, f->n_chapters, "directory", &offsets, e);
	f->chapters = arena_zalloc(&f->arena, ((size_t)f->n_chapters + 1) * sizeof *f->chapters);
	for (uint64_t i = 0; !st && i < f->n_chapters; i++)
		if (offsets[i])
			st = snap_file_open_chapter(f, offsets[i], &f->chapters[i], e);
	return st;
}

void snap_close(struct snap_file *f)
{
	arena_release(&f->arena);
	*f = (struct snap_file){0};
}

struct snap_chapter snap_chapter(const struct snap_file *f, unsigned i)
{
	return i < f->n_chapters ? f->chapters[i] : (struct snap_chapter){.kind = SNAP_ABSENT};
}

enum status snap_bytes(struct snap_file *f, unsigned i, uint64_t at, void *p, size_t n,
		       const char *what, struct err *e)
{
	const struct snap_block *b = &f->blocks[snap_chapter(f, i).block];
	uint8_t *to = p;
	enum status st = ST_OK;

	if (at > b->total || n > b->total - at)
		return err_at(e, ST_BAD, ERR_NO_OFFSET,
			      "%s: the data goes past the end of "
			      "its block",
			      what);
	while (n && !st) {
		uint64_t in = at % b->chunk, room = b->chunk - in;
		size_t piece = n < room ? n : (size_t)room;

		st = input_at(f->in, b->chunks[at / b->chunk] + in, to, piece, what, e);
		to += piece;
		at += piece;
		n -= piece;
	}
	return st;
}

enum status snap_numbers(struct snap_file *f, unsigned i, bool is_signed, const char *what,
			 uint64_t **v, uint64_t *n, struct err *e)
{
	struct snap_chapter c = snap_chapter(f, i);
	uint8_t *raw;
	enum status st;

	*v = NULL;
	*n = 0;
	if (c.kind == SNAP_ABSENT || (c.kind == SNAP_FIXED && !c.count))
		return ST_OK;
	if (c.kind != SNAP_FIXED || !c.element || c.element > 8 || c.element & (c.element - 1))
		return err_set(e, ST_UNSUPPORTED,
			       "%s: unexpected chapter of kind %u with elements of %u bytes", what,
			       c.kind, c.element);
	raw = mem_array((size_t)c.count, c.element);
	*v = arena_alloc(&f->arena, (size_t)c.count * 8);
	st = snap_bytes(f, i, 0, raw, (size_t)c.count * c.element, what, e);
	for (uint64_t k = 0; !st && k < c.count; k++) {
		uint64_t x = get(raw + k * c.element, c.element);

		if (is_signed && c.element < 8 && x >> (c.element * 8 - 1))
			x |= ~UINT64_C(0) << c.element * 8;
		(*v)[k] = x;
	}
	free(raw);
	*n = st ? 0 : c.count;
	return st;
}

enum status snap_positions(struct snap_file *f, unsigned i, const char *what, uint64_t **v,
			   uint64_t *n, struct err *e)
{
	struct snap_chapter c = snap_chapter(f, i);
	uint64_t total;
	enum status st;

	*v = NULL;
	*n = 0;
	if (c.kind == SNAP_ABSENT)
		return ST_OK;
	if (c.kind != SNAP_VARIED)
		return err_set(e, ST_UNSUPPORTED, "%s: unexpected chapter of kind %u", what,
			       c.kind);
	total = f->blocks[c.block].total;
	st = numbers_at(f, c.at, c.count + 1, what, v, e);
	for (uint64_t k = 0; !st && k <= c.count; k++)
		if ((*v)[k] > total || (k && (*v)[k] < (*v)[k - 1]))
			st = err_at(e, ST_BAD, c.at + k * 8,
				    "%s: position %" PRIu64 " of element %" PRIu64 " is out "
				    "of order or outside its block",
				    what, (*v)[k], k);
	*n = st ? 0 : c.count;
	return st;
}
