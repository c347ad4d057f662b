/* SPDX-License-Identifier: MIT */
#include "lib/recorder/lua/calls.h"

#include <stdio.h>
#include <string.h>

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
	own_free(c->coroutines);
	own_free(c->functions);
	own_free(c->running);
	slots_release(&c->by_pointer);
	slots_release(&c->by_state);
	slots_release(&c->by_place);
	*c = (struct luacalls){0};
}

uint32_t luacalls_find(const struct luacalls *c, const void *pointer)
{
	return slots_get(&c->by_pointer, (uintptr_t)pointer);
}

static uint64_t place_key(struct luacalls *c, const char *file, int line)
{
	return (uint64_t)out_string(c->out, file, strlen(file)) << 32 | (uint32_t)line;
}

static uint32_t bind_pointer(struct luacalls *c, const void *pointer, uint32_t function)
{
	uint32_t *id = slots_put(&c->by_pointer, (uintptr_t)pointer);

	if (id)
		*id = function;
	return id ? function : 0;
}

uint32_t luacalls_same(struct luacalls *c, const void *pointer, const char *file, int line)
{
	uint32_t function = slots_get(&c->by_place, place_key(c, file, line));

	return function ? bind_pointer(c, pointer, function) : 0;
}

uint32_t luacalls_add(struct luacalls *c, const void *pointer, const char *name, const char *file,
		      int line)
{
	struct lua_function *f = grow(c->functions, c->n_functions, &c->cap_functions, sizeof *f);
	uint32_t *same = f && file ? slots_put(&c->by_place, place_key(c, file, line)) : NULL;

	if (!f)
		return 0;
	c->functions = f;
	f = &f[c->n_functions++];
	f->name = out_string(c->out, name, strlen(name));
	f->file = file && *file ? out_string(c->out, file, strlen(file)) : 0;
	f->location = out_location(c->out, f->name, f->file, line);
	f->alone = out_stack(c->out, 0, f->location);
	f->marker = c->events ? out_marker(c->out, name) : 0;
	if (same)
		*same = (uint32_t)c->n_functions;
	return bind_pointer(c, pointer, (uint32_t)c->n_functions);
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

	if (c->events)
		out_event(c->out, &ev);
}

static void leave_at(struct luacalls *c, struct coroutine *co, int64_t time)
{
	if (!co->n)
		return;
	co->n--;
	if (!co->calls[co->n].seeded)
		write_event(c, co, EV_EXIT, co->calls[co->n].function, time);
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
}

void luacalls_merge(struct luacalls *c, struct coroutine *co)
{
	struct lua_call *top = luacalls_top(co), *below = top - 1;

	if (co->n < 2)
		return;
	if (!below->seeded)
		write_event(c, co, EV_EXIT, below->function, out_time(c->out));
	top->place = below->place;
	*below = *top;
	co->n--;
	below->stack = stack_of(c, co, co->n - 1);
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
	f[co->n] = (struct lua_call){place, pointer, function, 0, 0, seeded};
	f[co->n].stack = stack_of(c, co, co->n);
	co->n++;
	if (!seeded)
		write_event(c, co, EV_ENTER, function, out_time(c->out));
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
	co[at - 1] =
	    (struct coroutine){.state = state, .thread = out_thread(c->out, ++c->seen, name)};
	*id = at;
	return at;
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

struct coroutine *luacalls_switch(struct luacalls *c, const void *state)
{
	uint32_t id, *running, base;
	size_t i = c->n_running;

	if (i && c->coroutines[c->running[i - 1] - 1].state == state)
		return &c->coroutines[c->running[i - 1] - 1];
	id = slots_get(&c->by_state, (uintptr_t)state);
	if (!id)
		id = luacalls_new_coroutine(c, state);
	running = id ? grow(c->running, c->n_running, &c->cap_running, sizeof *running) : NULL;
	if (!running) {
		c->lost++;
		return NULL;
	}
	c->running = running;
	while (i && running[i - 1] != id)
		i--;
	if (i) {
		c->n_running = i;
	} else {
		base = luacalls_stack(c);
		rebase(c, &c->coroutines[id - 1], base);
		running[c->n_running++] = id;
	}
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
