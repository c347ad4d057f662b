/* SPDX-License-Identifier: MIT */
#include "formats/lua/luau_repair.h"

#include <string.h>

static const char class_mark[] = "{\"type\":\"class\"", name_mark[] = ",\"name\":";

static size_t find(const char *s, size_t n, size_t from, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = from; i + len <= n; i++)
		if (s[i] == *word && !memcmp(s + i, word, len))
			return i;
	return n;
}

/* How much of a line is sound; n: all. A class is at a line's start, behind its address. */
static size_t sound(const char *s, size_t n)
{
	size_t head = n < 80 ? n : 80, at = find(s, head, 0, class_mark);

	if (at == head)
		return n;
	at = find(s, n, at, name_mark);
	return at + sizeof name_mark - 1 < n && s[at + sizeof name_mark - 1] != '"' ? at : n;
}

static void luau_repair_add_line(struct luau_repair *r)
{
	uint64_t at = cursor_offset(r->from), size;
	size_t n, keep;
	const char *s = cursor_line(r->from, &n, LIMIT_CURSOR);

	if (!s)
		return;
	size = cursor_offset(r->from) - at; /* with its end */
	keep = sound(s, n);
	buf_add(&r->text, s, keep);
	if (keep < n) {
		char end[2] = {'}', s[n - 1] == ',' ? ',' : ' '};

		r->classes++;
		buf_add(&r->text, end, sizeof end);
		for (keep += sizeof end; keep < n; keep++)
			buf_addc(&r->text, ' ');
	}
	for (; keep < size; keep++)
		buf_addc(&r->text, keep + 1 == size ? '\n' : '\r');
}

static bool luau_repair_refill(struct cursor *c, size_t need)
{
	struct luau_repair *r = c->owner;
	size_t used = (size_t)(c->pos - c->base), left = cursor_window(c);

	if (used && left)
		memmove(r->text.data, r->text.data + used, left);
	r->text.len = left;
	c->base_offset += used;
	while (r->text.len < need && !cursor_done(r->from))
		luau_repair_add_line(r);
	c->at_end = cursor_done(r->from);
	if (r->text.len) {
		c->base = (const uint8_t *)r->text.data;
		c->end = c->base + r->text.len;
	} else {
		c->end = c->base;
	}
	c->pos = c->base;
	return !cursor_failed(r->from);
}

void luau_repair_init(struct luau_repair *r, struct cursor *from)
{
	static const uint8_t nothing[1];

	*r = (struct luau_repair){.from = from};
	r->cur = (struct cursor){.pos = nothing,
				 .end = nothing,
				 .base = nothing,
				 .base_offset = cursor_offset(from),
				 .refill = luau_repair_refill,
				 .owner = r,
				 .e = from->e};
}

void luau_repair_release(struct luau_repair *r)
{
	buf_release(&r->text);
}
