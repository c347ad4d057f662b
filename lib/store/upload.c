/* SPDX-License-Identifier: MIT
 *
 * Uploads: from their first byte to the record that acknowledges them.
 */
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/store/impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static const uint64_t reserve = 1 << 20; /* for records, which acknowledge what is there */

static void who_name(const char *key, char to[SHA256_HEX + 8])
{
	snprintf(to, SHA256_HEX + 8, "%s.who", key);
}

struct who {
	struct store_meta *meta;
	struct store_file *file;
};

static bool upload_take_who(void *arg, const char *name, const char *value)
{
	const struct who *w = arg;

	if (!strcmp(name, "total"))
		return record_number(value, &w->file->total);
	if (!strcmp(name, "digest")) {
		snprintf(w->file->digest, sizeof w->file->digest, "%s", value);
		return record_is_digest(value);
	}
	return record_meta(w->meta, name, value);
}

enum status upload_who(const struct session_store *s, const char *key, struct store_meta *m,
		       struct store_file *file, struct err *e)
{
	struct who w = {m, file};
	char name[SHA256_HEX + 8];

	*m = (struct store_meta){.n = 0};
	*file = (struct store_file){.total = STORE_UNKNOWN};
	who_name(key, name);
	return record_read(s->incoming, name, upload_take_who, &w, e);
}

static enum status upload_write_who(const struct store_upload *u, struct err *e)
{
	struct store_record r = {.text = BUF_INIT};
	char name[SHA256_HEX + 8];

	record_add_meta(&r, &u->meta);
	if (u->file.total != STORE_UNKNOWN)
		record_add_number(&r, "total", u->file.total);
	if (*u->file.digest)
		record_add(&r, "digest", u->file.digest);
	who_name(u->key, name);
	return record_write(&r, u->store->incoming, name, false, e);
}

static bool is_full(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

static uint64_t file_size(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) ? STORE_UNKNOWN
							       : (uint64_t)st.st_size;
}

static void unlist(struct store_upload *u)
{
	struct store_upload **at = &u->store->uploads;

	while (*at && *at != u)
		at = &(*at)->next;
	if (*at)
		*at = u->next;
	u->store->version++;
}

/* With the mutex held: from the connection that has it. */
static bool take_over(struct session_store *s, const char *key, bool from_start)
{
	for (struct store_upload *u = s->uploads; u; u = u->next) {
		if (strcmp(u->key, key) != 0)
			continue;
		if (u->finishing || (from_start && clock_ms() - u->moved < STORE_SILENT_MS))
			return false;
		u->taken = true;
		close(u->fd);
		u->fd = -1;
		unlist(u);
		return true;
	}
	return true;
}

static enum store_answer check_room(const struct session_store *s, uint64_t offset, uint64_t n,
				    uint64_t total, struct err *e)
{
	struct statvfs room;

	if ((total != STORE_UNKNOWN && total > s->o.most) || offset > s->o.most ||
	    (n != STORE_UNKNOWN && n > s->o.most - offset)) {
		err_set(e, ST_LIMIT, "a capture may have %llu bytes",
			(unsigned long long)s->o.most);
		return STORE_LARGE;
	}
	if (n != STORE_UNKNOWN && !fstatvfs(s->incoming, &room) &&
	    n + reserve > (uint64_t)room.f_bavail * room.f_frsize) {
		err_set(e, ST_LIMIT, "no room: %llu bytes are to come, and %llu are free",
			(unsigned long long)n, (unsigned long long)room.f_bavail * room.f_frsize);
		return STORE_FULL;
	}
	return STORE_DONE;
}

static enum store_answer answer_of_errno(struct err *e, const char *what)
{
	enum store_answer a = is_full(errno) ? STORE_FULL : STORE_FAILED;

	err_sys(e, "%s", what);
	return a;
}

/* As far as both say what they are. */
static bool is_other_file(const struct store_file *a, const struct store_file *b)
{
	return (a->total != STORE_UNKNOWN && b->total != STORE_UNKNOWN && a->total != b->total) ||
	       (*a->digest && *b->digest && strcmp(a->digest, b->digest) != 0);
}

