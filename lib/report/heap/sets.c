/* SPDX-License-Identifier: MIT */
#include "lib/report/heap/sets.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SETS_MAX = 3 };

const char *const heap_same_words[] = {"path", "source", "type", "address", NULL};
const char *const heap_op_words[] = {"add", "and", "or", "xor", "leak", NULL};

/* The caller then takes out what does not count. */
static void all_counted(struct heap_part *p)
{
	if (p->counted)
		return;
	p->counted = mem_zarray((size_t)p->h->n + 1, sizeof *p->counted);
	for (uint32_t i = 1; i <= p->h->n; i++)
		p->counted[i] = p->h->flags[i] & HEAP_LISTED;
}

/* 1: matches, 2: does not, kept by text. */
static bool matches(struct filters *f, enum filter_kind kind, uint8_t *known,
		    const struct heap_set *s, uint32_t text)
{
	if (!known[text]) {
		size_t n;
		const char *p = heap_text(s, text, &n);

		known[text] = filters_match(f, kind, p, n) ? 1 : 2;
	}
	return known[text] == 1;
}

static bool owner_matches(struct filters *f, struct heap_owners *o, const struct heap_set *s,
			  const struct heap *h, uint32_t i)
{
	const char *name = owners_name(o->owners, heap_owner(o, s, h, i));

	return filters_match(f, FILTER_OWNER, name, strlen(name));
}

void heap_filter(struct heap_part *p, const struct heap_set *s, struct filters *f,
		 struct owners *owners)
{
	size_t n = (size_t)intern_count(&s->texts) + 1;
	bool type = filters_has(f, FILTER_TYPE), site = filters_has(f, FILTER_FILE);
	bool root = filters_has(f, FILTER_MODULE), owner = filters_has(f, FILTER_OWNER);
	struct heap_owners o;
	uint8_t *known[3];

	if (!type && !site && !root && !owner)
		return;
	all_counted(p);
	heap_owners_init(&o, s, owner ? owners : NULL);
	for (size_t k = 0; k < 3; k++)
		known[k] = mem_zarray(n, 1);
	for (uint32_t i = 1; i <= p->h->n; i++) {
		if (!p->counted[i])
			continue;
		p->counted[i] =
		    (!type || matches(f, FILTER_TYPE, known[0], s, heap_type(p->h, i))) &&
		    (!site || matches(f, FILTER_FILE, known[1], s, heap_site(p->h, i))) &&
		    (!root || (p->paths.distance[i] &&
			       matches(f, FILTER_MODULE, known[2], s, p->paths.root[i]))) &&
		    (!owner || owner_matches(f, &o, s, p->h, i));
	}
	for (size_t k = 0; k < 3; k++)
		free(known[k]);
	heap_owners_release(&o);
}

void heap_only_destroyed(struct heap_part *p)
{
	all_counted(p);
	for (uint32_t i = 1; i <= p->h->n; i++)
		p->counted[i] &= (p->h->flags[i] & HEAP_DESTROYED) != 0;
}

void heap_only_object(struct heap_part *p, uint32_t object)
{
	free(p->counted);
	p->counted = mem_zarray((size_t)p->h->n + 1, sizeof *p->counted);
	p->counted[object] = true;
}

static uint64_t identity(const struct heap_part *p, uint32_t i, enum heap_same same)
{
	uint64_t x = hash_u64(heap_type(p->h, i) + UINT64_C(0x9e3779b97f4a7c15));

	if (same == HEAP_SAME_ADDRESS && (p->h->has_kept_ids || !(heap_id(p->h, i) & 1)))
		return hash_u64(x + heap_id(p->h, i));
	if (same != HEAP_SAME_TYPE)
		x = hash_u64(x + heap_site(p->h, i) + 1);
	if (same == HEAP_SAME_PATH || same == HEAP_SAME_ADDRESS)
		x = hash_u64(x + p->paths.hash[i]);
	return x;
}

size_t heap_op_needs(enum heap_op op)
{
	return op == HEAP_LEAK ? 3 : 2;
}

/* How many of an identity, which n snapshots have c[] times, count of snapshot k. */
static uint32_t quota(enum heap_op op, const uint32_t *c, size_t k)
{
	uint32_t both = c[0] < c[1] ? c[0] : c[1];

	switch (op) {
	case HEAP_ADD: return k == 1 ? c[1] - both : 0;
	case HEAP_AND: return k == 1 ? both : 0;
	case HEAP_OR: return k == 1 ? c[1] : c[0] - both;
	case HEAP_XOR: return c[k] - both;
	case HEAP_LEAK:
		both = c[1] < c[2] ? c[1] : c[2];
		return k == 2 && both > c[0] ? both - c[0] : 0;
	case HEAP_OPS: break;
	}
	return 0;
}

void heap_sets(struct heap_part *parts, enum heap_op op, enum heap_same same)
{
	size_t n = heap_op_needs(op), rows = 0, cap = 16;
	struct map64 index = MAP64_INIT;
	struct counts {
		uint32_t in[SETS_MAX], left[SETS_MAX];
	} *counts = mem_array(cap, sizeof *counts);

	for (size_t k = 0; k < n; k++) {
		all_counted(&parts[k]);
		for (uint32_t i = 1; i <= parts[k].h->n; i++) {
			uint32_t *place;

			if (!parts[k].counted[i])
				continue;
			place = map64_put(&index, identity(&parts[k], i, same));
			if (!*place) {
				VEC_PUSH(counts, rows, cap) = (struct counts){{0}, {0}};
				*place = (uint32_t)rows;
			}
			counts[*place - 1].in[k]++;
		}
	}
	for (size_t i = 0; i < rows; i++)
		for (size_t k = 0; k < n; k++)
			counts[i].left[k] = quota(op, counts[i].in, k);
	/* Backwards: what came last is what is new. */
	for (size_t k = 0; k < n; k++)
		for (uint32_t i = parts[k].h->n; i > 0; i--) {
			uint32_t *left;

			if (!parts[k].counted[i])
				continue;
			left = &counts[map64_get(&index, identity(&parts[k], i, same)) - 1].left[k];
			parts[k].counted[i] = *left > 0;
			*left -= *left > 0;
		}
	map64_release(&index);
	free(counts);
}
