/* SPDX-License-Identifier: MIT */
#include "lib/cli/defaults.h"

#include "lib/base/buf.h"
#include "lib/base/ini.h"
#include "lib/base/mem.h"
#include "lib/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Why a file that was found, and not named, is not obeyed: whoever may write to a folder above could otherwise say
 * what passes, or stop every program with a pipe. NULL: it is. */
static const char *defaults_distrust(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "it is not a regular file";
	if (st.st_uid != geteuid() && st.st_uid)
		return "it belongs to another user";
	return st.st_mode & S_IWOTH ? "it is world-writable" : NULL;
}

static int open_trusted(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *why = fd < 0 ? strerror(errno) : defaults_distrust(fd);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -1;
	if (!why)
		return fd;
	cli_error(path,
		  "ignored: %s; to use it, set TRACEMILL_CONFIG to its path; --no-config silences "
		  "this note",
		  why);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The folder's file or that of one above it, open; -1: none. */
static int find_above(char *folder, char **found)
{
	for (size_t n = strlen(folder);; n = (size_t)(strrchr(folder, '/') - folder)) {
		struct buf path = BUF_INIT;
		int fd;

		folder[n] = 0;
		buf_addf(&path, "%s/%s", n > 1 ? folder : "", file_name);
		fd = open_trusted(buf_str(&path));
		if (fd >= 0) {
			*found = path.data;
			return fd;
		}
		buf_release(&path);
		if (!strrchr(folder, '/'))
			return -1;
	}
}

/* What is named is taken as it is. */
static enum status defaults_read(struct cli_defaults *d, struct buf *text, struct err *e)
{
	static const char what[] = "a file of defaults";
	const char *named = getenv("TRACEMILL_CONFIG");
	enum status st = ST_OK;
	char folder[PATH_MAX];
	int fd = -1;

	if (named) {
		d->path = *named ? mem_strdup(named) : NULL;
		return *named ? text_file_read(named, LARGEST, what, text, e) : ST_OK;
	}
	if (getcwd(folder, sizeof folder))
		fd = find_above(folder, &d->path);
	if (fd >= 0) {
		st = text_file_read_open(fd, LARGEST, what, text, e);
		close(fd);
	}
	return st;
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

static bool defaults_add(struct cli_defaults *d, struct ini *in)
{
	struct default_row row = {.line = in->line};
	struct buf all = BUF_INIT;
	struct stat of_value;
	bool ok = true;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct default_key *k = &keys[i];

		buf_addf(&all, "%s%s", i ? ", " : "", k->key);
		if (!in->key || strcmp(k->key, in->key) != 0)
			continue;
		row.word = k->word;
		row.arg = k->arg;
		row.value = from_folder(d, in->value, strlen(in->value), !strcmp(k->arg, MAP));
	}
	if (!in->key)
		ok = ini_fail(in, in->line, in->column, "there are no sections");
	else if (!row.word)
		ok = ini_fail(in, in->line, in->column, "'%s' is not one of %s", in->key,
			      buf_str(&all));
	else if (!strcmp(row.arg, "FILE") && !stat(row.value, &of_value) &&
		 !S_ISREG(of_value.st_mode))
		ok = ini_fail(in, in->line, in->value_column, "%s: %s is not a regular file",
			      in->key, row.value);
	buf_release(&all);
	VEC_PUSH(d->rows, d->n, d->cap) = row;
	return ok;
}

enum status defaults_find(struct cli_defaults *d, struct err *e)
{
	struct arena arena = ARENA_INIT;
	struct buf text = BUF_INIT;
	struct ini in;
	enum status st = defaults_read(d, &text, e);

	if (st) {
		buf_release(&text);
		return err_of_file(e, "defaults of the project", d->path);
	}
	if (!d->path) {
		buf_release(&text);
		return ST_OK;
	}
	in = ini_of(text.data, text.len, 0, &arena, e);
	while (ini_next(&in))
		defaults_add(d, &in);
	if (in.st)
		err_prefix(e, "%s", d->path);
	arena_release(&arena);
	buf_release(&text);
	return in.st;
}
