/* SPDX-License-Identifier: MIT
 *
 *	insights [--frames N] VARIANT >FILE 2>TRUTH
 *
 * What Unreal Insights exports of N frames. Frame i begins at 1 s and i times 20 ms, and takes 16 ms of GameThread; from its
 * 1st ms on, World takes 4 ms and i % 3 times 2; Wait is all of it but its first half ms. RenderThread has Draw, from the
 * 2nd ms of the frame on, of 10 ms. VARIANT:
 *
 *	events    calls with the numbers of their threads and timers, a row each, by thread
 *	session   the same, with the lists of threads and timers before it
 *	named     calls with names alone, a duration in place of the end, separated by tabs
 *	stats     a row for each timer
 *	damaged   events; every tenth row has a comma in its number, and the last call has no end
 *
 * The truth: "NAME calls TOTAL SELF" in us (of events the names are "timer N"), "calls N".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

enum { TIMERS = 4, GAME = 2, RENDER = 7 };

static const struct timer {
	const char *name, *file;
	int id, thread, depth;
} timers[TIMERS] = {{"Frame", "Engine\\Launch.cpp", 15, GAME, 0},
		    {"World, all", "", 40, GAME, 1},
		    {"Wait", "Engine/Task.cpp", 41, GAME, 2},
		    {"Draw", "", 0, RENDER, 0}};

static long frames = 10, rows, calls;

static long time_of(int k, long i)
{
	long world = 4000 + i % 3 * 2000;

	return k == 0 ? 16000 : k == 1 ? world : k == 2 ? world - 500 : 10000;
}

static long start_of(int k, long i)
{
	static const long behind[TIMERS] = {0, 1000, 1500, 2000};

	return 1000000 + i * 20000 + behind[k];
}

static long self_of(int k, long i)
{
	return time_of(k, i) - (k < 2 ? time_of(k + 1, i) : 0);
}

static void print_seconds(long us)
{
	printf("%ld.%06ld", us / 1000000, us % 1000000);
}

static void print_call(int k, long i)
{
	const struct timer *t = &timers[k];
	bool last = i == frames - 1 && k == TIMERS - 1;

	rows++;
	if (is("named")) {
		printf("%s\t%s\t", t->thread == GAME ? "GameThread" : "RenderThread 0", t->name);
		print_seconds(start_of(k, i));
		putchar('\t');
		print_seconds(time_of(k, i));
		printf("\t%d\n", t->depth);
		return;
	}
	printf("%d,%d,", t->thread, t->id);
	if (is("damaged") && rows % 10 == 0)
		printf("\"1,5\"");
	else
		print_seconds(start_of(k, i));
	putchar(',');
	if (is("damaged") && last)
		printf("inf");
	else
		print_seconds(start_of(k, i) + time_of(k, i));
	printf(",%d\n", t->depth);
}

static void print_sum(int k, long total, long self)
{
	printf("%s%s%s,%ld,", k == 1 ? "\"" : "", timers[k].name, k == 1 ? "\"" : "", frames);
	print_seconds(total);
	for (int i = 0; i < 4; i++)
		printf(",0.000001");
	putchar(',');
	print_seconds(self);
	for (int i = 0; i < 4; i++)
		printf(",0.000001");
	putchar('\n');
}

static void print_lists(void)
{
	printf("Id,Name,Group\n%d,GameThread,Render\n%d,RenderThread 0,Render\n"
	       "Id,Type,Name,File,Line\n",
	       GAME, RENDER);
	for (int k = 0; k < TIMERS; k++)
		printf("%d,%s,\"%s\",%s,%d\n", timers[k].id, k ? "CPU" : "GPU", timers[k].name,
		       timers[k].file, 7 + k);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--frames") && i + 1 < argc)
			frames = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	if (is("session"))
		print_lists();
	puts(is("stats")   ? "Name,Count,Incl,I.Min,I.Max,I.Avg,I.Med,Excl,E.Min,E.Max,E.Avg,E.Med"
	     : is("named") ? "ThreadName\tTimerName\tStartTime\tDuration\tDepth"
			   : "ThreadId,TimerId,StartTime,EndTime,Depth");
	for (int thread = GAME; thread; thread = thread == GAME ? RENDER : 0)
		for (long i = 0; i < frames && !is("stats"); i++)
			for (int k = 0; k < TIMERS; k++)
				if (timers[k].thread == thread)
					print_call(k, i);
	for (int k = 0; k < TIMERS; k++) {
		long total = 0, self = 0;

		for (long i = 0; i < frames; i++) {
			total += time_of(k, i);
			self += self_of(k, i);
		}
		calls += frames;
		if (is("stats"))
			print_sum(k, total, self);
		fprintf(stderr, "%s %ld %ld %ld\n", timers[k].name, frames, total, self);
	}
	fprintf(stderr, "calls %ld\n", is("damaged") ? calls - rows / 10 : calls);
	return 0;
}
