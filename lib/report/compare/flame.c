/* SPDX-License-Identifier: MIT
 *
 * The differential flame graph of a comparison.
 */
#include "lib/report/compare/view.h"

#include "lib/base/mem.h"
#include "lib/group/metric.h"

#include <stdlib.h>
#include <string.h>

/* The flame's node of a path of calls; what is on the way is made first, without recursion. */
static uint32_t compare_flame_place(const struct profile_entities *t, struct flame *f,
				    uint32_t *nodes, uint32_t node)
{
	struct {
		uint32_t *items;
		size_t n, cap;
	} todo = {0};
	uint32_t at;

	while (node && !nodes[node]) {
		VEC_PUSH(todo.items, todo.n, todo.cap) = node;
		node = t->stacks.rows[node].parent;
	}
	at = node ? nodes[node] : FLAME_ROOT;
	while (todo.n) {
		const struct profile_entity *call;
		size_t n, n_module;
		const char *s, *module;

		node = todo.items[--todo.n];
		call = &t->keys[KEY_FUNCTION].items[t->stacks.rows[node].location];
		s = entities_text(t, call->name, &n);
		module = entities_text(t, call->module, &n_module);
		at = nodes[node] = flame_child(f, at, s, n, module, n_module);
	}
	free(todo.items);
	return at;
}

/* Whole ones: what is divided has decimals. */
static uint64_t size_of(struct compare_number n)
{
	uint64_t unit = 1;

	for (unsigned i = 0; i < n.decimals; i++)
		unit *= 10;
	n.v = n.v < 0 ? 0 : (n.v + unit / 2) / unit;
	return !n.present ? 0 : n.v > UINT64_MAX ? UINT64_MAX : (uint64_t)n.v;
}

void compare_flame(const struct compare *c, enum sum sum, struct flame *f)
{
	static const char unnamed[] = "[stacks without names]", none[] = "[no stack]";
	const struct profile_entities *t = c->entities;
	uint32_t *nodes = mem_zarray(t->stacks.n + 1, sizeof *nodes);
	struct compare_rows r;

	f->name = COMPARE_FLAME;
	f->type = metric_type(sum);
	f->differential = true;
	f->base_label = c->groups[0].label;
	f->new_label = c->groups[c->n_groups - 1].label;
	compare_rows_init(&r, c, KEY_STACK);
	for (size_t i = 0; i < r.n; i++) {
		const struct profile_entity *entity = &t->keys[KEY_STACK].items[r.rows[i].entity];
		uint64_t base = size_of(compare_value(&r, i, 0, sum, false));
		uint64_t new = size_of(compare_value(&r, i, c->n_groups - 1, sum, false));
		uint32_t at;

		if (!base && !new)
			continue;
		at = entity->node ? compare_flame_place(t, f, nodes, entity->node)
		     : entity->hash
			 ? flame_child(f, FLAME_ROOT, unnamed, sizeof unnamed - 1, NULL, 0)
			 : flame_child(f, FLAME_ROOT, none, sizeof none - 1, NULL, 0);
		flame_add(f, at, new, base);
	}
	compare_rows_release(&r);
	free(nodes);
}
