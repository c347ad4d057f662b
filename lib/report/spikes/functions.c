/* SPDX-License-Identifier: MIT */
#include "lib/report/spikes/functions.h"

#include "lib/base/mem.h"
#include "lib/names/disambiguate.h"
#include "lib/tally/sums.h"

#include <stdlib.h>
#include <string.h>

struct identity { /* without holes: it is hashed as bytes */
	uint32_t is_marker, id, category;
};

struct spike_functions_index {    /* from spike_functions_init to spike_functions_release */
	struct intern identities; /* of items */
	uint32_t *by_location, *by_marker; /* of the present capture; id + 1, 0: not asked yet */
	size_t cap_by_location, cap_by_marker;
};

/* By its name as people see it, or by its linkage name. */
static bool is_called(const struct spike_functions *f, const struct spike_function *fn,
		      const struct spike_matches *m)
{
	size_t n, n_raw;
	const char *name = names_text(&f->names, fn->name, &n);
	const char *raw = names_text(&f->names, fn->raw, &n_raw);

	for (size_t i = 0; i < m->n; i++)
		if (name_suffix_match(m->items[i], &(struct name_suffix_name){name, n, raw, n_raw}))
			return true;
	return fn->raw != fn->name && spike_matches_any(m, raw, strnlen(raw, n_raw));
}

/* All that a rule gives has to hold: the name, the file and the module. */
static bool is_of(const struct spike_functions *f, const struct spike_function *fn,
		  const struct spike_rule *r)
{
	size_t n_file, n_module;
	const char *file = names_text(&f->names, fn->file, &n_file);
	const char *module = names_text(&f->names, fn->module, &n_module);

	return (!r->match.n || is_called(f, fn, &r->match)) &&
	       (!r->files.n || spike_matches_any(&r->files, file, n_file)) &&
	       (!r->modules.n || spike_matches_any(&r->modules, module, n_module));
}

static void spike_functions_add_rules(struct spike_functions *f, struct spike_function *fn)
{
	const struct spike_rules *rules = f->rules;

	fn->first = (uint32_t)f->n_lists;
	for (size_t i = 0; i < rules->n; i++) {
		const struct spike_rule *r = &rules->items[i];

		if (r->kind == SPIKE_THREAD || r->off || !is_of(f, fn, r))
			continue;
		VEC_PUSH(f->rule_lists, f->n_lists, f->cap_lists) = (uint32_t)i;
		fn->conditional |= r->below.n > 0;
		fn->gives_parents |= r->has_parents;
	}
	fn->first_below = (uint32_t)f->n_lists;
	fn->n_rules = fn->first_below - fn->first;
	for (size_t i = 0; i < rules->n; i++)
		if (rules->items[i].below.n && is_called(f, fn, &rules->items[i].below))
			VEC_PUSH(f->rule_lists, f->n_lists, f->cap_lists) = (uint32_t)i;
	fn->n_below = (uint32_t)f->n_lists - fn->first_below;
}

static void spike_functions_add_verdicts(struct spike_functions *f, struct spike_function *fn)
{
	size_t n, n_raw, n_file, n_module;
	const char *name = names_text(&f->names, fn->name, &n);
	const char *raw = names_text(&f->names, fn->raw, &n_raw);
	const char *file = names_text(&f->names, fn->file, &n_file);
	const char *module = names_text(&f->names, fn->module, &n_module);

	fn->owner = OWNER_NONE;
	if (f->owners) {
		const uint32_t ranks[] = {owners_function(f->owners, name, raw),
					  fn->module ? owners_module(f->owners, module)
						     : OWNER_NONE,
					  fn->file ? owners_file(f->owners, file) : OWNER_NONE};

		for (int i = 0; i < 3; i++)
			fn->owner = ranks[i] < fn->owner ? ranks[i] : fn->owner;
	}
	if (!f->filters)
		return;
	fn->kept = filters_name(f->filters, &(struct name_suffix_name){name, n, raw, n_raw});
	if (fn->module)
		fn->kept |= filters_module(f->filters, module, n_module);
	if (fn->file)
		fn->kept |= filters_file(f->filters, file, n_file);
}

static uint32_t add(struct spike_functions *f, const struct identity *id, struct spike_function *fn)
{
	uint32_t got = intern_add(&f->index->identities, (const char *)id, sizeof *id);

	if (got == f->n) {
		spike_functions_add_rules(f, fn);
		spike_functions_add_verdicts(f, fn);
		VEC_PUSH(f->items, f->n, f->cap) = *fn;
	}
	return got;
}

void spike_functions_init(struct spike_functions *f, const struct spike_rules *rules,
			  struct filters *filters, struct owners *owners)
{
	struct spike_function none = {.owner = OWNER_NONE};

