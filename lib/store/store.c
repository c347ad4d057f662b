/* SPDX-License-Identifier: MIT
 *
 * The folder of a store: its opening, its tokens, and what is not kept.
 */
#include "lib/base/mem.h"
#include "lib/base/text_file.h"
#include "lib/store/impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *word;
	unsigned role;
} roles[] = {
    {"upload", STORE_UPLOAD},
    {"read", STORE_READ},
    {"edit", STORE_READ | STORE_EDIT},
};

enum { ROLES = sizeof roles / sizeof *roles };

/* --- tokens --- */

static enum status make_tokens(struct session_store *s, struct err *e)
{
	uint8_t random[ROLES][16];
	struct buf text = BUF_INIT;
	enum status st = ST_OK;
	int fd;

	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return err_sys(e, "no random numbers");
	buf_adds(&text,
		 "# who may do what: upload, read, or edit (which reads, and writes notes)\n");
	for (size_t i = 0; i < ROLES; i++) {
		buf_addf(&text, "%s ", roles[i].word);
		for (size_t k = 0; k < sizeof random[i]; k++)
			buf_addf(&text, "%02x", random[i][k]);
		buf_addc(&text, '\n');
	}
	fd = openat(s->at, "tokens.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (fd < 0 || write(fd, text.data, text.len) != (ssize_t)text.len || fsync(fd) ||
	    renameat(s->at, "tokens.new", s->at, "tokens"))
		st = err_sys(e, "tokens");
	if (fd >= 0)
		close(fd);
	buf_release(&text);
	return st;
}

static enum status take_token(struct session_store *s, size_t number, const char *at,
			      const char *end, struct err *e)
{
	const char *blank = memchr(at, ' ', (size_t)(end - at));
	size_t n = blank ? (size_t)(end - blank - 1) : 0;

	if (at == end || *at == '#')
		return ST_OK;
	if (s->n_tokens == STORE_TOKENS)
		return err_set(e, ST_LIMIT, "tokens: more than %d", STORE_TOKENS);
	for (size_t i = 0; i < ROLES && blank; i++) {
		if (strlen(roles[i].word) != (size_t)(blank - at) ||
		    memcmp(at, roles[i].word, (size_t)(blank - at)) != 0)
			continue;
		if (n < STORE_TOKEN_LEAST)
			return err_set(e, ST_BAD, "tokens, line %zu: a token has %d bytes or more",
				       number, STORE_TOKEN_LEAST);
		for (const char *c = blank + 1; c < end; c++)
			if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_-",
				    *c))
				return err_set(
				    e, ST_BAD,
				    "tokens, line %zu: a token has letters, digits, _ and -",
				    number);
		s->tokens[s->n_tokens++] =
		    (struct store_known_token){roles[i].role, mem_strndup(blank + 1, n)};
		return ST_OK;
	}
	return err_set(e, ST_BAD, "tokens, line %zu: ROLE TOKEN is wanted, of upload, read or edit",
		       number);
}

static enum status read_tokens(struct session_store *s, struct err *e)
{
	int fd = openat(s->at, "tokens", O_RDONLY | O_CLOEXEC);
	struct buf text = BUF_INIT;
	struct text_lines lines;
	const char *at, *end;
	enum status st;

	if (fd < 0)
		return err_sys(e, "tokens");
	st = text_file_read_open(fd, STORE_RECORD_MOST, "tokens", &text, e);
	close(fd);
	lines = text_lines_of(buf_at(&text, 0), text.len);
	while (!st && text_lines_next(&lines, &at, &end))
		st = take_token(s, lines.line, at, end, e);
	buf_release(&text);
	return st;
}

/* All are looked at, and all of each. */
unsigned store_role_of(const struct session_store *s, const char *token, size_t n)
{
	unsigned role = 0;

	for (size_t i = 0; i < s->n_tokens; i++) {
		const char *t = s->tokens[i].text;
		size_t m = strlen(t);
		unsigned char differs = m != n;

		for (size_t k = 0; k < m; k++)
			differs |= (unsigned char)(t[k] ^ (k < n ? token[k] : 0));
		role |= differs ? 0 : s->tokens[i].role;
	}
	return role;
}

const char *store_token(const struct session_store *s, enum store_role role)
{
	for (size_t i = 0; i < s->n_tokens; i++)
		if (s->tokens[i].role & role)
			return s->tokens[i].text;
	return NULL;
}

/* --- the folder --- */

static int open_folder(int at, const char *name, struct err *e)
{
	int fd;

	if (mkdirat(at, name, 0700) && errno != EEXIST) {
		err_sys(e, "cannot make %s", name);
		return -1;
	}
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		err_sys(e, "cannot open %s", name);
	return fd;
}

