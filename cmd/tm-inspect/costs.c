/* SPDX-License-Identifier: MIT */
#include "cmd/tm-inspect/costs.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/group/metric.h"
#include "lib/report/top/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum costs_of { OF_NONE, OF_BINARY, OF_ANOTHER_BUILD };

struct costs_site {                /* a location */
	uint32_t binary, function; /* function + 1; 0: in none */
	uint8_t of;                /* enum costs_of */
	struct listing *listing;   /* that is shown; NULL: none */
	struct listing_instruction *instruction;
};

/* --- whose is it --- */

static bool build_id_of(const struct group_names *names, uint32_t string,
			struct object_build_id *id)
{
	size_t n;
	const char *bytes = names_text(names, string, &n);

	*id = (struct object_build_id){.len = 0};
	if (!string || !n || n > sizeof id->bytes)
		return false;
	memcpy(id->bytes, bytes, n);
	id->len = (uint8_t)n;
	return true;
}

/* An equal build-id says so; of two that differ the name says that it is another build. */
static enum costs_of costs_owner(const struct costs_binary *b, const struct group_names *names,
				 const struct names_location *l)
{
	const struct object_build_id *own = object_build_id(b->x->file.object);
	const char *name = names_text(names, l->module, NULL);
	bool named = l->module && !strcmp(name, path_base(b->x->file.path));
	struct object_build_id id;

	if (!build_id_of(names, l->build_id, &id) || !own->len)
		return named ? OF_BINARY : OF_NONE;
	if (object_build_id_equal(&id, own))
		return OF_BINARY;
	return named ? OF_ANOTHER_BUILD : OF_NONE;
}

static uint32_t costs_add_function(struct costs *c, uint32_t binary, const struct extent *of)
{
	uint32_t *at = map64_put(&c->binaries[binary].function_at, of->lo);

	if (!*at) {
		VEC_PUSH(c->functions, c->n_functions, c->cap_functions) =
		    (struct costs_function){.binary = binary, .of = *of};
		*at = (uint32_t)c->n_functions;
	}
	return *at;
}

/* The link-time address. A PDB alone does not say the base of its program: no link-time address is lower than the base, and
 * what is lower counts from there. */
static uint64_t costs_linked(const struct costs_binary *b, const struct names_location *l)
{
	const struct object *o = b->x->file.object;
	uint64_t base = object_kind(o)->image ? object_image_base(o) : 0;

	return l->address < base ? base + l->address : l->address;
}

/* Where the cost of a location belongs: a return address is behind its call. */
static uint64_t costs_address(const struct costs_binary *b, const struct names_location *l)
{
	return costs_linked(b, l) - (l->kind == LOCATION_RETURN);
}

/* What the trace calls the function that a location is in: of a binary without symbols. */
static const char *costs_outermost(const struct group_names *names, const struct names_location *l)
{
	const struct names_call *call = &names->calls[l->first + l->n_calls - 1];

	return names_text(names, names->functions[call->function].display, NULL);
}

static void costs_place_site(struct costs *c, uint32_t location)
{
	const struct group_names *names = &c->p->names;
	const struct names_location *l = &names->locations[location];
	struct costs_site *s = &c->sites[location];
	struct extent of;

	c->n_linked += l->linked;
	for (uint32_t i = 0; i < c->n_binaries && s->of != OF_BINARY; i++) {
		struct costs_binary *b = &c->binaries[i];
		enum costs_of is = costs_owner(b, names, l);

		if (is == OF_NONE)
			continue;
		if (!l->linked) {
			b->unbound += l->has_address;
			continue;
		}
		s->of = (uint8_t)is;
		s->binary = i;
	}
	if (s->of == OF_ANOTHER_BUILD) {
		c->binaries[s->binary].others++;
		c->binaries[s->binary].other_id = l->build_id;
	} else if (s->of == OF_BINARY) {
		struct costs_binary *b = &c->binaries[s->binary];

		b->places++;
		b->by_name += !l->build_id || !object_build_id(b->x->file.object)->len;
		if (listing_around(b->x, costs_address(b, l), &of)) {
			if (!*of.name && l->named)
				of.name = costs_outermost(names, l);
			s->function = costs_add_function(c, s->binary, &of);
		}
	}
}

/* --- adding up --- */

typedef void (*costs_add)(struct costs *c, struct costs_site *s, uint32_t serial, bool innermost,
			  uint64_t v);

static void costs_walk(struct costs *c, costs_add add)
{
	const struct grouped_profile *p = c->p;
	const struct profile_key *sums = &p->now.keys[c->grouping];
	const struct grouping *g = &p->groupings[c->grouping];

	for (size_t i = 0; i < g->n; i++) {
		uint64_t v = columns_value(&sums->self, i, c->sum);
		bool innermost = true;

		for (uint32_t stack = v ? g->groups[i].id : 0; stack;
		     stack = p->stacks.rows[stack].parent) {
			struct costs_site *s = &c->sites[p->stacks.rows[stack].location];

			if (s->of)
				add(c, s, (uint32_t)i + 1, innermost, v);
			innermost = false;
		}
	}
}

