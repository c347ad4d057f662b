/* SPDX-License-Identifier: MIT */
#include "lib/group/rank.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

void group_name(const struct grouped_profile *p, size_t grouping, uint32_t group,
		struct group_name *n)
{
	const struct group_names *names = &p->names;
	enum key by = p->groupings[grouping].key.by;
	const struct group_row *g = &p->groupings[grouping].groups[group];
	const struct names_call *c = &names->calls[0];
	uint32_t function = 0;

	*n = (struct group_name){.file = "", .module = "", .label = ""};
	switch (by) {
	case KEY_TYPE:
	case KEY_THREAD:
	case KEY_OWNER: n->name = intern_text(&p->texts, g->id, &n->name_len); return;
	case KEY_FRAME: {
		const struct grouped_profile_frame *f = &p->frame_rows[g->id];

		n->name = intern_text(&p->texts, f->number, &n->name_len);
		if (f->name)
			n->label = intern_text(&p->texts, f->name, &n->label_len);
		return;
	}
	case KEY_FILE:
	case KEY_MODULE: n->name = names_text(names, g->id, &n->name_len); return;
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
	if (by != KEY_FUNCTION) {
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

bool group_value(const struct ranking *r, uint32_t group, enum sum sum, bool cumulative,
		 uint64_t *v)
{
	const struct profile_key *g = &r->run->keys[r->grouping];
	bool total = cumulative && grouping_has_total(&r->p->groupings[r->grouping].key);

	const struct profile_columns *c;

	if (total && sum == SUM_TIME_SELF && columns_has(&g->self, group) >> SUM_TIME_TOTAL & 1) {
		*v = columns_value(&g->self, group, SUM_TIME_TOTAL);
		return true;
	}
	total &= !(SUMS_TIME >> sum & 1) || sum == SUM_TIME_SELF;
	c = total ? &g->total : &g->self;
	*v = columns_value(c, group, sum);
	if (sum == SUM_LIFETIME) {
		uint64_t timed = columns_value(c, group, SUM_TIMED);

		*v = timed ? mean_rounded(*v, timed) : 0;
		return timed > 0;
	}
	if (sum == SUM_TIME_MEAN) {
		uint64_t calls = columns_value(c, group, SUM_CALLS);

		*v = calls ? mean_rounded(columns_value(c, group, SUM_TIME_TOTAL), calls) : 0;
		return calls && columns_has(c, group) >> SUM_TIME_TOTAL & 1;
	}
	if (total)
		return columns_has(c, group) >> sum & 1;
	return self_known(columns_has(&g->self, group), columns_has(&g->total, group),
			  r->run->all.has) >>
		   sum &
	       1;
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

/* Longer common beginnings than this are ordered by when they were first seen. */
enum { CHAIN_MAX = 4096 };

static int rank_chain_order(const struct grouped_profile *p, uint32_t a, uint32_t b)
{
	for (int k = 0; k < CHAIN_MAX && a && b && a != b; k++) {
		const struct names_call *x, *y;
		size_t nx, ny;
		const char *sx, *sy;
		int r;

		x = &p->names.calls[p->names.locations[p->stacks.rows[a].location].first];
		y = &p->names.calls[p->names.locations[p->stacks.rows[b].location].first];
		sx = names_text(&p->names, p->names.functions[x->function].display, &nx);
		sy = names_text(&p->names, p->names.functions[y->function].display, &ny);
		r = text_order(sx, nx, sy, ny);
		if (!r)
			r = number_order(x->line, y->line);
		if (r)
			return r;
		a = p->stacks.rows[a].parent;
		b = p->stacks.rows[b].parent;
	}
	return number_order(a != 0, b != 0);
}

static int rank_name_order(const struct grouped_profile *p, size_t grouping, uint32_t a, uint32_t b)
{
	const struct grouping *g = &p->groupings[grouping];
	struct group_name x, y;
	int r;

	group_name(p, grouping, a, &x);
	group_name(p, grouping, b, &y);
	r = text_order(x.name, x.name_len, y.name, y.name_len);
	if (!r)
		r = text_order(x.file, x.file_len, y.file, y.file_len);
	if (!r)
		r = number_order(x.line, y.line);
	if (!r)
		r = text_order(x.module, x.module_len, y.module, y.module_len);
	if (!r)
		r = number_order(x.address, y.address);
	if (!r && g->key.by == KEY_STACK)
		r = rank_chain_order(p, g->groups[a].id, g->groups[b].id);
	if (!r && g->key.within && g->groups[a].outer != g->groups[b].outer)
		r = rank_name_order(p, g->key.within - 1, g->groups[a].outer, g->groups[b].outer);
	return r ? r : number_order(a, b);
}

/* Below 0: a has more of it than b, or has it where b has not. */
static int value_order(const struct ranking *r, uint32_t a, uint32_t b, enum sum sum,
		       bool cumulative)
{
	uint64_t x, y;
	bool has_x = group_value(r, a, sum, cumulative, &x);
	bool has_y = group_value(r, b, sum, cumulative, &y);

	if (has_x != has_y)
		return has_x ? -1 : 1;
	return has_x ? number_order(sum_order(sum, y), sum_order(sum, x)) : 0;
}

/* Most functions have nothing of their own, and captures of other formats nothing of this metric
 * at all: names decide only between what all numbers leave equal. */
int rank_order(const struct ranking *r, uint32_t a, uint32_t b)
{
	static const enum sum others[] = {SUM_REAL, SUM_REQUESTED, SUM_COUNT, SUM_TIME_SELF,
					  SUM_ENTRIES};
	int d = a == b ? 0 : value_order(r, a, b, r->sum, r->cumulative);

	if (a == b || d)
		return d;
	if (grouping_has_total(&r->p->groupings[r->grouping].key))
		d = value_order(r, a, b, r->sum, !r->cumulative);
	for (size_t i = 0; !d && i < sizeof others / sizeof *others; i++)
		d = value_order(r, a, b, others[i], r->cumulative);
	return d ? d : rank_name_order(r->p, r->grouping, a, b);
}

static int rank_sort_order(const void *a, const void *b, void *arg)
{
	return rank_order(arg, *(const uint32_t *)a, *(const uint32_t *)b);
}

static void sink_down(const struct ranking *r, uint32_t *heap, size_t n, size_t i)
{
	for (size_t k; (k = 2 * i + 1) < n; i = k) {
		uint32_t low;

		if (k + 1 < n && rank_order(r, heap[k + 1], heap[k]) > 0)
			k++;
		if (rank_order(r, heap[k], heap[i]) <= 0)
			return;
		low = heap[k];
		heap[k] = heap[i];
		heap[i] = low;
	}
}

static bool is_there(const struct ranking *r, uint32_t group)
{
	const struct profile_key *g = &r->run->keys[r->grouping];
	uint64_t self = 0, total = 0;

	if (!columns_has(&g->self, group) && !columns_has(&g->total, group))
		return false;
	/* A block of 0 bytes is live, too. */
	for (int i = 0; i < 2; i++)
		if ((group_value(r, group, i ? r->sum : SUM_LIVE_COUNT, false, &self) && self) ||
		    (group_value(r, group, i ? r->sum : SUM_LIVE_COUNT, true, &total) && total))
			return true;
	return !r->some;
}

uint32_t *rank_groups(const struct ranking *r, size_t *n)
{
	size_t groups = r->p->groupings[r->grouping].n, have = 0;
	size_t want = *n && *n < groups ? *n : groups;
	uint32_t *best = mem_array(want + 1, sizeof *best);
	struct ranking copy = *r;

	for (uint32_t i = 0; i < groups; i++) {
		if (!is_there(r, i))
			continue;
		if (have < want) {
			best[have++] = i;
			/* A heap with its last at the top: of a million groups only thirty are
			 * ever sorted. */
			if (have == want && want < groups)
				for (size_t k = want / 2; k-- > 0;)
					sink_down(r, best, want, k);
		} else if (rank_order(r, i, best[0]) < 0) {
			best[0] = i;
			sink_down(r, best, want, 0);
		}
	}
	sort_array_by(best, have, sizeof *best, rank_sort_order, &copy);
	*n = have;
	return best;
}
