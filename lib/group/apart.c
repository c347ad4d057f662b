/* SPDX-License-Identifier: MIT */
#include "lib/group/apart.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct apart apart_of(uint32_t name, const char *raw, size_t n)
{
	struct apart a = {.name = name, .line = ""};
	size_t at = strnlen(raw, n);

	if (at == n)
		return a;
	a.file = raw + at + 1;
	at += 1 + strnlen(a.file, n - at - 1);
	if (at < n)
		a.line = raw + at + 1;
	return a;
}

void apart_text(const struct apart *a, struct buf *out)
{
	buf_addf(out, " (%s%s%s)", a->end, *a->line ? ":" : "", a->line);
}

/* Windows' paths too. */
const char *path_end(const char *path, size_t folders)
{
	size_t left = folders + 1;

	for (const char *p = path + strlen(path); p > path; p--)
		if ((p[-1] == '/' || p[-1] == '\\') && !--left)
			return p;
	return left == 1 ? path : NULL;
}

static int apart_order(const void *x, const void *y, void *arg)
{
	const struct apart *all = arg, *a = &all[*(const uint32_t *)x],
			   *b = &all[*(const uint32_t *)y];

	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	if (!a->file || !b->file)
		return (a->file != NULL) - (b->file != NULL);
	if (strcmp(a->file, b->file) != 0)
		return strcmp(a->file, b->file);
	return strverscmp(a->line, b->line);
}

static const char *end_or_all(const char *path, size_t folders)
{
	const char *end = path_end(path, folders);

	return end ? end : path;
}

static bool clash(const struct apart *a, const uint32_t *of, size_t n, size_t folders)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (a[of[i]].file && strcmp(a[of[i]].file, a[of[k]].file) != 0 &&
			    !strcmp(end_or_all(a[of[i]].file, folders),
				    end_or_all(a[of[k]].file, folders)))
				return true;
	return false;
}

/* Those of one name, in the order of their files. */
static void tell(struct apart *a, const uint32_t *of, size_t n)
{
	enum { FOLDERS_MAX = 32, MANY = 1000 };
	const char *first = a[of[0]].file, *last = a[of[n - 1]].file;
	size_t folders = 0;

	if (!last || (first && !strcmp(first, last) && !strcmp(a[of[0]].line, a[of[n - 1]].line)))
		return;
	if (n > MANY) /* every one with all of its file: too many to read */
		folders = FOLDERS_MAX;
	while (folders < FOLDERS_MAX && clash(a, of, n, folders))
		folders++;
	for (size_t i = 0; i < n; i++)
		if (a[of[i]].file)
			a[of[i]].end = end_or_all(a[of[i]].file, folders);
}

void apart_find(struct apart *a, size_t n)
{
	uint32_t *of = mem_array(n + 1, sizeof *of);

	for (uint32_t i = 0; i < n; i++) {
		of[i] = i;
		a[i].end = NULL;
	}
	if (n)
		sort_array_by(of, n, sizeof *of, apart_order, a);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && a[of[end]].name == a[of[i]].name; end++)
			;
		if (end - i > 1)
			tell(a, of + i, end - i);
	}
	free(of);
}
