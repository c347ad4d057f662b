/* SPDX-License-Identifier: MIT */
#include "cmd/tm-session/session.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/cli/file_kind.h"
#include "lib/sandbox/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int compare_names(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static enum status add_file(struct session *s, char *path, struct err *e)
{
	VEC_PUSH(s->files, s->n, s->cap) =
	    (struct session_file){.path = path, .name = path + strlen(s->folder) + 1};
	return s->n > SESSION_FILES ? err_set(e, ST_LIMIT, "more than %d files", SESSION_FILES)
				    : ST_OK;
}

/* A directory that uftrace wrote is one capture. */
static bool is_uftrace(const char *path)
{
	struct buf b = BUF_INIT;
	struct stat st;
	bool is;

	buf_addf(&b, "%s/info", path);
	is = !stat(buf_str(&b), &st) && S_ISREG(st.st_mode);
	b.len = 0;
	buf_addf(&b, "%s/task.txt", path);
	is = is && !stat(buf_str(&b), &st);
	buf_release(&b);
	return is;
}

static void pass_over(struct session *s, enum session_passed why, const char *path)
{
	struct buf *b = &s->passed[why];

	if (s->n_passed[why]++ < SESSION_NAMED)
		buf_addf(b, "%s%s", b->len ? ", " : "", path + strlen(s->folder) + 1);
}

bool session_passed_over(const struct session *s, enum session_passed why, struct buf *to)
{
	static const char *const texts[][2] = {
	    [PASSED_DEEP] = {"folder lies too deep", "folders lie too deep"},
	    [PASSED_LINK] = {"link to a folder", "links to folders"},
	    [PASSED_BROKEN] = {"link without a file", "links without a file"},
	    [PASSED_SPECIAL] = {"entry is no file", "entries are no files"},
	};
	size_t n = s->n_passed[why];

	if (!n)
		return false;
	buf_addf(to, "%zu %s, passed over: %.*s", n, texts[why][n > 1], (int)s->passed[why].len,
		 s->passed[why].data);
	if (n > SESSION_NAMED)
		buf_addf(to, " and %zu more", n - SESSION_NAMED);
	return true;
}

/* Hidden files are passed over, and so are links to folders, but links to files are not; names come in the order of
 * their bytes. */
static enum status list(struct session *s, const char *path, unsigned depth, struct err *e)
{
	enum status failed = ST_OK;
	char **names = NULL;
	size_t n = 0, cap = 0;
	struct dirent *d;
	struct stat st;
	DIR *dir = opendir(path);

	if (!dir)
		return err_sys(e, "cannot list '%s'", path);
	while ((d = readdir(dir)))
		if (*d->d_name != '.')
			VEC_PUSH(names, n, cap) = mem_strdup(d->d_name);
	closedir(dir);
	sort_array(names, n, sizeof *names, compare_names);
	for (size_t i = 0; i < n; i++) {
		struct buf b = BUF_INIT;
		char *full;
		bool link;

		buf_addf(&b, "%s/%s", path, names[i]);
		full = mem_strdup(buf_str(&b));
		buf_release(&b);
		free(names[i]);
		st.st_mode = 0;
		link = !lstat(full, &st) && S_ISLNK(st.st_mode);
		if (failed) {
			free(full);
		} else if (S_ISDIR(st.st_mode) && !is_uftrace(full)) {
			if (depth < SESSION_DEPTH)
				failed = list(s, full, depth + 1, e);
			else
				pass_over(s, PASSED_DEEP, full);
			free(full);
		} else if (!stat(full, &st) && (S_ISREG(st.st_mode) || is_uftrace(full))) {
			/* Its file may be outside of the folder. */
			if (link)
				sandbox_allow(SANDBOX_READ, full);
			failed = add_file(s, full, e);
		} else {
			st.st_mode = 0;
			pass_over(s,
				  !link                 ? PASSED_SPECIAL
				  : stat(full, &st)     ? PASSED_BROKEN
				  : S_ISDIR(st.st_mode) ? PASSED_LINK
							: PASSED_SPECIAL,
				  full);
			free(full);
		}
	}
	free(names);
	return failed;
}

bool session_is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode) && !is_uftrace(path);
}

enum status session_list(struct session *s, const char *folder, struct err *e)
{
	size_t n = strlen(folder);

	while (n > 1 && folder[n - 1] == '/')
		n--;
	s->folder = arena_strndup(&s->texts, folder, n);
	sandbox_allow(SANDBOX_READ, s->folder);
	return list(s, s->folder, 0, e);
}

void session_look(struct session *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct session_file *f = &s->files[i];
		struct file_kind k = {.program = NULL};
		struct input in = {0};
		struct err e = ERR_INIT;

		if (input_open(&in, f->path, &e) || file_kind_of(&in, f->path, &k)) {
			cli_fail(f->path, &e);
			f->reading_failed = true;
		}
		input_close(&in);
		memcpy(f->what, k.what, sizeof f->what);
		f->format = k.format;
		f->capture = k.format || (k.program && strcmp(k.program, "inspect") != 0);
	}
}
