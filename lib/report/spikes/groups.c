/* SPDX-License-Identifier: MIT */
#include "lib/report/spikes/groups.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct spike_groups_index {  /* from spike_groups_init to spike_groups_release */
	struct map64 nodes;  /* (parent, function) -> node */
	struct map64 groups; /* -> index in items + 1 */
	struct buf text;     /* of a spike, while it is put together */
};

void spike_groups_init(struct spike_groups *g, struct spike_functions *f, size_t worst)
{
	*g = (struct spike_groups){
	    .functions = f, .keep = worst, .index = mem_zalloc(sizeof *g->index)};
	VEC_PUSH(g->items, g->n, g->cap) = (struct spike_group){.owner = OWNER_NONE};
	VEC_PUSH(g->nodes, g->n_nodes, g->cap_nodes) = (struct spike_node){0, 0, 0};
	g->worst = mem_array(worst + 1, sizeof *g->worst);
}

void spike_groups_release(struct spike_groups *g)
{
	for (size_t i = 0; i < g->n; i++) {
		quantiles_release(&g->items[i].totals);
		free(g->items[i].worst.text);
	}
	for (size_t i = 0; i < g->n_stats; i++)
		quantiles_release(&g->stats[i].totals);
	for (size_t i = 0; i < g->n_worst; i++)
		free(g->worst[i].text);
	free(g->items);
	free(g->nodes);
	free(g->stats);
	free(g->worst);
	if (g->index) {
		map64_release(&g->index->nodes);
		map64_release(&g->index->groups);
		buf_release(&g->index->text);
	}
	free(g->index);
	*g = (struct spike_groups){.n = 0};
}

/* 0: there is no room for it. Of calls that are still open it is looked for once. */
static uint32_t spike_groups_node_of(struct spike_groups *g, const struct spike_seen *s)
{
	struct spike_groups_index *x = g->index;
	size_t known = s->nodes ? s->depth : 0;
	uint32_t node;

	while (known && !s->nodes[known - 1])
		known--;
	node = known ? s->nodes[known - 1] : 0;
	for (size_t i = known; i < s->depth; i++) {
		const uint64_t step = node * (UINT64_C(1) << 32) + s->path[i];
		uint32_t *id = map64_put(&x->nodes, step);

		if (!*id && g->n_nodes == SPIKE_NODES_MAX) {
			map64_remove(&x->nodes, step);
			return 0;
		}
		if (!*id) {
			*id = (uint32_t)g->n_nodes;
			VEC_PUSH(g->nodes, g->n_nodes, g->cap_nodes) =
			    (struct spike_node){node, s->path[i], (uint32_t)i + 1};
			node = (uint32_t)g->n_nodes - 1;
		} else {
			node = *id;
		}
		if (s->nodes)
			s->nodes[i] = node;
	}
	return node;
}

static uint32_t thread_of(struct spike_groups *g, const struct spike_seen *s)
{
	const struct trace *t = s->t;
	size_t n;
	const char *name;
	char tid[32];

	if (!s->thread || s->thread >= t->n_threads)
		return 0;
	name = intern_text(&t->strings, t->threads[s->thread].name, &n);
	if (!n) {
		n = (size_t)snprintf(tid, sizeof tid, "%" PRIu64, t->threads[s->thread].tid);
		name = tid;
	}
	return intern_add(&g->functions->names.strings, name, n);
}

static uint32_t spike_groups_of(struct spike_groups *g, const struct spike_seen *s)
{
	struct spike_groups_index *x = g->index;
	uint32_t node = spike_groups_node_of(g, s), thread = thread_of(g, s), *id;
	uint64_t key = (uint64_t)node << 32 | thread;

	if (!node)
		return 0;
	id = map64_put(&x->groups, key);
	if (*id)
		return *id;
	if (g->n == SPIKE_GROUPS_MAX) {
		map64_remove(&x->groups, key);
		return 0;
	}
	*id = (uint32_t)g->n;
	VEC_PUSH(g->items, g->n, g->cap) = (struct spike_group){
	    .node = node, .thread = thread, .owner = s->owner, .cut = s->cut > 0};
	return (uint32_t)g->n - 1;
}

