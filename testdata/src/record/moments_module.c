/* SPDX-License-Identifier: MIT
 *
 * A module that allocates when it is loaded and unloaded (moments.c): a block of 123 bytes each
 * time.
 */
#include <stdlib.h>

unsigned module_blocks;

/* Each thread's comes into being when it first asks. */
static __thread unsigned place[300];
unsigned *module_place(void);

unsigned *module_place(void)
{
	return place;
}

static void *volatile kept;

__attribute__((constructor)) static void comes(void)
{
	kept = malloc(123);
	free(kept);
	module_blocks++;
}

__attribute__((destructor)) static void goes(void)
{
	kept = malloc(123);
	free(kept);
}