static enum status open_folders(struct session_store *s, struct err *e)
{
	s->at = open_folder(AT_FDCWD, s->folder, e);
	if (s->at < 0)
		return err_failure(e);
	s->incoming = open_folder(s->at, "incoming", e);
	s->captures = s->incoming < 0 ? -1 : open_folder(s->at, "captures", e);
	s->sessions = s->captures < 0 ? -1 : open_folder(s->at, "sessions", e);
	if (s->sessions < 0)
		return err_failure(e);
	s->lock = openat(s->at, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lock < 0)
		return err_sys(e, "lock");
	if (flock(s->lock, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK
			   ? err_set(e, ST_LIMIT, "another tm-view serves this store")
			   : err_sys(e, "lock");
	return ST_OK;
}

/* Names in one of the folders; the caller's to free, with the list. */
static char **names_in(const struct session_store *s, const char *folder, size_t *n)
{
	int fd = openat(s->at, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *all = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;
	char **names = NULL;
	size_t cap = 0;

	*n = 0;
	while (all && (d = readdir(all)))
		if (d->d_name[0] != '.')
			VEC_PUSH(names, *n, cap) = mem_strdup(d->d_name);
	if (all)
		closedir(all);
	return names;
}

static void free_names(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

/* Nobody was told of these: the bytes are in incoming/ still. What has another name was put there by somebody. */
static void remove_unnamed(struct session_store *s)
{
	size_t n;
	char **names = names_in(s, "captures", &n);

	for (size_t i = 0; i < n && !s->unreadable; i++)
		if (record_is_digest(names[i]) && !sessions_use(s, names[i]))
			unlinkat(s->captures, names[i], 0);
	free_names(names, n);
}

/* What an upload is lies beside its bytes, which go first once it is a session. */
static void remove_widows(struct session_store *s)
{
	size_t n;
	char **names = names_in(s, "incoming", &n), key[SHA256_HEX];

	for (size_t i = 0; i < n; i++) {
		snprintf(key, sizeof key, "%s", names[i]);
		if (record_is_digest(key) && !strcmp(names[i] + strlen(key), ".who") &&
		    faccessat(s->incoming, key, F_OK, AT_SYMLINK_NOFOLLOW) && errno == ENOENT)
			unlinkat(s->incoming, names[i], 0);
	}
	free_names(names, n);
}

static bool is_digest_with_ending(const char *name)
{
	size_t n = strspn(name, "0123456789abcdef");

	return n == SHA256_HEX - 1 && (!name[n] || name[n] == '.');
}

/* A file of the store, by its name alone. */
static bool is_of_store(const char *folder, const char *name)
{
	static const char *const own[] = {"captures", "incoming", "sessions",
					  "lock",     "tokens",   "tokens.new"};
	uint64_t number;

	if (!strcmp(folder, "sessions"))
		return (name[0] >= '0' && name[0] <= '9' && strstr(name, ".new")) ||
		       (record_number(name, &number) && number);
	if (strcmp(folder, ".") != 0)
		return is_digest_with_ending(name);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!strcmp(name, own[i]))
			return true;
	return !strncmp(name, "history.db", 10);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Captures that somebody copied into the folder are served by no one: only uploads are. */
static void name_strangers(const struct session_store *s, struct buf *said)
{
	static const char *const folders[] = {".", "captures", "incoming", "sessions"};
	enum { NAMED = 5 };

	for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
		size_t n, strange = 0;
		char **names = names_in(s, folders[f], &n);
		struct buf b = BUF_INIT;

		if (n)
			qsort(names, n, sizeof *names, compare_names);
		for (size_t i = 0; i < n; i++)
			if (!is_of_store(folders[f], names[i]) && strange++ < NAMED)
				buf_addf(&b, "%s%s%s%s", b.len ? ", " : "", f ? folders[f] : "",
					 f ? "/" : "", names[i]);
		if (strange)
			buf_addf(said, "%zu file%s not of the store, and not served: %.*s", strange,
				 strange == 1 ? " is" : "s are", (int)b.len, b.data);
		if (strange > NAMED)
			buf_addf(said, " and %zu more", strange - NAMED);
		buf_adds(said, strange ? "\n" : "");
		buf_release(&b);
		free_names(names, n);
	}
}

struct session_store *store_open(const char *folder, const struct store_options *o,
				 struct buf *said, struct err *e)
{
	struct session_store *s = mem_zalloc(sizeof *s);

	s->folder = mem_strdup(folder);
	s->at = s->incoming = s->captures = s->sessions = s->lock = -1;
	s->o = *o;
	pthread_mutex_init(&s->mutex, NULL);
	pthread_mutex_init(&s->disk, NULL);
	if (open_folders(s, e) ||
	    (faccessat(s->at, "tokens", F_OK, 0) && errno == ENOENT && make_tokens(s, e)) ||
	    read_tokens(s, e) || sessions_load(s, said, e)) {
		store_close(s);
		return NULL;
	}
	remove_unnamed(s);
	remove_widows(s);
	name_strangers(s, said);
	return s;
}

void store_close(struct session_store *s)
{
	const int all[] = {s ? s->at : -1, s ? s->incoming : -1, s ? s->captures : -1,
			   s ? s->sessions : -1, s ? s->lock : -1};

	if (!s)
		return;
	while (s->uploads) {
		struct store_upload *u = s->uploads;

		store_drop(u);
	}
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i] >= 0)
			close(all[i]);
	for (size_t i = 0; i < s->n; i++)
		free(s->items[i]);
	free(s->items);
	for (size_t i = 0; i < s->n_tokens; i++)
		free(s->tokens[i].text);
	pthread_mutex_destroy(&s->mutex);
	pthread_mutex_destroy(&s->disk);
	free(s->folder);
	free(s);
}

static char *path_of(const struct session_store *s, const char *folder, const char *name)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s/%s/%s", s->folder, folder, name);
	buf_str(&b);
	return b.data;
}

