/* SPDX-License-Identifier: MIT */
#include "lib/managed/line_map.h"

#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"
#include "lib/input/json.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_LIMIT = 32 << 10, SAME = UINT32_MAX };

struct entry {
	uint32_t cpp, line; /* file id, line */
	uint32_t cs, to;    /* string of cs; 0: no source */
};

struct line_map {
	struct intern cpp;      /* paths, "\" as "/"; ids are file ids */
	struct intern cs;       /* paths as they are */
	struct intern ids;      /* of binaries */
	struct intern relative; /* paths below root */
	struct map64 by_relative;
	struct intern bases;
	uint32_t *base_file; /* by base name: its file, or SAME when several have it */
	size_t n_bases, cap_bases;
	struct entry *entries; /* by cpp, then line */
	size_t n, cap;
	size_t *from; /* by cpp: its first entry; one more behind the last */
	uint64_t odd;
	struct err broken; /* where the text ended too early */
};

struct parse {
	struct line_map *m;
	struct buf path;
	unsigned depth; /* of objects and arrays */
	bool ids;       /* in "__debug-id__" */
	unsigned odd;   /* depth of the outermost bracket that has no place here; 0: none */
	uint32_t cpp, cs, line;
	bool has_line;
};

static const char *slashes(struct buf *b, const char *s, size_t n)
{
	b->len = 0;
	buf_add(b, s, n < PATH_LIMIT ? n : PATH_LIMIT);
	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] == '\\')
			b->data[i] = '/';
	return buf_str(b);
}

static enum status line_map_on_key(void *arg, const char *s, size_t n, struct err *e)
{
	struct parse *p = arg;
	uint64_t line;

	(void)e;
	if (p->odd)
		return ST_OK;
	if (p->depth == 1) {
		p->ids = n == 12 && !memcmp(s, "__debug-id__", 12);
		if (!p->ids) {
			slashes(&p->path, s, n);
			p->cpp = intern_add(&p->m->cpp, p->path.data, p->path.len);
		}
	} else if (p->depth == 2 && p->ids) {
		intern_add(&p->m->ids, s, n);
	} else if (p->depth == 2) {
		p->cs = n == 11 && !memcmp(s, "<no-source>", 11)
			    ? 0
			    : intern_add(&p->m->cs, s, n < PATH_LIMIT ? n : PATH_LIMIT);
	} else if (p->depth == 3 && !p->ids) {
		p->has_line = num_dec(s, n, &line) && line && line <= UINT32_MAX;
		p->line = (uint32_t)(p->has_line ? line : 0);
	}
	return ST_OK;
}

static enum status line_map_on_number(void *arg, const char *s, size_t n, struct err *e)
{
	struct parse *p = arg;
	uint64_t to;

	(void)e;
	if (p->depth == 3 && !p->ids && !p->odd && p->has_line && num_dec(s, n, &to) &&
	    to <= UINT32_MAX)
		VEC_PUSH(p->m->entries, p->m->n, p->m->cap) =
		    (struct entry){p->cpp, p->line, p->cs, (uint32_t)to};
	else
		p->m->odd++;
	return ST_OK;
}

static enum status line_map_on_string(void *arg, const char *s, size_t n, struct err *e)
{
	struct parse *p = arg;

	(void)s;
	(void)n;
	(void)e;
	p->m->odd++;
	return ST_OK;
}

static enum status line_map_on_null(void *arg, struct err *e)
{
	return line_map_on_string(arg, NULL, 0, e);
}

static enum status line_map_on_boolean(void *arg, bool v, struct err *e)
{
	(void)v;
	return line_map_on_string(arg, NULL, 0, e);
}

static enum status line_map_on_begin(void *arg, char bracket, struct err *e)
{
	struct parse *p = arg;

	if (!p->depth && bracket != '{')
		return err_set(e, ST_BAD, "not an object of C++ files");
	p->depth++;
	if (!p->odd && (bracket == '[' || p->depth > 3)) {
		p->odd = p->depth;
		p->m->odd++;
	}
	return ST_OK;
}

static enum status line_map_on_end(void *arg, char bracket, struct err *e)
{
	struct parse *p = arg;

	(void)bracket;
	(void)e;
	p->depth--;
	if (p->depth < p->odd)
		p->odd = 0;
	return ST_OK;
}

static void line_map_index_files(struct line_map *m, const char *root)
{
	struct buf b = BUF_INIT;
	size_t n_root;

	slashes(&b, root, strlen(root));
	while (b.len && strchr("/\r\n ", b.data[b.len - 1]))
		b.len--;
	n_root = b.len;
	for (uint32_t i = 1; i <= intern_count(&m->cpp); i++) {
		size_t n;
		const char *path = intern_text(&m->cpp, i, &n), *base = path_base(path);
		uint32_t id = intern_add(&m->bases, base, strlen(base));

		while (m->n_bases <= id)
			VEC_PUSH(m->base_file, m->n_bases, m->cap_bases) = 0;
		m->base_file[id] = m->base_file[id] ? SAME : i;
		if (n_root && n > n_root + 1 && !memcmp(path, b.data, n_root) &&
		    path[n_root] == '/') {
			id = intern_add(&m->relative, path + n_root + 1, n - n_root - 1);
			*map64_put(&m->by_relative, id) = i;
		}
	}
	buf_release(&b);
}

