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
	struct aggregate_record rec;
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
static uint32_t aggregate_project_stack_of(struct loader *l, const struct aggregate_key *k)
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

static uint32_t aggregate_project_group_of(struct loader *l, size_t grouping)
{
	struct grouping *g = &l->p->groupings[grouping];
	const struct aggregate_key *k = &l->rec.key;
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
		call = call_at(l, l->rec.texts[0], k->raw, k->module,
			       (struct aggregate_text){"", 0}, 0);
		id = l->p->names.calls[call].function;
		break;
	case KEY_SITE:
		site = call_at(l, l->rec.texts[0], k->raw, k->module, k->file, k->line);
		inside = k->inside;
		id = pass_site_id(l->p, site | (inside ? SITE_INSIDE : 0));
		break;
	default:
		id = aggregate_project_stack_of(l, k);
		if (aggregate_site_of(&l->rec, &at)) {
			site = call_at(l, l->rec.texts[0], whole_raw(k, &at), at.module, at.file,
				       at.line);
			inside = at.inside;
		}
		break;
	}
	return grouping_group(g, 0, id, site, inside);
}

static void aggregate_project_add_row(struct loader *l)
{
	struct grouped_profile *p = l->p;
	struct tally_sums self = aggregate_sums_of(&l->rec, 0),
			  total = aggregate_sums_of(&l->rec, AGG_TOTAL);

	/* Functions come first, with the names that stacks show. */
	if (l->rec.key.by == KEY_FUNCTION)
		call_at(l, l->rec.texts[0], l->rec.key.raw, l->rec.key.module,
			(struct aggregate_text){"", 0}, 0);
	for (size_t i = 0; i < p->n_groupings; i++) {
		uint32_t group;

		if (p->groupings[i].key.by != l->rec.key.by)
			continue;
		group = aggregate_project_group_of(l, i);
		if (self.has)
			columns_add(&p->now.keys[i].self, group, &self);
		if (total.has)
			columns_add(&p->now.keys[i].total, group, &total);
	}
}

static void add_frame(struct loader *l)
{
	struct grouped_profile *p = l->p;
	struct tally_sums s = aggregate_sums_of(&l->rec, 0);

	s.has &= ~(unsigned)SUMS_OF_MOMENTS;
	for (size_t i = 0; i < p->n_groupings; i++)
		if (p->groupings[i].key.by == KEY_FRAME) {
			uint32_t id = pass_frame_id(p, l->rec.key.frame, l->rec.texts[0].s,
						    l->rec.texts[0].n, !l->rec.key.which);

			columns_add(&p->now.keys[i].self,
				    grouping_group(&p->groupings[i], 0, id, 0, false), &s);
		}
}

static void weaken(struct profile_known *to, const struct profile_known *from, unsigned never)
{
	for (unsigned s = 0; s < SUMS; s++) {
		bool moment = never >> s & 1 && from->state[s];
		uint8_t unknown_reason =
		    moment ? (uint8_t)UNKNOWN_PER_FRAME : from->unknown_reason[s];

		profile_weaken(to, s, moment ? METRIC_ABSENT : from->state[s], unknown_reason);
	}
}

static void add_known(struct loader *l, enum key by, unsigned never)
{
	struct profile_known k;

	aggregate_known_of(&l->rec, &k);
	for (size_t i = 0; i < l->p->n_groupings; i++)
		if (l->p->groupings[i].key.by == by)
			weaken(&l->p->now.keys[i].known, &k, never);
}

static enum status aggregate_project_add_whole(struct loader *l, struct err *e)
{
	struct profile *r = &l->p->now;
	struct tally_sums s = aggregate_sums_of(&l->rec, 0);
	unsigned which = l->rec.key.which;
	struct profile_known k;

	if (which == AGG_ALL) {
		if (!aggregate_known_check(&l->rec, e))
			return err_failure(e);
		aggregate_known_of(&l->rec, &k);
		weaken(&r->known, &k, 0);
		add_known(l, KEY_FRAME, SUMS_OF_MOMENTS);
		sums_add(&r->all, &s);
	} else if (which == AGG_UNFILTERED) {
		sums_add(&r->unfiltered, &s);
	} else if (which <= AGG_COVERAGE + TIERS) {
		sums_add(&r->coverage[which - AGG_COVERAGE], &s);
	}
	return ST_OK;
}

static void add_worst(struct loader *l)
{
	struct profile *r = &l->p->now;

	for (unsigned i = 0; i <= SUM_REAL; i++) {
		const struct aggregate_value *v = aggregate_record_value(&l->rec, i);

		if (!v || v->max <= (__int128)r->worst[i].v[i])
			continue;
		r->worst[i].number = v->max_at.frame;
		r->worst[i].v[i] = (uint64_t)v->max;
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

static enum status aggregate_project_add(struct loader *l, const struct aggregate_asked *asked,
					 struct err *e)
{
	struct grouped_profile *p = l->p;

	switch (l->rec.key.kind) {
	case AGG_HEAD:
		if (aggregate_check_options(&l->rec, asked->options, e))
			return err_failure(e);
		p->now.captures += l->rec.counts[0];
		p->now.frames += l->rec.counts[1];
		break;
	case AGG_NOTE:
		if (l->rec.key.which <= NOTE_LOSS)
			p->now.notes[l->rec.key.which] += l->rec.counts[1];
		break;
	case AGG_WHOLE: return aggregate_project_add_whole(l, e);
	case AGG_FRAMES: add_worst(l); break;
	case AGG_FRAME: add_frame(l); break;
	case AGG_ROW: aggregate_project_add_row(l); break;
	case AGG_KEY:
		if (!aggregate_known_check(&l->rec, e))
			return err_failure(e);
		add_known(l, l->rec.key.by, 0);
		if (asked->pruned && l->rec.counts[1]) {
			struct tally_sums lost = aggregate_sums_of(&l->rec, 0);

			asked->pruned(asked->arg, l->rec.key.by, l->rec.counts[1], &lost);
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
	struct loader l = {.p = p};
	struct buf event = BUF_INIT, clock = BUF_INIT;
	struct aggregate_reader r;
	enum status st = can_answer(p, asked, e);

	if (st)
		return st;
	aggregate_reader_init(&r, c);
	while (!(st = aggregate_reader_record(&r, &l.rec, e))) {
		if (l.n_path > l.rec.key.n_same)
			l.n_path = l.rec.key.n_same;
		if (r.records == 1 && l.rec.key.kind != AGG_HEAD)
			st = err_set(e, ST_BAD, "the aggregate has no head: it is a part of one");
		if (!st)
			st = aggregate_project_add(&l, asked, e);
		if (r.records == 1 && !st) {
			buf_add(&event, l.rec.texts[3].s, l.rec.texts[3].n);
			buf_add(&clock, l.rec.texts[4].s, l.rec.texts[4].n);
			st = grouped_profile_see_clock(p, buf_str(&clock), e);
		}
		if (st)
			break;
	}
	periods_join(p, event.data, event.len, aggregate_is_several(event.data, event.len));
	buf_release(&event);
	buf_release(&clock);
	aggregate_record_release(&l.rec);
	aggregate_reader_release(&r);
	free(l.path);
	return st == ST_NONE ? ST_OK : st;
}
