/* SPDX-License-Identifier: MIT */
#include "lib/base/intern.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *slot(const struct intern *t, const char *s, size_t n, uint32_t hash)
{
	size_t i = hash & t->mask;

	for (; t->slots[i]; i = (i + 1) & t->mask) {
		const struct intern_row *r = &t->rows[t->slots[i]];

		if (r->hash == hash && r->len == n && !memcmp(r->s, s, n))
			break;
	}
	return &t->slots[i];
}

static void enlarge(struct intern *t)
{
	size_t size = t->slots ? (t->mask + 1) * 2 : 64;

	free(t->slots);
	t->slots = mem_zarray(size, sizeof *t->slots);
	t->mask = size - 1;
	for (uint32_t id = 1; id < t->n; id++) {
		const struct intern_row *r = &t->rows[id];
		uint32_t *place = slot(t, r->s, r->len, r->hash);

		if (!*place) /* a million equal rows must not make a chain */
			*place = id;
	}
}

static uint32_t add_row(struct intern *t, const char *s, size_t n, uint32_t hash)
{
	if (!t->n)
		VEC_PUSH(t->rows, t->n, t->cap) = (struct intern_row){.s = ""};
	VEC_PUSH(t->rows, t->n, t->cap) = (struct intern_row){
	    .s = arena_strndup(&t->text, s, n), .len = (uint32_t)n, .hash = hash};
	return (uint32_t)(t->n - 1);
}

uint32_t intern_add(struct intern *t, const char *s, size_t n)
{
	uint32_t hash = (uint32_t)hash_bytes(s, n);
	uint32_t *place;

	if (!t->slots || t->n >= (t->mask + 1) / 2)
		enlarge(t);
	place = slot(t, s, n, hash);
	if (!*place)
		*place = add_row(t, s, n, hash);
	return *place;
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
	return t->slots ? *slot(t, s, n, (uint32_t)hash_bytes(s, n)) : 0;
}

uint32_t intern_append(struct intern *t, const char *s, size_t n)
{
	uint32_t hash = (uint32_t)hash_bytes(s, n);
	uint32_t id, *place;

	if (!t->slots || t->n >= (t->mask + 1) / 2)
		enlarge(t);
	place = slot(t, s, n, hash);
	id = add_row(t, s, n, hash);
	if (!*place) /* of equal rows the first is the one that is found */
		*place = id;
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
	free(t->slots);
	arena_release(&t->text);
	*t = (struct intern)INTERN_INIT;
}
