/* SPDX-License-Identifier: MIT */
#include "lib/profile/file.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_HEAD = 16 };

struct aggregate_unpacking {   /* from aggregate_reader_init to aggregate_reader_release */
	struct cursor payload; /* the rest of the present block */
	/* The record that the last one was taken apart into, and how many bytes of its key are those of the present one. */
	const struct aggregate_record *into;
	size_t same;
	uint64_t chain;
	bool started, ended;
};

struct aggregate_packing {      /* from aggregate_writer_init to aggregate_writer_release */
	struct buf payload;     /* the block so far */
	struct buf key;         /* of the last record in it */
	struct buf next, known; /* of a record, as bytes */
	size_t first;           /* bytes of the key that the block has in full */
	uint64_t chain;
	bool started; /* nothing is written before the first block is full */
};

bool aggregate_is(struct cursor *c)
{
	return cursor_available(c, 8) >= 8 && !memcmp(c->pos, AGG_MAGIC, 8);
}

/* Sums of checksums in their order, in one number. */
static uint64_t chained(uint64_t chain, uint64_t checksum)
{
	return hash_u64(chain ^ checksum) + 1;
}

void aggregate_reader_init(struct aggregate_reader *r, struct cursor *c)
{
	*r = (struct aggregate_reader){.c = c, .unpacking = mem_zalloc(sizeof *r->unpacking)};
}

void aggregate_reader_release(struct aggregate_reader *r)
{
	buf_release(&r->key);
	free(r->unpacking);
	*r = (struct aggregate_reader){.c = NULL};
}

static enum status aggregate_file_start(struct aggregate_reader *r, struct err *e)
{
	struct cursor *c = r->c;
	uint16_t major;

	r->unpacking->started = true;
	c->e = e;
	if (!aggregate_is(c))
		return err_set(e, ST_BAD, "not an aggregate");
	cursor_skip(c, 8, "magic");
	major = cursor_u16(c);
	cursor_u16(c);
	if (cursor_u32(c))
		cursor_fail(c, ST_BAD, "a spare field is not 0");
	if (cursor_failed(c))
		return err_failure(e);
	if (major != AGG_MAJOR)
		return err_at(e, ST_UNSUPPORTED, 8, "an aggregate of version %u; this reads %d",
			      (unsigned)major, AGG_MAJOR);
	return ST_OK;
}

static enum status read_end(struct aggregate_reader *r, uint64_t at, struct err *e)
{
	struct aggregate_unpacking *u = r->unpacking;
	uint64_t records = cursor_u64(&u->payload), chain = cursor_u64(&u->payload);

	if (cursor_failed(&u->payload))
		return err_failure(e);
	if (records != r->records || chain != u->chain || u->payload.pos != u->payload.end)
		return err_at(e, ST_BAD, at, "blocks are missing or moved");
	if (!cursor_done(r->c))
		return err_at(e, ST_BAD, cursor_offset(r->c), "bytes behind the end");
	if (cursor_failed(r->c))
		return err_failure(e);
	u->ended = true;
	return ST_NONE;
}

static enum status aggregate_file_read_block(struct aggregate_reader *r, struct err *e)
{
	struct cursor *c = r->c;
	uint64_t at = cursor_offset(c), sum;
	uint32_t length;
	const uint8_t *p;
	bool end;

