/* SPDX-License-Identifier: MIT */
#include "lib/report/heap/parts.h"

#include "lib/base/mem.h"
#include "lib/report/heap/retained.h"

#include <stdlib.h>
#include <string.h>

const char *const heap_key_words[] = {"type", "site", "root", "owner", NULL};
const char *const heap_key_plurals[] = {"types", "sites", "roots", "owners", NULL};

/* The key of what no root reaches, which is not that of a root without a name. */
#define KEY_NOT_REACHED (UINT64_C(1) << 32)

void heap_part_init(struct heap_part *p, const struct heap_set *s, const struct heap *h,
		    bool dominators)
{
	*p = (struct heap_part){.h = h};
	/* First what needs more memory, of which less remains. */
	if (dominators)
		heap_dominators_init(&p->dominators, h);
	heap_paths_init(&p->paths, s, h);
}

void heap_part_release(struct heap_part *p)
{
	heap_paths_release(&p->paths);
	heap_dominators_release(&p->dominators);
	free(p->counted);
	*p = (struct heap_part){0};
}

void heap_owners_init(struct heap_owners *o, const struct heap_set *s, struct owners *owners)
{
	*o = (struct heap_owners){.owners = owners};
	if (!owners)
		return;
	o->n = (size_t)intern_count(&s->texts) + 1;
	o->types = mem_zarray(o->n, sizeof *o->types);
	o->sites = mem_zarray(o->n, sizeof *o->sites);
}

void heap_owners_release(struct heap_owners *o)
{
	free(o->types);
	free(o->sites);
	*o = (struct heap_owners){0};
}

/* A site is matched as a function and as a file: it may be either. */
static uint32_t ask_site(struct owners *owners, const char *text)
{
	uint32_t function = owners_function(owners, text, text), file = owners_file(owners, text);

	return function < file ? function : file;
}

uint32_t heap_owner(struct heap_owners *o, const struct heap_set *s, const struct heap *h,
		    uint32_t object)
{
	uint32_t type = heap_type(h, object), site = heap_site(h, object);
	size_t n;
	const char *p;

	if (!o->owners)
		return OWNER_NONE;
	if (!o->types[type]) {
		p = heap_text(s, type, &n);
		o->types[type] = owners_type(o->owners, p, n) + 2;
	}
	if (!o->sites[site])
		o->sites[site] = ask_site(o->owners, heap_text(s, site, NULL)) + 2;
	type = o->types[type] - 2;
	site = o->sites[site] - 2;
	return type < site ? type : site;
}

void heap_groups_init(struct heap_groups *g, const struct heap_set *s, enum heap_key by,
		      struct owners *owners)
{
	*g = (struct heap_groups){.s = s, .by = by, .owners = owners};
}

void heap_groups_release(struct heap_groups *g)
{
	free(g->items);
	map64_release(&g->index);
	*g = (struct heap_groups){.n = 0};
}

static uint32_t group(struct heap_groups *g, uint64_t key)
{
	uint32_t *place = map64_put(&g->index, key + 1);

	if (!*place) {
		VEC_PUSH(g->items, g->n, g->cap) = (struct heap_group){.key = key};
		*place = (uint32_t)g->n;
	}
	return *place - 1;
}

static uint64_t key_of(const struct heap_groups *g, struct heap_owners *o,
		       const struct heap_part *p, uint32_t i)
{
	switch (g->by) {
	case HEAP_BY_TYPE: return heap_type(p->h, i);
	case HEAP_BY_SITE: return heap_site(p->h, i);
	case HEAP_BY_ROOT: return p->paths.distance[i] ? p->paths.root[i] : KEY_NOT_REACHED;
	case HEAP_BY_OWNER: return owners_id(g->owners, heap_owner(o, g->s, p->h, i));
	}
	return 0;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static void add_object(struct heap_group *g, const struct heap *h, uint32_t i)
{
	g->count++;
	if (!(h->flags[i] & HEAP_SIZED))
		return;
	g->sized++;
	g->size = plus(g->size, heap_size(h, i));
	if (heap_size(h, i) > g->largest)
		g->largest = heap_size(h, i);
}

void heap_groups_add(struct heap_groups *g, const struct heap_part *p)
{
	uint32_t *of = mem_array((size_t)p->h->n + 1, sizeof *of);
	struct heap_owners owners;

	heap_owners_init(&owners, g->s, g->by == HEAP_BY_OWNER ? g->owners : NULL);
	of[0] = HEAP_NONE;
	for (uint32_t i = 1; i <= p->h->n; i++) {
		of[i] = HEAP_NONE;
		if (!heap_counts(p, i))
			continue;
		of[i] = group(g, key_of(g, &owners, p, i));
		add_object(&g->items[of[i]], p->h, i);
		add_object(&g->all, p->h, i);
	}
	if (p->dominators.idom && !heap_retained(g->items, p, of))
		g->unknown_retained = true;
	heap_owners_release(&owners);
	free(of);
}

const struct heap_group *heap_groups_find(const struct heap_groups *g, uint64_t key)
{
	uint32_t at = map64_get(&g->index, key + 1);

	return at ? &g->items[at - 1] : NULL;
}

const char *heap_group_name(const struct heap_groups *g, uint64_t key, size_t *len)
{
	static const char *const none[] = {"[no type]", "[no site]", "[root]", "[no owner]"};
	const char *s;

	if (g->by == HEAP_BY_OWNER)
		s = owners_name_of(g->owners, (uint32_t)key);
	else if (key == KEY_NOT_REACHED)
		s = "[not reached]";
	else if (key)
		return heap_text(g->s, (uint32_t)key, len);
	else
		s = none[g->by];
	*len = strlen(s);
	return s;
}
