/* SPDX-License-Identifier: MIT */
#include "lib/rules/linkage.h"

#include "lib/base/text.h"
#include "lib/trace/symbols.h"

#include <string.h>

enum { NESTED_MAX = 256 };

/* A walk along a mangled name that tells its letters from the identifiers and numbers between them. */
struct walk {
	const char *p, *end;
	unsigned depth;
	char open[NESTED_MAX]; /* what each E that is to come closes */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char at(const struct walk *w, size_t i)
{
	return (size_t)(w->end - w->p) > i ? w->p[i] : '\0';
}

static void skip(struct walk *w, size_t n)
{
	size_t left = (size_t)(w->end - w->p);

	w->p += n < left ? n : left;
}

static void skip_digits(struct walk *w)
{
	while (is_digit(at(w, 0)))
		w->p++;
}

/* "0_", "_": what a parameter, substitution or bound ends with. */
static void skip_number(struct walk *w)
{
	while (is_digit(at(w, 0)) || (at(w, 0) >= 'A' && at(w, 0) <= 'Z'))
		w->p++;
	skip(w, at(w, 0) == '_');
}

static void skip_name(struct walk *w)
{
	size_t n = 0;

	for (; is_digit(at(w, 0)) && n < (size_t)(w->end - w->p); w->p++)
		n = n * 10 + (size_t)(at(w, 0) - '0');
	skip(w, n);
}

static void open_name(struct walk *w, char what, size_t letters)
{
	if (w->depth == NESTED_MAX)
		w->p = w->end;
	else
		w->open[w->depth++] = what;
	skip(w, letters);
}

static char inside(const struct walk *w)
{
	return w->depth ? w->open[w->depth - 1] : '\0';
}

/* In arguments L begins a literal: of a builtin type or an enumeration, with its value, or "_Z", a name of its
 * own. True: such a name, and internal. */
static bool linkage_literal(struct walk *w)
{
	if (at(w, 1) == '_' && at(w, 2) == 'Z') {
		open_name(w, 'L', 3);
		return at(w, 0) == 'L';
	}
	if (!is_digit(at(w, 1)) && !(at(w, 1) >= 'a' && at(w, 1) <= 'z')) {
		open_name(w, 'L', 1); /* of a type that has several parts */
		return false;
	}
	skip(w, 1);
	if (is_digit(at(w, 0)))
		skip_name(w);
	while (at(w, 0) && at(w, 0) != 'E')
		w->p++;
	skip(w, 1);
	return false;
}

static void linkage_close(struct walk *w)
{
	char what = inside(w);

	w->depth -= w->depth > 0;
	skip(w, 1);
	if (what == 'U')
		skip_number(w);
}

static void linkage_skip_d(struct walk *w)
{
	char next = at(w, 1);

	if (next == 't' || next == 'T' || next == 'C')
		open_name(w, next == 'C' ? 'C' : 'X', 2);
	else
		skip(w, 2);
	if (next == 'v' || next == 'F')
		skip_number(w);
}

/* Letters that are followed by a number, or begin what an E ends. */
static void linkage_letter(struct walk *w)
{
	char c = at(w, 0), next = at(w, 1);

	switch (c) {
	case 'S':
	case 'T':
		skip(w, 1);
		if (next >= 'a' && next <= 'z')
			skip(w, 1);
		else
			skip_number(w);
		if (c == 'T' && (next == 'h' || next == 'v')) { /* a thunk's offsets */
			const char *far = memchr(w->p, '_', (size_t)(w->end - w->p));

			skip(w, far ? (size_t)(far - w->p) + 1 : 0);
			skip(w, next == 'v' && at(w, 0) == 'n');
			if (next == 'v')
				skip_number(w);
		}
		break;
	case 'A':
	case '_':
		skip(w, 1);
		skip_digits(w);
		skip(w, c == 'A' && at(w, 0) == '_');
		break;
	case 'C': skip(w, next == 'I' ? 3 : is_digit(next) ? 2 : 1); break;
	case 'D': linkage_skip_d(w); break;
	case 'U':
		if (next == 'l') {
			open_name(w, 'U', 2);
			break;
		}
		skip(w, next == 't' || next == 'b' ? 2 : 1);
		if (next == 't')
			skip_number(w);
		break;
	default:
		if (strchr("NIJXFZ", c))
			open_name(w, c, 1);
		else if (inside(w) == 'X' && (text_begins(w->p, (size_t)(w->end - w->p), "cl") ||
					      text_begins(w->p, (size_t)(w->end - w->p), "tl") ||
					      text_begins(w->p, (size_t)(w->end - w->p), "il")))
			open_name(w, 'X', 2);
		else
			skip(w, 1);
		break;
	}
}

/* "pL", "aN": where a name is to come two small letters, or a small and a large one, are an operator's. */
static bool linkage_is_operator(const struct walk *w)
{
	return at(w, 0) >= 'a' && at(w, 0) <= 'z' && (inside(w) == 'N' || w->p[-1] == 'Z');
}

/* Over the next part. True: it shows internal linkage. */
static bool linkage_step(struct walk *w)
{
	if (is_digit(*w->p) && inside(w) == 'L')
		skip_digits(w);
	else if (is_digit(*w->p))
		skip_name(w);
	else if (*w->p == 'E')
		linkage_close(w);
	else if (linkage_is_operator(w))
		skip(w, 2);
	else if (*w->p != 'L')
		linkage_letter(w);
	else
		return !inside(w) || !strchr("IJXL", inside(w)) || linkage_literal(w);
	return false;
}

static bool linkage_mangled_internal(const char *s, size_t n)
{
	struct walk w = {.p = s, .end = s + n};

	while (w.p < w.end && *w.p != '.') /* a clone's suffix */
		if (linkage_step(&w))
			return true;
	return false;
}

size_t linkage_unified(const char *s, size_t n)
{
	struct walk w = {.depth = 0};
	size_t found = 0;

	if (n < 4 || memcmp(s, "_Z", 2) || (!memmem(s, n, "C4", 2) && !memmem(s, n, "D4", 2)))
		return 0;
	w.p = s + 2;
	w.end = s + n;
	while (w.p < w.end && *w.p != '.') {
		if ((*w.p == 'C' || *w.p == 'D') && at(&w, 1) == '4' && inside(&w) == 'N')
			found = (size_t)(w.p - s) + 1;
		if (linkage_step(&w))
			break;
	}
	return found;
}

bool linkage_is_internal(const char *s, size_t n)
{
	static const char mangled[] = "_GLOBAL__N_", shown[] = "(anonymous namespace)",
			  gnu[] = "{anonymous}";
	size_t underscores = 0;

	while (underscores < n && s[underscores] == '_')
		underscores++;
	if (!underscores || underscores == n || s[underscores] != 'Z')
		return memmem(s, n, shown, sizeof shown - 1) || memmem(s, n, gnu, sizeof gnu - 1);
	if (memmem(s, n, mangled, sizeof mangled - 1))
		return true;
	s += underscores + 1;
	n -= underscores + 1;
	return memchr(s, 'L', n) && linkage_mangled_internal(s, n);
}

bool linkage_is_start(const char *s, size_t n)
{
	static const char mark[] = "!" SYMBOL_START;
	const size_t len = sizeof mark - 1;
	size_t k = n;

	while (k && (is_digit(s[k - 1]) || (s[k - 1] >= 'a' && s[k - 1] <= 'f')))
		k--;
	return k < n && k > len && !memcmp(s + k - len, mark, len);
}
