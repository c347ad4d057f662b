/* SPDX-License-Identifier: MIT
 *
 * A program run on a damaged file as its standard input, for cuts.c and flips.c. What it says on
 * standard error goes to a file. Offences are counted, and the first five printed.
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

static const char *program;
static unsigned offences;

static void offence(long at, const char *what, const char *text)
{
	if (offences++ < 5)
		printf("  at %ld: %s: %s\n", at, what, text);
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* What stands behind "tm-x: <stdin>: " where that is the one line; else NULL. */
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

static inline int run(int in, int err, char **argv, struct rusage *u)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		int null = open("/dev/null", O_WRONLY);

		lseek(in, 0, SEEK_SET);
		dup2(in, 0);
		dup2(null, 1);
		dup2(err, 2);
		alarm(20);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, u) != child)
		die("wait4");
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
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
