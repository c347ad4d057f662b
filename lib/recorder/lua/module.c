/* SPDX-License-Identifier: MIT
 *
 * require "tracemill": a Lua program records itself, from Lua 5.1 to 5.4 and in LuaJIT, each of
 * which has this file compiled with its own headers. tracemill-lua(3) describes the module.
 *
 * Facts: the reference manuals (lua_Alloc, lua_Hook, lua_getinfo); the numbers of kinds from lua.h
 * and lobject.h of each version. Tail calls: 5.2 to 5.4 have an event for them; 5.1 has one when
 * they return, and its callee moves to the caller's place silently; in LuaJIT calls are places on
 * the stack, C functions have no return, and compiled code has no hooks at all, so that the
 * compiler is off while calls are recorded.
 */
#include "lib/recorder/lua/names.h"
#include "lib/recorder/lua/snapshot.h"
#include "lib/recorder/tracemill.h"
#include "lib/trace/reading_digits.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef TM_LUAJIT
#include <luajit.h>
#endif

#define MODULE "tracemill"
#if LUA_VERSION_NUM >= 502
#define OLD 0
#else
#define OLD 1
#endif
#ifdef TM_LUAJIT
enum { PLACES_IN_ORDER = 1, TAIL_MOVES = 0 };
#else
enum { PLACES_IN_ORDER = 0, TAIL_MOVES = OLD };
#endif
#ifdef TM_LUAJIT
#define VERSION LUAJIT_VERSION
#else
#define VERSION LUA_VERSION
#endif
#ifndef LUA_HOOKTAILCALL
#define LUA_HOOKTAILCALL LUA_HOOKCALL
#endif
#ifndef LUA_HOOKTAILRET
#define LUA_HOOKTAILRET (-1)
#endif

enum { KINDS = 16 };
enum { NOTE_INFO, NOTE_LOSS = 2 }; /* lib/trace/model.h's, which is not for in here */

struct module {
	lua_Alloc next;
	void *next_ud;
	struct lua_out *out; /* NULL: not recording */
	bool hooked, blocks;
	bool covered; /* another allocator was put over ours */
	bool own;     /* what Lua allocates now is the module's */
	bool lines;   /* stacks have the lines that run, not those where functions begin */
	bool lent;    /* ours is there for that alone */
	struct module *others;
	struct luacalls calls;
	struct lua_slots live; /* blocks -> type + 1 */
	struct lua_slots mine; /* blocks of the module in Lua's heap */
	uint32_t kinds[KINDS];
	int64_t frames;
	int64_t bytes;                 /* by which the heap has grown since the start */
	uint64_t before, before_bytes; /* blocks from before the start that were freed */
	uint64_t lost;                 /* blocks that there was no memory for */
	uint64_t no_numbers;           /* readings of counters */
	uint32_t heap;                 /* the counter lua.heap */
};

static struct module *active; /* those that record */
static atomic_flag turn = ATOMIC_FLAG_INIT;

static void take_turn(void)
{
	while (atomic_flag_test_and_set(&turn))
		sched_yield();
}

/* ---- the allocator ---- */

/* 0: this version does not say. */
static uint32_t type_of_kind(struct module *m, size_t kind)
{
	if (OLD)
		return 0;
	kind = kind < KINDS ? kind : 0;
	if (!m->kinds[kind])
		m->kinds[kind] = out_type(m->out, name_of_kind(kind));
	return m->kinds[kind];
}

static void luamodule_put_block(struct module *m, unsigned kind, const void *p, size_t n,
				uint32_t type)
{
	struct event ev = {.kind = (uint8_t)kind,
			   .domain = DOMAIN_LUA,
			   .has = EV_HAS_ADDRESS | EV_HAS_DOMAIN | EV_HAS_TIME,
			   .address = (uintptr_t)p,
			   .time = out_time(m->out),
			   .thread = luacalls_thread(&m->calls)};

	if (ev.thread)
		ev.has |= EV_HAS_THREAD;
	if (kind == EV_ALLOC) {
		ev.has |= EV_HAS_REQUESTED;
		ev.requested = n;
		ev.type = type;
		ev.has |= type ? EV_HAS_TYPE : 0;
		ev.stack = luacalls_stack(&m->calls);
		ev.has |= ev.stack ? EV_HAS_STACK : 0;
	}
	out_event(m->out, &ev);
}

