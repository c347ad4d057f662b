/* SPDX-License-Identifier: MIT
 *
 * Objects wait in a Lua table, which is what keeps a reference to each: no recursion, and of the
 * C stack and Lua's only a few places. That table, and what is on this function's own stack, are
 * left out.
 *
 * An object's id is lua_topointer's; a string's the address of its bytes. What Lua's interface does not show (definitions
 * of functions, their strings, upvalues) is an object by its block's address.
 */
#include "lib/recorder/lua/snapshot.h"

#include "lib/recorder/lua/names.h"
#include "lib/recorder/lua/natives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, OURS = UINT32_MAX };
enum { NOTE_INFO }; /* lib/trace/model.h's, which is not for in here */

struct walk {
	lua_State *l;
	struct lua_out *out; /* NULL: only threads are looked for */
	void (*visit)(void *arg, lua_State *thread);
	void *arg;
	struct lua_slots seen; /* ids -> 1, or OURS */
	int waiting;           /* index of the table */
	int n;                 /* objects in it */
	bool failed;
	struct lua_sizes *z; /* NULL: bytes are not known */
	struct hidden {
		uint64_t block, from; /* from: what was found to refer to it first */
		enum lua_hidden kind;
	} * hidden;
	size_t n_hidden, cap_hidden;
	uint64_t from; /* whose hidden objects are being found */
	const char *field;
	struct lua_natives natives; /* where z is not NULL */
};

#ifdef TM_LUAJIT
enum { CDATA = 10 };
#else
enum { CDATA = LUA_TNONE };
#endif

static uint64_t id_of(lua_State *l, int i)
{
	switch (lua_type(l, i)) {
	case LUA_TSTRING: return (uintptr_t)lua_tostring(l, i);
	case LUA_TTABLE:
	case LUA_TFUNCTION:
	case LUA_TUSERDATA:
	case LUA_TTHREAD: return (uintptr_t)lua_topointer(l, i);
	case CDATA: return (uintptr_t)lua_topointer(l, i);
	default: return 0;
	}
}

