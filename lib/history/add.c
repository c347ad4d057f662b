/* SPDX-License-Identifier: MIT
 *
 * The addition of a run to a store, in one transaction.
 */
#include "lib/history/history.h"

#include "lib/base/mem.h"
#include "lib/history/rows.h"
#include "lib/history/schema.h"
#include "lib/profile/matching.h"

#include <stdlib.h>
#include <string.h>

enum { AGGREGATE_MAX = 900 << 20 }; /* what both databases hold in one field */

struct adding {
	struct db *db;
	int64_t run;
	const struct profile_entities *t;
	const struct profile *s;
	struct err *e;
};

static uint64_t hash_part(uint64_t h, const char *s)
{
	/* What is not given is not the same as what is empty. */
	return hash_bytes_seeded(s ? s : "", s ? strlen(s) : 0, h + (s ? 1 : 0));
}

/* Files in which nothing says what run they are of are known by their bytes. */
static uint64_t hash_input(uint64_t h, const struct profile_input *in)
{
	return hash_u64(in->run ? h ^ in->run : hash_u64(h ^ in->hash) ^ in->bytes) + 1;
}

/* A run that is added again, as by a job that is run again, is the same: by what it is, what was chosen of it and its
 * labels, not by when it was added or how it was judged, nor by how its file is packed. 63 bits, as databases have. */
static int64_t identity(const struct adding *a, const struct history_labels *l)
{
	const char *const parts[] = {l->build, l->branch, l->commit, l->machine};
	uint64_t h = hash_part(0, a->s->options ? entities_text(a->t, a->s->options, NULL) : NULL);

	for (size_t i = 0; i < a->s->n_inputs; i++)
		h = hash_input(h, &a->s->inputs[i]);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		h = hash_part(h, parts[i]);
	for (size_t i = 0; i < l->n; i++)
		h = hash_part(hash_part(h, l->items[i].name), l->items[i].value);
	return (int64_t)(h >> 1);
}

/* One statement; what it gives, if anything, goes to *value. */
static enum status ask(struct db *db, const char *sql, const int64_t *numbers, unsigned n,
		       const char *text, int64_t *value, struct err *e)
{
	struct db_query *q = db_prepare(db, sql, n + (text ? 1 : 0), e);
	enum status st;

	if (!q)
		return err_failure(e);
	for (unsigned i = 0; i < n; i++)
		db_put_int(q, i + 1, numbers[i]);
	if (text)
		db_put_text(q, n + 1, text, strlen(text));
	st = db_step(q, e);
	if (!st && value)
		*value = db_int(q, 0);
	db_finish(q);
	return st;
}

static int64_t as_signed(uint64_t v)
{
	return v < INT64_MAX ? (int64_t)v : INT64_MAX;
}

static void put_text(struct history_rows *r, const char *s)
{
	rows_text(r, s ? s : "", s ? strlen(s) : 0);
}

static void put_string(struct history_rows *r, const struct profile_entities *t, uint32_t string)
{
	size_t n;
	const char *s = entities_text(t, string, &n);

	rows_text(r, s, string ? n : 0);
}

