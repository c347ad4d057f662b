/* SPDX-License-Identifier: MIT */
#include "lib/history/series_match.h"

#include "lib/base/mem.h"
#include "lib/names/disambiguate.h"
#include "lib/profile/matching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_MATCH_NUL "\xef\xbf\xbd" /* what a text of the tables has for NUL */

static uint64_t in_key(uint32_t kind, size_t run)
{
	return (uint64_t)kind << 32 | (uint32_t)run;
}

/* A part of a raw name; the next begins at *next, where there is one. */
struct raw_part {
	const char *s;
	size_t n;
};

static struct raw_part raw_part(const char *s, size_t n, struct raw_part *rest)
{
	const char *end = memmem(s, n, SERIES_MATCH_NUL, strlen(SERIES_MATCH_NUL));
	size_t len = end ? (size_t)(end - s) : n, skip = end ? strlen(SERIES_MATCH_NUL) : 0;

	*rest = (struct raw_part){s + len + skip, n - len - skip};
	return (struct raw_part){s, len};
}

/* The name, the file and the line that a raw name says; a part that is not there is empty. */
static void series_match_read_raw(struct db_query *q, int column, struct raw_part parts[3])
{
	size_t n = 0;
	const char *s = db_is_null(q, column) ? "" : db_text(q, column, &n);
	struct raw_part rest = {s, n};

	for (size_t i = 0; i < 3; i++)
		parts[i] = raw_part(rest.s, rest.n, &rest);
}

static uint32_t number_of(struct raw_part p)
{
	uint32_t v = 0;

	for (size_t i = 0; i < p.n && p.s[i] >= '0' && p.s[i] <= '9'; i++)
		v = v * 10 + (uint32_t)(p.s[i] - '0');
	return v;
}

/* What has a line in its raw name, as a lambda that is inlined everywhere, is known by it in one build only. */
static uint32_t series_match_kind_of(struct series_match *k, struct map64 *found,
				     struct db_query *q)
{
	struct series_match_kind kind = {.file = 0};
	struct raw_part raw[3];
	size_t n;
	const char *s = db_text(q, 1, &n);
	uint32_t *to;

	kind.name = intern_add(&k->texts, s, n);
	series_match_read_raw(q, 2, raw);
	kind.line = number_of(raw[2]);
	kind.numbered = kind.line || name_is_numbered(s, n);
	if (raw[1].n)
		kind.file = intern_add(&k->texts, raw[1].s, raw[1].n);
	else if (kind.numbered && !db_is_null(q, 4)) {
		s = db_text(q, 4, &n);
		kind.file = intern_add(&k->texts, s, n);
	}
	to = map64_put(found,
		       hash_u64(((uint64_t)kind.name << 32 | kind.file) ^ hash_u64(kind.line)) | 1);
	if (!*to) {
		*to = (uint32_t)k->n;
		VEC_PUSH(k->items, k->n, k->cap) = kind;
	}
	return *to;
}

static void series_match_add_place(struct series_match *k, uint64_t at, struct db_query *q)
{
	uint32_t *to = map64_put(&k->at, at), kind = (uint32_t)(at >> 32),
		 line = k->items[kind].line;
	struct series_match_place *p;

	if (!line && !db_is_null(q, 5))
		line = (uint32_t)db_int(q, 5);
	if (!*to) {
		VEC_PUSH(k->places, k->n_places, k->cap_places) =
		    (struct series_match_place){.line = line};
		*to = (uint32_t)k->n_places;
	}
	p = &k->places[*to - 1];
	if (line && (!p->line || line < p->line))
		p->line = line;
	if (db_int(q, 6)) /* cumulative */
		return;
	p->count += db_is_null(q, 7) ? 0 : (double)db_int(q, 7);
	p->bytes += db_is_null(q, 8) ? 0 : (double)db_int(q, 8);
}

static enum status read_kinds(struct series_match *k, struct db_query *q, const struct map64 *at,
			      struct err *e)
{
	struct map64 found = MAP64_INIT;
	enum status st;

