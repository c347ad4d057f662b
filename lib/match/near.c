/* SPDX-License-Identifier: MIT */
#include "lib/match/near.h"

#include <ctype.h>
#include <string.h>

static bool is_plain(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr("\\*+?[](){}|^$", s[i]))
			return false;
	return true;
}

void near_init(struct near *near, const char *text, size_t n, bool expression)
{
	enum { SHORTEST = 3 };

	memset(near, 0, sizeof *near);
	if (expression && n && text[0] == '^') {
		text++;
		n--;
	}
	if (expression && n && text[n - 1] == '$')
		n--;
	if (n < SHORTEST || n > NEAR_TEXT || (expression && !is_plain(text, n)))
		return;
	near->n = (unsigned)n;
	near->distance = near->n / 3 + 1;
	for (size_t i = 0; i < n; i++) {
		near->where[(unsigned char)tolower((unsigned char)text[i])] |= (uint64_t)1 << i;
		near->where[(unsigned char)toupper((unsigned char)text[i])] |= (uint64_t)1 << i;
	}
}

/* To the part of the name to which it is least. */
static unsigned distance(const struct near *near, const char *name, size_t n)
{
	uint64_t more = ~(uint64_t)0, less = 0, last = (uint64_t)1 << (near->n - 1);
	unsigned here = near->n, least = near->n;

	for (size_t i = 0; i < n; i++) {
		uint64_t same = near->where[(unsigned char)name[i]], down = same | less;
		uint64_t across = (((same & more) + more) ^ more) | same;
		uint64_t up = less | ~(across | more), fall = more & across;

		if (up & last)
			here++;
		if (fall & last)
			here--;
		if (here < least)
			least = here;
		up <<= 1;
		fall <<= 1;
		more = fall | ~(down | up);
		less = up & down;
	}
	return least;
}

void near_try(struct near *near, const char *name, size_t n)
{
	size_t known = strlen(near->name);
	unsigned d;

	if (!near->n || !n || n > NEAR_NAME || name[0] == '[' || memchr(name, 0, n))
		return;
	d = distance(near, name, n);
	if (d > near->distance || (!known && d == near->distance))
		return;
	/* Of those that are as near the shortest, and of these the first. */
	if (d == near->distance && (n > known || (n == known && memcmp(name, near->name, n) >= 0)))
		return;
	near->distance = d;
	memcpy(near->name, name, n);
	near->name[n] = 0;
}
