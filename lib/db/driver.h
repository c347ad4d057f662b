/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/db: the functions of a database driver. A driver fills e with what went wrong;
 * names of the place are added above.
 */
#ifndef TM_DB_DRIVER_H
#define TM_DB_DRIVER_H

#include "lib/db/db.h"

struct db_driver {
	struct db *(*open)(const char *where, enum db_mode mode, unsigned wait_seconds,
			   struct err *e);
	void (*close)(struct db *db);
	enum status (*execute)(struct db *db, const char *sql, struct err *e);
	enum status (*share)(struct db *db, struct err *e); /* NULL: it is so already */
	const char *begin, *snapshot;
	const char *taken;     /* a query: a row when there are tables; NULL: never asked */
	const char *has_table; /* a query: a row when table $1 is there */
	struct db_query *(*prepare)(struct db *db, const char *sql, unsigned parameters,
				    struct err *e);
	void (*finish)(struct db_query *q);
	void (*put_int)(struct db_query *q, unsigned at, int64_t v);
	void (*put_real)(struct db_query *q, unsigned at, double v);
	void (*put_bytes)(struct db_query *q, unsigned at, const void *p, size_t n, bool text);
	enum status (*step)(struct db_query *q, struct err *e);
	void (*reset)(struct db_query *q);
	bool (*is_null)(struct db_query *q, unsigned column);
	int64_t (*get_int)(struct db_query *q, unsigned column);
	double (*get_real)(struct db_query *q, unsigned column);
	const void *(*get_bytes)(struct db_query *q, unsigned column, size_t *n, bool text);
};

struct db { /* first in the drivers' */
	const struct db_driver *driver;
	unsigned wait_seconds;
};

struct db_query {
	struct db *db;
};

extern const struct db_driver db_sqlite, db_postgres;

#endif
