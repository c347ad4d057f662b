/* SPDX-License-Identifier: MIT */
#include "lib/recorder/lua/calls.h"

#include "lib/recorder/lua/excludes.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define STRAND "lua" /* the name of its coroutines, which have numbers; 1 is the main one */

/* Room for one more element of that size; NULL: none, and all is as it was. */
static void *grow(void *p, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? *cap * 2 : 16;
	void *q = n < *cap ? p : own_grow(p, more * size);

	if (q && n == *cap)
		*cap = more;
	return q;
}

void luacalls_init(struct luacalls *c, struct lua_out *out, bool events)
{
	*c = (struct luacalls){.out = out, .events = events};
}

void luacalls_release(struct luacalls *c)
{
	for (size_t i = 0; i < c->n_coroutines; i++)
		own_free(c->coroutines[i].calls);
	for (size_t i = 0; i < c->n_functions; i++)
		for (unsigned k = 0; k < 2; k++)
			own_free(c->functions[i].texts[k]);
	if (c->joined) {
		c->joined->n = 0;
		c->joined->owner = NULL;
	}
	slots_release(&c->places);
	own_free(c->coroutines);
	own_free(c->functions);
	own_free(c->running);
	slots_release(&c->by_pointer);
	slots_release(&c->by_state);
	slots_release(&c->by_place);
	*c = (struct luacalls){0};
}

/* ---- what the recorder of the process sees ---- */

static char *copy_of(const char *s)
{
	size_t n = s ? strlen(s) + 1 : 0;
	char *p = n ? own_grow(NULL, n) : NULL;

	if (p)
		memcpy(p, s, n);
	return p;
}

static bool has_calls(const struct luacalls *c)
{
	for (size_t i = 0; c->coroutines && i < c->n_running; i++)
		if (c->coroutines[c->running[i] - 1].n)
			return true;
	return false;
}

/* Which strand has what runs now, for other states of the thread. */
static void show_strand(struct luacalls *c)
{
	const struct coroutine *co =
	    c->n_running ? &c->coroutines[c->running[c->n_running - 1] - 1] : NULL;

	if (!c->joined)
		return;
	c->joined->strand = c->events && co && co->n ? co->thread : 0;
	if (c->joined->first->running == c->joined && !has_calls(c))
		tracemill_script_rests(c->joined);
}

/* Of a function in a line; line 0: where it begins. */
static uint64_t place_of_line(struct luacalls *c, uint32_t function, uint32_t line)
{
	const struct lua_function *f = &c->functions[function - 1];
	uint32_t *id;
	uint64_t place;

	if (!line)
		return f->place;
	id = slots_put(&c->places, (uint64_t)function << 32 | line);
	if (id && *id)
		return (f->place & ~(uint64_t)UINT32_MAX) | *id;
	place = tracemill_script_place(f->texts[0], f->texts[1], line);
	if (id)
		*id = (uint32_t)place;
	return place ? place : f->place;
}

static void show(struct luacalls *c, uint32_t at, const struct lua_call *call)
{
	uint64_t place;

	if (at >= SCRIPT_DEPTH)
		return;
	place = c->functions[call->function - 1].hidden
		    ? 0
		    : place_of_line(c, call->function, call->line);
	if (place && !c->functions[call->function - 1].file)
		place |= SCRIPT_NATIVE;
	if (place && call->guess)
		place |= SCRIPT_GUESS;
	c->joined->call[at] = (struct script_call){place, call->sp};
}

/* All of it: another coroutine runs, or another thread. */
static void show_all(struct luacalls *c)
{
	uint32_t n = 0;

	if (!c->joined)
		return;
	c->joined->n = 0;
	for (size_t i = 0; i < c->n_running; i++) {
		const struct coroutine *co = &c->coroutines[c->running[i] - 1];

		for (size_t k = 0; k < co->n; k++)
			show(c, n++, &co->calls[k]);
	}
	atomic_signal_fence(memory_order_seq_cst);
	c->joined->n = n;
	show_strand(c);
}

