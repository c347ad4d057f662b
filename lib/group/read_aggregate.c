/* SPDX-License-Identifier: MIT */
#include "lib/group/read_aggregate.h"

#include "lib/base/mem.h"
#include "lib/group/group_pass.h"
#include "lib/group/periods.h"
#include "lib/profile/read.h"

#include <stdlib.h>
#include <string.h>

struct loader {
	struct grouped_profile *p;
	const struct aggregate_asked *asked;
	const struct aggregate_record *rec; /* the present one */
	struct buf event, clock;            /* of the head: of the periods, of the times */
	uint32_t *path; /* stacks of the first calls of the present record's stack */
	size_t n_path, cap_path;
};

static struct names_string of(struct aggregate_text t)
{
	return (struct names_string){t.s, t.n};
}

/* A call at the place; with an empty name it is what stands for no stack. */
static uint32_t call_at(struct loader *l, struct aggregate_text display, struct aggregate_text raw,
			struct aggregate_text module, struct aggregate_text file, uint32_t line)
{
	struct names_place place = {of(display), of(raw), of(module), of(file), line};
	struct group_names *names = &l->p->names;
	size_t n;
	const char *none = names_text(names, names->functions[0].raw, &n);
	uint32_t location;

	if (!module.n && raw.n == n && !memcmp(raw.s, none, n))
		return 0;
	location = names_place(names, &place);
	return names->locations[location].first;
}

/* Callees after their callers, so that parents have smaller ids. */
static uint32_t read_aggregate_stack_of(struct loader *l, const struct aggregate_key *k)
{
	struct grouped_profile *p = l->p;
	uint32_t stack = l->n_path ? l->path[l->n_path - 1] : 0;

	for (size_t i = l->n_path; i < k->n_calls; i++) {
		struct names_place place = {.raw = of(k->calls[i].raw),
					    .module = of(k->calls[i].module)};
		uint32_t location = names_place(&p->names, &place);
		size_t before = p->stacks.n;

		stack = stacks_add(&p->stacks, stack, location);
		if (p->stacks.n > before)
			grouped_profile_set_site(p, stack, p->names.locations[location].first);
		VEC_PUSH(l->path, l->n_path, l->cap_path) = stack;
	}
	return stack;
}

/* A site is kept without the file that tells its function apart (raw, NUL, file); its stack's call has it. Of
 * several calls of the name it is the one of the site's file, or the innermost. */
static struct aggregate_text whole_raw(const struct aggregate_key *k,
				       const struct aggregate_site *at)
{
	const struct aggregate_text *found = NULL;

	for (size_t i = k->n_calls; i-- > 0;) {
		const struct aggregate_call *c = &k->calls[i];
		size_t n = strnlen(c->raw.s, c->raw.n);

		if (c->module.n != at->module.n || n != at->raw.n ||
		    memcmp(c->module.s, at->module.s, at->module.n) ||
		    memcmp(c->raw.s, at->raw.s, n))
			continue;
		if (c->raw.n == n + 1 + at->file.n &&
		    !memcmp(c->raw.s + n + 1, at->file.s, at->file.n))
			return c->raw;
		if (!found)
			found = &c->raw;
	}
	return found ? *found : at->raw;
}

static uint32_t text_id(struct intern *t, struct aggregate_text s)
{
	return intern_add(t, s.s, s.n);
}

static uint32_t read_aggregate_group_of(struct loader *l, size_t grouping)
{
	struct grouping *g = &l->p->groupings[grouping];
	const struct aggregate_key *k = &l->rec->key;
	uint32_t call, id = 0, site = 0;
	bool inside = false;
	struct aggregate_site at;

	switch (k->by) {
	case KEY_TYPE:
	case KEY_THREAD:
	case KEY_OWNER: id = text_id(&l->p->texts, k->name); break;
	case KEY_FILE:
	case KEY_MODULE: id = text_id(&l->p->names.strings, k->name); break;
	case KEY_FUNCTION:
		call = call_at(l, l->rec->texts[0], k->raw, k->module,
			       (struct aggregate_text){"", 0}, 0);
		id = l->p->names.calls[call].function;
		break;
	case KEY_SITE:
		site = call_at(l, l->rec->texts[0], k->raw, k->module, k->file, k->line);
		inside = k->inside;
		id = pass_site_id(l->p, site | (inside ? SITE_INSIDE : 0));
		break;
	default:
		id = read_aggregate_stack_of(l, k);
		if (aggregate_site_of(l->rec, &at)) {
			site = call_at(l, l->rec->texts[0], whole_raw(k, &at), at.module, at.file,
				       at.line);
			inside = at.inside;
		}
		break;
	}
	return grouping_group(g, 0, id, site, inside);
}