	c->e = e;
	if (cursor_done(c))
		return cursor_failed(c)
			   ? err_failure(e)
			   : err_at(e, ST_BAD, at, "the aggregate is cut: its end is missing");
	p = cursor_bytes(c, 4, "block");
	if (!p)
		return err_failure(e);
	end = !memcmp(p, "end ", 4);
	if (!end && memcmp(p, "recs", 4) != 0)
		return err_at(e, ST_BAD, at, "this is no block");
	length = cursor_u32(c);
	sum = cursor_u64(c);
	if (!cursor_failed(c) && length > AGG_RECORD_MAX + AGG_BLOCK)
		return err_at(e, ST_BAD, at, "block: length %u is larger than any", length);
	p = cursor_bytes(c, length, "block");
	if (!p)
		return err_failure(e);
	if (hash_bytes_seeded(p, length, r->block) != sum)
		return err_at(e, ST_BAD, at, "block: the checksum does not hold");
	cursor_init(&r->unpacking->payload, p, length, at + BLOCK_HEAD, e);
	r->block++;
	if (end)
		return read_end(r, at, e);
	r->unpacking->chain = chained(r->unpacking->chain, sum);
	if (!length)
		return err_at(e, ST_BAD, at, "a block without records");
	return ST_OK;
}

static bool ascends(const struct buf *key, const uint8_t *p, uint64_t shared, uint64_t n)
{
	size_t rest = key->len - (size_t)shared;
	int order = memcmp(key->data + shared, p, rest < n ? rest : (size_t)n);

	return order < 0 || (!order && rest < n);
}

static enum status aggregate_file_read_record(struct aggregate_reader *r, struct err *e)
{
	struct cursor *c = &r->unpacking->payload;
	uint64_t at = cursor_offset(c), shared = cursor_uleb(c), n = cursor_uleb(c);
	const uint8_t *p;
	bool fresh = at == c->base_offset;

	c->e = e;
	if (!cursor_failed(c) &&
	    (shared > r->key.len || n > cursor_window(c) || !n || (fresh && shared)))
		cursor_fail(c, ST_BAD, "a key is longer than the block");
	p = cursor_bytes(c, cursor_failed(c) ? 0 : (size_t)n, "key");
	if (cursor_failed(c) || !p)
		return err_failure(e);
	if (r->records && !ascends(&r->key, p, shared, n))
		return err_at(e, ST_BAD, at, "records are not in order");
	r->key.len = (size_t)shared;
	buf_add(&r->key, p, (size_t)n);
	if (r->unpacking->same > shared)
		r->unpacking->same = (size_t)shared;
	n = cursor_uleb(c);
	r->offset = cursor_offset(c);
	if (!cursor_failed(c) && n > cursor_window(c))
		cursor_fail(c, ST_BAD, "a record is longer than the block");
	r->known = (const char *)cursor_bytes(c, cursor_failed(c) ? 0 : (size_t)n, "record");
	if (cursor_failed(c))
		return err_failure(e);
	r->n_known = (size_t)n;
	r->records++;
	return ST_OK;
}

enum status aggregate_reader_next(struct aggregate_reader *r, struct err *e)
{
	struct aggregate_unpacking *u = r->unpacking;
	enum status st = ST_OK;

	if (u->ended)
		return ST_NONE;
	if (!u->started)
		st = aggregate_file_start(r, e);
	while (!st && u->payload.pos == u->payload.end)
		st = aggregate_file_read_block(r, e);
	return st ? st : aggregate_file_read_record(r, e);
}

enum status aggregate_reader_record(struct aggregate_reader *r, struct aggregate_record *rec,
				    struct err *e)
{
	struct aggregate_unpacking *u = r->unpacking;
	enum status st = aggregate_reader_next(r, e);

	if (!st)
		st = aggregate_key_read_same(rec, u->into == rec ? u->same : 0, r->key.data,
					     r->key.len, e);
	u->into = rec;
	u->same = r->key.len;
	if (st)
		return st;
	return aggregate_record_read(rec, r->known, r->n_known, r->offset, e);
}

/* --- writing --- */

void aggregate_writer_init(struct aggregate_writer *w, FILE *f, struct buf *out)
{
	*w = (struct aggregate_writer){
	    .f = f, .out = out, .packing = mem_zalloc(sizeof *w->packing)};
}

void aggregate_writer_release(struct aggregate_writer *w)
{
	struct aggregate_packing *p = w->packing;

	if (p) {
		buf_release(&p->payload);
		buf_release(&p->key);
		buf_release(&p->next);
		buf_release(&p->known);
	}
	free(p);
	*w = (struct aggregate_writer){.f = NULL};
}