static bool is_innermost(const struct luacalls *c, const struct coroutine *co)
{
	return c->joined && c->n_running && &c->coroutines[c->running[c->n_running - 1] - 1] == co;
}

/* The innermost call is another, or in another line. */
static void show_top(struct luacalls *c, const struct coroutine *co)
{
	if (is_innermost(c, co) && co->n && c->joined->n)
		show(c, c->joined->n - 1, &co->calls[co->n - 1]);
}

/* The thread that runs the state now has the calls. */
static void join_thread(struct luacalls *c)
{
	struct script_stack *s = c->out->joined ? tracemill_script_stack(c) : NULL;

	if (s == c->joined)
		return;
	if (c->joined) {
		c->joined->n = c->joined->strand = 0;
		tracemill_script_rests(c->joined);
	}
	c->joined = s;
	show_all(c);
}

/* ---- functions ---- */

uint32_t luacalls_find(const struct luacalls *c, const void *pointer)
{
	return slots_get(&c->by_pointer, (uintptr_t)pointer);
}

uint32_t luacalls_bind(struct luacalls *c, const void *pointer, uint32_t function)
{
	uint32_t *id = slots_put(&c->by_pointer, (uintptr_t)pointer);

	if (id)
		*id = function;
	return id ? function : 0;
}

uint32_t luacalls_add(struct luacalls *c, const char *name, const char *file, int line)
{
	uint32_t name_id = out_string(c->out, name, strlen(name));
	uint32_t file_id = file && *file ? out_string(c->out, file, strlen(file)) : 0;
	uint32_t location = out_location(c->out, name_id, file_id, line);
	uint32_t *same = file && location ? slots_put(&c->by_place, location) : NULL;
	struct lua_function *f;

	if (same && *same)
		return *same;
	f = grow(c->functions, c->n_functions, &c->cap_functions, sizeof *f);
	if (!f)
		return 0;
	c->functions = f;
	f = &f[c->n_functions++];
	*f = (struct lua_function){.name = name_id,
				   .file = file_id,
				   .hidden =
				       c->excludes && excludes_have(c->excludes, name, file, line)};
	if (c->out->joined) {
		f->texts[0] = copy_of(name);
		f->texts[1] = copy_of(file && *file ? file : NULL);
		f->place = tracemill_script_place(name, f->texts[1], line > 0 ? (uint32_t)line : 0);
	} else {
		f->location = location;
		f->alone = out_stack(c->out, 0, f->location);
		f->marker = c->events ? out_marker(c->out, name) : 0;
	}
	if (same)
		*same = (uint32_t)c->n_functions;
	return (uint32_t)c->n_functions;
}

static void write_event(const struct luacalls *c, const struct coroutine *co, unsigned kind,
			uint32_t function, int64_t time)
{
	const struct lua_function *f = &c->functions[function - 1];
	struct event ev = {.kind = (uint8_t)kind,
			   .has = EV_HAS_TYPE | EV_HAS_STACK | EV_HAS_THREAD | EV_HAS_TIME,
			   .type = f->marker,
			   .stack = f->alone,
			   .thread = co->thread,
			   .time = time};

	if (f->hidden)
		return;
	if (c->events && c->out->joined)
		tracemill_script_call(kind == EV_ENTER, f->place, time, co->thread, STRAND);
	else if (c->events)
		out_event(c->out, &ev);
}

static uint32_t away_stack(struct luacalls *c)
{
	static const char name[] = "(switched out)";

	if (!c->away) {
		c->away_marker = out_marker(c->out, name);
		c->away = out_stack(
		    c->out, 0,
		    out_location(c->out, out_string(c->out, name, sizeof name - 1), 0, 0));
	}
	return c->away;
}

