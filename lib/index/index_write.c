/* SPDX-License-Identifier: MIT
 *
 * The writer of index files (index_format.h).
 */
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/index/index.h"
#include "lib/index/index_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct writer {
	int fd;
	struct err *e;
	uint64_t at;    /* of the next byte in the file */
	uint8_t *chunk; /* INDEX_CHUNK bytes, used of them full */
	size_t used;
	uint8_t *checksums;
	uint64_t n_checksums, cap_checksums;
	uint32_t *wide; /* ids of the calls that take two numbers, ascending */
	size_t n_wide, cap_wide;
	bool failed;
};

static bool put_at(struct writer *w, uint64_t at, const uint8_t *p, size_t n)
{
	while (n && !w->failed) {
		ssize_t done = pwrite(w->fd, p, n, (off_t)at);

		if (done <= 0) {
			err_sys(w->e, "cannot write");
			w->failed = true;
			break;
		}
		p += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return !w->failed;
}

static void flush_chunk(struct writer *w)
{
	size_t n = w->used;

	w->used = 0;
	if (!n || w->failed)
		return;
	if (w->n_checksums == w->cap_checksums) { /* counted before: cannot be */
		w->failed = true;
		err_set(w->e, ST_BAD, "more bytes than were counted");
		return;
	}
	index_put64(w->checksums + 8 * w->n_checksums,
		    hash_bytes_seeded(w->chunk, n, w->n_checksums));
	w->n_checksums++;
	put_at(w, w->at, w->chunk, n);
	w->at += n;
}

static void put(struct writer *w, const void *p, size_t n)
{
	const uint8_t *from = p;

	while (n) {
		size_t room = INDEX_CHUNK - w->used, part = n < room ? n : room;

		memcpy(w->chunk + w->used, from, part);
		w->used += part;
		from += part;
		n -= part;
		if (w->used == INDEX_CHUNK)
			flush_chunk(w);
	}
}

static void put32(struct writer *w, uint32_t v)
{
	uint8_t b[4];

	index_put32(b, v);
	put(w, b, 4);
}

static uint64_t padded(uint64_t n)
{
	return (n + 7) & ~UINT64_C(7);
}

static void pad(struct writer *w, uint64_t n)
{
	put(w, "\0\0\0\0\0\0\0", (size_t)(padded(n) - n));
}

/* How many stretches from i on make a block. */
static size_t block_at(const struct dwarf_whole *w, size_t i)
{
	size_t n = 1;

	while (n < INDEX_BLOCK && i + n < w->n && w->all[i + n].lo - w->all[i].lo <= UINT32_MAX)
		n++;
	return n;
}

/* A call's number in the file; 0: none. */
static uint32_t index_number(const struct writer *o, uint32_t id)
{
	return id + (uint32_t)BISECT(i, 0, o->n_wide, o->wide[i] < id);
}

static void index_put_stretches(struct writer *o, const struct dwarf_whole *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i += n) {
		uint8_t block[EACH_BLOCK];

		n = block_at(w, i);
		index_put64(block, w->all[i].lo);
		index_put32(block + 8, (uint32_t)i);
		index_put32(block + 12, (uint32_t)n);
		put(o, block, sizeof block);
	}
	for (size_t i = 0; i < w->n; i += n) {
		n = block_at(w, i);
		for (size_t k = i; k < i + n; k++)
			put32(o, (uint32_t)(w->all[k].lo - w->all[i].lo));
	}
	pad(o, (uint64_t)w->n * 4);
	for (size_t i = 0; i < w->n; i++) {
		uint32_t number = index_number(o, w->all[i].call);

		put32(o, w->all[i].found == DWARF_ASK         ? INDEX_ASK
			 : w->all[i].found == DWARF_LINE_ONLY ? number | INDEX_LINE_ONLY
							      : number);
	}
	pad(o, (uint64_t)w->n * 4);
}

/* As ids are in a store. */
static uint32_t stored(uint32_t id)
{
	return id ? id | STORE_BIT : 0;
}

static uint32_t index_pack_call(const struct writer *o, const struct dwarf_answers *a, size_t i,
				struct store_node to[2])
{
	struct dwarf_call c = a->calls[i];

	c.outer = stored(index_number(o, c.outer));
	c.function = stored(c.function);
	c.file = stored(c.file);
	c.extra = dwarf_extra_of(a, &c).discriminator;
	return store_pack(&c, to);
}

static void index_find_wide(struct writer *o, const struct dwarf_answers *a)
{
	struct store_node nodes[2];

	for (size_t i = 0; i < a->n_calls; i++)
		if (index_pack_call(o, a, i, nodes) > 1)
			VEC_PUSH(o->wide, o->n_wide, o->cap_wide) = (uint32_t)i;
}

static void put_calls(struct writer *o, const struct dwarf_answers *a)
{
	struct store_node nodes[2];

	for (size_t i = 0; i < a->n_calls; i++) {
		uint32_t n = index_pack_call(o, a, i, nodes);

		for (uint32_t k = 0; k < n; k++) {
			put32(o, nodes[k].outer);
			put32(o, nodes[k].function);
			put32(o, nodes[k].file);
			put32(o, nodes[k].line);
			put32(o, nodes[k].rest);
		}
	}
	pad(o, (a->n_calls + o->n_wide) * (uint64_t)EACH_CALL);
}

