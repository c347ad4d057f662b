/* SPDX-License-Identifier: MIT */
#include "lib/input/csv.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

char csv_separator(const char *s, size_t n)
{
	static const char separators[] = {',', ';', '\t'};
	size_t counts[sizeof separators] = {0}, best = 0;
	bool quoted = false;

	for (size_t i = 0; i < n; i++) {
		quoted ^= s[i] == '"';
		for (size_t k = 0; k < sizeof separators && !quoted; k++)
			counts[k] += s[i] == separators[k];
	}
	for (size_t k = 1; k < sizeof separators; k++)
		if (counts[k] > counts[best])
			best = k;
	return separators[best];
}

/* Behind the quote that closes the field whose text begins at `at`; NULL: none does. *doubled: there is "" in it. */
static const char *csv_closing(const char *at, const char *end, bool *doubled)
{
	*doubled = false;
	while ((at = memchr(at, '"', (size_t)(end - at)))) {
		if (at + 1 == end || at[1] != '"')
			return at + 1;
		*doubled = true;
		at += 2;
	}
	return NULL;
}

/* Room for all of the line was reserved: what points into the text stays. */
static struct csv_field csv_unquoted(struct csv *c, const char *s, size_t n)
{
	size_t from = c->text.len;

	for (size_t i = 0; i < n; i++) {
		buf_addc(&c->text, s[i]);
		i += s[i] == '"' && i + 1 < n && s[i + 1] == '"';
	}
	return (struct csv_field){c->text.data + from, c->text.len - from};
}

static bool csv_blank(const struct csv *c, char at)
{
	return at == ' ' || at == '\r' || (at == '\t' && c->separator != '\t');
}

/* The next field; *at: its first byte, then the separator behind it, or NULL. A quote that nothing closes is left
 * out, and separates nothing. */
static struct csv_field csv_next(struct csv *c, const char **at, const char *end)
{
	const char *from = *at, *to, *behind = NULL;
	bool doubled = false;

	while (from < end && csv_blank(c, *from))
		from++;
	if (from < end && *from == '"') {
		from++;
		behind = csv_closing(from, end, &doubled);
	}
	to = behind ? behind : from;
	*at = memchr(to, c->separator, (size_t)(end - to));
	if (behind)
		to = behind - 1;
	else
		for (to = *at ? *at : end; to > from && csv_blank(c, to[-1]);)
			to--;
	if (behind && doubled)
		return csv_unquoted(c, from, (size_t)(to - from));
	return (struct csv_field){from, (size_t)(to - from)};
}

void csv_split(struct csv *c, const char *s, size_t n)
{
	c->n = 0;
	c->text.len = 0;
	c->separator = c->separator ? c->separator : ',';
	buf_reserve(&c->text, n);
	for (const char *at = s; at;) {
		struct csv_field f = csv_next(c, &at, s + n);

		VEC_PUSH(c->fields, c->n, c->cap) = f;
		at = at ? at + 1 : NULL;
	}
}

void csv_release(struct csv *c)
{
	free(c->fields);
	buf_release(&c->text);
	*c = (struct csv){.n = 0};
}