static void put_number(uint8_t *p, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static void put(struct aggregate_writer *w, const void *p, size_t n)
{
	if (w->f)
		fwrite(p, 1, n, w->f);
	else
		buf_add(w->out, p, n);
}

static void aggregate_file_end_block(struct aggregate_writer *w, const char kind[4])
{
	struct aggregate_packing *k = w->packing;
	static const char file_head[16] = {AGG_MAGIC[0], AGG_MAGIC[1], AGG_MAGIC[2],
					   AGG_MAGIC[3], AGG_MAGIC[4], AGG_MAGIC[5],
					   AGG_MAGIC[6], AGG_MAGIC[7], AGG_MAJOR};
	uint8_t head[BLOCK_HEAD];
	uint64_t sum = hash_bytes_seeded(k->payload.data, k->payload.len, w->block++);

	if (!k->started)
		put(w, file_head, sizeof file_head);
	k->started = true;
	memcpy(head, kind, 4);
	put_number(head + 4, k->payload.len, 4);
	put_number(head + 8, sum, 8);
	put(w, head, sizeof head);
	put(w, k->payload.data, k->payload.len);
	k->chain = chained(k->chain, sum);
	k->payload.len = 0;
}

/* Each block has its first key in full: where keys are long it takes more of them, or a stack that is nested
 * deeply would be written once for each call in it. */
static bool aggregate_file_is_full(const struct aggregate_packing *k)
{
	size_t most = k->first < AGG_RECORD_MAX / 16 ? 8 * k->first : AGG_RECORD_MAX / 2;

	return k->payload.len >= AGG_BLOCK && k->payload.len >= most;
}

void aggregate_writer_add_same(struct aggregate_writer *w, size_t same, const char *key,
			       size_t n_key, const char *known, size_t n_known)
{
	enum { LENGTHS = 30 };
	struct aggregate_packing *k = w->packing;
	size_t shared = k->payload.len ? same : 0;

	if (k->payload.len)
		while (shared < n_key && shared < k->key.len && k->key.data[shared] == key[shared])
			shared++;
	if (k->payload.len &&
	    k->payload.len + n_key - shared + n_known + LENGTHS > AGG_RECORD_MAX) {
		aggregate_file_end_block(w, "recs");
		shared = 0;
	}
	if (!k->payload.len)
		k->first = n_key;
	buf_add_uleb(&k->payload, shared);
	buf_add_uleb(&k->payload, n_key - shared);
	buf_add(&k->payload, key + shared, n_key - shared);
	buf_add_uleb(&k->payload, n_known);
	buf_add(&k->payload, known, n_known);
	k->key.len = shared;
	buf_add(&k->key, key + shared, n_key - shared);
	w->records++;
	if (aggregate_file_is_full(k))
		aggregate_file_end_block(w, "recs");
}

void aggregate_writer_add(struct aggregate_writer *w, const char *key, size_t n_key,
			  const char *known, size_t n_known)
{
	aggregate_writer_add_same(w, 0, key, n_key, known, n_known);
}

void aggregate_writer_record(struct aggregate_writer *w, struct aggregate_record *rec)
{
	struct aggregate_packing *k = w->packing;

	k->next.len = k->known.len = 0;
	aggregate_key_write(&rec->key, &k->next);
	aggregate_record_write(rec, &k->known);
	aggregate_writer_add(w, k->next.data, k->next.len, k->known.data, k->known.len);
}

void aggregate_writer_end(struct aggregate_writer *w)
{
	struct aggregate_packing *k = w->packing;
	uint8_t end[16];

	if (k->payload.len)
		aggregate_file_end_block(w, "recs");
	put_number(end, w->records, 8);
	put_number(end + 8, k->chain, 8);
	buf_add(&k->payload, end, sizeof end);
	aggregate_file_end_block(w, "end ");
}
