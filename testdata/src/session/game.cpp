/* SPDX-License-Identifier: MIT
 *
 * A small game whose rules are a Lua script (game.lua): the script makes C++ allocate, and loads a level. It writes its log
 * to standard output, and what it has done to standard error: bytes and blocks of the wave, bytes that leak a frame.
 */
#include <lua.hpp>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

namespace
{

struct Enemy {
	char body[240];
};

struct Particle {
	char body[96];
};

std::vector<Enemy *> enemies;

__attribute__((noinline)) Enemy *spawn_enemy()
{
	auto *e = new Enemy;

	memset(e->body, 1, sizeof e->body);
	return e;
}

/* Nothing frees what it makes. */
__attribute__((noinline)) Particle *add_particle()
{
	auto *p = new Particle;

	memset(p->body, 2, sizeof p->body);
	return p;
}

void wait_until(const timespec &from, long ms)
{
	timespec now;

	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

void say(const char *text)
{
	timespec now;
	tm t;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &t);
	printf("%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ %s\n", t.tm_year + 1900, t.tm_mon + 1,
	       t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, now.tv_nsec / 1000000, text);
}

int world_say(lua_State *l)
{
	say(luaL_checkstring(l, 1));
	return 0;
}

int world_spawn(lua_State *l)
{
	auto n = luaL_checkinteger(l, 1);

	for (lua_Integer i = 0; i < n; i++)
		enemies.push_back(spawn_enemy());
	fprintf(stderr, "wave %zu %lld\n", sizeof(Enemy) * static_cast<size_t>(n),
		static_cast<long long>(n));
	return 0;
}

int world_clear(lua_State *)
{
	for (Enemy *e : enemies)
		delete e;
	enemies.clear();
	return 0;
}

int world_tick(lua_State *)
{
	static Particle *volatile last;

	last = add_particle();
	return 0;
}

int world_load(lua_State *l)
{
	timespec from;

	clock_gettime(CLOCK_MONOTONIC, &from);
	wait_until(from, luaL_checkinteger(l, 1));
	return 0;
}

int world_sleep(lua_State *l)
{
	const timespec t = {0, luaL_checkinteger(l, 1) * 1000};

	nanosleep(&t, nullptr);
	return 0;
}

const luaL_Reg world[] = {{"say", world_say},   {"spawn", world_spawn}, {"clear", world_clear},
			  {"tick", world_tick}, {"load", world_load},   {"sleep", world_sleep},
			  {nullptr, nullptr}};

} // namespace

int main(int argc, char **argv)
{
	lua_State *l = luaL_newstate();

	luaL_openlibs(l);
	luaL_newlib(l, world);
	lua_setglobal(l, "world");
	if (argc < 2 || luaL_dofile(l, argv[1])) {
		fprintf(stderr, "%s\n", argc < 2 ? "no script" : lua_tostring(l, -1));
		return 1;
	}
	fprintf(stderr, "leak %zu\n", sizeof(Particle));
	lua_close(l);
	return 0;
}
