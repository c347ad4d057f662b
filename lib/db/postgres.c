/* SPDX-License-Identifier: MIT
 *
 * PostgreSQL through libpq, which is loaded when a URL is opened: linked, it would cost every
 * start of a program some milliseconds. The functions used are in libpq since PostgreSQL 9.
 *
 * A password is in no message: a URL that libpq cannot take apart is not quoted, and what it says
 * about one that it can is searched for the password as it is and as it was written.
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/db/driver.h"

#include <stdlib.h>
#include <string.h>

#if __has_include(<libpq-fe.h>)
#include <dlfcn.h>
#include <libpq-fe.h>

/* The advisory lock of all who write; the number is any. */
#define LOCK_WRITERS "SELECT pg_advisory_xact_lock(1953327209)"

#define LIBRARY "libpq.so.5"
#define FUNCTIONS(f)                                                                            \
	f(PQconninfoParse) f(PQconninfoFree) f(PQconnectdbParams) f(PQstatus) f(PQerrorMessage) \
	    f(PQfinish) f(PQexec) f(PQprepare) f(PQexecPrepared) f(PQresultStatus)              \
		f(PQresultErrorField) f(PQclear) f(PQntuples) f(PQgetvalue) f(PQgetisnull)      \
		    f(PQgetlength) f(PQsetNoticeReceiver) f(PQfreemem)

#define DECLARE(name) static __typeof__(name) *p##name;
FUNCTIONS(DECLARE)

struct server {
	struct db db; /* first */
	PGconn *connection;
	char *secrets[2]; /* the password, and how the URL writes it; NULL: none */
	unsigned prepared;
};

struct query {
	struct db_query query; /* first */
	char name[24];
	unsigned n;
	char **values; /* owned; NULL: NULL */
	int *lengths, *formats;
	PGresult *result;
	int at, rows;
	struct buf bytes;
};

static struct server *of(struct db *db)
{
	return (struct server *)db;
}

static struct query *query_of(struct db_query *q)
{
	return (struct query *)q;
}

static enum status postgres_load(struct err *e)
{
	static void *library;

	if (library)
		return ST_OK;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return err_set(e, ST_UNSUPPORTED, "a postgresql:// URL needs %s, which is not here",
			       LIBRARY);
#define LOOK_UP(name)                                                                   \
	*(void **)&p##name = dlsym(library, #name);                                     \
	if (!p##name) {                                                                 \
		library = NULL;                                                         \
		return err_set(e, ST_UNSUPPORTED, "%s is too old: no " #name, LIBRARY); \
	}
	FUNCTIONS(LOOK_UP)
	return ST_OK;
}

/* One line of libpq's text, without the password. */
static void postgres_add_text(const struct server *s, struct buf *b, const char *text)
{
	size_t n = strlen(text);

	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	for (size_t i = 0; i < n;) {
		size_t skip = 0;

		for (size_t k = 0; k < 2 && !skip; k++)
			if (s->secrets[k] &&
			    !strncmp(text + i, s->secrets[k], strlen(s->secrets[k])))
				skip = strlen(s->secrets[k]);
		if (skip)
			buf_adds(b, "***");
		else if (text[i] == '\n' || text[i] == '\t')
			buf_addc(b, ' ');
		else
			buf_addc(b, text[i]);
		i += skip ? skip : 1;
	}
}

static enum status report_error(const struct server *s, enum status code, const char *text,
				struct err *e)
{
	struct buf b = BUF_INIT;

	postgres_add_text(s, &b, text);
	err_set(e, code, "%s", buf_str(&b));
	buf_release(&b);
	return code;
}

static enum status failed(const struct server *s, const PGresult *r, struct err *e)
{
	const char *state = r ? pPQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
	const char *text = r ? pPQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) : NULL;

	if (pPQstatus(s->connection) != CONNECTION_OK)
		return report_error(s, ST_SYS, pPQerrorMessage(s->connection), e);
	if (state && !strcmp(state, "55P03"))
		return err_set(e, ST_SYS, "locked by another program for more than %u s",
			       s->db.wait_seconds);
	if (state && !strcmp(state, "53100"))
		return err_set(e, ST_SYS, "no space left; nothing was written");
	if (state && !strcmp(state, "25006"))
		return err_set(e, ST_SYS, "read-only; nothing was written");
	if (state && !strncmp(state, "XX", 2))
		return report_error(s, ST_BAD, text ? text : "damaged database", e);
	return report_error(s, ST_SYS, text ? text : pPQerrorMessage(s->connection), e);
}

static enum status postgres_execute(struct db *db, const char *sql, struct err *e)
{
	PGresult *r = pPQexec(of(db)->connection, sql);
	ExecStatusType st = pPQresultStatus(r);

	bool fine = st == PGRES_COMMAND_OK || st == PGRES_TUPLES_OK;

