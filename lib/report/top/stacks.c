/* SPDX-License-Identifier: MIT */
#include "lib/report/top/stacks.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/group/metric.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_MAX = 64 }; /* shown of each stack */

struct top_stacks {
	struct ranking ranking; /* of the stacks */
	size_t rows;            /* the grouping of the rows */
	const uint32_t *groups;
	size_t most;
	uint32_t *best; /* most of each row, best first */
	uint32_t *n;    /* by row: how many there are */
	uint32_t *all;  /* and how many it has */
	struct group_chain chain;
	struct buf text;
	const char **lines;
	size_t cap_lines;
	char more[64];
};

/* Rows are few and so is most: insertion is enough. */
static void insert(struct top_stacks *t, size_t row, uint32_t stack)
{
	uint32_t *best = t->best + row * t->most;
	size_t i = t->n[row];

	if (i == t->most && rank_order(&t->ranking, stack, best[i - 1]) >= 0)
		return;
	if (i < t->most)
		t->n[row]++;
	else
		i--;
	for (; i && rank_order(&t->ranking, stack, best[i - 1]) < 0; i--)
		best[i] = best[i - 1];
	best[i] = stack;
}

struct top_stacks *top_stacks_new(const struct ranking *r, const uint32_t *groups, size_t n,
				  uint64_t most)
{
	const struct grouped_profile *p = r->p;
	const struct grouping *g = &p->groupings[r->grouping + 1];
	struct top_stacks *t = mem_zalloc(sizeof *t);
	uint32_t *row = mem_zarray(p->groupings[r->grouping].n + 1, sizeof *row);

	t->ranking = *r;
	t->rows = r->grouping;
	t->ranking.grouping++;
	t->ranking.cumulative = false;
	t->groups = groups;
	t->most = most < g->n ? (size_t)most : g->n;
	t->best = mem_array(n * t->most + 1, sizeof *t->best);
	t->n = mem_zarray(n + 1, sizeof *t->n);
	t->all = mem_zarray(n + 1, sizeof *t->all);
	for (size_t i = 0; i < n; i++)
		row[groups[i]] = (uint32_t)i + 1;
	for (uint32_t i = 0; i < g->n && t->most; i++) {
		uint32_t at = row[g->groups[i].outer];
		uint64_t v;

		if (!at || !columns_has(&r->run->keys[t->ranking.grouping].self, i))
			continue;
		t->all[at - 1]++;
		if (group_value(&t->ranking, i, r->sum, false, &v))
			insert(t, at - 1, i);
	}
	free(row);
	return t;
}

void top_stacks_free(struct top_stacks *t)
{
	if (!t)
		return;
	free(t->best);
	free(t->n);
	free(t->all);
	free(t->lines);
	chain_release(&t->chain);
	buf_release(&t->text);
	free(t);
}

static void add_heading(struct top_stacks *t, uint32_t stack, uint32_t group)
{
	const struct profile *run = t->ranking.run;
	enum sum sum = t->ranking.sum;
	struct tally_sums own = columns_get(&run->keys[t->ranking.grouping].self, stack);
	struct tally_sums whole = columns_get(&run->keys[t->rows].self, group);
	struct table_column column = {.type = metric_type(sum)}, percent = {.type = COLUMN_PERCENT};
	struct table_cell value = metric_cell(&own, own.has, sum);
	struct table_cell share = metric_share(&own, own.has, &whole, sum);

	cell_for_people(&t->text, &column, &value, false);
	if (share.present) {
		buf_adds(&t->text, "  ");
		cell_for_people(&t->text, &percent, &share, false);
	}
	buf_addc(&t->text, '\0');
}

void top_stacks_fill(struct top_stacks *t, size_t i, struct table_row *r)
{
	const struct grouped_profile *p = t->ranking.p;
	size_t n = 0;

	t->text.len = 0;
	for (size_t k = 0; k < t->n[i]; k++) {
		uint32_t group = t->best[i * t->most + k];
		size_t calls;

		add_heading(t, group, t->groups[i]);
		chain_set(&t->chain, p, NULL, p->groupings[t->ranking.grouping].groups[group].id);
		calls = chain_lines(&t->chain, p, "    ", CALLS_MAX, &t->text);
		if (calls > CALLS_MAX) {
			buf_addf(&t->text, "    ... %zu more call%s", calls - CALLS_MAX,
				 plural_s(calls - CALLS_MAX));
			buf_addc(&t->text, '\0');
		}
		if (!calls) {
			buf_adds(&t->text, "    [no stack]");
			buf_addc(&t->text, '\0');
		}
	}
	for (const char *s = t->text.data; s && s < t->text.data + t->text.len; s += strlen(s) + 1)
		VEC_PUSH(t->lines, n, t->cap_lines) = s;
	r->details = t->lines;
	r->n_details = n;
	if (t->all[i] > t->n[i]) {
		snprintf(t->more, sizeof t->more, "... %" PRIu32 " more stack%s",
			 t->all[i] - t->n[i], plural_s(t->all[i] - t->n[i]));
		r->more = t->more;
	}
}
