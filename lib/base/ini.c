/* SPDX-License-Identifier: MIT */
#include "lib/base/ini.h"

#include <stdio.h>

struct ini ini_of(const char *text, size_t n, unsigned forms, struct arena *arena, struct err *e)
{
	return (struct ini){
	    .section = "", .lines = text_lines_of(text, n), .forms = forms, .arena = arena, .e = e};
}

bool ini_fail(struct ini *in, uint32_t line, size_t column, const char *fmt, ...)
{
	char text[sizeof in->e->msg];
	va_list args;

	if (in->st)
		return false;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	in->st = err_set(in->e, ST_BAD, "line %u, column %zu: %s", line, column, text);
	return false;
}

static size_t ini_column(const struct ini *in, const char *at)
{
	return (size_t)(at - in->start) + 1;
}

#define INI_BEHIND ": ' ;' begins a comment, unless a backslash is before the ';'"

/* Up to a comment. */
static bool ini_find_end(struct ini *in, const char *s, const char **end)
{
	in->cut = false;
	for (; s < *end && !in->cut; s++) {
		if (!text_is_blank(s[-1]))
			continue;
		if (*s == '#' && (s + 1 == *end || text_is_blank(s[1])))
			return ini_fail(
			    in, in->line, ini_column(in, s),
			    "a '#' among blanks: ' ;' begins a comment; a '#' of the value "
			    "has a backslash before it");
		in->cut = *s == ';';
		if (in->cut)
			*end = s;
	}
	return true;
}

/* Without the backslash before what would begin a comment. */
static const char *ini_copy(struct ini *in, const char *s, const char *end)
{
	char *copy = arena_strndup(in->arena, s, (size_t)(end - s)), *to = copy;

	for (; s < end; s++)
		if (*s != '\\' || !text_is_blank(s[-1]) || s + 1 == end || !strchr(";#", s[1]))
			*to++ = *s;
	*to = '\0';
	return copy;
}

static bool ini_read_section(struct ini *in, const char *s, const char *end)
{
	if (end[-1] != ']')
		return ini_fail(in, in->line, ini_column(in, end), "a section ends with ']'%s",
				in->cut || memchr(s, ']', (size_t)(end - s)) ? INI_BEHIND : "");
	s++;
	end--;
	text_trim(&s, &end);
	in->key = in->value = NULL;
	in->negated = false;
	in->value_column = ini_column(in, s);
	in->section = ini_copy(in, s, end);
	return true;
}

static bool ini_read_value(struct ini *in, const char *s, const char *end)
{
	const bool words = in->forms & INI_WORDS;
	const char *word;
	bool equals;
	size_t n;

	in->negated = *s == '!';
	for (s += in->negated; s < end && text_is_blank(*s);)
		s++;
	for (word = s; s < end && *s != '=' && *s != ':' && !text_is_blank(*s);)
		s++;
	n = (size_t)(s - word);
	in->key = arena_strndup(in->arena, word, n);
	while (s < end && text_is_blank(*s))
		s++;
	if (s < end && *s == ':' && n && !(in->forms & (INI_COLONS | INI_WORDS)))
		return ini_fail(in, in->line, ini_column(in, s),
				"'%s' is followed by ':': write '%s ='", in->key, in->key);
	/* "function =$" is a word and an expression. */
	equals =
	    s < end && *s == '=' && !(words && s > word + n && s + 1 < end && !text_is_blank(s[1]));
	if (equals || (s < end && *s == ':' && in->forms & INI_COLONS))
		s++;
	else if (!words || (s < end && s == word + n))
		n = 0;
	if (!n || (in->negated && !words))
		return ini_fail(in, in->line, in->column, "neither a [section] nor 'name = value'");
	while (s < end && text_is_blank(*s))
		s++;
	in->value_column = ini_column(in, s);
	in->value = ini_copy(in, s, end);
	return s < end || ini_fail(in, in->line, in->value_column, "'%s' has no value%s", in->key,
				   in->cut ? INI_BEHIND : "");
}

bool ini_next(struct ini *in)
{
	const char *s, *end, *nul;

	while (!in->st && text_lines_next(&in->lines, &s, &end)) {
		in->line = (uint32_t)in->lines.line;
		in->start = s;
		nul = memchr(s, '\0', (size_t)(end - s));
		if (nul)
			return ini_fail(in, in->line, ini_column(in, nul), "a NUL byte");
		text_trim(&s, &end);
		if (s == end || *s == '#' || *s == ';')
			continue;
		if (!ini_find_end(in, s + 1, &end))
			return false;
		text_trim(&s, &end);
		in->column = ini_column(in, s);
		return *s == '[' ? ini_read_section(in, s, end) : ini_read_value(in, s, end);
	}
	return false;
}

bool ini_fail_repeated(struct ini *in, uint32_t first)
{
	return ini_fail(in, in->line, in->column, "'%s' is a repetition of line %u", in->key,
			first);
}

bool ini_fail_unknown(struct ini *in, const char *what, const char *near)
{
	return ini_fail(in, in->line, in->column, "a %s has no setting '%s'%s%s%s", what, in->key,
			near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

const char *ini_name(const struct ini *in, const char *word)
{
	size_t n = strlen(word);
	const char *s = in->section;

	if (strncmp(s, word, n) != 0 || (s[n] && !text_is_blank(s[n])))
		return NULL;
	for (s += n; text_is_blank(*s);)
		s++;
	return s;
}