static char *spike_groups_texts_of(struct spike_groups *g, const struct spike_seen *s)
{
	struct spike_groups_index *x = g->index;

	x->text.len = 0;
	for (size_t i = 0; i < s->n_texts; i++) {
		const struct spike_text *t = &s->texts[i];

		if (x->text.len)
			buf_addc(&x->text, '\n');
		if (t->at < s->depth) {
			size_t n;
			const char *name = spike_function_name(g->functions, s->path[t->at], &n);

			buf_add(&x->text, name, n);
			buf_adds(&x->text, ": ");
		}
		buf_add(&x->text, t->s, t->n);
	}
	return x->text.len ? mem_strndup(x->text.data, x->text.len) : NULL;
}

/* Below 0: a is the worse one. */
static int order(const struct spike_one *a, const struct spike_one *b)
{
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->unmeasured != b->unmeasured)
		return a->unmeasured ? 1 : -1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int spike_groups_compare(const void *a, const void *b)
{
	return order(a, b);
}

static void swap(struct spike_one *a, struct spike_one *b)
{
	struct spike_one c = *a;

	*a = *b;
	*b = c;
}

/* The heap's top is the least bad. */
static void sink_top(struct spike_groups *g)
{
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < g->n_worst && order(&g->worst[child + 1], &g->worst[child]) > 0)
			child++;
		if (child >= g->n_worst || order(&g->worst[child], &g->worst[i]) <= 0)
			return;
		swap(&g->worst[child], &g->worst[i]);
		i = child;
	}
}

static void keep(struct spike_groups *g, const struct spike_seen *s, struct spike_one one)
{
	size_t i = g->n_worst;

	if (!g->keep || (i == g->keep && order(&one, &g->worst[0]) > 0))
		return;
	one.text = spike_groups_texts_of(g, s);
	if (i == g->keep) {
		free(g->worst[0].text);
		g->worst[0] = one;
		sink_top(g);
		return;
	}
	g->worst[g->n_worst++] = one;
	for (; i && order(&g->worst[i], &g->worst[(i - 1) / 2]) > 0; i = (i - 1) / 2)
		swap(&g->worst[i], &g->worst[(i - 1) / 2]);
}

static void spike_groups_count(struct spike_groups *g, const struct spike_seen *s)
{
	uint32_t function = s->path[s->depth - 1];
	struct spike_stat *stat;

	if (function >= g->n_stats) {
		size_t n = g->functions->n > 2 * g->n_stats ? g->functions->n : 2 * g->n_stats;

		g->stats = mem_realloc(g->stats, n, sizeof *g->stats);
		memset(&g->stats[g->n_stats], 0, (n - g->n_stats) * sizeof *g->stats);
		g->n_stats = n;
	}
	stat = &g->stats[function];
	if (!s->unmeasured)
		quantiles_add(&stat->totals, s->total);
	stat->sum += s->total;
	if (s->has_self) {
		stat->self += s->self;
		stat->sum_self += s->total;
		stat->with_self++;
	}
	if (s->has_frame && (!stat->has_frame || stat->last_frame != s->frame))
		stat->frames++;
	stat->has_frame |= s->has_frame;
	stat->last_frame = s->frame;
	stat->owner = s->owner;
}

bool spike_groups_add(struct spike_groups *g, const struct spike_seen *s, uint64_t capture)
{
	struct spike_one one = {.group = spike_groups_of(g, s),
				.capture = (uint32_t)capture,
				.order = g->spikes++,
				.total = s->total,
				.self = s->self,
				.waited = s->waited,
				.limit = s->limit,
				.calls = s->calls,
				.time = s->time,
				.frame = s->frame,
				.has_self = s->has_self,
				.has_time = s->has_time,
				.has_frame = s->has_frame,
				.unmeasured = s->unmeasured};
	struct spike_group *group = &g->items[one.group];
	bool worst;

	one.peak = !s->unmeasured && (!group->totals.n || s->total > group->totals.max);
	worst = one.peak || !group->n;
	group->n++;
	if (!s->unmeasured)
		quantiles_add(&group->totals, s->total);
	group->sum += s->total;
	if (worst) {
		free(group->worst.text);
		group->worst = one;
		group->worst.text = spike_groups_texts_of(g, s);
	}
	spike_groups_count(g, s);
	keep(g, s, one);
	return one.peak;
}

void spike_groups_sort(struct spike_groups *g)
{
	sort_array(g->worst, g->n_worst, sizeof *g->worst, spike_groups_compare);
}

uint32_t spike_group_function(const struct spike_groups *g, const struct spike_group *group)
{
	return g->nodes[group->node].function;
}