/* What is there is of another file. */
static bool is_of_another(const struct session_store *s, const char *key,
			  const struct store_file *file)
{
	struct store_meta before = {.n = 0};
	struct err none = ERR_INIT;
	struct store_file was = {.total = STORE_UNKNOWN};

	return !upload_who(s, key, &before, &was, &none) && is_other_file(&was, file);
}

/* With the mutex held. */
static enum store_answer upload_open(struct store_upload *u, uint64_t offset, uint64_t *have,
				     struct err *e)
{
	const struct session_store *s = u->store;
	uint64_t is = file_size(s->incoming, u->key);

	*have = is == STORE_UNKNOWN ? 0 : is;
	if (offset && is_of_another(s, u->key, &u->file)) {
		*have = 0;
		err_set(e, ST_BAD,
			"what is there is of a file of another length or digest: begin again");
		return STORE_OFFSET;
	}
	if (offset && offset != *have) {
		err_set(e, ST_BAD, "%llu bytes are there: go on from there",
			(unsigned long long)*have);
		return STORE_OFFSET;
	}
	u->fd = openat(s->incoming, u->key, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (u->fd < 0 || (!offset && ftruncate(u->fd, 0)) ||
	    lseek(u->fd, (off_t)offset, SEEK_SET) < 0)
		return answer_of_errno(e, "incoming");
	u->size = offset;
	if (upload_write_who(u, e))
		return is_full(errno) ? STORE_FULL : STORE_FAILED;
	return STORE_DONE;
}

enum store_answer store_begin(struct session_store *s, const struct store_meta *m, uint64_t offset,
			      uint64_t n, const struct store_file *file, struct store_upload **u,
			      uint64_t *have, struct err *e)
{
	struct store_upload *new = mem_zalloc(sizeof *new);
	enum store_answer a = check_room(s, offset, n, file->total, e);

	*u = NULL;
	*have = 0;
	new->store = s;
	new->meta = *m;
	new->fd = -1;
	new->coming = n;
	new->file = *file;
	new->moved = clock_ms();
	meta_key(m, new->key);
	pthread_mutex_lock(&s->mutex);
	if (a == STORE_DONE && !take_over(s, new->key, !offset)) {
		err_set(e, ST_BAD, "the same upload is under way");
		a = STORE_BUSY;
	}
	if (a == STORE_DONE)
		a = upload_open(new, offset, have, e);
	if (a == STORE_DONE) {
		new->next = s->uploads;
		s->uploads = new;
		s->version++;
		*u = new;
	}
	pthread_mutex_unlock(&s->mutex);
	if (a != STORE_DONE) {
		if (new->fd >= 0)
			close(new->fd);
		free(new);
	}
	return a;
}

static void upload_moved(struct store_upload *u, size_t n)
{
	pthread_mutex_lock(&u->store->mutex);
	u->size += n;
	u->moved = clock_ms();
	pthread_mutex_unlock(&u->store->mutex);
}

enum store_answer store_append(struct store_upload *u, const void *p, size_t n)
{
	const char *at = p;
	int fd;

	pthread_mutex_lock(&u->store->mutex);
	fd = u->fd;
	if (u->taken)
		u->failed = STORE_BUSY;
	pthread_mutex_unlock(&u->store->mutex);
	if (!u->failed && u->size + n > u->store->o.most)
		u->failed = STORE_LARGE;
	while (!u->failed && n) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			u->error = errno;
			u->failed = is_full(errno) ? STORE_FULL : STORE_FAILED;
			break;
		}
		at += done;
		n -= (size_t)done;
		upload_moved(u, (size_t)done);
	}
	return u->failed;
}

enum store_answer store_end(struct store_upload *u, uint64_t *have, struct err *e)
{
	enum store_answer a = u->failed;

	*have = u->size;

