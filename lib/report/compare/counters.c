/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/counters.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/report/compare/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTER_NAME, COUNTER_UNIT, COUNTER_GROUPS };

/* Absent where a run of the group has not read it. */
static bool group_mean(const struct compare *c, size_t group, const uint32_t row[2], decimal *mean)
{
	const struct compare_group *g = &c->groups[group];
	struct decimal_sum sum = {0};

	for (size_t i = 0; i < g->n; i++) {
		const struct profile_counter *s =
		    profile_counter_of(g->runs[i], c->entities, row[0], row[1]);

		if (!s)
			return false;
		decimal_sum_add(&sum, counter_value(&s->stats, COUNTER_MEAN));
	}
	*mean = g->n ? decimal_mean(&sum, g->n) : 0;
	return g->n;
}

static bool group_max(const struct compare *c, size_t group, const uint32_t row[2], decimal *max)
{
	const struct compare_group *g = &c->groups[group];
	bool any = false;

	for (size_t i = 0; i < g->n; i++) {
		const struct profile_counter *s =
		    profile_counter_of(g->runs[i], c->entities, row[0], row[1]);

		if (s && (!any || s->stats.max > *max))
			*max = s->stats.max;
		any |= s != NULL;
	}
	return any;
}

static void compare_counters_fill(void *arg, size_t i, struct table_row *to)
{
	const struct compare_counters *r = arg;
	const struct compare *c = r->c;
	const uint32_t *row = r->rows[i];
	decimal base, new, v;
	bool both = group_mean(c, 0, row, &base) & group_mean(c, c->n_groups - 1, row, &new);
	struct table_cell *cells = to->cells;
	size_t n;
	const char *s = entities_text(c->entities, row[0], &n);

	cells[COUNTER_NAME] = cell_text(s, n);
	s = entities_text(c->entities, row[1], &n);
	if (row[1])
		cells[COUNTER_UNIT] = cell_text(s, n);
	cells += COUNTER_GROUPS;
	for (size_t g = 0; g < c->n_groups; g++, cells++)
		if (group_mean(c, g, row, &v))
			*cells = cell_decimal(v);
	if (both) {
		cells[0] = cell_decimal(new - base);
		cells[1] = compare_percent((struct compare_number){.present = true, .v = base},
					   (struct compare_number){.present = true, .v = new});
	}
	cells += 2;
	for (size_t g = 0; g < c->n_groups; g++, cells++)
		if (group_max(c, g, row, &v))
			*cells = cell_decimal(v);
}

static int compare_counters_row_order(const void *a, const void *b, void *arg)
{
	const uint32_t *x = a, *y = b;
	int r = strcmp(entities_text(arg, x[0], NULL), entities_text(arg, y[0], NULL));

	return r ? r : strcmp(entities_text(arg, x[1], NULL), entities_text(arg, y[1], NULL));
}

static void compare_counters_find_rows(struct compare_counters *r)
{
	const struct compare *c = r->c;
	struct profile_entities entities = *c->entities; /* qsort_r takes no const */
	size_t n = 0, different = 0;

	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			n += c->groups[g].runs[i]->n_counters;
	r->rows = mem_array(n + 1, sizeof *r->rows);
	n = 0;
	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++) {
			const struct profile *s = c->groups[g].runs[i];

			for (size_t k = 0; k < s->n_counters; k++, n++) {
				r->rows[n][0] = s->counters[k].name;
				r->rows[n][1] = s->counters[k].unit;
			}
		}
	sort_array_by(r->rows, n, sizeof *r->rows, compare_counters_row_order, &entities);
	for (size_t i = 0; i < n; i++)
		if (!i || compare_counters_row_order(r->rows[i], r->rows[different - 1], &entities))
			memmove(r->rows[different++], r->rows[i], sizeof *r->rows);
	r->table.n_rows = different;
}

void compare_counters_init(struct compare_counters *r, const struct compare *c)
{
	struct table_column *to;

	*r = (struct compare_counters){.c = c};
	to = r->columns;
	*to++ = (struct table_column){.key = "counter", .title = "counter", .type = COLUMN_TEXT};
	*to++ = (struct table_column){.key = "unit", .title = "unit", .type = COLUMN_TEXT};
	for (size_t k = 0; k < 2; k++) {
		for (size_t g = 0; g < c->n_groups; g++) {
			const char *what = k ? "max" : "mean";
			char *key = r->keys[k * COMPARE_GROUPS_MAX + g];

			if (!g)
				snprintf(key, sizeof *r->keys, "base_%s", what);
			else if (c->n_groups == 2)
				snprintf(key, sizeof *r->keys, "new_%s", what);
			else
				snprintf(key, sizeof *r->keys, "g%u_%s", (unsigned)g + 1, what);
			*to++ =
			    (struct table_column){.key = key, .title = key, .type = COLUMN_DECIMAL};
		}
		if (k)
			break;
		*to++ = (struct table_column){.key = "delta_mean",
					      .title = "change",
					      .type = COLUMN_DECIMAL,
					      .flags = COLUMN_SIGNED};
		*to++ = (struct table_column){.key = "percent_mean",
					      .title = "change %",
					      .type = COLUMN_PERCENT,
					      .flags = COLUMN_SIGNED};
	}
	r->table = (struct table){.name = "counters",
				  .title = "counters",
				  .columns = r->columns,
				  .n_columns = (size_t)(to - r->columns),
				  .fill = compare_counters_fill,
				  .arg = r};
	compare_counters_find_rows(r);
}

void compare_counters_release(struct compare_counters *r)
{
	free(r->rows);
	*r = (struct compare_counters){.c = NULL};
}
