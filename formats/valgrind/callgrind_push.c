/* SPDX-License-Identifier: MIT
 *
 * Stacks from callgrind's call graph. The graph says what a function cost itself and what each of
 * its calls cost in all, not which stacks there were. Costs of calls are a flow: what comes into a function,
 * from its callers and from outside of all calls, is what it costs itself and what its calls cost. A flow is a
 * sum of paths, and these are the stacks: so what a function, a line and a call from one function to another
 * cost is what the file says, with all that is called, and only which of the possible paths they are is a guess.
 *
 * First the cost of a function on a path is divided between its lines and calls as its whole cost is, as
 * far as less than a share of the whole is left of it. Then paths are taken one after the other until nothing is
 * left of the flow.
 *
 * No function is twice on a path. A call of a function by itself brings nothing that its first call has not
 * brought already. What functions that call each other in a circle hand around is taken off their
 * calls: it is counted once, and their parts of it are a guess.
 */
#include "formats/valgrind/callgrind.h"

#include "formats/emit.h"
#include "lib/base/mem.h"

#include <stdlib.h>

enum {
	DEPTH_MOST = 1000,
	PATHS_MOST = 1 << 18,
	LOOKS_MOST = 1 << 23, /* calls that are looked at on all paths */
	STEPS_EACH = 64,      /* by line and call */
	STEPS_LEAST = 1 << 20
};
#define SHARE_LEAST 1e-5

/* A function on the path, what came down to it and has no place yet, and where to go on. */
struct hop {
	uint32_t function, parent; /* parent: stack of the callers */
	uint32_t line, call;       /* index + 1 of the next; 0: no more */
	uint64_t left;
};

struct walk {
	struct callgrind_push *p;
	struct callgrind_graph *g;
	size_t event;
	uint64_t *whole;   /* by function: own cost and that of calls */
	uint64_t *outside; /* by function: of it what no call brings; what is left of that */
	uint64_t *lines;   /* by line and */
	uint64_t *calls;   /* by call: what no path has yet */
	uint32_t *on_path; /* by function: its place + 1 */
	bool *circular;    /* by function: it is in a circle of calls */
	struct hop *path;
	uint64_t least; /* a path of less is not divided further */
	uint64_t paths, looks, steps;
	bool counting; /* paths only */
	struct map64 modules;
};

static uint32_t module_of(struct walk *w, uint32_t object)
{
	uint32_t *id;

	if (!object)
		return 0;
	id = map64_put(&w->modules, object);
	if (!*id)
		*id = trace_module(w->p->im->t, &(struct module){.name = object});
	return *id;
}

static uint32_t location(struct walk *w, uint32_t function, uint32_t file, uint32_t line)
{
	const struct callgrind_function *f = &w->g->functions[function];
	struct location l = {.space = f->name ? SPACE_NAME : SPACE_UNKNOWN,
			     .name = f->name,
			     .file = file,
			     .line = file ? line : 0,
			     .module = module_of(w, f->object)};

	return trace_location(w->p->im->t, &l);
}

/* Costs of the first event are the samples, by which reports rank as callgrind_annotate does; those of another are its
 * periods, as costs of two events do not add up. */
static enum status push_cost(struct walk *w, uint64_t cost, uint32_t stack, struct err *e)
{
	const struct emit_sample sample = {.marker = w->p->markers[w->event],
					   .stack = stack,
					   .thread = w->p->thread,
					   .period = KNOWN_IF(w->event, cost),
					   .samples = KNOWN_IF(!w->event, cost)};

	return emit_sample(w->p->im, &sample, e);
}

/* What was inlined from another file belongs to that file, and called by the function of its
 * own. */
