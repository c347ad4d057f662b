/* SPDX-License-Identifier: MIT
 *
 * SQLite. A store that several write to keeps a write-ahead log: readers do not wait for writers,
 * a writer that is killed leaves what is committed, and writers wait for each other.
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/db/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct file {
	struct db db; /* first */
	sqlite3 *handle;
	uint64_t steps, most_steps; /* of its virtual machine, in units of STEP */
};

/* Work for tables of this size, with much to spare: minutes of it for the smallest. */
enum { STEP = 1000000, STEPS_PER_BYTE = 1000, FEWEST_STEPS = 2000 };

struct query {
	struct db_query query; /* first */
	sqlite3_stmt *statement;
	int not_put; /* how the first value failed that was not taken since reset */
};

static struct file *of(struct db *db)
{
	return (struct file *)db;
}

static struct query *own(struct db_query *q)
{
	return (struct query *)q;
}

static sqlite3_stmt *statement_of(struct db_query *q)
{
	return own(q)->statement;
}

static enum status sqlite_failed(const struct file *f, int code, struct err *e)
{
	sqlite3 *handle = f->handle;
	int extended = handle ? sqlite3_extended_errcode(handle) : code;
	int of_system = handle ? sqlite3_system_errno(handle) : 0;
	const char *text = handle ? sqlite3_errmsg(handle) : "out of memory";

	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e, ST_SYS, "locked by another program for more than %u s",
			       f->db.wait_seconds);
	case SQLITE_FULL: return err_set(e, ST_SYS, "no space left; nothing was written");
	case SQLITE_READONLY: return err_set(e, ST_SYS, "read-only; nothing was written");
	case SQLITE_CORRUPT: return err_set(e, ST_BAD, "damaged database (%s)", text);
	case SQLITE_NOTADB: return err_set(e, ST_BAD, "not a database");
	case SQLITE_INTERRUPT:
		return err_set(e, ST_BAD, "damaged database (its tables have no end)");
	case SQLITE_NOMEM: return err_set(e, ST_LIMIT, "out of memory");
	case SQLITE_IOERR:
		if (extended == SQLITE_IOERR_SHORT_READ)
			return err_set(e, ST_BAD, "damaged database (it is cut short)");
		/* fallthrough */
	default:
		if (of_system && code != SQLITE_ERROR && code != SQLITE_CONSTRAINT)
			return err_set(e, ST_SYS, "%s: %s", text, strerror(of_system));
		return err_set(e, ST_SYS, "%s", text);
	}
}

static enum status sqlite_execute(struct db *db, const char *sql, struct err *e)
{
	int code = sqlite3_exec(of(db)->handle, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? ST_OK : sqlite_failed(of(db), code, e);
}

/* To change to the log needs the file alone for a moment, and SQLite does not wait for that. */
static enum status sqlite_keep_log(struct db *db, struct err *e)
{
	struct file *f = of(db);
	const struct timespec pause = {.tv_nsec = 20000000};
	int code = SQLITE_BUSY;