	*f = (struct spike_functions){.rules = rules,
				      .filters = filters,
				      .owners = owners,
				      .index = mem_zalloc(sizeof *f->index)};
	names_init(&f->names);
	none.name = none.raw = intern_add(&f->names.strings, "[unknown]", 9);
	spike_functions_add_rules(f, &none);
	spike_functions_add_verdicts(f, &none);
	VEC_PUSH(f->items, f->n, f->cap) = none;
}

void spike_functions_release(struct spike_functions *f)
{
	names_release(&f->names);
	free(f->items);
	free(f->rule_lists);
	if (f->index) {
		intern_release(&f->index->identities);
		free(f->index->by_location);
		free(f->index->by_marker);
	}
	free(f->index);
	*f = (struct spike_functions){.n = 0};
}

void spike_functions_capture(struct spike_functions *f, const struct trace *t)
{
	struct spike_functions_index *x = f->index;

	names_capture(&f->names, t);
	if (x->by_location)
		memset(x->by_location, 0, x->cap_by_location * sizeof *x->by_location);
	if (x->by_marker)
		memset(x->by_marker, 0, x->cap_by_marker * sizeof *x->by_marker);
}

static uint32_t *remembered(uint32_t **ids, size_t *cap, uint32_t id, size_t n)
{
	*ids = mem_grow_zero(*ids, cap, n > id ? n : (size_t)id + 1, sizeof **ids);
	return *ids + id;
}

static uint32_t spike_functions_make_location(struct spike_functions *f, const struct trace *t,
					      uint32_t location)
{
	const struct location *l = &t->locations[location];
	uint32_t at = names_location(&f->names, t, location);
	const struct names_location *nl = &f->names.locations[at];
	const struct names_call *c = &f->names.calls[nl->first + nl->n_calls - 1];
	const struct names_function *fn = &f->names.functions[c->function];
	struct identity id = {.id = at};
	struct spike_function new = {.name = fn->display,
				     .function = c->function,
				     .raw = fn->raw,
				     .file = c->file,
				     .line = c->line,
				     .module = nl->module,
				     .address = l->raw,
				     .has_address = l->space == SPACE_RUNTIME};

	return add(f, &id, &new);
}

uint32_t spike_function_at(struct spike_functions *f, const struct trace *t, uint32_t location)
{
	struct spike_functions_index *x = f->index;
	uint32_t *seen, got;

	if (!location || location >= t->n_locations)
		return 0;
	seen = remembered(&x->by_location, &x->cap_by_location, location, t->n_locations);
	if (*seen)
		return *seen - 1;
	got = spike_functions_make_location(f, t, location);
	x->by_location[location] = got + 1;
	return got;
}

static uint32_t function_of_marker(struct spike_functions *f, const struct trace *t,
				   uint32_t marker)
{
	struct spike_functions_index *x = f->index;
	uint32_t *seen = remembered(&x->by_marker, &x->cap_by_marker, marker, t->n_markers), got;
	struct identity id = {.is_marker = 1};
	struct spike_function new = {0};
	const char *s;
	size_t n;

	if (*seen)
		return *seen - 1;
	s = intern_text(&t->strings, t->markers[marker].name, &n);
	id.id = new.name = new.raw = intern_add(&f->names.strings, s, n);
	s = intern_text(&t->strings, t->markers[marker].category, &n);
	id.category = n ? intern_add(&f->names.strings, s, n) : 0;
	got = add(f, &id, &new);
	x->by_marker[marker] = got + 1;
	return got;
}

/* True for a location that says more than its address. */
static bool is_named(const struct trace *t, uint32_t location)
{
	const struct location *l = &t->locations[location];
	const struct binding *b = symbols_binding(&t->symbols, location);

	return l->name || (b->call && b->tier > TIER_MODULE);
}

uint32_t spike_function_of(struct spike_functions *f, const struct trace *t, uint32_t location,
			   uint32_t marker)
{
	bool there = location && location < t->n_locations;

	if (marker && marker < t->n_markers && (!there || !is_named(t, location)))
		return function_of_marker(f, t, marker);
	return spike_function_at(f, t, there ? location : 0);
}

const char *spike_function_name(const struct spike_functions *f, uint32_t id, size_t *len)
{
	return names_text(&f->names, f->items[id].name, len);
}

void spike_functions_disambiguate(struct spike_functions *f)
{
	names_disambiguate(&f->names);
	for (size_t i = 1; i < f->n; i++)
		if (f->items[i].function)
			f->items[i].name = f->names.functions[f->items[i].function].display;
}
