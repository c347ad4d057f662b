/* SPDX-License-Identifier: MIT */
#include "lib/trace/merge_tables.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

static void set(struct id_map *m, uint32_t to)
{
	VEC_PUSH(m->to, m->n, m->cap) = to;
}

static uint32_t get(const struct id_map *m, uint32_t id)
{
	return id < m->n ? m->to[id] : 0;
}

/* Strings are many and events use few of them. */
static uint32_t string(struct merge_tables *m, const struct trace *from, struct trace *to,
		       uint32_t id, enum merge_role role)
{
	struct id_map *map = &m->strings[m->rename ? role : ROLE_NAME];
	size_t n;
	const char *s;

	if (!id)
		return 0;
	while (map->n <= id)
		set(map, 0);
	if (!map->to[id]) {
		s = intern_text(&from->strings, id, &n);
		map->to[id] = m->rename ? m->rename(m->arg, &to->strings, role, s, n)
					: trace_string(to, s, n);
	}
	return map->to[id];
}

static uint32_t epoch(const struct merge_tables *m, uint32_t of_part)
{
	return (of_part < MERGE_EPOCHS ? of_part : MERGE_EPOCHS) + m->part * MERGE_EPOCHS;
}

static void merge_modules(struct merge_tables *m, const struct trace *from, struct trace *to)
{
	while (m->modules.n < from->n_modules) {
		struct module row = from->modules[m->modules.n];

		if (!m->modules.n) {
			set(&m->modules, 0);
			continue;
		}
		row.name = string(m, from, to, row.name, ROLE_PATH);
		row.build_id = string(m, from, to, row.build_id, ROLE_CONSTANT);
		row.arch = string(m, from, to, row.arch, ROLE_CONSTANT);
		row.file = 0;
		row.epoch_lo = epoch(m, row.epoch_lo);
		row.epoch_hi = epoch(m, row.epoch_hi); /* the end is that of the part */
		set(&m->modules, trace_module(to, &row));
	}
	/* Where names are changed, files are not to be recognized either. */
	for (; m->n_module_files + 1 < from->n_module_files; m->n_module_files++) {
		struct module_file row = from->module_files[m->n_module_files + 1];

		row.module = get(&m->modules, row.module);
		if (!m->rename)
			trace_module_file(to, &row);
	}
}

static void merge_tables_stacks(struct merge_tables *m, const struct trace *from, struct trace *to)
{
	while (m->locations.n < from->n_locations) {
		struct location row = from->locations[m->locations.n];

		if (!m->locations.n) {
			set(&m->locations, 0);
			continue;
		}
		row.name = string(m, from, to, row.name, ROLE_NAME);
		row.file = string(m, from, to, row.file, ROLE_PATH);
		row.module = get(&m->modules, row.module);
		row.symbol = 0;
		if (row.space != SPACE_NAME && row.space != SPACE_UNKNOWN)
			row.epoch = epoch(m, row.epoch);
		set(&m->locations, trace_location(to, &row));
	}
	for (; m->n_location_names + 1 < from->n_location_names; m->n_location_names++) {
		struct location_name row = from->location_names[m->n_location_names + 1];

		row.location = get(&m->locations, row.location);
		row.name = string(m, from, to, row.name, ROLE_NAME);
		trace_location_name(to, &row);
	}
	while (m->stacks.n < from->n_stacks) {
		const struct stack *row = &from->stacks[m->stacks.n];

		set(&m->stacks, m->stacks.n ? trace_stack(to, get(&m->stacks, row->parent),
							  get(&m->locations, row->location))
					    : 0);
	}
}

