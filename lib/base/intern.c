/* SPDX-License-Identifier: MIT */
#include "lib/base/intern.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
	const char *s;
	size_t n;
	uint32_t hash;
};

static uint64_t intern_row_hash(const void *table, uint32_t id)
{
	return ((const struct intern *)table)->rows[id].hash;
}

static bool intern_row_equal(const void *table, uint32_t id, const void *key)
{
	const struct intern_row *r = &((const struct intern *)table)->rows[id];
	const struct text *t = key;

	return r->hash == t->hash && r->len == t->n && !memcmp(r->s, t->s, t->n);
}

static const struct id_rows texts = {intern_row_hash, intern_row_equal};

static struct text text_of(const char *s, size_t n)
{
	s = n ? s : "";
	return (struct text){s, n, (uint32_t)hash_bytes(s, n)};
}

static uint32_t add_row(struct intern *t, const struct text *x)
{
	if (!t->n)
		VEC_PUSH(t->rows, t->n, t->cap) = (struct intern_row){.s = ""};
	VEC_PUSH(t->rows, t->n, t->cap) = (struct intern_row){
	    .s = arena_strndup(&t->text, x->s, x->n), .len = (uint32_t)x->n, .hash = x->hash};
	return (uint32_t)(t->n - 1);
}

uint32_t intern_add(struct intern *t, const char *s, size_t n)
{
	struct text x = text_of(s, n);
	uint32_t id = id_set_find(&t->set, &texts, t, x.hash, &x);

	if (!id) {
		id = add_row(t, &x);
		id_set_add(&t->set, &texts, t, x.hash, id);
	}
	return id;
}

uint32_t intern_add_cut(struct intern *t, const char *s, size_t n, size_t limit, bool *cut)
{
	char mark[80], *text;
	size_t n_mark;
	uint32_t id;

	*cut = n > limit;
	if (!*cut)
		return intern_add(t, s, n);
	n_mark = (size_t)snprintf(mark, sizeof mark, "...[%zu bytes, %016" PRIx64 "]", n,
				  hash_bytes(s, n));
	text = mem_alloc(limit);
	memcpy(text, s, limit - n_mark);
	memcpy(text + limit - n_mark, mark, n_mark);
	id = intern_add(t, text, limit);
	free(text);
	return id;
}

uint32_t intern_find(const struct intern *t, const char *s, size_t n)
{
	struct text x = text_of(s, n);

	return id_set_find(&t->set, &texts, t, x.hash, &x);
}

uint32_t intern_append(struct intern *t, const char *s, size_t n)
{
	struct text x = text_of(s, n);
	uint32_t before = id_set_find(&t->set, &texts, t, x.hash, &x), id = add_row(t, &x);

	if (!before) /* of equal rows the first is the one that is found */
		id_set_add(&t->set, &texts, t, x.hash, id);
	return id;
}

const char *intern_text(const struct intern *t, uint32_t id, size_t *n)
{
	bool there = id < t->n;

	if (n)
		*n = there ? t->rows[id].len : 0;
	return there ? t->rows[id].s : "";
}

void intern_release(struct intern *t)
{
	free(t->rows);
	id_set_release(&t->set);
	arena_release(&t->text);
	*t = (struct intern)INTERN_INIT;
}
