/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/stack_names.h"

#include "lib/base/buf.h"
#include "lib/base/num.h"
#include "lib/demangle/demangle.h"
#include "lib/demangle/demangle_llvm.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* A word of names that tools spell in several ways; plain: as it is compared. */
static const struct spelling {
	const char *word, *plain;
} spellings[] = {
    {"class ", ""},
    {"struct ", ""},
    {"enum ", ""},
    {"union ", ""},
    {"__int64", "longlong"},
    /* LLVM's demangler in `scalar deleting dtor' and the like, of which Microsoft's spells the words out */
    {"ctor", "constructor"},
    {"dtor", "destructor"},
};

static bool begins_word(const char *s, size_t i, size_t n, const char *word)
{
	size_t length = strlen(word);

	return (!i || !is_word(s[i - 1])) && n - i >= length && !memcmp(s + i, word, length) &&
	       (word[length - 1] == ' ' || n - i == length || !is_word(s[i + length]));
}

/* Where a type ends that begins at i, without its pointers. */
static size_t end_of_type(const char *s, size_t i, size_t n)
{
	int depth = 0;

	for (; i < n && (depth || !strchr("*&,>()", s[i])); i++)
		depth += s[i] == '<' ? 1 : s[i] == '>' ? -1 : 0;
	return i;
}

static const struct spelling *spelling_at(const char *s, size_t i, size_t n)
{
	for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++)
		if (begins_word(s, i, n, spellings[k].word))
			return &spellings[k];
	return NULL;
}

/* A decorated name does not have the type of a template's number: LLVM prints 2^64-1 of it as -1, and Microsoft's tools as it
 * is. Returns how much of the text was a negative number. */
static size_t add_unsigned(struct buf *to, const char *s, size_t n)
{
	size_t digits = 0;
	uint64_t v;

	while (digits + 1 < n && isdigit((unsigned char)s[digits + 1]))
		digits++;
	if (*s != '-' || !to->len || !strchr("<,", *buf_at(to, to->len - 1)) ||
	    !num_dec(s + 1, digits, &v))
		return 0;
	buf_addf(to, "%" PRIu64, 0 - v);
	return digits + 1;
}

/* Without blanks, and without "class" before types; const behind its type: "char const *" and "const char *" are one. */
static void add_plain(struct buf *to, const char *s, size_t n)
{
	enum { DEEPEST = 256 };
	/* ends of types whose const comes behind them */
	size_t ends[DEEPEST], n_ends = 0;

	for (size_t i = 0; i < n; i++) {
		const struct spelling *spelling;
		size_t number;

		while (n_ends && i == ends[n_ends - 1]) {
			buf_adds(to, "const");
			n_ends--;
		}
		spelling = spelling_at(s, i, n);
		number = add_unsigned(to, s + i, n - i);
		if (number) {
			i += number - 1;
		} else if (spelling) {
			buf_adds(to, spelling->plain);
			i += strlen(spelling->word) - 1;
		} else if (to->len && strchr("<,(", *buf_at(to, to->len - 1)) && n_ends < DEEPEST &&
			   begins_word(s, i, n, "const ")) {
			ends[n_ends++] = end_of_type(s, i + 6, n);
			i += 5;
		} else if (s[i] != ' ') {
			buf_addc(to, s[i]);
		}
	}
	while (n_ends--)
		buf_adds(to, "const");
}

/* The text, or the text before parameters. */
static bool is_plain(const struct buf *want, const char *display)
{
	struct buf plain = BUF_INIT;
	bool is;

	add_plain(&plain, display, strlen(display));
	is = plain.len >= want->len && !memcmp(buf_at(&plain, 0), buf_at(want, 0), want->len) &&
	     (plain.len == want->len || *buf_at(&plain, want->len) == '(');
	buf_release(&plain);
	return is;
}

/* The last word of a name before its parameters and template arguments: a linkage name has it, too. n 0: none. */
static struct stack_text_part last_word(const char *s, size_t n)
{
	const char *end = s + n, *from = s, *p;
	int depth = 0;

	for (p = s; p < end; p++) {
		if (*p == '<')
			depth++;
		else if (*p == '>' && depth)
			depth--;
		else if (!depth && *p == '(')
			break;
		else if (!depth && *p == ':')
			from = p + 1;
	}
	for (p = from; p < end && (is_word(*p) || *p == '~'); p++)
		;
	return (struct stack_text_part){from, (size_t)(p - from)};
}

static char *display_of(const char *raw)
{
	return *raw == '?' ? demangle_microsoft(raw) : demangle(raw);
}

void stack_name_find(struct object *o, struct stack_text_part name, uint64_t plus, uint64_t *vaddr,
		     size_t *n)
{
	struct stack_text_part word = last_word(name.s, name.n);
	struct buf want = BUF_INIT;
	size_t n_all;
	const struct object_symbol *all = object_named_functions(o, &n_all);

	*n = 0;
	if (word.n && *word.s == '~') /* "??1Class@ns@@" has no "~" */
		word = (struct stack_text_part){word.s + 1, word.n - 1};
	if (word.n >= 8 && !memcmp(word.s, "operator", 8))
		word.n = 0; /* nor "operator" */
	add_plain(&want, name.s, name.n);
	for (size_t i = 0; want.len && i < n_all; i++) {
		const struct object_symbol *y = &all[i];
		char *display;

		if (y->rest || plus >= y->hi - y->lo || (*n && y->lo == *vaddr) ||
		    (word.n && !memmem(y->name, strlen(y->name), word.s, word.n)))
			continue;
		display = display_of(y->name);
		if (is_plain(&want, display ? display : y->name) ||
		    (!strncmp(y->name, name.s, name.n) && !y->name[name.n])) {
			*vaddr = y->lo;
			++*n;
		}
		free(display);
	}
	buf_release(&want);
}

bool stack_name_differs(struct stack_text_part name, const char *display)
{
	struct stack_text_part a = last_word(name.s, name.n),
			       b = last_word(display, strlen(display));

	if (!a.n || !b.n || memchr(name.s, '`', name.n) || strchr(display, '`'))
		return false;
	return a.n != b.n || memcmp(a.s, b.s, a.n) != 0;
}
