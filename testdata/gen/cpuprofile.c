/* SPDX-License-Identifier: MIT
 *
 *	cpuprofile [--samples N] VARIANT >FILE 2>TRUTH
 *
 * A profile of V8: sample i is of main (node 2) when i % 4 is 0, of update below it (3) when 1, of draw
 * below that (4) when 2, of the garbage collector (5) when 3; the next one is taken i % 5 + 1 us later.
 * VARIANT:
 *
 *	nodes    a .cpuprofile of today, with children by number
 *	head     one of before, with children in their parents and times as they are
 *	heap     a .heapprofile: main has 100 bytes, update 20, draw 3
 *	chunks   trace events: a profile and chunks of 10 samples each, with parents by number
 *	damaged  nodes; every tenth sample is of a node that is not there; draw is its own caller
 *
 * The truth: "FUNCTION self V", "total V", V in nanoseconds or bytes.
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long samples = 10;
static const char *const names[] = {"(root)", "main", "update", "draw", "(garbage collector)"};
static const int parents[] = {0, 1, 2, 3, 1}, bytes[] = {0, 100, 20, 3, 0};
static const int of_sample[] = {2, 3, 4, 5};

static long weight(long i)
{
	return i % 5 + 1;
}

static void call_frame(int k)
{
	printf("\"callFrame\":{\"functionName\":\"%s\",\"scriptId\":\"7\",\"url\":\"%s\","
	       "\"lineNumber\":%d,\"columnNumber\":3}",
	       names[k], k > 0 && k < 4 ? "game.js" : "", k * 10 - 1);
}

static void nested(int k)
{
	int any = 0;

	printf("{");
	if (is("heap"))
		call_frame(k);
	else
		printf("\"functionName\":\"%s\",\"url\":\"%s\",\"lineNumber\":%d,\"callUID\":%d",
		       names[k], k > 0 && k < 4 ? "game.js" : "", k * 10 - 1, k + 70);
	printf(",\"id\":%d,\"hitCount\":1", k + 1);
	if (is("heap"))
		printf(",\"selfSize\":%d", bytes[k]);
	printf(",\"children\":[");
	for (int c = 1; c < 5; c++)
		if (parents[c] == k + 1) {
			printf("%s", any++ ? "," : "");
			nested(c);
		}
	printf("]}");
}

static void nodes(void)
{
	printf("\"nodes\":[");
	for (int k = 0; k < 5; k++) {
		int any = 0;

		printf("%s{\"id\":%d,", k ? "," : "", k + 1);
		call_frame(k);
		if (is("chunks")) {
			if (parents[k])
				printf(",\"parent\":%d", parents[k]);
		} else {
			printf(",\"hitCount\":1,\"children\":[");
			for (int c = 1; c < 5; c++)
				if (parents[c] == k + 1)
					printf("%s%d", any++ ? "," : "", c + 1);
			if (is("damaged") && k == 3)
				printf("3");
			printf("]");
		}
		printf("}");
	}
	printf("]");
}

static int node_of(long i)
{
	return is("damaged") && i % 10 == 9 ? 77 : of_sample[i % 4];
}

static void series(const char *name, long from, long to, long (*value)(long))
{
	printf("\"%s\":[", name);
	for (long i = from; i < to; i++)
		printf("%s%ld", i > from ? "," : "", value(i));
	printf("]");
}

static long node_number(long i)
{
	return node_of(i);
}

static long delta(long i)
{
	return i ? weight(i - 1) : 100;
}

static long stamp(long i) /* the first is the start */
{
	long at = 1000;

	for (long k = 0; k < i; k++)
		at += delta(k);
	return at;
}

static void chunks(void)
{
	printf("{\"traceEvents\":[\n{\"args\":{\"data\":{\"startTime\":1000}},\"cat\":\"v8\","
	       "\"id\":\"0x1\",\"name\":\"Profile\",\"ph\":\"P\",\"pid\":7,\"tid\":8,\"ts\":1000}");
	for (long from = 0; from < samples; from += 10) {
		long to = from + 10 < samples ? from + 10 : samples;

		printf(",\n{\"args\":{\"data\":{\"cpuProfile\":{");
		if (!from) {
			nodes();
			printf(",");
		}
		series("samples", from, to, node_number);
		printf("},\"lines\":[1],");
		series("timeDeltas", from, to, delta);
		if (to == samples)
			printf(",\"endTime\":%ld", stamp(samples) + weight(samples - 1));
		printf("}},\"cat\":\"v8\",\"id\":\"0x1\",\"name\":\"ProfileChunk\",\"ph\":\"P\","
		       "\"pid\":7,\"tid\":9,\"ts\":%ld}",
		       1000 + from);
	}
	printf(",\n{\"args\":{\"name\":\"js\"},\"cat\":\"__metadata\",\"name\":\"thread_name\","
	       "\"ph\":\"M\",\"pid\":7,\"tid\":8,\"ts\":0}]}\n");
}

int main(int argc, char **argv)
{
	long self[5] = {0}, total = 0;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--samples") && i + 1 < argc)
			samples = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	if (is("chunks")) {
		chunks();
	} else if (is("heap")) {
		printf("{\"head\":");
		nested(0);
		printf(",\"samples\":[{\"size\":20,\"nodeId\":3,\"ordinal\":1}]}\n");
	} else if (is("head")) {
		printf("{\"head\":");
		nested(0);
		printf(",\"startTime\":0.001,\"endTime\":0.002,");
		series("samples", 0, samples, node_number);
		printf(",");
		series("timestamps", 0, samples + 1, stamp);
		printf("}\n");
	} else {
		printf("{");
		nodes();
		printf(",\"startTime\":1000,\"endTime\":%ld,",
		       stamp(samples) + weight(samples - 1));
		series("samples", 0, samples, node_number);
		printf(",");
		series("timeDeltas", 0, samples, delta);
		printf("}\n");
	}
	for (long i = 0; i < samples && !is("heap"); i++)
		if (node_of(i) < 6 && (!is("head") || i + 1 < samples))
			self[node_of(i) - 1] += weight(i) * 1000;
	for (int k = 0; k < 5; k++) {
		self[k] = is("heap") ? bytes[k] : self[k];
		if (self[k])
			fprintf(stderr, "%s self %ld\n", names[k], self[k]);
		total += self[k];
	}
	fprintf(stderr, "total %ld\n", total);
	return 0;
}
