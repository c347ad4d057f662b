/* SPDX-License-Identifier: MIT
 *
 *	callgrind [--functions N] VARIANT >FILE 2>TRUTH
 *
 * A callgrind.out: main calls every function, function i calls i + 1 and i + 2 where there are such,
 * so most have several callers. The own cost of function i is 100 * (i % 5 + 1) on line i and 7 on the
 * next; what a call costs in all is its share of what the called one costs, divided evenly
 * between its callers. VARIANT:
 *
 *	plain      names in full
 *	short      names by number, positions by distance
 *	instr      addresses before lines; jumps between
 *	events     Ir, Dr and Dw
 *	parts      the same twice, in two parts
 *	inlined    line i + 1 is in another file
 *	recursive  function 2 calls itself
 *	crlf       line ends as Windows writes them
 *	flat       functions call nothing
 *	totals     the totals are not those of the costs
 *	damaged    a line that makes no sense, and a cost without a function
 *
 * The truth: "total N" of the first event, "self N NAME", "inclusive N NAME"; of flat only "lines N".
 */
#include "testdata/gen/gen.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100000 };

static long n = 8;
static const char *end = "\n";
static uint64_t inclusive[MOST + 1], position_line;
static char told[MOST + 1];

static uint64_t self(long i)
{
	return 100 * (uint64_t)(i % 5 + 1) + 7;
}

static uint64_t callers(long i)
{
	return is("flat") ? 1 : 1 + (i >= 1) + (i >= 2);
}

static void name(const char *key, long i)
{
	if (!is("short") && !is("instr") && !is("flat"))
		printf("%s=f%ld%s", key, i, end);
	else if (told[i])
		printf("%s=(%ld)%s", key, i + 10, end);
	else
		printf("%s=(%ld) f%ld%s", key, i + 10, i, end);
	told[i] = 1;
}

static void position(uint64_t line)
{
	if (is("instr"))
		printf("0x%" PRIx64 " ", 0x400000 + line * 4);
	if ((!is("short") && !is("flat")) || !position_line)
		printf("%" PRIu64, line);
	else if (line == position_line)
		printf("*");
	else
		printf("%s%" PRIu64, line > position_line ? "+" : "-",
		       line > position_line ? line - position_line : position_line - line);
	position_line = line;
}

static void cost(uint64_t line, uint64_t ir)
{
	position(line);
	printf(" %" PRIu64, ir);
	if (is("events"))
		printf(" %" PRIu64 " %" PRIu64, ir / 4, ir % 2 ? ir / 10 : 0);
	printf("%s", end);
}

static void call(long to, uint64_t line, uint64_t ir)
{
	name("cfn", to);
	printf("calls=%ld %ld%s", to + 1, to, end);
	cost(line, ir);
}

static void function(long i)
{
	name("fn", i);
	cost((uint64_t)i + 1, self(i) - 7);
	if (is("inlined"))
		printf("fi=inline.h%s", end);
	cost((uint64_t)i + 2, 7);
	if (is("inlined"))
		printf("fe=game.c%s", end);
	if (is("instr"))
		printf("jcnd=3/10 +4 +1%s0x%" PRIx64 " %" PRIu64 "%s", end,
		       0x400000 + position_line * 4, position_line, end);
	for (long k = i + 1; k <= i + 2 && k < n && !is("flat"); k++)
		call(k, (uint64_t)i + 1, inclusive[k] / callers(k));
	if (is("recursive") && i == 2)
		call(2, 3, inclusive[2] / 2);
	printf("%s", end);
}

static void part(int number, uint64_t total)
{
	if (number)
		printf("%spart: %d%s", end, number, end);
	printf("desc: Trigger: Program termination%s%spositions:%s line%s", end, end,
	       is("instr") ? " instr" : "", end);
	printf("events: Ir%s%s", is("events") ? " Dr Dw" : "", end);
	printf("%sob=/usr/bin/game%sfl=game.c%s", end, end, end);
	position_line = 0;
	printf("fn=main%s", end);
	cost(1000, 50);
	for (long i = 0; i < n; i++) /* what the others' calls leave of it */
		call(i, 1000, inclusive[i] - inclusive[i] / callers(i) * (callers(i) - 1));
	printf("%s", end);
	for (long i = 0; i < n; i++) {
		if (is("damaged") && i == 3)
			printf("this is no line%s", end);
		function(i);
	}
	printf("totals: %" PRIu64 "%s", total + (is("totals") ? 1000 : 0), end);
}

int main(int argc, char **argv)
{
	uint64_t total = 50;
	int i = 1, parts;

	for (; i + 1 < argc && !strcmp(argv[i], "--functions"); i += 2)
		n = atol(argv[i + 1]);
	if (i + 1 != argc || n < 1 || n > MOST) {
		fprintf(stderr, "usage: see testdata/gen/callgrind.c\n");
		return 2;
	}
	variant = argv[i];
	end = is("crlf") ? "\r\n" : "\n";
	parts = is("parts") ? 2 : 1;
	for (long k = n; k-- > 0;) {
		inclusive[k] = self(k);
		for (long c = k + 1; c <= k + 2 && c < n && !is("flat"); c++)
			inclusive[k] += inclusive[c] / callers(c);
		total += self(k);
	}
	printf(
	    "# callgrind format%sversion: 1%screator: callgrind-3.19.0%spid: 77%scmd: ./game -x%s",
	    end, end, end, end, end);
	if (is("damaged"))
		printf("events: Ir\n5 5\n");
	for (int p = 0; p < parts; p++)
		part(parts > 1 ? p + 1 : 0, total);
	if (is("flat")) {
		fprintf(stderr, "lines %ld\n", 2 * n + 1);
		return fflush(stdout) ? 1 : 0;
	}
	fprintf(stderr, "total %" PRIu64 "\n", total * (uint64_t)parts);
	fprintf(stderr, "self %d main\ninclusive %" PRIu64 " main\n", 50 * parts,
		total * (uint64_t)parts);
	for (long k = 0; k < n; k++)
		fprintf(stderr, "self %" PRIu64 " f%ld\ninclusive %" PRIu64 " f%ld\n",
			self(k) * (uint64_t)parts, k, inclusive[k] * (uint64_t)parts, k);
	return fflush(stdout) ? 1 : 0;
}
