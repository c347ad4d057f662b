/* SPDX-License-Identifier: MIT
 *
 * A program run on a damaged file as its standard input, for cuts.c and flips.c. What it says on
 * standard error goes to a file. Offences are counted, and the first five printed. The program is started
 * once, with forkserver.so from the folder of the one that runs it, and forks for each run.
 */
#ifndef TM_TESTDATA_MANNERS_H
#define TM_TESTDATA_MANNERS_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program __attribute__((unused));
static unsigned offences __attribute__((unused));

static inline void offence(long at, const char *what, const char *text)
{
	if (offences++ < 5)
		printf("  at %ld: %s: %s\n", at, what, text);
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* The text after "tm-x: <stdin>: " where that is the one line; else NULL. */
static inline const char *error_line(const char *s)
{
	const char *newline = strchr(s, '\n');
	size_t n = strlen(program);

	return newline && !newline[1] && !strncmp(s, program, n) &&
		       !strncmp(s + n, ": <stdin>: ", 11)
		   ? s + n + 11
		   : NULL;
}

/* Every line begins with the program's name. */
static inline int are_lines(const char *s)
{
	size_t n = strlen(program);

	while (*s) {
		const char *newline = strchr(s, '\n');

		if (!newline || strncmp(s, program, n) || s[n] != ':')
			return 0;
		s = newline + 1;
	}
	return 1;
}

/* Between run and forkserver.so.c. */
#define FORK_VARIABLE "TRACEMILL_FORKSERVER"
enum { FORK_REQUESTS = 198, FORK_ENDS = 199 };
struct fork_end {
	int status; /* as of wait */
	struct rusage usage;
};

static inline void become_forkserver(int in, int err, int requests, int ends, char **argv)
{
	char self[4096], path[4200], asan[4200];
	const char *options = getenv("ASAN_OPTIONS");
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	int null = open("/dev/null", O_WRONLY);

	if (n < 0 || null < 0)
		die("forkserver");
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	snprintf(path, sizeof path, "%s/forkserver.so", self);
	snprintf(asan, sizeof asan, "%s:verify_asan_link_order=0", options ? options : "");
	if (access(path, R_OK))
		die(path);
	setenv("LD_PRELOAD", path, 1);
	setenv("LD_BIND_NOW", "1", 1);
	setenv("ASAN_OPTIONS", asan, 1);
	setenv(FORK_VARIABLE, "1", 1);
	dup2(in, 0);
	dup2(null, 1);
	dup2(err, 2);
	dup2(requests, FORK_REQUESTS);
	dup2(ends, FORK_ENDS);
	closefrom(FORK_ENDS + 1);
	close_range(3, FORK_REQUESTS - 1, 0);
	execvp(argv[0], argv);
	_exit(127);
}

/* The same files and arguments each time. */
static inline int run(int in, int err, char **argv, struct rusage *u)
{
	static int requests[2] = {-1, -1}, ends[2];
	struct fork_end end;

	if (requests[1] < 0) {
		pid_t child;

		if (pipe(requests) || pipe(ends) || (child = fork()) < 0)
			die("forkserver");
		if (!child)
			become_forkserver(in, err, requests[0], ends[1], argv);
		close(requests[0]);
		close(ends[1]);
	}
	lseek(in, 0, SEEK_SET);
	if (write(requests[1], "", 1) != 1 || read(ends[0], &end, sizeof end) != sizeof end) {
		fprintf(stderr, "%s: cannot be started by forkserver.so\n", program);
		exit(2);
	}
	*u = end.usage;
	return WIFSIGNALED(end.status) ? 128 + WTERMSIG(end.status) : WEXITSTATUS(end.status);
}

static inline int copy_of(const char *path, long *size)
{
	char name[] = "copy.XXXXXX", block[65536];
	int from = open(path, O_RDONLY), to = mkstemp(name);
	ssize_t n;

	if (from < 0 || to < 0)
		die(path);
	unlink(name);
	while ((n = read(from, block, sizeof block)) > 0)
		if (write(to, block, (size_t)n) != n)
			die(path);
	close(from);
	*size = lseek(to, 0, SEEK_END);
	return to;
}

#endif