static void allocated(struct module *m, const void *p, size_t n, uint32_t type)
{
	uint32_t *at = slots_put(&m->live, (uintptr_t)p);

	m->lost += !at;
	if (!at)
		return;
	*at = type + 1;
	if (m->blocks)
		luamodule_put_block(m, EV_ALLOC, p, n, type);
}

/* The block's type, when it was allocated before our eyes. */
static bool freed(struct module *m, const void *p, size_t n, uint32_t *type)
{
	uint32_t at = slots_get(&m->live, (uintptr_t)p);

	*type = at ? at - 1 : 0;
	if (!at) {
		m->before++;
		m->before_bytes += n;
		return false;
	}
	slots_remove(&m->live, (uintptr_t)p);
	if (m->blocks)
		luamodule_put_block(m, EV_FREE, p, 0, 0);
	return true;
}

/* A block of the module's stays one wherever it is moved or freed. */
static void *luamodule_allocate_own(struct module *m, void *old, size_t osize, size_t nsize)
{
	uintptr_t was = (uintptr_t)old;
	uint32_t *at;
	void *p;

	tracemill_own(1);
	p = m->next(m->next_ud, old, osize, nsize);
	tracemill_own(0);
	if (was && (p || !nsize))
		slots_remove(&m->mine, was);
	at = p && nsize ? slots_put(&m->mine, (uintptr_t)p) : NULL;
	if (at)
		*at = 1;
	return p;
}

/* The four cases: a new block, whose old size is its kind; none; one grown or shrunk; one freed. */
static void *luamodule_allocate(void *ud, void *old, size_t osize, size_t nsize)
{
	struct module *m = ud;
	uintptr_t was = (uintptr_t)old; /* not to be used once it is freed */
	uint32_t type;
	void *p;

	if (was ? m->mine.n && slots_get(&m->mine, was) : m->own)
		return luamodule_allocate_own(m, old, osize, nsize);
	p = m->next(m->next_ud, old, osize, nsize);
	if (!m->out)
		return p;
	if (!was) {
		if (nsize && p) {
			m->bytes += (int64_t)nsize;
			allocated(m, p, nsize, type_of_kind(m, osize));
		}
		return p;
	}
	if (nsize && !p)
		return p;
	m->bytes += (int64_t)nsize - (int64_t)osize;
	if (!freed(m, (void *)was, osize, &type))
		type = nsize ? type_of_kind(m, 0) : 0;
	if (!nsize) {
		luacalls_forget(&m->calls, (void *)was);
		luacalls_forget(&m->calls, (char *)was + sizeof(void *)); /* a thread's state */
	} else {
		allocated(m, p, nsize, type);
	}
	return p;
}

/* Between them what Lua allocates is the module's; where nothing is recorded our allocator is there for as
 * long. */
static void own_begin(struct module *m, lua_State *l)
{
	if (!m->out && !m->lent && !m->covered) {
		m->next = lua_getallocf(l, &m->next_ud);
		lua_setallocf(l, luamodule_allocate, m);
		m->lent = true;
	}
	m->own = true;
}

static void own_end(struct module *m, lua_State *l)
{
	m->own = false;
	if (!m->lent)
		return;
	lua_setallocf(l, m->next, m->next_ud);
	m->lent = false;
	slots_release(&m->mine);
}

static struct module *recording(lua_State *l)
{
	void *ud;

	if (lua_getallocf(l, &ud) != luamodule_allocate || !((struct module *)ud)->out)
		return NULL;
	return ud;
}

/* ---- calls ---- */

static uint64_t place_of(const lua_Debug *ar)
{
#ifdef TM_LUAJIT
	return (unsigned)ar->i_ci & 0xffff;
#elif OLD
	return (unsigned)ar->i_ci;
#else
	return (uintptr_t)ar->i_ci;
#endif
}

