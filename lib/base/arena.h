/* SPDX-License-Identifier: MIT
 *
 * A region of memory that is freed as a whole. Pointers stay valid until arena_release.
 * Not thread safe: one arena per worker.
 */
#ifndef TM_BASE_ARENA_H
#define TM_BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *head;
	char *pos, *end;
	size_t total; /* bytes taken from the system */
};

#define ARENA_INIT \
	{          \
		0  \
	}

void *arena_alloc(struct arena *a, size_t size); /* 16-byte aligned, not cleared */
void *arena_zalloc(struct arena *a, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t n); /* adds a NUL; not aligned */
void arena_release(struct arena *a); /* accepts a zeroed struct; leaves one */

#endif
