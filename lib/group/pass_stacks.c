/* SPDX-License-Identifier: MIT
 *
 * Stacks of a pass (group_pass.h), and the group that each cell belongs to.
 */
#include "lib/group/group_pass.h"

#include "lib/base/mem.h"
#include "lib/names/names_memo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 12 }; /* stacks that are fetched ahead; by experiment */

static uint32_t stack_site(struct group_pass *f, uint32_t parent, uint32_t location)
{
	return pass_site_of(f->p, location, parent ? pass_node_site(f, parent) : 0);
}

static uint32_t merged_stack(struct group_pass *f, uint32_t parent, uint32_t location)
{
	struct grouped_profile *p = f->p;
	size_t before = p->stacks.n;
	uint32_t id = stacks_add(&p->stacks, parent, location);

	if (p->stacks.n > before)
		grouped_profile_set_site(p, id, stack_site(f, parent, location));
	return id;
}

/* A location as a stack has it below its callers; 0: nothing of it. */
static uint32_t below(struct group_pass *f, uint32_t above, uint32_t location, bool *collapsed)
{
	uint32_t left = 0;

	*collapsed = false;
	if (location)
		left = pass_collapsed(f->p, f->p->stacks.rows[above].location, location, collapsed);
	return left ? merged_stack(f, above, left) : above;
}

/* Its callers are known. */
static void look_at_stack(struct group_pass *f, uint32_t stack)
{
	struct grouped_profile *p = f->p;
	uint32_t parent = f->t->stacks[stack].parent;
	uint32_t location = names_location(&p->names, f->t, f->t->stacks[stack].location);
	struct pass_stack *s, *up;
	const struct location_info *l;
	uint32_t above;

	if (!p->merges)
		f->sites[stack] = stack_site(f, parent, location);
	else if (!f->stacks)
		f->nodes[stack] = merged_stack(f, f->nodes[parent], location);
	if (!f->stacks)
		return;
	l = pass_location_info(p, location);
	s = &f->stacks[stack];
	up = &f->stacks[parent];
	s->matched = l->matched | (parent ? up->matched : 0);
	s->owner = parent && up->owner < l->owner ? up->owner : l->owner;
	if (!p->merges)
		return;
	above = parent ? up->whole : 0;
	s->whole = below(f, above, l->shown, &s->collapsed);
	/* Where a caller is pruned so are its callees, unless they have a match of their own. */
	s->pruned = l->pruned || (parent && up->pruned);
	f->nodes[stack] = l->pruned   ? below(f, above, l->pruned, &s->collapsed)
			  : s->pruned ? f->nodes[parent]
				      : s->whole;
}

static void extend(struct group_pass *f)
{
	size_t n = f->t->n_stacks;

	if (n <= f->n_stacks)
		return;
	if (!f->p->merges) {
		f->sites = mem_grow_zero(f->sites, &f->cap_sites, n, sizeof *f->sites);
	} else {
		f->nodes = mem_grow(f->nodes, &f->cap_nodes, n, sizeof *f->nodes);
		for (size_t i = f->n_stacks; i < n; i++)
			f->nodes[i] = i ? PASS_UNKNOWN : 0;
	}
	if (f->stacks)
		f->stacks = mem_grow_zero(f->stacks, &f->cap_stacks, n, sizeof *f->stacks);
	f->n_stacks = n;
}

static bool is_known(const struct group_pass *f, uint32_t stack)
{
	return !stack || (f->nodes ? f->nodes[stack] != PASS_UNKNOWN : f->sites[stack] != 0);
}

/* Its callers say nothing of it: they are not looked at. */
static bool stands_alone(const struct group_pass *f, uint32_t stack)
{
	return !f->nodes && !f->stacks &&
	       pass_site(f->p, names_location(&f->p->names, f->t, f->t->stacks[stack].location)) !=
		   UINT32_MAX;
}

uint32_t pass_stack(struct group_pass *f, uint32_t stack)
{
	size_t n = 0;

	if (stack >= f->n_stacks)
		extend(f);
	if (stack >= f->n_stacks)
		return 0;
	for (uint32_t s = stack; !is_known(f, s); s = f->t->stacks[s].parent) {
		f->path = mem_grow(f->path, &f->cap_path, n + 1, sizeof *f->path);
		f->path[n++] = s;
		if (stands_alone(f, s))
			break;
	}
	while (n)
		look_at_stack(f, f->path[--n]);
	return f->nodes ? f->nodes[stack] : stack;
}

