/* SPDX-License-Identifier: MIT */
#include "lib/cli/named.h"

#include "lib/base/mem.h"
#include "lib/cli/front.h"
#include "lib/cli/opt.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A capture, packed or not, whose modules have build-ids. */
static bool named_has_build_ids(const char *path)
{
	struct input in = {0};
	struct err e = ERR_INIT;
	const struct reader *r = NULL;
	const uint8_t *p = NULL;
	struct stat st;
	size_t n = 0;
	int bid = 0;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	if (!input_open(&in, path, &e) && !input_head(&in, &p, &n))
		r = reader_by_bid(p, n, n < INPUT_HEAD, &bid);
	input_close(&in);
	return r && r->carries & CARRIES_BUILD_IDS;
}

/* Its command line: items are the caller's to free, and so are the copies of what was given. */
static struct opt_list named_words(const char *path, const struct cli_named_words *w)
{
	static const char *const always[] = {"-q", "--if-useful"};
	struct opt_list l = {.n = 0};

	VEC_PUSH(l.items, l.n, l.cap) = NULL; /* the program */
	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		VEC_PUSH(l.items, l.n, l.cap) = always[i];
	for (size_t i = 0; i < w->n_exes; i++) {
		VEC_PUSH(l.items, l.n, l.cap) = "-e";
		VEC_PUSH(l.items, l.n, l.cap) = w->exes[i];
	}
	for (size_t i = 0; i < w->n_debug_dirs; i++) {
		VEC_PUSH(l.items, l.n, l.cap) = "--debug-dir";
		VEC_PUSH(l.items, l.n, l.cap) = w->debug_dirs[i];
	}
	VEC_PUSH(l.items, l.n, l.cap) = "--";
	VEC_PUSH(l.items, l.n, l.cap) = path;
	return l;
}

/* As argv, of which each word is a copy. */
static char **named_argv(const char *path, const struct cli_named_words *w)
{
	struct opt_list l = named_words(path, w);
	char **argv = mem_zarray(l.n + 1, sizeof *argv);

	for (size_t i = 1; i < l.n; i++)
		argv[i] = mem_strdup(l.items[i]);
	opt_list_release(&l);
	return argv;
}

static void write_named(const char *path, const struct cli_named_words *w, int fd)
{
	char **argv = named_argv(path, w);

	front_run("symbolize", argv, fd);
	for (size_t i = 1; argv[i]; i++)
		free(argv[i]);
	free(argv);
}

static int named_start(const char *path, const struct cli_named_words *w)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		if (dup2(ends[1], STDOUT_FILENO) >= 0)
			front_exec("symbolize", named_argv(path, w));
		_exit(127);
	}
	close(ends[1]);
	if (pid > 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

static bool reach_no_other(const struct import_options *o)
{
	return o->maps || o->config || o->has_slide || o->locations || o->offsets ||
	       (o->format && strcmp(o->format, "trace") != 0);
}

void cli_named_start(struct cli_named *m, int n, char **operands, const struct import_options *o)
{
	if (n > NAMED_MOST || reach_no_other(o))
		return;
	for (int i = 0; i < n; i++)
		if (named_has_build_ids(operands[i])) {
			int fd = named_start(operands[i], &m->words);

			VEC_PUSH(m->items, m->n, m->cap) = (struct cli_named_one){operands[i], fd};
		}
}

int cli_named_take(struct cli_named *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->items[i].fd >= 0 && !strcmp(m->items[i].path, path)) {
			int fd = m->items[i].fd;

			m->items[i].fd = -1;
			return fd;
		}
	return -1;
}

void cli_named_release(struct cli_named *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->items[i].fd >= 0)
			close(m->items[i].fd);
	free(m->items);
	*m = (struct cli_named){.n = 0};
}

static _Noreturn void namer_work(const char *path, const struct cli_named_words *w, int asked,
				 int tell, int fd)
{
	char c;

	while (read(asked, &c, 1) == 1) {
		if (!ftruncate(fd, 0) && !lseek(fd, 0, SEEK_SET))
			write_named(path, w, fd);
		if (write(tell, &c, 1) != 1)
			break;
	}
	_exit(0);
}

void cli_namer_start(struct cli_namer *m, const char *path, const struct cli_named_words *words,
		     const struct import_options *o)
{
	int asked[2] = {-1, -1}, told[2] = {-1, -1};
	struct err e = ERR_INIT;
	pid_t pid = -1;

	*m = (struct cli_namer){-1, -1, -1, false};
	if (reach_no_other(o))
		return;
	m->fd = input_temporary(&e);
	if (m->fd >= 0 && !pipe2(asked, O_CLOEXEC) && !pipe2(told, O_CLOEXEC))
		pid = fork();
	if (!pid) {
		/* Of a terminal's keys the program that asks decides. */
		setpgid(0, 0);
		close(asked[1]);
		close(told[0]);
		namer_work(path, words, asked[0], told[1], m->fd);
	}
	if (asked[0] >= 0)
		close(asked[0]);
	if (told[1] >= 0)
		close(told[1]);
	m->ask = asked[1];
	m->told = told[0];
	if (pid < 0)
		cli_namer_release(m);
}

void cli_namer_ask(struct cli_namer *m)
{
	if (m->ask < 0 || m->asked)
		return;
	m->asked = write(m->ask, "", 1) == 1;
	if (!m->asked)
		cli_namer_release(m);
}

bool cli_namer_done(struct cli_namer *m, bool wait)
{
	struct pollfd p = {m->told, POLLIN, 0};
	char c;

	if (!m->asked || poll(&p, 1, wait ? -1 : 0) <= 0)
		return false;
	m->asked = false;
	if (read(m->told, &c, 1) == 1)
		return true;
	cli_namer_release(m);
	return false;
}

void cli_namer_release(struct cli_namer *m)
{
	int fds[] = {m->ask, m->told, m->fd};

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*m = (struct cli_namer){-1, -1, -1, false};
}
