/* SPDX-License-Identifier: MIT */
#include "lib/report/spikes/gate.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/table/table.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *kept(struct spikes_gate *x, struct buf *b)
{
	const char *s = arena_strndup(&x->arena, buf_str(b), b->len);

	b->len = 0;
	return s;
}

enum { STACK_END = 128 }; /* calls of a stack that are named, of each of its ends */

/* Outermost first: results of two stacks of one function are two. */
static const char *spikes_gate_stack_of(struct spikes_gate *x, const struct spike_groups *g,
					uint32_t node, struct buf *b)
{
	uint32_t *path = NULL;
	size_t depth = 0, cap = 0;

	for (; node; node = g->nodes[node].parent)
		VEC_PUSH(path, depth, cap) = g->nodes[node].function;
	if (!depth)
		buf_adds(b, "[others]");
	for (size_t i = depth; i--;) {
		size_t n;
		const char *s = spike_function_name(g->functions, path[i], &n);

		if (depth > 2 * STACK_END && i == depth - STACK_END - 1) {
			buf_addf(b, "[%zu call%s left out];", depth - 2 * STACK_END,
				 plural_s(depth - 2 * STACK_END));
			i = STACK_END;
			continue;
		}

		buf_add(b, s, n);
		buf_adds(b, i ? ";" : "");
	}
	free(path);
	return kept(x, b);
}

static void spikes_gate_add_breach(struct spikes_gate *x, const struct spike_groups *g,
				   const struct spike_group *group, struct breach *to)
{
	const struct spike_function *f = &g->functions->items[spike_group_function(g, group)];
	struct buf b = BUF_INIT;
	size_t n;

	to->verdict = VERDICT_FAIL;
	to->subject = spikes_gate_stack_of(x, g, group->node, &b);
	buf_addf(&b, "%" PRIu64 " spike%s", group->n, plural_s(group->n));
	if (group->worst.has_frame)
		buf_addf(&b, ", the worst in frame %" PRId64, group->worst.frame);
	to->message = kept(x, &b);
	if (group->totals.n)
		time_text(&b, group->totals.max);
	to->measured = kept(x, &b);
	if (!group->worst.unmeasured)
		time_text(&b, group->worst.limit);
	to->limit = kept(x, &b);
	if (group->node && f->file) {
		to->file = names_text(&g->functions->names, f->file, &n);
		to->line = f->line;
	}
	buf_release(&b);
}

static int spikes_gate_by_worst(const void *a, const void *b, void *arg)
{
	const struct spike_groups *g = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t v = g->items[x].totals.max, w = g->items[y].totals.max;

	if (v != w)
		return v > w ? -1 : 1;
	return x < y ? -1 : x > y;
}

static size_t add_breaches(struct spikes_gate *x, const struct spike_groups *g,
			   struct table_check *item)
{
	struct breach *breaches = arena_zalloc(&x->arena, SPIKES_BREACHES_MAX * sizeof *breaches);
	uint32_t *order = mem_array(g->n + 1, sizeof *order);
	union {
		const struct spike_groups *from;
		void *to;
	} arg = {.from = g};
	size_t n = 0;

	for (uint32_t i = 0; i < g->n; i++)
		if (g->items[i].n)
			order[n++] = i;
	sort_array_by(order, n, sizeof *order, spikes_gate_by_worst, arg.to);
	for (size_t i = 0; i < n && i < SPIKES_BREACHES_MAX; i++)
		spikes_gate_add_breach(x, g, &g->items[order[i]], &breaches[item->n_breaches++]);
	item->breaches = breaches;
	free(order);
	return n;
}

void spikes_gate_init(struct spikes_gate *x, const struct spikes *s, const struct spike_groups *g,
		      uint64_t max, const char *unsure, bool gave_up)
{
	struct buf b = BUF_INIT;
	struct table_check *item;
	size_t stacks = 0;

	*x = (struct spikes_gate){.arena = {0}};
	item = arena_zalloc(&x->arena, sizeof *item);
	*item = (struct table_check){.name = "max-spikes", .category = "spikes"};
	item->verdict = s->found > max && !(unsure && gave_up) ? VERDICT_FAIL
			: unsure                               ? VERDICT_INCONCLUSIVE
							       : VERDICT_PASS;
	if (item->verdict == VERDICT_FAIL)
		stacks = add_breaches(x, g, item);
	if (item->verdict == VERDICT_INCONCLUSIVE) {
		buf_adds(&b, unsure);
	} else {
		buf_addf(&b, "%" PRIu64 " call%s judged", s->calls,
			 s->calls == 1 ? " was" : "s were");
		if (stacks > SPIKES_BREACHES_MAX)
			buf_addf(&b, "; the worst %d of %zu stacks are listed", SPIKES_BREACHES_MAX,
				 stacks);
	}
	item->message = kept(x, &b);
	buf_addf(&b, "%" PRIu64 " spike%s", s->found, plural_s(s->found));
	item->measured = kept(x, &b);
	buf_addf(&b, "%" PRIu64 " spike%s", max, plural_s(max));
	item->limit = kept(x, &b);
	x->checks = (struct table_checks){
	    .name = "gate", .title = "gate on spikes", .items = item, .n_items = 1};
	buf_release(&b);
}

void spikes_gate_release(struct spikes_gate *x)
{
	arena_release(&x->arena);
}
