/* SPDX-License-Identifier: MIT
 *
 *	failures [--step N] [--from N] [--out FILE] LIBRARY PROGRAM [ARGUMENT...]
 *
 * Runs a program once for each of its allocations (each N-th, beginning with --from), which fails:
 * LIBRARY is testdata/src/faults/failing_malloc.c. Standard input is read from the start each time
 * when it is a file. It is held to the manners of tracemill(7): never a signal; an end within 20 s;
 * a status that is the undisturbed run's or 3, with a line on standard error when it is 3; and what
 * is not whole is not taken for whole: with another standard output, or another FILE, than the
 * undisturbed run's the status is 3, or standard error says what the undisturbed run does not say;
 * with 3 there is no FILE, or the whole one. Nothing else is left in FILE's folder.
 * Prints a line "ok - ..." or "not ok - ...", the first few offences above it.
 */
#include "testdata/gen/manners.h"

#include <dirent.h>

static struct {
	long step, from;
	const char *out;
} opt = {1, 1, NULL};

struct result {
	int status;
	char *out, *err, *file; /* file: NULL when it is not there */
	size_t n_out, n_err, n_file;
	int beside; /* files in its folder but FILE */
};

static char *whole(int fd, size_t *n)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char *s = malloc((size_t)end + 1);

	if (!s || pread(fd, s, (size_t)end, 0) != end)
		die("failures");
	s[end] = '\0';
	*n = (size_t)end;
	return s;
}

static int scratch(void)
{
	char name[] = "/tmp/failures.XXXXXX";
	int fd = mkstemp(name);

	if (fd < 0)
		die(name);
	unlink(name);
	return fd;
}

static int files_beside(const char *path)
{
	char folder[4096];
	const char *slash = strrchr(path, '/');
	struct dirent *d;
	int n = 0;
	DIR *dir;

	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1,
		 slash ? path : ".");
	dir = opendir(folder);
	if (!dir)
		die(folder);
	while ((d = readdir(dir)))
		n += d->d_name[0] != '.' && strcmp(d->d_name, slash ? slash + 1 : path);
	closedir(dir);
	return n;
}

/* at: 0 fails nothing, and leaves the number of allocations in the file "count". */
static struct result once(const char *library, long at, char **argv)
{
	int out = scratch(), err = scratch(), status = 0;
	struct result r = {0};
	char number[32];
	pid_t child;

	snprintf(number, sizeof number, "%ld", at);
	if (opt.out)
		unlink(opt.out);
	child = fork();
	if (!child) {
		lseek(0, 0, SEEK_SET);
		dup2(out, 1);
		dup2(err, 2);
		setenv("LD_PRELOAD", library, 1);
		setenv(at ? "FAIL_AT" : "FAIL_COUNT", at ? number : "count", 1);
		alarm(20);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		die("waitpid");
	r.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	r.out = whole(out, &r.n_out);
	r.err = whole(err, &r.n_err);
	close(out);
	close(err);
	if (opt.out) {
		int fd = open(opt.out, O_RDONLY);

		if (fd >= 0) {
			r.file = whole(fd, &r.n_file);
			close(fd);
		}
		r.beside = files_beside(opt.out);
	}
	return r;
}

static void release(struct result *r)
{
	free(r->out);
	free(r->err);
	free(r->file);
}

static int same(const char *a, size_t na, const char *b, size_t nb)
{
	return !a == !b && na == nb && (!a || !memcmp(a, b, na));
}

static void judge(long at, const struct result *r, const struct result *sound)
{
	int whole_file = same(r->file, r->n_file, sound->file, sound->n_file);
	int says_more = !same(r->err, r->n_err, sound->err, sound->n_err) && r->n_err;

	if (r->status != sound->status && r->status != 3)
		printf("  status %d\n", r->status);
	if (r->status != sound->status && r->status != 3)
		offence(at, "neither the undisturbed run's status nor 3, or a signal", r->err);
	else if (r->status == 3 && !says_more)
		offence(at, "status 3 without a line", r->err);
	else if (r->status == 3 && r->file && !whole_file)
		offence(at, "status 3, and a file that is not whole", r->err);
	else if (r->status != 3 && !says_more &&
		 !(whole_file && same(r->out, r->n_out, sound->out, sound->n_out)))
		offence(at, "another output without a word", r->err);
	else if (r->beside != sound->beside)
		offence(at, "a file is left beside the output", r->err);
}

int main(int argc, char **argv)
{
	long allocations = 0, runs = 0, kept = 0;
	struct result sound;
	const char *library;
	FILE *f;
	int i = 1;

	for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
		if (!strcmp(argv[i], "--step"))
			opt.step = atol(argv[i + 1]);
		else if (!strcmp(argv[i], "--from"))
			opt.from = atol(argv[i + 1]);
		else if (!strcmp(argv[i], "--out"))
			opt.out = argv[i + 1];
		else
			break;
	}
	if (i + 2 > argc || opt.step < 1 || opt.from < 1) {
		fprintf(stderr, "usage: see testdata/gen/failures.c\n");
		return 2;
	}
	library = argv[i];
	program = argv[i + 1];
	unlink("count");
	sound = once(library, 0, argv + i + 1);
	f = fopen("count", "r");
	if (!f || fscanf(f, "%ld", &allocations) != 1 || sound.status > 5)
		die("the undisturbed run");
	fclose(f);
	for (long at = opt.from; at <= allocations; at += opt.step, runs++) {
		struct result r = once(library, at, argv + i + 1);

		judge(at, &r, &sound);
		kept += r.status == sound.status;
		release(&r);
	}
	release(&sound);
	printf("%s - %s: %ld of %ld allocations fail: %ld end with status 3, %ld go on\n",
	       offences || !runs ? "not ok" : "ok", program, runs, allocations, runs - kept, kept);
	return offences > 0;
}
