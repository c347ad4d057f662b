/* SPDX-License-Identifier: MIT
 *
 * An engine that has a Lua of its own, whose scripts cannot load libraries: it opens the module itself. README.md beside
 * it has the command.
 */
#include <tracemill-lua.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

/* As many libraries as a console has: no package, no io, no os. */
static void open_libraries(lua_State *l)
{
	static const luaL_Reg libraries[] = {
#if LUA_VERSION_NUM >= 502
		{"_G", luaopen_base},
#else
		{"", luaopen_base},
#endif
		{"table", luaopen_table},
		{"string", luaopen_string},
		{"math", luaopen_math}
	};

	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		lua_pushcfunction(l, libraries[i].func);
		lua_pushstring(l, libraries[i].name);
		lua_call(l, 1, 1);
		lua_settop(l, 0);
	}
}

int main(int argc, char **argv)
{
	lua_State *l = luaL_newstate();

	if (!l || argc < 2) {
		fprintf(stderr, "engine: a script, and where its trace goes\n");
		return 2;
	}
	open_libraries(l);

	tracemill_lua_open(l);
	lua_setglobal(l, "tm");
	if (argc > 2) {
		lua_pushstring(l, argv[2]);
		lua_setglobal(l, "trace"); /* nil: into that of tm-record */
	}

	if (luaL_loadfile(l, argv[1]) || lua_pcall(l, 0, 0, 0)) {
		fprintf(stderr, "engine: %s\n", lua_tostring(l, -1));
		return 1;
	}
	lua_close(l);
	return 0;
}
