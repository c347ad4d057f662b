/* SPDX-License-Identifier: MIT
 *
 * Functions, lines and calls of a callgrind file, added up over its parts.
 */
#include "formats/valgrind/callgrind.h"

#include "lib/base/mem.h"

#include <stdlib.h>

struct key {
	uint32_t kind, a, b, c, d;
};

/* The place of its index + 1; new where that is 0. */
static uint32_t *index_of(struct callgrind_graph *g, struct key key)
{
	uint32_t id = intern_add(&g->keys, (const char *)&key, sizeof key);

	g->index = mem_grow_zero(g->index, &g->cap_index, (size_t)id + 1, sizeof *g->index);
	return &g->index[id];
}

uint32_t callgrind_function(struct callgrind_graph *g, uint32_t object, uint32_t file,
			    uint32_t name)
{
	uint32_t *index = index_of(g, (struct key){1, object, file, name, 0});

	if (!*index) {
		VEC_PUSH(g->functions, g->n_functions, g->cap_functions) =
		    (struct callgrind_function){.object = object, .file = file, .name = name};
		*index = (uint32_t)g->n_functions;
	}
	return *index - 1;
}

static void add_costs(struct callgrind_graph *g, uint64_t *sum, const uint64_t *costs)
{
	for (size_t i = 0; i < g->n_events; i++)
		if (__builtin_add_overflow(sum[i], costs[i], &sum[i])) {
			sum[i] = UINT64_MAX;
			g->huge++;
		}
}

static void new_costs(struct callgrind_graph *g, uint64_t **costs, size_t *n, size_t *cap)
{
	if (*n + g->n_events > *cap)
		*costs = mem_grow(*costs, cap, *n + g->n_events, sizeof **costs);
	memset(*costs + *n, 0, g->n_events * sizeof **costs);
	*n += g->n_events;
}

void callgrind_add_line(struct callgrind_graph *g, uint32_t function, uint32_t file, uint32_t line,
			const uint64_t *costs)
{
	uint32_t *index = index_of(g, (struct key){2, function, file, line, 0});

	if (!*index && g->n_lines == CALLGRIND_ROWS_MOST) {
		g->more++;
		*index = (uint32_t)g->n_lines; /* costs stay right in sum */
	}
	if (!*index) {
		VEC_PUSH(g->lines, g->n_lines, g->cap_lines) =
		    (struct callgrind_line){function, file, line, g->functions[function].lines};
		*index = (uint32_t)g->n_lines;
		g->functions[function].lines = *index;
		new_costs(g, &g->line_costs, &g->n_line_costs, &g->cap_line_costs);
	}
	add_costs(g, g->line_costs + (*index - 1) * g->n_events, costs);
}

void callgrind_add_call(struct callgrind_graph *g, uint32_t caller, uint32_t callee, uint32_t file,
			uint32_t line, const uint64_t *costs)
{
	uint32_t *index;

	if (g->n_calls == CALLGRIND_ROWS_MOST) {
		g->more++;
		return;
	}
	index = index_of(g, (struct key){caller + 3, callee, file, line, 1});
	if (!*index) {
		VEC_PUSH(g->calls, g->n_calls, g->cap_calls) =
		    (struct callgrind_call){caller, callee, file, line, g->functions[caller].out};
		*index = (uint32_t)g->n_calls;
		g->functions[caller].out = *index;
		new_costs(g, &g->call_costs, &g->n_call_costs, &g->cap_call_costs);
	}
	add_costs(g, g->call_costs + (*index - 1) * g->n_events, costs);
}

static bool has_costs(const struct callgrind_function *f)
{
	return f->lines || f->out;
}

void callgrind_join_files(struct callgrind_graph *g)
{
	for (uint32_t i = 0; i < g->n_functions; i++) {
		const struct callgrind_function *f = &g->functions[i];
		uint32_t *only;

		if (!f->name || !has_costs(f))
			continue;
		only = index_of(g, (struct key){0, f->object, f->name, 0, 0});
		*only = *only ? UINT32_MAX : i + 1;
	}
	for (size_t i = 0; i < g->n_calls; i++) {
		const struct callgrind_function *f = &g->functions[g->calls[i].callee];
		uint32_t *only;

		if (!f->name || has_costs(f))
			continue;
		only = index_of(g, (struct key){0, f->object, f->name, 0, 0});
		if (*only && *only != UINT32_MAX)
			g->calls[i].callee = *only - 1;
	}
}

void callgrind_graph_release(struct callgrind_graph *g)
{
	intern_release(&g->keys);
	free(g->index);
	free(g->functions);
	free(g->lines);
	free(g->line_costs);
	free(g->calls);
	free(g->call_costs);
}