	while (!(st = db_step(q, e))) {
		uint32_t run = map64_get(at, (uint64_t)db_int(q, 3)), kind;

		if (!run)
			continue;
		kind = series_match_kind_of(k, &found, q);
		*map64_put(&k->kinds, (uint64_t)db_int(q, 0)) = kind;
		*map64_put(&k->in, in_key(kind, run - 1)) = 1;
		if (k->items[kind].numbered)
			series_match_add_place(k, in_key(kind, run - 1), q);
	}
	map64_release(&found);
	return st == ST_NONE ? ST_OK : st;
}

static const char *kind_file(const struct series_match *k, uint32_t kind)
{
	return intern_text(&k->texts, k->items[kind].file, NULL);
}

/* As the run has it. */
static struct matching_entity to_match(const struct series_match *k, uint32_t kind, size_t run)
{
	const struct series_match_kind *of = &k->items[kind];
	uint32_t at = map64_get(&k->at, in_key(kind, run));
	struct matching_entity m = {.same = hash_u64(kind),
				    .canonical = hash_u64(of->name),
				    .name = intern_text(&k->texts, of->name, NULL),
				    .file = kind_file(k, kind),
				    .file_id = of->file,
				    .is_open = of->numbered};
	struct buf name = BUF_INIT;

	if (of->numbered) {
		canonical_name(&name, m.name, strlen(m.name));
		m.canonical = hash_bytes(name.data, name.len);
		buf_release(&name);
	}
	if (at) {
		m.line = k->places[at - 1].line;
		m.count = (float)k->places[at - 1].count;
		m.bytes = (float)k->places[at - 1].bytes;
	}
	return m;
}

/* The series that were there, and what the next run has. */
static void series_match_join_run(struct series_match *k, size_t run)
{
	struct matching_lines lines = {.n = 0};
	size_t old = k->n_series - 1, n = 0;
	struct matching_entity *was = mem_array(old + 1, sizeof *was),
			       *now = mem_array(k->n + 1, sizeof *now);
	uint32_t *kind = mem_array(k->n + 1, sizeof *kind), *to = mem_array(k->n + 1, sizeof *to);
	bool *guess = mem_array(k->n + 1, sizeof *guess);

	for (uint32_t i = 0; i < old; i++)
		was[i] = to_match(k, k->series[i + 1].kind, k->series[i + 1].run);
	for (uint32_t i = 1; i < k->n; i++)
		if (map64_get(&k->in, in_key(i, run))) {
			kind[n] = i;
			now[n++] = to_match(k, i, run);
		}
	if (k->lines && run)
		places_compare(&k->lines[run - 1], &k->lines[run], &lines);
	matching_lines_sort(&lines);
	matching_assign(was, old, now, n, &lines, to, guess);
	matching_lines_release(&lines);
	for (size_t i = 0; i < n; i++) {
		uint32_t series = to[i] + 1;

		if (to[i] == MATCHING_NONE) {
			series = (uint32_t)k->n_series;
			VEC_PUSH(k->series, k->n_series, k->cap_series) =
			    (struct series_match_series){.name = k->items[kind[i]].name};
		}
		k->series[series].kind = kind[i];
		k->series[series].run = run;
		if (k->items[kind[i]].numbered)
			k->series[series].name = k->items[kind[i]].name;
		*map64_put(&k->in, in_key(kind[i], run)) = series;
	}
	free(was);
	free(now);
	free(kind);
	free(to);
	free(guess);
}

/* Of numbered entities of one name in different runs that are not one. */
static void series_match_mark_earlier(struct series_match *k)
{
	struct map64 shown = MAP64_INIT;
	struct buf b = BUF_INIT;

	for (uint32_t i = 1; i < k->n_series; i++) {
		uint32_t *at = map64_put(&shown, k->series[i].shown), earlier = i;
		struct series_match_series *s;
		size_t n;
		const char *text;

		if (!*at || !k->items[k->series[i].kind].numbered) {
			*at = i;
			continue;
		}
		if (k->series[*at].run < k->series[i].run) {
			earlier = *at;
			*at = i;
		}
		s = &k->series[earlier];
		text = intern_text(&k->texts, s->shown, &n);
		b.len = 0;
		buf_add(&b, text, n);
		buf_adds(&b, " (earlier)");
		s->shown = intern_add(&k->texts, b.data, b.len);
	}
	buf_release(&b);
	map64_release(&shown);
}

