/* SPDX-License-Identifier: MIT */
#include "cmd/tm-record/package.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/text_file.h"

#include <dirent.h>
#include <fcntl.h>
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

/* In a line that is not commented out. */
static bool names_host(struct buf *text, const char *host)
{
	struct text_lines lines = text_lines_of(text->data, text->len);
	const char *s, *end;

	while (text_lines_next(&lines, &s, &end)) {
		text_trim(&s, &end);
		if (s < end && *s != '#' && memmem(s, (size_t)(end - s), host, strlen(host)))
			return true;
	}
	return false;
}

bool package_source(const char *host)
{
	struct buf text = BUF_INIT;
	DIR *d = opendir("/etc/apt/sources.list.d");
	int apt = open("/etc/apt", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	bool found = apt >= 0 && read_list(apt, "sources.list", &text) && names_host(&text, host);
	struct dirent *e;

	while (d && !found && (e = readdir(d)))
		found = read_list(dirfd(d), e->d_name, &text) && names_host(&text, host);
	if (d)
		closedir(d);
	if (apt >= 0)
		close(apt);
	buf_release(&text);
	return found;
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