static void hidden_found(void *arg, enum lua_hidden kind, uint64_t block);

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
	if (w->z && lua_type(w->l, -1) == LUA_TLIGHTUSERDATA)
		natives_pointer(&w->natives, from, (uintptr_t)lua_touserdata(w->l, -1), name);
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
	bool hides = w->z && !lua_iscfunction(w->l, -1);
	char name[NAME];
	const char *known;
	int i;

	for (i = 1; (known = lua_getupvalue(w->l, -1, i)); i++) {
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
	w->from = from;
	if (hides)
		sizes_function_refers(w->z, from, (unsigned)i - 1, hidden_found, w);
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

/* Its own bytes and those of its parts; content: as in sizes_object. */
static void put_sized(struct walk *w, uint64_t id, const char *type, const char *name, size_t n,
		      uint64_t content, bool is_c)
{
	int kind = lua_type(w->l, -1);
	bool sized = kind == LUA_TSTRING || kind == LUA_TUSERDATA;
	uint64_t size = content;

	if (w->z)
		sized = sizes_object(w->z, kind, is_c, id, content, &size);
	put_object(w, id, type, name, n, sized, size);
}

static void put_function(struct walk *w, uint64_t id)
{
	char name[LUA_IDSIZE + 32];
	lua_Debug ar;

	/* What has no memory is known by its code. */
	if (lua_iscfunction(w->l, -1) && (uintptr_t)lua_tocfunction(w->l, -1) == id) {
		put_object(w, id, "cfunction", "", 0, w->z != NULL, 0);
		return;
	}
	lua_pushvalue(w->l, -1);
	lua_getinfo(w->l, ">Su", &ar);
	if (*ar.what == 'C') {
		put_sized(w, id, "cfunction", "", 0, (uint64_t)ar.nups, true);
		return;
	}
	snprintf(name, sizeof name, "%s:%d", ar.short_src, ar.linedefined);
	put_sized(w, id, "function", name, strlen(name), (uint64_t)ar.nups, false);
}

static void put_userdata(struct walk *w, uint64_t id)
{
	char type[NAME] = "userdata";

	if (lua_getmetatable(w->l, -1)) {
		lua_pushliteral(w->l, "__name");
		lua_rawget(w->l, -2);
		if (lua_type(w->l, -1) == LUA_TSTRING)
			snprintf(type, sizeof type, "%.60s", lua_tostring(w->l, -1));
		lua_pop(w->l, 2);
	}
	put_sized(w, id, type, "", 0, lua_rawlen(w->l, -1), false);
	if (w->z)
		natives_memory(&w->natives, id, lua_rawlen(w->l, -1));
}

static void describe(struct walk *w, uint64_t id)
{
	size_t n;
	const char *s;

	switch (lua_type(w->l, -1)) {
	case LUA_TSTRING:
		s = lua_tolstring(w->l, -1, &n);
		put_sized(w, id, "string", s, n < NAME ? n : NAME, n, false);
		break;
	case LUA_TTABLE: put_sized(w, id, "table", "", 0, 0, false); break;
	case LUA_TFUNCTION: put_function(w, id); break;
	case LUA_TUSERDATA: put_userdata(w, id); break;
	case LUA_TTHREAD: put_sized(w, id, "thread", "", 0, 0, false); break;
	default: put_sized(w, id, "cdata", "", 0, 0, false); break;
	}
}

/* ---- what Lua's interface does not show ---- */

static uint64_t hidden_id(const struct walk *w, enum lua_hidden kind, uint64_t block)
{
	return block + (kind == HIDDEN_STRING ? (unsigned)w->z->shapes.string_header : 0);
}

/* It is referred to from where the walk is, and waits, unless it is known. */
static void hidden_found(void *arg, enum lua_hidden kind, uint64_t block)
{
	struct walk *w = arg;
	uint64_t id = hidden_id(w, kind, block);
	uint32_t *seen;

	if (w->field)
		kind = kind == HIDDEN_OTHER ? HIDDEN_STATE : HIDDEN_NONE;
	else if (kind == HIDDEN_OTHER)
		return;
	seen = kind ? slots_put(&w->seen, id) : NULL;
	w->failed |= w->seen.failed;
	if (!seen)
		return;
	put_reference(w, w->from, id,
		      w->field                 ? w->field
		      : kind == HIDDEN_UPVALUE ? "[upvalue]"
		      : kind == HIDDEN_PROTO   ? "[proto]"
					       : "[constant]");
	if (*seen)
		return;
	*seen = 1;
	if (w->n_hidden == w->cap_hidden) {
		size_t cap = w->cap_hidden ? w->cap_hidden * 2 : 256;
		struct hidden *more = own_grow(w->hidden, cap * sizeof *more);

		w->failed |= !more;
		if (!more)
			return;
		w->hidden = more;
		w->cap_hidden = cap;
	}
	w->hidden[w->n_hidden++] = (struct hidden){block, w->from, kind};
}

static void put_hidden(struct walk *w, const struct hidden *h)
{
	static const char *const types[] = {"",      "proto", "upvalue", "string",
					    "table", "other", "state"};
	uint64_t id = hidden_id(w, h->kind, h->block), size;
	const char *name = "";
	size_t n = 0;

	bool sized = sizes_hidden(w->z, h->kind, h->block, &size);

	if (h->kind == HIDDEN_STRING && sized) {
		name = (const char *)(uintptr_t)id;
		n = size - (unsigned)w->z->shapes.string_header;
		n = strnlen(name, n < NAME ? n : NAME);
	}
	put_object(w, id, types[h->kind], name, n, sized, size);
}

/* The functions' blocks first, then what these refer to. */
static void hidden_all(struct walk *w)
{
	for (size_t i = 0; i < w->n_hidden && !w->failed; i++) {
		struct hidden h = w->hidden[i];

		put_hidden(w, &h);
		w->from = hidden_id(w, h.kind, h.block);
		if (h.kind == HIDDEN_PROTO)
			sizes_proto_refers(w->z, h.block, hidden_found, w);
		if (h.kind == HIDDEN_STATE)
			sizes_refers(w->z, h.block,
				     w->z->blocks[blocks_find(w->z->blocks, w->z->n, h.block)].size,
				     hidden_found, w);
	}
	w->n_hidden = 0;
}

/* Memory of the state itself, found by the addresses in it: the table of all strings, buffers. */
static void hidden_state(struct walk *w, uint64_t main_thread)
{
	w->field = "[state, by address]";
	w->from = main_thread;
	sizes_state_refers(w->z, main_thread, hidden_found, w);
	hidden_all(w);
	w->field = NULL;
}

/* Each block that has no owner, and one for all from before the module. */
static void put_unexplained(struct walk *w)
{
	const struct lua_sizes *z = w->z;
	uint64_t left = z->older > z->older_told ? z->older - z->older_told : 0;

	for (size_t i = 0; i < z->n; i++) {
		char name[NAME] = "";
		unsigned kind = z->blocks[i].kind;

		if (sizes_owned(z, i))
			continue;
		if (kind)
			snprintf(name, sizeof name, "%s", name_of_kind(kind));
		put_reference(w, 0, z->blocks[i].address, "[unexplained]");
		put_object(w, z->blocks[i].address, "unexplained", name, strlen(name), true,
			   z->blocks[i].size);
	}
	if (!left)
		return;
	put_reference(w, 0, 1, "[unexplained]");
	put_object(w, 1, "unexplained", "from before the module was loaded", 33, true, left);
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

/* 0: not known, in 5.1 from another thread. */
static uint64_t main_thread(lua_State *l)
{
	bool known = true;
	uint64_t id;

#if LUA_VERSION_NUM >= 502
	lua_rawgeti(l, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
#else
	known = lua_pushthread(l);
#endif
	id = known ? id_of(l, -1) : 0;
	lua_pop(l, 1);
	return id;
}

static void luasnap_objects(struct walk *w)
{
	lua_State *l = w->l;

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
}

static bool luasnap_walk(struct walk *w, const struct lua_watch *watch)
{
	lua_State *l = w->l;
	bool collects = runs(l);
	lua_Hook hook = lua_gethook(l);
	int mask = lua_gethookmask(l), count = lua_gethookcount(l);
	struct lua_sizes sizes = {.n = 0};

	luaL_checkstack(l, 20, "snapshot");
	lua_gc(l, LUA_GCSTOP, 0);
	if (w->out) {
		lua_sethook(l, NULL, 0, 0);
		w->z = sizes_begin(&sizes, l, watch) ? &sizes : NULL;
		lua_sethook(l, hook, mask, count);
	}
	if (w->z)
		natives_begin(&w->natives, w->out, w->z, &w->seen);
	luasnap_objects(w);
	if (w->z && !w->failed) {
		uint64_t id = main_thread(l);

		hidden_all(w);
		if (id)
			hidden_state(w, id);
		natives_all(&w->natives);
		if (w->natives.cut)
			cap_output_note(
			    &w->out->o, NOTE_INFO, 0,
			    "native memory was not looked through to the end for what Lua holds");
		put_unexplained(w);
	}
	if (collects)
		lua_gc(l, LUA_GCRESTART, 0);
	slots_release(&w->seen);
	own_free(w->hidden);
	natives_end(&w->natives);
	sizes_end(&sizes);
	return !w->failed;
}

bool snapshot_write(lua_State *l, struct lua_out *out, const struct lua_watch *watch,
		    uint64_t *objects)
{
	struct walk w = {.l = l, .out = out};
	bool ok = luasnap_walk(&w, watch);

	*objects = (uint64_t)w.n;
	return ok;
}

void snapshot_shapes(lua_State *l, struct lua_shapes *shapes)
{
	bool collects = runs(l);
	lua_Hook hook = lua_gethook(l);
	int mask = lua_gethookmask(l), count = lua_gethookcount(l);

	lua_gc(l, LUA_GCSTOP, 0);
	lua_sethook(l, NULL, 0, 0);
	shapes_learn(l, shapes);
	lua_sethook(l, hook, mask, count);
	if (collects)
		lua_gc(l, LUA_GCRESTART, 0);
}

bool snapshot_threads(lua_State *l, void (*visit)(void *arg, lua_State *thread), void *arg)
{
	struct walk w = {.l = l, .visit = visit, .arg = arg};

	return luasnap_walk(&w, NULL);
}
