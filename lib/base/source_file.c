/* SPDX-License-Identifier: MIT */
#include "lib/base/source_file.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One step at a time, so that no link is followed on the way. -1: errno. */
static int source_open_below(int dir, const char *path)
{
	char part[256];
	int at = dup(dir);

	while (at >= 0) {
		size_t n = strcspn(path, "/");
		bool last = !path[n];
		int next;

		if (!n || n >= sizeof part || (n <= 2 && !strncmp(path, "..", n))) {
			close(at);
			errno = ENOENT;
			return -1;
		}
		memcpy(part, path, n);
		part[n] = 0;
		next = openat(at, part,
			      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
				  (last ? 0 : O_DIRECTORY));
		close(at);
		if (last)
			return next;
		at = next;
		path += n + 1;
	}
	return -1;
}

static enum status read_all(int fd, struct buf *to, struct err *e)
{
	enum { PIECE = 64 << 10 };
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		return err_sys(e, "source file");
	if (!S_ISREG(st.st_mode))
		return ST_NONE;
	if (st.st_size > SOURCE_MAX)
		return err_set(e, ST_LIMIT, "larger than %d MiB", SOURCE_MAX >> 20);
	while (to->len <= SOURCE_MAX && (n = read(fd, buf_reserve(to, PIECE), PIECE)) != 0) {
		if (n < 0)
			return err_sys(e, "source file");
		to->len += (size_t)n;
	}
	return ST_OK;
}

/* Of the path with all its parts, then with one less ... */
static int source_find(int dir, const char *path, const char **found)
{
	for (const char *rest = path; rest; rest = strchr(rest, '/')) {
		int fd;

		while (*rest == '/')
			rest++;
		fd = source_open_below(dir, rest);
		*found = rest;
		if (fd >= 0)
			return fd;
	}
	return -1;
}

static enum status source_read_below(const char *const *dirs, size_t n_dirs, const char *path,
				     struct buf *to, struct buf *where, struct err *e)
{
	const char *rest = path;

	for (size_t i = 0; i < n_dirs; i++) {
		int dir = open(dirs[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		int fd = dir < 0 ? -1 : source_find(dir, path, &rest);
		enum status st = ST_NONE;

		if (fd >= 0)
			st = read_all(fd, to, e);
		if (fd >= 0)
			close(fd);
		if (dir >= 0)
			close(dir);
		if (st == ST_NONE)
			continue;
		buf_addf(where, "%s/%s", dirs[i], rest);
		return st;
	}
	return ST_NONE;
}

enum status source_read(const char *const *dirs, size_t n_dirs, const char *path, struct buf *to,
			struct buf *where, struct err *e)
{
	enum status st = source_read_below(dirs, n_dirs, path, to, where, e);
	char *other;

	if (st != ST_NONE || !strchr(path, '\\'))
		return st;
	other = mem_strdup(path);
	for (char *c = other; *c; c++)
		*c = *c == '\\' ? '/' : *c;
	st = source_read_below(dirs, n_dirs, other, to, where, e);
	free(other);
	return st;
}
