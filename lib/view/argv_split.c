/* SPDX-License-Identifier: MIT */
#include "lib/view/argv_split.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

void argv_add(struct argv_list *w, struct arena *a, const char *word)
{
	w->items = mem_grow(w->items, &w->cap, w->n + 2, sizeof *w->items);
	w->items[w->n++] = arena_strndup(a, word, strlen(word));
	w->items[w->n] = NULL;
}

void argv_release(struct argv_list *w)
{
	free(w->items);
	*w = (struct argv_list){.n = 0};
}

/* From s[i] on one word into b; gives where it ends. */
static size_t one(struct buf *b, const char *s, size_t i, size_t n, char *open)
{
	char quote = 0;

	for (; i < n && (quote || !text_is_space(s[i])); i++) {
		if (quote ? s[i] == quote : s[i] == '\'' || s[i] == '"')
			quote = quote ? 0 : s[i];
		else if (s[i] == '\\' && quote != '\'' && i + 1 < n &&
			 (!quote || s[i + 1] == '"' || s[i + 1] == '\\'))
			buf_addc(b, s[++i]);
		else
			buf_addc(b, s[i]);
	}
	*open = quote;
	return i;
}

enum status argv_split(struct argv_list *w, struct arena *a, const char *text, size_t n,
		       struct err *e)
{
	struct buf b = BUF_INIT;
	char open = 0;

	if (n && memchr(text, 0, n))
		return err_set(e, ST_BAD, "a NUL in it");
	for (size_t i = 0; i < n && !open && w->n < WORDS_MAX;) {
		if (text_is_space(text[i])) {
			i++;
			continue;
		}
		b.len = 0;
		i = one(&b, text, i, n, &open);
		argv_add(w, a, buf_str(&b));
	}
	buf_release(&b);
	if (open)
		return err_set(e, ST_BAD, "a quote (%c) stands open", open);
	return w->n < WORDS_MAX ? ST_OK : err_set(e, ST_LIMIT, "more than %d words", WORDS_MAX - 1);
}
