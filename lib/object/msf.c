/* SPDX-License-Identifier: MIT */
#include "lib/object/msf.h"

#include "lib/base/bytes.h"
#include "lib/base/hash.h"
#include "lib/base/mem_budget.h"
#include "lib/object/impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SUPERBLOCK = 56, BLOCK_LEAST = 512, BLOCK_MOST = 1 << 16 };

#define NO_SIZE UINT32_MAX

static const char magic[] = "Microsoft C/C++ MSF 7.00\r\n\032DS\0\0";

struct msf_stream {
	uint32_t size;
	uint64_t first; /* the word of the directory with its first block */
};

struct msf {
	struct object_image file; /* the opener's: where its bytes are */
	const uint8_t *bytes;     /* all of the file; NULL: it is read */
	struct map_piece *map;
	uint32_t block, n_streams;
	struct msf_stream *streams;
	uint8_t *directory; /* of the allowance */
	uint64_t n_directory;
};

void msf_room_release(struct msf_room *r)
{
	mem_budget_free(r->p);
	*r = (struct msf_room){.cap = 0};
}

bool msf_is(const uint8_t *head, size_t n)
{
	return n >= 8 && !memcmp(head, magic, n < 32 ? n : 32);
}

/* False: it lies outside of the file. */
static bool copy(const struct msf *m, uint64_t at, uint64_t n, uint8_t *to)
{
	struct err ignored = ERR_INIT;

	if (!m->map)
		return !image_read(&m->file, at, to, (size_t)n, &ignored);
	if (at > m->file.size || n > m->file.size - at)
		return false;
	map_copy(m->map, m->bytes + at, (size_t)n, to);
	return true;
}

/* What is at an offset of data in blocks that are listed at list, up to the end of those that follow each other, at most
 * n bytes: where in the file, and how many. */
static uint64_t piece(const struct msf *m, const uint8_t *list, uint64_t at, uint64_t n,
		      uint64_t *in_file)
{
	uint64_t i = at / m->block, got = m->block - at % m->block;
	uint32_t block = le32(list + 4 * i);

	*in_file = (uint64_t)block * m->block + at % m->block;
	while (got < n && block < UINT32_MAX && le32(list + 4 * (i + 1)) == block + 1) {
		i++;
		block++;
		got += m->block;
	}
	return got < n ? got : n;
}

static bool gather(const struct msf *m, const uint8_t *list, uint64_t at, uint64_t n, uint8_t *to)
{
	while (n) {
		uint64_t from, got = piece(m, list, at, n, &from);

		if (!copy(m, from, got, to))
			return false;
		at += got;
		to += got;
		n -= got;
	}
	return true;
}

static enum status read_directory(struct msf *m, uint32_t first, struct err *e)
{
	const uint64_t n = (m->n_directory + m->block - 1) / m->block;
	uint8_t *list = mem_budget_grow(NULL, 4 * n + 1);
	bool got;

	m->directory = list ? mem_budget_grow(NULL, m->n_directory + 1) : NULL;
	if (!m->directory) {
		mem_budget_free(list);
		return err_set(e, ST_LIMIT,
			       "PDB: a directory of %" PRIu64
			       " bytes needs more memory than available",
			       m->n_directory);
	}
	got = copy(m, (uint64_t)first * m->block, 4 * n, list) &&
	      gather(m, list, 0, m->n_directory, m->directory);
	mem_budget_free(list);
	return got ? ST_OK
		   : err_at(e, ST_BAD, (uint64_t)first * m->block,
			    "PDB: its directory lies outside the file");
}

static enum status read_streams(struct msf *m, struct err *e)
{
	const uint64_t words = m->n_directory / 4;
	uint64_t at;