/* Entries of one line keep their order: the last one is found, and replaces those before. */
static void line_map_sort_entries(struct line_map *m)
{
	struct sort_item *items = mem_array(m->n, sizeof *items);
	struct entry *sorted = mem_array(m->n, sizeof *sorted);
	size_t next = 0, files = (size_t)intern_count(&m->cpp) + 2;

	for (size_t i = 0; i < m->n; i++)
		items[i] = (struct sort_item){
		    (uint64_t)m->entries[i].cpp << 32 | m->entries[i].line, (uint32_t)i};
	sort_radix(items, m->n);
	for (size_t i = 0; i < m->n; i++)
		sorted[i] = m->entries[items[i].index];
	free(items);
	free(m->entries);
	m->entries = sorted;
	m->from = mem_array(files, sizeof *m->from);
	for (uint32_t cpp = 0; cpp < files; cpp++) {
		while (next < m->n && sorted[next].cpp < cpp)
			next++;
		m->from[cpp] = next;
	}
}

enum status line_map_read(struct line_map **out, struct cursor *in, const char *root, struct err *e)
{
	static const struct json_handler handler = {
	    line_map_on_null, line_map_on_boolean, line_map_on_number, line_map_on_string,
	    line_map_on_key,  line_map_on_begin,   line_map_on_end};
	struct line_map *m = mem_zalloc(sizeof *m);
	struct parse p = {.m = m};
	struct json_result r = {0};
	enum status st =
	    json_parse(in, &handler, &p, &(struct json_options){.repair_utf8 = true}, &r, e);

	buf_release(&p.path);
	m->broken = st ? *e : (struct err)ERR_INIT;
	if (st == ST_BAD && m->n) /* what was sound is kept */
		st = ST_OK;
	if (!st && m->n >= UINT32_MAX)
		st = err_set(e, ST_LIMIT, "%zu lines are too many", m->n);
	if (!st && !m->n)
		st = err_set(e, ST_BAD, "no line of C++ is mapped in it");
	if (st) {
		line_map_free(m);
		return st;
	}
	line_map_sort_entries(m);
	line_map_index_files(m, root);
	*out = m;
	return ST_OK;
}

void line_map_free(struct line_map *m)
{
	if (!m)
		return;
	intern_release(&m->cpp);
	intern_release(&m->cs);
	intern_release(&m->ids);
	intern_release(&m->relative);
	intern_release(&m->bases);
	map64_release(&m->by_relative);
	free(m->base_file);
	free(m->entries);
	free(m->from);
	free(m);
}

struct line_map_facts line_map_facts(const struct line_map *m)
{
	return (struct line_map_facts){.files = intern_count(&m->cpp),
				       .lines = m->n,
				       .odd = m->odd,
				       .broken = m->broken.code ? &m->broken : NULL,
				       .sentry = intern_count(&m->ids) > 0};
}

/* A debug id is a GUID made of the build-id's first 16 bytes, its first three numbers in
 * little-endian order, and "-age" behind it. */
static bool id_is(const char *s, size_t n, const struct object_build_id *id)
{
	static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	size_t k = 0;

	for (size_t i = 0; i < n && k < 32; i++) {
		int digit = num_hex_digit(s[i]);
		uint8_t byte = order[k / 2] < id->len ? id->bytes[order[k / 2]] : 0;

		if (s[i] == '-')
			continue;
		if (digit < 0 || digit != (k % 2 ? byte & 15 : byte >> 4))
			return false;
		k++;
	}
	return k == 32;
}

bool line_map_is_of(const struct line_map *m, const struct object_build_id *id)
{
	if (!id->len || !intern_count(&m->ids))
		return true;
	for (uint32_t i = 1; i <= intern_count(&m->ids); i++) {
		size_t n;
		const char *s = intern_text(&m->ids, i, &n);

		if (id_is(s, n, id))
			return true;
	}
	return false;
}

uint32_t line_map_file(const struct line_map *m, const char *path, bool generated)
{
	struct buf b = BUF_INIT;
	const char *s = slashes(&b, path, strlen(path)), *base = path_base(s);
	uint32_t file = intern_find(&m->cpp, s, b.len), id;

	for (const char *p = strchr(s, '/'); !file && p; p = strchr(p + 1, '/')) {
		id = intern_find(&m->relative, p + 1, strlen(p + 1));
		file = id ? map64_get(&m->by_relative, id) : 0;
	}
	if (!file && generated) {
		id = intern_find(&m->bases, base, strlen(base));
		file = id && m->base_file[id] != SAME ? m->base_file[id] : 0;
	}
	buf_release(&b);
	return file;
}

enum line_map_found line_map_at(const struct line_map *m, uint32_t cpp, uint32_t line,
				uint32_t first, uint64_t window, const char **file, uint32_t *cs)
{
	size_t begin = m->from[cpp], end = m->from[cpp + 1];
	size_t lo =
	    BISECT(i, begin, end, m->entries[i].line <= line); /* the first that is greater */
	const struct entry *x;

	if (lo == begin)
		return LINE_MAP_NO_ENTRY;
	x = &m->entries[lo - 1];
	if (x->line < first || (window && line - x->line > window))
		return LINE_MAP_NO_ENTRY;
	if (!x->cs)
		return LINE_MAP_NO_SOURCE;
	*file = intern_text(&m->cs, x->cs, NULL);
	*cs = x->to;
	return LINE_MAP_FOUND;
}
