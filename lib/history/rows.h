/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/history: insertion of many rows into a table with few statements, since one to a
 * row would wait for a server each time.
 *
 *     rows_begin(&r, db, "tm_labels (run, name, value)", 3, n, "", &e);
 *     n times: rows_int(&r, 7); rows_text(&r, ...); rows_text(&r, ...); rows_next(&r);
 *     st = rows_end(&r, &e);
 */
#ifndef TM_HISTORY_ROWS_H
#define TM_HISTORY_ROWS_H

#include "lib/base/buf.h"
#include "lib/db/db.h"

enum { ROWS_PARAMETERS = 6000 }; /* to a statement; SQLite takes 32766, PostgreSQL 65535 */

struct history_rows {
	struct db *db;
	const char *into, *behind;
	unsigned columns, per; /* rows to a statement */
	uint64_t left;         /* rows that will come */
	unsigned row, column;  /* of the statement */
	struct db_query *query;
	unsigned in_query; /* its rows */
	struct buf text;
	struct err e; /* the first failure: what comes then is dropped */
};

/* behind: what follows the values, such as ON CONFLICT. */
void rows_begin(struct history_rows *r, struct db *db, const char *into, unsigned columns,
		uint64_t n, const char *behind);
void rows_int(struct history_rows *r, int64_t v);
void rows_real(struct history_rows *r, double v);
void rows_null(struct history_rows *r);
/* Any bytes: what is not UTF-8, and NUL, becomes U+FFFD. An empty text is NULL. */
void rows_text(struct history_rows *r, const char *s, size_t n);
void rows_next(struct history_rows *r);
enum status rows_end(struct history_rows *r, struct err *e);

#endif
