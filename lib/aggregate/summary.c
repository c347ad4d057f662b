/* SPDX-License-Identifier: MIT */
#include "lib/aggregate/summary.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
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

void summary_release(struct aggregate_summary *s)
{
	for (size_t k = 0; k < KEYS; k++) {
		columns_release(&s->keys[k].self);
		columns_release(&s->keys[k].total);
	}
	free(s->modules);
	free(s->places);
	free(s->counters);
	free(s->inputs);
	*s = (struct aggregate_summary){.captures = 0};
}

void summary_set_place(struct aggregate_summary *s, uint32_t function, struct summary_place place)
{
	s->places = mem_grow_zero(s->places, &s->n_places, (size_t)function + 1, sizeof *s->places);
	s->places[function] = place;
}

void summarizer_init(struct summarizer *z, struct aggregate_entities *entities,
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

static uint32_t copied(struct summarizer *z, uint32_t name)
{
	size_t n;
	const char *s = names_text(&z->p->names, name, &n);

	if (z->entities->strings == &z->p->names.strings)
		return n ? name : 0;
	return name ? entities_string(z->entities, s, n) : 0;
}

static struct aggregate_entity function_entity(struct summarizer *z, uint32_t function)
{
	const struct names_function *f = &z->p->names.functions[function];

	return (struct aggregate_entity){.name = copied(z, f->display),
					 .raw = copied(z, f->raw),
					 .module = copied(z, f->module),
					 .folded = f->folded};
}

static uint32_t add_function(struct summarizer *z, uint32_t function)
{
	struct summarizer_index *x = z->index;

	x->functions = mem_grow_zero(x->functions, &x->cap_functions, (size_t)function + 1,
				     sizeof *x->functions);
	if (!x->functions[function]) {
		struct aggregate_entity t = function_entity(z, function);

		x->functions[function] = entities_add(z->entities, KEY_FUNCTION, &t) + 1;
	}
	return x->functions[function] - 1;
}

/* Where the run's functions are, as far as their calls say. */
static void summary_read_places(struct summarizer *z, struct aggregate_summary *to)
{
	struct group_names *n = &z->p->names;

	for (uint32_t i = 0; i < n->n_seen; i++) {
		struct names_seen_at *at = &n->seen_at[i];
		uint32_t entity;

		if (!at->line)
			continue;
		entity = add_function(z, i);
		summary_set_place(to, entity,
				  (struct summary_place){copied(z, at->file), at->line, at->last});
		*at = (struct names_seen_at){0};
	}
}

/* Callers have smaller ids than the stacks they are part of. */
static void summary_learn_stacks(struct summarizer *z)
{
	struct summarizer_index *x = z->index;
	const struct grouped_profile *p = z->p;

	for (; x->n_stacks < p->n_stacks;) {
		const struct grouped_profile_stack *s = &p->stacks[x->n_stacks];
		const struct names_location *l = &p->names.locations[s->location];
		struct summarizer_stack to = {.node = 0};

		if (x->n_stacks) {
			to = x->stacks[s->parent];
			for (uint32_t k = l->n_calls; k-- > 0;) {
				uint32_t f = add_function(z, p->names.calls[l->first + k].function);

				to.hash = entity_push_call(z->entities, to.hash, f);
				to.node = entities_node(z->entities, to.node, f);
			}
		}
		VEC_PUSH(x->stacks, x->n_stacks, x->cap_stacks) = to;
	}
}

static struct aggregate_entity call_entity(struct summarizer *z, uint32_t call)
{
	const struct names_call *c = &z->p->names.calls[call];
	struct aggregate_entity t = function_entity(z, c->function);

	t.file = copied(z, c->file);
	t.line = c->line;
	return t;
}

static uint32_t summary_add_group(struct summarizer *z, size_t grouping, uint32_t group)
{
	struct summarizer_index *x = z->index;
	enum key by = z->p->groupings[grouping].key.by;
	const struct group_row *g = &z->p->groupings[grouping].groups[group];
	struct aggregate_entity t = {.name = 0};
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

static void add_columns(struct summarizer *z, size_t grouping, const struct group_columns *from,
			struct group_columns *to)
{
	for (size_t i = 0; i < from->n; i++) {
		struct tally_sums s = columns_get(from, i);

		if (s.has)
			columns_add(to, z->index->groups[grouping][i], &s);
	}
}

static int summary_module_order(const void *a, const void *b, void *arg)
{
	const struct summary_module *x = a, *y = b;
	const struct aggregate_entities *t = arg;
	int r = strcmp(entities_text(t, x->name, NULL), entities_text(t, y->name, NULL));
	size_t nx, ny;
	const char *sx, *sy;

	if (r)
		return r;
	sx = entities_text(t, x->build_id, &nx);
	sy = entities_text(t, y->build_id, &ny);
	r = memcmp(sx, sy, nx < ny ? nx : ny);
	return r ? r : (nx > ny) - (nx < ny);
}

static int summary_counter_order(const void *a, const void *b, void *arg)
{
	const struct summary_counter *x = a, *y = b;
	const struct aggregate_entities *t = arg;
	int r = strcmp(entities_text(t, x->name, NULL), entities_text(t, y->name, NULL));

	return r ? r : strcmp(entities_text(t, x->unit, NULL), entities_text(t, y->unit, NULL));
}

void summary_sort_counters(struct aggregate_summary *s, struct aggregate_entities *t)
{
	if (s->n_counters)
		sort_array_by(s->counters, s->n_counters, sizeof *s->counters,
			      summary_counter_order, t);
}

const struct summary_counter *summary_counter_of(const struct aggregate_summary *s,
						 const struct aggregate_entities *t, uint32_t name,
						 uint32_t unit)
{
	struct summary_counter key = {.name = name, .unit = unit};
	struct aggregate_entities entities = *t; /* the order takes no const */
	size_t lo = BISECT(i, 0, s->n_counters,
			   summary_counter_order(&s->counters[i], &key, &entities) < 0);

	return lo < s->n_counters && !summary_counter_order(&s->counters[lo], &key, &entities)
		   ? &s->counters[lo]
		   : NULL;
}

const struct summary_counter *summary_counter(const struct aggregate_summary *s,
					      const struct aggregate_entities *t, const char *name)
{
	for (size_t i = 0; i < s->n_counters; i++)
		if (!strcmp(entities_text(t, s->counters[i].name, NULL), name))
			return &s->counters[i];
	return NULL;
}

/* The same run with other names, or packed anew, has the same sums; a part of it has not. A process's id comes again,
 * but not with the same duration. Of the sums those that are known whatever is asked for. */
static uint64_t summary_run_of(const struct group_run *r, uint64_t duration)
{
	static const enum sum always[] = {SUM_ENTRIES, SUM_COUNT, SUM_REQUESTED, SUM_REAL,
					  SUM_SAMPLES};
	uint64_t of = r->run ? r->run : duration ? r->process : 0, h = hash_u64(of ^ duration);

	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		h = hash_u64(h ^ r->all.v[always[i]]) + 1;
	return of ? h | 1 : 0;
}

void summarize(struct summarizer *z, const struct group_run *r, struct aggregate_summary *to)
{
	struct summarizer_index *x = z->index;

	*to = (struct aggregate_summary){.known = r->known,
					 .all = r->all,
					 .unfiltered = r->unfiltered,
					 .captures = r->captures,
					 .domain = r->domain,
					 .status = r->status,
					 .started = r->started,
					 .frames = r->frames,
					 .duration = r->timed == r->captures ? r->duration : 0};
	memcpy(to->coverage, r->coverage, sizeof to->coverage);
	memcpy(to->notes, r->notes, sizeof to->notes);
	memcpy(to->worst, r->worst, sizeof to->worst);
	to->format = r->format == RUN_MIXED ? RUN_MIXED : copied(z, r->format);
	to->period = r->period[0] == RUN_MIXED ? RUN_MIXED : copied(z, r->period[0]);
	to->clock = copied(z, r->clock);
	to->sampling = r->sampling == RUN_MIXED ? RUN_MIXED : copied(z, r->sampling);
	to->program = copied(z, r->program);
	to->arguments = copied(z, r->arguments);
	to->run = summary_run_of(r, to->duration);
	for (size_t i = 0; i < r->n_modules; i++)
		VEC_PUSH(to->modules, to->n_modules, to->cap_modules) = (struct summary_module){
		    copied(z, r->modules[i].name), copied(z, r->modules[i].build_id)};
	if (to->n_modules)
		sort_array_by(to->modules, to->n_modules, sizeof *to->modules, summary_module_order,
			      z->entities);
	for (size_t i = 0; i < r->n_counters; i++)
		VEC_PUSH(to->counters, to->n_counters, to->cap_counters) =
		    (struct summary_counter){copied(z, r->counters[i].name),
					     copied(z, r->counters[i].unit), r->counters[i].stats};
	summary_sort_counters(to, z->entities);
	memcpy(to->other_domains, r->other_domains, sizeof to->other_domains);
	summary_learn_stacks(z);
	summary_read_places(z, to);
	for (size_t i = 0; i < r->n_groupings; i++) {
		struct grouping *g = &z->p->groupings[i];
		struct summary_key *k = &to->keys[g->key.by];

		if (g->key.within || k->held)
			continue;
		while (x->n_groups[i] < g->n) {
			uint32_t entity = summary_add_group(z, i, (uint32_t)x->n_groups[i]);

			VEC_PUSH(x->groups[i], x->n_groups[i], x->cap_groups[i]) = entity;
		}
		k->held = true;
		k->known = r->groupings[i].known;
		add_columns(z, i, &r->groupings[i].self, &k->self);
		add_columns(z, i, &r->groupings[i].total, &k->total);
	}
}

bool summary_has_other_domains(const struct aggregate_summary *s)
{
	for (size_t d = 0; d < DOMAINS; d++)
		if (s->other_domains[d].v[SUM_ENTRIES])
			return true;
	return false;
}

void summary_set_options(struct summarizer *z, struct aggregate_summary *s, const char *words)
{
	struct buf b = BUF_INIT;

	if (words)
		buf_adds(&b, words);
	if (z->p->options.domain == DOMAIN_DEFAULT && s->domain > DOMAIN_MALLOC + 1)
		buf_addf(&b, "%s--domain %s", b.len ? " " : "", domain_name(s->domain - 1));
	s->options = b.len ? entities_string(z->entities, b.data, b.len) : 0;
	buf_release(&b);
}

bool summary_value(const struct aggregate_summary *s, enum key key, uint32_t entity, enum sum sum,
		   bool cumulative, uint64_t *v)
{
	const struct summary_key *k = &s->keys[key];
	unsigned own = columns_has(&k->self, entity), below = columns_has(&k->total, entity), has;

	/* Of calls the totals are sums of their own. */
	if (cumulative && sum == SUM_TIME_SELF &&
	    columns_has(&k->self, entity) >> SUM_TIME_TOTAL & 1)
		sum = SUM_TIME_TOTAL;
	cumulative &= !(SUMS_TIME >> sum & 1) || sum == SUM_TIME_SELF;
	cumulative &= key_has_total(key);
	*v = columns_value(cumulative ? &k->total : &k->self, entity, sum);
	if (!k->held || !run_knows(&k->known, sum))
		return false;
	has = cumulative ? below : self_known(own, below, s->all.has);
	return has >> sum & 1 || (!(own | below) && !k->cut);
}