static enum status history_add_run(struct adding *a, const struct history_labels *l,
				   const char *file, int64_t id)
{
	const struct profile *s = a->s;
	char now[HISTORY_DATE];
	struct history_rows r;

	history_now(now);
	rows_begin(&r, a->db,
		   "tm_runs (id, identity, date, added, build, branch, commit_id, machine, status, "
		   "file, format, sampling, options, captures, frames, duration_ns, guesses, "
		   "losses, program, arguments, exit_status)",
		   21, 1, "");
	rows_int(&r, a->run);
	rows_int(&r, id);
	put_text(&r, l->date ? l->date : now);
	put_text(&r, now);
	put_text(&r, l->build);
	put_text(&r, l->branch);
	put_text(&r, l->commit);
	put_text(&r, l->machine);
	put_text(&r, l->status ? l->status : *history_statuses);
	put_text(&r, file);
	put_string(&r, a->t, s->format == PROFILE_MIXED ? 0 : s->format);
	put_string(&r, a->t, s->sampling == PROFILE_MIXED ? 0 : s->sampling);
	put_string(&r, a->t, s->options);
	rows_int(&r, as_signed(s->captures));
	rows_int(&r, as_signed(s->frames));
	if (s->duration)
		rows_int(&r, as_signed(s->duration));
	else
		rows_null(&r);
	rows_int(&r, as_signed(s->notes[NOTE_GUESS]));
	rows_int(&r, as_signed(s->notes[NOTE_LOSS]));
	put_string(&r, a->t, s->program == PROFILE_MIXED ? 0 : s->program);
	put_string(&r, a->t, s->arguments);
	rows_int(&r, s->status);
	rows_next(&r);
	return rows_end(&r, a->e);
}

static enum status add_labels(struct adding *a, const struct history_labels *l)
{
	struct history_rows r;

	rows_begin(&r, a->db, "tm_labels (run, name, value)", 3, l->n, "");
	for (size_t i = 0; i < l->n; i++) {
		rows_int(&r, a->run);
		put_text(&r, l->items[i].name);
		put_text(&r, l->items[i].value);
		rows_next(&r);
	}
	return rows_end(&r, a->e);
}

static enum status add_aggregate(struct adding *a, const struct buf *aggregate)
{
	struct db_query *q =
	    db_prepare(a->db, "INSERT INTO tm_aggregates (run, bytes) VALUES ($1, $2)", 2, a->e);
	enum status st;

	if (!q)
		return err_failure(a->e);
	db_put_int(q, 1, a->run);
	db_put_blob(q, 2, aggregate->data, aggregate->len);
	st = db_step(q, a->e);
	db_finish(q);
	return st == ST_NONE ? ST_OK : st;
}

/* The names of the sums that are known, with blanks around each. */
static void put_known(struct history_rows *r, const struct profile_known *k)
{
	struct buf b = BUF_INIT;

	buf_addc(&b, ' ');
	for (unsigned s = 0; s < SUMS; s++)
		if (profile_knows(k, s) && HISTORY_SUMS >> metric_part((enum sum)s) & 1)
			buf_addf(&b, "%s ", metric_table[s].key);
	rows_text(r, b.data, b.len);
	buf_release(&b);
}

static bool is_row(enum key k)
{
	return k != KEY_STACK && k != KEY_FRAME && k != KEY_LOCATION;
}

static enum status history_add_keys(struct adding *a)
{
	struct history_rows r;
	uint64_t n = 1;

	for (enum key k = 0; k < KEYS; k++)
		n += a->s->keys[k].held;
	rows_begin(&r, a->db, "tm_keys (run, key, pruned, known)", 4, n, "");
	for (enum key k = 0; k <= KEYS; k++) {
		if (k < KEYS && !a->s->keys[k].held)
			continue;
		rows_int(&r, a->run);
		put_text(&r, k < KEYS ? key_words[k] : "total");
		rows_int(&r, k < KEYS ? as_signed(a->s->keys[k].cut) : 0);
		put_known(&r, k < KEYS ? &a->s->keys[k].known : &a->s->known);
		rows_next(&r);
	}
	return rows_end(&r, a->e);
}

static int64_t entity_id(const struct profile_entities *t, enum key key,
			 const struct profile_entity *of)
{
	const uint32_t texts[] = {of->name, of->raw, of->module, of->file};
	uint64_t h = hash_part(of->line * 2 + of->inside, key < KEYS ? key_words[key] : "total");

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		size_t n;
		const char *s = entities_text(t, texts[i], &n);

		h = hash_bytes_seeded(s, n, h + (texts[i] > 0));
	}
	return (int64_t)(h >> 1);
}

