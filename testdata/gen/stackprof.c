/* SPDX-License-Identifier: MIT
 *
 *	stackprof [--samples N] VARIANT >FILE 2>TRUTH
 *
 * A profile of Ruby's stackprof: stack i is of main (a.rb:1) when i % 3 is 0, of update below it (a.rb:11) when 1, and of
 * the collector when 2, which interrupted update. Each has i % 2 + 1 samples, 100 us after each other.
 * VARIANT:
 *
 *	wall     times are deltas
 *	cpu      times are intervals, of 1000 us
 *	object   allocations, without times
 *	noraw    without stacks
 *	damaged  wall; stack 1 has a function that is not there, and the last one is cut
 *
 * The truth: "samples N", "stacks N".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

static long stacks = 6;

int main(int argc, char **argv)
{
	long samples = 0;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--samples") && i + 1 < argc)
			stacks = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	for (long i = 0; i < stacks; i++)
		samples += i % 2 + 1;
	printf("{\"version\":1.2,\"mode\":\"%s\",\"interval\":1000,\"samples\":%ld,\"gc_samples\":"
	       "1,\"missed_samples\":0,"
	       "\"frames\":{\"70\":{\"name\":\"main\",\"file\":\"a.rb\",\"line\":1,\"total_"
	       "samples\":1},"
	       "\"71\":{\"name\":\"update\",\"file\":\"a.rb\",\"line\":11,\"edges\":{\"70\":3}},"
	       "\"72\":{\"name\":\"(garbage collection)\",\"file\":\"\",\"samples\":4}}",
	       is("noraw") || is("damaged") ? "wall" : variant, samples);
	if (!is("noraw")) {
		printf(",\"raw\":[");
		for (long i = 0; i < stacks; i++) {
			long n = i % 2 + 1;

			printf("%s", i ? "," : "");
			if (is("damaged") && i + 1 == stacks)
				printf("9,70");
			else if (i % 3 == 0)
				printf("1,70,%ld", n);
			else if (i % 3 == 1)
				printf("2,70,%d,%ld", is("damaged") && i == 1 ? 99 : 71, n);
			else
				printf("1,72,%ld", n);
		}
		printf("],\"raw_timestamp_deltas\":[");
		for (long i = 0; i < samples; i++)
			printf("%s100", i ? "," : "");
		printf("]");
	}
	printf("}\n");
	fprintf(stderr, "samples %ld\nstacks %ld\n", samples, stacks);
	return 0;
}
