/* SPDX-License-Identifier: MIT */
#include "lib/record/launch.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/record/program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FAR = 200, NOT_RUN = 3 };

const char *const launch_stacks[] = {"auto", "fp", "unwind", "none", NULL};

static volatile pid_t child;

static void pass_on(int sig)
{
	if (child > 0)
		kill(child, sig);
}

static char *find_library(const char *given)
{
	struct buf b = BUF_INIT;
	char exe[4096], *slash, *path;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (given)
		return realpath(given, NULL);
	if (n <= 0)
		return NULL;
	exe[n] = 0;
	slash = strrchr(exe, '/');
	buf_addf(&b, "%.*s/../lib/libtracemill-capture.so", (int)(slash - exe), exe);
	path = realpath(buf_str(&b), NULL);
	buf_release(&b);
	return path;
}

enum status launch_prepare(struct launch *l, const char *program, const char *given, char **about,
			   struct err *e)
{
	enum status st = program_check(program, about, e);

	if (st) {
		*about = *about ? *about : mem_strdup(program);
		return st;
	}
	l->stripped = program_stripped(*about);
	free(*about);
	*about = given ? mem_strdup(given) : NULL;
	l->library = find_library(given);
	return l->library ? ST_OK : err_set(e, ST_BAD, "the capture library is not there");
}

int launch_far(int fd)
{
	int far = fcntl(fd, F_DUPFD, FAR);

	if (far < 0)
		return fd;
	close(fd);
	return far;
}

static void add_path(struct buf *b, const char *path)
{
	char folder[4096];

	buf_adds(b, " out=");
	if (*path != '/' && getcwd(folder, sizeof folder))
		buf_addf(b, "%s/", folder);
	buf_adds(b, path);
}

static void add_settings(struct buf *b, const struct launch *l)
{
	const struct cap_settings *s = &l->settings;
	struct stat st;

	if (!fstat(l->fd, &st))
		buf_addf(b, "inode=%" PRIu64 " ", (uint64_t)st.st_ino);
	buf_addf(b,
		 "pid=%d fd=%d since=%" PRIu64 " stacks=%s threshold=%" PRIu64 " sample=%" PRIu64
		 " depth=%u mmap=%d children=%d drop=%d duration=%" PRIu64 " rss=%" PRIu64,
		 (int)getpid(), l->fd, (uint64_t)time(NULL), launch_stacks[s->stacks], s->threshold,
		 s->sample, s->depth, s->mmap, s->children, s->drop, s->duration_ms, s->rss_ms);
	if (l->path)
		add_path(b, l->path);
}

_Noreturn static void run(const struct launch *l, char **argv)
{
	const char *others = getenv("LD_PRELOAD");
	struct buf preload = BUF_INIT, text = BUF_INIT;

	if (l->spare)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	add_settings(&text, l);
	buf_addf(&preload, "%s%s%s", l->library, others && *others ? ":" : "",
		 others ? others : "");
	setenv("LD_PRELOAD", buf_str(&preload), 1);
	setenv(CAP_VARIABLE, buf_str(&text), 1);
	execvp(*argv, argv);
	l->failed(*argv, strerror(errno));
	_exit(NOT_RUN);
}

pid_t launch(const struct launch *l, char **argv)
{
	pid_t pid = fork();

	if (!pid)
		run(l, argv);
	child = pid;
	signal(SIGINT, SIG_IGN); /* the terminal sends them to the program too */
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, pass_on);
	signal(SIGHUP, pass_on);
	return pid;
}

int launch_wait(int *sig)
{
	int status;

	*sig = 0;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return NOT_RUN;
	child = 0;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	*sig = WTERMSIG(status);
	return 128 + *sig;
}

int launch_run(struct launch *l, int fd, char **argv, int *sig)
{
	pid_t pid;

	l->fd = fd;
	pid = launch(l, argv);
	close(fd);
	if (l->spare)
		close(STDOUT_FILENO);
	*sig = 0;
	return pid < 0 ? NOT_RUN : launch_wait(sig);
}