uint32_t pass_ask_site(struct group_pass *f, uint32_t node)
{
	if (!f->p->merges)
		pass_stack(f, node);
	return pass_node_site(f, node);
}

/* Asks the memory for where merged_stack will look, as far as the caller is known. */
static inline __attribute__((always_inline)) void prefetch_merged(const struct group_pass *f,
								  uint32_t stack)
{
	const struct grouped_profile *p = f->p;
	uint32_t parent = f->t->stacks[stack].parent, location = f->t->stacks[stack].location;

	if (location < p->names.memo->cap_seen && is_known(f, parent))
		stacks_prefetch(&p->stacks, f->stacks ? f->stacks[parent].whole : f->nodes[parent],
				p->names.memo->seen[location]);
}

/* In the order of ids a stack's callers are known, and near in memory. */
void pass_all_stacks(struct group_pass *f)
{
	bool merges = f->p->merges;

	extend(f);
	if (merges)
		stacks_reserve(&f->p->stacks, f->n_stacks);
	for (uint32_t s = 1; s < f->n_stacks; s++) {
		if (merges && f->n_stacks - s > AHEAD)
			prefetch_merged(f, s + AHEAD);
		if (!is_known(f, s))
			look_at_stack(f, s);
	}
}

static struct pass_type *type_row(struct pass_type **rows, size_t *cap, uint32_t id)
{
	*rows = mem_grow_zero(*rows, cap, (size_t)id + 1, sizeof **rows);
	return &(*rows)[id];
}

/* id, string: of a type or a marker; 0: none. */
static void pass_stacks_ask_type(struct group_pass *f, struct pass_type *ty, uint32_t id,
				 uint32_t string, const char *none)
{
	struct grouped_profile *p = f->p;
	struct filters *filters = p->options.filters;
	const char *s = none;
	size_t n = strlen(none);

	if (id)
		s = intern_text(&f->t->strings, string, &n);
	*ty = (struct pass_type){.asked = true, .kept = true, .owner = OWNER_NONE};
	ty->text = intern_add(&p->texts, s, n);
	if (p->options.owners && id)
		ty->owner = owners_type(p->options.owners, s, n);
	if (filters) {
		ty->matched = filters_name(
		    filters, &(struct name_suffix_name){.name = id ? s : "", .n = id ? n : 0});
		ty->kept =
		    !filters_has(filters, FILTER_TYPE) || filters_match(filters, FILTER_TYPE, s, n);
	}
}

const struct pass_type *pass_type(struct group_pass *f, uint32_t type)
{
	struct pass_type *ty = type_row(&f->types, &f->cap_types, type);

	if (!ty->asked)
		pass_stacks_ask_type(f, ty, type, f->t->types[type], "[no type]");
	return ty;
}

/* A cell's: its type or its marker. */
static const struct pass_type *type_of_cell(struct group_pass *f, const struct tally_cell *c)
{
	struct pass_type *ty;

	if (c->domain < CELL_TIMED)
		return pass_type(f, c->type);
	ty = type_row(&f->markers, &f->cap_markers, c->type);
	if (!ty->asked)
		pass_stacks_ask_type(f, ty, c->type, f->t->markers[c->type].name, "[no marker]");
	return ty;
}

static uint32_t owner_of(struct group_pass *f, const struct tally_cell *c)
{
	uint32_t of_type = type_of_cell(f, c)->owner;
	uint32_t of_stack = c->stack && f->stacks ? f->stacks[c->stack].owner : OWNER_NONE;

	return of_type < of_stack ? of_type : of_stack;
}

bool pass_place(struct group_pass *f, const struct tally_cell *c, uint32_t *node)
{
	struct grouped_profile *p = f->p;
	const struct filters *filters = p->options.filters;

	*node = pass_stack(f, c->stack);
	if (!filters_any(filters))
		return true;
	if (!type_of_cell(f, c)->kept)
		return false;
	if (!filters_kept(filters,
			  c->stack ? f->stacks[c->stack].matched : type_of_cell(f, c)->matched))
		return false;
	if (c->stack && !*node)
		return false; /* all of its calls are hidden */
	return !filters_has(filters, FILTER_OWNER) || pass_owner(p, owner_of(f, c))->kept;
}

