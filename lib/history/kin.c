/* SPDX-License-Identifier: MIT */
#include "lib/history/kin.h"

#include "lib/aggregate/matching.h"
#include "lib/base/mem.h"
#include "lib/group/apart.h"

#include <stdlib.h>
#include <string.h>

#define KIN_NUL "\xef\xbf\xbd" /* what a text of the tables has for NUL */

static uint64_t in_key(uint32_t kind, size_t run)
{
	return (uint64_t)kind << 32 | (uint32_t)run;
}

/* The file that a raw name says, up to the line that may follow it; NULL: none. */
static const char *raw_file(const char *raw, size_t n, size_t *len)
{
	const char *file = memmem(raw, n, KIN_NUL, strlen(KIN_NUL)), *end;

	if (!file)
		return NULL;
	file += strlen(KIN_NUL);
	n -= (size_t)(file - raw);
	end = memmem(file, n, KIN_NUL, strlen(KIN_NUL));
	*len = end ? (size_t)(end - file) : n;
	return file;
}

static uint32_t kin_kind_of(struct kin *k, struct map64 *found, struct db_query *q)
{
	struct kin_kind kind = {.file = 0};
	size_t n, len = 0;
	const char *s = db_text(q, 1, &n), *file;
	uint32_t *to;

	kind.name = intern_add(&k->texts, s, n);
	kind.numbered = name_is_numbered(s, n);
	s = db_text(q, 2, &n);
	file = db_is_null(q, 2) ? NULL : raw_file(s, n, &len);
	if (!file && kind.numbered && !db_is_null(q, 4))
		file = db_text(q, 4, &len);
	if (file)
		kind.file = intern_add(&k->texts, file, len);
	to = map64_put(found, (uint64_t)kind.name << 32 | kind.file);
	if (!*to) {
		*to = (uint32_t)k->n;
		VEC_PUSH(k->items, k->n, k->cap) = kind;
	}
	return *to;
}

