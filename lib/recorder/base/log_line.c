/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/log_line.h"

#include <string.h>

size_t cap_log_line(char line[CAP_LINE_MAX], const char *text, size_t n)
{
	enum { DOTS = 3 };

	while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	if (n <= CAP_LINE_MAX) {
		memcpy(line, text, n);
		return n;
	}
	n = CAP_LINE_MAX - DOTS;
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80) /* inside of a letter */
		n--;
	memcpy(line, text, n);
	memcpy(line + n, "...", DOTS);
	return n + DOTS;
}