	m->n_streams = words ? le32(m->directory) : 0;
	if (m->n_streams > (words ? words - 1 : 0))
		return err_set(e, ST_BAD,
			       "PDB: %" PRIu32 " streams in a directory of %" PRIu64 " bytes",
			       m->n_streams, m->n_directory);
	m->streams = mem_zarray((size_t)m->n_streams + 1, sizeof *m->streams);
	at = 1 + (uint64_t)m->n_streams;
	for (uint32_t i = 0; i < m->n_streams; i++) {
		uint32_t size = le32(m->directory + 4 + 4 * (size_t)i);
		uint64_t n = size == NO_SIZE ? 0 : ((uint64_t)size + m->block - 1) / m->block;

		m->streams[i] = (struct msf_stream){size == NO_SIZE ? 0 : size, at};
		if (n > words - at || m->streams[i].size > m->file.size)
			return err_set(e, ST_BAD,
				       "PDB: stream %" PRIu32 " of %" PRIu32
				       " bytes lies outside the file",
				       i, size);
		at += n;
	}
	return ST_OK;
}

static enum status open_file(struct msf *m, struct err *e)
{
	const struct object_image *f = &m->file;
	uint8_t head[SUPERBLOCK];
	enum status st;

	if (f->size < SUPERBLOCK)
		return err_at(e, ST_BAD, f->size, "PDB: cut short");
	st = image_read(f, 0, head, sizeof head, e);
	if (st)
		return st;
	if (!msf_is(head, sizeof head))
		return err_set(e, ST_UNSUPPORTED, "not a PDB of version 7");
	m->block = le32(head + 32);
	m->n_directory = le32(head + 44);
	if (m->block < BLOCK_LEAST || m->block > BLOCK_MOST || (m->block & (m->block - 1)))
		return err_at(e, ST_BAD, 32, "PDB: blocks of %" PRIu32 " bytes", m->block);
	/* More would need more blocks than the file has. */
	if (m->n_directory > f->size)
		return err_at(e, ST_BAD, 44,
			      "PDB: a directory of %" PRIu64 " bytes is larger than the file",
			      m->n_directory);
	if (f->fd < 0)
		m->bytes = f->mem;
	else
		m->map = map_open(f->fd, f->base, f->size, (uint8_t **)(uintptr_t)&m->bytes);
	st = read_directory(m, le32(head + 52), e);
	return st ? st : read_streams(m, e);
}

enum status msf_open(struct msf **out, const struct object_image *f, struct err *e)
{
	struct msf *m = mem_zalloc(sizeof *m);
	enum status st;

	m->file = *f;
	st = open_file(m, e);
	if (st)
		msf_free(m);
	else
		*out = m;
	return st;
}

void msf_free(struct msf *m)
{
	if (!m)
		return;
	map_close(m->map);
	mem_budget_free(m->directory);
	free(m->streams);
	free(m);
}

uint64_t msf_file_size(const struct msf *m)
{
	return m->file.size;
}

uint64_t msf_fingerprint(const struct msf *m)
{
	return hash_bytes_seeded(m->directory, (size_t)m->n_directory, m->block);
}

uint32_t msf_size(const struct msf *m, uint32_t stream)
{
	return stream < m->n_streams ? m->streams[stream].size : 0;
}

static bool inside(const struct msf *m, uint32_t stream, uint64_t at, uint64_t n)
{
	return n && at <= msf_size(m, stream) && n <= msf_size(m, stream) - at;
}

const uint8_t *msf_copy(const struct msf *m, uint32_t stream, uint64_t at, uint64_t n,
			struct msf_room *room)
{
	if (!inside(m, stream, at, n))
		return NULL;
	if (n > room->cap) {
		uint8_t *p = mem_budget_grow(room->p, n + n / 2);

		if (!p)
			return NULL;
		room->p = p;
		room->cap = (size_t)(n + n / 2);
	}
	return gather(m, m->directory + 4 * m->streams[stream].first, at, n, room->p) ? room->p
										      : NULL;
}

const uint8_t *msf_bytes(const struct msf *m, uint32_t stream, uint64_t at, uint64_t n,
			 struct msf_room *room, bool *stays)
{
	uint64_t from;

	*stays = false;
	if (!inside(m, stream, at, n))
		return NULL;
	if (!m->bytes || piece(m, m->directory + 4 * m->streams[stream].first, at, n, &from) < n)
		return msf_copy(m, stream, at, n, room);
	*stays = true;
	return from <= m->file.size && n <= m->file.size - from ? m->bytes + from : NULL;
}

void msf_drop(const struct msf *m)
{
	if (m->map)
		map_drop(m->map);
}

bool msf_intact(const struct msf *m)
{
	return !m->map || map_intact(m->map);
}
