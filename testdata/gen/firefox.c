/* SPDX-License-Identifier: MIT
 *
 *	firefox [--samples N] VARIANT >FILE 2>TRUTH
 *
 * A profile of the Firefox Profiler: sample i of the thread Game is of main (game.js:1) when i % 3 is 0, of update below
 * it (game.js:11) when 1, of draw below that (native, without a file) when 2; the next one is taken i % 4 + 1 ms later.
 * The last lasts for nothing.
 * VARIANT:
 *
 *	processed  version 24: each thread has its tables
 *	shared     version 66: threads share tables; offsets of callers, deltas of times, sources
 *	gecko      rows, with schema behind data for stacks; a process below has the thread Content
 *	devtools   the same, as "profile" of what Firefox's old tool saved
 *	ms         shared, with weights of i % 4 + 1 ms
 *	bytes      shared, with weights of 100 * (i % 4 + 1) bytes
 *	damaged    processed; every fifth sample is of a stack that is not there, and update is its own caller
 *
 * A counter "heap" grows by 100 with each of three readings. The truth: "FUNCTION samples N ms N".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

static long samples = 12;
static const char *const names[] = {"main", "update", "draw"};

static long weight(long i)
{
	return i % 4 + 1;
}

static long time_of(long i)
{
	long at = 0;

	for (long k = 0; k < i; k++)
		at += weight(k);
	return at;
}

static void series(const char *name, long (*value)(long), long n)
{
	printf("\"%s\":[", name);
	for (long i = 0; i < n; i++)
		printf("%s%ld", i ? "," : "", value(i));
	printf("]");
}

static long stack_of(long i)
{
	return is("damaged") && i % 5 == 4 ? 77 : i % 3;
}

static long delta(long i)
{
	return i ? weight(i - 1) : 0;
}

static long bytes(long i)
{
	return 100 * weight(i);
}

static void processed_samples(void)
{
	bool deltas = !is("processed") && !is("damaged");

	printf("\"samples\":{\"length\":%ld,\"weightType\":\"%s\",", samples,
	       is("ms")      ? "tracing-ms"
	       : is("bytes") ? "bytes"
			     : "samples");
	series("stack", stack_of, samples);
	printf(",");
	series(deltas ? "timeDeltas" : "time", deltas ? delta : time_of, samples);
	if (is("ms") || is("bytes")) {
		printf(",");
		series("weight", is("ms") ? weight : bytes, samples);
	} else {
		printf(",\"weight\":null");
	}
	printf("}");
}

static void processed(void)
{
	printf("{\"meta\":{\"interval\":1,\"startTime\":1000,\"processType\":0,"
	       "\"preprocessedProfileVersion\":24},\n"
	       "\"counters\":[{\"name\":\"heap\",\"category\":\"Memory\",\"sampleGroups\":{\"id\":"
	       "0,\"samples\":"
	       "{\"length\":3,\"time\":[1,2,3],\"count\":[100,100,100]}}}],\n"
	       "\"threads\":[{\"name\":\"Game\",\"pid\":7,\"tid\":8,\n");
	processed_samples();
	printf(",\n\"stackTable\":{\"length\":3,\"frame\":[0,1,2],\"prefix\":[null,%d,1]},\n"
	       "\"frameTable\":{\"length\":3,\"func\":[0,1,2],\"line\":[1,11,null]},\n"
	       "\"funcTable\":{\"length\":3,\"name\":[0,1,2],\"fileName\":[3,3,null]},\n"
	       "\"markers\":{\"length\":1,\"name\":[0],\"time\":[1],\"data\":[{\"type\":\"x\"}]},\n"
	       "\"stringArray\":[\"main\",\"update\",\"draw\",\"game.js\"]}]}\n",
	       is("damaged") ? 1 : 0);
}

static void shared(void)
{
	printf("{\"meta\":{\"interval\":1,\"startTime\":1000,\"processType\":0,"
	       "\"preprocessedProfileVersion\":66},\n"
	       "\"threads\":[{\"name\":\"Game\",\"pid\":\"7\",\"tid\":8,\n");
	processed_samples();
	printf("}],\n\"counters\":[{\"name\":\"heap\",\"samples\":{\"length\":3,\"timeDeltas\":[1,"
	       "1,1],\"count\":[100,100,100]}}],\n"
	       "\"shared\":{\"stackTable\":{\"length\":3,\"frame\":[0,1,2],\"prefixOffset\":[0,1,1]"
	       "},\n"
	       "\"frameTable\":{\"length\":3,\"func\":[0,1,2],\"line\":[1,11,null]},\n"
	       "\"funcTable\":{\"length\":3,\"name\":[0,1,2],\"source\":[0,0,null]},\n"
	       "\"sources\":{\"length\":1,\"filename\":[3],\"id\":[null]},\n"
	       "\"stringArray\":[\"main\",\"update\",\"draw\",\"game.js\"]}}\n");
}

static void gecko_thread(const char *name, long from, long step)
{
	printf("{\"name\":\"%s\",\"tid\":%ld,\"pid\":7,\"samples\":{\"schema\":{\"stack\":0,"
	       "\"time\":1},\"data\":[",
	       name, 8 + from);
	for (long i = from; i < samples; i += step)
		printf("%s[%ld,%ld,0]", i > from ? "," : "", stack_of(i), time_of(i));
	printf("]},\n\"stackTable\":{\"data\":[[null,0],[0,1],[1,2]],\"schema\":{\"prefix\":0,"
	       "\"frame\":1}},\n"
	       "\"frameTable\":{\"schema\":{\"location\":0,\"relevantForJS\":1,\"line\":2},"
	       "\"data\":[[0],[1,true,11],[2]]},\n"
	       "\"markers\":{\"schema\":{\"name\":0,\"time\":1,\"data\":2},\"data\":[[0,1,{"
	       "\"stack\":{\"samples\":[]}}]]},\n"
	       "\"stringTable\":[\"main (game.js:1:5)[3]\",\"update (game.js:99)\",\"draw\"]}");
}

static void gecko(void)
{
	printf("{\"meta\":{\"interval\":1,\"startTime\":1000,\"processType\":0,\"version\":32,"
	       "\"stackwalk\":1},\"libs\":[],\n"
	       "\"counters\":[{\"name\":\"heap\",\"sample_groups\":[{\"id\":0,\"samples\":{"
	       "\"schema\":{\"time\":0,\"count\":1},"
	       "\"data\":[[1,100],[2,100],[3,100]]}}]}],\n\"threads\":[");
	gecko_thread("Game", 0, 1);
	printf("],\n\"processes\":[{\"meta\":{\"interval\":1,\"startTime\":1500},\"threads\":[");
	gecko_thread("Content", 1, 3);
	printf("]}]}");
}

int main(int argc, char **argv)
{
	long n[3] = {0}, ms[3] = {0};

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--samples") && i + 1 < argc)
			samples = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	if (is("processed") || is("damaged"))
		processed();
	else if (is("gecko"))
		gecko();
	else if (is("devtools")) {
		printf("{\"label\":\"\",\"duration\":9,\"markers\":[],\"frames\":[],\"profile\":");
		gecko();
		printf(",\"fileType\":\"Recorded Performance Data\",\"version\":2}\n");
	} else {
		shared();
	}
	for (long i = 0; i < samples; i++) {
		n[i % 3]++;
		ms[i % 3] += i + 1 < samples || is("ms") ? weight(i) : 0;
	}
	for (int k = 0; k < 3; k++)
		fprintf(stderr, "%s samples %ld ms %ld\n", names[k], n[k], ms[k]);
	fprintf(stderr, "total %ld\n", samples);
	return 0;
}
