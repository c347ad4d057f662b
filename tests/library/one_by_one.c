/* SPDX-License-Identifier: MIT
 *
 * Addresses that are asked one at a time, by a handle that keeps what it has decoded.
 *
 *     one_by_one same BINARY ADDRESSES        the answers are those of one batch, whatever may be kept
 *     one_by_one replaced PATH OTHER ADDRESS  PATH is replaced by OTHER, which is opened at once, and
 *                                             then by itself: prints the lines, and that of the deleted file
 *     one_by_one close BINARY ADDRESS         what a closed binary held is given back
 */
#include <tracemill/symbolize.h>

#include "tests/library/descriptors.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 20000, VIEWERS = 3 };

static uint64_t addresses[MOST];
static size_t n;

static bool check(const char *what, bool good)
{
	printf("%s - library, one by one: %s\n", good ? "ok" : "not ok", what);
	return good;
}

/* A number for all that is said of a query. */
static uint64_t said(struct tracemill_symbolizer *s, const struct tracemill_query *q)
{
	struct tracemill_views v = {0};
	uint64_t h = q->why;

	if (tracemill_view(s, q, 1, &v))
		return 0;
	for (uint32_t k = 0; k < v.first[1]; k++) {
		const struct tracemill_call *c = &v.calls[k];
		const uint32_t numbers[] = {c->line,   c->column, c->discriminator, c->n_function,
					    c->n_file, c->by,     c->inlined};

		for (uint32_t i = 0; i < c->n_function; i++)
			h = h * 1000003 + (unsigned char)c->function[i];
		for (uint32_t i = 0; i < c->n_file; i++)
			h = h * 1000003 + (unsigned char)c->file[i];
		for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
			h = h * 1000003 + numbers[i] + 1;
	}
	tracemill_views_release(&v);
	return h;
}

static struct tracemill_symbolizer *handle(unsigned flags, uint64_t keep)
{
	const struct tracemill_options o = {
	    .size = sizeof o, .flags = flags, .threads = 2, .keep = keep};
	struct tracemill_symbolizer *s;

	return tracemill_symbolizer_new(&s, &o) ? NULL : s;
}

struct viewer {
	pthread_t thread;
	struct tracemill_symbolizer *s;
	const struct tracemill_query *q;
	uint64_t said;
};

static void *view(void *arg)
{
	struct viewer *v = arg;

	v->said = said(v->s, v->q);
	return NULL;
}

/* Asks step at a time from a place on, every one of the list once. Returns how many differ from want. */
static size_t ask(struct tracemill_symbolizer *s, const char *path, const uint64_t *want,
		  size_t from, size_t step)
{
	struct tracemill_query q[16] = {{.address = 0}};
	struct tracemill_binary *b;
	size_t wrong = 0;

	if (tracemill_binary_open(s, path, &b))
		return n;
	for (size_t i = 0; i < n; i += step) {
		size_t m = n - i < step ? n - i : step;

		for (size_t k = 0; k < m; k++)
			q[k] = (struct tracemill_query){
			    .binary = b, .address = addresses[((i + k) * 7919 + from) % n]};
		if (tracemill_symbolize(s, q, m))
			return n;
		for (size_t k = 0; k < m; k++)
			wrong += said(s, &q[k]) != want[((i + k) * 7919 + from) % n];
		if (i % 64 == 0) {
			struct viewer viewers[VIEWERS];

			for (size_t k = 0; k < VIEWERS; k++) {
				viewers[k] = (struct viewer){.s = s, .q = &q[0]};
				if (pthread_create(&viewers[k].thread, NULL, view, &viewers[k]))
					return n;
			}
			for (size_t k = 0; k < VIEWERS; k++) {
				pthread_join(viewers[k].thread, NULL);
				wrong += viewers[k].said != want[(i * 7919 + from) % n];
			}
		}
	}
	return wrong;
}