char *store_capture_path(const struct session_store *s, const char *digest)
{
	return path_of(s, "captures", digest);
}

char *store_arrival_path(const struct session_store *s, const char *key)
{
	return path_of(s, "incoming", key);
}

uint64_t store_version(struct session_store *s)
{
	uint64_t v;

	pthread_mutex_lock(&s->mutex);
	v = s->version;
	pthread_mutex_unlock(&s->mutex);
	return v;
}

/* --- what is not kept --- */

/* The same text for sessions of one branch; "" for those without. */
static const char *branch_of(const struct store_session *one)
{
	const char *branch = store_meta_get(&one->meta, "branch");

	return branch ? branch : "";
}

static uint64_t newer_of_branch(const struct session_store *s, size_t i)
{
	uint64_t n = 0;

	for (size_t k = i + 1; k < s->n; k++)
		n += !s->items[k]->gone && !strcmp(branch_of(s->items[k]), branch_of(s->items[i]));
	return n;
}

static void date_before(uint64_t days, char to[32])
{
	time_t then = time(NULL) - (time_t)(days * 86400);
	struct tm utc;

	gmtime_r(&then, &utc);
	strftime(to, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static bool is_kept(const struct session_store *s, size_t i, const char *oldest)
{
	const struct store_session *one = s->items[i];
	const char *status = store_meta_get(&one->meta, "status");

	if (one->gone || one->state < STORE_ADDED || (status && !strcmp(status, "green")))
		return true;
	return !(s->o.keep_days && strcmp(one->received, oldest) < 0) &&
	       !(s->o.keep_last && newer_of_branch(s, i) >= s->o.keep_last);
}

/* What is green stays: gates compare with it. The record goes first: a capture without one is removed at the next
 * start. */
static void retain_captures(struct session_store *s)
{
	char oldest[32] = "";

	if (s->o.keep_days)
		date_before(s->o.keep_days, oldest);
	for (size_t i = 0; i < s->n; i++) {
		struct store_session one = *s->items[i];
		struct err e = ERR_INIT;

		if (is_kept(s, i, oldest))
			continue;
		one.gone = true;
		if (!sessions_save(s, &one, &e) && !sessions_use(s, one.digest))
			unlinkat(s->captures, one.digest, 0);
	}
}

static void retain_uploads(struct session_store *s)
{
	const time_t oldest = time(NULL) - (time_t)(s->o.keep_days * 86400);
	size_t n;
	char **names = names_in(s, "incoming", &n);

	for (size_t i = 0; i < n; i++) {
		bool live = false;
		struct stat st;

		for (const struct store_upload *u = s->uploads; u; u = u->next)
			live |= !strncmp(names[i], u->key, SHA256_HEX - 1);
		if (!live && is_digest_with_ending(names[i]) &&
		    !fstatat(s->incoming, names[i], &st, AT_SYMLINK_NOFOLLOW) &&
		    st.st_mtime < oldest)
			unlinkat(s->incoming, names[i], 0);
	}
	free_names(names, n);
}

void store_retain(struct session_store *s)
{
	pthread_mutex_lock(&s->disk);
	retain_captures(s);
	pthread_mutex_unlock(&s->disk);
	if (!s->o.keep_days)
		return;
	pthread_mutex_lock(&s->mutex);
	retain_uploads(s);
	pthread_mutex_unlock(&s->mutex);
}
