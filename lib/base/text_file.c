/* SPDX-License-Identifier: MIT */
#include "lib/base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum status text_file_read_open(int fd, size_t most, const char *what, struct buf *text,
				struct err *e)
{
	char piece[4096];
	ssize_t n;

	while ((n = read(fd, piece, sizeof piece)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e, ST_SYS, "%s", strerror(errno));
		buf_add(text, piece, (size_t)n);
		if (text->len > most)
			return err_set(e, ST_LIMIT, "larger than %zu bytes: not %s", most, what);
	}
	return ST_OK;
}

enum status text_file_read(const char *path, size_t most, const char *what, struct buf *text,
			   struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum status st;

	if (fd < 0)
		return err_sys(e, "cannot open");
	st = text_file_read_open(fd, most, what, text, e);
	close(fd);
	return st;
}
