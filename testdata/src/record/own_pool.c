/* SPDX-License-Identifier: MIT
 *
 * An allocator of its own in one block of malloc: 100 blocks of 10 bytes, every second a Mesh; the first 60
 * are given back; the last Mesh moves and has 50 then; a table of 7 for Lua, freed by realloc; and one of 1000
 * by the name that LoliProfiler knows. The block of malloc ends last.
 */
#include "lib/recorder/tracemill-loli.h"
#include "lib/recorder/tracemill.h"

#include <stdlib.h>

static char *chunk;

static __attribute__((noinline)) void *pool_get(size_t i, size_t n)
{
	void *p = chunk + i * 64;

	tracemill_alloc(TRACEMILL_POOL, p, n, i % 2 ? "Mesh" : 0);
	return p;
}

int main(void)
{
	chunk = malloc(64000);
	for (size_t i = 0; i < 100; i++)
		pool_get(i, 10);
	for (size_t i = 0; i < 60; i++)
		tracemill_free(TRACEMILL_POOL, chunk + i * 64);
	tracemill_realloc(TRACEMILL_POOL, chunk + 99 * 64, chunk + 100 * 64, 50, "Mesh");
	tracemill_realloc(TRACEMILL_LUA, 0, chunk + 200 * 64, 7, "table");
	tracemill_realloc(TRACEMILL_LUA, chunk + 200 * 64, 0, 0, 0);
	tracemill_loli_alloc(chunk + 500 * 64, 1000);
	free(chunk);
	return 0;
}