static bool same(const char *path, const char *list)
{
	static const uint64_t keeps[] = {0, 1, 1 << 14, 1 << 18};
	static const unsigned flags[] = {
	    0, TRACEMILL_DEMANGLE | TRACEMILL_LLVM_SPELLING | TRACEMILL_DETAILS,
	    TRACEMILL_DECLARED | TRACEMILL_DETAILS};
	struct tracemill_query *q = calloc(MOST, sizeof *q);
	uint64_t *want = calloc(MOST, sizeof *want);
	FILE *f = fopen(list, "r");
	char line[64], what[200];
	bool good = q && want && f;

	while (good && n < MOST && fgets(line, sizeof line, f))
		addresses[n++] = strtoull(line, NULL, 16);
	if (f)
		fclose(f);
	for (size_t k = 0; good && k < sizeof flags / sizeof *flags; k++) {
		struct tracemill_symbolizer *s = handle(flags[k], 1);
		struct tracemill_binary *b;
		size_t known = 0;

		if (!s || tracemill_binary_open(s, path, &b))
			return check("a handle", false);
		for (size_t i = 0; i < n; i++)
			q[i] = (struct tracemill_query){.binary = b, .address = addresses[i]};
		if (tracemill_symbolize(s, q, n))
			return check("a batch", false);
		for (size_t i = 0; i < n; i++) {
			want[i] = said(s, &q[i]);
			known += want[i] != q[i].why;
		}
		tracemill_symbolizer_free(s);
		good &= check("there is something to know", known > n / 4);
		for (size_t i = 0; i < sizeof keeps / sizeof *keeps; i++) {
			size_t wrong = 0;

			s = handle(flags[k], keeps[i]);
			/* a unit is decoded when it was asked in some batches before */
			for (size_t round = 0; s && round < 3; round++)
				wrong += ask(s, path, want, round * 31, round == 1 ? 5 : 1);
			snprintf(what, sizeof what,
				 "flags %x, keep %" PRIu64 ": %zu answers as in a batch", flags[k],
				 keeps[i], n);
			good &= check(what, s && !wrong);
			tracemill_symbolizer_free(s);
		}
	}
	free(q);
	free(want);
	return good;
}

/* The line of the innermost call; 0: none. */
static uint32_t line_at(struct tracemill_symbolizer *s, struct tracemill_binary *b,
			uint64_t address)
{
	struct tracemill_query q = {.binary = b, .address = address};
	struct tracemill_views v = {0};
	uint32_t line = 0;

	if (!tracemill_symbolize(s, &q, 1) && !tracemill_view(s, &q, 1, &v) && v.first[1])
		line = v.calls[0].line;
	tracemill_views_release(&v);
	return line;
}

static bool replaced(const char *path, const char *other, uint64_t address)
{
	struct tracemill_symbolizer *s = handle(0, 0);
	struct tracemill_binary *b, *again;
	uint32_t first = 0, opened, back, deleted;
	char aside[4096];

	if (!s || tracemill_binary_open(s, path, &b))
		return check("a handle", false);
	for (int i = 0; i < 6; i++)
		first = line_at(s, b, address);
	snprintf(aside, sizeof aside, "%s.aside", path);
	if (rename(path, aside) || rename(other, path))
		return check("it is replaced", false);
	opened =
	    tracemill_binary_open(s, path, &again) || again != b ? 0 : line_at(s, again, address);
	if (rename(aside, path))
		return check("it is replaced again", false);
	nanosleep(&(struct timespec){.tv_nsec = 1000000},
		  NULL); /* it looks once in a millisecond */
	back = line_at(s, b, address);
	if (unlink(path))
		return check("it is deleted", false);
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	deleted = line_at(s, b, address);
	printf("lines %u %u %u %u\n", first, opened, back, deleted);
	tracemill_symbolizer_free(s);
	return true;
}

/* KiB of memory that is no file's. */
static long memory(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[200];
	long kib = -1;

	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "RssAnon:", 8))
			kib = atol(line + 8);
	if (f)
		fclose(f);
	return kib;
}

static bool closed(const char *path, uint64_t address)
{
	enum { TIMES = 300, GROWTH = 4096 };
	struct tracemill_symbolizer *s = handle(0, 0);
	struct tracemill_query q = {.address = address};
	struct tracemill_views v = {0};
	struct tracemill_binary *b;
	int before = descriptors(), open;
	uint32_t line;
	bool good;
	long first;

	if (!s || tracemill_binary_open(s, path, &b))
		return check("a handle", false);
	q.binary = b;
	line = line_at(s, b, address);
	open = descriptors();
	good = check("an open binary has a line and a file", line && open > before);
	good &= check("it is closed", !tracemill_binary_close(s, b) && descriptors() == before);
	good &= check("its answers are gone", tracemill_view(s, &q, 1, &v) == TRACEMILL_MISUSE);
	good &= check("to close it again is fine", !tracemill_binary_close(s, b));
	good &= check("it is opened again when it is used",
		      line_at(s, b, address) == line && descriptors() == open);
	first = memory();
	for (int i = 0; good && i < TIMES; i++)
		good = !tracemill_binary_close(s, b) && line_at(s, b, address) == line;
	good &= check("and again, with the same line", good && descriptors() == open);
	good &= check("without more memory", memory() - first < GROWTH);
	tracemill_views_release(&v);
	tracemill_symbolizer_free(s);
	return good;
}

int main(int argc, char **argv)
{
	bool good = false;

	if (argc == 4 && !strcmp(argv[1], "same"))
		good = same(argv[2], argv[3]);
	else if (argc == 5 && !strcmp(argv[1], "replaced"))
		good = replaced(argv[2], argv[3], strtoull(argv[4], NULL, 16));
	else if (argc == 4 && !strcmp(argv[1], "close"))
		good = closed(argv[2], strtoull(argv[3], NULL, 16));
	return !good;
}
