/* SPDX-License-Identifier: MIT */
#include "lib/names/disambiguate.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/match/match.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct name_suffix name_suffix_of(uint32_t name, const char *raw, size_t n)
{
	struct name_suffix a = {.name = name, .line = ""};
	size_t at = strnlen(raw, n);

	if (at == n)
		return a;
	a.file = raw + at + 1;
	at += 1 + strnlen(a.file, n - at - 1);
	if (at < n)
		a.line = raw + at + 1;
	return a;
}

void name_suffix_text(const struct name_suffix *a, struct buf *out)
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

/* The ends of a path, one after the other, from its name on; false: there are no more. */
static bool longer_end(const char *path, const char **end)
{
	const char *p = *end ? *end - 1 : path + strlen(path);

	if (*end == path)
		return false;
	while (p > path && p[-1] != '/' && p[-1] != '\\')
		p--;
	*end = p;
	return true;
}

/* The length of a name without its file behind it. */
static size_t bare_length(struct name_suffix *a, const char *name, size_t n, struct buf *b)
{
	if (!n || name[n - 1] != ')')
		return n;
	for (a->end = NULL; longer_end(a->file, &a->end);) {
		b->len = 0;
		name_suffix_text(a, b);
		if (n > b->len && !memcmp(name + n - b->len, b->data, b->len))
			return n - b->len;
	}
	return n;
}

bool name_suffix_match(struct match *m, const struct name_suffix_name *of)
{
	const char *name = of->name;
	size_t n = of->n;
	struct name_suffix a = name_suffix_of(0, of->raw ? of->raw : "", of->raw ? of->n_raw : 0);
	struct buf b = BUF_INIT;
	const size_t n_folded = strlen(NAME_SUFFIX_FOLDED);
	bool matched, folded;
	size_t bare;

	if (!a.file || !*a.file)
		return match_test(m, name, n);
	folded = n > n_folded && !memcmp(name + n - n_folded, NAME_SUFFIX_FOLDED, n_folded);
	bare = bare_length(&a, name, folded ? n - n_folded : n, &b);
	matched = match_test(m, name, bare) || (folded && match_covers(m, name, n, bare, n));
	for (a.end = NULL; !matched && longer_end(a.file, &a.end);) {
		b.len = 0;
		buf_add(&b, name, bare);
		name_suffix_text(&a, &b);
		if (folded)
			buf_adds(&b, NAME_SUFFIX_FOLDED);
		matched = match_covers(m, b.data, b.len, bare, bare + strlen(" ("));
	}
	buf_release(&b);
	return matched;
}

static int name_suffix_order(const void *x, const void *y, void *arg)
{
	const struct name_suffix *all = arg, *a = &all[*(const uint32_t *)x],
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

static bool clash(const struct name_suffix *a, const uint32_t *of, size_t n, size_t folders)
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
static void disambiguate(struct name_suffix *a, const uint32_t *of, size_t n)
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

void name_suffixes_find(struct name_suffix *a, size_t n)
{
	uint32_t *of = mem_array(n + 1, sizeof *of);

	for (uint32_t i = 0; i < n; i++) {
		of[i] = i;
		a[i].end = NULL;
	}
	if (n)
		sort_array_by(of, n, sizeof *of, name_suffix_order, a);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && a[of[end]].name == a[of[i]].name; end++)
			;
		if (end - i > 1)
			disambiguate(a, of + i, end - i);
	}
	free(of);
}