static const void *pointer_of(lua_State *l, lua_Debug *ar)
{
	const void *p;

	lua_getinfo(l, "f", ar);
	p = lua_topointer(l, -1);
	lua_pop(l, 1);
	return p;
}

static bool is_c(lua_State *l, lua_Debug *ar)
{
	lua_getinfo(l, "S", ar);
	return *ar->what == 'C';
}

/* A C function's, which LuaJIT does not say the return of; but when it was called. */
static bool unseen(struct module *m, lua_State *l, lua_Debug *ar)
{
	if (!PLACES_IN_ORDER || !is_c(l, ar))
		return false;
	out_time(m->out);
	return true;
}

/* The caller is the innermost function that we know, unless errors have left some without a return;
 * in 5.1 also when that one had been called in its caller's place. */
static void luamodule_settle(struct module *m, lua_State *l, struct coroutine *co, bool tail,
			     uint64_t place)
{
	struct lua_call *top = luacalls_top(co);
	lua_Debug caller;

	if (PLACES_IN_ORDER) {
		luacalls_cut(&m->calls, co, place);
		return;
	}
	if (!top)
		return;
	/* 5.4 makes a tail call in its caller's place, 5.2 and 5.3 behind it. */
	if (tail && top->place == place)
		return;
	if (!lua_getstack(l, 1, &caller)) {
		luacalls_unwind(&m->calls, co, 0);
		return;
	}
	if (top->place == place_of(&caller))
		return;
	if (TAIL_MOVES && top->place == place_of(&caller) + 1 &&
	    top->pointer == pointer_of(l, &caller))
		luacalls_merge(&m->calls, co);
	else
		luacalls_unwind(&m->calls, co, place_of(&caller));
}

static void luamodule_called(struct module *m, lua_State *l, lua_Debug *ar)
{
	struct coroutine *co = luacalls_switch(&m->calls, l);
	bool tail = !OLD && ar->event == LUA_HOOKTAILCALL;
	uint64_t place = place_of(ar);
	const void *pointer;
	uint32_t function;
	struct lua_call *top;

	if (!co || unseen(m, l, ar))
		return;
	luamodule_settle(m, l, co, tail, place);
	pointer = pointer_of(l, ar);
	function = function_of(&m->calls, l, ar, pointer);
	top = luacalls_top(co);
	if (tail && top) {
		place = top->place;
		luacalls_leave(&m->calls, co);
	}
	luacalls_enter(&m->calls, co, place, pointer, function, false);
}

static void luamodule_returned(struct module *m, lua_State *l, lua_Debug *ar)
{
	struct coroutine *co = luacalls_switch(&m->calls, l);
	struct lua_call *top = luacalls_top(co);
	uint64_t place = place_of(ar);

	if (!top || unseen(m, l, ar))
		return;
	if (PLACES_IN_ORDER) {
		if (luacalls_cut(&m->calls, co, place))
			return;
		/* LuaJIT moves a vararg function behind its arguments once it has been called. */
		top = luacalls_top(co);
		if (top && top->pointer == pointer_of(l, ar))
			luacalls_leave(&m->calls, co);
		return;
	}
	if (top->place != place) {
		if (TAIL_MOVES && top->place == place + 1 && top->pointer == pointer_of(l, ar))
			luacalls_merge(&m->calls, co);
		else
			luacalls_unwind(&m->calls, co, place);
	}
	luacalls_leave(&m->calls, co);
}

/* After an error, the innermost call that is known may be gone. */
static void luamodule_moved(struct module *m, lua_State *l, lua_Debug *ar)
{
	struct coroutine *co = luacalls_switch(&m->calls, l);
	const struct lua_call *top;

	if (co && PLACES_IN_ORDER)
		luacalls_back(&m->calls, co, place_of(ar));
	top = luacalls_top(co);
	if (top && (top->place == place_of(ar) || top->pointer == pointer_of(l, ar)))
		luacalls_line(&m->calls, co, ar->currentline);
}

