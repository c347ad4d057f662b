/* SPDX-License-Identifier: MIT
 *
 * The runs of a store, chosen by labels, time and number, and their aggregates.
 */
#include "lib/history/history.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"
#include "lib/base/utf.h"
#include "lib/history/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RUN_COLUMNS                                                                           \
	"id, date, added, build, branch, commit_id, machine, status, file, format, sampling," \
	" options, captures, frames, duration_ns, guesses, losses"

#define HISTORY_NOTE "note" /* the label that is a note */

struct query {
	struct buf sql;
	struct arena texts;
	const char *values[64];
	size_t lengths[64];
	unsigned n;
};

static void add(struct query *q, const char *condition, const char *value)
{
	struct buf b = BUF_INIT;

	utf8_add_text(&b, value, strlen(value));
	q->values[q->n] = arena_strndup(&q->texts, b.len ? b.data : "", b.len);
	q->lengths[q->n++] = b.len;
	buf_release(&b);
	buf_addf(&q->sql, "%s%s", q->n > 1 ? " AND " : " WHERE ", condition);
}

/* condition ends before the parameter. */
static void add_where(struct query *q, const char *condition, const char *value)
{
	if (!value || q->n + 4 > sizeof q->values / sizeof *q->values)
		return;
	add(q, condition, value);
	buf_addf(&q->sql, "$%u", q->n);
}

static void add_label(struct query *q, const struct history_label *l)
{
	if (q->n + 4 > sizeof q->values / sizeof *q->values)
		return;
	add(q, "EXISTS (SELECT 1 FROM tm_labels l WHERE l.run = tm_runs.id AND l.name = ", l->name);
	buf_addf(&q->sql, "$%u AND l.value = $%u)", q->n, q->n + 1);
	q->values[q->n] = l->value;
	q->lengths[q->n++] = strlen(l->value);
}

static struct db_query *history_runs_prepare(struct history *h, const struct history_choice *c,
					     struct err *e)
{
	struct query q = {.sql = BUF_INIT};
	struct db_query *to;

	buf_addf(&q.sql, "SELECT " RUN_COLUMNS ", %s, %s FROM tm_runs",
		 h->schema < 3 ? "NULL" : "program",
		 h->schema < 5 ? "NULL, NULL" : "arguments, exit_status");
	add_where(&q, "branch = ", c->branch);
	add_where(&q, "machine = ", c->machine);
	add_where(&q, "status = ", c->status);
	add_where(&q, "build = ", c->build);
	add_where(&q, "date >= ", c->since);
	add_where(&q, "date <= ", c->until);
	for (size_t i = 0; i < c->n; i++)
		add_label(&q, &c->items[i]);
	buf_adds(&q.sql, " ORDER BY date DESC, id DESC");
	if (c->last)
		buf_addf(&q.sql, " LIMIT %llu", (unsigned long long)c->last);
	to = db_prepare(h->db, buf_str(&q.sql), q.n, e);
	for (unsigned i = 0; to && i < q.n; i++)
		db_put_text(to, i + 1, q.values[i], q.lengths[i]);
	buf_release(&q.sql);
	arena_release(&q.texts);
	return to;
}

static const char *text_of(struct history_runs *r, struct db_query *q, unsigned column)
{
	size_t n;
	const char *s;

	if (db_is_null(q, column))
		return NULL;
	s = db_text(q, column, &n);
	return arena_strndup(&r->texts, s, n);
}

/* What our tables never leave out; a damaged one may. */
static const char *needed(struct history_runs *r, struct db_query *q, unsigned column)
{
	const char *s = text_of(r, q, column);

	return s ? s : "?";
}

