/* SPDX-License-Identifier: MIT
 *
 * background FILE: goes into the background by daemon(3), with blocks before and after. FILE is
 * there when it ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCKS = 1000 };

static void work(void)
{
	for (int i = 0; i < BLOCKS; i++)
		free(malloc(100));
}

int main(int argc, char **argv)
{
	FILE *f;

	work();
	if (argc < 2 || daemon(1, 0))
		return 1;
	work();
	f = fopen("log", "w");
	if (!f)
		return 1;
	fprintf(f, "in the background\n");
	fclose(f);
	return rename("log", argv[1]) != 0;
}
