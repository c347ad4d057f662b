/* SPDX-License-Identifier: MIT
 *
 *	gmon [--rows N] VARIANT >FILE 2>TRUTH
 *
 * gprof's gmon.out: a histogram at 100 ticks a second from 0x1000 on, in which function i (16 bytes at 0x1000 + 16 * i)
 * has i + 1 ticks, and an arc from function 0 to each other function i with 10 * i calls; the first function has no
 * caller, and one call.
 * VARIANT:
 *
 *	plain     of a 64-bit machine
 *	narrow    of a 32-bit machine
 *	big       of a 64-bit big-endian machine
 *	blocks    plain, with two counts of basic blocks
 *	wide      bins of 32 bytes
 *	watts     a histogram that is no time
 *	backward  the high address is below the low one
 *	cut       plain, which ends within an arc
 *
 * The truth: "ticks N", "calls N", "rows N".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

static long rows = 4;

static void number(struct buf *b, uint64_t v, unsigned n)
{
	char bytes[8];

	for (unsigned i = 0; i < n; i++)
		bytes[is("big") ? n - 1 - i : i] = (char)(v >> 8 * i);
	buf_add(b, bytes, n);
}

int main(int argc, char **argv)
{
	struct buf b = BUF_INIT;
	unsigned pointer, bin;
	long ticks = 0, calls = 1;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--rows") && i + 1 < argc)
			rows = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	pointer = is("narrow") ? 4 : 8;
	bin = is("wide") ? 32 : 16;
	buf_adds(&b, "gmon");
	number(&b, 1, 4);
	buf_add(&b, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
	buf_addc(&b, 0);
	number(&b, 0x1000, pointer);
	number(&b, is("backward") ? 0x10 : 0x1000 + (uint64_t)rows * bin, pointer);
	number(&b, (uint64_t)rows, 4);
	number(&b, 100, 4);
	buf_add(&b, is("watts") ? "watts\0\0\0\0\0\0\0\0\0\0w" : "seconds\0\0\0\0\0\0\0\0s", 16);
	for (long i = 0; i < rows; i++) {
		number(&b, (uint64_t)(i % 1000) + 1, 2);
		ticks += i % 1000 + 1;
	}
	if (is("blocks")) {
		buf_addc(&b, 2);
		number(&b, 2, 4);
		for (int i = 0; i < 4; i++)
			number(&b, 5, pointer);
	}
	for (long i = 0; i < rows; i++) {
		buf_addc(&b, 1);
		number(&b, i ? 0x1008 : 0, pointer);
		number(&b, 0x1000 + 16 * (uint64_t)i, pointer);
		number(&b, i ? 10 * (uint64_t)i : 1, 4);
		calls += 10 * i;
	}
	fwrite(b.data, 1, b.len - (is("cut") ? 3 : 0), stdout);
	fprintf(stderr, "ticks %ld\ncalls %ld\nrows %ld\n", ticks, calls, 2 * rows);
	buf_release(&b);
	return 0;
}