static uint32_t stack_at(struct walk *w, uint32_t parent, uint32_t function, uint32_t file,
			 uint32_t line)
{
	uint32_t own = w->g->functions[function].file;

	if (file != own && own)
		parent = trace_stack(w->p->im->t, parent, location(w, function, own, 0));
	return trace_stack(w->p->im->t, parent, location(w, function, file, line));
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

/* The part of a cost that so much of the whole has, as far as it is left. */
static uint64_t part_of(uint64_t cost, uint64_t amount, uint64_t whole, uint64_t left)
{
	uint64_t part = whole ? (uint64_t)((unsigned __int128)cost * amount / whole) : 0;

	return part < left ? part : left;
}

static enum status push_line(struct walk *w, uint32_t function, uint32_t parent, uint32_t index,
			     uint64_t cost, struct err *e)
{
	const struct callgrind_line *line = &w->g->lines[index];

	w->lines[index] -= cost;
	return cost ? push_cost(w, cost, stack_at(w, parent, function, line->file, line->line), e)
		    : ST_OK;
}

static uint32_t call_stack(struct walk *w, uint32_t parent, const struct callgrind_call *call)
{
	return w->counting ? 0 : stack_at(w, parent, call->caller, call->file, call->line);
}

/* *amount: what comes to the function by this path; then, what of it found its lines. */
static enum status callgrind_push_divide(struct walk *w, uint32_t function, size_t depth,
					 uint32_t parent, uint64_t *amount, struct err *e)
{
	const struct callgrind_graph *g = w->g;
	uint64_t came = *amount, whole = w->whole[function], part;
	size_t n = g->n_events, k = w->event;
	enum status st = ST_OK;

	w->paths++;
	w->on_path[function] = 1;
	*amount = 0;
	for (uint32_t i = g->functions[function].lines; i && !w->counting && !st;
	     i = g->lines[i - 1].next) {
		part = part_of(g->line_costs[(i - 1) * n + k], came, whole, w->lines[i - 1]);
		*amount += part;
		st = push_line(w, function, parent, i - 1, part, e);
	}
	for (uint32_t i = g->functions[function].out; i && !st; i = g->calls[i - 1].next) {
		const struct callgrind_call *call = &g->calls[i - 1];

		if (w->paths >= PATHS_MOST || ++w->looks >= LOOKS_MOST)
			break;
		part = part_of(g->call_costs[(i - 1) * n + k], came, whole, w->calls[i - 1]);
		if (part < w->least || w->on_path[call->callee] || depth == DEPTH_MOST)
			continue;
		st = callgrind_push_divide(w, call->callee, depth + 1, call_stack(w, parent, call),
					   &part, e);
		w->calls[i - 1] -= part;
		*amount += part;
	}
	w->on_path[function] = 0;
	return st;
}

static enum status callgrind_push_divide_all(struct walk *w, struct err *e)
{
	enum status st = ST_OK;

	w->paths = w->looks = 0;
	for (uint32_t f = 0; f < w->g->n_functions && !st; f++) {
		uint64_t amount = w->outside[f];

		if (!amount || amount < w->least)
			continue;
		st = callgrind_push_divide(w, f, 1, 0, &amount, e);
		w->outside[f] -= amount;
	}
	return st;
}

static void add_hop(struct walk *w, size_t depth, uint32_t function, uint32_t parent, uint64_t left)
{
	const struct callgrind_function *f = &w->g->functions[function];

	w->path[depth] = (struct hop){function, parent, f->lines, f->out, left};
	w->on_path[function] = (uint32_t)depth + 1;
}

/* What a call hands back to a function of the path goes round: it is taken off these calls, and has to find
 * another way from there. */
static void callgrind_push_turn(struct walk *w, size_t depth, uint32_t to, uint64_t amount)
{
	for (size_t i = to; i < depth; i++)
		w->circular[w->path[i].function] = true;
	w->path[depth - 1].left -= amount;
	w->path[to].left += amount;
}

/* All that comes to a function from outside of calls, path by path. */
static enum status callgrind_push_rest(struct walk *w, uint32_t root, struct err *e)
{
	const struct callgrind_graph *g = w->g;
	size_t depth = 1;
	enum status st = ST_OK;

	add_hop(w, 0, root, 0, w->outside[root]);
	w->outside[root] = 0;
	while (!st && depth && w->steps) {
		struct hop *h = &w->path[depth - 1];
		const struct callgrind_call *call;
		uint64_t part;

		w->steps--;
		while (h->line && !w->lines[h->line - 1])
			h->line = g->lines[h->line - 1].next;
		while (h->call &&
		       (!w->calls[h->call - 1] ||
			(depth == DEPTH_MOST && !w->on_path[g->calls[h->call - 1].callee])))
			h->call = g->calls[h->call - 1].next;
		if (!h->left || (!h->line && !h->call)) {
			w->p->missing = plus(w->p->missing, w->event ? 0 : h->left);
			w->on_path[h->function] = 0;
			depth--;
		} else if (h->line) {
			part = h->left < w->lines[h->line - 1] ? h->left : w->lines[h->line - 1];
			h->left -= part;
			st = push_line(w, h->function, h->parent, h->line - 1, part, e);
		} else {
			call = &g->calls[h->call - 1];
			part = h->left < w->calls[h->call - 1] ? h->left : w->calls[h->call - 1];
			w->calls[h->call - 1] -= part;
			if (w->on_path[call->callee]) {
				callgrind_push_turn(w, depth, w->on_path[call->callee] - 1, part);
				continue;
			}
			h->left -= part;
			add_hop(w, depth++, call->callee, call_stack(w, h->parent, call), part);
		}
	}
	while (depth)
		w->on_path[w->path[--depth].function] = 0;
	return st;
}

/* What no path has: the file's calls do not add up. */
static enum status callgrind_push_alone(struct walk *w, struct err *e)
{
	enum status st = ST_OK;

	for (size_t i = 0; i < w->g->n_lines && !st; i++) {
		w->p->alone = plus(w->p->alone, w->event ? 0 : w->lines[i]);
		st = push_line(w, w->g->lines[i].function, 0, (uint32_t)i, w->lines[i], e);
	}
	return st;
}

static uint64_t callgrind_push_start(struct walk *w)
{
	const struct callgrind_graph *g = w->g;
	uint64_t total = 0;

	memset(w->whole, 0, g->n_functions * sizeof *w->whole);
	memset(w->outside, 0, g->n_functions * sizeof *w->outside);
	for (size_t i = 0; i < g->n_lines; i++) {
		uint64_t *whole = &w->whole[g->lines[i].function];

		w->lines[i] = g->line_costs[i * g->n_events + w->event];
		*whole = plus(*whole, w->lines[i]);
		total = plus(total, w->lines[i]);
	}
	/* A function's calls of itself are in the cost of the one that called it first. */
	for (size_t i = 0; i < g->n_calls; i++) {
		const struct callgrind_call *call = &g->calls[i];
		uint64_t *in = &w->outside[call->callee], *whole = &w->whole[call->caller];

		w->calls[i] =
		    call->caller == call->callee ? 0 : g->call_costs[i * g->n_events + w->event];
		*in = plus(*in, w->calls[i]);
		*whole = plus(*whole, w->calls[i]);
	}
	for (size_t f = 0; f < g->n_functions; f++)
		w->outside[f] = w->whole[f] > w->outside[f] ? w->whole[f] - w->outside[f] : 0;
	return total;
}

/* Shares are as small as the number of paths allows. */
static void callgrind_push_choose_least(struct walk *w, uint64_t total)
{
	struct err none = ERR_INIT;

	w->least = (uint64_t)((double)total * SHARE_LEAST) + 1;
	w->counting = true;
	for (;; w->least = plus(w->least, plus(w->least, w->least))) {
		callgrind_push_divide_all(w, &none);
		if ((w->paths < PATHS_MOST && w->looks < LOOKS_MOST) || w->least > total)
			break;
	}
	w->counting = false;
}

static enum status callgrind_push_event(struct walk *w, struct err *e)
{
	const struct callgrind_graph *g = w->g;
	uint64_t total = callgrind_push_start(w);
	enum status st;

	if (!w->event)
		w->p->total = total;
	callgrind_push_choose_least(w, total);
	st = callgrind_push_divide_all(w, e);
	w->steps = STEPS_LEAST + STEPS_EACH * (uint64_t)(g->n_lines + g->n_calls);
	for (uint32_t f = 0; f < g->n_functions && !st; f++)
		if (w->outside[f])
			st = callgrind_push_rest(w, f, e);
	if (!st)
		st = callgrind_push_alone(w, e);
	for (size_t i = 0; i < g->n_calls; i++)
		if (w->calls[i])
			w->circular[g->calls[i].caller] = w->circular[g->calls[i].callee] = true;
	return st;
}

enum status callgrind_push(struct callgrind_push *p, struct err *e)
{
	struct callgrind_graph *g = p->g;
	struct walk w = {.p = p, .g = g, .modules = MAP64_INIT};
	uint32_t *callers = mem_zarray(g->n_functions + 1, sizeof *callers);
	enum status st = ST_OK;

	w.whole = mem_zarray(g->n_functions + 1, sizeof *w.whole);
	w.outside = mem_zarray(g->n_functions + 1, sizeof *w.outside);
	w.lines = mem_zarray(g->n_lines + 1, sizeof *w.lines);
	w.calls = mem_zarray(g->n_calls + 1, sizeof *w.calls);
	w.on_path = mem_zarray(g->n_functions + 1, sizeof *w.on_path);
	w.circular = mem_zarray(g->n_functions + 1, sizeof *w.circular);
	w.path = mem_zarray(DEPTH_MOST + 1, sizeof *w.path);
	for (w.event = 0; w.event < g->n_events && !st; w.event++)
		st = callgrind_push_event(&w, e);
	for (size_t i = 0; i < g->n_calls; i++)
		callers[g->calls[i].callee] += g->calls[i].caller != g->calls[i].callee;
	for (size_t i = 0; i < g->n_functions; i++) {
		p->divided += callers[i] > 1;
		p->circular += w.circular[i];
	}
	map64_release(&w.modules);
	free(callers);
	free(w.whole);
	free(w.outside);
	free(w.lines);
	free(w.calls);
	free(w.on_path);
	free(w.circular);
	free(w.path);
	return st;
}