/* Its time is no time of its calls until it comes back. */
static void write_away(struct luacalls *c, const struct coroutine *co, unsigned kind, int64_t time)
{
	struct event ev = {.kind = (uint8_t)kind,
			   .has = EV_HAS_TYPE | EV_HAS_STACK | EV_HAS_THREAD | EV_HAS_TIME |
				  (kind == EV_ENTER ? EV_HAS_VALUE : 0),
			   .thread = co->thread,
			   .time = time,
			   .value = kind == EV_ENTER ? ENTER_AWAY : 0};

	if (c->out->joined) {
		tracemill_script_call(kind == EV_ENTER, SCRIPT_AWAY, time, co->thread, STRAND);
		return;
	}
	ev.stack = away_stack(c);
	ev.type = c->away_marker;
	out_event(c->out, &ev);
}

static void goes_away(struct luacalls *c, struct coroutine *co, int64_t time)
{
	if (co->away || !co->n || !c->events)
		return;
	co->away = true;
	write_away(c, co, EV_ENTER, time);
}

static void comes_back(struct luacalls *c, struct coroutine *co, int64_t time)
{
	if (!co->away)
		return;
	co->away = false;
	write_away(c, co, EV_EXIT, time);
}

static void leave_at(struct luacalls *c, struct coroutine *co, int64_t time)
{
	if (!co->n)
		return;
	comes_back(c, co, time);
	co->n--;
	if (is_innermost(c, co) && c->joined->n)
		c->joined->n--;
	if (!co->calls[co->n].seeded)
		write_event(c, co, EV_EXIT, co->calls[co->n].function, time);
	if (!co->n)
		show_strand(c);
}

void luacalls_leave(struct luacalls *c, struct coroutine *co)
{
	leave_at(c, co, out_time(c->out));
}

/* When is not known: not later than what was seen last, since what follows is the host's. */
static void leave_unreturned(struct luacalls *c, struct coroutine *co)
{
	c->unreturned++;
	leave_at(c, co, c->out->seen);
}

void luacalls_close(struct luacalls *c, bool gone)
{
	int64_t now = gone || !c->n_coroutines ? 0 : out_time(c->out);

	if (c->joined)
		tracemill_script_rests(c->joined);
	for (size_t i = 0; i < c->n_coroutines; i++)
		while (c->coroutines[i].n)
			if (gone)
				leave_unreturned(c, &c->coroutines[i]);
			else
				leave_at(c, &c->coroutines[i], now);
}

void luacalls_gone(struct luacalls *c, struct coroutine *co)
{
	leave_unreturned(c, co);
}

void luacalls_end(struct luacalls *c, struct coroutine *co, size_t n)
{
	while (co->n > n)
		leave_unreturned(c, co);
	if (n && co->n == n)
		luacalls_leave(c, co);
}

void luacalls_unwind(struct luacalls *c, struct coroutine *co, uint64_t place)
{
	size_t i = co->n;

	while (i && co->calls[i - 1].place != place)
		i--;
	while (co->n > i)
		leave_unreturned(c, co);
}

void luacalls_back(struct luacalls *c, struct coroutine *co, uint64_t place)
{
	while (co->n && co->calls[co->n - 1].place > place)
		leave_unreturned(c, co);
}

bool luacalls_cut(struct luacalls *c, struct coroutine *co, uint64_t place)
{
	bool there;

	luacalls_back(c, co, place);
	there = co->n && co->calls[co->n - 1].place == place;
	if (there)
		luacalls_leave(c, co);
	return there;
}

static uint32_t stack_of(const struct luacalls *c, const struct coroutine *co, size_t depth)
{
	uint32_t parent = depth ? co->calls[depth - 1].stack : co->base;
	const struct lua_call *call = &co->calls[depth];
	const struct lua_function *f = &c->functions[call->function - 1];

	if (c->out->joined)
		return 0;
	if (f->hidden)
		return parent;
	return out_stack(c->out, parent,
			 call->line ? out_location(c->out, f->name, f->file, (int)call->line)
				    : f->location);
}

