/* SPDX-License-Identifier: MIT
 *
 *	rss [-o FILE] COMMAND [ARGUMENT...]
 *
 * Runs a command and writes one line to FILE (standard error if none): seconds of wall clock,
 * of user and of system time, peak resident memory in KiB, exit status (128 + signal).
 * Ends with that status. Children that the command waits for count in its memory if larger.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	FILE *out = stderr;
	int first = 1, status = 0;
	struct rusage u;
	double start;
	pid_t child;

	if (argc > 2 && !strcmp(argv[1], "-o")) {
		out = fopen(argv[2], "w");
		first = 3;
	}
	if (first >= argc || !out) {
		fprintf(stderr, "usage: rss [-o FILE] COMMAND [ARGUMENT...]\n");
		return 2;
	}
	start = now();
	child = fork();
	if (!child) {
		execvp(argv[first], argv + first);
		perror(argv[first]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &u) != child) {
		perror("rss");
		return 2;
	}
	status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	fprintf(out, "%.4f %.3f %.3f %ld %d\n", now() - start, seconds(u.ru_utime),
		seconds(u.ru_stime), u.ru_maxrss, status);
	fclose(out);
	return status;
}