static void costs_add_to_function(struct costs *c, struct costs_site *s, uint32_t serial,
				  bool innermost, uint64_t v)
{
	struct costs_binary *b = &c->binaries[s->binary];

	if (s->of == OF_ANOTHER_BUILD) {
		cost_add(&b->other, serial, innermost, v);
		return;
	}
	cost_add(&b->cost, serial, innermost, v);
	cost_add(s->function ? &c->functions[s->function - 1].cost : &b->none, serial, innermost,
		 v);
}

static void costs_add_to_instruction(struct costs *c, struct costs_site *s, uint32_t serial,
				     bool innermost, uint64_t v)
{
	(void)c;
	if (!s->listing)
		return;
	cost_add(&s->listing->cost, serial, innermost, v);
	cost_add(s->instruction ? &s->instruction->cost : &s->listing->none, serial, innermost, v);
}

/* The columns of tm-top --source. */
static void costs_name_metric(struct costs *c)
{
	const struct profile_known *known = &c->p->now.keys[c->grouping].known;
	const struct metric_titles titles = metric_titles(&c->arena, c->p, known, c->sum);

	c->metric = (struct listing_metric){
	    .key = metric_table[c->sum].key,
	    .total_key = titles.total_key,
	    .self_title = titles.self,
	    .total_title = titles.total,
	    .type = metric_type(c->sum),
	    .all = c->p->now.all.v[c->sum],
	};
}

enum status costs_init(struct costs *c, const struct grouped_profile *p, size_t grouping, int sort,
		       const struct inspect *binaries, size_t n, struct err *e)
{
	*c = (struct costs){.p = p, .grouping = grouping, .n_binaries = n};
	if (peek_choose(p, grouping, sort, &c->sum, e))
		return err_failure(e);
	costs_name_metric(c);
	c->binaries = mem_zarray(n, sizeof *c->binaries);
	for (size_t i = 0; i < n; i++)
		c->binaries[i].x = &binaries[i];
	c->sites = mem_zarray(p->names.n_locations, sizeof *c->sites);
	for (uint32_t i = 1; i < p->names.n_locations; i++)
		costs_place_site(c, i);
	costs_walk(c, costs_add_to_function);
	return ST_OK;
}

void costs_release(struct costs *c)
{
	for (size_t i = 0; i < c->n_binaries && c->binaries; i++)
		map64_release(&c->binaries[i].function_at);
	for (size_t i = 0; i < c->n_shown; i++)
		listing_release(&c->shown[i]);
	free(c->binaries);
	free(c->sites);
	free(c->functions);
	free(c->shown);
	arena_release(&c->arena);
}

/* --- choosing --- */

/* Some call at the location is of it: the stack has it there, though it may be inlined. */
static bool costs_calls(const struct costs *c, const struct names_location *l, const char *what)
{
	const struct group_names *names = &c->p->names;

	for (uint32_t k = l->first; k < l->first + l->n_calls; k++) {
		const struct names_function *f = &names->functions[names->calls[k].function];

		if (listing_is_called(names_text(names, f->display, NULL), what) ||
		    !strcmp(names_text(names, f->raw, NULL), what))
			return true;
	}
	return false;
}

static void costs_ask_for(struct costs *c, uint32_t binary, const struct extent *of)
{
	uint32_t i = costs_add_function(c, binary, of);

	c->functions[i - 1].asked = true;
}

static void costs_ask(struct costs *c, const char *what)
{
	struct extent of, *all;
	uint64_t addr;
	bool by_address = num_auto(what, strlen(what), &addr);

	for (uint32_t i = 0; i < c->n_binaries; i++) {
		const struct inspect *x = c->binaries[i].x;
		struct err e = ERR_INIT;
		size_t n = by_address ? 0 : listing_find_all(x, what, &all);

		if (by_address && !listing_find(x, what, &of, &e))
			costs_ask_for(c, i, &of);
		for (size_t k = 0; k < n; k++)
			costs_ask_for(c, i, &all[k]);
		if (!by_address)
			free(all);
	}
	for (uint32_t i = 1; !by_address && i < c->p->names.n_locations; i++)
		if (c->sites[i].of == OF_BINARY && c->sites[i].function &&
		    costs_calls(c, &c->p->names.locations[i], what))
			c->functions[c->sites[i].function - 1].asked = true;
}

struct costs_order {
	const struct costs_function *functions;
	bool by_total;
};

