/* SPDX-License-Identifier: MIT */
#include "lib/tally/open_calls.h"

#include "lib/base/mem.h"
#include "lib/tally/sums.h"

#include <stdlib.h>
#include <string.h>

enum {
	CREDIT = 16, /* steps of searching that an enter earns */
	CALLEES = 8  /* of a path that are looked at before the table of stacks is */
};

struct open_path { /* a path by what its innermost enter says */
	uint32_t type, stack;
	uint32_t callee, next; /* paths: the callee made last; the one before, of one caller */
	bool listed;           /* among the callees of one */
};

void open_calls_reset(struct open_calls *o)
{
	for (size_t i = 0; i < o->n; i++) {
		o->threads[i].n = 0;
		o->threads[i].deep = 0;
		o->threads[i].has_last = false;
	}
	o->orphans = o->unclosed = o->too_deep = o->backward = o->back_most = o->credit = 0;
	if (o->paths)
		memset(o->paths, 0, o->cap_paths * sizeof *o->paths);
	if (o->marker_locations)
		memset(o->marker_locations, 0,
		       o->cap_marker_locations * sizeof *o->marker_locations);
}

void open_calls_release(struct open_calls *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->threads[i].calls);
	free(o->threads);
	free(o->paths);
	free(o->marker_locations);
	*o = (struct open_calls){.n = 0};
}

struct open_thread *open_calls_thread(struct open_calls *o, uint32_t thread)
{
	if (thread >= o->n) {
		o->threads =
		    mem_grow_zero(o->threads, &o->cap, (size_t)thread + 1, sizeof *o->threads);
		o->n = o->cap;
	}
	return &o->threads[thread];
}

int64_t open_calls_elapsed(struct open_calls *o, struct open_thread *th, int64_t now)
{
	int64_t ns = 0;

	if (th->has_last && (__builtin_sub_overflow(now, th->last, &ns) || ns < 0)) {
		uint64_t back = now < th->last ? (uint64_t)th->last - (uint64_t)now : 0;

		o->back_most = back > o->back_most ? back : o->back_most;
		o->backward++;
		ns = 0;
	}
	th->last = now;
	th->has_last = true;
	return ns;
}

/* True for a location that says more than its address. */
static bool is_named(const struct trace *t, uint32_t location)
{
	const struct location *l = &t->locations[location];
	const struct binding *b = symbols_binding(&t->symbols, location);

	return l->name || (b->call && b->tier > TIER_MODULE);
}

/* Called as the marker is; an address that the call has is kept in addition to the name. */
static uint32_t location_of_marker(struct open_calls *o, struct trace *t, uint32_t type,
				   uint32_t location)
{
	struct location l = {.space = SPACE_NAME, .name = t->markers[type].name};
	uint32_t *known, got;

	if (location && t->locations[location].space < SPACE_NAME) {
		l = t->locations[location];
		l.name = t->markers[type].name;
		return trace_location(t, &l);
	}
	o->marker_locations = mem_grow_zero(o->marker_locations, &o->cap_marker_locations,
					    (size_t)type + 1, sizeof *o->marker_locations);
	known = &o->marker_locations[type];
	if (*known)
		return *known;
	got = trace_location(t, &l);
	return *known = got;
}

uint32_t open_calls_location(struct open_calls *o, struct trace *t, uint32_t type, uint32_t stack)
{
	uint32_t location = t->stacks[stack].location;
	size_t n;

	if (location && is_named(t, location))
		return location;
	intern_text(&t->strings, t->markers[type].name, &n);
	if (type && n)
		return location_of_marker(o, t, type, location);
	return location ? location : trace_location(t, &(struct location){.space = SPACE_UNKNOWN});
}

static uint32_t make_path(struct open_calls *o, struct trace *t, uint32_t caller, uint32_t type,
			  uint32_t stack)
{
	uint32_t location = open_calls_location(o, t, type, stack);

	if (!caller && location == t->stacks[stack].location)
		return stack;
	return trace_stack(t, caller ? caller : t->stacks[stack].parent, location);
}

