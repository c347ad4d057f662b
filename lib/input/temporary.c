/* SPDX-License-Identifier: MIT
 *
 * Temporary files without a name.
 */
#include "lib/input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum status input_temporary_add(int fd, const uint8_t *p, size_t n, struct err *e)
{
	while (n) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			err_sys(e, "cannot copy the input to a temporary file");
			e->code = ST_SYS; /* not that of a pipe */
			return ST_SYS;
		}
		p += put;
		n -= (size_t)put;
	}
	return ST_OK;
}

int input_temporary(struct err *e)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if ((size_t)snprintf(path, sizeof path, "%s/tracemill-XXXXXX", dir) >= sizeof path) {
		err_set(e, ST_SYS, "TMPDIR is too long");
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC); /* not every file system knows O_TMPFILE */
	if (fd < 0)
		err_sys(e, "cannot make a temporary file in %s", dir);
	else
		unlink(path);
	return fd;
}

FILE *input_temporary_file(struct err *e)
{
	int fd = input_temporary(e);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+b");

	if (fd >= 0 && !f) {
		err_sys(e, "temporary file");
		close(fd);
	}
	return f;
}
