/* SPDX-License-Identifier: MIT
 *
 * Functions on texts of a pointer and a length, as they lie in a file: they compare a text with a word, and take
 * off the blanks around it. And the "s" of a plural.
 */
#ifndef TM_BASE_TEXT_H
#define TM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool text_is(const char *s, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(s, word, n);
}

static inline bool text_begins(const char *s, size_t n, const char *with)
{
	size_t len = strlen(with);

	return n >= len && !memcmp(s, with, len);
}

static inline bool text_ends(const char *s, size_t n, const char *with)
{
	size_t len = strlen(with);

	return n >= len && !memcmp(s + n - len, with, len);
}

/* Whether a, n long, is b but for one slip: a letter too much, too few, another one, or two swapped. */
static inline bool text_is_slip(const char *a, size_t na, const char *b)
{
	size_t nb = strlen(b), head = 0, tail = 0;

	while (head < na && head < nb && a[head] == b[head])
		head++;
	while (tail < na - head && tail < nb - head && a[na - 1 - tail] == b[nb - 1 - tail])
		tail++;
	na -= head + tail;
	nb -= head + tail;
	if (na == 2 && nb == 2)
		return a[head] == b[head + 1] && a[head + 1] == b[head];
	return head + tail > 1 && na <= 1 && nb <= 1;
}

/* Between the words of a line: blanks, and the carriage return of Windows. */
static inline bool text_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* And newlines. */
static inline bool text_is_space(char c)
{
	return text_is_blank(c) || c == '\n';
}

/* [*s, *end) without blanks at its ends. */
static inline void text_trim(const char **s, const char **end)
{
	while (*s < *end && text_is_blank(**s))
		++*s;
	while (*s < *end && text_is_blank((*end)[-1]))
		--*end;
}

/* "1 node", "2 nodes" */
static inline const char *plural_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
