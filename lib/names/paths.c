/* SPDX-License-Identifier: MIT */
#include "lib/names/paths.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct path_map {
	char *from, *to;
	size_t n_from, n_to;
};

struct paths {
	struct path_map *maps;
	size_t n, cap;
};

struct paths *paths_new(void)
{
	return mem_zalloc(sizeof(struct paths));
}

void paths_free(struct paths *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		free(p->maps[i].from);
		free(p->maps[i].to);
	}
	free(p->maps);
	free(p);
}

static bool path_separator(char c)
{
	return c == '/' || c == '\\';
}

enum status paths_add(struct paths *p, const char *text, struct err *e)
{
	const char *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : 0;
	struct path_map m;

	/* A separator at the end says nothing: what is mapped ends at one. */
	while (n > 1 && path_separator(text[n - 1]))
		n--;
	if (!n)
		return err_set(e, ST_BAD, "'%s' is not a map of paths, OLD=NEW", text);
	m.n_from = n;
	m.n_to = strlen(equals + 1);
	while (m.n_to > 1 && path_separator(equals[m.n_to]))
		m.n_to--;
	m.from = mem_strndup(text, n);
	m.to = mem_strndup(equals + 1, m.n_to);
	VEC_PUSH(p->maps, p->n, p->cap) = m;
	return ST_OK;
}

void paths_add_all(struct paths *p, const struct paths *from)
{
	for (size_t i = 0; from && i < from->n; i++) {
		struct path_map m = from->maps[i];

		m.from = mem_strndup(m.from, m.n_from);
		m.to = mem_strndup(m.to, m.n_to);
		VEC_PUSH(p->maps, p->n, p->cap) = m;
	}
}

size_t paths_count(const struct paths *p)
{
	return p ? p->n : 0;
}

/* The name behind which a .. takes it away again: the last of a text that ends in '/'; 0: none, or
 * it is itself no name. */
static size_t last_name(const char *s, size_t n)
{
	size_t to = n ? n - 1 : 0, at = to;

	while (at && s[at - 1] != '/')
		at--;
	if (at == to || (to - at <= 2 && !memcmp(s + at, "..", to - at)))
		return 0;
	return n - at;
}

bool paths_tidy(const char *s, size_t n, struct buf *to)
{
	size_t start = to->len;

	if (!memmem(s, n, "/../", 4) && !memmem(s, n, "/./", 3))
		return false;
	for (size_t i = 0, part; i < n; i += part) {
		const char *slash = memchr(s + i, '/', n - i);
		size_t name = 0;

		part = slash ? (size_t)(slash - (s + i)) + 1 : n - i;
		if (part == 3 && !memcmp(s + i, "../", 3))
			name = last_name(buf_at(to, start), to->len - start);
		to->len -= name;
		if (!name && !(i && part == 2 && !memcmp(s + i, "./", 2)))
			buf_add(to, s + i, part);
	}
	return true;
}

bool paths_map(const struct paths *p, const char *s, size_t n, struct buf *to)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct path_map *m = &p->maps[i];
		size_t from = m->n_from;

		if (n < from || memcmp(s, m->from, from) != 0)
			continue;
		if (n > from && !path_separator(s[from]) && !path_separator(s[from - 1]))
			continue;
		if (!m->n_to && n > from && path_separator(s[from]))
			from++;
		buf_add(to, m->to, m->n_to);
		/* "/=src": the separator was a part of what is replaced. */
		if (n > from && m->n_to && path_separator(s[from - 1]) &&
		    !path_separator(m->to[m->n_to - 1]))
			buf_add(to, &s[from - 1], 1);
		buf_add(to, s + from, n - from);
		return true;
	}
	return false;
}
