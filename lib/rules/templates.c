/* SPDX-License-Identifier: MIT */
#include "lib/rules/templates.h"

#include <string.h>

enum { NESTED = 64 };

static bool word_at(const char *s, size_t n, size_t i, const char *word)
{
	size_t k = strlen(word);

	return n - i >= k && !memcmp(s + i, word, k);
}

static bool in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* Behind what closes the bracket at i; 0: nothing does. An angle may also compare, or be an
 * arrow's. */
static size_t templates_past(const char *s, size_t n, size_t i)
{
	static const char opens[] = "<([{", closes[] = ">)]}";
	char open[NESTED];
	size_t depth = 0;

	for (; i < n; i++) {
		const char *o = strchr(opens, s[i]), *c = strchr(closes, s[i]);

		if (!s[i] || depth == NESTED || (!o && !depth))
			return 0;
		if (o)
			open[depth++] = *o;
		if (!c || (*c == '>' && (open[depth - 1] != '<' || s[i - 1] == '-')))
			continue;
		while (depth && open[depth - 1] != opens[c - closes])
			depth--;
		if (!depth)
			return 0;
		if (!--depth)
			return i + 1;
	}
	return 0;
}

/* What is behind the parameters may be a function in that one. */
static bool templates_ends(const char *s, size_t n, size_t i)
{
	i = templates_past(s, n, i);
	return i && !memchr(s + i, ':', n - i);
}

bool templates_name(const char *s, size_t n, struct buf *out, size_t *own)
{
	static const char nameless[] = "(anonymous namespace)";
	size_t component = 0, i = 0, next;
	bool instance = false;

	out->len = 0;
	for (; i < n; i = next) {
		next = i + 1;
		if (word_at(s, n, i, "operator")) {
			return false;
		} else if (s[i] == '<') {
			next = i && in_word(s[i - 1]) ? templates_past(s, n, i) : 0;
			if (!next)
				return false;
			buf_adds(out, "<>");
			*own = component;
			instance = true;
			continue;
		} else if (word_at(s, n, i, nameless)) {
			next = i + sizeof nameless - 1;
		} else if (s[i] == '(') {
			return instance && templates_ends(s, n, i);
		} else if (s[i] == '{' || s[i] == '[') {
			next = templates_past(s, n, i);
			if (!next)
				return false;
		} else if (s[i] == ' ') { /* that was the result's type */
			out->len = component = 0;
			instance = false;
			continue;
		}
		buf_add(out, s + i, next - i);
		if (s[i] == ':')
			component = out->len;
	}
	return instance;
}