static const char *series_match_line_text(struct series_match *k, uint32_t line)
{
	char text[16];
	int n = snprintf(text, sizeof text, "%u", line);

	return intern_text(&k->texts, intern_add(&k->texts, text, (size_t)n), NULL);
}

static void series_match_disambiguate(struct series_match *k)
{
	struct name_suffix *a = mem_array(k->n_series + 1, sizeof *a);
	struct buf b = BUF_INIT;

	for (size_t i = 1; i < k->n_series; i++) {
		uint32_t file = k->items[k->series[i].kind].file,
			 line = k->items[k->series[i].kind].line;

		a[i - 1] = (struct name_suffix){.name = k->series[i].name, .line = ""};
		if (file)
			a[i - 1].file = intern_text(&k->texts, file, NULL);
		if (line)
			a[i - 1].line = series_match_line_text(k, line);
	}
	name_suffixes_find(a, k->n_series - 1);
	for (size_t i = 1; i < k->n_series; i++) {
		size_t n;
		const char *s = intern_text(&k->texts, k->series[i].name, &n);

		b.len = 0;
		buf_add(&b, s, n);
		if (a[i - 1].end)
			name_suffix_text(&a[i - 1], &b);
		k->series[i].shown = intern_add(&k->texts, b.data, b.len);
	}
	buf_release(&b);
	free(a);
	series_match_mark_earlier(k);
}

/* Where a site is that has a name which no compiler numbers, in a file in which are others; of a function of a unique name
 * the file. */
static void series_match_add_line(struct series_match *k, const struct map64 *files, size_t run,
				  struct db_query *q)
{
	struct raw_part raw[3];
	size_t n, n_file;
	const char *name = db_text(q, 1, &n), *file = db_text(q, 4, &n_file), *s;
	bool site = !db_is_null(q, 5);
	struct placed at = {.line = site ? (uint32_t)db_int(q, 5) : 0};
	struct buf in = BUF_INIT;

	series_match_read_raw(q, 2, raw);
	at.file = intern_add(&k->texts, file, n_file);
	at.unique = !raw[1].n;
	if (raw[2].n || name_is_numbered(name, n) ||
	    (site ? !map64_get(files, at.file) : !at.unique))
		return;
	buf_add(&in, raw[1].s, raw[1].n);
	s = raw[0].n ? raw[0].s : name;
	at.name = placed_name(s, raw[0].n ? raw[0].n : n, buf_str(&in), 0) + site;
	if (!db_is_null(q, 7) && !db_is_null(q, 8) && db_int(q, 7) > 0)
		at.each = (float)((double)db_int(q, 8) / (double)db_int(q, 7));
	places_add(&k->lines[run], at);
	buf_release(&in);
}

#define SERIES_MATCH_SELECT                                                                      \
	"SELECT t.id, t.name, t.raw, s.run, t.file, t.line, s.cumulative, s.count, s.requested " \
	"FROM tm_things t JOIN tm_sums s ON s.thing = t.id WHERE "

/* Of the files that have numbered entities; and where unique names went, where files tell entities apart. */
static enum status series_match_read_lines(struct series_match *k, struct history *h,
					   const char *among, const struct map64 *at, size_t runs,
					   struct err *e)
{
	struct map64 files = MAP64_INIT;
	struct buf sql = BUF_INIT;
	enum status st = ST_NONE;
	struct db_query *q;
	bool any = false;

