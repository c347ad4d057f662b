/* SPDX-License-Identifier: MIT */
#include "cmd/tm-record/package.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIST_MAX = 16 << 20 };
static const char lists[] = "/var/lib/dpkg/info";

/* Lines of a list are paths. */
static bool has_line(const struct buf *text, const char *line)
{
	size_t n = strlen(line);
	const char *p = text->data, *end = VEC_AT(p, text->len);

	while (n && p && (p = memmem(p, (size_t)(end - p), line, n))) {
		if ((p == text->data || p[-1] == '\n') && (p + n == end || p[n] == '\n'))
			return true;
		p++;
	}
	return false;
}

static bool read_list(int dir, const char *name, struct buf *to)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;

	to->len = 0;
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size < LIST_MAX)
		n = read(fd, buf_reserve(to, (size_t)st.st_size), (size_t)st.st_size);
	close(fd);
	to->len = n > 0 ? (size_t)n : 0;
	return n > 0;
}

char *package_of(const char *path)
{
	/* Where /lib is a link to /usr/lib, lists may have either. */
	const char *other = strncmp(path, "/usr/", 5) ? NULL : path + 4;
	struct buf text = BUF_INIT, usr = BUF_INIT;
	DIR *d = *path == '/' ? opendir(lists) : NULL;
	struct dirent *e;
	char *found = NULL;

	buf_addf(&usr, "/usr%s", path);
	if (!other)
		other = buf_str(&usr);
	while (d && !found && (e = readdir(d))) {
		size_t n = strlen(e->d_name);

		if (n < 6 || strcmp(e->d_name + n - 5, ".list") != 0 ||
		    !read_list(dirfd(d), e->d_name, &text))
			continue;
		if (has_line(&text, path) || has_line(&text, other))
			found = mem_strndup(e->d_name, strcspn(e->d_name, ":") < n
							   ? strcspn(e->d_name, ":")
							   : n - 5);
	}
	if (d)
		closedir(d);
	buf_release(&text);
	buf_release(&usr);
	return found;
}
