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

static void add_file(struct session *s, char *path)
{
	if (s->n == SESSION_FILES)
		cli_die(s->folder, "more than %d files", SESSION_FILES);
	VEC_PUSH(s->files, s->n, s->cap) =
	    (struct session_file){.path = path, .name = path + strlen(s->folder) + 1};
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

/* Hidden files and links to folders are passed over, but links to files are not; names come in the order of their bytes. */
static void list(struct session *s, const char *path, unsigned depth)
{
	char **names = NULL;
	size_t n = 0, cap = 0;
	struct dirent *d;
	struct stat st;
	DIR *dir = opendir(path);

	if (!dir)
		cli_die(path, "%s", strerror(errno));
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
		if (S_ISDIR(st.st_mode) && !is_uftrace(full)) {
			if (depth < SESSION_DEPTH)
				list(s, full, depth + 1);
			free(full);
		} else if (!stat(full, &st) && (S_ISREG(st.st_mode) || is_uftrace(full))) {
			/* Its file may be outside of the folder. */
			if (link)
				sandbox_allow(SANDBOX_READ, full);
			add_file(s, full);
		} else {
			free(full);
		}
	}
	free(names);
}

void session_list(struct session *s, const char *folder)
{
	size_t n = strlen(folder);
	struct stat st;

	while (n > 1 && folder[n - 1] == '/')
		n--;
	s->folder = arena_strndup(&s->texts, folder, n);
	if (stat(s->folder, &st))
		cli_die(folder, "%s", strerror(errno));
	if (!S_ISDIR(st.st_mode))
		cli_die(folder, "not a folder; to report on one file: tracemill show FILE");
	sandbox_allow(SANDBOX_READ, s->folder);
	list(s, s->folder, 0);
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