static uint32_t innermost_function(const struct grouped_profile *p, uint32_t location)
{
	return p->names.calls[p->names.locations[location].first].function;
}

bool pass_call_taken_out(struct group_pass *f, uint32_t stack)
{
	struct grouped_profile *p = f->p;
	uint32_t node, captured;

	if (!f->stacks || !p->merges || !stack)
		return false;
	node = pass_stack(f, stack);
	captured = names_location(&p->names, f->t, f->t->stacks[stack].location);
	return !node || f->stacks[stack].collapsed ||
	       innermost_function(p, pass_location(f, node)) != innermost_function(p, captured);
}

bool pass_handed_on(const struct grouped_profile *p, uint32_t location, uint32_t site)
{
	return p->names.calls[site & ~SITE_INSIDE].function != innermost_function(p, location);
}

bool pass_call_handed_on(struct group_pass *f, uint32_t node)
{
	return node && pass_handed_on(f->p, pass_location(f, node), pass_node_site(f, node));
}

static uint64_t site_hash(const struct grouped_profile *p, uint32_t site)
{
	const struct names_call *c = &p->names.calls[site & ~SITE_INSIDE];

	return hash_u64(hash_u64((uint64_t)c->function << 32 | (site & SITE_INSIDE)) ^
			((uint64_t)c->file << 32 | c->line));
}

static uint64_t pass_stacks_site_row_hash(const void *table, uint32_t id)
{
	const struct grouped_profile *p = table;

	return site_hash(p, p->sites[id]);
}

static bool pass_stacks_site_equal(const void *table, uint32_t id, const void *key)
{
	const struct grouped_profile *p = table;
	const uint32_t *site = key;
	const struct names_call *a = &p->names.calls[p->sites[id] & ~SITE_INSIDE];
	const struct names_call *b = &p->names.calls[*site & ~SITE_INSIDE];

	return a->function == b->function && a->file == b->file && a->line == b->line &&
	       !((p->sites[id] ^ *site) & SITE_INSIDE);
}

static uint32_t add_site(struct grouped_profile *p, uint32_t site)
{
	struct pass_memo *m = p->memo;
	static const struct id_rows rows = {pass_stacks_site_row_hash, pass_stacks_site_equal};
	uint64_t hash = site_hash(p, site);
	uint32_t id = id_set_find(&m->site_set, &rows, p, hash, &site);

	if (!id) {
		id = (uint32_t)p->n_sites;
		VEC_PUSH(p->sites, p->n_sites, p->cap_sites) = site;
		id_set_add(&m->site_set, &rows, p, hash, id);
	}
	return id;
}

/* Sites at one place are one, whatever the addresses. Asked per cell, so the answer is kept. */
uint32_t pass_site_id(struct grouped_profile *p, uint32_t site)
{
	struct pass_memo *m = p->memo;

	if (site & SITE_INSIDE)
		return add_site(p, site);
	m->site_ids =
	    mem_grow_zero(m->site_ids, &m->cap_site_ids, p->names.n_calls, sizeof *m->site_ids);
	if (!m->site_ids[site])
		m->site_ids[site] = add_site(p, site);
	return m->site_ids[site];
}

uint32_t pass_call_id(const struct grouped_profile *p, enum key by, const struct names_call *c)
{
	const struct names_function *f = &p->names.functions[c->function];

	switch (by) {
	case KEY_FUNCTION: return c->function;
	case KEY_LOCATION: return c->location;
	case KEY_FILE: return c->file ? c->file : c->location ? p->no_file : f->display;
	case KEY_MODULE: return f->module ? f->module : c->location ? p->no_module : f->display;
	default: return 0;
	}
}

/* Threads of one name are one: pools of workers, and the same thread in another run. */
static uint32_t thread_id(struct group_pass *f, uint32_t thread)
{
	const struct thread *th =
	    thread && thread < f->t->n_threads ? &f->t->threads[thread] : NULL;
	char text[48] = "[no thread]";
	const char *s = text;
	size_t n = strlen(text);

	if (th && th->name) {
		s = intern_text(&f->t->strings, th->name, &n);
	} else if (th) {
		n = (size_t)snprintf(text, sizeof text, "[thread %" PRIu64 "]", th->tid);
	}
	return intern_add(&f->p->texts, s, n);
}

