/* SPDX-License-Identifier: MIT */
#include "lib/object/source_map.h"

#include "lib/base/base64.h"
#include "lib/base/buf.h"
#include "lib/base/mem_budget.h"
#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"
#include "lib/object/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAP_MAX = 512 << 20, NO_SOURCE = -1, DEPTH_MAX = 64, VERSION = 3 };

struct piece {
	uint32_t at; /* in the file of the module */
	int32_t source, line, column;
};

struct source {
	const char *root, *name; /* in text */
};

struct source_map {
	char *text;
	struct source *sources;
	size_t n_sources, cap_sources;
	struct piece *all; /* ascending */
	size_t n, cap;
	uint64_t version;
};

/* JSON, as much as there is of it here. at NULL: it is broken, where broken says. */
struct json {
	char *at, *broken;
};

static void json_break(struct json *j)
{
	if (j->at)
		j->broken = j->at;
	j->at = NULL;
}

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
		json_break(j);
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
	j->at = *from == '"' ? from + 1 : from;
	if (*from != '"')
		json_break(j);
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
			if (++depth > DEPTH_MAX)
				json_break(j);
			else
				j->at++;
			break;
		case '}':
		case ']':
		case ',':
		case ':':
			if (!depth) {
				json_break(j);
				break;
			}
			depth -= *j->at == '}' || *j->at == ']';
			j->at++;
			break;
		case 0: json_break(j); break;
		default: j->at += strcspn(j->at, ",:]}[{\" \t\r\n"); break;
		}
	} while (j->at && depth);
}

static bool read_vlq(const char **s, int64_t *v)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 40; shift += 5) {
		int digit = base64_digit(**s);

		if (digit < 0)
			return false;
		++*s;
		n |= (uint64_t)(digit & 31) << shift;
		if (!(digit & 32)) {
			*v = n & 1 ? -(int64_t)(n >> 1) : (int64_t)(n >> 1);
			return true;
		}
	}
	return false;
}

/* Segments of the first line: offset; source, line, column; name: each but the first may be missing, and is the
 * difference to the one before. Sources are counted from the first one on. */
static void read_mappings(struct source_map *m, const char *s, size_t first)
{
	const int64_t n_sources = (int64_t)(m->n_sources - first);
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
		if (n >= 4 && of[0] >= 0 && of[1] >= 0 && of[2] >= 0 && of[0] < n_sources &&
		    of[1] < INT32_MAX && of[2] < INT32_MAX && m->n_sources < INT32_MAX)
			p = (struct piece){p.at, (int32_t)first + (int32_t)of[0], (int32_t)of[1],
					   (int32_t)of[2]};
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
		json_break(j);
		return;
	}
	while (j->at && !json_is(j, ']')) {
		const char *s = "";

		if (json_next(j) == '"')
			s = json_string(j);
		else
			json_skip(j); /* null */
		VEC_PUSH(m->sources, m->n_sources, m->cap_sources) =
		    (struct source){"", s ? s : ""};
		if (j->at && json_next(j) != ']' && !json_is(j, ','))
			json_break(j);
	}
}

/* The key of the next member of an object; NULL: there is none, or it is broken. *first: before the first. */
static char *json_key(struct json *j, bool *first)
{
	char *key = NULL;

	if (*first ? json_is(j, '{') && json_next(j) != '}' : json_is(j, ','))
		key = json_string(j);
	else if (!json_is(j, '}'))
		json_break(j);
	*first = false;
	if (key && !json_is(j, ':')) {
		json_break(j);
		key = NULL;
	}
	return key;
}

/* UINT64_MAX: none. */
static uint64_t json_number(struct json *j)
{
	char c = json_next(j);
	uint64_t v = c >= '0' && c <= '9' ? strtoull(j->at, NULL, 10) : UINT64_MAX;

	json_skip(j);
	return v;
}

static void read_sections(struct source_map *m, struct json *j);

/* False: it is no source map. Sections have none of their own. */
static bool read_map(struct source_map *m, struct json *j, bool whole)
{
	const size_t source = m->n_sources;
	const char *mappings = NULL, *root = "", *key;
	bool first = true, sections = false;

	while ((key = json_key(j, &first))) {
		if (!strcmp(key, "sources")) {
			read_sources(m, j);
		} else if (!strcmp(key, "mappings")) {
			mappings = json_string(j);
		} else if (!strcmp(key, "sourceRoot") && json_next(j) == '"') {
			root = json_string(j);
		} else if (!strcmp(key, "version")) {
			m->version = json_number(j);
		} else if (whole && !strcmp(key, "sections")) {
			read_sections(m, j);
			sections = true;
		} else {
			json_skip(j);
		}
	}
	if (sections)
		return m->n;
	for (size_t i = source; i < m->n_sources; i++)
		m->sources[i].root = root ? root : "";
	if (mappings)
		read_mappings(m, mappings, source);
	return mappings;
}

static void read_offset(struct json *j, uint64_t *line, uint64_t *column)
{
	bool first = true;
	char *key;

	while ((key = json_key(j, &first))) {
		uint64_t v = json_number(j);

		if (!strcmp(key, "line"))
			*line = v;
		else if (!strcmp(key, "column"))
			*column = v;
	}
}