static void luamodule_hook(lua_State *l, lua_Debug *ar)
{
	struct module *m = recording(l);

	if (!m || !m->hooked)
		return;
	if (ar->event == LUA_HOOKLINE)
		luamodule_moved(m, l, ar);
	else if (ar->event == LUA_HOOKRET)
		luamodule_returned(m, l, ar);
	else if (ar->event != LUA_HOOKTAILRET)
		luamodule_called(m, l, ar);
}

/* What runs already has no event. */
static void seed(struct module *m, lua_State *l)
{
	struct coroutine *co = luacalls_switch(&m->calls, l);
	lua_Debug ar;
	int levels = 0;

	while (co && lua_getstack(l, levels, &ar))
		levels++;
	for (int i = levels - 1; i >= 0; i--) {
		const void *pointer;

		if (!lua_getstack(l, i, &ar) || (PLACES_IN_ORDER && is_c(l, &ar)))
			continue;
		pointer = pointer_of(l, &ar);
		luacalls_enter(&m->calls, co, place_of(&ar), pointer,
			       function_of(&m->calls, l, &ar, pointer), true);
		if (m->lines && lua_getinfo(l, "l", &ar))
			luacalls_line(&m->calls, co, ar.currentline);
	}
}

/* Coroutines that are there already have hooks of their own. */
static void luamodule_set_hook(void *arg, lua_State *l)
{
	const struct module *m = arg;
	int mask = LUA_MASKCALL | LUA_MASKRET | (m->lines ? LUA_MASKLINE : 0);
	bool on = m->hooked;

	if (on || lua_gethook(l) == luamodule_hook)
		lua_sethook(l, on ? luamodule_hook : NULL, on ? mask : 0, 0);
}

static void hook_all(struct module *m, lua_State *l, bool on)
{
	m->hooked = on;
#ifdef TM_LUAJIT
	luaJIT_setmode(l, 0, LUAJIT_MODE_ENGINE | (on ? LUAJIT_MODE_OFF : LUAJIT_MODE_ON));
	if (on)
		luaJIT_setmode(l, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_FLUSH);
	luamodule_set_hook(m, l);
#else
	snapshot_threads(l, luamodule_set_hook, m);
#endif
}

/* ---- the functions of the module ---- */

static struct module *module_of(lua_State *l)
{
	return *(struct module **)lua_touserdata(l, lua_upvalueindex(1));
}

static struct lua_out *open_file(lua_State *l, const char *path, unsigned metrics)
{
	struct lua_out *out = out_new(path, VERSION, metrics);

	if (!out)
		luaL_error(l, "%s: %s", path, strerror(errno));
	return out;
}

static bool option(lua_State *l, const char *name, bool on)
{
	if (lua_type(l, 1) != LUA_TTABLE)
		return on;
	lua_getfield(l, 1, name);
	if (!lua_isnil(l, -1))
		on = lua_toboolean(l, -1);
	lua_pop(l, 1);
	return on;
}

static void put_heap(struct module *m)
{
	struct event ev = {.kind = EV_COUNTER,
			   .has = EV_HAS_TYPE | EV_HAS_VALUE | EV_HAS_TIME,
			   .type = m->heap,
			   .value = m->bytes,
			   .time = out_time(m->out)};

	if (m->heap)
		out_event(m->out, &ev);
}

/* start(FILE) or start{file=FILE, calls=false, blocks=false, lines=true} */
static int luamodule_start(lua_State *l)
{
	struct module *m = module_of(l);
	bool blocks = option(l, "blocks", true), calls = option(l, "calls", true);
	struct lua_out *out;
	const char *path;

	if (m->out || m->covered)
		return luaL_error(l, m->out ? MODULE ": is recording already"
					    : MODULE ": another allocator was put over its own");
	if (lua_type(l, 1) == LUA_TTABLE)
		lua_getfield(l, 1, "file");
	else
		lua_pushvalue(l, 1);
	path = luaL_checkstring(l, -1);
	m->lines = option(l, "lines", false);
	if (m->lines && !calls)
		return luaL_error(l, MODULE ": lines=true needs calls");
	out = open_file(l, path, (blocks ? OUT_ALLOCATIONS : 0) | (calls ? OUT_CALLS : 0));
	memset(m->kinds, 0, sizeof m->kinds);
	m->frames = m->bytes = 0;
	m->before = m->before_bytes = m->lost = m->no_numbers = 0;
	m->blocks = blocks;
	luacalls_init(&m->calls, out, calls);
	m->heap = blocks ? out_counter(out, "lua.heap", "B") : 0;
	own_begin(m, l);
	if (calls) {
		seed(m, l);
		hook_all(m, l, true);
	}
	/* From here on blocks are reported: functions are known by addresses that are freed. */
	m->own = m->lent = false;
	m->out = out;
	take_turn();
	m->others = active;
	active = m;
	atomic_flag_clear(&turn);
	return 0;
}

