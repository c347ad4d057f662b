/* SPDX-License-Identifier: MIT */
#include "lib/group/grouping.h"

#include "lib/base/mem.h"

#include <stdlib.h>

const char *const key_words[] = {"site",   "function", "location", "stack", "type", "file",
				 "module", "frame",    "thread",   "owner", NULL};
const char *const key_plurals[] = {"sites",   "functions", "locations", "stacks", "types", "files",
				   "modules", "frames",    "threads",   "owners", NULL};

/* Ids are dense, so an array is less than a hash table would be. */
static uint32_t *place(struct grouping *g, uint32_t outer, uint32_t id)
{
	if (g->key.within)
		return map64_put(&g->pairs, (uint64_t)outer << 32 | id);
	g->index = mem_grow_zero(g->index, &g->cap_index, (size_t)id + 1, sizeof *g->index);
	return &g->index[id];
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
	free(g->index);
	map64_release(&g->pairs);
	*g = (struct grouping){.n = 0};
}