static void read_aggregate_add_row(struct loader *l)
{
	struct grouped_profile *p = l->p;
	struct tally_sums self = aggregate_sums_of(l->rec, 0),
			  total = aggregate_sums_of(l->rec, AGG_TOTAL);

	/* Functions come first, with the names that stacks show. */
	if (l->rec->key.by == KEY_FUNCTION)
		call_at(l, l->rec->texts[0], l->rec->key.raw, l->rec->key.module,
			(struct aggregate_text){"", 0}, 0);
	for (size_t i = 0; i < p->n_groupings; i++) {
		uint32_t group;

		if (p->groupings[i].key.by != l->rec->key.by)
			continue;
		group = read_aggregate_group_of(l, i);
		if (self.has)
			columns_add(&p->now.keys[i].self, group, &self);
		if (total.has)
			columns_add(&p->now.keys[i].total, group, &total);
	}
}

static void add_frame(struct loader *l)
{
	struct grouped_profile *p = l->p;
	struct tally_sums s = aggregate_sums_of(l->rec, 0);

	s.has &= ~(unsigned)SUMS_OF_MOMENTS;
	for (size_t i = 0; i < p->n_groupings; i++)
		if (p->groupings[i].key.by == KEY_FRAME) {
			uint32_t id = pass_frame_id(p, l->rec->key.frame, l->rec->texts[0].s,
						    l->rec->texts[0].n, !l->rec->key.which);

			columns_add(&p->now.keys[i].self,
				    grouping_group(&p->groupings[i], 0, id, 0, false), &s);
		}
}

/* What is known by the key; never: SUM_BITs of what belongs to moments. */
static void add_known(struct loader *l, enum key by, unsigned never)
{
	const uint8_t *states = l->rec->marks, *reasons = l->rec->marks + SUMS;

	for (size_t i = 0; i < l->p->n_groupings; i++)
		for (enum sum s = 0; l->p->groupings[i].key.by == by && s < SUMS; s++) {
			bool moment = never >> s & 1 && states[s] && reasons[s] != UNKNOWN_MIXED;

			profile_weaken(&l->p->now.keys[i].known, s,
				       moment ? METRIC_ABSENT : states[s],
				       moment ? UNKNOWN_PER_FRAME : reasons[s]);
		}
}

enum status aggregate_check_options(const struct aggregate_record *head, const char *options,
				    struct err *e)
{
	const struct aggregate_text *had = &head->texts[0];

	if (!options || (had->n == strlen(options) && !memcmp(had->s, options, had->n)))
		return ST_OK;
	return err_set(e, ST_UNSUPPORTED,
		       "an aggregate has no events to choose from: it was made with %s%.*s, not %s",
		       had->n ? "" : "no options", (int)(had->n < 150 ? had->n : 150),
		       had->n ? had->s : "", options);
}

static enum status read_aggregate_record(void *arg, const struct aggregate_record *r, struct err *e)
{
	struct loader *l = arg;

	l->rec = r;
	if (l->n_path > r->key.n_same)
		l->n_path = r->key.n_same;
	if (r->key.kind == AGG_HEAD && aggregate_check_options(r, l->asked->options, e))
		return err_failure(e);
	if (profile_join_record(&l->p->now, r, e))
		return err_failure(e);
	switch (r->key.kind) {
	case AGG_HEAD:
		buf_add(&l->event, r->texts[3].s, r->texts[3].n);
		buf_add(&l->clock, r->texts[4].s, r->texts[4].n);
		return grouped_profile_see_clock(l->p, buf_str(&l->clock), e);
	case AGG_WHOLE:
		if (r->key.which == AGG_ALL)
			add_known(l, KEY_FRAME, SUMS_OF_MOMENTS);
		break;
	case AGG_FRAME: add_frame(l); break;
	case AGG_ROW: read_aggregate_add_row(l); break;
	case AGG_KEY:
		if (!aggregate_known_check(r, e))
			return err_failure(e);
		add_known(l, r->key.by, 0);
		if (l->asked->pruned && r->counts[1]) {
			struct tally_sums lost = aggregate_sums_of(r, 0);

			l->asked->pruned(l->asked->arg, r->key.by, r->counts[1], &lost);
		}
		break;
	default: break;
	}
	return ST_OK;
}

static enum status can_answer(const struct grouped_profile *p, const struct aggregate_asked *asked,
			      struct err *e)
{
	for (size_t i = 0; i < p->n_groupings; i++) {
		if (p->groupings[i].key.within && !asked->stacks_spare)
			return err_set(e, ST_UNSUPPORTED,
				       "an aggregate does not say what a row has within it (its "
				       "stacks, or a second key)");
		if (p->groupings[i].key.by == KEY_LOCATION)
			return err_set(e, ST_UNSUPPORTED, "an aggregate holds nothing by location");
	}
	return ST_OK;
}

enum status grouped_profile_read_aggregate(struct cursor *c, struct grouped_profile *p,
					   const struct aggregate_asked *asked, struct err *e)
{
	struct loader l = {.p = p, .asked = asked, .event = BUF_INIT, .clock = BUF_INIT};
	enum status st = can_answer(p, asked, e);

	if (st)
		return st;
	st = aggregate_records(c, read_aggregate_record, &l, e);
	periods_join(p, l.event.data, l.event.len, aggregate_is_several(l.event.data, l.event.len));
	buf_release(&l.event);
	buf_release(&l.clock);
	free(l.path);
	return st;
}
