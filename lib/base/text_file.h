/* SPDX-License-Identifier: MIT
 *
 * A short text file that a user wrote: rules, a policy, a list of patterns.
 */
#ifndef TM_BASE_TEXT_FILE_H
#define TM_BASE_TEXT_FILE_H

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

#include <stdbool.h>
#include <string.h>

/* The whole file into text, which is empty before and the caller's to release in any case. Errors: ST_SYS;
 * ST_LIMIT, "larger than MOST bytes: not WHAT". */
enum status text_file_read(const char *path, size_t most, const char *what, struct buf *text,
			   struct err *e);

/* Of an open file, which stays the caller's. */
enum status text_file_read_open(int fd, size_t most, const char *what, struct buf *text,
				struct err *e);

struct text_lines {
	const char *at, *end;
	size_t line; /* the number of the last one, from 1 */
};

/* Without the mark that Windows' editors put before UTF-8. */
static inline struct text_lines text_lines_of(const char *text, size_t n)
{
	static const char mark[] = "\xef\xbb\xbf";
	bool marked = n >= sizeof mark - 1 && !memcmp(text, mark, sizeof mark - 1);
	size_t skip = marked ? sizeof mark - 1 : 0;

	return (struct text_lines){VEC_AT(text, skip), VEC_AT(text, n), 0};
}

/* The next line is *s to *end, without its newline; false: none. */
static inline bool text_lines_next(struct text_lines *l, const char **s, const char **end)
{
	const char *nl;

	if (l->at >= l->end)
		return false;
	nl = memchr(l->at, '\n', (size_t)(l->end - l->at));
	*s = l->at;
	*end = nl ? nl : l->end;
	l->at = nl ? nl + 1 : l->end;
	l->line++;
	return true;
}

#endif
