/* SPDX-License-Identifier: MIT */
#include "lib/base/read_at.h"

#include <errno.h>
#include <unistd.h>

enum status read_at(int fd, uint64_t base, uint64_t offset, void *to, size_t n, struct err *e)
{
	char *p = to;

	while (n) {
		ssize_t got = pread(fd, p, n, (off_t)(base + offset));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(e, "read");
		if (!got)
			return err_at(e, ST_BAD, offset,
				      "the file has become shorter while it was read");
		p += got;
		n -= (size_t)got;
		offset += (uint64_t)got;
	}
	return ST_OK;
}
