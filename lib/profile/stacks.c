/* SPDX-License-Identifier: MIT */
#include "lib/profile/stacks.h"

#include "lib/base/mem.h"

#include <stdlib.h>

static uint64_t profile_stacks_row_hash(const void *table, uint32_t id)
{
	const struct profile_stack *s = &((const struct profile_stack *)table)[id];

	return stacks_hash(s->parent, s->location);
}

static bool profile_stacks_row_equal(const void *table, uint32_t id, const void *key)
{
	const struct profile_stack *a = &((const struct profile_stack *)table)[id], *b = key;

	return a->parent == b->parent && a->location == b->location;
}

static const struct id_rows stack_rows = {profile_stacks_row_hash, profile_stacks_row_equal};

void stacks_init(struct profile_stacks *s)
{
	*s = (struct profile_stacks){.n = 0};
	VEC_PUSH(s->rows, s->n, s->cap) = (struct profile_stack){0, 0};
}

uint32_t stacks_add(struct profile_stacks *s, uint32_t parent, uint32_t location)
{
	struct profile_stack key = {parent, location};
	uint64_t hash = stacks_hash(parent, location);
	uint32_t id = id_set_find(&s->set, &stack_rows, s->rows, hash, &key);

	if (!id) {
		id = (uint32_t)s->n;
		VEC_PUSH(s->rows, s->n, s->cap) = key;
		id_set_add(&s->set, &stack_rows, s->rows, hash, id);
	}
	return id;
}

void stacks_reserve(struct profile_stacks *s, size_t n)
{
	id_set_reserve(&s->set, s->n + n, &stack_rows, s->rows);
}

void stacks_close(struct profile_stacks *s)
{
	id_set_release(&s->set);
}

void stacks_release(struct profile_stacks *s)
{
	stacks_close(s);
	free(s->rows);
	*s = (struct profile_stacks){.n = 0};
}
