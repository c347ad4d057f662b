/* SPDX-License-Identifier: MIT
 *
 * The table of a comparison's runs.
 */
#include "lib/report/compare/view.h"

#include "lib/group/metric.h"

#include <string.h>

struct table_cell compare_cell(struct compare_number n)
{
	unsigned __int128 v = n.v < 0 ? -(unsigned __int128)n.v : (unsigned __int128)n.v;
	uint64_t unit = 1;

	if (!n.present)
		return (struct table_cell){.present = false};
	for (unsigned i = 0; i < n.decimals; i++)
		unit *= 10;
	return (struct table_cell){.present = true,
				   .negative = n.v < 0,
				   .number = (uint64_t)(v / unit),
				   .fraction = (uint64_t)(v % unit) * (DECIMAL_UNIT / unit),
				   .high = (uint64_t)(v / unit >> 64)};
}

enum run_column { RUN_GROUP, RUN_NAME, RUN_CAPTURES, RUN_FRAMES, RUN_DURATION, RUN_LOST, RUN_SUM };

static bool has_column(const struct compare *c, enum sum s)
{
	return s != SUM_TIMED && s != SUM_TIME_MEAN &&
	       (!(SUMS_MEASURED >> s & 1) || compare_knows_total(c, s));
}

static void compare_runs_fill_run(void *arg, size_t i, struct table_row *r)
{
	const struct compare_runs *of = arg;
	const struct compare_group *g = of->c->groups;
	const struct profile *s;
	enum sum sum = 0;

	for (; i >= g->n; g++)
		i -= g->n;
	s = g->runs[i];
	r->cells[RUN_GROUP] = cell_text(g->label, strlen(g->label));
	r->cells[RUN_NAME] = cell_text(g->names[i], strlen(g->names[i]));
	r->cells[RUN_CAPTURES] = cell_number(s->captures);
	r->cells[RUN_FRAMES] = cell_number(s->frames);
	if (s->duration)
		r->cells[RUN_DURATION] = cell_number(s->duration);
	r->cells[RUN_LOST] = cell_number(s->notes[NOTE_LOSS]);
	for (size_t k = RUN_SUM; k < of->table.n_columns; k++, sum++) {
		__int128 x;

		while (!has_column(of->c, sum))
			sum++;
		if (compare_raw_total(s, sum, &x))
			r->cells[k] =
			    compare_cell((struct compare_number){.present = true, .v = x});
	}
}

void compare_runs_init(struct compare_runs *r, const struct compare *c, enum sum shown)
{
	static const struct table_column first[] = {
	    {"group", "group", COLUMN_TEXT, 0, 0},
	    {"run", "run", COLUMN_TEXT, COLUMN_SHORTEN, 0},
	    {"captures", NULL, COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    {"frames", "frames", COLUMN_INT, 0, 0},
	    {"duration_ns", "duration", COLUMN_TIME, COLUMN_SPARE, 0},
	    {"losses", "losses", COLUMN_INT, COLUMN_SPARE, 0},
	};

	*r = (struct compare_runs){.c = c};
	r->table = (struct table){.name = "runs",
				  .title = "runs",
				  .columns = r->columns,
				  .fill = compare_runs_fill_run,
				  .arg = r};
	for (size_t i = 0; i < RUN_SUM; i++)
		r->columns[r->table.n_columns++] = first[i];
	for (enum sum s = 0; s < SUMS; s++)
		if (has_column(c, s))
			r->columns[r->table.n_columns++] =
			    (struct table_column){.key = metric_table[s].key,
						  .title = compare_title(c, s),
						  .type = metric_type(s),
						  .flags = (s == shown ? 0u : COLUMN_NOT_TEXT) |
							   (sum_is_signed(s) ? COLUMN_SIGNED : 0u)};
	for (size_t g = 0; g < c->n_groups; g++)
		r->table.n_rows += c->groups[g].n;
}
