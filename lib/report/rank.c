/* SPDX-License-Identifier: MIT */
#include "lib/report/rank.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

void group_name(const struct project *p, const struct group *g, struct group_name *n)
{
	const struct names *names = &p->names;
	const struct names_call *c = &names->calls[0];
	uint32_t function = 0;

	*n = (struct group_name){.file = "", .module = ""};
	switch (p->options.by) {
	case KEY_TYPE: n->name = intern_text(&p->types, g->id, &n->name_len); return;
	case KEY_FUNCTION: function = g->id; break;
	case KEY_LOCATION: {
		const struct names_location *l = &names->locations[g->id];

		c = &names->calls[l->first];
		n->address = l->address;
		n->has_address = l->has_address;
		break;
	}
	default: c = &names->calls[g->site]; break;
	}
	if (p->options.by != KEY_FUNCTION) {
		function = c->function;
		n->file = names_text(names, c->file, &n->file_len);
		if (!c->file)
			n->file_len = 0;
		n->line = c->line;
	}
	n->name = names_text(names, names->functions[function].display, &n->name_len);
	if (names->functions[function].module)
		n->module = names_text(names, names->functions[function].module, &n->module_len);
}

bool group_value(const struct project *p, size_t group, enum sum sum, bool cumulative, uint64_t *v)
{
	const struct sums *s = cumulative && p->total ? &p->total[group] : &p->self[group];
	unsigned has = s->has;

	/* What only calls others has nothing of its own: that is a known 0. */
	if (p->total)
		has |= p->total[group].has;
	*v = s->v[sum];
	return has >> sum & 1;
}

static int text_order(const char *a, size_t na, const char *b, size_t nb)
{
	int r = memcmp(a, b, na < nb ? na : nb);

	return r ? r : na < nb ? -1 : na > nb;
}

static int number_order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Longer common beginnings than this are told apart by when they were first seen. */
enum { CHAIN_MAX = 4096 };

static int chain_order(const struct project *p, uint32_t a, uint32_t b)
{
	for (int k = 0; k < CHAIN_MAX && a && b && a != b; k++) {
		const struct names_call *x, *y;
		size_t nx, ny;
		const char *sx, *sy;
		int r;

		x = &p->names.calls[p->names.locations[p->stacks[a].location].first];
		y = &p->names.calls[p->names.locations[p->stacks[b].location].first];
		sx = names_text(&p->names, p->names.functions[x->function].display, &nx);
		sy = names_text(&p->names, p->names.functions[y->function].display, &ny);
		r = text_order(sx, nx, sy, ny);
		if (!r)
			r = number_order(x->line, y->line);
		if (r)
			return r;
		a = p->stacks[a].parent;
		b = p->stacks[b].parent;
	}
	return number_order(a != 0, b != 0);
}

struct ranking {
	const struct project *p;
	enum sum sum;
	bool cumulative;
};

static int name_order(const struct project *p, uint32_t a, uint32_t b)
{
	struct group_name x, y;
	int r;

	group_name(p, &p->groups[a], &x);
	group_name(p, &p->groups[b], &y);
	r = text_order(x.name, x.name_len, y.name, y.name_len);
	if (!r)
		r = text_order(x.file, x.file_len, y.file, y.file_len);
	if (!r)
		r = number_order(x.line, y.line);
	if (!r)
		r = text_order(x.module, x.module_len, y.module, y.module_len);
	if (!r)
		r = number_order(x.address, y.address);
	if (!r && p->options.by == KEY_STACK)
		r = chain_order(p, p->groups[a].id, p->groups[b].id);
	return r ? r : number_order(a, b);
}

/* Below 0: a has more of it than b, or has it where b has not. */
static int value_order(const struct project *p, uint32_t a, uint32_t b, enum sum sum,
		       bool cumulative)
{
	uint64_t x, y;
	bool has_x = group_value(p, a, sum, cumulative, &x);
	bool has_y = group_value(p, b, sum, cumulative, &y);

	if (has_x != has_y)
		return has_x ? -1 : 1;
	return has_x ? number_order(y, x) : 0;
}

/* Below 0: a stands above b. Most functions have nothing of their own, and captures of other
 * formats nothing of this metric at all: names decide only between what all numbers leave equal. */
static int order(const struct ranking *r, uint32_t a, uint32_t b)
{
	static const enum sum others[] = {SUM_REAL, SUM_REQUESTED, SUM_COUNT, SUM_ENTRIES};
	int d = a == b ? 0 : value_order(r->p, a, b, r->sum, r->cumulative);

	if (a == b || d)
		return d;
	if (r->p->total)
		d = value_order(r->p, a, b, r->sum, !r->cumulative);
	for (size_t i = 0; !d && i < sizeof others / sizeof *others; i++)
		d = value_order(r->p, a, b, others[i], r->cumulative);
	return d ? d : name_order(r->p, a, b);
}

static int sort_order(const void *a, const void *b, void *arg)
{
	return order(arg, *(const uint32_t *)a, *(const uint32_t *)b);
}

static void sink_down(const struct ranking *r, uint32_t *heap, size_t n, size_t i)
{
	for (size_t k; (k = 2 * i + 1) < n; i = k) {
		uint32_t low;

		if (k + 1 < n && order(r, heap[k + 1], heap[k]) > 0)
			k++;
		if (order(r, heap[k], heap[i]) <= 0)
			return;
		low = heap[k];
		heap[k] = heap[i];
		heap[i] = low;
	}
}

uint32_t *rank_groups(const struct project *p, enum sum sum, bool cumulative, size_t *n)
{
	struct ranking r = {p, sum, cumulative};
	size_t want = *n && *n < p->n_groups ? *n : p->n_groups;
	uint32_t *best = mem_array(want + 1, sizeof *best);

	for (size_t i = 0; i < want; i++)
		best[i] = (uint32_t)i;
	/* A heap with its last at the top: of a million groups only thirty are ever sorted. */
	if (want < p->n_groups)
		for (size_t i = want / 2; i-- > 0;)
			sink_down(&r, best, want, i);
	for (size_t i = want; i < p->n_groups; i++)
		if (order(&r, (uint32_t)i, best[0]) < 0) {
			best[0] = (uint32_t)i;
			sink_down(&r, best, want, 0);
		}
	qsort_r(best, want, sizeof *best, sort_order, &r);
	*n = want;
	return best;
}