	for (size_t i = 1; i < k->n; i++) {
		any |= k->items[i].file != 0;
		if (k->items[i].numbered && k->items[i].file)
			*map64_put(&files, k->items[i].file) = 1;
	}
	if (!any)
		return ST_OK;
	k->lines = mem_zarray(runs + 1, sizeof *k->lines);
	k->n_runs = runs;
	buf_addf(&sql,
		 SERIES_MATCH_SELECT
		 "(t.key = 'function' AND t.line IS NULL AND t.raw NOT LIKE '%%" SERIES_MATCH_NUL
		 "%%'%s) AND t.file IS NOT NULL AND "
		 "s.run%s",
		 files.slots ? " OR t.key = 'site' AND t.line IS NOT NULL AND s.cumulative = 0"
			     : "",
		 among);
	q = db_prepare(h->db, buf_str(&sql), 0, e);
	buf_release(&sql);
	while (q && !(st = db_step(q, e))) {
		uint32_t run = map64_get(at, (uint64_t)db_int(q, 3));

		if (run)
			series_match_add_line(k, &files, run - 1, q);
	}
	if (q)
		db_finish(q);
	for (size_t i = 0; i < runs; i++)
		places_sort(&k->lines[i]);
	map64_release(&files);
	return !q ? err_failure(e) : st == ST_NONE ? ST_OK : st;
}

enum status series_match_read(struct series_match *k, struct history *h, const char *key,
			      const char *among, const struct map64 *at, size_t runs, struct err *e)
{
	/* At least those whose name_is_numbered. */
	static const char *const numbered[] = {"%lambda%", "%$_%", "%{closure#%", "%unnamed%"};
	struct buf sql = BUF_INIT;
	struct db_query *q;
	enum status st;

	*k = (struct series_match){.n = 0};
	VEC_PUSH(k->items, k->n, k->cap) = (struct series_match_kind){.name = 0};
	VEC_PUSH(k->series, k->n_series, k->cap_series) = (struct series_match_series){.name = 0};
	buf_adds(&sql,
		 SERIES_MATCH_SELECT "t.key = $1 AND t.name IN "
				     "(SELECT name FROM tm_things WHERE key = $1 AND (raw LIKE $2");
	for (unsigned i = 0; i < sizeof numbered / sizeof *numbered; i++)
		buf_addf(&sql, " OR name LIKE $%u", i + 3);
	buf_addf(&sql, ")) AND s.run%s", among);
	q = db_prepare(h->db, buf_str(&sql), 2 + sizeof numbered / sizeof *numbered, e);
	buf_release(&sql);
	if (!q)
		return err_failure(e);
	db_put_text(q, 1, key, strlen(key));
	db_put_text(q, 2, "%" SERIES_MATCH_NUL "%", strlen(SERIES_MATCH_NUL) + 2);
	for (unsigned i = 0; i < sizeof numbered / sizeof *numbered; i++)
		db_put_text(q, i + 3, numbered[i], strlen(numbered[i]));
	st = read_kinds(k, q, at, e);
	db_finish(q);
	if (!st)
		st = series_match_read_lines(k, h, among, at, runs, e);
	if (st)
		return st;
	for (size_t i = 0; k->n > 1 && i < runs; i++)
		series_match_join_run(k, i);
	series_match_disambiguate(k);
	return ST_OK;
}

void series_match_release(struct series_match *k)
{
	intern_release(&k->texts);
	map64_release(&k->kinds);
	map64_release(&k->in);
	map64_release(&k->at);
	for (size_t i = 0; i < k->n_runs; i++)
		places_release(&k->lines[i]);
	free(k->lines);
	free(k->places);
	free(k->items);
	free(k->series);
	*k = (struct series_match){.n = 0};
}

const char *series_match_name(const struct series_match *k, int64_t entity, size_t run, size_t *n)
{
	uint32_t kind = map64_get(&k->kinds, (uint64_t)entity);
	uint32_t series = kind ? map64_get(&k->in, in_key(kind, run)) : 0;

	return series ? intern_text(&k->texts, k->series[series].shown, n) : NULL;
}
