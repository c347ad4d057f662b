/* SPDX-License-Identifier: MIT
 *
 * Names for captures through libtracemill: a trace of a known binary, written here, gets the names that
 * nm has; what is wrong, cut, damaged or interrupted is said; and memory that runs out at each
 * allocation in turn is an error of that call, after which the same naming does its work.
 *
 *     naming BINARY SYMBOLS STEP
 *
 * SYMBOLS has lines of an address and the name of the function that begins there.
 */
#include "lib/base/resource_scope.h"
#include "lib/library/tracemill/symbolize_trace.h"
#include "tests/library/descriptors.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BASE = 0x10000000, MOST = 1000 };

static const char *binary;
static struct known {
	uint64_t address;
	char name[128];
} known[MOST];
static size_t n_known;
static bool failed, impatient;
static struct tracemill_symbolizer *interrupted;

static bool check(const char *what, bool good)
{
	printf("%s - library: %s\n", good ? "ok" : "not ok", what);
	failed |= !good;
	return good;
}

static void read_symbols(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[256], *space;

	while (f && n_known < MOST && fgets(line, sizeof line, f)) {
		known[n_known].address = strtoull(line, &space, 16);
		snprintf(known[n_known++].name, sizeof known->name, "%.*s",
			 (int)strcspn(space + 1, "\n"), space + 1);
	}
	if (f)
		fclose(f);
}

static int memory_file(void)
{
	int fd = memfd_create("naming", MFD_CLOEXEC);

	if (fd < 0)
		exit(2);
	return fd;
}