void merge_rows(struct merge_tables *m, const struct trace *from, struct trace *to)
{
	merge_modules(m, from, to);
	merge_tables_stacks(m, from, to);
	while (m->types.n < from->n_types) {
		uint32_t id =
		    m->types.n ? string(m, from, to, from->types[m->types.n], ROLE_NAME) : 0;
		size_t n;
		const char *s = intern_text(&to->strings, id, &n);

		set(&m->types, m->types.n ? trace_type(to, s, n) : 0);
	}
	while (m->threads.n < from->n_threads) {
		struct thread row = from->threads[m->threads.n];
		uint32_t id;

		row.name = string(m, from, to, row.name, ROLE_WORDS);
		id = m->threads.n ? trace_thread(to, &row) : 0;
		if (row.name && to->threads[id].name != row.name && id) { /* the row comes again */
			to->threads[id].name = row.name;
			to->more_names++;
			VEC_PUSH(to->threads, to->n_threads, to->cap_threads) = row;
		}
		set(&m->threads, id);
	}
	while (m->markers.n < from->n_markers) {
		struct marker row = from->markers[m->markers.n];

		row.name = string(m, from, to, row.name, ROLE_NAME);
		row.category = string(m, from, to, row.category, ROLE_NAME);
		set(&m->markers, m->markers.n ? trace_marker(to, &row) : 0);
	}
	while (m->counters.n < from->n_counters) {
		struct counter row = from->counters[m->counters.n];

		row.name = string(m, from, to, row.name, ROLE_CONSTANT);
		row.unit = string(m, from, to, row.unit, ROLE_CONSTANT);
		set(&m->counters, m->counters.n ? trace_counter(to, &row) : 0);
	}
}

static uint32_t symbol_string(const struct merge_tables *m, const struct trace *from,
			      struct trace *to, uint32_t id, enum merge_role role)
{
	size_t n;
	const char *s = intern_text(&from->symbols.strings, id, &n);

	if (!id)
		return 0;
	return m->rename ? m->rename(m->arg, &to->symbols.strings, role, s, n)
			 : trace_symbol_string(to, s, n);
}

/* Ids of rows are those of the part, moved up by what was there. */
void merge_symbols(const struct merge_tables *m, const struct trace *from, struct trace *to)
{
	const struct trace_symbols *s = &from->symbols;
	struct trace_symbols *w = &to->symbols;
	uint32_t object = w->n_objects ? (uint32_t)w->n_objects - 1 : 0;
	uint32_t function = w->n_functions ? (uint32_t)w->n_functions - 1 : 0;
	uint32_t call = w->n_calls ? (uint32_t)w->n_calls - 1 : 0;

	for (size_t i = 1; i < s->n_objects; i++) {
		struct symbol_object row = s->objects[i];

		row.name = symbol_string(m, from, to, row.name, ROLE_PATH);
		row.path = symbol_string(m, from, to, row.path, ROLE_PATH);
		row.debug_path = symbol_string(m, from, to, row.debug_path, ROLE_PATH);
		row.build_id = symbol_string(m, from, to, row.build_id, ROLE_CONSTANT);
		symbols_object(w, &row);
	}
	for (size_t i = 1; i < s->n_functions; i++) {
		struct symbol_function row = {
		    symbol_string(m, from, to, s->functions[i].raw, ROLE_NAME),
		    symbol_string(m, from, to, s->functions[i].display, ROLE_NAME)};

		symbols_function(w, &row);
	}
	for (size_t i = 1; i < s->n_calls; i++) {
		struct symbol_call row = s->calls[i];

		row.outer = row.outer ? row.outer + call : 0;
		row.function = row.function ? row.function + function : 0;
		row.file = symbol_string(m, from, to, row.file, ROLE_PATH);
		symbols_call(w, &row);
	}
	for (uint32_t i = 1; i < s->n_bindings && i < m->locations.n; i++) {
		struct binding row = s->bindings[i];

		row.object = row.object ? row.object + object : 0;
		row.call = row.call ? row.call + call : 0;
		symbols_bind(w, m->locations.to[i], &row);
	}
}

void merge_event(struct merge_tables *m, const struct trace *from, struct trace *to,
		 struct event *ev)
{
	const struct id_map *types = &m->types;

	if (ev->kind == EV_COUNTER)
		types = &m->counters;
	else if (event_has_marker(ev->kind))
		types = &m->markers;
	ev->type = get(types, ev->type);
	ev->stack = get(&m->stacks, ev->stack);
	ev->thread = get(&m->threads, ev->thread);
	ev->name =
	    string(m, from, to, ev->name,
		   ev->kind == EV_OBJECT || ev->kind == EV_REFERENCE ? ROLE_NAME : ROLE_WORDS);
}

void merge_tables_release(struct merge_tables *m)
{
	struct id_map *maps[] = {&m->modules, &m->locations, &m->stacks,  &m->types,
				 &m->threads, &m->markers,   &m->counters};

	for (size_t i = 0; i < MERGE_ROLES; i++)
		free(m->strings[i].to);
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		free(maps[i]->to);
	*m = (struct merge_tables){.part = 0};
}