static void put_strings(struct writer *o, const struct intern *strings)
{
	uint32_t at = 0, n = intern_count(strings);
	size_t len;

	put32(o, 0);
	for (uint32_t i = 1; i <= n + 1; i++) {
		put32(o, at);
		intern_text(strings, i, &len);
		at += (uint32_t)len + 1;
	}
	pad(o, ((uint64_t)n + 2) * 4);
	for (uint32_t i = 1; i <= n; i++) {
		const char *s = intern_text(strings, i, &len);

		put(o, s, len + 1);
	}
}

/* Sizes of the parts; false: more than the format has room for. */
static bool index_measure(const struct writer *o, const struct dwarf_whole *w, const char *text,
			  uint64_t size[PARTS])
{
	uint32_t n_strings;

	memset(size, 0, PARTS * sizeof *size);
	if (!w) {
		size[PART_TEXT] = strlen(text) + 1;
		return true;
	}
	n_strings = intern_count(&w->answers.strings);
	for (size_t i = 0; i < w->n; i += block_at(w, i))
		size[PART_BLOCKS] += EACH_BLOCK;
	size[PART_STARTS] = size[PART_ANSWERS] = (uint64_t)w->n * 4;
	size[PART_CALLS] = (w->answers.n_calls + o->n_wide) * (uint64_t)EACH_CALL;
	size[PART_STRINGS] = ((uint64_t)n_strings + 2) * 4;
	for (uint32_t i = 1; i <= n_strings; i++) {
		size_t len;

		intern_text(&w->answers.strings, i, &len);
		size[PART_TEXT] += len + 1;
	}
	return w->n < UINT32_MAX && w->answers.n_calls + o->n_wide < INDEX_ASK &&
	       size[PART_TEXT] <= UINT32_MAX;
}

static void index_put_header(struct writer *o, const struct dwarf_whole *w,
			     const uint64_t size[PARTS], const void *key, size_t n_key)
{
	uint8_t h[INDEX_HEADER] = {0};
	uint64_t at = INDEX_HEADER + 8 * o->n_checksums;

	memcpy(h, INDEX_MAGIC, sizeof INDEX_MAGIC); /* its NUL is written over */
	index_put32(h + 8, INDEX_VERSION);
	index_put32(h + 12, w ? 0 : INDEX_REFUSED);
	index_put64(h + 16, o->at);
	index_put64(h + 24, o->n_checksums);
	index_put32(h + 32, (uint32_t)n_key);
	index_put32(h + 36, w ? intern_count(&w->answers.strings) : 0);
	for (size_t i = 0; i < PARTS; i++) {
		index_put64(h + INDEX_PARTS_AT + 16 * i, at);
		index_put64(h + INDEX_PARTS_AT + 16 * i + 8, size[i]);
		at += padded(size[i]);
	}
	memcpy(h + INDEX_KEY_AT, key, n_key);
	index_put64(h + INDEX_COMPANIONS_AT, w ? w->companions : 0);
	index_put64(h + INDEX_SEAL_AT,
		    hash_bytes_seeded(h, INDEX_SEAL_AT,
				      hash_bytes(o->checksums, 8 * (size_t)o->n_checksums)));
	put_at(o, 0, h, sizeof h);
}

enum status index_write(int fd, const struct dwarf_whole *w, const char *text, const void *key,
			size_t n_key, uint64_t *size, struct err *e)
{
	struct writer o = {.fd = fd, .e = e};
	uint64_t sizes[PARTS], body = 0;

	if (w)
		index_find_wide(&o, &w->answers);
	if (n_key > INDEX_KEY_MAX || !index_measure(&o, w, text, sizes)) {
		free(o.wide);
		return err_set(e, ST_LIMIT, "too large for an index");
	}
	for (size_t i = 0; i < PARTS; i++)
		body += padded(sizes[i]);
	o.cap_checksums = (body + INDEX_CHUNK - 1) / INDEX_CHUNK;
	o.checksums = mem_alloc((size_t)o.cap_checksums * 8);
	o.chunk = mem_alloc(INDEX_CHUNK);
	o.at = INDEX_HEADER + 8 * o.cap_checksums;
	if (w) {
		index_put_stretches(&o, w);
		put_calls(&o, &w->answers);
		put_strings(&o, &w->answers.strings);
	} else {
		put(&o, text, strlen(text) + 1);
	}
	pad(&o, sizes[PART_TEXT]);
	flush_chunk(&o);
	put_at(&o, INDEX_HEADER, o.checksums, (size_t)o.n_checksums * 8);
	index_put_header(&o, w, sizes, key, n_key); /* last: without it the file is nothing */
	*size = o.at;
	free(o.wide);
	free(o.checksums);
	free(o.chunk);
	return o.failed ? err_failure(e) : ST_OK;
}