/* An allocation in each function; mapped: the trace knows the module. */
static int naming_make_trace(bool mapped)
{
	struct tracemill_event e = {.kind = TRACEMILL_ALLOC,
				    .has = TRACEMILL_HAS_REQUESTED | TRACEMILL_HAS_STACK,
				    .requested = 8};
	struct tracemill_writer *w;
	int fd = memory_file();

	if (tracemill_writer_new(&w, fd))
		exit(2);
	if (mapped)
		tracemill_writer_module(w, binary, NULL, 0, BASE, BASE + (16 << 20), 0);
	for (size_t i = 0; i < n_known; i++) {
		struct tracemill_location l = {
		    .space = TRACEMILL_RUNTIME, .kind = 2, .address = BASE + known[i].address};

		e.stack = tracemill_writer_stack(w, 0, tracemill_writer_location(w, &l));
		tracemill_writer_event(w, &e);
	}
	if (tracemill_writer_finish(w))
		exit(2);
	tracemill_writer_free(w);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static size_t size_of(int fd)
{
	return (size_t)lseek(fd, 0, SEEK_END);
}

static char *naming_bytes(int fd, size_t *n)
{
	char *bytes = malloc(size_of(fd) + 1);

	*n = size_of(fd);
	if (!bytes || pread(fd, bytes, *n, 0) != (ssize_t)*n)
		exit(2);
	return bytes;
}

static bool same(int a, int b)
{
	size_t n, m;
	char *x = naming_bytes(a, &n), *y = naming_bytes(b, &m);
	bool good = n == m && !memcmp(x, y, n);

	free(x);
	free(y);
	return good;
}

static enum tracemill_status scan(struct tracemill_trace_symbolizer *n, int fd)
{
	const struct tracemill_stream from = {.size = sizeof from, .fd = fd};

	lseek(fd, 0, SEEK_SET);
	return tracemill_trace_symbolizer_scan(n, &from, NULL);
}

/* The trace with its names; -1: there is not, and st says why. */
static int named(struct tracemill_trace_symbolizer *n, int fd, enum tracemill_status *st)
{
	int to = memory_file();

	*st = scan(n, fd);
	if (!*st)
		*st = tracemill_trace_symbolizer_copy(n, to);
	if (!*st)
		return to;
	close(to);
	return -1;
}

static struct tracemill_trace_symbolizer *naming_of(struct tracemill_symbolizer *s, unsigned flags)
{
	const struct tracemill_trace_symbolizer_options o = {
	    .size = sizeof o, .flags = flags, .files = &binary, .n_files = 1};
	struct tracemill_trace_symbolizer *n;

	if (tracemill_trace_symbolizer_new(s, &o, &n))
		exit(2);
	return n;
}

/* --- what it gives --- */

static bool count_names(void *arg, const struct tracemill_trace *t)
{
	for (size_t i = 0; i < n_known; i++) {
		struct tracemill_call calls[8];
		size_t n = tracemill_trace_calls(t, (uint32_t)i + 1, false, calls, 8);

		for (size_t k = 0; k < n && k < 8; k++)
			if (!strcmp(calls[k].function, known[i].name)) {
				++*(size_t *)arg;
				break;
			}
	}
	return true;
}

static size_t names_in(int fd)
{
	const struct tracemill_receiver receiver = {.size = sizeof receiver, .end = count_names};
	char path[64], error[200];
	size_t n = 0;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (tracemill_trace_read(path, &receiver, &n, error, sizeof error))
		printf("%s\n", error);
	return n;
}

static void check_names(struct tracemill_symbolizer *s, int trace, int want)
{
	struct tracemill_trace_symbolizer *n = naming_of(s, TRACEMILL_NO_CAPTURED_PATHS);
	int unmapped = naming_make_trace(false), to;
	enum tracemill_status st;
	char maps[600];

	check("a trace gets the names that nm has", names_in(want) == n_known);
	check("... which it did not have", !names_in(trace));
	snprintf(maps, sizeof maps, "%x-%x r-xp 00000000 00:00 1 %s\n", BASE, BASE + (16 << 20),
		 binary);
	to = named(n, unmapped, &st);
	check("without modules it gets none", !st && !names_in(to));
	close(to);
	check("a map of modules that is none",
	      tracemill_trace_symbolizer_maps(n, "none", 4) == TRACEMILL_BAD &&
		  *tracemill_error(s));
	check("a map of modules", !tracemill_trace_symbolizer_maps(n, maps, strlen(maps)));
	to = named(n, unmapped, &st);
	check("... and the same names", !st && names_in(to) == n_known);
	close(to);
	close(unmapped);
}

/* Sums that have one way to be right; files and modules are the binary. */
static void check_told(struct tracemill_symbolizer *s, int trace)
{
	struct tracemill_trace_symbolizer *n = naming_of(s, TRACEMILL_TIMES);
	struct tracemill_capture t = {.size = sizeof t};
	struct tracemill_coverage all = {.size = sizeof all}, one = {.size = sizeof one};
	struct tracemill_file f = {.size = sizeof f};
	struct tracemill_module m = {.size = sizeof m};
	struct tracemill_times times = {.size = sizeof times};
	struct tracemill_binary_times of = {.size = sizeof of};
	const char *text, *end = strrchr(binary, '/');
	size_t length;

	check("scanned", !scan(n, trace));
	check("one capture", !tracemill_trace_symbolizer_capture(n, 0, &t) &&
				 tracemill_trace_symbolizer_capture(n, 1, &t) == TRACEMILL_NOTHING);
	check("... of as many locations, in one module",
	      t.n_locations == n_known && t.n_modules == 1 &&
		  !strcmp(tracemill_trace_module(t.trace, 1), binary));
	check("all of them are of the binary",
	      !tracemill_trace_symbolizer_coverage(n, 0, 0, &all) &&
		  !tracemill_trace_symbolizer_coverage(n, 0, 1, &one) && all.n == n_known &&
		  one.n == n_known);
	check("... have a name, and tiers are the whole",
	      all.lines && all.lines + all.names == all.n && !all.modules && !all.nothing);
	check("no second binary",
	      tracemill_trace_symbolizer_coverage(n, 0, 2, &one) == TRACEMILL_NOTHING);
	check("the file was given, and used",
	      !tracemill_trace_symbolizer_file(n, 0, &f) && f.given && f.used && f.usable &&
		  f.has_lines && !strcmp(f.path, binary) && !*f.why &&
		  tracemill_trace_symbolizer_file(n, 1, &f) == TRACEMILL_NOTHING);
	check("the module was looked for", !tracemill_trace_symbolizer_module(n, 0, &m) &&
					       !m.reason && m.has_lines && !strcmp(m.name, binary));
	check("how it was found", !tracemill_trace_symbolizer_explain_modules(n, &text, &length) &&
				      strlen(text) == length && end && strstr(text, end));
	check("what a location is", !tracemill_trace_symbolizer_explain(n, 0, 1, &text, &length) &&
					strlen(text) == length && strstr(text, known[0].name));
	check("... and one that there is not",
	      tracemill_trace_symbolizer_explain(n, 0, (uint32_t)n_known + 1, &text, &length) ==
		  TRACEMILL_MISUSE);
	check("times", !tracemill_trace_symbolizer_times(n, &times) && times.locations == n_known &&
			   !tracemill_trace_symbolizer_binary_times(n, 0, &of) &&
			   of.locations == n_known);
}

static void check_text(struct tracemill_symbolizer *s)
{
	struct tracemill_trace_symbolizer *n = naming_of(s, 0);
	struct tracemill_text_sums sums = {.size = sizeof sums};
	char line[1000], want[200];
	const char *text;
	size_t length;

	snprintf(line, sizeof line, "    #0 0x%llx  (%s+0x%llx)\nelse\n",
		 (unsigned long long)(BASE + known[0].address), binary,
		 (unsigned long long)known[0].address);
	snprintf(want, sizeof want, " in %s", known[0].name);
	check("a log's line gets its name",
	      !tracemill_trace_symbolizer_text(n, line, strlen(line), &text, &length) &&
		  strlen(text) == length && strstr(text, want) && strstr(text, "\nelse\n"));
	check("... and is counted",
	      !tracemill_trace_symbolizer_text_end(n, &sums) && sums.n == 1 && sums.named == 1);
	check("the next log begins at 0",
	      !tracemill_trace_symbolizer_text_end(n, &sums) && !sums.n);
}

/* --- what is wrong --- */

static void naming_check_misuse(struct tracemill_symbolizer *s, int trace)
{
	static const char *const modules[] = {"nothing"};
	struct tracemill_trace_symbolizer_options o = {
	    .size = sizeof o, .modules = modules, .n_modules = 1};
	struct tracemill_trace_symbolizer *n;
	struct tracemill_capture t = {.size = 0};
	const char *text;
	size_t length;
	int ends[2], null = open("/dev/null", O_RDONLY), full = open("/dev/full", O_WRONLY);

	check("a module without a file",
	      tracemill_trace_symbolizer_new(s, &o, &n) == TRACEMILL_MISUSE);
	o.n_modules = 0;
	o.locations = 9;
	check("locations of no kind",
	      tracemill_trace_symbolizer_new(s, &o, &n) == TRACEMILL_MISUSE);
	o.locations = 0;
	o.size = 1;
	check("options without a size",
	      tracemill_trace_symbolizer_new(s, &o, &n) == TRACEMILL_MISUSE);
	n = naming_of(s, 0);
	check("a copy of nothing",
	      tracemill_trace_symbolizer_copy(n, full) == TRACEMILL_MISUSE && *tracemill_error(s));
	check("a capture of nothing without a size",
	      tracemill_trace_symbolizer_capture(n, 0, &t) == TRACEMILL_MISUSE);
	check("an explanation of nothing",
	      tracemill_trace_symbolizer_explain(n, 0, 1, &text, &length) == TRACEMILL_MISUSE);
	check("no descriptor", scan(n, -1) == TRACEMILL_SYSTEM);
	check("an empty file has no capture",
	      !scan(n, null) &&
		  tracemill_trace_symbolizer_capture(
		      n, 0, &(struct tracemill_capture){.size = sizeof t}) == TRACEMILL_NOTHING);
	check("a trace", !scan(n, trace));
	check("a full disk", tracemill_trace_symbolizer_copy(n, full) == TRACEMILL_SYSTEM);
	check("a descriptor for reading",
	      tracemill_trace_symbolizer_copy(n, null) == TRACEMILL_SYSTEM);
	if (pipe(ends))
		exit(2);
	close(ends[0]);
	check("a pipe that nobody reads",
	      tracemill_trace_symbolizer_copy(n, ends[1]) == TRACEMILL_PIPE);
	close(ends[1]);
	close(null);
	close(full);
}

static int naming_feed(int trace, pid_t *pid)
{
	int ends[2];
	size_t n;
	char *bytes = naming_bytes(trace, &n);

	if (pipe(ends) || (*pid = fork()) < 0)
		exit(2);
	if (!*pid) {
		close(ends[0]);
		_exit(write(ends[1], bytes, n) != (ssize_t)n);
	}
	close(ends[1]);
	free(bytes);
	return ends[0];
}

/* Of what is cut or damaged nothing but what was sound comes out, and the naming lives on. */
static void check_hostile(struct tracemill_symbolizer *s, int trace, int want)
{
	struct tracemill_trace_symbolizer *n = naming_of(s, 0);
	struct tracemill_stream from = {.size = sizeof from, .ends = "lost by its sender"};
	struct tracemill_scanned scanned = {.size = sizeof scanned};
	struct tracemill_capture t = {.size = sizeof t};
	struct tracemill_note note = {.text = ""};
	enum tracemill_status st;
	size_t size, wrong = 0;
	char *bytes = naming_bytes(trace, &size);
	int cut = memory_file(), to;
	pid_t pid;

	for (size_t k = 0; k < size; k += 3) {
		bytes[k] ^= 0x11;
		if (pwrite(cut, bytes, size, 0) != (ssize_t)size)
			exit(2);
		bytes[k] ^= 0x11;
		to = named(n, cut, &st);
		wrong += st != TRACEMILL_OK && st != TRACEMILL_BAD && st != TRACEMILL_UNSUPPORTED;
		wrong += to >= 0 && names_in(to) > n_known;
		close(to);
	}
	check("each third byte damaged", !wrong);
	if (pwrite(cut, bytes, size, 0) != (ssize_t)size)
		exit(2);
	for (size_t k = size; k-- > 0;) {
		if (ftruncate(cut, (off_t)k))
			exit(2);
		to = named(n, cut, &st);
		wrong += st != TRACEMILL_OK && st != TRACEMILL_BAD && st != TRACEMILL_UNSUPPORTED;
		close(to);
	}
	check("cut at each byte", !wrong);
	if (pwrite(cut, bytes, size - 4, 0) != (ssize_t)size - 4)
		exit(2);
	lseek(cut, 0, SEEK_SET);
	from.fd = cut;
	check("cut behind its events", !tracemill_trace_symbolizer_scan(n, &from, &scanned) &&
					   scanned.cut && scanned.n == 1 &&
					   !tracemill_trace_symbolizer_capture(n, 0, &t));
	for (size_t i = t.first_note; tracemill_trace_note(t.trace, i, &note); i++)
		if (strstr(note.text, from.ends))
			break;
	check("... with the reason in a note", strstr(note.text, from.ends));
	if (ftruncate(cut, 40))
		exit(2);
	check("shorter at the second look",
	      tracemill_trace_symbolizer_copy(n, cut) == TRACEMILL_BAD);
	from.fd = naming_feed(trace, &pid);
	from.ends = NULL;
	to = memory_file();
	check("through a pipe", !tracemill_trace_symbolizer_scan(n, &from, &scanned) &&
				    !scanned.cut && !tracemill_trace_symbolizer_copy(n, to) &&
				    same(to, want));
	close(from.fd);
	close(to);
	to = named(n, trace, &st);
	check("and the whole one after all that: as it was", !st && same(to, want));
	close(to);
	close(cut);
	free(bytes);
}

/* A trace with names is left alone where that was asked for. */
static void check_nameless(struct tracemill_symbolizer *s, int trace, int want)
{
	struct tracemill_trace_symbolizer *n = naming_of(s, TRACEMILL_ONLY_NAMELESS);
	struct tracemill_stream from = {.size = sizeof from, .fd = want};
	struct tracemill_scanned scanned = {.size = sizeof scanned};

	lseek(want, 0, SEEK_SET);
	check("a trace with names, where only others are wanted",
	      !tracemill_trace_symbolizer_scan(n, &from, &scanned) && scanned.already_symbolized &&
		  !scanned.n && tracemill_trace_symbolizer_copy(n, want) == TRACEMILL_MISUSE);
	from.fd = trace;
	lseek(trace, 0, SEEK_SET);
	check("... and one without", !tracemill_trace_symbolizer_scan(n, &from, &scanned) &&
					 !scanned.already_symbolized && scanned.n == 1);
}

static void naming_progress(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	(void)done;
	(void)total;
	if (impatient)
		tracemill_cancel(interrupted);
}

static void naming_check_cancel(int trace, int want)
{
	const struct tracemill_options o = {.size = sizeof o, .progress = naming_progress};
	struct tracemill_trace_symbolizer *n;
	enum tracemill_status st;
	int to;

	if (tracemill_symbolizer_new(&interrupted, &o))
		exit(2);
	n = naming_of(interrupted, 0);
	impatient = true;
	st = scan(n, trace);
	check("a scan that is cancelled", st == TRACEMILL_CANCELLED);
	check("... has nothing to copy",
	      tracemill_trace_symbolizer_copy(n, want) == TRACEMILL_MISUSE);
	impatient = false;
	to = named(n, trace, &st);
	check("... and the next one is whole", !st && same(to, want));
	close(to);
	tracemill_symbolizer_free(interrupted);
}

/* --- memory that runs out --- */

/* All that a naming can be asked. */
static enum tracemill_status naming_ask_all(struct tracemill_trace_symbolizer *n, int trace)
{
	struct tracemill_capture t = {.size = sizeof t};
	struct tracemill_coverage c = {.size = sizeof c};
	struct tracemill_file f = {.size = sizeof f};
	struct tracemill_module m = {.size = sizeof m};
	char line[600];
	const char *text;
	size_t length;
	int to = memory_file();
	enum tracemill_status st;

	snprintf(line, sizeof line, "%x-%x r-xp 00000000 00:00 1 %s\n", BASE, BASE + (16 << 20),
		 binary);
	st = tracemill_trace_symbolizer_maps(n, line, strlen(line));
	snprintf(line, sizeof line, "    #0 0x%llx  (%s+0x%llx)\n",
		 (unsigned long long)(BASE + known[0].address), binary,
		 (unsigned long long)known[0].address);
	if (!st)
		st = scan(n, trace);
	if (!st)
		st = tracemill_trace_symbolizer_capture(n, 0, &t);
	if (!st)
		st = tracemill_trace_symbolizer_coverage(n, 0, 1, &c);
	if (!st)
		st = tracemill_trace_symbolizer_file(n, 0, &f);
	if (!st)
		st = tracemill_trace_symbolizer_module(n, 0, &m);
	if (!st)
		st = tracemill_trace_symbolizer_explain_modules(n, &text, &length);
	if (!st)
		st = tracemill_trace_symbolizer_explain(n, 0, 1, &text, &length);
	if (!st)
		st = tracemill_trace_symbolizer_copy(n, to);
	if (!st)
		st = tracemill_trace_symbolizer_text(n, line, strlen(line), &text, &length);
	if (!st)
		st = tracemill_trace_symbolizer_text_end(n, NULL);
	close(to);
	return st;
}

static void check_failures(int trace, int want, size_t step)
{
	const struct tracemill_options o = {
	    .size = sizeof o, .flags = TRACEMILL_EXPLAIN, .threads = 2};
	size_t total = 0, out = 0, wrong = 0;

	for (size_t k = 0; k <= total; k += k ? step : 1) {
		struct tracemill_symbolizer *s;
		struct tracemill_trace_symbolizer *n;
		enum tracemill_status st;
		int before = descriptors(), to;

		if (tracemill_symbolizer_new(&s, &o))
			exit(2);
		n = naming_of(s, 0);
		resource_scope_fail_at(k);
		st = naming_ask_all(n, trace);
		/* threads do not take the same turns each time: the last ones may not be reached */
		if (!k)
			total = resource_scope_allocations();
		else if (st != TRACEMILL_MEMORY && resource_scope_allocations() >= k)
			wrong += printf("%zu: status %d, %s\n", k, (int)st, tracemill_error(s)) > 0;
		resource_scope_fail_at(0);
		out += st == TRACEMILL_MEMORY;
		to = named(n, trace, &st);
		if (st || !same(to, want))
			wrong += printf("%zu, again: status %d, %s\n", k, (int)st,
					tracemill_error(s)) > 0;
		close(to);
		tracemill_symbolizer_free(s);
		if (descriptors() != before)
			wrong +=
			    printf("%zu: %d descriptors, were %d\n", k, descriptors(), before) > 0;
	}
	printf("# %zu allocations, %zu failed\n", total, out);
	check("each allocation of a scan and a copy fails once", !wrong);
	check("... and there were some", total > 300 && out > total / step * 3 / 4);
}

int main(int argc, char **argv)
{
	const struct tracemill_options explains = {.size = sizeof explains,
						   .flags = TRACEMILL_EXPLAIN};
	struct tracemill_symbolizer *s, *plain;
	enum tracemill_status st;
	int trace, want;

	if (argc != 4)
		return 2;
	binary = argv[1];
	signal(SIGPIPE, SIG_IGN);
	read_symbols(argv[2]);
	trace = naming_make_trace(true);
	if (tracemill_symbolizer_new(&s, &explains) || tracemill_symbolizer_new(&plain, NULL))
		return 2;
	want = named(naming_of(plain, 0), trace, &st);
	if (!check("a trace is scanned and copied", !st))
		return 1;
	check_names(plain, trace, want);
	check_told(s, trace);
	check_text(plain);
	naming_check_misuse(plain, trace);
	check_hostile(plain, trace, want);
	check_nameless(plain, trace, want);
	naming_check_cancel(trace, want);
	tracemill_symbolizer_free(plain);
	tracemill_symbolizer_free(s);
	check_failures(trace, want, strtoul(argv[3], NULL, 10));
	close(trace);
	close(want);
	return failed;
}
