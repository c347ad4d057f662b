/* SPDX-License-Identifier: MIT
 *
 *	massif [--snapshots N] VARIANT >FILE 2>TRUTH
 *
 * A massif.out of N snapshots, every third with a tree. In snapshot s (0, 1, 2 ...) load has
 * 1000 * (s % 5) bytes in use, called by main; build 500 * s, called by load, which is called by main; and 64 bytes are of two
 * places below the threshold. VARIANT:
 *
 *	plain     time in instructions
 *	ms        time in milliseconds
 *	stacks    stacks have 300 bytes
 *	library   places in a library, without a line
 *	pages     of --pages-as-heap
 *	short     a tree has fewer places than it says
 *	odd       a place has more bytes than the one above it
 *	damaged   a line that makes no sense
 *
 * The truth: "snapshots N", "trees N", "peak N" and "last N", bytes in use.
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long of_load(long s)
{
	return 1000 * (s % 5);
}

static long of_build(long s)
{
	return 500 * s;
}

static long heap(long s)
{
	return of_load(s) + of_build(s) + 64;
}

static void place(int depth, int children, long bytes, int address, const char *name, int line)
{
	printf("%*sn%d: %ld 0x%X: %s ", depth, "", children, bytes, address, name);
	if (is("library"))
		printf("(in /usr/lib/libgame.so)\n");
	else
		printf("(game.c:%d)\n", line);
}

static void tree(long s)
{
	printf("n3: %ld %s\n", heap(s),
	       is("pages") ? "(page allocation syscalls) mmap/mremap/brk, --alloc-fns, etc."
			   : "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.");
	place(1, 1, of_load(s), 0x10917E, "load(char const*)", 4);
	place(2, 0, of_load(s) + (is("odd") ? 5 : 0), 0x1091C7, "main", 14);
	if (is("short"))
		return;
	if (is("damaged"))
		printf("what is this\n");
	place(1, 1, of_build(s), 0x1091A0, "build", 8);
	place(2, 1, of_build(s), 0x109180, "load(char const*)", 5);
	place(3, 0, of_build(s), 0x1091C7, "main", 14);
	printf(" n0: 64 in 2 places, all below massif's threshold (1.00%%)\n");
}

int main(int argc, char **argv)
{
	long n = 16, peak = 0, trees = 0, last = 0, best = -1;
	int i = 1;

	for (; i + 1 < argc && !strcmp(argv[i], "--snapshots"); i += 2)
		n = atol(argv[i + 1]);
	if (i + 1 != argc) {
		fprintf(stderr, "usage: see testdata/gen/massif.c\n");
		return 2;
	}
	variant = argv[i];
	for (long s = 0; s < n; s++)
		if (heap(s) > peak) {
			peak = heap(s);
			best = s / 3 * 3;
		}
	printf("desc: --detailed-freq=3\ncmd: ./game\ntime_unit: %s\n", is("ms") ? "ms" : "i");
	for (long s = 0; s < n; s++) {
		printf("#-----------\nsnapshot=%ld\n#-----------\ntime=%ld\n", s, s * 1000);
		printf("mem_heap_B=%ld\nmem_heap_extra_B=%ld\nmem_stacks_B=%d\n", heap(s), s * 8,
		       is("stacks") ? 300 : 0);
		printf("heap_tree=%s\n", s % 3 ? "empty" : s == best ? "peak" : "detailed");
		last = heap(s);
		if (s % 3)
			continue;
		trees++;
		tree(s);
	}
	fprintf(stderr, "snapshots %ld\ntrees %ld\npeak %ld\nlast %ld\n", n, trees, peak, last);
	return fflush(stdout) ? 1 : 0;
}
