/* SPDX-License-Identifier: MIT
 *
 *	perf_script [--samples N] VARIANT >FILE 2>TRUTH
 *
 * Text as perf script writes it. Sample i is of thread 100 + i % 3 and function i % 7, called by the
 * next ones, four deep; its period is 1000000 + i. VARIANT:
 *
 *	plain     comm tid [cpu] time: period event:
 *	pid       process and thread; no processor
 *	bare      neither processor nor time nor period
 *	flat      the address behind the event, no stacks
 *	two       cycles and instructions in turn
 *	inline    calls without addresses, and source lines below
 *	left      addresses begin their lines, and no blank line ends a stack
 *	crlf      line ends as Windows writes them
 *	lost      records of losses between
 *	damaged   every tenth sample has a line that makes no sense before it
 *
 * The truth: "samples N", "periods SUM", "leaf NAME N" by function.
 */
#include "testdata/gen/gen.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 7 };

static const char *const names[FUNCTIONS] = {
    "main",         "game::tick(int, char)", "std::function<void (int)>::operator()() const",
    "operator new", "render <fast>",         "a::b(c*) [clone .isra.0]",
    "memcpy",
};
static const char *const comms[3] = {"game", "Render Thread 2", "worker/3"};

static const char *end = "\n";

static void frame(int f)
{
	if (is("inline") && f % 2) {
		printf(f % 4 == 1 ? "\t    %s (inlined)%s" : "\t    55d00610 %s (inlined)%s",
		       names[f], end);
		return;
	}
	printf("%s%x %s+0x%x (%s)%s", is("left") ? "" : "\t    ", 0x55d00000 + f * 0x100 + 0x10,
	       names[f], 0x10, f == 6 ? "/usr/lib/libc (old).so (deleted)" : "/usr/bin/game", end);
	if (is("inline"))
		printf("  game.cc:%d%s", f * 10, end);
}

static void sample(long i)
{
	const char *event = is("two") ? (i % 2 ? "instructions:u" : "cycles:u") : "cpu-clock:ppp";

	printf(i % 3 == 1 || is("left") ? "%s " : "%8s ", comms[i % 3]);
	printf(is("pid") ? "99/%ld" : "%5ld", 100 + i % 3);
	if (!is("pid") && !is("bare"))
		printf(" [%03ld]", i % 4);
	if (!is("bare"))
		printf(" %ld.%06ld:    %ld", 5000 + i / 1000, i % 1000 * 1000, 1000000 + i);
	printf(" %s:", event);
	if (is("flat")) {
		printf(" ");
		frame((int)(i % FUNCTIONS));
		return;
	}
	printf(" %s", end);
	for (int d = 0; d < 4 && i % FUNCTIONS - d >= 0; d++)
		frame((int)(i % FUNCTIONS) - d);
	if (!is("left"))
		printf("%s", end);
}

int main(int argc, char **argv)
{
	long n = 50, leaves[FUNCTIONS] = {0}, periods = 0;
	int i = 1;

	for (; i + 1 < argc && !strcmp(argv[i], "--samples"); i += 2)
		n = atol(argv[i + 1]);
	if (i + 1 != argc) {
		fprintf(stderr, "usage: see testdata/gen/perf_script.c\n");
		return 2;
	}
	variant = argv[i];
	end = is("crlf") ? "\r\n" : "\n";
	printf("# ========%s# cmdline : /usr/bin/perf record -g ./game %s#%s", end, end, end);
	for (long k = 0; k < n; k++) {
		if (is("damaged") && k % 10 == 9)
			printf("%% 12 what is this\n");
		if (is("lost") && k % 10 == 9)
			printf("game   100 [000]  5000.0: PERF_RECORD_LOST lost 7\n");
		sample(k);
		leaves[k % FUNCTIONS]++;
		periods += is("bare") ? 0 : 1000000 + k;
	}
	fprintf(stderr, "samples %ld\nperiods %ld\n", n, periods);
	for (int f = 0; f < FUNCTIONS; f++)
		fprintf(stderr, "leaf %ld %s\n", leaves[f], names[f]);
	return fflush(stdout) ? 1 : 0;
}
