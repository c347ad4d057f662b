/* SPDX-License-Identifier: MIT
 *
 *	deep_copy [--functions N] VARIANT >FILE 2>TRUTH
 *
 * Instruments' deep copy of main, which calls f0 to fN-1, each of which calls draw. Of itself main has 5 units,
 * function i has i % 7, draw i % 3 + 1 below it. VARIANT, by the version that has its layout:
 *
 *	time     7.3: milliseconds, with own times without a unit
 *	seconds  16.0: "1.23 s", milliseconds where it is less, with own times, and figure spaces
 *	cycles   13.4: thousands of cycles, "-" where a function has none itself
 *	bytes    7.3: bytes and numbers of blocks, nothing of a function alone
 *	damaged  time; every tenth function's row has no number
 *
 * The truth: "FUNCTION self V" in nanoseconds, cycles or bytes, and the total, of what is sound.
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

static long functions = 10;

static void amount(long units)
{
	if (is("seconds") && units >= 1000)
		printf("%ld.%03ld s", units / 1000, units % 1000);
	else if (is("seconds"))
		printf(units ? "%ld.00 ms" : "%ld s", units);
	else if (is("cycles"))
		printf("%ld.00 Kc", units);
	else if (is("bytes"))
		printf(" %ld Bytes", units);
	else
		printf("%ld.0ms", units);
}

static void print_row(int depth, const char *name, long units, long own, bool damaged)
{
	if (damaged)
		printf("much");
	else
		amount(units);
	printf(is("seconds") ? "  \342\200\2070.0%%\t" : "   50.0%%\t");
	if (is("bytes"))
		printf("%ld", units * 2); /* blocks */
	else if (is("cycles") && !own)
		printf("-");
	else if (is("cycles") || is("seconds"))
		amount(own);
	else
		printf("%ld", own);
	printf("%s\t%*s%s\n", is("seconds") ? "" : "\t ", depth, "", name);
}

int main(int argc, char **argv)
{
	long whole = 5, draw = 0, unit, all = 5;
	char name[32];

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--functions") && i + 1 < argc)
			functions = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	unit = is("cycles") ? 1000 : is("bytes") ? 1 : 1000000;
	for (long i = 0; i < functions; i++)
		whole += i % 7 + i % 3 + 1;
	printf("%s\n", is("bytes")     ? "Bytes Used\tCount\t\tSymbol Name"
		       : is("seconds") ? "Weight\tSelf Weight\tSymbol Names"
		       : is("cycles")  ? "Weight\tSelf Weight\t\tSymbol Name"
				       : "Running Time\tSelf (ms)\t\tSymbol Name");
	print_row(0, "main", whole, 5, false);
	for (long i = 0; i < functions; i++) {
		long own = i % 7, below = i % 3 + 1;
		bool lost = is("damaged") && i % 10 == 9; /* draw is main's then */

		snprintf(name, sizeof name, "f%ld", i);
		print_row(1, name, own + below, own, lost);
		print_row(2, "draw", below, below, false);
		draw += below;
		all += below + (lost ? 0 : own);
		if (own && !lost)
			fprintf(stderr, "%s self %ld\n", name, own * unit);
	}
	fprintf(stderr, "main self %ld\ndraw self %ld\ntotal %ld\n", 5 * unit, draw * unit,
		all * unit);
	return 0;
}
