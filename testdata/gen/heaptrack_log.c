/* SPDX-License-Identifier: MIT
 *
 *	heaptrack_log [--events N] [--variant NAME] FORM >FILE 2>TRUTH
 *
 * A file as heaptrack writes it. FORM is the version of an interpreted file, 0 to 3, or raw2, raw3
 * of one that is not. Block i has 16 * (i % 9 + 1) bytes; two of three are freed, five allocations
 * later; every seventh is freed at once, and in the end the first half of the rest. VARIANT:
 *
 *	plain      nothing more
 *	inline     addresses have three calls each
 *	attached   of a process that ran already: frees of blocks that are not in the file
 *	reload     raw: the list of modules is written again half way, with other addresses
 *	damaged    a line that makes no sense after every tenth
 *	later      version 4
 *
 * The truth: allocations, requested, leaked, peak, temporary, rss (its largest); all in bytes but
 * for the first and temporary.
 */
#include "testdata/gen/gen.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 12, STACKS = 8, BASE = 0x400000 };

static struct {
	long events;
	int version, raw;
} opt = {.events = 60, .version = 3};

static unsigned n_strings, n_infos;
static unsigned infos[STACKS][10]; /* + 1 */
static uint64_t allocations, requested, live, peak, temporary, rss;

static unsigned text(const char *s)
{
	if (opt.version >= 3)
		printf("s %zx %s\n", strlen(s), s);
	else
		printf("s %s\n", s);
	return ++n_strings;
}

static void module(const char *name, unsigned long base)
{
	if (opt.version >= 3)
		printf("m %zx %s", strlen(name), name);
	else
		printf("m %s", name);
	if (*name == '-')
		printf("\n");
	else
		printf(" %lx 0 1000 1000 4000\n", base);
}

static void modules(unsigned long base)
{
	module("-", 0);
	module("x", base);
	module("/usr/lib/libgame.so", base + 0x10000000);
}

/* Stack k is functions k, k + 1, ..., k + 3; traces are written callers first. */
static unsigned long address(int function)
{
	return BASE + 0x1010 + (unsigned long)function * 64;
}

static void write_tables(void)
{
	unsigned names[FUNCTIONS], exe, file;
	char name[40];

	if (opt.raw) {
		modules(BASE);
		return;
	}
	exe = text("/usr/bin/game");
	file = text("game with blanks.cc");
	for (int f = 0; f < FUNCTIONS; f++) {
		snprintf(name, sizeof name, "Game::step%d(int, char)", f);
		names[f] = text(name);
	}
	for (int f = 0; f < FUNCTIONS; f++) {
		printf("i %lx %x", address(f), exe);
		if (f != 5) /* one without a name */
			printf(" %x", names[f]);
		if (f != 5 && f != 6) /* and one without a file */
			printf(" %x %x", file, 10 * f);
		if (is("inline") && f != 5 && f != 6)
			printf(" %x %x %x %x %x %x", names[(f + 1) % FUNCTIONS], file, 10 * f + 1,
			       names[(f + 2) % FUNCTIONS], file, 10 * f + 2);
		printf("\n");
	}
}

static void write_stacks(unsigned long shift)
{
	static unsigned n;

	for (int k = 0; k < STACKS; k++)
		for (int d = 3; d >= 0; d--, n++)
			if (opt.raw)
				printf("t %lx %x\n", address(k + d) + shift, d == 3 ? 0 : n);
			else
				printf("t %x %x\n", k + d + 1, d == 3 ? 0 : n);
}

static unsigned trace_of(long i)
{
	return (unsigned)(i % STACKS + 1) * 4 +
	       (is("reload") && i >= opt.events / 2 ? STACKS * 4 : 0);
}

static uint64_t size_of(long i)
{
	return 16 * (uint64_t)(i % 9 + 1);
}

static void alloc(long i)
{
	uint64_t size = size_of(i);

	if (opt.raw || !opt.version) {
		printf("+ %" PRIx64 " %x %lx\n", size, trace_of(i),
		       0x10000 + (unsigned long)i * 256);
	} else {
		unsigned *info = &infos[i % STACKS][i % 9];

		if (!*info) {
			printf("a %" PRIx64 " %x\n", size, trace_of(i));
			*info = ++n_infos;
		}
		printf("+ %x\n", *info - 1);
	}
	allocations++;
	requested += size;
	live += size;
	if (live > peak)
		peak = live;
}

static void release(long i)
{
	if (opt.raw || !opt.version)
		printf("- %lx\n", 0x10000 + (unsigned long)i * 256);
	else
		printf("- %x\n", infos[i % STACKS][i % 9] - 1);
	live -= size_of(i);
}

int main(int argc, char **argv)
{
	int i = 1;

	variant = "plain";
	for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2)
		if (!strcmp(argv[i], "--events"))
			opt.events = atol(argv[i + 1]);
		else
			variant = argv[i + 1];
	if (i + 1 != argc || opt.events < 1) {
		fprintf(stderr, "usage: see testdata/gen/heaptrack_log.c\n");
		return 2;
	}
	opt.raw = !strncmp(argv[i], "raw", 3);
	opt.version = atoi(argv[i] + (opt.raw ? 3 : 0));
	printf("v 10400");
	if (opt.version || is("later"))
		printf(" %x", is("later") ? 4 : opt.version);
	printf("\n");
	if (opt.raw)
		printf(opt.version >= 3 ? "x d /usr/bin/game\n" : "x /usr/bin/game\n");
	printf("X ./game --level 3\nI 1000 7d09db\nS leak:pool\n# a comment\n");
	if (is("attached"))
		printf("A\n");
	write_tables();
	write_stacks(0);
	for (long n = 0; n < opt.events; n++) {
		if (opt.raw && is("reload") && n == opt.events / 2) {
			modules(BASE + 0x100000);
			write_stacks(0x100000);
		}
		alloc(n);
		if (n % 7 == 0) {
			release(n);
			temporary++;
		}
		if (n >= 5 && (n - 5) % 3 && (n - 5) % 7)
			release(n - 5);
		if (n % 20 == 19) {
			printf("c %lx\nR %lx\n", n / 2, n + 100);
			if (((uint64_t)n + 100) * 4096 > rss)
				rss = ((uint64_t)n + 100) * 4096;
		}
		if (is("attached") && n % 10 == 9)
			printf("- %lx\n",
			       opt.raw || !opt.version ? 0x9990000 + (unsigned long)n : 0);
		if (is("damaged") && n % 10 == 9)
			printf(n % 20 == 9 ? "+ zz 1 2\n" : "?\n");
	}
	for (long n = 0; n < opt.events / 2; n += 3)
		if (n % 7)
			release(n);
	fprintf(stderr,
		"allocations %" PRIu64 "\nrequested %" PRIu64 "\nleaked %" PRIu64 "\npeak %" PRIu64
		"\ntemporary %" PRIu64 "\nrss %" PRIu64 "\n",
		allocations, requested, live, peak, temporary, rss);
	return fflush(stdout) ? 1 : 0;
}
