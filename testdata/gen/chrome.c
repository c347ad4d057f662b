/* SPDX-License-Identifier: MIT
 *
 *	chrome [--frames N] VARIANT >FILE 2>TRUTH
 *
 * Trace events. Frame i of thread i % 2 is 100.5 us of frame, of which 50 us are update (10 us after
 * its start), of which 10 us are draw (10 us later). VARIANT:
 *
 *	begin     B and E, an array
 *	complete  X, an object; the inner ones first, as they are over first
 *	late      the same from the last to the first
 *	open      the array has no end, and a comma
 *	names     E without names; processes and threads are texts, with their names
 *	counters  a counter of one value and one of two in each frame
 *	async     b and e of three loads that overlap, and n
 *	samples   a table of stack frames and a sample in each frame, and no calls
 *	overlap   draw ends 10 us after update, as two threads that share a number
 *	lost      every fifth draw has no begin, every seventh frame no end
 *	deep      values nested in values, which mean nothing
 *
 * The truth: "calls N", "NAME self NS" in all, "counter NAME LAST", "samples N".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int any;

static void event(const char *ph, const char *name, long thread, double ts, const char *more)
{
	printf("%s{\"ph\":\"%s\"", any++ ? ",\n" : "", ph);
	if (name)
		printf(",\"name\":\"%s\",\"cat\":\"game\"", name);
	if (is("names"))
		printf(",\"pid\":\"game\",\"tid\":\"%s\"", thread ? "worker \\u00e9" : "main");
	else
		printf(",\"pid\":1,\"tid\":%ld", thread + 10);
	printf(",\"ts\":%.3f%s}", ts, more);
}

static void begin(const char *name, long thread, double ts)
{
	event("B", name, thread, ts, "");
}

static void end(const char *name, long thread, double ts)
{
	event("E", is("names") ? NULL : name, thread, ts, "");
}

static void complete(const char *name, long thread, double ts, double dur)
{
	char more[200];

	snprintf(more, sizeof more, ",\"dur\":%.3f%s", dur,
		 is("deep") ? ",\"args\":{\"a\":[{\"ph\":\"B\",\"b\":[[1,2]]}],\"ts\":5}" : "");
	event("X", name, thread, ts, more);
}

static void frame(long i)
{
	double at = 1000 + (double)i * 200 + 0.125;
	long thread = i % 2;
	char more[100];

	if (is("complete") || is("late") || is("deep") || is("overlap")) {
		complete("draw", thread, at + 20, is("overlap") ? 50 : 10);
		complete("update", thread, at + 10, 50);
		complete("frame", thread, at, 100.5);
	} else if (is("async")) {
		snprintf(more, sizeof more, ",\"id\":\"0x%ld\"", i);
		event("b", "load", thread, at, more);
		if (i >= 2) {
			snprintf(more, sizeof more, ",\"id\":\"0x%ld\"", i - 2);
			event("n", "load", thread, at + 1, more);
			event("e", "load", thread, at + 2, more);
		}
	} else if (!is("samples")) {
		begin("frame", thread, at);
		begin("update", thread, at + 10);
		if (!is("lost") || i % 5)
			begin("draw", thread, at + 20);
		end("draw", thread, at + 30);
		end("update", thread, at + 60);
		if (!is("lost") || i % 7)
			end("frame", thread, at + 100.5);
	}
	if (is("counters")) {
		snprintf(more, sizeof more, ",\"args\":{\"bytes\":%ld}", i * 1000);
		event("C", "heap", thread, at, more);
		snprintf(more, sizeof more, ",\"args\":{\"cats\":%ld,\"dogs\":%.1f}", i,
			 (double)i + 0.5);
		event("C", "animals", thread, at, more);
	}
}

int main(int argc, char **argv)
{
	long n = 10;
	int i = 1, object;

	for (; i + 1 < argc && !strcmp(argv[i], "--frames"); i += 2)
		n = atol(argv[i + 1]);
	if (i + 1 != argc || n < 1) {
		fprintf(stderr, "usage: see testdata/gen/chrome.c\n");
		return 2;
	}
	variant = argv[i];
	object = is("complete") || is("samples") || is("names");
	printf(object ? "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" : "[\n");
	for (long k = 0; k < n; k++)
		frame(is("late") ? n - 1 - k : k);
	if (is("names"))
		event("M", "thread_name", 0, 0, ",\"args\":{\"name\":\"Main Thread\"}");
	printf(is("open") ? ",\n" : object ? "]" : "]\n");
	if (is("samples")) {
		printf(",\"samples\":[");
		for (long k = 0; k < n; k++)
			printf("%s{\"cpu\":0,\"tid\":%ld,\"pid\":1,\"ts\":%ld.5,\"name\":"
			       "\"cycles\",\"sf\":%ld,\"weight\":1}",
			       k ? "," : "", 10 + k % 2, 1000 + k * 10, k % 3 + 1);
		printf("],\"stackFrames\":{\"2\":{\"name\":\"update\",\"parent\":1},"
		       "\"1\":{\"category\":\"game\",\"name\":\"main\"},\"3\":{\"name\":\"draw\","
		       "\"parent\":\"2\"}}");
	}
	if (object)
		printf(",\"otherData\":{\"version\":\"1\",\"list\":[1,2]}}\n");
	if (!is("async") && !is("samples") && !is("lost"))
		fprintf(stderr, "calls %ld\nframe self %ld\nupdate self %ld\ndraw self %ld\n",
			n * 3, n * 50500, n * (is("overlap") ? 10000 : 40000),
			n * (is("overlap") ? 40000 : 10000));
	if (is("counters"))
		fprintf(stderr, "counter heap %ld\ncounter animals.cats %ld\n", (n - 1) * 1000,
			n - 1);
	if (is("samples"))
		fprintf(stderr, "samples %ld\n", n);
	return fflush(stdout) ? 1 : 0;
}
