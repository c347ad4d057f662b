/* SPDX-License-Identifier: MIT */
#include "lib/library/option_texts.h"

#include <stdlib.h>
#include <string.h>

enum {
	LISTS = sizeof((struct option_texts){0}.lists) / sizeof *(struct option_texts){0}.lists,
	WORDS = sizeof((struct option_texts){0}.words) / sizeof *(struct option_texts){0}.words,
};

static const char *keep(char **to, const char *s)
{
	char *at = *to;

	*to = stpcpy(at, s) + 1;
	return at;
}

bool option_texts_keep(const struct option_texts *t, struct kept_texts *to)
{
	size_t bytes = 1, items = 1;
	const char **list;
	char *at;

	for (size_t k = 0; k < LISTS; k++) {
		items += t->lists[k].n;
		for (size_t i = 0; i < t->lists[k].n; i++)
			bytes += strlen((*t->lists[k].items)[i]) + 1;
	}
	for (size_t k = 0; k < WORDS; k++)
		bytes += t->words[k] && *t->words[k] ? strlen(*t->words[k]) + 1 : 0;
	to->bytes = at = malloc(bytes);
	to->lists = list = calloc(items, sizeof *list);
	if (!at || !list)
		return false;
	for (size_t k = 0; k < LISTS; k++) {
		if (!t->lists[k].items)
			continue;
		for (size_t i = 0; i < t->lists[k].n; i++)
			list[i] = keep(&at, (*t->lists[k].items)[i]);
		*t->lists[k].items = list;
		list += t->lists[k].n;
	}
	for (size_t k = 0; k < WORDS; k++)
		if (t->words[k] && *t->words[k])
			*t->words[k] = keep(&at, *t->words[k]);
	return true;
}

void option_texts_release(struct kept_texts *k)
{
	free(k->bytes);
	free(k->lists);
	*k = (struct kept_texts){0};
}
