/* SPDX-License-Identifier: MIT
 *
 *	flips [--step N] [--rss MIB] FILE PROGRAM [ARGUMENT...]
 *
 * Runs a program on FILE with one byte changed, each byte (every N-th) in turn and in one of five
 * ways in turn, as its standard input, and holds it to the manners of tracemill(7): status 0 or 3,
 * never a signal, an end within 20 s, at most MIB of memory (0: any); with 3, one line on
 * standard error. Prints a line "ok - ..." or "not ok - ...", the first few offences above it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	long step, rss;
} opt = {1, 0};

static const char *program;
static unsigned offences;

static void offence(long at, const char *what, const char *text)
{
	if (offences++ < 5)
		printf("  byte %ld: %s: %s\n", at, what, text);
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* tm-x: <stdin>: text, one line. */
static int is_error_line(const char *s)
{
	const char *newline = strchr(s, '\n');
	size_t n = strlen(program);

	return newline && !newline[1] && !strncmp(s, program, n) &&
	       !strncmp(s + n, ": <stdin>: ", 11);
}

/* Every line begins with the program's name. */
static int are_lines(const char *s)
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

static int run(int in, int err, char **argv, struct rusage *u)
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
		die("flips");
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int copy_of(const char *path, long *size)
{
	char name[] = "flips.XXXXXX", block[65536];
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

/* A bit, a count of nothing, of everything, one more, and another sign. */
static unsigned char changed(unsigned char c, long i)
{
	switch (i % 5) {
	case 0: return (unsigned char)(c ^ 1 << (i / 5 % 8));
	case 1: return 0;
	case 2: return 255;
	case 3: return (unsigned char)(c + 1);
	default: return (unsigned char)(c ^ 128);
	}
}

int main(int argc, char **argv)
{
	char name[] = "flips.XXXXXX", text[65536];
	long size, runs = 0, unreadable = 0, lossy = 0;
	int i = 1, in, err;

	for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
		long *to = !strcmp(argv[i], "--step")  ? &opt.step
			   : !strcmp(argv[i], "--rss") ? &opt.rss
						       : NULL;

		if (!to)
			break;
		*to = atol(argv[i + 1]);
	}
	if (i + 2 > argc || opt.step < 1) {
		fprintf(stderr, "usage: see testdata/gen/flips.c\n");
		return 2;
	}
	program = argv[i + 1];
	in = copy_of(argv[i], &size);
	err = mkstemp(name);
	if (err < 0)
		die("flips");
	unlink(name);
	for (long at = 0; at < size; at += opt.step, runs++) {
		unsigned char old, other;
		struct rusage u;
		ssize_t n;
		int status;

		if (pread(in, &old, 1, at) != 1)
			die("flips");
		other = changed(old, runs);
		if (pwrite(in, &other, 1, at) != 1 || ftruncate(err, 0) || lseek(err, 0, SEEK_SET))
			die("flips");
		status = run(in, err, argv + i + 1, &u);
		if (pwrite(in, &old, 1, at) != 1)
			die("flips");
		n = pread(err, text, sizeof text - 1, 0);
		text[n > 0 ? n : 0] = '\0';
		if (status != 0 && status != 3)
			offence(at, "neither status 0 nor 3, or a signal", text);
		else if (opt.rss && u.ru_maxrss > opt.rss * 1024)
			offence(at, "too much memory", text);
		else if (status == 3 && !is_error_line(text))
			offence(at, "not the one line of an error", text);
		else if (!are_lines(text))
			offence(at, "a line without the program's name", text);
		unreadable += status == 3;
		lossy += status == 0 && strstr(text, "loss") != NULL;
	}
	printf("%s - %s, %s changed at %ld places: %ld unreadable, %ld with a loss\n",
	       offences || !runs ? "not ok" : "ok", program,
	       strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i], runs, unreadable,
	       lossy);
	return offences > 0;
}
