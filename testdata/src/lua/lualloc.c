/* SPDX-License-Identifier: MIT
 *
 *	lualloc SCRIPT text|binary > LOG
 *
 * Runs a Lua 5.4 script with an allocator that logs every call: a model of how a game would write
 * tracemill-lualloc(5). The script has two functions more: frame(N), a frame of the game begins,
 * and userdata(BYTES). At the end the state's own count of its memory goes to standard error.
 */
#include <inttypes.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NO_KIND = -1, END = -2 };

struct log {
	int binary;
	uint32_t frame;
	uint64_t records;
};

struct record {
	uint64_t ud, ptr, osize, nsize, result;
	int64_t time;
	uint32_t frame;
	int32_t kind;
};

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *allocate(void *ud, void *ptr, size_t osize, size_t nsize)
{
	uintptr_t old = (uintptr_t)ptr; /* not to be used once it is freed */
	struct log *l = ud;
	int64_t time = now();
	void *result = NULL;

	if (nsize)
		result = realloc(ptr, nsize);
	else
		free(ptr);
	l->records++;
	if (l->binary) {
		struct record r = {(uintptr_t)ud,     old,  osize,    nsize,
				   (uintptr_t)result, time, l->frame, NO_KIND};

		fwrite(&r, sizeof r, 1, stdout);
	} else {
		printf("%p 0x%" PRIxPTR " %zu %zu - %" PRId64 " %u %p\n", ud, old, osize, nsize,
		       time, l->frame, result);
	}
	return result;
}

static int frame(lua_State *lua)
{
	void *ud;

	lua_getallocf(lua, &ud);
	((struct log *)ud)->frame = (uint32_t)luaL_checkinteger(lua, 1);
	return 0;
}

static int userdata(lua_State *lua)
{
	lua_newuserdatauv(lua, (size_t)luaL_checkinteger(lua, 1), 0);
	return 1;
}

static void begin(const struct log *l)
{
	static const struct {
		char magic[8];
		uint16_t version, size;
		uint8_t lua, flags;
		uint16_t zero;
		int64_t tick;
		uint64_t heap;
	} head = {"LUALLOC", 1, sizeof(struct record), 54, 15, 0, 1, 0};

	if (l->binary)
		fwrite(&head, sizeof head, 1, stdout);
	else
		puts("lualloc 1 lua=5.4 clock=ns");
}

static void end(const struct log *l)
{
	struct record r = {.nsize = l->records, .kind = END};

	if (l->binary)
		fwrite(&r, sizeof r, 1, stdout);
	else
		printf("end %" PRIu64 "\n", l->records);
}

int main(int argc, char **argv)
{
	struct log l = {.frame = 1};
	lua_State *lua;

	if (argc != 3)
		return 2;
	l.binary = !strcmp(argv[2], "binary");
	begin(&l);
	lua = lua_newstate(allocate, &l);
	luaL_openlibs(lua);
	lua_register(lua, "frame", frame);
	lua_register(lua, "userdata", userdata);
	if (luaL_dofile(lua, argv[1])) {
		fprintf(stderr, "%s\n", lua_tostring(lua, -1));
		return 1;
	}
	fprintf(stderr, "heap %d\nrecords %" PRIu64 "\n",
		lua_gc(lua, LUA_GCCOUNT) * 1024 + lua_gc(lua, LUA_GCCOUNTB), l.records);
	end(&l); /* before the state is closed, so that something is live */
	lua_close(lua);
	return fflush(stdout) ? 1 : 0;
}
