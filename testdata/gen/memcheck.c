/* SPDX-License-Identifier: MIT
 *
 *	memcheck [--rows N] VARIANT >FILE 2>TRUTH
 *
 * Leaks as valgrind 3.19's memcheck lists them: record i lost i + 1 blocks of 10 bytes each (and, each third, 1,000
 * bytes indirectly), which f<i> (a.c:<i + 1>) allocated, below main (a.c:1). Kinds go round.
 * VARIANT:
 *
 *	log      a log, with an error that is no leak, lines of the program, and 500 bytes that no record has
 *	xml      --xml=yes, protocol 4
 *	none     a log without --leak-check=full
 *	cut      log, whose last line has no end
 *
 * The truth: "blocks N", "bytes N", "rows N".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const kinds[] = {"definitely lost", "indirectly lost", "possibly lost",
				    "still reachable"};
static const char *const words[] = {"DefinitelyLost", "IndirectlyLost", "PossiblyLost",
				    "StillReachable"};
static long rows = 4;

/* 12,345 */
static const char *number(long v)
{
	static char text[3][32];
	static int turn;
	char *to = text[turn++ % 3];

	if (v < 1000)
		snprintf(to, sizeof *text, "%ld", v);
	else
		snprintf(to, sizeof *text, "%ld,%03ld", v / 1000, v % 1000);
	return to;
}

static void said(long i)
{
	long direct = 10 * (i + 1);

	if (i % 3 == 2)
		printf("%s (%s direct, 1,000 indirect)", number(direct + 1000), number(direct));
	else
		printf("%s", number(direct));
	printf(" bytes in %s blocks are %s in loss record %s of %s", number(i + 1), kinds[i % 4],
	       number(i + 1), number(rows));
}

static void log_text(void)
{
	long bytes = 0;

	for (long i = 0; i < rows; i++)
		bytes += 10 * (i + 1);
	printf("==7== Memcheck, a memory error detector\n==7== Command: ./a\n==7== \n"
	       "==7== Invalid read of size 4\n==7==    at 0x10: other (b.c:3)\n==7==  Address "
	       "0x4a43404 "
	       "is 0 bytes after a block of size 4 alloc'd\n==7==    at 0x4840: malloc (in "
	       "/usr/lib/vg.so)\n==7== \nthe program prints this\n==7== \n==7== HEAP SUMMARY:\n"
	       "==7==     in use at exit: %ld bytes in 9 blocks\n==7== \n",
	       bytes + 500);
	for (long i = 0; i < rows && !is("none"); i++) {
		printf("==7== ");
		said(i);
		printf(
		    "\n==7==    at 0x4840: malloc (in /usr/lib/vg.so)\n==7==    by 0x%lX: f%ld(int "
		    "(*)(char)) (a.c:%ld)\n==7==    by 0x10: main (a.c:1)",
		    32 + i, i, i + 1);
		if (!is("cut") || i + 1 < rows)
			printf("\n==7== \n");
	}
	if (!is("cut"))
		printf("==7== LEAK SUMMARY:\n==7==    definitely lost: 1 bytes in 1 blocks\n==7== "
		       "ERROR SUMMARY: 2 errors from 2 contexts (suppressed: 0 from 0)\n");
}

static void xml_text(void)
{
	printf(
	    "<?xml version=\"1.0\"?>\n\n<valgrindoutput>\n\n<protocolversion>4</protocolversion>\n"
	    "<protocoltool>memcheck</protocoltool>\n\n<pid>7</pid>\n<tool>memcheck</tool>\n\n"
	    "<error>\n  <kind>InvalidRead</kind>\n  <what>Invalid read of size 4</what>\n  "
	    "<stack>\n"
	    "    <frame>\n      <ip>0x10</ip>\n      <fn>other</fn>\n    </frame>\n  "
	    "</stack>\n</error>\n\n");
	for (long i = 0; i < rows; i++) {
		printf("<error>\n  <unique>0x%lX</unique>\n  <tid>1</tid>\n  <kind>Leak_%s</kind>\n"
		       "  <xwhat>\n    <text>",
		       i, words[i % 4]);
		said(i);
		printf(
		    "</text>\n    <leakedbytes>%ld</leakedbytes>\n    "
		    "<leakedblocks>%ld</leakedblocks>\n"
		    "  </xwhat>\n  <stack>\n    <frame>\n      <ip>0x4840</ip>\n      "
		    "<obj>/usr/lib/vg.so</obj>\n      <fn>malloc</fn>\n    </frame>\n    <frame>\n"
		    "      <ip>0x%lX</ip>\n      <obj>/a</obj>\n      <fn>f%ld(int (*)(char)) "
		    "&lt;&amp;&gt;</fn>\n      <dir>/src</dir>\n      <file>a.c</file>\n      "
		    "<line>%ld</line>\n    </frame>\n    <frame>\n      <ip>0x99</ip>\n"
		    "      <obj>/a</obj>\n    </frame>\n  </stack>\n</error>\n\n",
		    10 * (i + 1) + (i % 3 == 2 ? 1000 : 0), i + 1, 32 + i, i, i + 1);
	}
	printf("</valgrindoutput>\n");
}

int main(int argc, char **argv)
{
	long blocks = 0, bytes = 0;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--rows") && i + 1 < argc)
			rows = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	if (is("xml"))
		xml_text();
	else
		log_text();
	for (long i = 0; i < rows && !is("none"); i++) {
		blocks += i + 1;
		bytes += 10 * (i + 1);
	}
	fprintf(stderr, "blocks %ld\nbytes %ld\nrows %ld\n", blocks, bytes, is("none") ? 0 : rows);
	return 0;
}