void luacalls_line(struct luacalls *c, struct coroutine *co, int line)
{
	struct lua_call *top = luacalls_top(co);

	if (!top || line <= 0 || top->line == (uint32_t)line ||
	    !c->functions[top->function - 1].file)
		return;
	top->line = (uint32_t)line;
	top->stack = stack_of(c, co, co->n - 1);
	show_top(c, co);
}

void luacalls_calls_from(struct luacalls *c, struct coroutine *co, int line)
{
	if (c->out->joined)
		luacalls_line(c, co, line);
}

uint32_t luacalls_change_line(struct luacalls *c, uint32_t line)
{
	struct coroutine *co =
	    c->n_running ? &c->coroutines[c->running[c->n_running - 1] - 1] : NULL;
	struct lua_call *top = luacalls_top(co);
	uint32_t was = top ? top->line : 0;

	if (was == line || c->lines || !top)
		return 0;
	top->line = line;
	show_top(c, co);
	return was;
}

void luacalls_calls_no_more(struct luacalls *c, struct coroutine *co)
{
	struct lua_call *top = luacalls_top(co);

	if (!c->out->joined || c->lines || !top || !top->line)
		return;
	top->line = 0;
	show_top(c, co);
}

void luacalls_merge(struct luacalls *c, struct coroutine *co)
{
	struct lua_call *top = luacalls_top(co), *below = top - 1;

	if (co->n < 2)
		return;
	if (!below->seeded)
		write_event(c, co, EV_EXIT, below->function, out_time(c->out));
	top->place = below->place;
	top->sp = below->sp;
	*below = *top;
	co->n--;
	below->stack = stack_of(c, co, co->n - 1);
	if (is_innermost(c, co) && c->joined->n > 1) {
		c->joined->n--;
		show_top(c, co);
	}
}

void luacalls_enter(struct luacalls *c, struct coroutine *co, uint64_t place, const void *pointer,
		    uint32_t function, bool seeded)
{
	struct lua_call *f = function ? grow(co->calls, co->n, &co->cap, sizeof *f) : NULL;

	if (!f) {
		c->lost++;
		return;
	}
	co->calls = f;
	f[co->n] = (struct lua_call){.place = place,
				     .pointer = pointer,
				     .function = function,
				     .sp = c->sp,
				     .seeded = seeded,
				     .guess = c->guesses};
	f[co->n].stack = stack_of(c, co, co->n);
	co->n++;
	if (is_innermost(c, co)) {
		show(c, c->joined->n, &f[co->n - 1]);
		atomic_signal_fence(memory_order_seq_cst);
		c->joined->n++;
		if (c->events && c->joined->first->running != c->joined)
			tracemill_script_runs(c->joined);
	}
	if (!seeded)
		write_event(c, co, EV_ENTER, function, out_time(c->out));
	if (co->n == 1)
		show_strand(c);
}

/* Of the process: other states have others. */
static uint32_t strand_number(struct luacalls *c)
{
	if (c->seen)
		return tracemill_script_strand();
	if (!c->first)
		c->first = tracemill_script_strand();
	return c->first;
}

static uint32_t luacalls_new_coroutine(struct luacalls *c, const void *state)
{
	struct coroutine *co = grow(c->coroutines, c->n_coroutines, &c->cap_coroutines, sizeof *co);
	uint32_t *id, at = c->gone;
	char name[64];

	if (!co)
		return 0;
	c->coroutines = co;
	id = slots_put(&c->by_state, (uintptr_t)state);
	if (!id)
		return 0;
	if (at)
		c->gone = co[at - 1].base;
	else
		at = (uint32_t)++c->n_coroutines;
	snprintf(name, sizeof name, c->seen ? "coroutine %llu" : "main",
		 (unsigned long long)c->seen);
	co[at - 1] = (struct coroutine){
	    .state = state,
	    .thread = c->out->joined ? strand_number(c) : out_thread(c->out, c->seen + 1, name)};
	c->seen++;
	*id = at;
	return at;
}