/* An entity as the tables have it: a function with its file; one that compilers number is known by its line, too. */
static struct profile_entity history_entity(const struct adding *a, enum key key, uint32_t i)
{
	struct profile_entity t = a->t->keys[key].items[i];
	struct profile_place at = profile_place_of(a->s, i);
	size_t n;
	const char *s = entities_text(a->t, t.name, &n);

	if (key == KEY_FUNCTION) {
		t.file = at.file;
		t.line = name_is_numbered(s, n) ? at.line : 0;
	}
	return t;
}

static size_t rows_of(const struct profile_key *k)
{
	return k->self.n > k->total.n ? k->self.n : k->total.n;
}

static void put_entity(struct adding *a, struct history_rows *r, enum key key,
		       const struct profile_entity *of)
{
	rows_int(r, entity_id(a->t, key, of));
	put_text(r, key < KEYS ? key_words[key] : "total");
	if (of->name)
		put_string(r, a->t, of->name);
	else
		put_text(r, key < KEYS ? "[none]" : "total");
	put_string(r, a->t, of->raw);
	put_string(r, a->t, of->module);
	put_string(r, a->t, of->file);
	if (of->line)
		rows_int(r, of->line);
	else
		rows_null(r);
	rows_next(r);
}

static void put_sums(struct adding *a, struct history_rows *r, int64_t entity, bool cumulative,
		     const struct tally_sums *s)
{
	rows_int(r, entity);
	rows_int(r, a->run);
	rows_int(r, cumulative);
	for (unsigned i = 0; i < SUMS; i++) {
		if (!(HISTORY_SUMS >> i & 1))
			continue;
		if (s->has >> i & 1)
			rows_int(r, sum_is_signed(i) ? (int64_t)s->v[i] : as_signed(s->v[i]));
		else
			rows_null(r);
	}
	rows_next(r);
}

static enum status add_entities(struct adding *a)
{
	static const struct profile_entity whole = {.name = 0};
	struct history_rows r;
	uint64_t n = 1;

	for (enum key k = 0; k < KEYS; k++)
		for (uint32_t i = 0; is_row(k) && i < rows_of(&a->s->keys[k]); i++)
			n += profile_has_row(&a->s->keys[k], i);
	rows_begin(&r, a->db, "tm_things (id, key, name, raw, module, file, line)", 7, n,
		   " ON CONFLICT DO NOTHING");
	put_entity(a, &r, KEYS, &whole);
	for (enum key k = 0; k < KEYS; k++)
		for (uint32_t i = 0; is_row(k) && i < rows_of(&a->s->keys[k]); i++)
			if (profile_has_row(&a->s->keys[k], i)) {
				struct profile_entity of = history_entity(a, k, i);

				put_entity(a, &r, k, &of);
			}
	return rows_end(&r, a->e);
}

static enum status history_add_sums(struct adding *a)
{
	static const struct profile_entity whole = {.name = 0};
	struct buf into = BUF_INIT;
	struct history_rows r;
	uint64_t n = 1;

	for (enum key k = 0; k < KEYS; k++)
		for (uint32_t i = 0; is_row(k) && i < rows_of(&a->s->keys[k]); i++)
			n += !!columns_has(&a->s->keys[k].self, i) +
			     !!columns_has(&a->s->keys[k].total, i);
	buf_adds(&into, "tm_sums (thing, run, cumulative");
	for (unsigned i = 0; i < SUMS; i++)
		if (HISTORY_SUMS >> i & 1)
			buf_addf(&into, ", %s", metric_table[i].key);
	buf_adds(&into, ")");
	rows_begin(&r, a->db, buf_str(&into), 3 + (unsigned)__builtin_popcount(HISTORY_SUMS), n,
		   "");
	put_sums(a, &r, entity_id(a->t, KEYS, &whole), false, &a->s->all);
	for (enum key k = 0; k < KEYS; k++)
		for (uint32_t i = 0; is_row(k) && i < rows_of(&a->s->keys[k]); i++) {
			struct profile_entity of = history_entity(a, k, i);
			int64_t id = entity_id(a->t, k, &of);
			struct tally_sums self = columns_get(&a->s->keys[k].self, i);
			struct tally_sums total = columns_get(&a->s->keys[k].total, i);

			if (self.has)
				put_sums(a, &r, id, false, &self);
			if (total.has)
				put_sums(a, &r, id, true, &total);
		}
	buf_release(&into);
	return rows_end(&r, a->e);
}