static void luamodule_add_notes(const struct module *m)
{
	struct cap_output *o = &m->out->o;

	if (m->before)
		cap_output_note(o, NOTE_INFO, m->before_bytes,
				"bytes of blocks from before the start were freed or moved");
	if (m->no_numbers)
		cap_output_note(
		    o, NOTE_LOSS, m->no_numbers,
		    "readings of counters that are not numbers, or too large, left out");
	if (m->lost + m->calls.lost)
		cap_output_note(o, NOTE_LOSS, m->lost + m->calls.lost,
				"blocks or calls that there was no memory for");
	if (m->calls.unreturned)
		cap_output_note(
		    o, NOTE_INFO, m->calls.unreturned,
		    "calls were left by an error, or with a coroutine that was collected");
	if (PLACES_IN_ORDER && m->calls.events)
		cap_output_note(
		    o, NOTE_INFO, 0,
		    "LuaJIT: calls of C functions are not seen, and nothing was compiled");
}

/* False: the trace could not be written; errno says why. */
static bool luamodule_finish(struct module *m)
{
	struct lua_out *out = m->out;
	struct module **at = &active;

	if (m->blocks)
		put_heap(m);
	luamodule_add_notes(m);
	m->out = NULL;
	luacalls_release(&m->calls);
	slots_release(&m->live);
	slots_release(&m->mine);
	take_turn();
	while (*at && *at != m)
		at = &(*at)->others;
	if (*at)
		*at = m->others;
	atomic_flag_clear(&turn);
	return out_free(out);
}

static bool end(lua_State *l, struct module *m)
{
	void *ud;

	if (lua_getallocf(l, &ud) == luamodule_allocate && ud == m)
		lua_setallocf(l, m->next, m->next_ud);
	else
		m->covered = true; /* what was put over ours still comes through here */
	return luamodule_finish(m);
}

/* exit without lua_close, as os.exit does it. */
__attribute__((destructor)) static void end_all(void)
{
	while (active)
		luamodule_finish(active);
}

static int luamodule_stop(lua_State *l)
{
	struct module *m = module_of(l);

	if (m->hooked) {
		own_begin(m, l);
		hook_all(m, l, false);
		own_end(m, l);
	}
	if (m->out && !end(l, m))
		return luaL_error(l, MODULE ": the trace is cut: %s", strerror(errno));
	return 0;
}

/* frame([NAME]): a frame begins */
static int luamodule_frame(lua_State *l)
{
	struct module *m = module_of(l);
	struct event ev = {.kind = EV_FRAME, .has = EV_HAS_VALUE | EV_HAS_TIME};
	size_t n;
	const char *name = luaL_optlstring(l, 1, NULL, &n);

	ev.value = m->frames++;
	tracemill_frame_named(ev.value, name);
	if (!m->out)
		return 0;
	if (m->blocks)
		put_heap(m);
	ev.time = out_time(m->out);
	if (name) {
		ev.name = out_string(m->out, name, n);
		ev.has |= EV_HAS_NAME;
	}
	out_event(m->out, &ev);
	return 0;
}