/* The interpreter's frame that runs its calls is a new one. */
static void resumed(const struct luacalls *c, struct coroutine *co)
{
	for (size_t i = 0; i < co->n; i++)
		co->calls[i].sp = c->sp_resumed;
}

void luacalls_moved(struct luacalls *c, struct coroutine *co)
{
	resumed(c, co);
	show_all(c);
}

/* Of who resumed it this time. */
static void rebase(const struct luacalls *c, struct coroutine *co, uint32_t base)
{
	if (co->base == base)
		return;
	co->base = base;
	for (size_t i = 0; i < co->n; i++)
		co->calls[i].stack = stack_of(c, co, i);
}

/* Coroutines + 1; from: 0 for none. */
static void change_runner(struct luacalls *c, uint32_t from, uint32_t to)
{
	bool goes = from && c->events && c->coroutines[from - 1].n;
	int64_t now;

	if (!goes && !c->coroutines[to - 1].away)
		return;
	now = out_time(c->out);
	if (goes)
		goes_away(c, &c->coroutines[from - 1], now);
	comes_back(c, &c->coroutines[to - 1], now);
}

struct coroutine *luacalls_switch(struct luacalls *c, const void *state)
{
	uint32_t id, *running, base;
	size_t i = c->n_running;

	join_thread(c);
	if (c->joined && c->joined->away)
		tracemill_script_runs(c->joined);
	if (i && c->coroutines[c->running[i - 1] - 1].state == state) {
		change_runner(c, 0, c->running[i - 1]);
		return &c->coroutines[c->running[i - 1] - 1];
	}
	id = slots_get(&c->by_state, (uintptr_t)state);
	if (!id)
		id = luacalls_new_coroutine(c, state);
	running = id ? grow(c->running, c->n_running, &c->cap_running, sizeof *running) : NULL;
	if (!running) {
		c->lost++;
		return NULL;
	}
	c->running = running;
	change_runner(c, i ? running[i - 1] : 0, id);
	while (i && running[i - 1] != id)
		i--;
	if (i) {
		c->n_running = i;
	} else {
		base = luacalls_stack(c);
		rebase(c, &c->coroutines[id - 1], base);
		running[c->n_running++] = id;
		resumed(c, &c->coroutines[id - 1]);
	}
	show_all(c);
	return &c->coroutines[id - 1];
}

void luacalls_forget(struct luacalls *c, const void *pointer)
{
	uint32_t id = slots_get(&c->by_state, (uintptr_t)pointer);

	slots_remove(&c->by_pointer, (uintptr_t)pointer);
	if (!id)
		return;
	slots_remove(&c->by_state, (uintptr_t)pointer);
	while (c->coroutines[id - 1].n)
		leave_unreturned(c, &c->coroutines[id - 1]);
	c->coroutines[id - 1].state = NULL;
	own_free(c->coroutines[id - 1].calls);
	c->coroutines[id - 1].calls = NULL;
	c->coroutines[id - 1].cap = 0;
	c->coroutines[id - 1].base = c->gone;
	c->gone = id;
	for (size_t i = 0; i < c->n_running; i++)
		if (c->running[i] == id) {
			c->n_running = i;
			show_all(c);
			break;
		}
}

uint32_t luacalls_stack(const struct luacalls *c)
{
	const struct coroutine *co =
	    c->n_running ? &c->coroutines[c->running[c->n_running - 1] - 1] : NULL;

	return co ? co->n ? co->calls[co->n - 1].stack : co->base : 0;
}

uint32_t luacalls_thread(const struct luacalls *c)
{
	return c->n_running ? c->coroutines[c->running[c->n_running - 1] - 1].thread : 0;
}