	if (u->taken)
		a = STORE_BUSY;
	if (a == STORE_DONE && u->file.total != STORE_UNKNOWN && u->size < u->file.total) {
		err_set(e, ST_BAD, "%llu of %llu bytes are there: go on from there",
			(unsigned long long)u->size, (unsigned long long)u->file.total);
		return STORE_PART;
	}
	if (a == STORE_LARGE)
		err_set(e, ST_LIMIT, "a capture may have %llu bytes",
			(unsigned long long)u->store->o.most);
	else if (a == STORE_BUSY)
		err_set(e, ST_BAD, "another connection goes on with this upload");
	else if (a != STORE_DONE)
		err_set(e, ST_SYS, "%s: %s; %llu bytes are kept, to go on from",
			a == STORE_FULL ? "no room" : "cannot write", strerror(u->error),
			(unsigned long long)u->size);
	return a;
}

enum status file_digest(int fd, char hex[SHA256_HEX], struct err *e)
{
	enum { PIECE = 1 << 18 };
	char *piece = mem_alloc(PIECE);
	struct sha256 s;
	ssize_t n;

	sha256_init(&s);
	for (off_t at = 0; (n = pread(fd, piece, PIECE, at)) > 0; at += n)
		sha256_add(&s, piece, (size_t)n);
	free(piece);
	sha256_end(&s, hex);
	return n < 0 ? err_sys(e, "cannot read what was written") : ST_OK;
}

/* The second link, under its digest. One that is there already was made so. */
static enum status upload_place(const struct session_store *s, const char *key, const char *digest,
				uint64_t size, struct err *e)
{
	uint64_t is = file_size(s->captures, digest);

	if (is != STORE_UNKNOWN && is != size) /* damaged since: it is replaced */
		unlinkat(s->captures, digest, 0);
	if (is != size && linkat(s->incoming, key, s->captures, digest, 0) && errno != EEXIST)
		return err_sys(e, "captures/%s", digest);
	return fsync(s->captures) ? err_sys(e, "cannot synchronize") : ST_OK;
}

/* The record, unless the same session is there. */
static enum status upload_record(struct store_upload *u, const char *digest, bool *known,
				 uint64_t *id, struct err *e)
{
	const struct store_session *is = sessions_of_key(u->store, u->key);
	struct store_session one = {.bytes = u->size, .meta = u->meta};
	const time_t now = time(NULL);
	struct tm utc;
	enum status st;

	*known = is && !strcmp(is->digest, digest) && !is->gone;
	if (*known) {
		*id = is->id;
		return ST_OK;
	}
	strcpy(one.key, u->key);
	strcpy(one.digest, digest);
	gmtime_r(&now, &utc);
	strftime(one.received, sizeof one.received, "%Y-%m-%dT%H:%M:%SZ", &utc);
	st = sessions_save(u->store, &one, e);
	*id = one.id;
	return st;
}

static void upload_clear(const struct session_store *s, const char *key)
{
	char name[SHA256_HEX + 8];

	who_name(key, name);
	unlinkat(s->incoming, key, 0);
	unlinkat(s->incoming, name, 0);
}

static enum status upload_make_whole(struct store_upload *u, bool *known, uint64_t *id,
				     struct err *e)
{
	struct session_store *s = u->store;
	char digest[SHA256_HEX];
	enum status st = ST_OK;
	int fd = openat(s->incoming, u->key, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 || fsync(fd))
		st = err_sys(e, "cannot synchronize");
	if (!st)
		st = file_digest(fd, digest, e);
	if (fd >= 0)
		close(fd);
	if (!st && *u->file.digest && strcmp(digest, u->file.digest) != 0) {
		upload_clear(s, u->key);
		st = err_set(e, ST_BAD,
			     "the bytes are not those of Repr-Digest; send the file again");
	}
	if (st)
		return st;
	/* Held over the link, too: nobody removes a capture between its link and its record. */
	pthread_mutex_lock(&s->disk);
	st = upload_place(s, u->key, digest, u->size, e);
	if (!st)
		st = upload_record(u, digest, known, id, e);
	if (!st)
		upload_clear(s, u->key);
	pthread_mutex_unlock(&s->disk);
	return st;
}

