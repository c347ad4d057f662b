/* SPDX-License-Identifier: MIT
 *
 * The store itself: opened, its tables made or brought to the current version.
 */
#include "lib/history/history.h"

#include "lib/base/mem.h"
#include "lib/history/schema.h"
#include "lib/report/compare/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Static_assert(sizeof history_steps / sizeof *history_steps == HISTORY_SCHEMA, "a step each");

const char *const history_statuses[] = {"unknown", "green", "red", NULL};

static enum status history_store_version_of(struct history *h, int64_t *version, struct err *e)
{
	enum status st = db_has_table(h->db, "tm_store", e);
	struct db_query *q;

	*version = 0;
	if (st)
		return st == ST_NONE ? ST_OK : st;
	q = db_prepare(h->db, "SELECT schema_version FROM tm_store", 0, e);
	if (!q)
		return err_failure(e);
	st = db_step(q, e);
	if (!st)
		*version = db_int(q, 0);
	db_finish(q);
	if (st == ST_NONE)
		return err_set(e, ST_BAD, "damaged: table tm_store has no version");
	return st;
}

static enum status set_version(struct history *h, int64_t from, struct err *e)
{
	struct db_query *q =
	    db_prepare(h->db,
		       from ? "UPDATE tm_store SET schema_version = $1, program = $2"
			    : "INSERT INTO tm_store (schema_version, program) VALUES ($1, $2)",
		       2, e);
	enum status st;

	if (!q)
		return err_failure(e);
	db_put_int(q, 1, HISTORY_SCHEMA);
	db_put_text(q, 2, "tracemill " TM_VERSION, strlen("tracemill " TM_VERSION));
	st = db_step(q, e);
	db_finish(q);
	return st == ST_NONE ? ST_OK : st;
}

/* Another process may have done it since we looked: so once more, where no other process writes. */
static enum status history_store_bring_up(struct history *h, struct err *e)
{
	int64_t version = HISTORY_SCHEMA;
	enum status st = db_begin(h->db, e);

	if (!st)
		st = history_store_version_of(h, &version, e);
	for (int64_t v = version; !st && v < HISTORY_SCHEMA; v++)
		st = db_execute(h->db, history_steps[v], e);
	if (!st && version < HISTORY_SCHEMA)
		st = set_version(h, version, e);
	if (!st)
		st = db_commit(h->db, e);
	if (!st)
		h->schema = HISTORY_SCHEMA;
	if (st) {
		struct err why = *e;

		db_rollback(h->db);
		*e = why;
	}
	return st;
}

/* Whether a database without our table has others, and is not ours. Those of a store that another process
 * makes come all at once, and may have come since we looked. */
static bool history_store_is_foreign(struct history *h, int64_t *version, struct err *e)
{
	if (db_is_foreign(h->db, e) != ST_OK)
		return false;
	return !history_store_version_of(h, version, e) && !*version;
}

static enum status history_store_check(struct history *h, enum db_mode mode, struct err *e)
{
	int64_t version;

	if (history_store_version_of(h, &version, e))
		return err_failure(e);
	if (version > HISTORY_SCHEMA)
		return err_set(e, ST_UNSUPPORTED,
			       "written by a newer tracemill: schema %lld, the newest known "
			       "schema is %d",
			       (long long)version, HISTORY_SCHEMA);
	if (version < 0)
		return err_set(e, ST_BAD, "damaged: schema %lld", (long long)version);
	h->schema = version;
	if (!version && (mode == DB_READ || history_store_is_foreign(h, &version, e)))
		return err_set(e, ST_UNSUPPORTED,
			       "not a history: table tm_store does not "
			       "exist");
	if (e->code || mode == DB_READ)
		return e->code ? err_failure(e) : ST_OK;
	if (db_share(h->db, e))
		return err_failure(e);
	return version < HISTORY_SCHEMA ? history_store_bring_up(h, e) : ST_OK;
}

enum status history_open(struct history *h, const char *where, enum db_mode mode,
			 unsigned wait_seconds, struct err *e)
{
	*h = (struct history){.shown = db_shown(where)};
	h->db = db_open(where, mode, wait_seconds, e);
	if (h->db && !history_store_check(h, mode, e))
		return ST_OK;
	db_close(h->db);
	h->db = NULL;
	return err_failure(e);
}

void history_close(struct history *h)
{
	db_close(h->db);
	free(h->shown);
	*h = (struct history){.db = NULL};
}

static bool two_digits(const char *s, unsigned below)
{
	return s[0] >= '0' && s[0] <= '9' && s[1] >= '0' && s[1] <= '9' &&
	       (unsigned)(s[0] - '0') * 10 + (unsigned)(s[1] - '0') < below;
}

bool history_date(const char *s, char to[HISTORY_DATE])
{
	char day[11];
	size_t n = strlen(s);

	if (n != 10 && n != 20)
		return false;
	memcpy(day, s, 10);
	day[10] = 0;
	if (!policy_date(day))
		return false;
	if (n == 20 &&
	    (s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[19] != 'Z' ||
	     !two_digits(s + 11, 24) || !two_digits(s + 14, 60) || !two_digits(s + 17, 61)))
		return false;
	snprintf(to, HISTORY_DATE, "%s%s", day, n == 20 ? s + 10 : "T00:00:00Z");
	return true;
}

void history_now(char to[HISTORY_DATE])
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(to, HISTORY_DATE, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