/* counter(NAME, VALUE [, UNIT]) */
static int luamodule_counter(lua_State *l)
{
	struct module *m = module_of(l);
	const char *name = luaL_checkstring(l, 1), *unit = luaL_optstring(l, 3, NULL);
	struct event ev = {.kind = EV_COUNTER, .has = EV_HAS_TYPE | EV_HAS_TIME};
	lua_Number value = luaL_checknumber(l, 2);
	uint64_t fraction = 0;
	bool integer = false, known = true;
	int64_t whole;

#if LUA_VERSION_NUM >= 503
	integer = lua_isinteger(l, 2);
#endif
	if (integer) {
		whole = (int64_t)lua_tointeger(l, 2);
		tracemill_counter_whole(name, unit, whole);
	} else {
		known = decimal_split(value, DECIMAL_OF_DOUBLE, &whole, &fraction);
		tracemill_counter_real(name, unit, (double)value);
	}
	if (!m->out)
		return 0;
	if (!known) {
		m->no_numbers++;
		return 0;
	}
	reading_put(&ev, whole, fraction);
	ev.type = out_counter(m->out, name, unit);
	ev.time = out_time(m->out);
	if (ev.type)
		out_event(m->out, &ev);
	return 0;
}

/* luamodule_bytes() by which the heap has grown since the start */
static int luamodule_bytes(lua_State *l)
{
	lua_pushinteger(l, (lua_Integer)module_of(l)->bytes);
	return 1;
}

/* snapshot(FILE): how many objects it has */
static int luamodule_snapshot(lua_State *l)
{
	struct lua_out *out = open_file(l, luaL_checkstring(l, 1), 0);
	struct module *m = module_of(l);
	uint64_t objects;
	bool ok;

	own_begin(m, l);
	ok = snapshot_write(l, out, &objects);
	own_end(m, l);
	if (!out_free(out))
		return luaL_error(l, "%s: %s", lua_tostring(l, 1), strerror(errno));
	if (!ok)
		return luaL_error(l, MODULE ": no memory for the snapshot");
	lua_pushinteger(l, (lua_Integer)objects);
	return 1;
}

/* The state ends. An allocator over ours still has our address, which then stays. */
static int luamodule_collect(lua_State *l)
{
	struct module **box = lua_touserdata(l, 1), *m = *box;

	if (!m)
		return 0;
	/* Of a state that ends, the hooks need no care, and LuaJIT does not let its mode be
	 * changed. */
	m->hooked = false;
	if (m->out)
		end(l, m);
	if (!m->covered) {
		own_free(m);
		*box = NULL;
	}
	return 0;
}

/* LuaJIT looks for modules where Lua 5.1 does, and its calls are counted in another way. */
static void check_interpreter(lua_State *l)
{
	bool is_jit, for_jit = false;

#ifdef TM_LUAJIT
	for_jit = true;
#endif
	lua_getglobal(l, "jit");
	is_jit = lua_istable(l, -1);
	lua_pop(l, 1);
	if (is_jit != for_jit)
		luaL_error(l, MODULE ": this module is for %s; for %s, see tracemill-lua(3)",
			   VERSION, is_jit ? "LuaJIT" : "Lua");
}

__attribute__((visibility("default"))) int luaopen_tracemill(lua_State *l);
int luaopen_tracemill(lua_State *l)
{
	static const luaL_Reg functions[] = {{"start", luamodule_start},
					     {"stop", luamodule_stop},
					     {"frame", luamodule_frame},
					     {"counter", luamodule_counter},
					     {"bytes", luamodule_bytes},
					     {"snapshot", luamodule_snapshot},
					     {NULL, NULL}};
	struct module *m, **box;

	check_interpreter(l);
	m = own_zeroed(1, sizeof *m);
	if (!m)
		return luaL_error(l, MODULE ": no memory");
	own_begin(m, l);
	box = lua_newuserdata(l, sizeof *box);
	*box = m;
	lua_newtable(l);
	lua_pushcfunction(l, luamodule_collect);
	lua_setfield(l, -2, "__gc");
	lua_setmetatable(l, -2);
	/* To the end of the state, whose allocator has its address. */
	lua_pushvalue(l, -1);
	lua_setfield(l, LUA_REGISTRYINDEX, MODULE ".state");
	lua_newtable(l);
	for (const luaL_Reg *f = functions; f->name; f++) {
		lua_pushvalue(l, -2);
		lua_pushcclosure(l, f->func, 1);
		lua_setfield(l, -2, f->name);
	}
	own_end(m, l);
	return 1;
}
