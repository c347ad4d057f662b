/* SPDX-License-Identifier: MIT */
#include "lib/recorder/lua/names.h"

#include "lib/recorder/lua/shapes.h"

#include <stdio.h>

/* As a field of the globals or of a module, as Lua's own tracebacks have it. Takes the function
 * from the top. */
static bool field_name(lua_State *l, const char *module, char *name, size_t size)
{
	bool found = false;

	/* function, loaded, module's table */
	lua_pushnil(l);
	while (!found && lua_next(l, -2)) {
		found = lua_type(l, -2) == LUA_TSTRING && lua_rawequal(l, -1, -5);
		if (found && *module)
			snprintf(name, size, "%.60s.%.60s", module, lua_tostring(l, -2));
		else if (found)
			snprintf(name, size, "%.60s", lua_tostring(l, -2));
		lua_pop(l, found ? 2 : 1);
	}
	return found;
}

static bool luanames_known_name(lua_State *l, lua_Debug *ar, char *name, size_t size)
{
	int top = lua_gettop(l);
	bool found = false;

	lua_getinfo(l, "f", ar);
	lua_getfield(l, LUA_REGISTRYINDEX, "_LOADED");
	if (lua_type(l, -1) == LUA_TTABLE) {
		lua_getfield(l, -1, "_G");
		found = lua_type(l, -1) == LUA_TTABLE && field_name(l, "", name, size);
		lua_pop(l, 1);
		lua_pushnil(l);
		while (!found && lua_next(l, -2)) {
			/* function, loaded, key, value: the key goes below */
			if (lua_type(l, -1) == LUA_TTABLE && lua_type(l, -2) == LUA_TSTRING) {
				const char *module = lua_tostring(l, -2);

				lua_pushvalue(l, top + 1);
				lua_insert(l, -2);
				lua_pushvalue(l, top + 2);
				lua_insert(l, -2);
				found = field_name(l, module, name, size);
				lua_settop(l, top + 4);
			}
			lua_settop(l, top + 3);
		}
	}
	lua_settop(l, top);
	return found;
}

uint32_t function_of(struct luacalls *c, lua_State *l, lua_Debug *ar, const void *pointer)
{
	uint32_t f = luacalls_find(c, pointer);
	char name[LUA_IDSIZE + 80];
	const void *proto;
	const char *file;

	if (f)
		return f;
	lua_getinfo(l, "nS", ar);
	file = *ar->source == '@' ? ar->source + 1 : ar->short_src;
	file = *ar->what == 'C' ? NULL : file;
	proto = file && c->shapes ? shapes_proto(c->shapes, pointer) : NULL;
	f = proto ? luacalls_find(c, proto) : 0;
	if (f)
		return luacalls_bind(c, pointer, f);
	if (*ar->what == 'm')
		snprintf(name, sizeof name, "main chunk");
	else if (!luanames_known_name(l, ar, name, sizeof name)) {
		if (ar->name && *ar->name)
			snprintf(name, sizeof name, "%.60s", ar->name);
		else if (!file)
			snprintf(name, sizeof name, "[C]");
		else
			snprintf(name, sizeof name, "function <%s:%d>", ar->short_src,
				 ar->linedefined);
	}
	f = luacalls_add(c, name, file, file ? ar->linedefined : 0);
	if (f && proto)
		luacalls_bind(c, proto, f);
	return f ? luacalls_bind(c, pointer, f) : 0;
}

const char *name_of_kind(size_t kind)
{
#if LUA_VERSION_NUM >= 504
	static const char *const later[] = {"upvalue", "proto"};
#elif LUA_VERSION_NUM == 503
	static const char *const later[] = {"proto", "other"};
#else
	static const char *const later[] = {"proto", "upvalue"};
#endif
	switch (kind) {
	case LUA_TSTRING: return "string";
	case LUA_TTABLE: return "table";
	case LUA_TFUNCTION: return "function";
	case LUA_TUSERDATA: return "userdata";
	case LUA_TTHREAD: return "thread";
	case 9:
	case 10: return later[kind - 9];
	default: return "other";
	}
}
