/* SPDX-License-Identifier: MIT */
#include "lib/cli/args.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/base/text_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEEPEST = 8,        /* files in files */
	LARGEST = 16 << 20, /* of a file, bytes */
};

struct expansion {
	struct cli_args *a;
	size_t n, cap, n_owned, cap_owned;
};

static void add_word(struct expansion *x, char *word)
{
	VEC_PUSH(x->a->argv, x->n, x->cap) = word;
}

static void add_own(struct expansion *x, struct buf *word)
{
	char *copy = mem_strdup(buf_str(word));

	VEC_PUSH(x->a->owned, x->n_owned, x->cap_owned) = copy;
	add_word(x, copy);
}

/* The next word of the text, unquoted; NULL: there are no more. */
static const char *args_next_word(const char *s, struct buf *word)
{
	char quote = 0;

	while (text_is_space(*s))
		s++;
	if (!*s)
		return NULL;
	for (word->len = 0; *s && (quote || !text_is_space(*s)); s++) {
		if (*s == '\\' && s[1] && quote != '\'')
			buf_addc(word, *++s);
		else if (*s == quote)
			quote = 0;
		else if (!quote && (*s == '\'' || *s == '"'))
			quote = *s;
		else
			buf_addc(word, *s);
	}
	return s;
}

static void add_text(struct expansion *x, const char *s, unsigned depth);

static bool add_file(struct expansion *x, const char *path, unsigned depth)
{
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	bool there =
	    depth < DEEPEST && !text_file_read(path, LARGEST, "a file of options", &text, &e);

	if (there)
		add_text(x, buf_str(&text), depth + 1);
	buf_release(&text);
	return there;
}

static void add_text(struct expansion *x, const char *s, unsigned depth)
{
	struct buf word = BUF_INIT;

	while ((s = args_next_word(s, &word)))
		if (buf_str(&word)[0] != '@' || !add_file(x, word.data + 1, depth))
			add_own(x, &word);
	buf_release(&word);
}

void args_expand(struct cli_args *a, int argc, char **argv, const char *variable)
{
	struct expansion x = {.a = a};
	const char *more = getenv(variable);

	*a = (struct cli_args){.argv = NULL};
	for (int i = 0; i < argc; i++) {
		if (argv[i][0] != '@' || !i || !add_file(&x, argv[i] + 1, 0))
			add_word(&x, argv[i]);
		if (!i && more)
			add_text(&x, more, 0);
	}
	a->argc = (int)x.n;
	add_word(&x, NULL);
	a->n_owned = (int)x.n_owned;
}

void args_release(struct cli_args *a)
{
	for (int i = 0; i < a->n_owned; i++)
		free(a->owned[i]);
	free(a->owned);
	free(a->argv);
	*a = (struct cli_args){.argv = NULL};
}
