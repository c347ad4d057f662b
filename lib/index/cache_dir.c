/* SPDX-License-Identifier: MIT */
#include "lib/index/cache_dir.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char *join(const char *dir, const char *name, const char *suffix)
{
	struct buf b = BUF_INIT;
	char *path;

	buf_addf(&b, "%s/%s%s", dir, name, suffix);
	path = mem_strdup(buf_str(&b));
	buf_release(&b);
	return path;
}

char *cache_dir_default(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	/* a relative one is to be ignored, says the XDG Base Directory Specification */
	if (cache && *cache == '/')
		return join(cache, "tracemill", "");
	return home && *home == '/' ? join(home, ".cache/tracemill", "") : NULL;
}

enum status cache_dir_make(const char *dir, struct err *e)
{
	char *path = mem_strdup(dir);
	const char *home = getenv("HOME");
	enum status st = ST_OK;

	for (char *p = path; p && *p;) {
		p = strchr(p + 1, '/');
		if (p)
			*p = 0;
		if (!(home && !strcmp(path, home)) && mkdir(path, 0700) && errno != EEXIST &&
		    errno != EROFS && errno != EACCES)
			st = err_sys(e, "cannot make %s", path);
		if (p)
			*p = '/';
	}
	if (!st && access(dir, W_OK | X_OK))
		st = err_sys(e, "cannot write to %s", dir);
	free(path);
	return st;
}

/* The path still leads to this file: it was not renamed or removed before it was locked. */
static bool is_at(int fd, const char *path)
{
	struct stat mine, there;

	return !fstat(fd, &mine) && !lstat(path, &there) && mine.st_dev == there.st_dev &&
	       mine.st_ino == there.st_ino;
}

enum status cache_part_open(struct cache_part *p, const char *dir, const char *name, bool wait,
			    struct err *e)
{
	*p = (struct cache_part){.fd = -1, .path = join(dir, name, CACHE_PART)};
	for (;;) {
		enum status st = ST_OK;

		p->fd = open(p->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
		if (p->fd < 0) {
			st = err_sys(e, "cannot make %s", p->path);
		} else if (flock(p->fd, LOCK_EX | (wait ? 0 : LOCK_NB))) {
			if (errno == EINTR)
				continue;
			st = errno == EWOULDBLOCK ? ST_NONE : err_sys(e, "cannot lock %s", p->path);
		} else if (!is_at(p->fd, p->path)) {
			close(p->fd);
			continue;
		} else if (ftruncate(p->fd, 0)) {
			st = err_sys(e, "cannot write %s", p->path);
		}
		if (st) {
			if (p->fd >= 0)
				close(p->fd);
			free(p->path);
			p->path = NULL;
		}
		return st;
	}
}

enum status cache_part_keep(struct cache_part *p, const char *dir, const char *name, struct err *e)
{
	char *path = join(dir, name, "");
	enum status st = ST_OK;

	if (rename(p->path, path)) {
		st = err_sys(e, "cannot rename %s", p->path);
	} else {
		free(p->path);
		p->path = NULL;
	}
	free(path);
	return st;
}

void cache_part_drop(struct cache_part *p)
{
	if (p->path)
		unlink(p->path);
	if (p->fd >= 0)
		close(p->fd);
	free(p->path);
	*p = (struct cache_part){.fd = -1};
}

void cache_dir_used(int fd)
{
	enum { HOUR = 3600 };
	struct stat st;

	if (!fstat(fd, &st) && st.st_mtim.tv_sec < time(NULL) - HOUR)
		futimens(fd, NULL);
}

struct entry {
	char *path;
	uint64_t size;
	struct timespec used;
};

static int cache_dir_by_use(const void *a, const void *b)
{
	const struct timespec *x = &((const struct entry *)a)->used,
			      *y = &((const struct entry *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static bool ends_in(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n > m && !strcmp(s + n - m, suffix);
}

/* Its lock is free: the process that wrote it is dead. */
static void remove_abandoned(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB) && is_at(fd, path))
		unlink(path);
	close(fd);
}

void cache_dir_trim(const char *dir, uint64_t limit, const char *keep)
{
	struct entry *all = NULL;
	size_t n = 0, cap = 0;
	uint64_t total = 0;
	const struct dirent *d;
	DIR *folder = opendir(dir);

	if (!folder)
		return;
	while ((d = readdir(folder))) {
		struct entry x;
		struct stat st;

		if (ends_in(d->d_name, CACHE_SUFFIX CACHE_PART)) {
			x.path = join(dir, d->d_name, "");
			remove_abandoned(x.path);
			free(x.path);
			continue;
		}
		if (!ends_in(d->d_name, CACHE_SUFFIX) ||
		    fstatat(dirfd(folder), d->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		total += (uint64_t)st.st_size;
		if (!strcmp(d->d_name, keep))
			continue;
		x = (struct entry){join(dir, d->d_name, ""), (uint64_t)st.st_size, st.st_mtim};
		VEC_PUSH(all, n, cap) = x;
	}
	closedir(folder);
	if (n)
		sort_array(all, n, sizeof *all, cache_dir_by_use);
	for (size_t i = 0; i < n; i++) {
		if (total > limit && !unlink(all[i].path))
			total -= all[i].size;
		free(all[i].path);
	}
	free(all);
}
