/* SPDX-License-Identifier: MIT */
#include "lib/table/flame.h"

#include "lib/base/hash.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

struct flame_own {
	struct intern names;   /* name NUL at */
	struct map64 children; /* parent << 32 | id of names -> node */
	struct buf key;
};

static uint64_t saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void begin(struct flame *f)
{
	if (f->own)
		return;
	f->own = mem_zalloc(sizeof *f->own);
	if (!f->n_nodes)
		VEC_PUSH(f->nodes, f->n_nodes, f->cap) =
		    (struct flame_node){.name = "all", .len = 3};
}

uint32_t flame_child(struct flame *f, uint32_t parent, const char *name, size_t n, const char *at,
		     size_t n_at)
{
	struct flame_own *own;
	const char *text;
	uint32_t id, *place;

	begin(f);
	own = f->own;
	own->key.len = 0;
	buf_add(&own->key, name, n);
	buf_addc(&own->key, '\0');
	buf_add(&own->key, at, n_at);
	id = intern_add(&own->names, own->key.data, own->key.len);
	place = map64_put(&own->children, (uint64_t)parent << 32 | id);
	if (*place)
		return *place;
	*place = (uint32_t)f->n_nodes;
	text = intern_text(&own->names, id, NULL);
	VEC_PUSH(f->nodes, f->n_nodes, f->cap) =
	    (struct flame_node){.parent = parent,
				.name = text,
				.len = n,
				.at = n_at ? text + n + 1 : NULL,
				.at_len = n_at};
	return (uint32_t)f->n_nodes - 1;
}

void flame_add(struct flame *f, uint32_t node, uint64_t self, uint64_t base)
{
	begin(f);
	f->nodes[node].self = saturating(f->nodes[node].self, self);
	f->nodes[node].base = saturating(f->nodes[node].base, base);
}

static const char *keep_text(struct flame *f, const char *s)
{
	begin(f);
	return intern_text(&f->own->names, intern_add(&f->own->names, s, strlen(s)), NULL);
}

void flame_name_measure(struct flame *f, const char *title)
{
	f->measure = keep_text(f, title);
}

struct flame_measure *flame_measure(struct flame *f, const char *title, enum column_type type)
{
	struct flame_measure *m = &f->more[f->n_more];

	if (f->n_more == FLAME_MEASURES)
		return NULL;
	f->n_more++;
	*m = (struct flame_measure){.title = keep_text(f, title), .type = type};
	return m;
}

void flame_measure_add(struct flame_measure *m, uint32_t node, uint64_t self)
{
	if (node >= m->n) {
		size_t n = (size_t)node + node / 2 + 64;
		uint64_t *larger = mem_zarray(n, sizeof *larger);

		if (m->n)
			memcpy(larger, m->self, m->n * sizeof *larger);
		free(m->self);
		m->self = larger;
		m->n = n;
	}
	m->self[node] = saturating(m->self[node], self);
}

void flame_totals(const struct flame *f, uint64_t *total, uint64_t *base)
{
	for (size_t i = 0; i < f->n_nodes; i++) {
		total[i] = f->nodes[i].self;
		if (base)
			base[i] = f->nodes[i].base;
	}
	for (size_t i = f->n_nodes; i-- > 1;) {
		uint32_t parent = f->nodes[i].parent;

		total[parent] = saturating(total[parent], total[i]);
		if (base)
			base[parent] = saturating(base[parent], base[i]);
	}
}

struct weight {
	uint64_t weight;
	size_t node;
};

/* image: of each node where its own went, or of a node that was cut its total. */
static void flame_prune_measures(const struct flame *f, const uint32_t *image, const bool *counts,
				 struct flame *to)
{
	uint64_t *total = mem_array(f->n_nodes, sizeof *total);

	for (size_t k = 0; k < f->n_more; k++) {
		const struct flame_measure *from = &f->more[k];
		struct flame_measure *m = flame_measure(to, from->title, from->type);

		for (size_t i = 0; i < f->n_nodes; i++)
			total[i] = i < from->n ? from->self[i] : 0;
		for (size_t i = f->n_nodes; i-- > 1;) {
			if (!counts[i])
				total[f->nodes[i].parent] =
				    saturating(total[f->nodes[i].parent], total[i]);
		}
		for (size_t i = 0; i < f->n_nodes; i++)
			if (counts[i] && total[i])
				flame_measure_add(m, image[i], total[i]);
	}
	free(total);
}

/* A parent weighs no less than its child and has a lower index: it is chosen before. */
static int flame_heaviest_first(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->node < y->node ? -1 : 1;
}

size_t flame_prune(const struct flame *f, size_t most, struct flame *to)
{
	static const char smaller[] = "(smaller)";
	size_t n = f->n_nodes, cut = 0, keep = most / 2 ? most / 2 : 1;
	uint64_t *total, *base;
	struct weight *weights;
	uint32_t *image;     /* of a node in *to */
	bool *kept, *counts; /* counts: has a node in *to that is its own, or its and its likes' */

	if (n <= most)
		return 0;
	total = mem_array(n, sizeof *total);
	base = mem_array(n, sizeof *base);
	weights = mem_array(n, sizeof *weights);
	image = mem_zarray(n, sizeof *image);
	kept = mem_zarray(n, sizeof *kept);
	flame_totals(f, total, base);
	for (size_t i = 0; i < n; i++)
		weights[i] = (struct weight){total[i] > base[i] ? total[i] : base[i], i};
	sort_array(weights, n, sizeof *weights, flame_heaviest_first);
	for (size_t i = 0; i < keep; i++)
		kept[weights[i].node] = true;
	counts = mem_array(n, sizeof *counts);
	memcpy(counts, kept, n * sizeof *counts);
	begin(to);
	to->nodes[0].name = f->nodes[0].name;
	to->nodes[0].len = f->nodes[0].len;
	flame_add(to, FLAME_ROOT, f->nodes[0].self, f->nodes[0].base);
	for (size_t i = 1; i < n; i++) {
		const struct flame_node *node = &f->nodes[i];

		if (kept[i]) {
			image[i] = flame_child(to, image[node->parent], node->name, node->len,
					       node->at, node->at_len);
			flame_add(to, image[i], node->self, node->base);
			continue;
		}
		cut++;
		counts[i] = kept[node->parent];
		if (counts[i]) {
			image[i] = flame_child(to, image[node->parent], smaller, sizeof smaller - 1,
					       NULL, 0);
			flame_add(to, image[i], total[i], base[i]);
		}
	}
	flame_prune_measures(f, image, counts, to);
	if (f->measure)
		flame_name_measure(to, f->measure);
	free(counts);
	free(total);
	free(base);
	free(weights);
	free(image);
	free(kept);
	return cut;
}

void flame_release(struct flame *f)
{
	if (!f->own)
		return;
	free(f->nodes);
	for (size_t i = 0; i < f->n_more; i++)
		free(f->more[i].self);
	intern_release(&f->own->names);
	map64_release(&f->own->children);
	buf_release(&f->own->key);
	free(f->own);
	*f = (struct flame)FLAME_INIT;
}
