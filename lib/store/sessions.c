/* SPDX-License-Identifier: MIT
 *
 * The sessions of a store: their records on disk, and the same in memory.
 */
#include "lib/base/mem.h"
#include "lib/store/impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 2 };

const char *const store_states[] = {"waiting", "reading", "added", "failed", NULL};

static bool copy_text(char *to, size_t n, const char *from)
{
	if (strlen(from) >= n)
		return false;
	strcpy(to, from);
	return true;
}

static bool sessions_take_state(struct store_session *s, const char *word)
{
	for (size_t i = 0; i < STORE_STATES; i++)
		if (!strcmp(store_states[i], word)) {
			s->state = (enum store_state)i;
			return true;
		}
	return false;
}

static bool sessions_take(void *arg, const char *name, const char *value)
{
	struct store_session *s = arg;
	uint64_t v = 0;

	if (!strcmp(name, "digest"))
		return strspn(value, "0123456789abcdef") == SHA256_HEX - 1 &&
		       copy_text(s->digest, sizeof s->digest, value);
	if (!strcmp(name, "bytes"))
		return record_number(value, &s->bytes);
	if (!strcmp(name, "received"))
		return copy_text(s->received, sizeof s->received, value);
	if (!strcmp(name, "state"))
		return sessions_take_state(s, value);
	if (!strcmp(name, "p99"))
		return copy_text(s->p99, sizeof s->p99, value);
	if (!strcmp(name, "reason"))
		return copy_text(s->reason, sizeof s->reason, value);
	if (!strcmp(name, "attempts") || !strcmp(name, "run") || !strcmp(name, "gone")) {
		if (!record_number(value, &v) || v > INT64_MAX)
			return false;
		if (*name == 'a')
			s->attempts = (unsigned)v;
		else if (*name == 'r')
			s->run = (int64_t)v;
		else
			s->gone = v;
		return true;
	}
	return record_meta(&s->meta, name, value);
}

static void sessions_put(struct session_store *s, const struct store_session *one)
{
	struct store_session *is;

	pthread_mutex_lock(&s->mutex);
	is = sessions_find(s, one->id);
	if (!is) {
		is = mem_alloc(sizeof *is);
		VEC_PUSH(s->items, s->n, s->cap) = is;
	}
	*is = *one;
	s->version++;
	pthread_mutex_unlock(&s->mutex);
}

enum status sessions_save(struct session_store *s, struct store_session *one, struct err *e)
{
	struct store_record r = {.text = BUF_INIT};
	bool is_new = !one->id;
	char name[24];
	enum status st;

	if (is_new)
		one->id = s->n ? s->items[s->n - 1]->id + 1 : 1;
	record_add_meta(&r, &one->meta);
	record_add(&r, "digest", one->digest);
	record_add_number(&r, "bytes", one->bytes);
	record_add(&r, "received", one->received);
	record_add(&r, "state", store_states[one->state]);
	record_add_number(&r, "attempts", one->attempts);
	if (one->run)
		record_add_number(&r, "run", (uint64_t)one->run);
	if (one->gone)
		record_add_number(&r, "gone", 1);
	if (*one->p99)
		record_add(&r, "p99", one->p99);
	if (*one->reason)
		record_add(&r, "reason", one->reason);
	snprintf(name, sizeof name, "%llu", (unsigned long long)one->id);
	st = record_write(&r, s->sessions, name, true, e);
	if (st) {
		one->id = is_new ? 0 : one->id;
		return st;
	}
	sessions_put(s, one);
	return ST_OK;
}

static void sessions_load_one(struct session_store *s, const char *name, struct buf *said)
{
	struct store_session *one = mem_zalloc(sizeof *one);
	struct err e = ERR_INIT;

	record_number(name, &one->id);
	if (!record_read(s->sessions, name, sessions_take, one, &e) &&
	    (!*one->digest || !*one->meta.name))
		err_set(&e, ST_BAD, "the record %s: cut", name);
	if (e.code) {
		s->unreadable = true;
		buf_addf(said, "sessions: %s\n", e.msg);
		free(one);
		return;
	}
	meta_key(&one->meta, one->key);
	/* The one that was being read when the last server ended: it may be what ended it. */
	if (one->state == STORE_READING) {
		one->state = one->attempts < ATTEMPTS ? STORE_WAITING : STORE_UNREAD;
		snprintf(one->reason, sizeof one->reason, "%s",
			 one->state == STORE_UNREAD ? "the server ended twice while it was read"
						    : "");
	}
	VEC_PUSH(s->items, s->n, s->cap) = one;
}

