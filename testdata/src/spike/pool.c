/* SPDX-License-Identifier: MIT
 *
 * pool [ENGINE]: a game on engine.c's pool, linked or (ENGINE) loaded. Of the pool's domain it
 * makes
 *
 *   Spawn      300 blocks of 40 bytes, of which 200 are freed
 *   Grow       1 block of 100 bytes, then realloc to 101, 102 ... 120, freed at the end
 *   Leak       50 blocks of 500 bytes
 *
 * which are 371 allocations of 39310 bytes and 221 frees; 150 blocks of 29000 bytes stay. Of malloc
 * it makes what the pool takes: 3 times 64 KiB.
 */
#include "testdata/src/spike/engine.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static void *(*get)(size_t);
static void (*give)(void *);
static void *(*change)(void *, size_t);

KEEP static void Spawn(void)
{
	static void *all[300];

	for (int i = 0; i < 300; i++)
		all[i] = get(40);
	for (int i = 0; i < 200; i++)
		give(all[i]);
}

KEEP static void Grow(void)
{
	void *p = get(100);

	for (size_t n = 101; n <= 120; n++)
		p = change(p, n);
	give(p);
}

KEEP static void Leak(void)
{
	for (int i = 0; i < 50; i++)
		get(500);
}

KEEP static void Game(void)
{
	Spawn();
	Grow();
	Leak();
	give(NULL);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		void *engine = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);

		if (!engine)
			return 9;
		*(void **)&get = dlsym(engine, "EngineMalloc");
		*(void **)&give = dlsym(engine, "EngineFree");
		*(void **)&change = dlsym(engine, "EngineRealloc");
		usleep(300000); /* until the recorder has seen it */
#ifdef LINKED
	} else {
		get = EngineMalloc;
		give = EngineFree;
		change = EngineRealloc;
#endif
	}
	if (get && give && change)
		Game();
	return 0;
}
