/* SPDX-License-Identifier: MIT
 *
 * Objects wait in a Lua table, which is what keeps a reference to each: no recursion, and of the
 * C stack and Lua's only a few places. That table, and what is on this function's own stack, are
 * left out.
 *
 * An object's id is lua_topointer's; a string's the address of its bytes.
 */
#include "lib/recorder/lua/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, OURS = UINT32_MAX };

struct walk {
	lua_State *l;
	struct lua_out *out; /* NULL: only threads are looked for */
	void (*visit)(void *arg, lua_State *thread);
	void *arg;
	struct lua_slots seen; /* ids -> 1, or OURS */
	int waiting;           /* index of the table */
	int n;                 /* objects in it */
	bool failed;
};

static uint64_t id_of(lua_State *l, int i)
{
	switch (lua_type(l, i)) {
	case LUA_TSTRING: return (uintptr_t)lua_tostring(l, i);
	case LUA_TTABLE:
	case LUA_TFUNCTION:
	case LUA_TUSERDATA:
	case LUA_TTHREAD: return (uintptr_t)lua_topointer(l, i);
	default: return 0;
	}
}

static void put_reference(const struct walk *w, uint64_t from, uint64_t to, const char *name)
{
	struct event ev = {.kind = EV_REFERENCE,
			   .has = EV_HAS_ADDRESS | EV_HAS_TARGET | EV_HAS_NAME,
			   .address = from,
			   .target = to,
			   .name = out_string(w->out, name, strlen(name))};

	out_event(w->out, &ev);
}

/* Takes the value on the top, which from refers to. */
static void luasnap_refer(struct walk *w, uint64_t from, const char *name)
{
	uint64_t id = id_of(w->l, -1);
	uint32_t *seen = NULL;

	if (id && (w->out || lua_type(w->l, -1) != LUA_TSTRING))
		seen = slots_put(&w->seen, id);
	w->failed |= id && w->seen.failed;
	if (!seen || *seen == OURS) {
		lua_pop(w->l, 1);
		return;
	}
	if (w->out)
		put_reference(w, from, id, name);
	if (*seen) {
		lua_pop(w->l, 1);
		return;
	}
	*seen = 1;
	lua_rawseti(w->l, w->waiting, ++w->n);
}

/* The name of a field by its key, at the index. */
static void key_name(lua_State *l, int i, char *text, size_t size)
{
	switch (lua_type(l, i)) {
	case LUA_TSTRING: snprintf(text, size, "%.60s", lua_tostring(l, i)); break;
	case LUA_TNUMBER: snprintf(text, size, "[%.14g]", (double)lua_tonumber(l, i)); break;
	case LUA_TBOOLEAN:
		snprintf(text, size, "[%s]", lua_toboolean(l, i) ? "true" : "false");
		break;
	default:
		snprintf(text, size, "[%s: %p]", lua_typename(l, lua_type(l, i)),
			 lua_topointer(l, i));
	}
}

/* Of the table or userdata on the top: its metatable; *mode gets bits for weak keys, values. */
static void metatable(struct walk *w, uint64_t from, unsigned *mode)
{
	const char *text;

	*mode = 0;
	if (!lua_getmetatable(w->l, -1))
		return;
	lua_pushliteral(w->l, "__mode");
	lua_rawget(w->l, -2);
	text = lua_type(w->l, -1) == LUA_TSTRING ? lua_tostring(w->l, -1) : "";
	*mode = (strchr(text, 'k') ? 1u : 0) | (strchr(text, 'v') ? 2u : 0);
	lua_pop(w->l, 1);
	luasnap_refer(w, from, "[metatable]");
}

static void luasnap_fields(struct walk *w, uint64_t from)
{
	unsigned weak;
	char name[NAME + 32];

	metatable(w, from, &weak);
	lua_pushnil(w->l);
	while (lua_next(w->l, -2)) {
		key_name(w->l, -2, name, sizeof name);
		if (weak & 2 && lua_type(w->l, -1) != LUA_TSTRING)
			lua_pop(w->l, 1);
		else
			luasnap_refer(w, from, name);
		if (!(weak & 1) || lua_type(w->l, -1) == LUA_TSTRING) {
			lua_pushvalue(w->l, -1);
			luasnap_refer(w, from, "[key]");
		}
	}
}

