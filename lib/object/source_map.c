/* SPDX-License-Identifier: MIT */
#include "lib/object/source_map.h"

#include "lib/base/buf.h"
#include "lib/base/mem_budget.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"
#include "lib/object/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_MAX = 512 << 20, NO_SOURCE = -1, DEPTH_MAX = 64 };

struct piece {
	uint32_t at; /* in the file of the module */
	int32_t source, line, column;
};

struct source_map {
	char *text;
	const char *root, **sources; /* in text */
	size_t n_sources, cap_sources;
	struct piece *all; /* ascending */
	size_t n, cap;
};

/* JSON, as much as there is of it here. at NULL: it is broken. */
struct json {
	char *at;
};

static char json_next(struct json *j)
{
	while (j->at && *j->at && strchr(" \t\r\n", *j->at))
		j->at++;
	return j->at ? *j->at : 0;
}

static bool json_is(struct json *j, char c)
{
	if (json_next(j) != c)
		return false;
	j->at++;
	return true;
}

static uint32_t hex4(const char *s)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *d = s[i] ? strchr(digits, s[i]) : NULL;

		if (!d)
			return UINT32_MAX;
		v = v << 4 | ((uint32_t)(d - digits) & 15);
	}
	return v;
}

/* A string, made readable where it is. NULL: none is here. */
static char *json_string(struct json *j)
{
	char *from, *to, *start;

	if (!json_is(j, '"')) {
		j->at = NULL;
		return NULL;
	}
	for (from = to = start = j->at; *from && *from != '"'; from++) {
		static const char escapes[] = "b\bf\fn\nr\rt\t";
		const char *known;
		uint32_t c;

		if (*from != '\\') {
			*to++ = *from;
			continue;
		}
		known = *++from ? strchr(escapes, *from) : NULL;
		if (*from == 'u') {
			c = hex4(from + 1);
			if (c == UINT32_MAX)
				break;
			from += 4;
			/* three bytes at most: six were there */
			if (c < 0x80) {
				*to++ = (char)c;
			} else if (c < 0x800) {
				*to++ = (char)(0xc0 | c >> 6);
				*to++ = (char)(0x80 | (c & 63));
			} else {
				*to++ = (char)(0xe0 | c >> 12);
				*to++ = (char)(0x80 | (c >> 6 & 63));
				*to++ = (char)(0x80 | (c & 63));
			}
		} else if (*from) {
			*to++ = known ? known[1] : *from;
		} else {
			break;
		}
	}
	j->at = *from == '"' ? from + 1 : NULL;
	*to = 0;
	return j->at ? start : NULL;
}

static void json_skip(struct json *j)
{
	unsigned depth = 0;

	do {
		switch (json_next(j)) {
		case '"': json_string(j); break;
		case '{':
		case '[':
			depth++;
			j->at = depth > DEPTH_MAX ? NULL : j->at + 1;
			break;
		case '}':
		case ']':
			j->at = depth ? j->at + 1 : NULL;
			depth -= depth > 0;
			break;
		case ',':
		case ':': j->at = depth ? j->at + 1 : NULL; break;
		case 0: j->at = NULL; break;
		default: j->at += strcspn(j->at, ",:]}[{\" \t\r\n"); break;
		}
	} while (j->at && depth);
}

static bool read_vlq(const char **s, int64_t *v)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 40 && **s; shift += 5) {
		const char *d = strchr(digits, **s);
		uint64_t digit = d ? (uint64_t)(d - digits) : 0;

		if (!d)
			return false;
		++*s;
		n |= (digit & 31) << shift;
		if (!(digit & 32)) {
			*v = n & 1 ? -(int64_t)(n >> 1) : (int64_t)(n >> 1);
			return true;
		}
	}
	return false;
}

/* Segments of the first line: offset; source, line, column; name: each but the first may be missing, and is the
 * difference to the one before. */
