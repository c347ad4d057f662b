/* SPDX-License-Identifier: MIT */
#include "lib/cli/defaults.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/text_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 1 << 20 };
#define MAP "OLD=NEW"
static const char file_name[] = "tracemill.ini";

/* What a project says once. Where the program's option is called otherwise, that name follows. */
static const struct default_key {
	const char *key, *word, *arg;
} keys[] = {
    {"debug-dir", "debug-dir", "DIR"}, {"sysroot", "sysroot", "DIR"}, {"sites", "sites", "FILE"},
    {"owners", "owners", "FILE"},      {"map-path", "map-path", MAP}, {"policy", "gate", "FILE"},
};

/* The folder's file or that of one above it; NULL: none. */
static char *find_above(char *folder)
{
	for (size_t n = strlen(folder);; n = (size_t)(strrchr(folder, '/') - folder)) {
		struct buf path = BUF_INIT;

		folder[n] = 0;
		buf_addf(&path, "%s/%s", n > 1 ? folder : "", file_name);
		if (!access(buf_str(&path), F_OK))
			return path.data;
		buf_release(&path);
		if (!strrchr(folder, '/'))
			return NULL;
	}
}

static char *find_file(void)
{
	const char *named = getenv("TRACEMILL_CONFIG");
	char *folder, *found;

	if (named)
		return *named ? mem_strdup(named) : NULL;
	folder = getcwd(NULL, 0);
	found = folder ? find_above(folder) : NULL;
	free(folder);
	return found;
}

/* A value from the file's folder on, unless it is said from the root. */
static char *from_folder(const struct cli_defaults *d, const char *value, size_t n, bool map)
{
	const char *slash = strrchr(d->path, '/'), *equals = map ? memchr(value, '=', n) : NULL;
	const char *file = equals ? equals + 1 : value;
	size_t head = (size_t)(file - value), folder = slash ? (size_t)(slash - d->path) + 1 : 0;
	struct buf b = BUF_INIT;

	buf_add(&b, value, head);
	if (n > head && *file != '/')
		buf_add(&b, d->path, folder);
	buf_add(&b, file, n - head);
	buf_str(&b);
	return b.data;
}

static enum status defaults_add_line(struct cli_defaults *d, const char *s, const char *end,
				     unsigned line, struct err *e)
{
	const char *equals = memchr(s, '=', (size_t)(end - s)), *value, *word_end;
	struct default_row row = {.line = line};
	struct buf all = BUF_INIT;
	enum status st = ST_OK;

	if (memchr(s, 0, (size_t)(end - s)))
		return err_set(e, ST_BAD, "%s: line %u: a NUL byte", d->path, line);
	if (!equals)
		return err_set(e, ST_BAD, "%s: line %u: not NAME = VALUE", d->path, line);
	value = equals + 1;
	word_end = equals;
	text_trim(&s, &word_end);
	text_trim(&value, &end);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct default_key *k = &keys[i];

		buf_addf(&all, "%s%s", i ? ", " : "", k->key);
		if (strlen(k->key) != (size_t)(word_end - s) ||
		    memcmp(k->key, s, strlen(k->key)) != 0)
			continue;
		row.word = k->word;
		row.arg = k->arg;
		row.value = from_folder(d, value, (size_t)(end - value), !strcmp(k->arg, MAP));
	}
	if (!row.word)
		st = err_set(e, ST_BAD, "%s: line %u: '%.*s' is none of %s", d->path, line,
			     (int)(word_end - s), s, buf_str(&all));
	else if (value == end)
		st = err_set(e, ST_BAD, "%s: line %u: %s has no value", d->path, line, row.word);
	buf_release(&all);
	VEC_PUSH(d->rows, d->n, d->cap) = row;
	return st;
}

enum status defaults_find(struct cli_defaults *d, struct err *e)
{
	struct buf text = BUF_INIT;
	struct text_lines lines;
	const char *s, *end;
	enum status st = ST_OK;

	d->path = find_file();
	if (!d->path || text_file_read(d->path, LARGEST, "a file of defaults", &text, e)) {
		buf_release(&text);
		return d->path ? err_of_file(e, "defaults of the project", d->path) : ST_OK;
	}
	lines = text_lines_of(text.data, text.len);
	while (!st && text_lines_next(&lines, &s, &end)) {
		text_trim(&s, &end);
		if (s < end && *s != '#' && *s != ';')
			st = defaults_add_line(d, s, end, (unsigned)lines.line, e);
	}
	buf_release(&text);
	return st;
}