/* "offset": where the "map" begins, of which only the first line counts, as in every map of a module. */
static void read_section(struct source_map *m, struct json *j)
{
	uint64_t line = 0, column = 0;
	const size_t before = m->n;
	size_t n = before;
	bool first = true;
	char *key;

	while ((key = json_key(j, &first))) {
		if (!strcmp(key, "offset")) {
			read_offset(j, &line, &column);
		} else if (!strcmp(key, "map")) {
			read_map(m, j, false);
		} else {
			json_skip(j);
		}
	}
	for (size_t i = before; i < m->n; i++) {
		struct piece p = m->all[i];

		if (line || column > UINT32_MAX - p.at)
			continue;
		p.at += (uint32_t)column;
		m->all[n++] = p;
	}
	m->n = n;
}

static void read_sections(struct source_map *m, struct json *j)
{
	if (!json_is(j, '['))
		json_break(j);
	while (j->at && !json_is(j, ']')) {
		read_section(m, j);
		if (j->at && json_next(j) != ']' && !json_is(j, ','))
			json_break(j);
	}
}

/* Behind the line that keeps browsers from running the text as a script. */
static char *behind_guard(char *text)
{
	return strncmp(text, ")]}'", 4) != 0 ? text : text + strcspn(text, "\n");
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

/* Why a text of so many bytes is no map. */
static void say_why(const struct source_map *m, const struct json *j, size_t size, struct buf *why)
{
	size_t at = j->broken ? (size_t)(j->broken - m->text) : 0;

	if (j->broken && at == size)
		buf_addf(why, ": it is cut short: it ends at offset %zu", at);
	else if (j->broken)
		buf_addf(why, ": it is no JSON at offset %zu", at);
	else if (m->version != VERSION)
		buf_addf(why, ": its version is not %d", VERSION);
	else
		buf_adds(why, ": it maps nothing");
}

bool source_map_take(struct object *o, char *text, struct buf *why)
{
	struct source_map *m = mem_zalloc(sizeof *m);
	struct json j = {text ? behind_guard(text) : NULL, NULL};
	size_t size = text ? strlen(text) : 0;

	m->text = text;
	m->version = VERSION; /* some have none */
	if (text && read_map(m, &j, true) && m->n && m->version == VERSION) {
		sort_stable(m->all, m->n, sizeof *m->all, by_offset);
		o->source_map = m;
		return true;
	}
	if (text)
		say_why(m, &j, size, why);
	source_map_free(m);
	return false;
}

void source_map_percent(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		int high = *p == '%' ? num_hex_digit(p[1]) : -1;
		int low = high >= 0 ? num_hex_digit(p[2]) : -1;

		*to++ = low >= 0 ? (char)(high * 16 + low) : *p;
		p += low >= 0 ? 2 : 0;
	}
	*to = 0;
}

bool source_map_embedded(struct object *o, char *url, struct buf *why)
{
	static const char base64[] = ";base64";
	const size_t n = sizeof base64 - 1;
	char *data = strchr(url, ','), *text;
	struct buf b = BUF_INIT;
	bool ok = data;

	source_map_free(o->source_map);
	o->source_map = NULL;
	if (data) {
		*data++ = 0;
		source_map_percent(data);
		if (strlen(url) >= n && !strcasecmp(url + strlen(url) - n, base64))
			ok = base64_decode(&b, data, strlen(data));
		else
			buf_adds(&b, data);
	}
	text = ok && b.len <= MAP_MAX ? mem_budget_grow(NULL, b.len + 1) : NULL;
	if (text)
		memcpy(text, buf_str(&b), b.len + 1);
	buf_release(&b);
	return source_map_take(o, text, why);
}

static void try_map(struct object *o, const char *path, struct buf *refused)
{
	char *text = load(path);
	bool there = text;
	struct buf why = BUF_INIT;

	if (!source_map_take(o, text, &why) && there)
		buf_addf(refused, "%s%s is no source map%s", refused->len ? "; " : "", path,
			 buf_str(&why));
	buf_release(&why);
}

bool source_map_find(struct object *o, const struct object_search *s, const char *name,
		     struct buf *refused)
{
	const char *path = o->file.path, *base = path_base(path);
	struct buf b = BUF_INIT;

	source_map_free(o->source_map);
	o->source_map = NULL;
	for (int own = name ? 0 : 1; own < 2 && !o->source_map; own++) {
		b.len = 0;
		buf_add(&b, path, (size_t)(base - path));
		buf_addf(&b, "%s%s", own ? base : name, own ? ".map" : "");
		try_map(o, buf_str(&b), refused);
		for (size_t i = 0; i < s->n_dirs && !o->source_map; i++) {
			b.len = 0;
			buf_addf(&b, "%s/%s%s", s->dirs[i], own ? base : name, own ? ".map" : "");
			try_map(o, buf_str(&b), refused);
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
	const struct source *from;
	size_t n, at;
	const struct object_segment *s = object_segments(o, &n);

	for (size_t i = 0; i < n; i++) {
		if (!s[i].executable || vaddr < s[i].vaddr || vaddr - s[i].vaddr >= s[i].filesz)
			continue;
		at = BISECT(k, 0, m->n, m->all[k].at <= vaddr - s[i].vaddr + s[i].offset);
		if (!at || m->all[at - 1].source == NO_SOURCE ||
		    (size_t)m->all[at - 1].source >= m->n_sources)
			return false;
		from = &m->sources[m->all[at - 1].source];
		*p =
		    (struct source_place){from->root, from->name, (uint32_t)m->all[at - 1].line + 1,
					  (uint32_t)m->all[at - 1].column + 1};
		return true;
	}
	return false;
}
