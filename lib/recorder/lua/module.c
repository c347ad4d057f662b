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
#include "lib/recorder/base/log_line.h"
#include "lib/recorder/lua/excludes.h"
#include "lib/recorder/lua/names.h"
#include "lib/recorder/lua/snapshot.h"
#include "lib/recorder/script.h"
#include "lib/recorder/tracemill-lua.h"
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
	int count;    /* instructions between two samples; 0: none are taken */
	bool calling; /* calls are recorded */
	bool lines;   /* stacks have the lines that run, not those where functions begin */
	bool placed;  /* our allocator is the state's, or below one that was put over it */
	bool lent;    /* ours is there for that alone */
	struct module *others;
	struct lua_watch *watch; /* from when the module was loaded; NULL: no memory */
	uintptr_t sp;            /* of the interpreter, above that of the hook */
	uintptr_t sp_of_marks;   /* above that of a function of C */
	uintptr_t sp_resumed; /* of lua_resume, above that of the hook of the return from a yield */
	uintptr_t back;       /* how far the hook of a return is below that of the call */
	bool marking;         /* calls are what the script's own marks say */
	struct lua_excludes *excludes; /* of the recording, or of the last; NULL: none */
	struct lua_shapes shapes;      /* learned when calls or samples were recorded first */
	bool learned;
	struct luacalls calls;
	struct lua_slots live; /* blocks -> type + 1 */
	struct lua_slots
	    left; /* those live at the end of what the recorder of the process has: their frees are recorded */
	uint32_t strand;       /* of the state's first coroutine in that; 0: none yet */
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
	if (m->out->joined)
		return (uint32_t)kind + 1;
	if (!m->kinds[kind])
		m->kinds[kind] = out_type(m->out, name_of_kind(kind));
	return m->kinds[kind];
}

static void luamodule_join_block(struct module *m, unsigned kind, const void *p, size_t n,
				 uint32_t type)
{
	uint32_t line;

	if (kind == EV_FREE) {
		tracemill_free(TRACEMILL_LUA, p);
		return;
	}
	/* Of LuaJIT it is not known whether what was called from there still runs. */
	line = PLACES_IN_ORDER ? luacalls_change_line(&m->calls, 0) : 0;
	tracemill_script_alloc(&m->calls, p, n, type ? name_of_kind(type - 1) : NULL);
	if (line)
		luacalls_change_line(&m->calls, line);
}