static void upvalues(struct walk *w, uint64_t from)
{
	char name[NAME];
	const char *known;

	for (int i = 1; (known = lua_getupvalue(w->l, -1, i)); i++) {
		if (*known)
			snprintf(name, sizeof name, "%.60s", known);
		else
			snprintf(name, sizeof name, "[upvalue %d]", i);
		luasnap_refer(w, from, name);
	}
#if LUA_VERSION_NUM < 502
	lua_getfenv(w->l, -1);
	luasnap_refer(w, from, "[environment]");
#endif
}

static void user_values(struct walk *w, uint64_t from)
{
	unsigned weak;

	metatable(w, from, &weak);
#if LUA_VERSION_NUM >= 504
	for (int i = 1; lua_getiuservalue(w->l, -1, i) != LUA_TNONE; i++)
		luasnap_refer(w, from, "[user value]");
	lua_pop(w->l, 1); /* the nil behind the last */
#elif LUA_VERSION_NUM >= 502
	lua_getuservalue(w->l, -1);
	luasnap_refer(w, from, "[user value]");
#else
	lua_getfenv(w->l, -1);
	luasnap_refer(w, from, "[environment]");
#endif
}

/* The value on the thread's top, which is then taken from there. */
static void refer_from(struct walk *w, lua_State *thread, uint64_t from, const char *name)
{
	char copy[NAME];

	snprintf(copy, sizeof copy, "%.60s", name);
	if (thread != w->l)
		lua_xmove(thread, w->l, 1);
	luasnap_refer(w, from, copy);
}

static void luasnap_thread_stack(struct walk *w, uint64_t from)
{
	lua_State *thread = lua_tothread(w->l, -1);
	/* Of the one that runs us, not our own function. */
	int level = thread == w->l ? 1 : 0, first = level;
	lua_Debug ar;

	if (w->visit)
		w->visit(w->arg, thread);
	if (!lua_checkstack(thread, 4)) {
		w->failed = true;
		return;
	}
	for (; lua_getstack(thread, level, &ar); level++) {
		const char *name;

		lua_getinfo(thread, "f", &ar);
		refer_from(w, thread, from, "[called]");
		for (int i = 1; (name = lua_getlocal(thread, &ar, i)); i++)
			refer_from(w, thread, from, name);
	}
	if (level != first || thread == w->l)
		return;
	/* Not begun: the function and its arguments; or ended. */
	for (int i = 1, n = lua_gettop(thread); i <= n; i++) {
		lua_pushvalue(thread, i);
		refer_from(w, thread, from, "[to run]");
	}
}

static void put_object(struct walk *w, uint64_t id, const char *type, const char *name, size_t n,
		       bool sized, size_t size)
{
	struct event ev = {.kind = EV_OBJECT,
			   .has = EV_HAS_ADDRESS | EV_HAS_TYPE,
			   .address = id,
			   .type = out_type(w->out, type),
			   .requested = size};

	if (n) {
		ev.name = out_string(w->out, name, n);
		ev.has |= EV_HAS_NAME;
	}
	if (sized)
		ev.has |= EV_HAS_REQUESTED;
	out_event(w->out, &ev);
}

static void put_function(struct walk *w, uint64_t id)
{
	char name[LUA_IDSIZE + 32];
	lua_Debug ar;

	lua_pushvalue(w->l, -1);
	lua_getinfo(w->l, ">S", &ar);
	if (*ar.what == 'C') {
		put_object(w, id, "cfunction", "", 0, false, 0);
		return;
	}
	snprintf(name, sizeof name, "%s:%d", ar.short_src, ar.linedefined);
	put_object(w, id, "function", name, strlen(name), false, 0);
}

