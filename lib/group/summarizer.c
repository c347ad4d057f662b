/* SPDX-License-Identifier: MIT */
#include "lib/group/summarizer.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/group/rank.h"

#include <stdlib.h>
#include <string.h>

/* What groups are among the entities; from summarizer_init to summarizer_release. */
struct summarizer_index {
	uint32_t *functions; /* by names function: entity + 1 */
	size_t cap_functions;
	struct summarizer_stack {
		uint64_t hash;
		uint32_t node;
	} * stacks; /* by project stack */
	size_t n_stacks, cap_stacks;
	uint32_t *groups[GROUPINGS_MAX]; /* entity of a group */
	size_t n_groups[GROUPINGS_MAX], cap_groups[GROUPINGS_MAX];
};

void summarizer_init(struct summarizer *z, struct profile_entities *entities,
		     struct grouped_profile *p)
{
	*z = (struct summarizer){
	    .entities = entities, .p = p, .index = mem_zalloc(sizeof *z->index)};
}

void summarizer_release(struct summarizer *z)
{
	struct summarizer_index *x = z->index;

	for (size_t i = 0; x && i < GROUPINGS_MAX; i++)
		free(x->groups[i]);
	if (x) {
		free(x->functions);
		free(x->stacks);
	}
	free(x);
	*z = (struct summarizer){.p = NULL};
}

/* The string of a name in the strings that names and entities share; 0 where it is empty. */
static uint32_t string(const struct summarizer *z, uint32_t name)
{
	size_t n;

	names_text(&z->p->names, name, &n);
	return n ? name : 0;
}

static struct profile_entity function_entity(struct summarizer *z, uint32_t function)
{
	const struct names_function *f = &z->p->names.functions[function];

	return (struct profile_entity){.name = string(z, f->display),
				       .raw = string(z, f->raw),
				       .module = string(z, f->module),
				       .folded = f->folded};
}

static uint32_t add_function(struct summarizer *z, uint32_t function)
{
	struct summarizer_index *x = z->index;

	x->functions = mem_grow_zero(x->functions, &x->cap_functions, (size_t)function + 1,
				     sizeof *x->functions);
	if (!x->functions[function]) {
		struct profile_entity t = function_entity(z, function);

		x->functions[function] = entities_add(z->entities, KEY_FUNCTION, &t) + 1;
	}
	return x->functions[function] - 1;
}

/* Where the run's functions are, as far as their calls say. */
static void summarizer_read_places(struct summarizer *z, struct profile *to)
{
	struct group_names *n = &z->p->names;

	for (uint32_t i = 0; i < n->n_seen; i++) {
		struct names_seen_at *at = &n->seen_at[i];
		uint32_t entity;

		if (!at->line)
			continue;
		entity = add_function(z, i);
		profile_set_place(to, entity,
				  (struct profile_place){string(z, at->file), at->line, at->last});
		*at = (struct names_seen_at){0};
	}
}

/* Callers have smaller ids than the stacks they are part of. */
static void summarizer_learn_stacks(struct summarizer *z)
{
	struct summarizer_index *x = z->index;
	const struct grouped_profile *p = z->p;

	for (; x->n_stacks < p->stacks.n;) {
		const struct profile_stack *s = &p->stacks.rows[x->n_stacks];
		const struct names_location *l = &p->names.locations[s->location];
		struct summarizer_stack to = {.node = 0};

		if (x->n_stacks) {
			to = x->stacks[s->parent];
			for (uint32_t k = l->n_calls; k-- > 0;) {
				uint32_t f = add_function(z, p->names.calls[l->first + k].function);

				to.hash = entity_push_call(z->entities, to.hash, f);
				to.node = stacks_add(&z->entities->stacks, to.node, f);
			}
		}
		VEC_PUSH(x->stacks, x->n_stacks, x->cap_stacks) = to;
	}
}

static struct profile_entity call_entity(struct summarizer *z, uint32_t call)
{
	const struct names_call *c = &z->p->names.calls[call];
	struct profile_entity t = function_entity(z, c->function);

