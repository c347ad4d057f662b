/* SPDX-License-Identifier: MIT */
#include "lib/base/text_file.h"

#include <errno.h>
#include <stdio.h>

static enum status read_open(FILE *f, size_t most, const char *what, struct buf *text,
			     struct err *e)
{
	char piece[4096];
	size_t n;

	while ((n = fread(piece, 1, sizeof piece, f)) > 0) {
		buf_add(text, piece, n);
		if (text->len > most)
			return err_set(e, ST_LIMIT, "larger than %zu bytes: not %s", most, what);
	}
	return ferror(f) ? err_set(e, ST_SYS, "%s", strerror(errno)) : ST_OK;
}

enum status text_file_read(const char *path, size_t most, const char *what, struct buf *text,
			   struct err *e)
{
	FILE *f = fopen(path, "re");
	enum status st;

	if (!f)
		return err_set(e, ST_SYS, "%s", strerror(errno));
	st = read_open(f, most, what, text, e);
	fclose(f);
	return st;
}
