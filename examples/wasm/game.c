/* SPDX-License-Identifier: MIT
 *
 * A program to be recorded: levels whose things are freed but for one, and an allocator as Lua has it.
 */
#include "tracemill.h"
#include "tracemill_lua.h"

#include <stdint.h>

void *malloc(size_t n);
void *realloc(void *p, size_t n);
void free(void *p);

enum { FRAMES = 10, THINGS = 5 };

static void *kept[FRAMES];

/* As luaL_newstate's. */
static void *lua_alloc(void *data, void *old, size_t old_size, size_t n)
{
	(void)data;
	(void)old_size;
	if (n)
		return realloc(old, n);
	free(old);
	return NULL;
}

static struct tracemill_lua lua = {lua_alloc, NULL};

__attribute__((noinline)) static void *make_thing(int i)
{
	return malloc(100 + (size_t)i);
}

__attribute__((noinline)) static void *load_level(int frame)
{
	void *things[THINGS];

	for (int i = 0; i < THINGS; i++)
		things[i] = make_thing(i);
	for (int i = 1; i < THINGS; i++)
		free(things[i]);
	kept[frame] = things[0];
	return things[0];
}

__attribute__((noinline)) static void run_script(void)
{
	void *table = tracemill_lua_alloc(&lua, NULL, 5, 56);

	table = tracemill_lua_alloc(&lua, table, 56, 112);
	tracemill_lua_alloc(&lua, table, 112, 0);
}

__attribute__((export_name("run"))) void run(void)
{
	for (int i = 0; i < FRAMES; i++) {
		tracemill_frame();
		load_level(i);
		run_script();
		tracemill_counter("level", i);
	}
	tracemill_end();
}
