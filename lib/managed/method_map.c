/* SPDX-License-Identifier: MIT */
#include "lib/managed/method_map.h"

enum { LINE_LIMIT = 1 << 20 };

static void method_map_parse_line(struct method_map *m, const char *line, size_t n)
{
	const char *tab = memchr(line, '\t', n), *signature = tab ? tab + 1 : NULL, *end;
	size_t n_name = tab ? (size_t)(tab - line) : 0, left;
	uint32_t name, *of;

	if (!n)
		return;
	if (!n_name) {
		m->odd++;
		return;
	}
	left = n - n_name - 1;
	end = memchr(signature, '\t', left);
	left = end ? (size_t)(end - signature) : left;
	if (!left) {
		m->odd++;
		return;
	}
	if (n_name == 4 && !memcmp(line, "NULL", 4))
		return;
	name = intern_add(&m->names, line, n_name);
	of = map64_put(&m->of, name);
	if (*of) { /* the first one stays */
		m->twice++;
		return;
	}
	*of = intern_add(&m->signatures, signature, left);
	m->methods++;
}

enum status method_map_read(struct method_map *m, struct cursor *in, struct err *e)
{
	uint64_t before = m->methods + m->twice;
	const char *line;
	size_t n;

	while ((line = cursor_line(in, &n, LINE_LIMIT)))
		method_map_parse_line(m, line, n);
	if (cursor_failed(in))
		return err_failure(e);
	if (m->methods + m->twice == before)
		return err_set(e, ST_BAD, "no line is a generated name, a tab and a method");
	return ST_OK;
}

const char *method_map_at(const struct method_map *m, const char *name, size_t n)
{
	uint32_t id = intern_find(&m->names, name, n);

	return id ? intern_text(&m->signatures, map64_get(&m->of, id), NULL) : NULL;
}

void method_map_release(struct method_map *m)
{
	intern_release(&m->names);
	intern_release(&m->signatures);
	map64_release(&m->of);
}
