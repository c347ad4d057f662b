/* SPDX-License-Identifier: MIT
 *
 * Stacks from callgrind's call graph. The graph says what a function cost itself and what each of
 * its calls cost in all, not which stacks there were. Stacks are made of it so that both stay what
 * the file says: beginning with functions without callers, the cost of a function on a path, its
 * own and that of its calls, is its share of the whole on that path. Where each
 * function has one caller that is exact; where it has several, the division is a guess, and the
 * sums by function are still the file's.
 *
 * A path ends where less than a share of the whole is left of it, and where a function is on it
 * already; what was not given to a path by then belongs to the function alone.
 */
#include "formats/valgrind/callgrind.h"

#include "lib/base/mem.h"

#include <stdlib.h>

enum { DEPTH_MOST = 1000, PATHS_MOST = 1 << 18 };
#define SHARE_LEAST 1e-5

struct walk {
	struct callgrind_push *p;
	struct callgrind_graph *g;
	size_t n;        /* events */
	double *whole;   /* by function and event: own cost and calls */
	double *gone;    /* by function and event: the share of all paths so far */
	uint64_t *given; /* by line and event: cost that a path has */
	double *share;   /* by depth and event: what came down the path */
	bool *on_path;   /* by function */
	double least;    /* of the first event */
	uint64_t paths;
};

static uint32_t module_of(struct walk *w, uint32_t object, struct map64 *modules)
{
	uint32_t *id;

	if (!object)
		return 0;
	id = map64_put(modules, object);
	if (!*id)
		*id = trace_module(w->p->im->t, &(struct module){.name = object});
	return *id;
}

static uint32_t location(struct walk *w, uint32_t function, uint32_t file, uint32_t line,
			 struct map64 *modules)
{
	const struct callgrind_function *f = &w->g->functions[function];
	struct location l = {.space = f->name ? SPACE_NAME : SPACE_UNKNOWN,
			     .name = f->name,
			     .file = file,
			     .line = file ? line : 0,
			     .module = module_of(w, f->object, modules)};

	return trace_location(w->p->im->t, &l);
}

static enum status push_cost(struct walk *w, size_t event, uint64_t cost, uint32_t stack,
			     struct err *e)
{
	struct event ev = {.kind = EV_SAMPLE,
			   .has = EV_HAS_TYPE | EV_HAS_STACK | EV_HAS_COUNT,
			   .type = w->p->markers[event],
			   .stack = stack,
			   .count = cost};

	if (w->p->thread) {
		ev.has |= EV_HAS_THREAD;
		ev.thread = w->p->thread;
	}
	return import_event(w->p->im, &ev, e);
}

/* What was inlined from another file belongs to that file, and called by the function of its
 * own. */
static uint32_t stack_at(struct walk *w, uint32_t parent, uint32_t function, uint32_t file,
			 uint32_t line, struct map64 *modules)
{
	uint32_t own = w->g->functions[function].file;

	if (file != own && own)
		parent = trace_stack(w->p->im->t, parent, location(w, function, own, 0, modules));
	return trace_stack(w->p->im->t, parent, location(w, function, file, line, modules));
}

/* The function's own cost on a path, or (share NULL) all that no path has. Shares are added up before
 * they are rounded, so that nothing is left of the last one. */
static enum status callgrind_push_lines(struct walk *w, uint32_t function, const double *share,
					uint32_t parent, struct map64 *modules, struct err *e)
{
	double *gone = w->gone + function * w->n;
	enum status st = ST_OK;

	for (size_t k = 0; share && k < w->n; k++)
		gone[k] = gone[k] + share[k] > 1 - 1e-9 ? 1 : gone[k] + share[k];
	for (uint32_t i = w->g->functions[function].lines; i && !st; i = w->g->lines[i - 1].next) {
		const struct callgrind_line *line = &w->g->lines[i - 1];
		uint32_t stack = 0;

		for (size_t k = 0; k < w->n && !st; k++) {
			uint64_t all = w->g->line_costs[(i - 1) * w->n + k], until = all, cost;
			uint64_t *given = &w->given[(i - 1) * w->n + k];

			if (share && gone[k] < 1)
				until = (uint64_t)((double)all * gone[k]);
			if (until <= *given)
				continue;
			cost = (until > all ? all : until) - *given;
			if (!stack)
				stack =
				    stack_at(w, parent, function, line->file, line->line, modules);
			*given += cost;
			if (!share && !k)
				w->p->alone += cost;
			st = cost ? push_cost(w, k, cost, stack, e) : ST_OK;
		}
	}
	return st;
}