static void luamodule_put_block(struct module *m, unsigned kind, const void *p, size_t n,
				uint32_t type)
{
	struct event ev = {.kind = (uint8_t)kind,
			   .domain = DOMAIN_LUA,
			   .has = EV_HAS_ADDRESS | EV_HAS_DOMAIN | EV_HAS_TIME,
			   .address = (uintptr_t)p};

	if (m->out->joined) {
		luamodule_join_block(m, kind, p, n, type);
		return;
	}
	ev.time = out_time(m->out);
	ev.thread = luacalls_thread(&m->calls);
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

static void luamodule_add_block(struct module *m, const void *p, size_t n, uint32_t type)
{
	uint32_t *at = m->blocks ? slots_put(&m->live, (uintptr_t)p) : NULL;

	m->lost += m->blocks && !at;
	if (!at)
		return;
	*at = type + 1;
	luamodule_put_block(m, EV_ALLOC, p, n, type);
}

/* The block's type, when it was allocated before our eyes. Before it is given back: then another state may have
 * it. */
static bool freed(struct module *m, const void *p, size_t n, uint32_t *type)
{
	uint32_t at = slots_get(&m->live, (uintptr_t)p);

	*type = at ? at - 1 : 0;
	if (!at) {
		m->before += m->blocks;
		m->before_bytes += n;
		return false;
	}
	slots_remove(&m->live, (uintptr_t)p);
	luamodule_put_block(m, EV_FREE, p, 0, 0);
	return true;
}

/* Likewise of one that was live at the end of a recording. */
static void left_is_freed(struct module *m, const void *p)
{
	if (!slots_get(&m->left, (uintptr_t)p))
		return;
	slots_remove(&m->left, (uintptr_t)p);
	tracemill_free(TRACEMILL_LUA, p);
}

/* The state ends, and all its blocks with it. */
static void all_left_is_freed(struct module *m)
{
	for (size_t i = 0; m->left.slots && i <= m->left.mask; i++)
		if (m->left.slots[i].used)
			tracemill_free(TRACEMILL_LUA,
				       (const void *)(uintptr_t)m->left.slots[i].key);
	slots_release(&m->left);
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
	uint32_t type = 0;
	bool known;
	void *p;

	if (was ? m->mine.n && slots_get(&m->mine, was) : m->own)
		return luamodule_allocate_own(m, old, osize, nsize);
	if (was && m->left.n)
		left_is_freed(m, old);
	if (!m->out)
		return m->next(m->next_ud, old, osize, nsize);
	known = was && freed(m, old, osize, &type);
	p = m->next(m->next_ud, old, osize, nsize);
	if (!was) {
		if (nsize && p) {
			m->bytes += (int64_t)nsize;
			luamodule_add_block(m, p, nsize, type_of_kind(m, osize));
		}
		return p;
	}
	if (nsize && !p) { /* it stays where it is */
		if (known)
			luamodule_add_block(m, (void *)was, osize, type);
		return p;
	}
	m->bytes += (int64_t)nsize - (int64_t)osize;
	if (!known)
		type = nsize ? type_of_kind(m, 0) : 0;
	if (!nsize) {
		luacalls_forget(&m->calls, (void *)was);
		luacalls_forget(&m->calls, (char *)was + sizeof(void *)); /* a thread's state */
	} else {
		luamodule_add_block(m, p, nsize, type);
	}
	return p;
}

static bool is_ours(lua_State *l, const struct module *m)
{
	void *ud;

	return lua_getallocf(l, &ud) == luamodule_allocate && ud == m;
}

/* It is not there already. */
static void allocator_begin(struct module *m, lua_State *l)
{
	m->next = lua_getallocf(l, &m->next_ud);
	lua_setallocf(l, luamodule_allocate, m);
	m->placed = true;
}

/* Where another was put over ours, that one still comes through here. */
static void allocator_end(struct module *m, lua_State *l)
{
	if (!m->placed)
		return;
	if (is_ours(l, m)) {
		lua_setallocf(l, m->next, m->next_ud);
		m->placed = false;
	} else {
		m->covered = true;
	}
}

/* Between them what Lua allocates is the module's; where nothing is recorded our allocator is there for as
 * long. */
static void own_begin(struct module *m, lua_State *l)
{
	if (!m->placed) {
		allocator_begin(m, l);
		m->lent = true;
	}
	m->own = true;
}

static void own_end(struct module *m, lua_State *l)
{
	m->own = false;
	if (!m->lent)
		return;
	allocator_end(m, l);
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

/* Which line calls, of the one that does. */
static void luamodule_calls_from(struct module *m, lua_State *l, struct coroutine *co)
{
	lua_Debug caller;

	if (m->out->joined && !m->lines && lua_getstack(l, 1, &caller) &&
	    lua_getinfo(l, "l", &caller))
		luacalls_calls_from(&m->calls, co, caller.currentline);
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

/* A host may resume a coroutine without any event of another: the interpreter's frame is then farther out than that of
 * the caller. LuaJIT leaves the frame of a function only for what functions of C call. */
static void find_moved(struct module *m, lua_State *l, struct coroutine *co)
{
	const struct lua_call *top = luacalls_top(co);
	lua_Debug caller;

	if (!m->sp || !top || top->sp == m->calls.sp)
		return;
	if (top->sp < m->calls.sp ||
	    (PLACES_IN_ORDER && lua_getstack(l, 1, &caller) &&
	     (top->place == place_of(&caller) || top->pointer == pointer_of(l, &caller))))
		luacalls_moved(&m->calls, co);
}

/* What yields is a function of C, whose return is the first event of a coroutine that goes on; LuaJIT has no such event. */
static void find_moved_back(struct module *m, struct coroutine *co)
{
	const struct lua_call *top = luacalls_top(co);

	if (m->sp && top && !top->seeded && top->sp - m->calls.sp != m->back &&
	    (PLACES_IN_ORDER || !m->calls.functions[top->function - 1].file))
		luacalls_moved(&m->calls, co);
}

static void luamodule_called(struct module *m, lua_State *l, lua_Debug *ar)
{
	struct coroutine *co = luacalls_switch(&m->calls, l);
	bool tail = !OLD && ar->event == LUA_HOOKTAILCALL;
	uint64_t place = place_of(ar);
	const void *pointer;
	uint32_t function;
	struct lua_call *top;

	if (!co)
		return;
	if (unseen(m, l, ar)) {
		if (m->out->joined)
			luacalls_cut(&m->calls, co, place);
		find_moved(m, l, co);
		luamodule_calls_from(m, l, co);
		return;
	}
	luamodule_settle(m, l, co, tail, place);
	find_moved(m, l, co);
	if (!tail)
		luamodule_calls_from(m, l, co);
	pointer = pointer_of(l, ar);
	function = function_of(&m->calls, l, ar, pointer);
	top = luacalls_top(co);
	if (tail && top) {
		place = top->place;
		luacalls_leave(&m->calls, co);
	}
	luacalls_enter(&m->calls, co, place, pointer, function, false);
}

/* The caller is on its own again, unless what it has called is a function of C that goes on. */
static void luamodule_goes_on(struct module *m, lua_State *l, struct coroutine *co)
{
	lua_Debug caller;

	if (m->out->joined && lua_getstack(l, 1, &caller) && is_c(l, &caller))
		return;
	luacalls_calls_no_more(&m->calls, co);
}

static void luamodule_returned(struct module *m, lua_State *l, lua_Debug *ar)
{
	struct coroutine *co = luacalls_switch(&m->calls, l);
	struct lua_call *top = luacalls_top(co);
	uint64_t place = place_of(ar);

	if (!top || unseen(m, l, ar))
		return;
	if (PLACES_IN_ORDER) {
		luacalls_back(&m->calls, co, place);
		top = luacalls_top(co);
		if (top && (top->place == place || top->pointer == pointer_of(l, ar)))
			find_moved_back(m, co);
		if (luacalls_cut(&m->calls, co, place)) {
			luamodule_goes_on(m, l, co);
			return;
		}
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
	find_moved_back(m, co);
	luacalls_leave(&m->calls, co);
	luacalls_calls_no_more(&m->calls, co);
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

/* The stack of what runs, with its lines, without what the hooks of calls know. */
static uint32_t stack_that_runs(struct module *m, lua_State *l)
{
	struct luacalls *c = &m->calls;
	uint32_t stack = 0;
	lua_Debug ar;
	int levels = 0;

	while (lua_getstack(l, levels, &ar))
		levels++;
	while (levels-- && lua_getstack(l, levels, &ar)) {
		const struct lua_function *f;
		uint32_t function;

		/* 5.1 has a level for each tail call. */
		if (!lua_getinfo(l, "Sl", &ar) || *ar.what == 't')
			continue;
		function = function_of(c, l, &ar, pointer_of(l, &ar));
		f = function ? &c->functions[function - 1] : NULL;
		if (!f || f->hidden)
			continue;
		stack = out_stack(m->out, stack,
				  ar.currentline > 0
				      ? out_location(m->out, f->name, f->file, ar.currentline)
				      : f->location);
	}
	return stack;
}

static void luamodule_sampled(struct module *m, lua_State *l)
{
	const struct coroutine *co = luacalls_switch(&m->calls, l);
	struct event ev = {.kind = EV_SAMPLE,
			   .has = EV_HAS_TYPE | EV_HAS_STACK | EV_HAS_THREAD | EV_HAS_TIME |
				  EV_HAS_REQUESTED,
			   .requested = (uint64_t)m->count};

	if (!co)
		return;
	ev.type = out_marker(m->out, "instructions");
	ev.stack = stack_that_runs(m, l);
	ev.thread = co->thread;
	ev.time = out_time(m->out);
	out_event(m->out, &ev);
}

static void luamodule_hook(lua_State *l, lua_Debug *ar)
{
	struct module *m = recording(l);
	uintptr_t cfa;

	if (!m || !m->hooked)
		return;
	cfa = (uintptr_t)__builtin_dwarf_cfa();
	m->calls.sp = cfa + m->sp;
	m->calls.sp_resumed = cfa + (ar->event == LUA_HOOKRET ? m->sp_resumed : m->sp);
	if (ar->event == LUA_HOOKCOUNT)
		luamodule_sampled(m, l);
	else if (ar->event == LUA_HOOKLINE)
		luamodule_moved(m, l, ar);
	else if (ar->event == LUA_HOOKRET)
		luamodule_returned(m, l, ar);
	else if (ar->event != LUA_HOOKTAILRET)
		luamodule_called(m, l, ar);
}

/* ---- where the interpreter stands in the native stack ---- */

enum { PROBE_FRAMES = 64 };

/* A function of Lua calls one of C: the stack pointers in the hook of the former, and in the latter. The
 * innermost that both have is the interpreter's, or of what it calls for both. */
struct probe {
	uintptr_t cfa, cfa_inside, hook[PROBE_FRAMES], inside[PROBE_FRAMES];
	unsigned n_hook, n_inside;
	uintptr_t called, back; /* of the hook of a call, and of the return from there */
	uintptr_t
	    sp_resumed; /* from the hook of the return from a yield to lua_resume; 0: not known */
	uintptr_t resumer; /* the end of the frame that calls lua_resume */
};

static struct probe *probe_of(lua_State *l)
{
	struct probe *p;

	lua_getfield(l, LUA_REGISTRYINDEX, MODULE ".probe");
	p = lua_touserdata(l, -1);
	lua_pop(l, 1);
	return p;
}

static void luamodule_probe_hook(lua_State *l, lua_Debug *ar)
{
	struct probe *p = probe_of(l);
	uintptr_t cfa = (uintptr_t)__builtin_dwarf_cfa();

	if (p && is_c(l, ar) != PLACES_IN_ORDER && ar->event == LUA_HOOKCALL)
		p->called = cfa;
	else if (p && is_c(l, ar) != PLACES_IN_ORDER && ar->event == LUA_HOOKRET && !p->back)
		p->back = p->called - cfa;
	if (!p || is_c(l, ar) || ar->event != LUA_HOOKCALL)
		return;
	p->cfa = cfa;
	p->n_hook = tracemill_script_walk(p->hook, PROBE_FRAMES);
}

static int luamodule_probe_inside(lua_State *l)
{
	struct probe *p = probe_of(l);

	if (!p)
		return 0;
	p->cfa_inside = (uintptr_t)__builtin_dwarf_cfa();
	p->n_inside = tracemill_script_walk(p->inside, PROBE_FRAMES);
	return 0;
}

static void probe_distances(const struct probe *p, struct module *m)
{
	m->back = p->back;
	m->sp = m->sp_of_marks = m->sp_resumed = 0;
	for (unsigned i = 0; i + 1 < p->n_hook; i++)
		for (unsigned k = 0; k + 1 < p->n_inside; k++)
			if (p->hook[i] == p->inside[k] && p->hook[i + 1] == p->inside[k + 1] &&
			    p->hook[i] >= p->cfa && p->hook[i] >= p->cfa_inside) {
				m->sp = p->hook[i] - p->cfa;
				m->sp_resumed = p->sp_resumed ? p->sp_resumed : m->sp;
				m->sp_of_marks = p->hook[i] - p->cfa_inside;
				return;
			}
}

#ifndef TM_LUAJIT
static void resumed_hook(lua_State *l, lua_Debug *ar)
{
	uintptr_t cfa = (uintptr_t)__builtin_dwarf_cfa(), sp[PROBE_FRAMES];
	struct probe *p = probe_of(l);
	unsigned n = 0, i = 0;

	if (p && !p->sp_resumed && is_c(l, ar))
		n = tracemill_script_walk(sp, PROBE_FRAMES);
	while (i < n && sp[i] < p->resumer)
		i++;
	/* Of the two last the outer is of the one that calls lua_resume. */
	if (i >= 2 && i < n && sp[i - 2] >= cfa)
		p->sp_resumed = sp[i - 2] - cfa;
}

static int yield_nothing(lua_State *l)
{
	return lua_yield(l, 0);
}

static void resume_probe(lua_State *l, lua_State *thread, int arguments)
{
#if LUA_VERSION_NUM >= 504
	int results;

	lua_resume(thread, l, arguments, &results);
#elif LUA_VERSION_NUM >= 502
	lua_resume(thread, l, arguments);
#else
	(void)l;
	lua_resume(thread, arguments);
#endif
}

/* A coroutine yields and goes on. */
__attribute__((noinline)) static void probe_resumed(lua_State *l, struct probe *p)
{
	lua_State *thread = lua_newthread(l);

	p->resumer = (uintptr_t)__builtin_dwarf_cfa();
	if (luaL_loadstring(thread, "local yield = ... yield() yield()") == 0) {
		lua_pushcfunction(thread, yield_nothing);
		resume_probe(l, thread, 1);
		lua_sethook(thread, resumed_hook, LUA_MASKRET, 0);
		resume_probe(l, thread, 0);
		lua_sethook(thread, NULL, 0, 0);
	}
	lua_pop(l, 1);
}
#endif

/* How far above the hook's the interpreter's stack pointer is, and above that of a function of C; 0: not known. */
static void luamodule_probe(struct module *m, lua_State *l)
{
	static const char code[] = "local p = ... local function f() p() end f() f()";
	lua_Hook hook = lua_gethook(l);
	int mask = lua_gethookmask(l), count = lua_gethookcount(l);
	struct probe p = {.n_hook = 0};

	lua_pushlightuserdata(l, &p);
	lua_setfield(l, LUA_REGISTRYINDEX, MODULE ".probe");
	if (luaL_loadstring(l, code) == 0) {
		lua_pushcfunction(l, luamodule_probe_inside);
		lua_sethook(l, luamodule_probe_hook, LUA_MASKCALL | LUA_MASKRET, 0);
		if (lua_pcall(l, 1, 0, 0))
			lua_pop(l, 1);
		lua_sethook(l, NULL, 0, 0);
#ifndef TM_LUAJIT
		probe_resumed(l, &p);
#endif
		lua_sethook(l, hook, mask, count);
	} else {
		lua_pop(l, 1);
	}
	lua_pushnil(l);
	lua_setfield(l, LUA_REGISTRYINDEX, MODULE ".probe");
	probe_distances(&p, m);
}

/* What runs already has no event. */
static void seed(struct module *m, lua_State *l)
{
	struct coroutine *co = luacalls_switch(&m->calls, l);
	lua_Debug ar;
	int levels = 0, border = 0;

	/* Those behind a function of C that has called one of Lua run in another frame than that which calls us. */
	while (co && lua_getstack(l, levels, &ar)) {
		if (levels && !border && is_c(l, &ar))
			border = levels;
		levels++;
	}
	for (int i = levels - 1; i >= 0; i--) {
		const void *pointer;

		if (!lua_getstack(l, i, &ar) || (PLACES_IN_ORDER && is_c(l, &ar)))
			continue;
		pointer = pointer_of(l, &ar);
		m->calls.guesses = !m->sp || (border && i > border);
		luacalls_enter(&m->calls, co, place_of(&ar), pointer,
			       function_of(&m->calls, l, &ar, pointer), true);
		if (m->lines && lua_getinfo(l, "l", &ar))
			luacalls_line(&m->calls, co, ar.currentline);
	}
	m->calls.guesses = !m->sp;
}

/* Coroutines that are there already have hooks of their own. */
static void luamodule_set_hook(void *arg, lua_State *l)
{
	const struct module *m = arg;
	int mask = (m->calling ? LUA_MASKCALL | LUA_MASKRET : 0) | (m->lines ? LUA_MASKLINE : 0) |
		   (m->count ? LUA_MASKCOUNT : 0);
	bool on = m->hooked;

	if (on || lua_gethook(l) == luamodule_hook)
		lua_sethook(l, on ? luamodule_hook : NULL, on ? mask : 0, on ? m->count : 0);
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

/* exclude: a pattern, or a list of them. */
static struct lua_excludes *excludes_of(lua_State *l)
{
	struct lua_excludes *e = NULL;
	char why[200] = "";
	bool ok = true;

	if (lua_type(l, 1) != LUA_TTABLE)
		return NULL;
	lua_getfield(l, 1, "exclude");
	if (lua_type(l, -1) == LUA_TSTRING)
		ok = excludes_add(&e, lua_tostring(l, -1), why, sizeof why);
	for (int i = 1; ok && lua_istable(l, -1); i++) {
		lua_rawgeti(l, -1, i);
		if (lua_isnil(l, -1)) {
			lua_pop(l, 1);
			break;
		}
		if (lua_type(l, -1) != LUA_TSTRING) {
			excludes_free(e);
			luaL_error(l, MODULE ": exclude: number %d is no string", i);
		}
		ok = excludes_add(&e, lua_tostring(l, -1), why, sizeof why);
		lua_pop(l, 1);
	}
	lua_pop(l, 1);
	if (ok)
		return e;
	excludes_free(e);
	luaL_error(l, MODULE ": exclude: %s", why);
	return NULL;
}

/* count: instructions between two samples. */
static int count_of(lua_State *l)
{
	lua_Integer n = 0;

	if (lua_type(l, 1) != LUA_TTABLE)
		return 0;
	lua_getfield(l, 1, "count");
	if (!lua_isnil(l, -1)) {
		n = lua_tointeger(l, -1);
		if (n < 1 || n > 1000000000)
			luaL_error(l,
				   MODULE ": count is a number of instructions, 1 to 1000000000");
	}
	lua_pop(l, 1);
	return (int)n;
}

static bool option_is(lua_State *l, const char *name, const char *word)
{
	bool is = false;

	if (lua_type(l, 1) != LUA_TTABLE)
		return false;
	lua_getfield(l, 1, name);
	is = lua_type(l, -1) == LUA_TSTRING && !strcmp(lua_tostring(l, -1), word);
	lua_pop(l, 1);
	return is;
}

static void put_heap(struct module *m)
{
	struct event ev = {.kind = EV_COUNTER,
			   .has = EV_HAS_TYPE | EV_HAS_VALUE | EV_HAS_TIME,
			   .type = m->heap,
			   .value = m->bytes,
			   .time = out_time(m->out)};

	if (m->out->joined)
		tracemill_counter_whole("lua.heap", "B", m->bytes);
	else if (m->heap)
		out_event(m->out, &ev);
}

/* The file of start's argument, or none, in a process whose recorder has the trace. */
static struct lua_out *open_trace(lua_State *l, unsigned kinds)
{
	struct lua_out *out;

	if (lua_type(l, 1) == LUA_TTABLE)
		lua_getfield(l, 1, "file");
	else
		lua_pushvalue(l, 1);
	if (!lua_isnoneornil(l, -1))
		return open_file(l, luaL_checkstring(l, -1), kinds);
	if (!tracemill_script_on())
		luaL_error(l, MODULE
			   ": start() without a file is for a process that tm-record records");
	out = out_new_joined(kinds);
	if (!out)
		luaL_error(l, MODULE ": no memory");
	return out;
}

/* Each option by its name and type; calls may be a word, exclude a list. */
static void check_options(lua_State *l)
{
	static const struct {
		const char *name;
		int type, other;
	} options[] = {{"file", LUA_TSTRING, LUA_TSTRING},   {"blocks", LUA_TBOOLEAN, LUA_TBOOLEAN},
		       {"calls", LUA_TBOOLEAN, LUA_TSTRING}, {"lines", LUA_TBOOLEAN, LUA_TBOOLEAN},
		       {"exclude", LUA_TSTRING, LUA_TTABLE}, {"count", LUA_TNUMBER, LUA_TSTRING}};
	enum { N = sizeof options / sizeof *options };

	if (lua_type(l, 1) != LUA_TTABLE)
		return;
	lua_pushnil(l);
	while (lua_next(l, 1)) {
		const char *name = lua_type(l, -2) == LUA_TSTRING ? lua_tostring(l, -2) : NULL;
		int type = lua_type(l, -1);
		size_t i = 0;

		while (name && i < N && strcmp(options[i].name, name) != 0)
			i++;
		if (!name || i == N) {
			luaL_error(l, MODULE ": start has no option %s",
				   name ? name : "without a name");
			return;
		}
		if (type != options[i].type && type != options[i].other)
			luaL_error(l, MODULE ": %s is a %s, not a %s", name,
				   lua_typename(l, options[i].type), lua_typename(l, type));
		if (!strcmp(name, "calls") && type == LUA_TSTRING &&
		    strcmp(lua_tostring(l, -1), "marks") != 0)
			luaL_error(l, MODULE ": calls is true, false or \"marks\", not \"%s\"",
				   lua_tostring(l, -1));
		lua_pop(l, 1);
	}
}

/* start([FILE]) or start{file=FILE, calls=false, blocks=false, lines=true} */
static int luamodule_start(lua_State *l)
{
	struct module *m = module_of(l);
	bool blocks = option(l, "blocks", true), calls = option(l, "calls", true);
	bool marking = option_is(l, "calls", "marks");
	struct lua_out *out;

	lua_settop(l, 1);
	check_options(l);
	if (m->placed && !is_ours(l, m))
		m->covered = true;
	if (m->out || m->covered)
		return luaL_error(l, m->out ? MODULE ": is recording already"
					    : MODULE ": another allocator was put over its own");
	m->lines = option(l, "lines", false);
	if (m->lines && !calls)
		return luaL_error(l, MODULE ": lines=true needs calls");
	m->count = count_of(l);
	excludes_free(m->excludes);
	m->excludes = NULL;
	m->excludes = excludes_of(l);
	out = open_trace(l, (blocks ? OUT_ALLOCATIONS : 0) | (calls ? OUT_CALLS : 0));
	memset(m->kinds, 0, sizeof m->kinds);
	m->frames = m->bytes = 0;
	m->before = m->before_bytes = m->lost = m->no_numbers = 0;
	m->blocks = blocks;
	luacalls_init(&m->calls, out, calls);
	if (m->count && out->joined) {
		out_free(out);
		return luaL_error(l, MODULE ": count=%d needs a file", m->count);
	}
	m->calls.first = m->strand;
	if (out->joined) {
		m->live = m->left;
		m->left = (struct lua_slots){0};
	}
	m->calling = calls && !marking;
	m->calls.lines = m->lines;
	m->calls.excludes = m->excludes;
	m->heap = blocks ? out_counter(out, "lua.heap", "B") : 0;
	own_begin(m, l);
	m->marking = marking;
	if (calls || m->count) {
		if (!m->learned && (!marking || m->count)) {
			snapshot_shapes(l, &m->shapes);
			m->learned = true;
		}
		m->calls.shapes = &m->shapes;
		m->sp = m->sp_of_marks = m->sp_resumed = 0;
		if (out->joined)
			luamodule_probe(m, l);
		m->calls.sp = m->calls.sp_resumed = (uintptr_t)__builtin_dwarf_cfa();
		if (calls && !marking)
			seed(m, l);
		if (!marking || m->count)
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

	if (m->out->joined) {
		if (m->lost + m->calls.lost)
			tracemill_script_lost(m->lost + m->calls.lost);
		return;
	}
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

/* False: the trace could not be written; errno says why. closes: the state ends. */
static bool luamodule_finish(struct module *m, bool closes)
{
	struct lua_out *out = m->out;
	struct module **at = &active;

	luacalls_close(&m->calls, closes);
	if (m->blocks)
		put_heap(m);
	luamodule_add_notes(m);
	m->out = NULL;
	m->strand = m->calls.first;
	luacalls_release(&m->calls);
	if (out->joined) {
		m->left = m->live;
		m->live = (struct lua_slots){0};
	}
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

/* Our allocator stays for the frees of what the recorder of the process has as live. */
static bool end(lua_State *l, struct module *m)
{
	bool ok = luamodule_finish(m, false);

	if (!m->left.n)
		allocator_end(m, l);
	return ok;
}

/* exit without lua_close, as os.exit does it. */
__attribute__((destructor)) static void end_all(void)
{
	while (active)
		luamodule_finish(active, false);
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

	ev.value = tracemill_script_frame ? tracemill_script_frame() : m->frames++;
	if (m->out && m->blocks)
		put_heap(m);
	tracemill_frame_named(ev.value, name);
	if (!m->out || m->out->joined)
		return 0;
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
	if (!m->out || m->out->joined)
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

/* log(TEXT [, SEVERITY]) */
static int luamodule_log(lua_State *l)
{
	static const char *const severities[] = {"info", "warning", "error", NULL};
	struct module *m = module_of(l);
	size_t n;
	const char *text = luaL_checklstring(l, 1, &n);
	int severity = luaL_checkoption(l, 2, severities[TRACEMILL_INFO], severities);
	struct event ev = {.kind = EV_LOG, .has = EV_HAS_NAME | EV_HAS_TYPE | EV_HAS_TIME};
	char line[CAP_LINE_MAX];

	tracemill_log((enum tracemill_severity)severity, text);
	if (!m->out || m->out->joined)
		return 0;
	n = cap_log_line(line, text, n);
	ev.name = out_string(m->out, line, n);
	ev.type = out_severity(m->out, (unsigned)severity);
	ev.time = out_time(m->out);
	if (ev.name)
		out_event(m->out, &ev);
	return 0;
}

/* ---- marks, which a rewritten source makes in place of hooks ---- */

/* Of what is farther away it is not known: it is. 5.1 has a level for each tail call. */
static bool is_open(lua_State *l, const struct lua_call *call)
{
	enum { LEVELS = 64 };
	lua_Debug ar;
	int level = 2;

	for (; level < LEVELS && lua_getstack(l, level, &ar); level++)
		if (place_of(&ar) == call->place && pointer_of(l, &ar) == call->pointer)
			return true;
	return level == LEVELS;
}

/* Calls that an error has left have said nothing. */
static void drop_gone(struct module *m, lua_State *l, struct coroutine *co)
{
	const struct lua_call *top;

	while ((top = luacalls_top(co)) && !is_open(l, top))
		luacalls_gone(&m->calls, co);
}

/* enter(NAME, FILE, LINE): the number of the call, for leave. The function is the one that calls; its caller is
 * behind it. */
static int luamodule_enter(lua_State *l)
{
	struct module *m = module_of(l);
	const char *name = luaL_checkstring(l, 1), *file = luaL_checkstring(l, 2);
	int line = (int)luaL_checkinteger(l, 3);
	struct coroutine *co;
	lua_Debug ar, caller;
	uint32_t function;

	if (!m->out || !m->marking || !lua_getstack(l, 1, &ar)) {
		lua_pushinteger(l, 0);
		return 1;
	}
	m->calls.sp = m->calls.sp_resumed = (uintptr_t)__builtin_dwarf_cfa() + m->sp_of_marks;
	co = luacalls_switch(&m->calls, l);
	function = co ? luacalls_add(&m->calls, name, file, line) : 0;
	if (!co || !function) {
		lua_pushinteger(l, 0);
		return 1;
	}
	drop_gone(m, l, co);
	if (m->out->joined && lua_getstack(l, 2, &caller) && lua_getinfo(l, "l", &caller))
		luacalls_calls_from(&m->calls, co, caller.currentline);
	luacalls_enter(&m->calls, co, place_of(&ar), pointer_of(l, &ar), function, false);
	lua_pushinteger(l, (lua_Integer)co->n);
	return 1;
}

/* leave(NUMBER, ...): the rest. What an error has left open behind it ends too. */
static int luamodule_leave(lua_State *l)
{
	struct module *m = module_of(l);
	lua_Integer number = luaL_checkinteger(l, 1);
	struct coroutine *co;

	if (number > 0 && m->out && m->marking) {
		m->calls.sp = m->calls.sp_resumed =
		    (uintptr_t)__builtin_dwarf_cfa() + m->sp_of_marks;
		co = luacalls_switch(&m->calls, l);
		if (co) {
			luacalls_end(&m->calls, co, (size_t)number);
			luacalls_calls_no_more(&m->calls, co);
		}
	}
	return lua_gettop(l) - 1;
}

/* The table on the stack gets the table marks; the module's state is at that index. A call in a caller's place can
 * only be made by Lua. */
static void add_marks(lua_State *l, int state)
{
	static const char code[] = "local t, leave = ...\n"
				   "function t.tail(d, f, ...) leave(d) return f(...) end\n"
				   "function t.method(d, o, name)\n"
				   "  local f = o[name]\n"
				   "  return function(...) leave(d) return f(o, ...) end\n"
				   "end\n";

	lua_newtable(l);
	lua_pushvalue(l, state);
	lua_pushcclosure(l, luamodule_enter, 1);
	lua_setfield(l, -2, "enter");
	lua_pushvalue(l, state);
	lua_pushcclosure(l, luamodule_leave, 1);
	lua_setfield(l, -2, "leave");
	if (luaL_loadbuffer(l, code, sizeof code - 1, "=tracemill") == 0) {
		lua_pushvalue(l, -2);
		lua_getfield(l, -1, "leave");
		lua_call(l, 2, 0);
	} else {
		lua_pop(l, 1); /* a state without a compiler has no marks in its sources either */
	}
	lua_setfield(l, -2, "marks");
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
	ok = snapshot_write(l, out, m->watch, &objects);
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
		luamodule_finish(m, true);
	all_left_is_freed(m);
	slots_release(&m->mine);
	allocator_end(m, l);
	excludes_free(m->excludes);
	m->excludes = NULL;
	if (!m->covered) {
		watch_end(l, m->watch);
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

static int luamodule_open(lua_State *l)
{
	static const luaL_Reg functions[] = {
	    {"start", luamodule_start},       {"stop", luamodule_stop},
	    {"frame", luamodule_frame},       {"counter", luamodule_counter},
	    {"log", luamodule_log},           {"bytes", luamodule_bytes},
	    {"snapshot", luamodule_snapshot}, {NULL, NULL}};
	struct module *m, **box;

	m = own_zeroed(1, sizeof *m);
	if (!m)
		return luaL_error(l, MODULE ": no memory");
	m->watch = watch_begin(l);
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
	add_marks(l, lua_gettop(l) - 1);
	own_end(m, l);
	return 1;
}

__attribute__((visibility("default"))) int luaopen_tracemill(lua_State *l);
int luaopen_tracemill(lua_State *l)
{
	check_interpreter(l);
	return luamodule_open(l);
}

/* package.loaded on the stack, or nil: a state without the library package. */
static void push_loaded(lua_State *l)
{
	lua_getglobal(l, "package");
	if (lua_istable(l, -1)) {
		lua_getfield(l, -1, "loaded");
		lua_remove(l, -2);
	}
	if (!lua_istable(l, -1)) {
		lua_pop(l, 1);
		lua_pushnil(l);
	}
}

__attribute__((visibility("default"))) int tracemill_lua_open(lua_State *l)
{
	lua_getfield(l, LUA_REGISTRYINDEX, MODULE ".module");
	if (lua_istable(l, -1))
		return 1;
	lua_pop(l, 1);
	lua_pushcfunction(l, luamodule_open);
	lua_call(l, 0, 1);
	lua_pushvalue(l, -1);
	lua_setfield(l, LUA_REGISTRYINDEX, MODULE ".module");
	push_loaded(l);
	if (lua_istable(l, -1)) {
		lua_pushvalue(l, -2);
		lua_setfield(l, -2, MODULE);
	}
	lua_pop(l, 1);
	return 1;
}