uint32_t open_calls_path(struct open_calls *o, const struct open_thread *th, struct trace *t,
			 uint32_t type, uint32_t stack)
{
	uint32_t caller = th->n ? th->calls[th->n - 1].path : 0, path;
	size_t looks = 0;

	if (t->n_stacks > o->cap_paths)
		o->paths = mem_grow_zero(o->paths, &o->cap_paths, t->n_stacks, sizeof *o->paths);
	for (path = o->paths[caller].callee; path && looks < CALLEES; path = o->paths[path].next) {
		if (o->paths[path].type == type && o->paths[path].stack == stack)
			return path;
		looks++;
	}
	path = make_path(o, t, caller, type, stack);
	o->paths = mem_grow_zero(o->paths, &o->cap_paths, t->n_stacks, sizeof *o->paths);
	/* It may have been looked at beyond CALLEES, or be named by another marker too. */
	if (!o->paths[path].listed) {
		uint32_t callee = o->paths[path].callee;

		o->paths[path] =
		    (struct open_path){type, stack, callee, o->paths[caller].callee, true};
		o->paths[caller].callee = path;
	}
	return path;
}

uint32_t open_calls_short_path(struct open_calls *o, const struct open_thread *th, struct trace *t,
			       uint32_t type, uint32_t stack, bool needs_caller)
{
	uint32_t location;

	if (!th->n)
		return make_path(o, t, 0, type, stack);
	location = open_calls_location(o, t, type, stack);
	if (needs_caller)
		return trace_stack(t, th->calls[th->n - 1].path, location);
	if (location == t->stacks[stack].location && !t->stacks[stack].parent)
		return stack;
	return trace_stack(t, 0, location);
}

bool open_calls_enter(struct open_calls *o, struct open_thread *th, const struct open_call *c)
{
	o->credit += CREDIT;
	if (th->n >= (o->depth ? o->depth : OPEN_CALLS_DEPTH) || th->deep) {
		th->deep++;
		o->too_deep++;
		return false;
	}
	VEC_PUSH(th->calls, th->n, th->cap) = *c;
	return true;
}

static bool is_of(const struct open_call *c, const struct trace *t, uint32_t type, uint32_t stack)
{
	const struct location *a, *b;

	if (c->type != type || c->stack == stack || !stack || !c->stack)
		return c->type == type && c->stack == stack;
	a = &t->locations[t->stacks[c->stack].location];
	b = &t->locations[t->stacks[stack].location];
	return a->raw == b->raw && a->space == b->space && a->process == b->process &&
	       a->name == b->name && (a->raw || a->name);
}

size_t open_calls_exit(struct open_calls *o, struct open_thread *th, const struct trace *t,
		       uint32_t type, uint32_t stack)
{
	size_t i = th->n, reach = OPEN_CALLS_SEARCH + o->credit, least = i > reach ? i - reach : 0;
	size_t steps;

	if (th->deep) {
		th->deep--;
		return 0;
	}
	if (!type && !stack && i)
		return 1;
	while (i > least && !is_of(&th->calls[i - 1], t, type, stack))
		i--;
	steps = th->n - i;
	if (steps > OPEN_CALLS_SEARCH)
		o->credit -= steps - OPEN_CALLS_SEARCH;
	if (i == least) {
		o->orphans++;
		return 0;
	}
	o->unclosed += steps;
	return steps + 1;
}

struct open_call open_calls_pop(struct open_thread *th)
{
	struct open_call c = th->calls[--th->n], *caller = th->n ? &th->calls[th->n - 1] : NULL;

	if (!caller)
		return c;
	if (!c.pause)
		caller->total = add_signed(caller->total, c.total);
	caller->clipped |= c.clipped;
	caller->calls = add_saturating(caller->calls, c.calls);
	caller->self = add_saturating(caller->self, c.self);
	return c;
}