void pass_count_threads(struct group_pass *f)
{
	struct grouped_profile *p = f->p;
	struct map64 seen = {0}; /* threads */

	for (size_t i = 0; i < f->a->n_cells; i++) {
		uint32_t thread = f->a->cells[i].thread, *known, text;
		const struct thread *th = &f->t->threads[thread < f->t->n_threads ? thread : 0];

		/* A thread whose name changed has several rows: it is one where they have one name. */
		known = thread ? map64_put(&seen, ~(uint64_t)thread) : NULL;
		if (!known || *known)
			continue;
		*known = 1;
		text = thread_id(f, thread);
		known = map64_put(&seen,
				  hash_u64(th->tid + hash_u64((uint64_t)th->process << 32 | text)));
		if (*known)
			continue;
		*known = 1;
		p->threads_of = mem_grow_zero(p->threads_of, &p->cap_threads_of, (size_t)text + 1,
					      sizeof *p->threads_of);
		p->threads_of[text]++;
	}
	map64_release(&seen);
}

uint32_t pass_type_group(struct group_pass *f, uint32_t type, size_t grouping)
{
	return grouping_group(&f->p->groupings[grouping], 0, pass_type(f, type)->text, 0, false);
}

/* A function of a script has a name and no module, where native ones have one. */
static bool is_of_script(const struct grouped_profile *p, const struct names_call *c)
{
	return !p->names.functions[c->function].module &&
	       p->names.locations[c->location].tier >= TIER_NAME;
}

/* The place in sites of the innermost call of a script that led to a native site; 0: there is none. */
static uint32_t script_of(struct group_pass *f, uint32_t node, uint32_t site)
{
	struct grouped_profile *p = f->p;

	if (!p->names.functions[p->names.calls[site].function].module)
		return 0;
	for (; node; node = pass_parent(f, node)) {
		uint32_t location = pass_location(f, node);
		uint32_t call = p->names.locations[location].first;

		if (is_of_script(p, &p->names.calls[call]))
			return pass_site_id(p, call);
	}
	return 0;
}

uint32_t pass_group(struct group_pass *f, const struct tally_cell *c, uint32_t node,
		    size_t grouping)
{
	struct grouped_profile *p = f->p;
	struct grouping *g = &p->groupings[grouping];
	uint32_t at = pass_node_site(f, node), site = at & ~SITE_INSIDE, id = 0, outer = 0;
	uint32_t location, first;
	bool inside = at & SITE_INSIDE, keeps_site = false;

	if (g->key.within)
		outer = pass_group(f, c, node, g->key.within - 1);
	switch (g->key.by) {
	case KEY_TYPE: id = type_of_cell(f, c)->text; break;
	case KEY_THREAD: id = thread_id(f, c->thread); break;
	case KEY_OWNER: id = pass_owner(p, owner_of(f, c))->text; break;
	case KEY_SITE:
		id = pass_site_id(p, at);
		outer = g->key.by_script ? script_of(f, node, site) : outer;
		keeps_site = true;
		break;
	case KEY_STACK:
		id = node;
		keeps_site = true;
		break;
	case KEY_FUNCTION:
	case KEY_LOCATION:
		location = pass_location(f, node);
		first = p->names.locations[location].first;
		id = pass_call_id(p, g->key.by, &p->names.calls[first]);
		break;
	default: id = pass_call_id(p, g->key.by, &p->names.calls[site]); break;
	}
	return grouping_group(g, outer, id, keeps_site ? site : 0, keeps_site && inside);
}

struct group_pass *pass_begin(struct grouped_profile *p, const struct trace *t)
{
	struct group_pass *f = p->pass;

	if (f)
		return f;
	p->pass = f = mem_zalloc(sizeof *f);
	*f = (struct group_pass){.p = p, .t = t, .a = &p->tally, .domain = p->domain};
	names_capture(&p->names, t);
	if (filters_any(p->options.filters) || p->options.owners)
		f->stacks = mem_grow_zero(NULL, &f->cap_stacks, 16, sizeof *f->stacks);
	extend(f);
	return f;
}

void pass_end(struct grouped_profile *p)
{
	struct group_pass *f = p->pass;

	if (!f)
		return;
	free(f->sites);
	free(f->nodes);
	free(f->stacks);
	free(f->types);
	free(f->markers);
	free(f->path);
	free(f->cells);
	free(f->cell_next);
	pass_calls_free(f->calls);
	free(f);
	p->pass = NULL;
}