static int costs_by_cost(const void *a, const void *b, void *arg)
{
	const struct costs_order *o = arg;
	const struct costs_function *x = &o->functions[*(const uint32_t *)a];
	const struct costs_function *y = &o->functions[*(const uint32_t *)b];

	if (!o->by_total && x->cost.self != y->cost.self)
		return x->cost.self > y->cost.self ? -1 : 1;
	if (x->cost.total != y->cost.total)
		return x->cost.total > y->cost.total ? -1 : 1;
	if (x->binary != y->binary)
		return x->binary < y->binary ? -1 : 1;
	return x->of.lo < y->of.lo ? -1 : x->of.lo > y->of.lo;
}

/* Where the cost of each location goes. */
static void costs_bind_sites(struct costs *c, const uint32_t *listing_of)
{
	for (uint32_t i = 1; i < c->p->names.n_locations; i++) {
		const struct names_location *l = &c->p->names.locations[i];
		struct costs_site *s = &c->sites[i];
		uint32_t k = s->of == OF_BINARY && s->function ? listing_of[s->function - 1] : 0;

		if (!k)
			continue;
		s->listing = &c->shown[k - 1];
		s->instruction = listing_at(s->listing, costs_linked(&c->binaries[s->binary], l),
					    l->kind == LOCATION_RETURN);
	}
}

enum status costs_choose(struct costs *c, const char *what, uint64_t n, bool by_total,
			 struct err *e)
{
	struct costs_order o = {.by_total = by_total};
	uint32_t *order, *listing_of;
	enum status st = ST_OK;

	if (what)
		costs_ask(c, what);
	o.functions = c->functions;
	order = mem_array(c->n_functions + 1, sizeof *order);
	listing_of = mem_zarray(c->n_functions + 1, sizeof *listing_of);
	for (uint32_t i = 0; i < c->n_functions; i++)
		if (what ? c->functions[i].asked : c->functions[i].cost.stack)
			order[c->n_chosen++] = i;
	if (c->n_chosen)
		sort_array_by(order, c->n_chosen, sizeof *order, costs_by_cost, &o);
	if (!n || n > c->n_chosen)
		n = c->n_chosen;
	c->shown = mem_zarray((size_t)n + 1, sizeof *c->shown);
	while (!st && c->n_shown < n) {
		const struct costs_function *f = &c->functions[order[c->n_shown]];

		listing_of[order[c->n_shown]] = (uint32_t)c->n_shown + 1;
		st = listing_read(&c->shown[c->n_shown++], c->binaries[f->binary].x, &f->of, e);
	}
	costs_bind_sites(c, listing_of);
	free(order);
	free(listing_of);
	if (!st)
		costs_walk(c, costs_add_to_instruction);
	if (!st && what && !c->n_chosen)
		st = err_set(e, ST_NONE, "no function is named '%s'", what);
	return st;
}

/* --- telling --- */

static void costs_amount(struct costs *c, struct buf *b, uint64_t v)
{
	const struct table_column column = {.type = c->metric.type};
	struct table_cell cell = cell_number(v);

	cell_for_people(b, &column, &cell, false);
}

static void costs_note_binary(struct costs *c, struct buf *b, const struct costs_binary *of)
{
	buf_addf(b, "%s: %s in stacks with its functions: ", of->x->file.path,
		 metric_title(c->p, c->sum));
	costs_amount(c, b, of->cost.total);
	buf_adds(b, " of ");
	costs_amount(c, b, c->metric.all);
	if (of->none.stack) {
		buf_adds(b, "; at addresses in no function: ");
		costs_amount(c, b, of->none.total);
	}
}

static void costs_push_note(struct costs *c, struct table_buf *s, struct buf *b)
{
	s->table.notes[s->table.n_notes++] = arena_strndup(&c->arena, buf_str(b), b->len);
	b->len = 0;
}

enum status costs_table(struct costs *c, struct table_buf *s, struct lookup *l, struct err *e)
{
	struct buf b = BUF_INIT;
	enum status st = ST_OK;

	listing_sheet(s, &c->metric);
	for (size_t i = 0; !st && i < c->n_shown; i++)
		st = listing_rows(s, &c->shown[i], l, &c->metric, e);
	s->table.notes = arena_alloc(&c->arena, (c->n_binaries + 1) * sizeof *s->table.notes);
	for (size_t i = 0; i < c->n_binaries; i++) {
		costs_note_binary(c, &b, &c->binaries[i]);
		costs_push_note(c, s, &b);
	}
	if (c->n_shown < c->n_chosen) {
		size_t more = c->n_chosen - c->n_shown;

		buf_addf(&b, "%zu more function%s (-n)", more, plural_s(more));
		costs_push_note(c, s, &b);
	}
	buf_release(&b);
	return st;
}
