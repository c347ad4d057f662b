/* SPDX-License-Identifier: MIT */
#include "formats/miku/objects.h"

#include "formats/emit.h"
#include "lib/base/num.h"

#include <ctype.h>
#include <string.h>

void miku_type_of_name(struct buf *out, const char *s, size_t n)
{
	out->len = 0;
	if (n > 5 && !memcmp(s, "LUA_T", 5)) {
		s += 5;
		n -= 5;
	}
	for (size_t i = 0; i < n; i++)
		buf_addc(out, (char)tolower((unsigned char)s[i]));
}

const char *miku_type_of_number(uint32_t lua_type)
{
	static const char *const names[] = {"nil",      "boolean",  "lightuserdata",
					    "number",   "string",   "table",
					    "function", "userdata", "thread"};

	return lua_type < sizeof names / sizeof *names ? names[lua_type] : "?";
}

/* function:@file&line:12 and nothing behind it -> @file and 12. */
static bool definition(const char *s, size_t n, size_t *n_file, uint64_t *line)
{
	static const char head[] = "function:", mark[] = "&line:";
	const char *at;

	if (n < sizeof head || memcmp(s, head, sizeof head - 1) != 0)
		return false;
	at = memmem(s, n, mark, sizeof mark - 1);
	if (!at || !num_dec(at + sizeof mark - 1, (size_t)(s + n - at) - sizeof mark + 1, line))
		return false;
	*n_file = (size_t)(at - s) - sizeof head + 1;
	return true;
}

const char *miku_grammar(const char *s, size_t n)
{
	size_t n_file;
	uint64_t line;

	if (definition(s, n, &n_file, &line))
		return NULL;
	if (memmem(s, n, "]->[", 4))
		return "arrows";
	if (memmem(s, n, "].[", 3))
		return "brackets";
	return n && *s != '[' && memchr(s, '.', n) ? "dots" : NULL;
}

/* file:12 of the item that says where the function is defined; 0 when none does. */
static uint32_t miku_objects_name_of(struct trace *t, const struct miku_item *item)
{
	struct buf b = BUF_INIT;
	const char *file;
	size_t n_file;
	uint64_t line;
	uint32_t id;

	if (!definition(item->s, item->n, &n_file, &line))
		return 0;
	file = item->s + strlen("function:");
	if (n_file && *file == '@') {
		file++;
		n_file--;
	}
	buf_add(&b, file, n_file);
	buf_addc(&b, ':');
	buf_add_u64(&b, line);
	id = trace_string(t, b.data, b.len);
	buf_release(&b);
	return id;
}

enum status miku_push_object(struct import *im, const struct miku_object *o, struct err *e)
{
	struct emit_object object = {.id = o->id, .count = KNOWN_IF(o->count, o->count)};
	enum status st;

	if (o->n_type)
		object.type = trace_type(im->t, o->type, o->n_type);
	for (size_t i = 0; i < o->n_items && !object.name; i++)
		object.name = miku_objects_name_of(im->t, &o->items[i]);
	st = emit_object(im, &object, e);
	for (size_t i = 0; !st && i < o->n_items; i++) {
		if (miku_objects_name_of(im->t, &o->items[i]) && o->items[i].n)
			continue;
		st = emit_reference(im, 0, o->id, trace_string(im->t, o->items[i].s, o->items[i].n),
				    ABSENT, e);
	}
	return st;
}
