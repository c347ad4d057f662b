/* SPDX-License-Identifier: MIT
 *
 *	flips [--step N] [--rss MIB] [--also STATUS] FILE PROGRAM [ARGUMENT...]
 *
 * Runs a program on FILE with one byte changed, each byte (every N-th) in turn and in one of five
 * ways in turn, as its standard input, and holds it to the manners of tracemill(7): status 0, 3 or
 * STATUS, never a signal, an end within 20 s, at most MIB of memory (0: any); not with 0, one line on
 * standard error. Prints a line "ok - ..." or "not ok - ...", the first few offences above it.
 */
#include "testdata/gen/manners.h"

static struct {
	long step, rss, also;
} opt = {1, 0, 3};

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
		long *to = !strcmp(argv[i], "--step")   ? &opt.step
			   : !strcmp(argv[i], "--rss")  ? &opt.rss
			   : !strcmp(argv[i], "--also") ? &opt.also
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
		if (status != 0 && status != 3 && status != opt.also)
			offence(at, "neither status 0 nor 3, or a signal", text);
		else if (opt.rss && u.ru_maxrss > opt.rss * 1024)
			offence(at, "too much memory", text);
		else if (status != 0 && !error_line(text))
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