static int sessions_compare(const void *a, const void *b)
{
	const struct store_session *x = *(const struct store_session *const *)a,
				   *y = *(const struct store_session *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static bool sessions_is_whole(const struct session_store *s, const struct store_session *one)
{
	struct stat st;

	return !fstatat(s->captures, one->digest, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(st.st_mode) && (uint64_t)st.st_size == one->bytes;
}

enum status sessions_load(struct session_store *s, struct buf *said, struct err *e)
{
	DIR *all = fdopendir(openat(s->at, "sessions", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *d;
	uint64_t v;

	if (!all)
		return err_sys(e, "sessions");
	while ((d = readdir(all))) {
		if (record_number(d->d_name, &v) && v)
			sessions_load_one(s, d->d_name, said);
		else if (strstr(d->d_name, ".new"))
			unlinkat(s->sessions, d->d_name, 0);
	}
	closedir(all);
	if (s->n)
		qsort(s->items, s->n, sizeof *s->items, sessions_compare);
	for (size_t i = 0; i < s->n; i++)
		if (!s->items[i]->gone && !sessions_is_whole(s, s->items[i])) {
			buf_addf(said, "session %llu: captures/%s is missing or has another size\n",
				 (unsigned long long)s->items[i]->id, s->items[i]->digest);
			s->items[i]->gone = true;
		}
	return ST_OK;
}

struct store_session *sessions_find(const struct session_store *s, uint64_t id)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->items[i]->id == id)
			return s->items[i];
	return NULL;
}

struct store_session *sessions_of_key(const struct session_store *s, const char *key)
{
	for (size_t i = s->n; i-- > 0;)
		if (!strcmp(s->items[i]->key, key))
			return s->items[i];
	return NULL;
}

bool sessions_use(const struct session_store *s, const char *digest)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->items[i]->gone && !strcmp(s->items[i]->digest, digest))
			return true;
	return false;
}

struct store_session *store_sessions(struct session_store *s, size_t *n)
{
	struct store_session *to;

	pthread_mutex_lock(&s->mutex);
	to = mem_array(s->n + 1, sizeof *to);
	for (*n = 0; *n < s->n; ++*n)
		to[*n] = *s->items[*n];
	pthread_mutex_unlock(&s->mutex);
	return to;
}

bool store_session(struct session_store *s, uint64_t id, struct store_session *to)
{
	const struct store_session *one;

	pthread_mutex_lock(&s->mutex);
	one = sessions_find(s, id);
	if (one)
		*to = *one;
	pthread_mutex_unlock(&s->mutex);
	return one != NULL;
}

/* The oldest that waits. Where its record cannot be written it is not tried. */
bool store_next(struct session_store *s, struct store_session *to)
{
	struct err e = ERR_INIT;
	bool found = false;

	pthread_mutex_lock(&s->disk);
	for (size_t i = 0; i < s->n && !found; i++)
		if (s->items[i]->state == STORE_WAITING && !s->items[i]->gone) {
			*to = *s->items[i];
			found = true;
		}
	if (found) {
		to->state = STORE_READING;
		to->attempts++;
		found = !sessions_save(s, to, &e);
	}
	pthread_mutex_unlock(&s->disk);
	return found;
}

enum status store_read(struct session_store *s, uint64_t id, int64_t run, const char *p99,
		       const char *reason, struct err *e)
{
	const struct store_session *is;
	struct store_session one;
	enum status st = ST_OK;

	pthread_mutex_lock(&s->disk);
	is = sessions_find(s, id);
	if (is) {
		one = *is;
		one.state = reason ? STORE_UNREAD : STORE_ADDED;
		one.run = run;
		snprintf(one.p99, sizeof one.p99, "%s", p99 ? p99 : "");
		snprintf(one.reason, sizeof one.reason, "%s", reason ? reason : "");
		st = sessions_save(s, &one, e);
	}
	pthread_mutex_unlock(&s->disk);
	return st;
}
