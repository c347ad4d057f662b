/* SPDX-License-Identifier: MIT
 *
 * A question as it is typed: the words of a command line, split as a shell splits them, without its
 * other powers. 'a b', "a \"b\"", a\ b.
 */
#ifndef TM_VIEW_WORDS_H
#define TM_VIEW_WORDS_H

#include "lib/base/arena.h"
#include "lib/base/err.h"

#include <stdbool.h>

struct view_words {
	char **items; /* with a NULL behind the last */
	size_t n, cap;
};

enum { WORDS_MAX = 1024 };

/* Into the arena; items are the caller's to free. ST_BAD: a quote is open, a NUL; ST_LIMIT. */
enum status words_split(struct view_words *w, struct arena *a, const char *text, size_t n,
			struct err *e);
void words_add(struct view_words *w, struct arena *a, const char *word);
void words_release(struct view_words *w);

#endif
