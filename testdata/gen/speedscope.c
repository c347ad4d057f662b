/* SPDX-License-Identifier: MIT
 *
 *	speedscope [--samples N] VARIANT >FILE 2>TRUTH
 *
 * Two profiles of N samples each over the frames main (0), update (1), draw (2) and load (3). Sample i is
 * of main when i % 4 is 0, of update below it when 1, of draw below that when 2, and of load below main
 * when 3; its weight is i % 5 + 1. VARIANT:
 *
 *	time     milliseconds
 *	seconds  the same with decimals and exponents
 *	bytes    bytes
 *	number   without a unit
 *	calls    the same as enter and exit, in microseconds
 *	steps    the same as enter and exit, without a unit
 *	late     time, with the frames and the schema behind the profiles
 *	damaged  time; every tenth sample has a frame that is not there, every seventh weight is no number
 *	lost     calls; every tenth sample ends what did not begin, and the last is not ended
 *
 * The truth: "FUNCTION self V", "total V", V in nanoseconds, bytes or samples, of what is sound.
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long samples = 10;
static const char *const names[] = {"main", "update", "draw", "load"};
static const int depths[] = {1, 2, 3, 2}, stacks[][3] = {{0}, {0, 1}, {0, 1, 2}, {0, 3}};
static long self[4];

static long weight(long i)
{
	return i % 5 + 1;
}

static void frames(void)
{
	printf("\"shared\":{\"frames\":[");
	for (int i = 0; i < 4; i++)
		printf("%s{\"name\":\"%s\",\"file\":\"game.c\",\"line\":%d,\"col\":1}",
		       i ? "," : "", names[i], i * 10 + 1);
	printf("]}");
}

static void sampled(int profile, const char *unit)
{
	printf("{\"type\":\"sampled\",\"name\":\"thread %d\",\"unit\":\"%s\",\"startValue\":0,"
	       "\"endValue\":%ld,\n\"samples\":[",
	       profile, unit, samples * 3);
	for (long i = 0; i < samples; i++) {
		int of = (int)(i % 4);

		printf("%s[", i ? "," : "");
		for (int k = 0; k < depths[of]; k++)
			printf("%s%d", k ? "," : "", stacks[of][k]);
		printf("%s]", is("damaged") && i % 10 == 0 ? ",99" : "");
	}
	printf("],\n\"weights\":[");
	for (long i = 0; i < samples; i++) {
		printf("%s", i ? "," : "");
		if (is("damaged") && i % 7 == 6) {
			printf("1e999");
			continue;
		}
		if (is("seconds"))
			printf(i % 2 ? "%ldE-3" : "0.00%ld", weight(i));
		else
			printf("%ld", weight(i));
		self[i % 4] += weight(i);
	}
	printf("]}");
}

static void edge(char type, int frame, long at, int first)
{
	printf("%s{\"type\":\"%c\",\"frame\":%d,\"at\":%ld}", first ? "" : ",\n", type, frame, at);
}

static void evented(int profile, const char *unit)
{
	long at = 1000;

	printf("{\"type\":\"evented\",\"name\":\"thread %d\",\"unit\":\"%s\",\"startValue\":1000,"
	       "\"endValue\":%ld,\n\"events\":[",
	       profile, unit, 1000 + samples * 3);
	for (long i = 0; i < samples; i++) {
		int of = (int)(i % 4), last = is("lost") && i == samples - 1;

		for (int k = 0; k < depths[of]; k++)
			edge('O', stacks[of][k], at, !i && !k);
		if (is("lost") && i % 10 == 0)
			edge('C', 3, at, 0);
		at += weight(i);
		for (int k = depths[of]; k-- && !last;)
			edge('C', stacks[of][k], at, 0);
		self[of] += last ? 0 : weight(i);
	}
	printf("]}");
}

int main(int argc, char **argv)
{
	int calls, steps;
	const char *unit;
	long total = 0, ns;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--samples") && i + 1 < argc)
			samples = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	calls = is("calls") || is("lost");
	steps = is("steps");
	unit = calls                   ? "microseconds"
	       : is("seconds")         ? "seconds"
	       : is("bytes")           ? "bytes"
	       : is("number") || steps ? "none"
				       : "milliseconds";
	ns = calls ? 1000 : strcmp(unit, "none") && strcmp(unit, "bytes") ? 1000000 : 1;
	printf("{\"exporter\":\"generator\",");
	if (!is("late")) {
		printf("\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n");
		frames();
		printf(",\n");
	}
	printf("\"profiles\":[\n");
	for (int profile = 0; profile < 2; profile++) {
		printf("%s", profile ? ",\n" : "");
		(calls || steps ? evented : sampled)(profile, unit);
	}
	printf("]");
	if (is("late")) {
		printf(",\n");
		frames();
		printf(",\n\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"");
	}
	printf("}\n");
	for (int i = 0; i < 4; i++) {
		fprintf(stderr, "%s self %ld\n", names[i], self[i] * ns);
		total += self[i] * ns;
	}
	fprintf(stderr, "total %ld\n", total);
	return 0;
}