static void history_runs_read_run(struct history_runs *r, struct db_query *q)
{
	struct history_run *to = &VEC_PUSH(r->items, r->n, r->cap);

	*to = (struct history_run){.id = db_int(q, 0)};
	to->date = needed(r, q, 1);
	to->added = needed(r, q, 2);
	to->build = needed(r, q, 3);
	to->branch = text_of(r, q, 4);
	to->commit = text_of(r, q, 5);
	to->machine = text_of(r, q, 6);
	to->status = needed(r, q, 7);
	to->file = text_of(r, q, 8);
	to->format = text_of(r, q, 9);
	to->sampling = text_of(r, q, 10);
	to->options = text_of(r, q, 11);
	to->captures = db_int(q, 12);
	to->frames = db_int(q, 13);
	to->duration = db_is_null(q, 14) ? 0 : db_int(q, 14);
	to->guesses = db_int(q, 15);
	to->losses = db_int(q, 16);
	to->program = text_of(r, q, 17);
	to->arguments = text_of(r, q, 18);
	to->exit_status = db_is_null(q, 19) ? 0 : db_int(q, 19);
}

/* "name=value name=value" */
static void add_label_text(struct history_runs *r, struct history_run *to, const char *name,
			   const char *value)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s%s%s=%s", to->labels ? to->labels : "", to->labels ? " " : "", name, value);
	to->labels = arena_strndup(&r->texts, b.data, b.len);
	buf_release(&b);
}

/* One query for all runs: one for each would wait for a server as often. */
static enum status history_runs_read_labels(struct history *h, struct history_runs *r,
					    struct err *e)
{
	struct db_query *q =
	    db_prepare(h->db, "SELECT run, name, value FROM tm_labels ORDER BY run, name", 0, e);
	struct map64 at = MAP64_INIT;
	enum status st;

	if (!q)
		return err_failure(e);
	for (size_t i = 0; i < r->n; i++)
		*map64_put(&at, (uint64_t)r->items[i].id) = (uint32_t)i + 1;
	while (!(st = db_step(q, e))) {
		uint32_t run = map64_get(&at, (uint64_t)db_int(q, 0));

		if (run && !strcmp(db_text(q, 1, NULL), HISTORY_NOTE))
			r->items[run - 1].note = text_of(r, q, 2);
		else if (run)
			add_label_text(r, &r->items[run - 1], db_text(q, 1, NULL),
				       db_text(q, 2, NULL));
	}
	db_finish(q);
	map64_release(&at);
	return st == ST_NONE ? ST_OK : st;
}

/* A damaged index can give rows in any order, and then the last of them are not the latest. */
static enum status check_order(const struct history_runs *r, struct err *e)
{
	for (size_t i = 1; i < r->n; i++)
		if (strcmp(r->items[i - 1].date, r->items[i].date) > 0)
			return err_set(e, ST_BAD,
				       "the store is damaged: its runs are not in the order "
				       "of their dates (run %" PRId64 " before run %" PRId64 ")",
				       r->items[i - 1].id, r->items[i].id);
	return ST_OK;
}

enum status history_runs(struct history *h, const struct history_choice *c, struct history_runs *r,
			 struct err *e)
{
	struct db_query *q;
	enum status st;

	*r = (struct history_runs){.n = 0};
	q = history_runs_prepare(h, c, e);
	if (!q)
		return err_failure(e);
	while (!(st = db_step(q, e)))
		history_runs_read_run(r, q);
	db_finish(q);
	for (size_t i = 0; i < r->n / 2; i++) {
		struct history_run x = r->items[i];

		r->items[i] = r->items[r->n - 1 - i];
		r->items[r->n - 1 - i] = x;
	}
	if (st == ST_NONE)
		st = check_order(r, e);
	if (!st)
		st = history_runs_read_labels(h, r, e);
	if (st)
		history_runs_release(r);
	return st;
}

size_t history_build_of(const char *path, const char **build)
{
	static const char *const packed[] = {".gz", ".xz", ".zst", ".lz4", ".bz2"};
	const char *name = path_name(path), *dot;
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
		size_t k = strlen(packed[i]);

		if (n > k && !memcmp(name + n - k, packed[i], k)) {
			n -= k;
			break;
		}
	}
	*build = name;
	dot = memrchr(name, '.', n);
	return dot && dot > name ? (size_t)(dot - name) : n;
}

static bool history_runs_is_named(const struct history_run *r)
{
	const char *build;
	size_t n = r->file ? history_build_of(r->file, &build) : 0;

	return !r->file || strlen(r->build) != n || memcmp(r->build, build, n) != 0;
}