enum store_answer store_finish(struct store_upload *u, uint64_t *id, struct err *e)
{
	struct session_store *s = u->store;
	enum store_answer a = STORE_BUSY;
	bool known = false;
	enum status st;

	pthread_mutex_lock(&s->mutex);
	u->finishing = !u->taken;
	pthread_mutex_unlock(&s->mutex);
	if (u->finishing) {
		errno = 0;
		st = upload_make_whole(u, &known, id, e);
		a = !st              ? known ? STORE_KNOWN : STORE_DONE
		    : st == ST_BAD   ? STORE_BAD
		    : is_full(errno) ? STORE_FULL
				     : STORE_FAILED;
	} else {
		err_set(e, ST_BAD, "another connection goes on with this upload");
	}
	store_drop(u);
	return a;
}

void store_drop(struct store_upload *u)
{
	if (!u)
		return;
	pthread_mutex_lock(&u->store->mutex);
	if (!u->taken) {
		if (u->fd >= 0)
			close(u->fd);
		unlist(u);
	}
	pthread_mutex_unlock(&u->store->mutex);
	free(u);
}

/* --- what has no connection --- */

static bool has_connection(const struct session_store *s, const char *key)
{
	for (const struct store_upload *u = s->uploads; u; u = u->next)
		if (!strcmp(u->key, key))
			return true;
	return false;
}

/* With the mutex held; the live ones, too. */
static struct store_arrival *upload_list(struct session_store *s, size_t *n)
{
	int fd = openat(s->at, "incoming", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *all = fd < 0 ? NULL : fdopendir(fd);
	struct store_arrival *to = NULL;
	const struct dirent *d;
	size_t cap = 0;

	*n = 0;
	while (all && (d = readdir(all))) {
		struct store_arrival a = {.bytes = 0};
		struct err e = ERR_INIT;

		if (!record_is_digest(d->d_name))
			continue;
		strcpy(a.key, d->d_name);
		a.bytes = file_size(s->incoming, a.key);
		a.live = has_connection(s, a.key);
		if (a.bytes != STORE_UNKNOWN && !upload_who(s, a.key, &a.meta, &a.file, &e) &&
		    *a.meta.name)
			VEC_PUSH(to, *n, cap) = a;
	}
	if (all)
		closedir(all);
	return to;
}

struct store_arrival *store_arrivals(struct session_store *s, size_t *n)
{
	struct store_arrival *to;

	pthread_mutex_lock(&s->mutex);
	to = upload_list(s, n);
	pthread_mutex_unlock(&s->mutex);
	return to;
}

void store_complete(struct session_store *s)
{
	size_t n;
	struct store_arrival *all = store_arrivals(s, &n);

	for (size_t i = 0; i < n; i++) {
		struct store_upload *u;
		struct err e = ERR_INIT;
		uint64_t have, id;

		if (all[i].live || all[i].bytes != all[i].file.total || !all[i].file.total)
			continue;
		if (store_begin(s, &all[i].meta, all[i].bytes, 0, &all[i].file, &u, &have, &e) ==
		    STORE_DONE)
			store_finish(u, &id, &e);
	}
	free(all);
}

bool store_offset(struct session_store *s, const struct store_meta *m,
		  const struct store_file *file, uint64_t *have, bool *whole)
{
	const struct store_session *one;
	char key[SHA256_HEX];
	bool is;

	meta_key(m, key);
	pthread_mutex_lock(&s->mutex);
	*have = file_size(s->incoming, key);
	is = *have != STORE_UNKNOWN;
	one = is ? NULL : sessions_of_key(s, key);
	*whole = one && one->bytes == file->total &&
		 (!*file->digest || !strcmp(one->digest, file->digest));
	is = is && *have < file->total && !is_of_another(s, key, file);
	pthread_mutex_unlock(&s->mutex);
	return is || *whole;
}