static void put_decimal(struct history_rows *r, decimal v)
{
	struct buf b = BUF_INIT;

	decimal_text(&b, v);
	rows_text(r, b.data, b.len);
	buf_release(&b);
}

static enum status history_add_counters(struct adding *a)
{
	struct history_rows r;

	rows_begin(&r, a->db, "tm_counters (run, name, unit, readings, last, least, largest, mean)",
		   8, a->s->n_counters, "");
	for (size_t i = 0; i < a->s->n_counters; i++) {
		const struct profile_counter *c = &a->s->counters[i];

		rows_int(&r, a->run);
		put_string(&r, a->t, c->name);
		if (c->unit)
			put_string(&r, a->t, c->unit);
		else
			put_text(&r, "-");
		rows_int(&r, as_signed(c->stats.n));
		put_decimal(&r, c->stats.last);
		put_decimal(&r, c->stats.min);
		put_decimal(&r, c->stats.max);
		rows_real(&r, decimal_to_double(counter_value(&c->stats, COUNTER_MEAN)));
		rows_next(&r);
	}
	return rows_end(&r, a->e);
}

static enum status history_add_all(struct adding *a, const struct buf *aggregate,
				   const struct history_labels *l, const char *file,
				   struct history_added *added)
{
	int64_t id = identity(a, l);
	const char *status = l->status ? l->status : *history_statuses;
	enum status st = ask(a->db, "SELECT id FROM tm_runs WHERE identity = $1", &id, 1, NULL,
			     &added->run, a->e);

	if (st == ST_OK) {
		added->was_there = true;
		if (!l->status)
			return ST_OK;
		st = ask(a->db, "SELECT 1 FROM tm_runs WHERE id = $1 AND status <> $2", &added->run,
			 1, status, NULL, a->e);
		added->changed_to = st == ST_OK;
		if (added->changed_to)
			st = ask(a->db, "UPDATE tm_runs SET status = $2 WHERE id = $1", &added->run,
				 1, status, NULL, a->e);
		return st == ST_NONE ? ST_OK : st;
	}
	if (st != ST_NONE || ask(a->db, "SELECT COALESCE(MAX(id), 0) + 1 FROM tm_runs", NULL, 0,
				 NULL, &added->run, a->e))
		return err_failure(a->e);
	a->run = added->run;
	if (history_add_run(a, l, file, id) || add_labels(a, l) || add_aggregate(a, aggregate) ||
	    history_add_keys(a) || add_entities(a) || history_add_sums(a) ||
	    history_add_counters(a))
		return err_failure(a->e);
	return ST_OK;
}

enum status history_add(struct history *h, const struct buf *aggregate,
			const struct profile_entities *t, const struct profile *s,
			const struct history_labels *l, const char *file,
			struct history_added *added, struct err *e)
{
	struct adding a = {.db = h->db, .t = t, .s = s, .e = e};
	enum status st;

	*added = (struct history_added){.run = 0};
	if (aggregate->len > AGGREGATE_MAX)
		return err_set(e, ST_LIMIT,
			       "the aggregate has %zu bytes, but a field of the database "
			       "holds only %d: prune the aggregate",
			       aggregate->len, AGGREGATE_MAX);
	st = db_begin(h->db, e);
	if (st)
		return st;
	st = history_add_all(&a, aggregate, l, file, added);
	if (!st)
		st = db_commit(h->db, e);
	if (st)
		db_rollback(h->db);
	return st;
}
