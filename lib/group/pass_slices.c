/* SPDX-License-Identifier: MIT
 *
 * Slices of a pass (group_pass.h): frames, steps of time, and the domain that is shown.
 */
#include "lib/group/group_pass.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool pass_keeps(void *arg, const struct tally_cell *c)
{
	uint32_t node;

	return pass_place(arg, c, &node);
}

int pass_domain_of_most(struct group_pass *f)
{
	bool filtered = filters_any(f->p->options.filters);

	return tally_domain_of_most(f->a, filtered ? pass_keeps : NULL, f);
}

void pass_settle_domain(struct group_pass *f)
{
	if (f->domain == DOMAIN_DEFAULT)
		f->domain = pass_domain_of_most(f);
}

/* A slice is shown as it is read: so what has most then stays. */
static void pass_settle_early(struct group_pass *f)
{
	if (f->domain != DOMAIN_DEFAULT)
		return;
	pass_settle_domain(f);
	f->is_early = f->domain != DOMAIN_DEFAULT;
}

unsigned grouped_profile_slice_domain(struct grouped_profile *p, const struct trace *t)
{
	struct group_pass *f = pass_begin(p, t);

	pass_settle_early(f);
	return f->domain == DOMAIN_DEFAULT ? DOMAIN_MALLOC : (unsigned)f->domain;
}

/* The same in all captures. */
uint32_t pass_frame_id(struct grouped_profile *p, int64_t number, const char *name, size_t len,
		       bool before)
{
	static const char before_it[] = SLICES_BEFORE;
	struct {
		int64_t number;
		uint32_t name, kind;
	} key = {before ? 0 : number, 0, before ? SLICE_BEFORE : SLICE_FRAME};
	char text[32];
	size_t n;
	uint32_t id;

	if (len)
		key.name = intern_add(&p->texts, name, len);
	id = intern_add(&p->frames, (const char *)&key, sizeof key);
	p->frame_rows =
	    mem_grow_zero(p->frame_rows, &p->cap_frame_rows, (size_t)id + 1, sizeof *p->frame_rows);
	if (!p->frame_rows[id].number) {
		n = (size_t)snprintf(text, sizeof text, "%" PRId64, number);
		name = before ? before_it : text;
		p->frame_rows[id] = (struct grouped_profile_frame){
		    intern_add(&p->texts, name, before ? strlen(before_it) : n), key.name};
	}
	return id;
}

static uint32_t frame_id(struct grouped_profile *p, const struct trace *t,
			 const struct tally_slice *s)
{
	size_t n;
	const char *name = intern_text(&t->strings, s->name, &n);

	return pass_frame_id(p, s->number, name, s->name ? n : 0, s->kind == SLICE_BEFORE);
}

/* Of a frame of which filters keep nothing: it is there, and has 0. */
static unsigned known_of_none(struct grouped_profile *p, const struct trace *t,
			      const struct tally_slice *s)
{
	uint8_t state[SUMS];
	unsigned at_types = tally_states(&p->tally, t, DOMAINS, state);
	unsigned has = s->kind == SLICE_BEFORE ? 0 : s->all[grouped_profile_slice_domain(p, t)].has;

	return filters_by_type(p->options.filters) ? has : has & ~at_types;
}

static struct tally_sums slice_sums(struct grouped_profile *p, const struct trace *t,
				    const struct tally_slice *s)
{
	struct group_pass *f = pass_begin(p, t);
	struct tally_sums sum = {.has = 0}, one;
	uint32_t node;

	if (!filters_any(p->options.filters))
		return s->all[grouped_profile_slice_domain(p, t)];
	pass_settle_early(f);
	for (size_t i = 0; i < s->n_cells; i++) {
		const struct tally_cell *c = &p->tally.cells[s->cells[i]];

		if (!pass_in_domain(f, c->domain) || !pass_place(f, c, &node))
			continue;
		tally_slice_sums(&p->tally, i, &one);
		sums_add(&sum, &one);
	}
	for (size_t i = 0; filters_by_type(p->options.filters) && i < s->n_types; i++) {
		if (!pass_type(f, s->types[i])->kept)
			continue;
		tally_slice_type_sums(&p->tally, i, &one);
		sums_add(&sum, &one);
	}
	if (!sum.has)
		sum.has = known_of_none(p, t, s);
	return sum;
}

enum status pass_slice(void *arg, struct trace *t, struct tally *a, const struct tally_slice *s,
		       struct err *e)
{
	struct grouped_profile *p = arg;

	(void)a;
	for (size_t k = 0; k < p->n_groupings; k++) {
		struct tally_sums sum;

		if (p->groupings[k].key.by != KEY_FRAME)
			continue;
		sum = slice_sums(p, t, s);
		/* Live sums belong to moments: they are not added up. */
		sum.has &= ~(unsigned)SUMS_OF_MOMENTS;
		if (sum.has)
			columns_add(
			    &p->now.keys[k].self,
			    grouping_group(&p->groupings[k], 0, frame_id(p, t, s), 0, false), &sum);
	}
	return p->options.sliced ? p->options.sliced(p->options.arg, t, s, e) : ST_OK;
}
