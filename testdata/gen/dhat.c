/* SPDX-License-Identifier: MIT
 *
 *	dhat [--rows N] VARIANT >FILE 2>TRUTH
 *
 * A heap profile of DHAT: place i allocates i + 1 blocks of 10 bytes in f<i> (a.c:<i + 1>), below main (a.c:1), of which
 * i are there at the end, and one when the heap was largest.
 * VARIANT:
 *
 *	heap     as valgrind 3.19 writes it
 *	rust     as the crate of Rust does: with columns, without accesses
 *	nolife   without lifetimes: what is there at the end is not known
 *	adhoc    of the mode ad-hoc, which counts no allocations
 *	damaged  heap; place 1 has a frame that is not there, place 2 less than nothing
 *
 * The truth: "blocks N", "bytes N", "live N", "rows N".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

static long rows = 3;

int main(int argc, char **argv)
{
	long blocks = 0, live = 0;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--rows") && i + 1 < argc)
			rows = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	printf("{\"dhatFileVersion\":2\n,\"mode\":\"%s\",\"verb\":\"Allocated\"\n,\"bklt\":%s,"
	       "\"bkacc\":%s\n"
	       ",\"tu\":\"instrs\",\"Mtu\":\"Minstr\"\n,\"cmd\":\"./"
	       "a\"\n,\"pid\":7\n,\"te\":9\n,\"tg\":8\n,\"pps\":\n [",
	       is("rust")    ? "rust-heap"
	       : is("adhoc") ? "ad-hoc"
			     : "heap",
	       is("nolife") ? "false" : "true", is("rust") ? "false" : "true");
	for (long i = 0; i < rows; i++) {
		printf("%s{\"tb\":%ld,\"tbk\":%ld\n  ", i ? " ," : "",
		       is("damaged") && i == 2 ? -10 : 10 * (i + 1), i + 1);
		if (!is("nolife"))
			printf(",\"tl\":5\n  ,\"mb\":10,\"mbk\":1\n  ,\"gb\":10,\"gbk\":1\n  "
			       ",\"eb\":%ld,\"ebk\":%ld\n  ",
			       10 * i, i);
		if (!is("rust"))
			printf(",\"rb\":0,\"wb\":0\n  ,\"acc\":[-10,1]\n  ");
		printf(",\"fs\":[%ld,1]\n  }\n", is("damaged") && i == 1 ? 99 : i + 2);
		blocks += i + 1;
		live += i;
	}
	printf(" ]\n,\"ftbl\":\n [\"[root]\"\n ,\"0x10: main (a.c:1%s)\"\n",
	       is("rust") ? ":5" : "");
	for (long i = 0; i < rows; i++)
		printf(" ,\"0x%lX: f%ld(int (*)(char)) (%s)\"\n", 32 + i, i,
		       i % 3 == 2 ? "in /lib/x.so" : "a.c:7");
	printf(" ]\n}\n");
	fprintf(stderr, "blocks %ld\nbytes %ld\nlive %ld\nrows %ld\n", blocks, 10 * blocks, live,
		2 * rows - 1);
	return 0;
}
