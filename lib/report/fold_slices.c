/* SPDX-License-Identifier: MIT */
#include "lib/report/fold.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void fold_settle_domain(struct fold *f)
{
	for (int d = 0; f->domain == DOMAIN_DEFAULT && d < DOMAINS; d++)
		if (f->a->records[d])
			f->domain = d;
}

unsigned project_slice_domain(struct project *p, const struct trace *t)
{
	struct fold *f = fold_begin(p, t);

	fold_settle_domain(f);
	return f->domain == DOMAIN_DEFAULT ? DOMAIN_MALLOC : (unsigned)f->domain;
}

/* A frame's number and name, the same in all captures. */
static uint32_t frame_id(struct project *p, const struct trace *t, const struct aggregate_slice *s)
{
	static const char before[] = "[before the first frame]";
	struct {
		int64_t number;
		uint32_t name, kind;
	} key = {s->kind == SLICE_BEFORE ? 0 : s->number, 0, s->kind};
	char text[32];
	const char *name;
	size_t n, old = p->cap_frame_rows;
	uint32_t id;

	name = intern_text(&t->strings, s->name, &n);
	if (s->name && n)
		key.name = intern_add(&p->texts, name, n);
	id = intern_add(&p->frames, (const char *)&key, sizeof key);
	if (id >= old) {
		p->frame_rows = mem_grow(p->frame_rows, &p->cap_frame_rows, (size_t)id + 1,
					 sizeof *p->frame_rows);
		memset(p->frame_rows + old, 0, (p->cap_frame_rows - old) * sizeof *p->frame_rows);
	}
	if (!p->frame_rows[id].number) {
		n = (size_t)snprintf(text, sizeof text, "%" PRId64, s->number);
		name = s->kind == SLICE_BEFORE ? before : text;
		p->frame_rows[id] =
		    (struct project_frame){intern_add(&p->texts, name, strlen(name)), key.name};
	}
	return id;
}

static struct sums slice_sums(struct project *p, const struct trace *t,
			      const struct aggregate_slice *s)
{
	struct fold *f = fold_begin(p, t);
	struct sums sum = {.has = 0}, one;
	uint32_t node;

	if (!filters_any(p->options.filters))
		return s->all[project_slice_domain(p, t)];
	fold_settle_domain(f);
	for (size_t i = 0; i < s->n_cells; i++) {
		const struct aggregate_cell *c = &p->aggregate.cells[s->cells[i]];

		if (!fold_in_domain(f, c->domain) || !fold_place(f, c, &node))
			continue;
		aggregate_slice_sums(&p->aggregate, i, &one);
		sums_add(&sum, &one);
	}
	for (size_t i = 0; filters_by_type(p->options.filters) && i < s->n_types; i++) {
		if (!fold_type(f, s->types[i])->kept)
			continue;
		aggregate_slice_type_sums(&p->aggregate, i, &one);
		sums_add(&sum, &one);
	}
	return sum;
}

enum status fold_slice(void *arg, struct trace *t, struct aggregate *a,
		       const struct aggregate_slice *s, struct err *e)
{
	struct project *p = arg;

	(void)a;
	for (size_t k = 0; k < p->n_groupings; k++) {
		struct sums sum;

		if (p->groupings[k].key.by != KEY_FRAME)
			continue;
		sum = slice_sums(p, t, s);
		/* What is live is of moments: it is not added up. */
		sum.has &= ~(unsigned)SUMS_OF_MOMENTS;
		if (sum.has)
			columns_add(
			    &p->now.groupings[k].self,
			    grouping_group(&p->groupings[k], 0, frame_id(p, t, s), 0, false), &sum);
	}
	return p->options.sliced ? p->options.sliced(p->options.arg, t, s, e) : ST_OK;
}
