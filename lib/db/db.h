/* SPDX-License-Identifier: MIT
 *
 * A connection to a database: a SQLite file, or PostgreSQL by URL (postgresql://..., loaded when such a URL is
 * opened). SQL is what both know, with parameters $1, $2, ... and no other '$'. Errors are one line that says
 * what to do about: locked, full, read-only, damaged, no database; a URL's password is in none of them.
 *
 *     struct db *db = db_open("runs.db", DB_WRITE, 60, &e);
 *     struct db_query *q = db_prepare(db, "SELECT a FROM t WHERE b = $1", 1, &e);
 *     db_put_int(q, 1, 7);
 *     while (!(st = db_step(q, &e)))        ST_NONE: no more rows
 *             use(db_int(q, 0));
 *     db_finish(q);
 *
 * Columns count from 0. Texts and blobs of a row live until the next step.
 */
#ifndef TM_DB_DB_H
#define TM_DB_DB_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum db_mode {
	DB_READ,
	DB_WRITE,   /* the file must be there */
	DB_CREATE,  /* or is made */
	DB_SCRATCH, /* a new file that is thrown away when something fails: no journal, no locks */
};

struct db;
struct db_query;

/* What is opened is a URL of PostgreSQL. */
bool db_is_url(const char *where);
/* The place as it may be shown: without password. The caller's to free. */
char *db_shown(const char *where);

/* So long another writer is waited for, before the database is "locked". */
struct db *db_open(const char *where, enum db_mode mode, unsigned wait_seconds, struct err *e);
void db_close(struct db *db); /* accepts NULL; what was begun and not committed is undone */

/* Statements without parameters and rows. */
enum status db_execute(struct db *db, const char *sql, struct err *e);
/* Begins a transaction that no other writer's can overlap. */
enum status db_begin(struct db *db, struct err *e);
/* One that sees the database as it is at its first query. */
enum status db_begin_reading(struct db *db, struct err *e);
enum status db_commit(struct db *db, struct err *e);
void db_rollback(struct db *db);
/* From now on readers do not wait for writers, and a writer that is killed leaves nothing half done
 * (SQLite's write-ahead log, which stays the file's way). */
enum status db_share(struct db *db, struct err *e);
/* Whether the file of one program has tables of another program. ST_NONE: no. */
enum status db_is_foreign(struct db *db, struct err *e);
/* Whether there is a table of that name. ST_NONE: no. */
enum status db_has_table(struct db *db, const char *name, struct err *e);

struct db_query *db_prepare(struct db *db, const char *sql, unsigned parameters, struct err *e);
void db_finish(struct db_query *q); /* accepts NULL */
/* Parameters count from 1; what is not set since db_reset is NULL. Bytes are copied. Text is UTF-8
 * without NUL. */
void db_put_int(struct db_query *q, unsigned at, int64_t v);
void db_put_real(struct db_query *q, unsigned at, double v);
void db_put_text(struct db_query *q, unsigned at, const char *s, size_t n);
void db_put_blob(struct db_query *q, unsigned at, const void *p, size_t n);
/* The next row: ST_OK, or ST_NONE behind the last. */
enum status db_step(struct db_query *q, struct err *e);
/* Ready for other parameters. */
void db_reset(struct db_query *q);
bool db_is_null(struct db_query *q, unsigned column);
int64_t db_int(struct db_query *q, unsigned column);
double db_real(struct db_query *q, unsigned column);
const char *db_text(struct db_query *q, unsigned column,
		    size_t *n); /* NUL-terminated; n: or NULL */
const void *db_blob(struct db_query *q, unsigned column, size_t *n);

#endif
