/* SPDX-License-Identifier: MIT
 *
 * Addresses asked one at a time by a client that waits for each answer, for tests/bench/symbolize.sh.
 *
 *     one_by_one pipe ADDRESSES N PROGRAM...   a symbolizer that answers lines, each answer ended by an empty one
 *     one_by_one library ADDRESSES N BINARY    libtracemill, one handle, one thread
 *     one_by_one libraries PATHS N             the same, of each of N files an address of its code
 *     one_by_one backtrace ADDRESSES N BINARY  GCC's libbacktrace (with -DHAVE_BACKTRACE)
 *     one_by_one echo                          for pipe: says the same to each line, so that only the pipe costs
 *
 * Prints, tab-separated: microseconds of CPU up to the first answer, CPU of each of the others, CPU of each of all, of
 * an address that was asked before (library), and the most memory in KiB.
 */
#include <tracemill/symbolize.h>

#ifdef HAVE_BACKTRACE
#include <backtrace.h>
#endif
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 100000, AGAIN = 20000, DIFFERENT = 16 };

static unsigned long long addresses[MOST];
static size_t n;

static int fail(const char *what)
{
	fprintf(stderr, "one_by_one: %s\n", what);
	exit(1);
}

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The most memory that a process had, KiB. */
static long peak(pid_t pid)
{
	char path[64], line[200];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "VmHWM:", 6))
			kib = atol(line + 6);
	if (f)
		fclose(f);
	return kib;
}

/* Microseconds that a process of one thread has run. */
static double ran(pid_t pid)
{
	char path[64];
	double ns = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%lf", &ns) != 1)
		fail(path);
	fclose(f);
	return ns / 1e3;
}

static void report(double first, double end, double again, long kib)
{
	printf("%.1f\t%.2f\t%.2f\t", first, n > 1 ? (end - first) / (double)(n - 1) : 0,
	       end / (double)n);
	if (again >= 0)
		printf("%.2f", again);
	printf("\t%ld\n", kib);
}

static void ask_pipe(char **command)
{
	extern char **environ;
	int to[2], from[2];
	posix_spawn_file_actions_t files;
	double first = 0, end;
	char *line = NULL;
	size_t cap = 0;
	FILE *in, *out;
	pid_t pid;

	if (pipe(to) || pipe(from))
		fail("pipe");
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, to[0], 0);
	posix_spawn_file_actions_adddup2(&files, from[1], 1);
	posix_spawn_file_actions_addclose(&files, to[1]);
	posix_spawn_file_actions_addclose(&files, from[0]);
	if (posix_spawnp(&pid, command[0], &files, NULL, command, environ))
		fail(command[0]);
	close(to[0]);
	close(from[1]);
	out = fdopen(to[1], "w");
	in = fdopen(from[0], "r");
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "0x%llx\n", addresses[i]);
		fflush(out);
		do {
			if (getline(&line, &cap, in) < 0)
				fail("an answer is missing");
		} while (line[0] != '\n');
		if (!i)
			first = ran(pid);
	}
	end = ran(pid);
	report(first, end, -1, peak(pid));
	fclose(out);
	fclose(in);
	free(line);
}

static void ask_library(const char *path)
{
	const struct tracemill_options o = {.size = sizeof o, .threads = 1};
	struct tracemill_symbolizer *s;
	struct tracemill_views v = {0};
	struct tracemill_query q = {.address = 0};
	double first = 0, begin = cpu(), end, again;

	if (tracemill_symbolizer_new(&s, &o) || tracemill_binary_open(s, path, &q.binary))
		fail(path);
	for (size_t i = 0; i < n; i++) {
		q.address = addresses[i];
		if (tracemill_symbolize(s, &q, 1) || tracemill_view(s, &q, 1, &v))
			fail(tracemill_error(s));
		if (!i)
			first = cpu() - begin;
	}
	end = cpu() - begin;
	for (size_t i = 0; i < DIFFERENT * 5 + AGAIN; i++) {
		if (i == DIFFERENT * 5)
			begin = cpu();
		q.address = addresses[i % (n < DIFFERENT ? n : DIFFERENT)];
		if (tracemill_symbolize(s, &q, 1) || tracemill_view(s, &q, 1, &v))
			fail(tracemill_error(s));
	}
	again = (cpu() - begin) / AGAIN;
	report(first, end, again, peak(getpid()));
	tracemill_views_release(&v);
	tracemill_symbolizer_free(s);
}

