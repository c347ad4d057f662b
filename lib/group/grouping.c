/* SPDX-License-Identifier: MIT */
#include "lib/group/grouping.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"

#include <stdlib.h>

/* Group + 1. Ids are dense, so an array is less than a hash table would be. */
struct grouping_index {
	uint32_t *of; /* by id */
	size_t cap;
	struct map64 pairs; /* (outer, id), of a grouping within another, or by scripts */
};

void grouping_init(struct grouping *g, struct grouping_key key)
{
	*g = (struct grouping){.key = key, .index = mem_zalloc(sizeof *g->index)};
}

static uint32_t *place(struct grouping *g, uint32_t outer, uint32_t id)
{
	struct grouping_index *x = g->index;

	if (g->key.within || g->key.by_script)
		return map64_put(&x->pairs, (uint64_t)outer << 32 | id);
	x->of = mem_grow_zero(x->of, &x->cap, (size_t)id + 1, sizeof *x->of);
	return &x->of[id];
}

uint32_t grouping_group(struct grouping *g, uint32_t outer, uint32_t id, uint32_t site, bool inside)
{
	uint32_t *at = place(g, outer, id);

	if (!*at) {
		VEC_PUSH(g->groups, g->n, g->cap) = (struct group_row){
		    .id = id, .site = site & INT32_MAX, .outer = outer, .inside = inside};
		*at = (uint32_t)g->n;
	}
	return *at - 1;
}

void grouping_release(struct grouping *g)
{
	free(g->groups);
	if (g->index) {
		free(g->index->of);
		map64_release(&g->index->pairs);
	}
	free(g->index);
	*g = (struct grouping){.n = 0};
}