	for (uint64_t waited = 0; waited <= f->db.wait_seconds * 1000ull && code == SQLITE_BUSY;
	     waited += 20) {
		if (waited)
			nanosleep(&pause, NULL);
		code = sqlite3_exec(f->handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
	}
	return code == SQLITE_OK ? ST_OK : sqlite_failed(f, code, e);
}

static void add_uri(struct buf *b, const char *path)
{
	buf_adds(b, "file:");
	for (const char *p = path; *p; p++)
		if (*p == '%' || *p == '?' || *p == '#')
			buf_addf(b, "%%%02x", (unsigned char)*p);
		else
			buf_addc(b, *p);
	buf_adds(b, "?immutable=1");
}

/* A log's index cannot be made where nothing can be written: a file that was closed in order has
 * no log, and cannot be changed there. */
static bool settled(const char *path)
{
	struct buf log = BUF_INIT;
	struct stat s;
	bool none;

	buf_addf(&log, "%s-wal", path);
	none = stat(buf_str(&log), &s) || !s.st_size;
	buf_release(&log);
	return none;
}

/* Files come from elsewhere: a view or a trigger in one is a program of its author's. */
static void sqlite_obey_nothing(sqlite3 *handle)
{
	static const struct {
		int option, value;
	} settings[] = {
	    {SQLITE_DBCONFIG_DEFENSIVE, 1},
	    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
	    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
	    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
	};

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		sqlite3_db_config(handle, settings[i].option, settings[i].value, NULL);
}

/* Pages that lead to each other make a table without end of a small file. */
static int sqlite_on_progress(void *arg)
{
	struct file *f = arg;

	return ++f->steps > f->most_steps;
}

static void sqlite_bound(struct file *f, const char *path)
{
	struct stat s;

	f->most_steps =
	    FEWEST_STEPS + (stat(path, &s) ? 0 : (uint64_t)s.st_size / STEP * STEPS_PER_BYTE);
	sqlite3_progress_handler(f->handle, STEP, sqlite_on_progress, f);
}

/* What was begun and not ended, in a journal from before the log, is undone by who may write: not for somebody
 * who only looks at a file of a stranger, whose journal names files. */
static bool has_journal(const char *path)
{
	struct buf journal = BUF_INIT;
	bool is;

	buf_addf(&journal, "%s-journal", path);
	is = !access(buf_str(&journal), F_OK);
	buf_release(&journal);
	return is;
}

static int open_settled(struct file *f, const char *path)
{
	struct buf uri = BUF_INIT;
	int code;

	sqlite3_close(f->handle);
	add_uri(&uri, path);
	code = sqlite3_open_v2(buf_str(&uri), &f->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
			       NULL);
	buf_release(&uri);
	if (code == SQLITE_OK) {
		sqlite_obey_nothing(f->handle);
		sqlite_bound(f, path);
	}
	return code;
}

static int look(struct file *f)
{
	return sqlite3_exec(f->handle, "SELECT 1 FROM sqlite_master", NULL, NULL, NULL);
}

/* A file that has no name is given as /proc/self/fd/N. SQLite would look for the place that this link names, and opens no
 * link: the file is opened by its descriptor. */
static const char open_file[] = "/proc/self/fd/";

static int sqlite_path_as_it_is(sqlite3_vfs *v, const char *path, int n, char *to)
{
	(void)v;
	return snprintf(to, (size_t)n, "%s", path) < n ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int sqlite_system_open(const char *path, int flags, int mode)
{
	if (!strncmp(path, open_file, sizeof open_file - 1))
		return fcntl(atoi(path + sizeof open_file - 1), F_DUPFD_CLOEXEC, 3);
	return open(path, flags, mode);
}

/* What opens files at such a path; NULL: SQLite's own, which is for all other paths. */
static const char *sqlite_vfs_of(const char *path)
{
	static sqlite3_vfs by_path;
	sqlite3_vfs *usual = sqlite3_vfs_find(NULL);

	if (!usual || strncmp(path, open_file, sizeof open_file - 1))
		return NULL;
	by_path = *usual;
	by_path.pNext = NULL;
	by_path.zName = "by-path";
	by_path.xFullPathname = sqlite_path_as_it_is;
	if (usual->xSetSystemCall(usual, "open", (sqlite3_syscall_ptr)sqlite_system_open) ||
	    sqlite3_vfs_register(&by_path, 0))
		return NULL;
	return by_path.zName;
}

static enum status sqlite_open_file(struct file *f, const char *path, enum db_mode mode,
				    struct err *e)
{
	static const int flags[] = {
	    /* One that may not write could not take its log away at the end. Where the file may not be
	     * written, SQLite only reads. */
	    [DB_READ] = SQLITE_OPEN_READWRITE,
	    [DB_WRITE] = SQLITE_OPEN_READWRITE,
	    [DB_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
	    [DB_SCRATCH] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
	};
	int code;

	/* SQLite would make an empty file of a missing one, or say no more than "cannot open". */
	if (mode < DB_CREATE && access(path, mode == DB_READ ? R_OK : F_OK))
		return err_set(e, ST_SYS, "%s", strerror(errno));
	code = sqlite3_open_v2(path, &f->handle,
			       mode == DB_READ && has_journal(path) ? SQLITE_OPEN_READONLY
								    : flags[mode],
			       sqlite_vfs_of(path));
	if (code != SQLITE_OK)
		return sqlite_failed(f, code, e);
	sqlite3_busy_timeout(
	    f->handle, f->db.wait_seconds < 1000000 ? (int)f->db.wait_seconds * 1000 : INT_MAX);
	if (mode == DB_SCRATCH)
		return sqlite_execute(&f->db,
				      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
				      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY",
				      e);
	sqlite_obey_nothing(f->handle);
	sqlite_bound(f, path);
	code = look(f);
	if (code == SQLITE_OK && mode == DB_READ)
		return sqlite_execute(&f->db, "PRAGMA query_only = ON", e);
	if (code != SQLITE_OK && mode == DB_READ && settled(path) &&
	    (code == SQLITE_CANTOPEN || code == SQLITE_READONLY)) {
		code = open_settled(f, path);
		if (code == SQLITE_OK)
			code = look(f);
	}
	if (code != SQLITE_OK)
		return sqlite_failed(f, code, e);
	if (sqlite3_db_readonly(f->handle, "main") == 1 && mode != DB_READ)
		return sqlite_failed(f, SQLITE_READONLY, e);
	/* What is committed is there after a power cut as well. */
	return sqlite_execute(&f->db, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON", e);
}

static void sqlite_close_file(struct db *db)
{
	struct file *f = of(db);

	sqlite3_close(f->handle);
	free(f);
}

static struct db *sqlite_open(const char *path, enum db_mode mode, unsigned wait_seconds,
			      struct err *e)
{
	struct file *f = mem_zalloc(sizeof *f);

	f->db = (struct db){&db_sqlite, wait_seconds};
	if (!sqlite_open_file(f, path, mode, e))
		return &f->db;
	sqlite_close_file(&f->db);
	return NULL;
}

static struct db_query *sqlite_prepare(struct db *db, const char *sql, unsigned parameters,
				       struct err *e)
{
	struct query *q = mem_zalloc(sizeof *q);
	char *text = mem_strdup(sql);
	int code;

	/* "$2" would be the second name to be seen here, "?2" is the second parameter. */
	for (char *p = text; parameters && (p = strchr(p, '$')); p++)
		*p = '?';
	code = sqlite3_prepare_v2(of(db)->handle, text, -1, &q->statement, NULL);
	free(text);
	q->query.db = db;
	if (code == SQLITE_OK)
		return &q->query;
	sqlite_failed(of(db), code, e);
	free(q);
	return NULL;
}

static void sqlite_finish(struct db_query *q)
{
	sqlite3_finalize(statement_of(q));
	free(q);
}

/* A value that was not taken would be NULL in the row: step says so instead. */
static void keep(struct db_query *q, int code)
{
	if (code != SQLITE_OK && own(q)->not_put == SQLITE_OK)
		own(q)->not_put = code;
}

static void sqlite_put_int(struct db_query *q, unsigned at, int64_t v)
{
	keep(q, sqlite3_bind_int64(statement_of(q), (int)at, v));
}

static void sqlite_put_real(struct db_query *q, unsigned at, double v)
{
	keep(q, sqlite3_bind_double(statement_of(q), (int)at, v));
}

static void sqlite_put_bytes(struct db_query *q, unsigned at, const void *p, size_t n, bool text)
{
	keep(q,
	     text ? sqlite3_bind_text64(statement_of(q), (int)at, n ? p : "", n, SQLITE_TRANSIENT,
					SQLITE_UTF8)
		  : sqlite3_bind_blob64(statement_of(q), (int)at, n ? p : "", n, SQLITE_TRANSIENT));
}

static enum status sqlite_step(struct db_query *q, struct err *e)
{
	int code = own(q)->not_put;

	if (code == SQLITE_OK)
		code = sqlite3_step(statement_of(q));

	return code == SQLITE_ROW    ? ST_OK
	       : code == SQLITE_DONE ? ST_NONE
				     : sqlite_failed(of(q->db), code, e);
}

static void sqlite_reset(struct db_query *q)
{
	sqlite3_reset(statement_of(q));
	sqlite3_clear_bindings(statement_of(q));
	own(q)->not_put = SQLITE_OK;
}

static bool sqlite_is_null(struct db_query *q, unsigned column)
{
	return sqlite3_column_type(statement_of(q), (int)column) == SQLITE_NULL;
}

static int64_t sqlite_get_int(struct db_query *q, unsigned column)
{
	return sqlite3_column_int64(statement_of(q), (int)column);
}

static double sqlite_get_real(struct db_query *q, unsigned column)
{
	return sqlite3_column_double(statement_of(q), (int)column);
}

static const void *sqlite_get_bytes(struct db_query *q, unsigned column, size_t *n, bool text)
{
	const void *p = text ? (const void *)sqlite3_column_text(statement_of(q), (int)column)
			     : sqlite3_column_blob(statement_of(q), (int)column);

	if (!p && sqlite3_errcode(of(q->db)->handle) == SQLITE_NOMEM)
		mem_exhausted();
	if (n)
		*n = (size_t)sqlite3_column_bytes(statement_of(q), (int)column);
	return p ? p : "";
}

const struct db_driver db_sqlite = {
    .open = sqlite_open,
    .close = sqlite_close_file,
    .execute = sqlite_execute,
    .share = sqlite_keep_log,
    .begin = "BEGIN IMMEDIATE",
    .taken = "SELECT 1 FROM sqlite_master",
    .snapshot = "BEGIN",
    .has_table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1",
    .prepare = sqlite_prepare,
    .finish = sqlite_finish,
    .put_int = sqlite_put_int,
    .put_real = sqlite_put_real,
    .put_bytes = sqlite_put_bytes,
    .step = sqlite_step,
    .reset = sqlite_reset,
    .is_null = sqlite_is_null,
    .get_int = sqlite_get_int,
    .get_real = sqlite_get_real,
    .get_bytes = sqlite_get_bytes,
};
