/* SPDX-License-Identifier: MIT
 *
 * The split of a typed query into words, as a shell splits a command line, without its other powers: 'a b', "a
 * \"b\"", a\ b.
 */
#ifndef TM_VIEW_ARGV_SPLIT_H
#define TM_VIEW_ARGV_SPLIT_H

#include "lib/base/arena.h"
#include "lib/base/err.h"

#include <stdbool.h>

struct argv_list {
	char **items; /* with a NULL behind the last */
	size_t n, cap;
};

enum { WORDS_MAX = 1024 };

/* Into the arena; items are the caller's to free. ST_BAD: a quote is open, a NUL; ST_LIMIT. */
enum status argv_split(struct argv_list *w, struct arena *a, const char *text, size_t n,
		       struct err *e);
void argv_add(struct argv_list *w, struct arena *a, const char *word);
void argv_release(struct argv_list *w);

#endif
