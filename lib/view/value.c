/* SPDX-License-Identifier: MIT */
#include "lib/view/value.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/input/json.h"
#include "lib/render/json.h"

#include <string.h>

struct builder {
	struct arena *arena;
	struct view_value *open[VALUE_DEPTH + 2];
	size_t depth;
	const char *key;
	struct view_value *root;
	bool several;
};

static struct view_value *view_value_add(struct builder *b, enum value_kind kind)
{
	struct view_value *v = arena_alloc(b->arena, sizeof *v), *in;

	*v = (struct view_value){.kind = kind, .key = b->key};
	b->key = NULL;
	if (!b->depth) {
		b->several |= b->root != NULL;
		b->root = v;
		return v;
	}
	in = b->open[b->depth - 1];
	if (in->last)
		in->last->next = v;
	else
		in->first = v;
	in->last = v;
	return v;
}

static enum status view_value_on_null(void *arg, struct err *e)
{
	(void)e;
	view_value_add(arg, VALUE_NULL);
	return ST_OK;
}

static enum status view_value_on_boolean(void *arg, bool yes, struct err *e)
{
	(void)e;
	view_value_add(arg, VALUE_BOOL)->yes = yes;
	return ST_OK;
}

static void set_text(struct builder *b, struct view_value *v, const char *s, size_t n)
{
	v->text = arena_strndup(b->arena, s, n);
	v->len = n;
}

static enum status view_value_on_number(void *arg, const char *s, size_t n, struct err *e)
{
	(void)e;
	set_text(arg, view_value_add(arg, VALUE_NUMBER), s, n);
	return ST_OK;
}

static enum status view_value_on_string(void *arg, const char *s, size_t n, struct err *e)
{
	(void)e;
	set_text(arg, view_value_add(arg, VALUE_STRING), s, n);
	return ST_OK;
}

static enum status view_value_on_key(void *arg, const char *s, size_t n, struct err *e)
{
	struct builder *b = arg;

	(void)e;
	b->key = arena_strndup(b->arena, s, n);
	return ST_OK;
}

static enum status view_value_on_begin(void *arg, char bracket, struct err *e)
{
	struct builder *b = arg;
	struct view_value *v = view_value_add(b, bracket == '{' ? VALUE_OBJECT : VALUE_ARRAY);

	if (b->depth > VALUE_DEPTH)
		return err_set(e, ST_LIMIT, "nested deeper than %d", VALUE_DEPTH);
	b->open[b->depth++] = v;
	return ST_OK;
}

static enum status view_value_on_end(void *arg, char bracket, struct err *e)
{
	struct builder *b = arg;

	(void)bracket;
	(void)e;
	b->depth--;
	return ST_OK;
}

struct view_value *value_parse(struct arena *a, const char *text, size_t n, struct err *e)
{
	static const struct json_handler handler = {
	    view_value_on_null, view_value_on_boolean, view_value_on_number, view_value_on_string,
	    view_value_on_key,  view_value_on_begin,   view_value_on_end};
	static const struct json_options options = {.max_depth = VALUE_DEPTH, .repair_utf8 = true};
	struct builder b = {.arena = a};
	struct json_result r;
	struct cursor c;

	cursor_init(&c, text, n, 0, e);
	if (json_parse(&c, &handler, &b, &options, &r, e))
		return NULL;
	if (!b.root || b.several) {
		err_set(e, ST_BAD, b.root ? "more than one value" : "no value");
		return NULL;
	}
	return b.root;
}

const struct view_value *value_get(const struct view_value *v, const char *key)
{
	const struct view_value *found = NULL;

	if (!v || v->kind != VALUE_OBJECT)
		return NULL;
	for (const struct view_value *m = v->first; m; m = m->next)
		if (m->key && !strcmp(m->key, key))
			found = m;
	return found;
}

const char *value_string(const struct view_value *v, const char *key)
{
	const struct view_value *m = value_get(v, key);

	return m && m->kind == VALUE_STRING ? m->text : NULL;
}

bool value_number(const struct view_value *v, const char *key, uint64_t otherwise, uint64_t most,
		  uint64_t *to)
{
	const struct view_value *m = value_get(v, key);

	*to = otherwise;
	if (!m || m->kind == VALUE_NULL)
		return true;
	return m->kind == VALUE_NUMBER && num_dec(m->text, m->len, to) && *to <= most;
}

void value_write(struct buf *b, const struct view_value *v)
{
	const char *close = v->kind == VALUE_OBJECT ? "}" : "]";

	switch (v->kind) {
	case VALUE_NULL: buf_adds(b, "null"); return;
	case VALUE_BOOL: buf_adds(b, v->yes ? "true" : "false"); return;
	case VALUE_NUMBER: buf_add(b, v->text, v->len); return;
	case VALUE_STRING: json_text(b, v->text, v->len); return;
	case VALUE_ARRAY: buf_addc(b, '['); break;
	case VALUE_OBJECT: buf_addc(b, '{'); break;
	}
	for (const struct view_value *m = v->first; m; m = m->next) {
		if (m != v->first)
			buf_addc(b, ',');
		if (v->kind == VALUE_OBJECT) {
			json_string(b, m->key);
			buf_addc(b, ':');
		}
		value_write(b, m);
	}
	buf_adds(b, close);
}
