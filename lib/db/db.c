/* SPDX-License-Identifier: MIT */
#include "lib/db/db.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/db/driver.h"

#include <string.h>
#include <strings.h>

bool db_is_url(const char *where)
{
	return !strncmp(where, "postgresql://", 13) || !strncmp(where, "postgres://", 11);
}

static bool is_secret(const char *s, size_t n)
{
	static const char *const words[] = {"password", "sslpassword", "passfile", "sslkey"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (n == strlen(words[i]) && !strncasecmp(s, words[i], n))
			return true;
	/* A keyword may be written with escapes; what has any is not looked at more closely. */
	return memchr(s, '%', n) != NULL;
}

/* scheme://user:password@host/name?keyword=value&... The password may hold anything but what ends
 * the part before the host; where '@' or '/' occur in it unescaped, too much is left out rather
 * than too little. */
char *db_shown(const char *where)
{
	struct buf b = BUF_INIT;
	const char *p, *query, *at = NULL, *colon;
	char *shown;

	if (!db_is_url(where))
		return mem_strdup(where);
	p = strstr(where, "://") + 3;
	buf_add(&b, where, (size_t)(p - where));
	at = strrchr(p, '@');
	if (at) {
		colon = memchr(p, ':', (size_t)(at - p));
		buf_add(&b, p, (size_t)((colon ? colon : at) - p));
		p = at;
	}
	query = strchr(p, '?');
	buf_add(&b, p, query ? (size_t)(query - p) : strlen(p));
	for (p = query; p && *p;) {
		size_t n = 1 + strcspn(p + 1, "&");
		const char *is = memchr(p, '=', n);

		if (is && is_secret(p + 1, (size_t)(is - p - 1)))
			buf_add(&b, p, (size_t)(is + 1 - p));
		else
			buf_add(&b, p, n);
		p += n;
	}
	shown = mem_strndup(b.len ? b.data : "", b.len);
	buf_release(&b);
	return shown;
}

struct db *db_open(const char *where, enum db_mode mode, unsigned wait_seconds, struct err *e)
{
	return (db_is_url(where) ? &db_postgres : &db_sqlite)->open(where, mode, wait_seconds, e);
}

void db_close(struct db *db)
{
	if (db)
		db->driver->close(db);
}

enum status db_execute(struct db *db, const char *sql, struct err *e)
{
	return db->driver->execute(db, sql, e);
}

enum status db_begin(struct db *db, struct err *e)
{
	return db_execute(db, db->driver->begin, e);
}

enum status db_begin_reading(struct db *db, struct err *e)
{
	return db_execute(db, db->driver->snapshot, e);
}

enum status db_commit(struct db *db, struct err *e)
{
	return db_execute(db, "COMMIT", e);
}

void db_rollback(struct db *db)
{
	struct err ignored = ERR_INIT;

	db_execute(db, "ROLLBACK", &ignored);
}

enum status db_share(struct db *db, struct err *e)
{
	return db->driver->share ? db->driver->share(db, e) : ST_OK;
}

enum status db_is_foreign(struct db *db, struct err *e)
{
	struct db_query *q;
	enum status st;

	if (!db->driver->taken)
		return ST_NONE;
	q = db_prepare(db, db->driver->taken, 0, e);
	if (!q)
		return err_failure(e);
	st = db_step(q, e);
	db_finish(q);
	return st;
}

enum status db_has_table(struct db *db, const char *name, struct err *e)
{
	struct db_query *q = db_prepare(db, db->driver->has_table, 1, e);
	enum status st;

	if (!q)
		return err_failure(e);
	db_put_text(q, 1, name, strlen(name));
	st = db_step(q, e);
	db_finish(q);
	return st;
}

struct db_query *db_prepare(struct db *db, const char *sql, unsigned parameters, struct err *e)
{
	return db->driver->prepare(db, sql, parameters, e);
}

void db_finish(struct db_query *q)
{
	if (q)
		q->db->driver->finish(q);
}

void db_put_int(struct db_query *q, unsigned at, int64_t v)
{
	q->db->driver->put_int(q, at, v);
}

void db_put_real(struct db_query *q, unsigned at, double v)
{
	q->db->driver->put_real(q, at, v);
}

void db_put_text(struct db_query *q, unsigned at, const char *s, size_t n)
{
	q->db->driver->put_bytes(q, at, s, n, true);
}

void db_put_blob(struct db_query *q, unsigned at, const void *p, size_t n)
{
	q->db->driver->put_bytes(q, at, p, n, false);
}

enum status db_step(struct db_query *q, struct err *e)
{
	return q->db->driver->step(q, e);
}

void db_reset(struct db_query *q)
{
	q->db->driver->reset(q);
}

bool db_is_null(struct db_query *q, unsigned column)
{
	return q->db->driver->is_null(q, column);
}

int64_t db_int(struct db_query *q, unsigned column)
{
	return q->db->driver->get_int(q, column);
}

double db_real(struct db_query *q, unsigned column)
{
	return q->db->driver->get_real(q, column);
}

const char *db_text(struct db_query *q, unsigned column, size_t *n)
{
	return q->db->driver->get_bytes(q, column, n, true);
}

const void *db_blob(struct db_query *q, unsigned column, size_t *n)
{
	return q->db->driver->get_bytes(q, column, n, false);
}