	if (!fine)
		failed(of(db), r, e);
	pPQclear(r);
	return fine ? ST_OK : err_failure(e);
}

static void postgres_quiet(void *arg, const PGresult *r)
{
	(void)arg;
	(void)r;
}

/* The password as the URL writes it. False: it holds what would make libpq take a part of it for
 * the host's name, and say so. */
static bool find_secret(struct server *s, const char *url)
{
	const char *p = strstr(url, "://") + 3, *at = strrchr(p, '@');
	const char *colon = at ? memchr(p, ':', (size_t)(at - p)) : NULL;

	if (!at || !colon)
		return true;
	s->secrets[1] = mem_strndup(colon + 1, (size_t)(at - colon - 1));
	if (!*s->secrets[1]) {
		free(s->secrets[1]);
		s->secrets[1] = NULL;
		return true;
	}
	return !strpbrk(s->secrets[1], "@/?#[]");
}

static enum status postgres_parse_url(struct server *s, const char *url, struct err *e)
{
	char *quotes = NULL; /* the URL: not printed */
	PQconninfoOption *options;

	if (!find_secret(s, url))
		return err_set(e, ST_UNSUPPORTED,
			       "not a URL that libpq understands (in a password, @ / ? # [ ] are "
			       "written %%40 %%2f %%3f %%23 %%5b %%5d)");
	options = pPQconninfoParse(url, &quotes);
	pPQfreemem(quotes);
	if (!options)
		return err_set(e, ST_UNSUPPORTED, "not a URL that libpq understands");
	for (const PQconninfoOption *o = options; o->keyword; o++)
		if (!strcmp(o->keyword, "password") && o->val && *o->val)
			s->secrets[0] = mem_strdup(o->val);
	pPQconninfoFree(options);
	return ST_OK;
}

static enum status postgres_connect_to(struct server *s, const char *url, enum db_mode mode,
				       struct err *e)
{
	const char *const keys[] = {"connect_timeout", "fallback_application_name", "dbname",
				    "client_encoding", NULL};
	const char *const values[] = {"20", "tracemill", url, "UTF8", NULL};
	char sql[200];

	if (postgres_load(e) || postgres_parse_url(s, url, e))
		return err_failure(e);
	s->connection = pPQconnectdbParams(keys, values, 1);
	if (!s->connection)
		return err_set(e, ST_LIMIT, "out of memory");
	if (pPQstatus(s->connection) != CONNECTION_OK)
		return report_error(s, ST_SYS, pPQerrorMessage(s->connection), e);
	pPQsetNoticeReceiver(s->connection, postgres_quiet, NULL);
	snprintf(sql, sizeof sql,
		 "SET lock_timeout = %u; SET bytea_output = 'hex';"
		 "SET standard_conforming_strings = on; SET default_transaction_read_only = %s",
		 s->db.wait_seconds > 1000000 ? 1000000000
		 : s->db.wait_seconds         ? s->db.wait_seconds * 1000
					      : 1,
		 mode == DB_READ ? "on" : "off");
	return postgres_execute(&s->db, sql, e);
}

static void postgres_close_server(struct db *db)
{
	struct server *s = of(db);

	if (s->connection)
		pPQfinish(s->connection);
	for (size_t i = 0; i < 2; i++) {
		if (s->secrets[i])
			explicit_bzero(s->secrets[i], strlen(s->secrets[i]));
		free(s->secrets[i]);
	}
	free(s);
}

static struct db *postgres_open_server(const char *url, enum db_mode mode, unsigned wait_seconds,
				       struct err *e)
{
	struct server *s = mem_zalloc(sizeof *s);

	s->db = (struct db){&db_postgres, wait_seconds};
	if (!postgres_connect_to(s, url, mode, e))
		return &s->db;
	postgres_close_server(&s->db);
	return NULL;
}

static struct db_query *postgres_prepare(struct db *db, const char *sql, unsigned parameters,
					 struct err *e)
{
	struct server *s = of(db);
	struct query *q = mem_zalloc(sizeof *q);
	PGresult *r;

	q->query.db = db;
	q->n = parameters;
	q->values = mem_zarray(parameters + 1, sizeof *q->values);
	q->lengths = mem_zarray(parameters + 1, sizeof *q->lengths);
	q->formats = mem_zarray(parameters + 1, sizeof *q->formats);
	snprintf(q->name, sizeof q->name, "q%u", ++s->prepared);
	r = pPQprepare(s->connection, q->name, sql, 0, NULL);
	if (pPQresultStatus(r) == PGRES_COMMAND_OK) {
		pPQclear(r);
		return &q->query;
	}
	failed(s, r, e);
	pPQclear(r);
	db_finish(&q->query);
	return NULL;
}

