/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/maps.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *cap_maps_hex(const char *p, uintptr_t *v)
{
	for (*v = 0;; p++) {
		unsigned c = (unsigned char)*p, digit = c - '0';

		if (digit > 9)
			digit = c - 'a' < 6 ? c - 'a' + 10 : 16;
		if (digit > 15)
			return p;
		*v = *v << 4 | digit;
	}
}

bool cap_maps_read(char *text, size_t size, cap_maps_line line, void *arg)
{
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC), n;
	size_t have = 0;

	if (fd < 0)
		return false;
	while ((n = syscall(SYS_read, fd, text + have, size - have)) > 0) {
		char *p = text, *end;

		have += (size_t)n;
		while ((end = memchr(p, '\n', have - (size_t)(p - text)))) {
			line(arg, p, end);
			p = end + 1;
		}
		have -= (size_t)(p - text);
		memmove(text, p, have);
		if (have == size) /* no line is so long */
			break;
	}
	syscall(SYS_close, fd);
	return n == 0;
}
