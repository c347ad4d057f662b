/* SPDX-License-Identifier: MIT
 *
 *	cuts [--step N] [--silent N] [--rss MIB] FILE PROGRAM [ARGUMENT...]
 *
 * Runs a program on FILE cut short after every byte (every N-th), as its standard input, and
 * holds it to the manners of tracemill(7): status 0 or 3, never a signal, an end within 20 s,
 * at most MIB of memory (0: any); with 3, one line on standard error that says where; with 0, a
 * line that says "loss", but for at most --silent cuts that leave a sound shorter file.
 * Prints a line "ok - ..." or "not ok - ...", the first few offences above it.
 */
#include "testdata/gen/manners.h"

static struct {
	long step, silent, rss;
} opt = {1, -1, 0};

/* byte N: text; or one of the messages about the whole file. */
static int is_error_line(const char *s)
{
	s = error_line(s);
	return s && (!strncmp(s, "byte ", 5) || !strncmp(s, "empty file", 10) ||
		     !strncmp(s, "unknown capture format", 22));
}

int main(int argc, char **argv)
{
	char name[] = "cuts.XXXXXX", text[65536];
	long size, cuts = 0, unreadable = 0, salvaged = 0, silent = 0;
	int i = 1, in, err;

	for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
		long *to = !strcmp(argv[i], "--step")     ? &opt.step
			   : !strcmp(argv[i], "--silent") ? &opt.silent
			   : !strcmp(argv[i], "--rss")    ? &opt.rss
							  : NULL;

		if (!to)
			break;
		*to = atol(argv[i + 1]);
	}
	if (i + 2 > argc || opt.step < 1) {
		fprintf(stderr, "usage: see testdata/gen/cuts.c\n");
		return 2;
	}
	program = argv[i + 1];
	in = copy_of(argv[i], &size);
	err = mkstemp(name);
	if (err < 0)
		die("cuts");
	unlink(name);
	/* From the longest to the shortest, so that one file does. */
	for (long cut = size - 1; cut >= 0; cut -= opt.step, cuts++) {
		struct rusage u;
		ssize_t n;
		int status;

		if (ftruncate(in, cut) || ftruncate(err, 0) || lseek(err, 0, SEEK_SET))
			die("cuts");
		status = run(in, err, argv + i + 1, &u);
		n = pread(err, text, sizeof text - 1, 0);
		text[n > 0 ? n : 0] = '\0';
		if (status != 0 && status != 3)
			offence(cut, "neither status 0 nor 3, or a signal", text);
		else if (opt.rss && u.ru_maxrss > opt.rss * 1024)
			offence(cut, "too much memory", text);
		else if (status == 3 && !is_error_line(text))
			offence(cut, "not the one line of an error", text);
		else if (!are_lines(text))
			offence(cut, "a line without the program's name", text);
		unreadable += status == 3;
		salvaged += status == 0 && strstr(text, "loss") != NULL;
		silent += status == 0 && !strstr(text, "loss");
		if (status == 0 && !strstr(text, "loss") && opt.silent >= 0 && silent > opt.silent)
			offence(cut, "a loss that is not said", text);
	}
	printf("%s - %s, %s cut at %ld places: %ld unreadable, %ld salvaged, %ld without a word\n",
	       offences || !cuts ? "not ok" : "ok", program,
	       strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i], cuts, unreadable,
	       salvaged, silent);
	return offences > 0;
}