static int history_runs_by_build(const void *a, const void *b)
{
	const struct history_run *x = a, *y = b;

	return (x->nth_build > y->nth_build) - (x->nth_build < y->nth_build);
}

void history_runs_gather(struct history_runs *r)
{
	struct map64 builds = MAP64_INIT;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct history_run *run = &r->items[i];
		const char *commit = run->commit ? run->commit : "";
		uint32_t *at = NULL;

		if (history_runs_is_named(run))
			at = map64_put(&builds,
				       hash_bytes_seeded(run->build, strlen(run->build),
							 hash_bytes(commit, strlen(commit))) |
					   1);
		run->nth_build = at && *at ? *at - 1 : n++;
		if (at)
			*at = (uint32_t)run->nth_build + 1;
	}
	map64_release(&builds);
	if (r->n)
		sort_stable(r->items, r->n, sizeof *r->items, history_runs_by_build);
}

void history_runs_release(struct history_runs *r)
{
	free(r->items);
	arena_release(&r->texts);
	*r = (struct history_runs){.n = 0};
}

const struct history_run *history_run_named(const struct history_runs *r, const char *name)
{
	uint64_t id;

	for (size_t i = r->n; i-- > 0;)
		if (r->items[i].build && !strcmp(r->items[i].build, name))
			return &r->items[i];
	if (*name != '#' || !num_dec(name + 1, strlen(name + 1), &id))
		return NULL;
	for (size_t i = 0; i < r->n; i++)
		if ((uint64_t)r->items[i].id == id)
			return &r->items[i];
	return NULL;
}

static enum status history_runs_has(struct history *h, int64_t run, struct err *e)
{
	struct db_query *q = db_prepare(h->db, "SELECT 1 FROM tm_runs WHERE id = $1", 1, e);
	enum status st;

	if (!q)
		return err_failure(e);
	db_put_int(q, 1, run);
	st = db_step(q, e);
	db_finish(q);
	return st == ST_NONE ? err_set(e, ST_ABSENT, "no run #%lld", (long long)run) : st;
}

static enum status history_runs_put_note(struct history *h, int64_t run, const char *text,
					 struct err *e)
{
	struct buf b = BUF_INIT;
	struct db_query *q =
	    db_prepare(h->db,
		       *text ? "INSERT INTO tm_labels (run, name, value) VALUES ($1, '" HISTORY_NOTE
			       "', $2) ON CONFLICT (run, name) DO UPDATE SET value = excluded.value"
			     : "DELETE FROM tm_labels WHERE run = $1 AND name = '" HISTORY_NOTE "'",
		       *text ? 2 : 1, e);
	enum status st;

	if (!q)
		return err_failure(e);
	db_put_int(q, 1, run);
	utf8_add_text(&b, text, strlen(text));
	if (*text)
		db_put_text(q, 2, buf_str(&b), b.len);
	st = db_step(q, e);
	db_finish(q);
	buf_release(&b);
	return st == ST_NONE ? ST_OK : st;
}

enum status history_set_note(struct history *h, int64_t run, const char *text, struct err *e)
{
	enum status st = db_begin(h->db, e);

	if (!st)
		st = history_runs_has(h, run, e);
	if (!st)
		st = history_runs_put_note(h, run, text, e);
	if (!st)
		return db_commit(h->db, e);
	db_rollback(h->db);
	return st;
}

enum status history_aggregate(struct history *h, int64_t run, struct buf *to, struct err *e)
{
	struct db_query *q =
	    db_prepare(h->db, "SELECT bytes FROM tm_aggregates WHERE run = $1", 1, e);
	enum status st;
	const void *p;
	size_t n;

	if (!q)
		return err_failure(e);
	db_put_int(q, 1, run);
	st = db_step(q, e);
	if (!st) {
		p = db_blob(q, 0, &n);
		buf_add(to, p, n);
	}
	db_finish(q);
	return st == ST_NONE
		   ? err_set(e, ST_BAD, "damaged: run #%lld has no aggregate", (long long)run)
		   : st;
}