static void put_userdata(struct walk *w, uint64_t id)
{
	const char *type = "userdata";
	bool named = false;

	if (lua_getmetatable(w->l, -1)) {
		lua_pushliteral(w->l, "__name");
		lua_rawget(w->l, -2);
		lua_remove(w->l, -2);
		named = true;
		if (lua_type(w->l, -1) == LUA_TSTRING)
			type = lua_tostring(w->l, -1);
	}
	put_object(w, id, type, "", 0, true, lua_rawlen(w->l, named ? -2 : -1));
	if (named)
		lua_pop(w->l, 1);
}

static void describe(struct walk *w, uint64_t id)
{
	size_t n;
	const char *s;

	switch (lua_type(w->l, -1)) {
	case LUA_TSTRING:
		s = lua_tolstring(w->l, -1, &n);
		put_object(w, id, "string", s, n < NAME ? n : NAME, true, n);
		break;
	case LUA_TTABLE: put_object(w, id, "table", "", 0, false, 0); break;
	case LUA_TFUNCTION: put_function(w, id); break;
	case LUA_TUSERDATA: put_userdata(w, id); break;
	default: put_object(w, id, "thread", "", 0, false, 0); break;
	}
}

static void look_into(struct walk *w, uint64_t id)
{
	switch (lua_type(w->l, -1)) {
	case LUA_TTABLE: luasnap_fields(w, id); break;
	case LUA_TFUNCTION: upvalues(w, id); break;
	case LUA_TUSERDATA: user_values(w, id); break;
	case LUA_TTHREAD: luasnap_thread_stack(w, id); break;
	default: break;
	}
}

static void luasnap_roots(struct walk *w)
{
	lua_State *l = w->l;

	lua_pushvalue(l, LUA_REGISTRYINDEX);
	luasnap_refer(w, 0, "[registry]");
#if LUA_VERSION_NUM >= 502
	lua_rawgeti(l, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
	luasnap_refer(w, 0, "_G");
	lua_rawgeti(l, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
	luasnap_refer(w, 0, "[main]");
#else
	lua_pushvalue(l, LUA_GLOBALSINDEX);
	luasnap_refer(w, 0, "_G");
#endif
	lua_pushthread(l);
	luasnap_refer(w, 0, "[running]");
	lua_pushliteral(l, "");
	if (lua_getmetatable(l, -1))
		luasnap_refer(w, 0, "[metatable of strings]");
	lua_pop(l, 1);
}

/* The collector, unless the script has stopped it: Lua 5.1 does not say. */
static bool runs(lua_State *l)
{
#ifdef LUA_GCISRUNNING
	return lua_gc(l, LUA_GCISRUNNING, 0);
#else
	(void)l;
	return true;
#endif
}

static bool luasnap_walk(struct walk *w)
{
	lua_State *l = w->l;
	bool collects = runs(l);

	luaL_checkstack(l, 20, "snapshot");
	lua_gc(l, LUA_GCSTOP, 0);
	lua_newtable(l);
	w->waiting = lua_gettop(l);
	w->failed = !slots_put(&w->seen, id_of(l, -1));
	if (!w->failed)
		*slots_put(&w->seen, id_of(l, -1)) = OURS;
	luasnap_roots(w);
	for (int i = 1; i <= w->n && !w->failed; i++) {
		uint64_t id;

		lua_rawgeti(l, w->waiting, i);
		id = id_of(l, -1);
		if (w->out)
			describe(w, id);
		look_into(w, id);
		lua_settop(l, w->waiting);
	}
	lua_settop(l, w->waiting - 1);
	if (collects)
		lua_gc(l, LUA_GCRESTART, 0);
	slots_release(&w->seen);
	return !w->failed;
}

bool snapshot_write(lua_State *l, struct lua_out *out, uint64_t *objects)
{
	struct walk w = {.l = l, .out = out};
	bool ok = luasnap_walk(&w);

	*objects = (uint64_t)w.n;
	return ok;
}

bool snapshot_threads(lua_State *l, void (*visit)(void *arg, lua_State *thread), void *arg)
{
	struct walk w = {.l = l, .visit = visit, .arg = arg};

	return luasnap_walk(&w);
}
