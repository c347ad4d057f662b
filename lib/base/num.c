/* SPDX-License-Identifier: MIT */
#include "lib/base/num.h"

int num_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool digits(const char *s, size_t n, unsigned base, uint64_t *v)
{
	uint64_t x = 0;

	if (!n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int d = num_hex_digit(s[i]);

		if (d < 0 || (unsigned)d >= base || __builtin_mul_overflow(x, base, &x) ||
		    __builtin_add_overflow(x, (uint64_t)d, &x))
			return false;
	}
	*v = x;
	return true;
}

bool num_dec(const char *s, size_t n, uint64_t *v)
{
	return digits(s, n, 10, v);
}

bool num_hex(const char *s, size_t n, uint64_t *v)
{
	return digits(s, n, 16, v);
}

bool num_auto(const char *s, size_t n, uint64_t *v)
{
	if (n > 2 && s[0] == '0' && (s[1] | 0x20) == 'x')
		return num_hex(s + 2, n - 2, v);
	return num_dec(s, n, v);
}

bool num_i64(const char *s, size_t n, int64_t *v)
{
	bool negative = n && s[0] == '-';
	uint64_t u;

	if (!num_dec(s + negative, n - negative, &u) || u > (uint64_t)INT64_MAX + negative)
		return false;
	*v = negative ? (int64_t)(0 - u) : (int64_t)u;
	return true;
}