	t.file = string(z, c->file);
	t.line = c->line;
	return t;
}

static uint32_t summarizer_add_group(struct summarizer *z, size_t grouping, uint32_t group)
{
	struct summarizer_index *x = z->index;
	enum key by = z->p->groupings[grouping].key.by;
	const struct group_row *g = &z->p->groupings[grouping].groups[group];
	struct profile_entity t = {.name = 0};
	struct group_name n;

	switch (by) {
	case KEY_FUNCTION: return add_function(z, g->id);
	case KEY_SITE:
		t = call_entity(z, g->site);
		t.inside = g->inside;
		break;
	case KEY_LOCATION: {
		const struct names_location *l = &z->p->names.locations[g->id];

		t = call_entity(z, l->first);
		t.address = l->address;
		t.has_address = l->has_address;
		break;
	}
	case KEY_STACK:
		t = call_entity(z, g->site);
		t.inside = g->inside;
		t.node = x->stacks[g->id].node;
		t.hash = x->stacks[g->id].hash;
		break;
	default:
		group_name(z->p, grouping, group, &n);
		t.name = entities_string(z->entities, n.name, n.name_len);
		break;
	}
	return entities_add(z->entities, by, &t);
}

/* The same run with other names, or packed anew, has the same sums; a part of it has not. A process's id comes again,
 * but not with the same duration. Of the sums those that are known whatever is asked for. */
static uint64_t run_of(const struct profile *r)
{
	static const enum sum always[] = {SUM_ENTRIES, SUM_COUNT, SUM_REQUESTED, SUM_REAL,
					  SUM_SAMPLES};
	uint64_t of = r->run ? r->run : r->duration ? r->process : 0;
	uint64_t h = hash_u64(of ^ r->duration);

	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		h = hash_u64(h ^ r->all.v[always[i]]) + 1;
	return of ? h | 1 : 0;
}

/* Filters and ranges, and the domain where it is not malloc. */
static uint32_t options_text(struct summarizer *z, const struct profile *r, const char *options)
{
	struct buf b = BUF_INIT;
	uint32_t id;

	if (options)
		buf_adds(&b, options);
	if (z->p->options.domain == DOMAIN_DEFAULT && r->domain > DOMAIN_MALLOC + 1)
		buf_addf(&b, "%s--domain %s", b.len ? " " : "", domain_name(r->domain - 1));
	id = b.len ? entities_string(z->entities, b.data, b.len) : 0;
	buf_release(&b);
	return id;
}

/* The columns of groups become those of their entities. */
static void summarizer_take_key(struct summarizer *z, size_t grouping, struct profile_key *from,
				struct profile_key *to)
{
	struct summarizer_index *x = z->index;
	const struct grouping *g = &z->p->groupings[grouping];

	while (x->n_groups[grouping] < g->n) {
		uint32_t entity =
		    summarizer_add_group(z, grouping, (uint32_t)x->n_groups[grouping]);

		VEC_PUSH(x->groups[grouping], x->n_groups[grouping], x->cap_groups[grouping]) =
		    entity;
	}
	to->held = true;
	to->known = from->known;
	columns_move(&to->self, &from->self, x->groups[grouping]);
	columns_move(&to->total, &from->total, x->groups[grouping]);
}

void summarize(struct summarizer *z, struct profile *r, const char *options)
{
	struct profile groups = {.keys = r->keys, .n_keys = r->n_keys};

	r->keys = mem_zarray(KEYS, sizeof *r->keys);
	r->n_keys = KEYS;
	if (r->timed != r->captures)
		r->duration = 0;
	r->run = run_of(r);
	r->options = options_text(z, r, options);
	map64_release(&r->counter_index);
	profile_sort(r, z->entities);
	summarizer_learn_stacks(z);
	summarizer_read_places(z, r);
	for (size_t i = 0; i < groups.n_keys; i++) {
		const struct grouping_key *key = &z->p->groupings[i].key;

		if (!key->within && !r->keys[key->by].held)
			summarizer_take_key(z, i, &groups.keys[i], &r->keys[key->by]);
	}
	profile_release(&groups);
}