static void kin_add_place(struct kin *k, uint64_t at, struct db_query *q)
{
	uint32_t *to = map64_put(&k->at, at), line = db_is_null(q, 5) ? 0 : (uint32_t)db_int(q, 5);
	struct kin_place *p;

	if (!*to) {
		VEC_PUSH(k->places, k->n_places, k->cap_places) = (struct kin_place){.line = line};
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

static enum status read_kinds(struct kin *k, struct db_query *q, const struct map64 *at,
			      struct err *e)
{
	struct map64 found = MAP64_INIT;
	enum status st;

	while (!(st = db_step(q, e))) {
		uint32_t run = map64_get(at, (uint64_t)db_int(q, 3)), kind;

		if (!run)
			continue;
		kind = kin_kind_of(k, &found, q);
		*map64_put(&k->kinds, (uint64_t)db_int(q, 0)) = kind;
		*map64_put(&k->in, in_key(kind, run - 1)) = 1;
		if (k->items[kind].numbered)
			kin_add_place(k, in_key(kind, run - 1), q);
	}
	map64_release(&found);
	return st == ST_NONE ? ST_OK : st;
}

static const char *kind_file(const struct kin *k, uint32_t kind)
{
	return intern_text(&k->texts, k->items[kind].file, NULL);
}

/* As the run has it. */
static struct matching_thing to_match(const struct kin *k, uint32_t kind, size_t run)
{
	const struct kin_kind *of = &k->items[kind];
	uint32_t at = map64_get(&k->at, in_key(kind, run));
	struct matching_thing m = {.same = hash_u64(kind),
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
static void kin_join_run(struct kin *k, size_t run)
{
	static const struct matching_lines lines;
	size_t old = k->n_series - 1, n = 0;
	struct matching_thing *was = mem_array(old + 1, sizeof *was),
			      *now = mem_array(k->n + 1, sizeof *now);
	uint32_t *kind = mem_array(k->n + 1, sizeof *kind), *to = mem_array(k->n + 1, sizeof *to);

	for (uint32_t i = 0; i < old; i++)
		was[i] = to_match(k, k->series[i + 1].kind, k->series[i + 1].run);
	for (uint32_t i = 1; i < k->n; i++)
		if (map64_get(&k->in, in_key(i, run))) {
			kind[n] = i;
			now[n++] = to_match(k, i, run);
		}
	matching_assign(was, old, now, n, &lines, to);
	for (size_t i = 0; i < n; i++) {
		uint32_t series = to[i] + 1;

		if (to[i] == MATCHING_NONE) {
			series = (uint32_t)k->n_series;
			VEC_PUSH(k->series, k->n_series, k->cap_series) =
			    (struct kin_series){.name = k->items[kind[i]].name};
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
}

/* Of numbered things of one name in different runs that are not one. */
static void kin_mark_earlier(struct kin *k)
{
	struct map64 shown = MAP64_INIT;
	struct buf b = BUF_INIT;

	for (uint32_t i = 1; i < k->n_series; i++) {
		uint32_t *at = map64_put(&shown, k->series[i].shown), earlier = i;
		struct kin_series *s;
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

static void kin_tell_apart(struct kin *k)
{
	struct apart *a = mem_array(k->n_series + 1, sizeof *a);
	struct buf b = BUF_INIT;

	for (size_t i = 1; i < k->n_series; i++) {
		uint32_t file = k->items[k->series[i].kind].file;

		a[i - 1] = (struct apart){.name = k->series[i].name, .line = ""};
		if (file)
			a[i - 1].file = intern_text(&k->texts, file, NULL);
	}
	apart_find(a, k->n_series - 1);
	for (size_t i = 1; i < k->n_series; i++) {
		size_t n;
		const char *s = intern_text(&k->texts, k->series[i].name, &n);

		b.len = 0;
		buf_add(&b, s, n);
		if (a[i - 1].end)
			apart_text(&a[i - 1], &b);
		k->series[i].shown = intern_add(&k->texts, b.data, b.len);
	}
	buf_release(&b);
	free(a);
	kin_mark_earlier(k);
}

enum status kin_read(struct kin *k, struct history *h, const char *key, const char *among,
		     const struct map64 *at, size_t runs, struct err *e)
{
	/* At least those whose name_is_numbered. */
	static const char *const numbered[] = {"%lambda%", "%$_%", "%{closure#%", "%unnamed%"};
	struct buf sql = BUF_INIT;
	struct db_query *q;
	enum status st;

	*k = (struct kin){.n = 0};
	VEC_PUSH(k->items, k->n, k->cap) = (struct kin_kind){.name = 0};
	VEC_PUSH(k->series, k->n_series, k->cap_series) = (struct kin_series){.name = 0};
	buf_adds(
	    &sql,
	    "SELECT t.id, t.name, t.raw, s.run, t.file, t.line, s.cumulative, s.count, s.requested "
	    "FROM tm_things t JOIN tm_sums s ON s.thing = t.id WHERE t.key = $1 AND t.name IN "
	    "(SELECT name FROM tm_things WHERE key = $1 AND (raw LIKE $2");
	for (unsigned i = 0; i < sizeof numbered / sizeof *numbered; i++)
		buf_addf(&sql, " OR name LIKE $%u", i + 3);
	buf_addf(&sql, ")) AND s.run%s", among);
	q = db_prepare(h->db, buf_str(&sql), 2 + sizeof numbered / sizeof *numbered, e);
	buf_release(&sql);
	if (!q)
		return err_failure(e);
	db_put_text(q, 1, key, strlen(key));
	db_put_text(q, 2, "%" KIN_NUL "%", strlen(KIN_NUL) + 2);
	for (unsigned i = 0; i < sizeof numbered / sizeof *numbered; i++)
		db_put_text(q, i + 3, numbered[i], strlen(numbered[i]));
	st = read_kinds(k, q, at, e);
	db_finish(q);
	if (st)
		return st;
	for (size_t i = 0; k->n > 1 && i < runs; i++)
		kin_join_run(k, i);
	kin_tell_apart(k);
	return ST_OK;
}

void kin_release(struct kin *k)
{
	intern_release(&k->texts);
	map64_release(&k->kinds);
	map64_release(&k->in);
	map64_release(&k->at);
	free(k->places);
	free(k->items);
	free(k->series);
	*k = (struct kin){.n = 0};
}

const char *kin_name(const struct kin *k, int64_t thing, size_t run, size_t *n)
{
	uint32_t kind = map64_get(&k->kinds, (uint64_t)thing);
	uint32_t series = kind ? map64_get(&k->in, in_key(kind, run)) : 0;

	return series ? intern_text(&k->texts, k->series[series].shown, n) : NULL;
}
