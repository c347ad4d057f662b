/* SPDX-License-Identifier: MIT */
#include "lib/profile/lines.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct aggregate_joining { /* from aggregate_lines_init to aggregate_lines_release */
	struct buf next_key, next_known, spare;
	struct aggregate_record from;
	bool started, ended;
};

static uint32_t checksum(const char *key, size_t n_key, const char *known, size_t n_known)
{
	return (uint32_t)hash_bytes_seeded(known, n_known, hash_bytes(key, n_key));
}

static void add_hex(struct buf *to, const char *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *out = buf_reserve(to, 2 * n + 1);

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[(uint8_t)p[i] >> 4];
		out[2 * i + 1] = digits[(uint8_t)p[i] & 15];
	}
	to->len += 2 * n;
}

void aggregate_line_add(struct buf *to, const char *key, size_t n_key, const char *known,
			size_t n_known)
{
	add_hex(to, key, n_key);
	buf_addc(to, '\t');
	add_hex(to, known, n_known);
	buf_addc(to, '\t');
	buf_add_hex(to, checksum(key, n_key, known, n_known), 8);
	buf_addc(to, '\n');
}

void aggregate_lines_init(struct aggregate_lines *l, struct cursor *c)
{
	*l = (struct aggregate_lines){.c = c, .joining = mem_zalloc(sizeof *l->joining)};
}

void aggregate_lines_release(struct aggregate_lines *l)
{
	struct aggregate_joining *j = l->joining;

	buf_release(&l->key);
	buf_release(&l->known);
	aggregate_record_release(&l->record);
	if (j) {
		buf_release(&j->next_key);
		buf_release(&j->next_known);
		buf_release(&j->spare);
		aggregate_record_release(&j->from);
	}
	free(j);
	*l = (struct aggregate_lines){.c = NULL};
}

static bool read_hex(struct buf *to, const char *p, size_t n)
{
	char *out;

	to->len = 0;
	out = buf_reserve(to, n / 2 + 1);
	if (n % 2)
		return false;
	for (size_t i = 0; i < n; i += 2) {
		int high = num_hex_digit(p[i]), low = num_hex_digit(p[i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i / 2] = (char)(high << 4 | low);
	}
	to->len = n / 2;
	return true;
}

static bool split_line(struct aggregate_lines *l, const char *s, size_t n)
{
	struct aggregate_joining *j = l->joining;
	const char *known = n ? memchr(s, '\t', n) : NULL;
	const char *end = known ? memchr(known + 1, '\t', n - (size_t)(known + 1 - s)) : NULL;
	uint64_t sum;

	return end && read_hex(&j->next_key, s, (size_t)(known - s)) &&
	       read_hex(&j->next_known, known + 1, (size_t)(end - known - 1)) && j->next_key.len &&
	       num_hex(end + 1, n - (size_t)(end + 1 - s), &sum) &&
	       sum == checksum(j->next_key.data, j->next_key.len, j->next_known.data,
			       j->next_known.len);
}

/* The next line, into next_key and next_known. */
static enum status next_line(struct aggregate_lines *l, struct err *e)
{
	uint64_t at = cursor_offset(l->c);
	const char *s;
	size_t n;

	l->c->e = e;
	s = cursor_line(l->c, &n, LIMIT_CURSOR);
	if (!s)
		return cursor_failed(l->c) ? err_failure(e) : ST_NONE;
	l->lines++;
	if (!split_line(l, s, n))
		return err_at(e, ST_BAD, at, "line %" PRIu64 " is no record, or is damaged",
			      l->lines);
	return ST_OK;
}

static int order(const struct aggregate_lines *l)
{
	const struct buf *a = &l->key, *b = &l->joining->next_key;
	int r = memcmp(a->data, b->data, a->len < b->len ? a->len : b->len);

	return r ? r : (a->len > b->len) - (a->len < b->len);
}

static void swap(struct buf *a, struct buf *b)
{
	struct buf t = *a;

	*a = *b;
	*b = t;
}

static enum status load(struct aggregate_record *to, const struct buf *key, const struct buf *known,
			struct err *e)
{
	enum status st = aggregate_key_read(to, key->data, key->len, e);

	return st ? st : aggregate_record_read(to, known->data, known->len, 0, e);
}

static enum status join(struct aggregate_lines *l, bool first, struct err *e)
{
	struct aggregate_joining *j = l->joining;
	enum status st = first ? load(&l->record, &l->key, &l->known, e) : ST_OK;

	if (!st)
		st = load(&j->from, &j->next_key, &j->next_known, e);
	if (!st)
		st = aggregate_record_join(&l->record, &j->from, e);
	if (st) {
		e->offset = ERR_NO_OFFSET;
		return err_prefix(e, "line %" PRIu64, l->lines);
	}
	/* The texts of to may be borrowed from what the next line replaces. */
	j->spare.len = 0;
	aggregate_record_write(&l->record, &j->spare);
	swap(&l->known, &j->spare);
	return load(&l->record, &l->key, &l->known, e);
}

enum status aggregate_lines_next(struct aggregate_lines *l, struct err *e)
{
	struct aggregate_joining *j = l->joining;
	bool first = true;
	enum status st;

	if (j->ended)
		return ST_NONE;
	if (!j->started)
		st = next_line(l, e);
	else
		st = ST_OK; /* it was read already */
	j->started = true;
	if (st)
		return st;
	swap(&l->key, &j->next_key);
	swap(&l->known, &j->next_known);
	while (!(st = next_line(l, e))) {
		int r = order(l);

		if (r > 0)
			return err_set(e, ST_BAD,
				       "line %" PRIu64
				       " belongs before the one above: lines are sorted as bytes "
				       "(LC_ALL=C sort)",
				       l->lines);
		if (r)
			return ST_OK;
		st = join(l, first, e);
		if (st)
			return st;
		first = false;
	}
	j->ended = st == ST_NONE;
	return st == ST_NONE ? ST_OK : st;
}

enum status aggregate_lines_account(struct aggregate_lines *l, struct aggregate_account *a,
				    struct err *e)
{
	enum status st = load(&l->record, &l->key, &l->known, e);

	if (!st)
		aggregate_account_add(a, &l->record);
	return st;
}