/* share[0, n): how much of the function came here, 0 to 1. */
static enum status callgrind_push_walk_down(struct walk *w, uint32_t function, size_t depth,
					    uint32_t parent, struct map64 *modules, struct err *e)
{
	const double *share = w->share + depth * w->n;
	double *below = w->share + (depth + 1) * w->n;
	enum status st = callgrind_push_lines(w, function, share, parent, modules, e);

	w->paths++;
	w->on_path[function] = true;
	for (uint32_t i = w->g->functions[function].out; i && !st; i = w->g->calls[i - 1].next) {
		const struct callgrind_call *call = &w->g->calls[i - 1];
		const uint64_t *costs = w->g->call_costs + (i - 1) * w->n;
		const double *whole = w->whole + call->callee * w->n;

		if (w->on_path[call->callee] || (double)costs[0] * share[0] < w->least ||
		    depth + 2 > DEPTH_MOST || w->paths >= PATHS_MOST)
			continue;
		for (size_t k = 0; k < w->n; k++) {
			below[k] = whole[k] > 0 ? (double)costs[k] * share[k] / whole[k] : 0;
			below[k] = below[k] > 1 ? 1 : below[k];
		}
		st = callgrind_push_walk_down(
		    w, call->callee, depth + 1,
		    stack_at(w, parent, function, call->file, call->line, modules), modules, e);
	}
	w->on_path[function] = false;
	return st;
}

/* What has no callers, or costs more than its callers know of: threads, handlers of signals. */
static enum status callgrind_push_walk_roots(struct walk *w, const double *called,
					     struct map64 *modules, struct err *e)
{
	enum status st = ST_OK;

	for (uint32_t f = 0; f < w->g->n_functions && !st; f++) {
		const double *whole = w->whole + f * w->n, *by_others = called + f * w->n;
		bool any = false;

		for (size_t k = 0; k < w->n; k++) {
			double rest = whole[k] - by_others[k];

			/* Less than a share is what rounding and recursion leave. */
			w->share[k] = whole[k] > 0 && rest > whole[k] * 1e-9 ? rest / whole[k] : 0;
			any |= w->share[k] > 0 && (k || rest >= w->least);
		}
		if (any)
			st = callgrind_push_walk_down(w, f, 0, 0, modules, e);
	}
	return st;
}

static void callgrind_push_add_up(struct walk *w, double *called, uint64_t *callers)
{
	struct callgrind_graph *g = w->g;

	for (size_t i = 0; i < g->n_lines; i++)
		for (size_t k = 0; k < w->n; k++)
			w->whole[g->lines[i].function * w->n + k] +=
			    (double)g->line_costs[i * w->n + k];
	for (size_t i = 0; i < g->n_calls; i++) {
		const struct callgrind_call *call = &g->calls[i];

		if (call->caller == call->callee) /* in the one that called it first */
			continue;
		callers[call->callee]++;
		for (size_t k = 0; k < w->n; k++) {
			double cost = (double)g->call_costs[i * w->n + k];

			w->whole[call->caller * w->n + k] += cost;
			called[call->callee * w->n + k] += cost;
		}
	}
}

enum status callgrind_push(struct callgrind_push *p, struct err *e)
{
	struct callgrind_graph *g = p->g;
	size_t n = g->n_events;
	struct walk w = {.p = p, .g = g, .n = n};
	double *called = mem_zarray(g->n_functions * n + 1, sizeof *called);
	uint64_t *callers = mem_zarray(g->n_functions + 1, sizeof *callers);
	struct map64 modules = MAP64_INIT;
	enum status st;

	w.whole = mem_zarray(g->n_functions * n + 1, sizeof *w.whole);
	w.gone = mem_zarray(g->n_functions * n + 1, sizeof *w.gone);
	w.given = mem_zarray(g->n_lines * n + 1, sizeof *w.given);
	w.share = mem_zarray((DEPTH_MOST + 2) * n + 1, sizeof *w.share);
	w.on_path = mem_zarray(g->n_functions + 1, sizeof *w.on_path);
	callgrind_push_add_up(&w, called, callers);
	for (size_t i = 0; i < g->n_lines; i++)
		p->total += g->line_costs[i * n];
	for (size_t i = 0; i < g->n_functions; i++)
		p->divided += callers[i] > 1;
	w.least = (double)p->total * SHARE_LEAST;
	st = callgrind_push_walk_roots(&w, called, &modules, e);
	for (uint32_t f = 0; f < g->n_functions && !st; f++)
		st = callgrind_push_lines(&w, f, NULL, 0, &modules, e);
	map64_release(&modules);
	free(called);
	free(callers);
	free(w.whole);
	free(w.given);
	free(w.gone);
	free(w.share);
	free(w.on_path);
	return st;
}