static void ask_libraries(FILE *paths, size_t most)
{
	const struct tracemill_options o = {.size = sizeof o, .threads = 1};
	struct tracemill_symbolizer *s;
	struct tracemill_views v = {0};
	double first = 0, begin = cpu();
	char path[4096];

	if (tracemill_symbolizer_new(&s, &o))
		fail("no handle");
	while (n < most && fgets(path, sizeof path, paths)) {
		struct tracemill_binary_facts facts = {.size = sizeof facts};
		struct tracemill_query q = {.address = 0};

		path[strcspn(path, "\n")] = '\0';
		if (tracemill_binary_open(s, path, &q.binary) ||
		    tracemill_binary_facts(s, q.binary, &facts))
			fail(path);
		q.address = facts.code_base + 0x1000;
		if (tracemill_symbolize(s, &q, 1) || tracemill_view(s, &q, 1, &v))
			fail(tracemill_error(s));
		if (!n++)
			first = cpu() - begin;
	}
	report(first, cpu() - begin, -1, peak(getpid()));
	tracemill_views_release(&v);
	tracemill_symbolizer_free(s);
}

#ifdef HAVE_BACKTRACE
static void wrong(void *arg, const char *what, int number)
{
	(void)arg, (void)what, (void)number;
}

static int take(void *arg, uintptr_t pc, const char *file, int line, const char *function)
{
	(void)arg, (void)pc, (void)file, (void)line, (void)function;
	return 0;
}

static void ask_backtrace(const char *path)
{
	double first = 0, begin = cpu();
	struct backtrace_state *s = backtrace_create_state(path, 0, wrong, NULL);

	for (size_t i = 0; i < n; i++) {
		backtrace_pcinfo(s, (uintptr_t)addresses[i], take, wrong, NULL);
		if (!i)
			first = cpu() - begin;
	}
	report(first, cpu() - begin, -1, peak(getpid()));
}
#endif

static int echo(void)
{
	static const char answer[] =
	    "name_of_a_function\n/path/of/a/project/folder/file.c:123:4\n\n";
	char line[4096];

	while (read(STDIN_FILENO, line, sizeof line) > 0)
		if (write(STDOUT_FILENO, answer, sizeof answer - 1) < 0)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	FILE *f = argc > 4 ? fopen(argv[2], "r") : NULL;
	size_t most = f ? strtoul(argv[3], NULL, 10) : 0;

	if (argc == 2 && !strcmp(argv[1], "echo"))
		return echo();
	if (argc == 4 && !strcmp(argv[1], "libraries")) {
		f = fopen(argv[2], "r");
		if (!f)
			fail(argv[2]);
		ask_libraries(f, strtoul(argv[3], NULL, 10));
		fclose(f);
		return 0;
	}
	while (f && n < MOST && n < most && fscanf(f, "%llx", &addresses[n]) == 1)
		n++;
	if (!n)
		fail("pipe|library|backtrace ADDRESSES N PROGRAM...");
	fclose(f);
	if (!strcmp(argv[1], "pipe"))
		ask_pipe(argv + 4);
	else if (!strcmp(argv[1], "library"))
		ask_library(argv[4]);
#ifdef HAVE_BACKTRACE
	else if (!strcmp(argv[1], "backtrace"))
		ask_backtrace(argv[4]);
#endif
	else
		return 2;
	return 0;
}