static void read_mappings(struct source_map *m, const char *s)
{
	int64_t at = 0, of[3] = {0}, v;

	while (*s && *s != ';') {
		struct piece p = {.source = NO_SOURCE};
		int n = 0;

		if (*s == ',') {
			s++;
			continue;
		}
		for (; *s && *s != ',' && *s != ';'; n++) {
			if (!read_vlq(&s, &v))
				return;
			if (!n)
				at += v;
			else if (n < 4)
				of[n - 1] += v;
		}
		if (at < 0 || at > UINT32_MAX)
			return;
		p.at = (uint32_t)at;
		if (n >= 4 && of[0] >= 0 && of[1] >= 0 && of[2] >= 0 && of[0] < INT32_MAX &&
		    of[1] < INT32_MAX && of[2] < INT32_MAX)
			p = (struct piece){p.at, (int32_t)of[0], (int32_t)of[1], (int32_t)of[2]};
		VEC_PUSH(m->all, m->n, m->cap) = p;
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void read_sources(struct source_map *m, struct json *j)
{
	if (!json_is(j, '[')) {
		j->at = NULL;
		return;
	}
	while (j->at && !json_is(j, ']')) {
		const char *s = "";

		if (json_next(j) == '"')
			s = json_string(j);
		else
			json_skip(j); /* null */
		VEC_PUSH(m->sources, m->n_sources, m->cap_sources) = s ? s : "";
		if (j->at && json_next(j) != ']' && !json_is(j, ','))
			j->at = NULL;
	}
}

/* False: it is no source map. */
static bool read_map(struct source_map *m)
{
	struct json j = {m->text};
	const char *mappings = NULL, *key;

	m->root = "";
	if (!json_is(&j, '{'))
		return false;
	while (j.at && (key = json_string(&j))) {
		const char *text;

		if (!json_is(&j, ':'))
			break;
		if (!strcmp(key, "sources")) {
			read_sources(m, &j);
		} else if (!strcmp(key, "mappings")) {
			mappings = json_string(&j);
		} else if (!strcmp(key, "sourceRoot") && json_next(&j) == '"') {
			text = json_string(&j);
			m->root = text ? text : "";
		} else {
			json_skip(&j);
		}
		if (!json_is(&j, ','))
			break;
	}
	if (!mappings)
		return false;
	read_mappings(m, mappings);
	sort_stable(m->all, m->n, sizeof *m->all, by_offset);
	return m->n;
}

static char *load(const char *path)
{
	FILE *in = fopen(path, "re");
	char *text = NULL;
	long size;

	if (in && !fseek(in, 0, SEEK_END) && (size = ftell(in)) > 0 && size <= MAP_MAX &&
	    !fseek(in, 0, SEEK_SET) && (text = (char *)mem_budget_grow(NULL, (uint64_t)size + 1)))
		text[fread(text, 1, (size_t)size, in)] = 0;
	if (in)
		fclose(in);
	return text;
}

bool source_map_take(struct object *o, char *text)
{
	struct source_map *m = mem_zalloc(sizeof *m);

	m->text = text;
	if (text && read_map(m)) {
		o->source_map = m;
		return true;
	}
	source_map_free(m);
	return false;
}

bool source_map_find(struct object *o, const struct object_search *s, const char *name)
{
	const char *path = o->file.path, *base = path_base(path);
	struct buf b = BUF_INIT;

	source_map_free(o->source_map);
	o->source_map = NULL;
	for (int own = name ? 0 : 1; own < 2 && !o->source_map; own++) {
		b.len = 0;
		buf_add(&b, path, (size_t)(base - path));
		buf_addf(&b, "%s%s", own ? base : name, own ? ".map" : "");
		source_map_take(o, load(buf_str(&b)));
		for (size_t i = 0; i < s->n_dirs && !o->source_map; i++) {
			b.len = 0;
			buf_addf(&b, "%s/%s%s", s->dirs[i], own ? base : name, own ? ".map" : "");
			source_map_take(o, load(buf_str(&b)));
		}
	}
	buf_release(&b);
	return o->source_map;
}

void source_map_free(struct source_map *m)
{
	if (!m)
		return;
	mem_budget_free((uint8_t *)m->text);
	free(m->sources);
	free(m->all);
	free(m);
}

bool object_has_source_map(const struct object *o)
{
	return o->source_map;
}

bool source_map_at(const struct object *o, uint64_t vaddr, struct source_place *p)
{
	const struct source_map *m = o->source_map;
	size_t n, at;
	const struct object_segment *s = object_segments(o, &n);

	for (size_t i = 0; i < n; i++) {
		if (!s[i].executable || vaddr < s[i].vaddr || vaddr - s[i].vaddr >= s[i].filesz)
			continue;
		at = BISECT(k, 0, m->n, m->all[k].at <= vaddr - s[i].vaddr + s[i].offset);
		if (!at || m->all[at - 1].source == NO_SOURCE ||
		    (size_t)m->all[at - 1].source >= m->n_sources)
			return false;
		*p = (struct source_place){m->root, m->sources[m->all[at - 1].source],
					   (uint32_t)m->all[at - 1].line + 1,
					   (uint32_t)m->all[at - 1].column + 1};
		return true;
	}
	return false;
}
