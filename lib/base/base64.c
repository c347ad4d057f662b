/* SPDX-License-Identifier: MIT */
#include "lib/base/base64.h"

#include <stdint.h>

int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_decode(struct buf *out, const char *s, size_t n)
{
	uint32_t bits = 0;
	unsigned have = 0;

	while (n && s[n - 1] == '=')
		n--;
	for (size_t i = 0; i < n; i++) {
		int d = base64_digit(s[i]);

		if (d < 0)
			return false;
		bits = bits << 6 | (uint32_t)d;
		have += 6;
		if (have >= 8) {
			have -= 8;
			buf_addc(out, (char)(bits >> have));
		}
	}
	return have < 6;
}