static void postgres_reset(struct db_query *query)
{
	struct query *q = query_of(query);

	for (unsigned i = 0; i < q->n; i++) {
		free(q->values[i]);
		q->values[i] = NULL;
	}
	if (q->result)
		pPQclear(q->result);
	q->result = NULL;
}

static void postgres_finish(struct db_query *query)
{
	struct query *q = query_of(query);

	postgres_reset(query);
	free(q->values);
	free(q->lengths);
	free(q->formats);
	buf_release(&q->bytes);
	free(q);
}

static void postgres_put_bytes(struct db_query *query, unsigned at, const void *p, size_t n,
			       bool text)
{
	struct query *q = query_of(query);

	free(q->values[at - 1]);
	q->values[at - 1] = mem_alloc(n + 1);
	if (n)
		memcpy(q->values[at - 1], p, n);
	q->values[at - 1][n] = 0;
	q->lengths[at - 1] = (int)n;
	q->formats[at - 1] = !text;
}

static void postgres_put_int(struct db_query *q, unsigned at, int64_t v)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%lld", (long long)v);

	postgres_put_bytes(q, at, text, (size_t)n, true);
}

static void postgres_put_real(struct db_query *q, unsigned at, double v)
{
	char text[40];
	int n = snprintf(text, sizeof text, "%.17g", v);

	postgres_put_bytes(q, at, text, (size_t)n, true);
}

static enum status postgres_step(struct db_query *query, struct err *e)
{
	struct query *q = query_of(query);
	struct server *s = of(query->db);
	ExecStatusType st;

	if (q->result) {
		q->at++;
		return q->at < q->rows ? ST_OK : ST_NONE;
	}
	q->result = pPQexecPrepared(s->connection, q->name, (int)q->n,
				    (const char *const *)q->values, q->lengths, q->formats, 0);
	st = pPQresultStatus(q->result);
	if (st != PGRES_COMMAND_OK && st != PGRES_TUPLES_OK)
		return failed(s, q->result, e);
	q->at = 0;
	q->rows = pPQntuples(q->result);
	return q->rows ? ST_OK : ST_NONE;
}

static const char *value_of(struct db_query *query, unsigned column, size_t *n)
{
	const struct query *q = query_of(query);

	*n = (size_t)pPQgetlength(q->result, q->at, (int)column);
	return pPQgetvalue(q->result, q->at, (int)column);
}

static bool postgres_is_null(struct db_query *query, unsigned column)
{
	const struct query *q = query_of(query);

	return pPQgetisnull(q->result, q->at, (int)column);
}

static int64_t postgres_get_int(struct db_query *q, unsigned column)
{
	size_t n;
	const char *s = value_of(q, column, &n);
	int64_t v;

	return num_i64(s, n, &v) ? v : 0;
}

static double postgres_get_real(struct db_query *q, unsigned column)
{
	size_t n;

	return strtod(value_of(q, column, &n), NULL);
}

static const void *postgres_get_bytes(struct db_query *query, unsigned column, size_t *n, bool text)
{
	struct query *q = query_of(query);
	size_t len;
	const char *s = value_of(query, column, &len);

	if (text || len < 2) {
		if (n)
			*n = text ? len : 0;
		return s;
	}
	q->bytes.len = 0;
	for (size_t i = 2; i + 1 < len; i += 2)
		buf_addc(&q->bytes, (char)(num_hex_digit(s[i]) << 4 | num_hex_digit(s[i + 1])));
	if (n)
		*n = q->bytes.len;
	return q->bytes.len ? q->bytes.data : "";
}

const struct db_driver db_postgres = {
    .open = postgres_open_server,
    .close = postgres_close_server,
    .execute = postgres_execute,
    .begin = "BEGIN; " LOCK_WRITERS,
    .snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ",
    .has_table =
	"SELECT 1 FROM pg_catalog.pg_class c WHERE c.relname = $1::text AND c.relkind = 'r' "
	"AND pg_catalog.pg_table_is_visible(c.oid)",
    .prepare = postgres_prepare,
    .finish = postgres_finish,
    .put_int = postgres_put_int,
    .put_real = postgres_put_real,
    .put_bytes = postgres_put_bytes,
    .step = postgres_step,
    .reset = postgres_reset,
    .is_null = postgres_is_null,
    .get_int = postgres_get_int,
    .get_real = postgres_get_real,
    .get_bytes = postgres_get_bytes,
};

#else

static struct db *postgres_missing(const char *where, enum db_mode mode, unsigned wait_seconds,
				   struct err *e)
{
	(void)where;
	(void)mode;
	(void)wait_seconds;
	err_set(e, ST_UNSUPPORTED, "this build has no PostgreSQL: libpq-fe.h was not there");
	return NULL;
}

const struct db_driver db_postgres = {.open = postgres_missing};

#endif
