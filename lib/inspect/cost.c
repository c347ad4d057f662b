/* SPDX-License-Identifier: MIT */
#include "lib/inspect/cost.h"

#include "lib/base/mem.h"
#include "lib/base/path.h"

#include <stdlib.h>
#include <string.h>

static void add(struct site_cost *to, const struct site_cost *from)
{
	to->records += from->records;
	to->requested += from->requested;
	to->real += from->real;
	to->time += from->time;
	to->has_requested |= from->has_requested;
	to->has_real |= from->has_real;
	to->has_time |= from->has_time;
}

static enum status cost_begin(struct sink *s, struct trace *t, struct err *e)
{
	(void)s;
	(void)t;
	(void)e;
	return ST_OK;
}

static enum status cost_event(struct sink *s, struct trace *t, const struct event *ev,
			      struct err *e)
{
	struct inspect_cost *c = (struct inspect_cost *)s;
	struct site_cost one = {.records = 1};

	(void)e;
	if (!(ev->has & EV_HAS_STACK) || !ev->stack || ev->stack >= t->n_stacks ||
	    (ev->kind != EV_ALLOC && ev->kind != EV_SAMPLE))
		return ST_OK;
	while (c->n_stacks <= ev->stack)
		VEC_PUSH(c->stacks, c->n_stacks, c->cap_stacks) = (struct site_cost){.records = 0};
	if (ev->kind == EV_ALLOC) {
		one.has_requested = ev->has & EV_HAS_REQUESTED;
		one.requested = one.has_requested ? ev->requested : 0;
		one.has_real = ev->has & EV_HAS_REAL;
		one.real = one.has_real ? ev->real : 0;
	} else if (ev->has & EV_HAS_TARGET) {
		one.has_time = true;
		one.time = ev->target;
	}
	add(&c->stacks[ev->stack], &one);
	c->records++;
	return ST_OK;
}

static bool cost_is_ours(const struct inspect_cost *c, const struct trace *t, uint32_t object)
{
	const struct trace_symbols *y = &t->symbols;
	const struct object_build_id *own = object_build_id(c->object);
	struct object_build_id id = {.len = 0};
	const char *bytes;
	size_t n;

	if (!object || object >= y->n_objects)
		return false;
	bytes = intern_text(&y->strings, y->objects[object].build_id, &n);
	if (n && n <= sizeof id.bytes && own->len) {
		memcpy(id.bytes, bytes, n);
		id.len = (uint8_t)n;
		return object_build_id_equal(&id, own);
	}
	return !strcmp(path_base(intern_text(&y->strings, y->objects[object].path, NULL)),
		       path_base(c->path));
}

static void charge(struct inspect_cost *c, const struct binding *b, const struct site_cost *of)
{
	bool returns = b->kind == LOCATION_RETURN;
	uint32_t *at = map64_put(&c->site_of, b->vaddr * 2 + returns);

	if (!*at) {
		VEC_PUSH(c->sites, c->n, c->cap) =
		    (struct site_cost){.vaddr = b->vaddr, .returns = returns};
		*at = (uint32_t)c->n;
	}
	add(&c->sites[*at - 1], of);
}

/* A stack that has a location twice (recursion) is charged to it once. */
static enum status cost_end(struct sink *s, struct trace *t, struct err *e)
{
	struct inspect_cost *c = (struct inspect_cost *)s;
	uint32_t *seen = mem_zarray(t->n_locations, sizeof *seen);
	bool *ours = mem_zarray(t->symbols.n_objects + 1, sizeof *ours);

	(void)e;
	for (uint32_t i = 1; i < t->symbols.n_objects; i++)
		ours[i] = cost_is_ours(c, t, i);
	for (uint32_t i = 1; i < t->n_locations; i++)
		c->unbound += symbols_binding(&t->symbols, i)->reason == REASON_NOT_BOUND;
	for (uint32_t i = 1; i < c->n_stacks && i < t->n_stacks; i++) {
		if (!c->stacks[i].records)
			continue;
		for (uint32_t k = i; k && k < t->n_stacks; k = t->stacks[k].parent) {
			uint32_t l = t->stacks[k].location;
			const struct binding *b = symbols_binding(&t->symbols, l);

			if (l >= t->n_locations || seen[l] == i)
				continue;
			seen[l] = i;
			if (b->vaddr && b->object < t->symbols.n_objects && ours[b->object])
				charge(c, b, &c->stacks[i]);
		}
	}
	free(seen);
	free(ours);
	c->n_stacks = 0;
	return ST_OK;
}

void cost_init(struct inspect_cost *c, const char *path, const struct object *object)
{
	*c = (struct inspect_cost){
	    .sink = {.begin = cost_begin, .event = cost_event, .end = cost_end},
	    .path = path,
	    .object = object};
}

void cost_release(struct inspect_cost *c)
{
	map64_release(&c->site_of);
	free(c->sites);
	free(c->stacks);
}

const struct site_cost *cost_at(const struct inspect_cost *c, uint64_t addr, bool returns)
{
	uint32_t i = map64_get(&c->site_of, addr * 2 + returns);

	return i ? &c->sites[i - 1] : NULL;
}
