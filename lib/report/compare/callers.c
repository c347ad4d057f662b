/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/callers.h"

#include "lib/report/compare/view.h"

enum { CALLERS_PERCENT = 90 };

/* The row with most of the group's sum, and its share in percent. */
static size_t callers_largest(const struct compare_rows *rows, size_t group, enum sum sum,
			      double *percent)
{
	double all = 0, most = 0;
	size_t found = 0;

	for (size_t i = 0; i < rows->n; i++) {
		struct compare_number v = compare_value(rows, i, group, sum, false);

		if (!v.present || v.v <= 0)
			continue;
		all += (double)v.v;
		if ((double)v.v <= most)
			continue;
		most = (double)v.v;
		found = i;
	}
	*percent = all > 0 ? 100 * most / all : 0;
	return found;
}

bool callers_is_same(const struct profile_entity *a, const struct profile_entity *b)
{
	return a->raw == b->raw && a->module == b->module && (a->raw || a->name == b->name);
}

/* The function that calls the entity in a stack, + 1; 0: none does. */
static uint32_t callers_of_stack(const struct profile_entities *t,
				 const struct profile_entity *entity, uint32_t node)
{
	while (node && !callers_is_same(
			   entity, &t->keys[KEY_FUNCTION].items[t->stacks.rows[node].location]))
		node = t->stacks.rows[node].parent;
	node = node ? t->stacks.rows[node].parent : 0;
	return node ? t->stacks.rows[node].location + 1 : 0;
}

static bool callers_several(const struct compare_rows *stacks, const struct profile_entity *entity)
{
	const struct profile_entities *t = stacks->c->entities;
	uint32_t first = 0;

	for (size_t i = 0; i < stacks->n; i++) {
		const struct profile_entity *s = &t->keys[KEY_STACK].items[stacks->rows[i].entity];
		uint32_t caller = callers_of_stack(t, entity, s->node);

		if (first && caller && caller != first)
			return true;
		first = first ? first : caller;
	}
	return false;
}

bool callers_describe_one(const struct compare_rows *rows, const struct compare_rows *stacks,
			  size_t group, enum sum sum, struct buf *to)
{
	const struct profile_entities *t = rows->c->entities;
	const struct profile_entity *entity;
	double percent;
	size_t row = callers_largest(rows, group, sum, &percent);

	if (percent <= CALLERS_PERCENT)
		return false;
	entity = &t->keys[rows->key].items[rows->rows[row].entity];
	if (!callers_several(stacks, entity))
		return false;
	compare_entity_text(t, entity, to);
	buf_addf(to,
		 " has %.0f %% of '%s' for all of its callers, so the growth of one caller is "
		 "hidden: --sites FILE with the line 'function ^NAME' of an allocator makes its "
		 "callers the sites",
		 percent, compare_title(rows->c, sum));
	return true;
}
