/* SPDX-License-Identifier: MIT
 *
 *	tracy_csv [--frames N] VARIANT >FILE 2>TRUTH
 *
 * What tracy-csvexport prints of N frames. Frame i begins at i ms: Frame takes 900 us of thread 1; Update, in it
 * from its 100th microsecond on, i % 3 + 1 times 100 us; Physics<A, B>, in that from its 10th on, 50 us. Load takes
 * i % 5 + 1 times 10 us of thread 2. Zones of a place stand together, as the tool prints them. VARIANT:
 *
 *	each     each zone (-u)
 *	values   the same with the column of 0.13, a text of the zone that may be quoted
 *	crlf     the same as each, as Windows writes it
 *	plots    each, and behind it a plot "fps" (-u -p): i at each frame
 *	sums     a row for each place
 *	damaged  each; every tenth row has no time
 *
 * The truth: "NAME self NS" (of sums "NAME total NS"), "calls N", of what is sound, of damaged only the calls; of
 * plots "fps N", the sum.
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 4 };

static long frames = 10, rows;
static const char *const names[PLACES] = {"Frame", "Update", "Physics<A, B>", "Load"};

static long time_of(int place, long i)
{
	static const long whole[PLACES] = {900000, 0, 50000, 0};

	return place == 1 ? (i % 3 + 1) * 100000 : place == 3 ? (i % 5 + 1) * 10000 : whole[place];
}

static long start_of(int place, long i)
{
	static const long behind[PLACES] = {0, 100000, 110000, 300};

	return i * 1000000 + behind[place];
}

/* Without what it calls: Frame calls Update, and that Physics. */
static long self_of(int place, long i)
{
	return time_of(place, i) - (place < 2 ? time_of(place + 1, i) : 0);
}

static void print_row(int place, long i, const char *end)
{
	printf("%s,src/game.cpp,%d,%ld,", names[place], place * 10 + 7, start_of(place, i));
	if (is("damaged") && rows % 10 == 9)
		printf("none");
	else
		printf("%ld", time_of(place, i));
	printf(",%d", place == 3 ? 2 : 1);
	if (is("values"))
		printf(i % 2 ? ",\"menu, %ld\"" : ",", i);
	printf("%s", end);
	rows++;
}

int main(int argc, char **argv)
{
	long self[PLACES] = {0}, total[PLACES] = {0}, fps = 0, calls = 0;
	const char *end;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--frames") && i + 1 < argc)
			frames = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	end = is("crlf") ? "\r\n" : "\n";
	if (is("sums"))
		printf("name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,"
		       "std_ns%s",
		       end);
	else
		printf("name,src_file,src_line,ns_since_start,exec_time_ns,thread%s%s",
		       is("values") || is("plots") ? ",value" : "", end);
	for (int place = 0; place < PLACES; place++) {
		for (long i = 0; i < frames; i++) {
			bool lost = is("damaged") && rows % 10 == 9;

			total[place] += time_of(place, i);
			self[place] += self_of(place, i);
			calls += !lost;
			if (!is("sums"))
				print_row(place, i, is("plots") ? ",\n" : end);
		}
		if (is("sums"))
			printf("%s,src/game.cpp,%d,%ld,12.5,%ld,%ld,0,0,0%s", names[place],
			       place * 10 + 7, total[place], frames, total[place] / frames, end);
	}
	for (long i = 0; i < frames && is("plots"); i++) {
		printf("fps,,,%ld,,,%ld\n", i * 1000000, i);
		fps += i;
	}
	for (int place = 0; place < PLACES && !is("damaged"); place++)
		fprintf(stderr, "%s %s %ld\n", names[place], is("sums") ? "total" : "self",
			is("sums") ? total[place] : self[place]);
	fprintf(stderr, "calls %ld\n", calls);
	if (is("plots"))
		fprintf(stderr, "fps %ld\n", fps);
	return 0;
}
