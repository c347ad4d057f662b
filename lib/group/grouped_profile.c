/* SPDX-License-Identifier: MIT */
#include "lib/group/group_pass.h"

#include "lib/base/mem.h"
#include "lib/group/periods.h"
#include "lib/rules/leaks.h"

#include <stdlib.h>
#include <string.h>

static bool totals_asked(const struct group_pass *f)
{
	for (size_t i = 0; i < f->p->n_groupings; i++)
		if (pass_has_totals(f, &f->p->groupings[i].key))
			return true;
	return false;
}

/* What is no leak is not live. */
static void leave_out(struct leaks *l, const struct trace *t, uint32_t stack, struct tally_sums *s)
{
	enum sum bytes = s->v[SUM_LIVE_REAL] ? SUM_LIVE_REAL : SUM_LIVE_REQUESTED;

	if (s->v[SUM_LIVE_COUNT] && leaks_none(l, t, stack, s->v[SUM_LIVE_COUNT], s->v[bytes]))
		s->v[SUM_LIVE_COUNT] = s->v[SUM_LIVE_REQUESTED] = s->v[SUM_LIVE_REAL] = 0;
}

/* What is live of s, where a library keeps it for as long as the program runs. */
static struct tally_sums in_caches(struct leaks *l, const struct trace *t, uint32_t stack,
				   const struct tally_sums *s)
{
	enum sum bytes = s->v[SUM_LIVE_REAL] ? SUM_LIVE_REAL : SUM_LIVE_REQUESTED;
	struct tally_sums live = {.has = 0};

	if (!l || !s->v[SUM_LIVE_COUNT] ||
	    !leaks_none(l, t, stack, s->v[SUM_LIVE_COUNT], s->v[bytes]))
		return live;
	live = *s;
	live.has &= SUMS_LIVE;
	return live;
}

/* What a record has itself, asked for or not. */
static void add_base(struct tally_sums *to, const struct tally_sums *s)
{
	struct tally_sums base = *s;

	base.has &= SUMS_BASE;
	sums_add(to, &base);
}

static void add_whole(const struct group_pass *f, size_t cell)
{
	struct tally_sums s;

	if (!f->p->options.totals)
		return;
	tally_sums(f->a, cell, &s);
	add_base(&f->p->now.totals.all, &s);
}

enum { AHEAD = 12 }; /* cells whose stacks are fetched ahead; by experiment */

/* What the groups of a key keep of a record's sums. */
static struct tally_sums sums_kept(const struct grouping_key *key, const struct tally_sums *s)
{
	struct tally_sums kept = *s;

	if (key->sums)
		kept.has &= key->sums;
	return kept;
}

static void grouped_profile_fold_cells(struct group_pass *f)
{
	struct grouped_profile *p = f->p;
	struct profile *r = &p->now;

	for (size_t i = 0; i < f->a->n_cells; i++) {
		const struct tally_cell *c = &f->a->cells[i];
		struct tally_sums s;
		struct tally_sums own, at_site, cached;
		uint32_t node;
		unsigned tier = TIERS;
		bool kept;

		if (f->a->n_cells - i > AHEAD) {
			pass_prefetch(f, &c[AHEAD]);
			pass_prefetch_node(f, &c[AHEAD / 2]);
		}
		if (!tally_touched(f->a, i))
			continue; /* nothing in the ranges */
		s = pass_cell(f, i);
		if (!pass_in_domain(f, c->domain)) {
			sums_add(&r->other_domains[c->domain], &s);
			continue;
		}
		if (p->options.leaks)
			leave_out(p->options.leaks, f->t, c->stack, &s);
		if (c->domain < CELL_TIMED) {
			sums_add(&r->domains[c->domain], &s);
			add_whole(f, i);
		}
		sums_add(&r->unfiltered, &s);
		kept = pass_place(f, c, &node);
		periods_see(f, c, &s, kept);
		if (!kept)
			continue;
		own = pass_own_time(f, i, &s);
		cached = in_caches(p->options.caches, f->t, c->stack, &s);
		sums_add(&r->cached, &cached);
		f->own_times |= own.has != 0;
		f->uncounted |= own.v[SUM_TIME_TOTAL] && !tally_timed(f->a, i)->calls;
		f->has |= s.has;
		sums_add(&r->all, &s);
		sums_add(&r->all, &own);
		if (node) {
			uint32_t site = pass_node_site(f, node) & ~SITE_INSIDE;

			tier = p->names.locations[p->names.calls[site].location].tier;
		}
		sums_add(&r->coverage[tier], &s);
		at_site = s;
		if (s.has >> SUM_CALLS & 1 && pass_call_handed_on(f, node)) {
			at_site.has &= ~SUM_BIT(SUM_CALLS);
			at_site.v[SUM_CALLS] = 0;
		}
		r->typed += c->type && !node ? s.v[SUM_ENTRIES] : 0;
		for (size_t k = 0; k < p->n_groupings; k++) {
			const struct grouping_key *key = &p->groupings[k].key;
			struct tally_sums here =
			    sums_kept(key, key_is_of_site(key->by) ? &at_site : &s);
			uint32_t g;

			if (key->by == KEY_FRAME)
				continue; /* they were added slice by slice */
			g = pass_group(f, c, node, k);
			columns_add(&r->keys[k].self, g, &here);
			if (cached.has)
				columns_add(&r->keys[k].cached, g, &cached);
			if (!node || !pass_has_totals(f, &p->groupings[k].key))
				columns_add(&r->keys[k].self, g, &own);
			if (!node && grouping_has_total(&p->groupings[k].key))
				columns_add(&r->keys[k].total, g, &s);
		}
		/* Nodes grow in number while cells are looked at. */
		if (totals_asked(f) && c->domain != CELL_CALLED) {
			f->cells = mem_grow_zero(f->cells, &f->cap_cells, (size_t)node + 1,
						 sizeof *f->cells);
			f->cell_next[i] = f->cells[node];
			f->cells[node] = (uint32_t)i + 1;
		}
	}
}

/* Sums that are known per type only. add_up: to everything; else to a grouping by type. */
static void grouped_profile_fold_type_totals(struct group_pass *f, size_t grouping, bool add_up)
{
	struct profile *r = &f->p->now;

	for (uint32_t type = 0; type < f->t->n_types; type++) {
		struct tally_sums s;

		tally_type_sums(f->a, type, &s);
		if (!s.has)
			continue;
		if (add_up) {
			sums_add(&r->unfiltered, &s);
			add_base(&r->totals.all, &s);
		}
		if (!pass_type(f, type)->kept)
			continue;
		if (add_up)
			sums_add(&r->all, &s);
		else
			columns_add(&r->keys[grouping].self, pass_type_group(f, type, grouping),
				    &s);
	}
}

static void grouped_profile_fold_groupings(struct group_pass *f)
{
	struct grouped_profile *p = f->p;
	bool by_type = filters_by_type(p->options.filters), at_types = false;

	if (totals_asked(f) || f->at_cells >> SUM_TIME_TOTAL & 1)
		f->cell_next = mem_zarray(f->a->n_cells + 1, sizeof *f->cell_next);
	grouped_profile_fold_cells(f);
	pass_times(f);
	pass_calls_times(f);
	for (size_t k = 0; k < p->n_groupings; k++) {
		const struct grouping_key *key = &p->groupings[k].key;

		if (key->within)
			continue;
		if (pass_has_totals(f, key))
			pass_totals(f, k);
		if (key_has_total(key->by))
			pass_calls_totals(f, k);
		if (key->by == KEY_TYPE && by_type)
			grouped_profile_fold_type_totals(f, k, false);
		at_types |= key->by == KEY_TYPE || key->by == KEY_FRAME;
	}
	if (at_types && by_type)
		grouped_profile_fold_type_totals(f, 0, true);
}

enum status grouped_profile_see_clock(struct grouped_profile *p, const char *clock, struct err *e)
{
	struct intern *strings = &p->names.strings;
	const char *before = p->now.clock ? intern_text(strings, p->now.clock, NULL) : NULL;

	if (trace_clocks_agree(clock, before, e))
		return err_failure(e);
	if (clock && *clock)
		p->now.clock = intern_add(strings, clock, strlen(clock));
	return ST_OK;
}

static enum status grouped_profile_fold(void *arg, struct trace *t, struct tally *a, struct err *e)
{
	struct grouped_profile *p = arg;
	struct group_pass *f;

	if (t->events[EV_SAMPLE] && grouped_profile_see_clock(p, trace_get(t, TRACE_CLOCK), e))
		return err_failure(e);
	f = pass_begin(p, t);
	p->now.captures++;
	pass_settle_domain(f);
	for (int d = 0; f->domain == DOMAIN_DEFAULT && d < DOMAINS; d++)
		if (a->records[d])
			f->domain = d;
	if (f->domain == DOMAIN_DEFAULT)
		f->domain = DOMAIN_MALLOC;
	f->at_cells = tally_cell_states(a, t, (unsigned)f->domain);
	if (!a->unselected)
		pass_all_stacks(f);
	grouped_profile_fold_groupings(f);
	pass_learn(f);
	if (p->options.on_cells_done)
		p->options.on_cells_done(p->options.arg, p, t);
	pass_notes(f, t);
	pass_end(p);
	if (p->options.captured)
		p->options.captured(p->options.arg, t);
	return ST_OK;
}

uint32_t grouped_profile_cell_group(struct grouped_profile *p, const struct trace *t, size_t cell,
				    size_t grouping)
{
	const struct tally_cell *c = &p->tally.cells[cell];
	struct group_pass *f = pass_begin(p, t);
	uint32_t node;

	pass_settle_domain(f);
	if (!pass_in_domain(f, c->domain) || !pass_place(f, c, &node))
		return GROUP_NONE;
	return pass_group(f, c, node, grouping);
}

uint32_t grouped_profile_type_group(struct grouped_profile *p, const struct trace *t, uint32_t type,
				    size_t grouping)
{
	struct group_pass *f = pass_begin(p, t);

	if (!filters_by_type(p->options.filters) || !pass_type(f, type)->kept)
		return GROUP_NONE;
	return pass_type_group(f, type, grouping);
}

void grouped_profile_finish_run(struct grouped_profile *p, struct profile *to)
{
	*to = p->now;
	profile_init(&p->now, p->n_groupings);
}

void grouped_profile_init(struct grouped_profile *p, const struct grouped_profile_options *o)
{
	struct tally_options a = {
	    .selection = o->selection,
	    .want = o->want,
	    .domains_together = o->domain == DOMAIN_ALL,
	    .every = o->every,
	    .hook_cost = o->hook_cost,
	    .totals = o->totals,
	    .collapse =
		filters_any(o->filters) || o->owners || o->leaks || o->caches ? 0 : o->collapse,
	    .counters = o->counters,
	    .done = grouped_profile_fold,
	    .slice = pass_slice,
	    .slice_arg = p,
	    .arg = p};
	bool by_frame = false, by_thread = false;

	*p = (struct grouped_profile){
	    .options = *o, .domain = o->domain, .n_groupings = o->n_by ? o->n_by : 1};
	p->merges = filters_take_calls(o->filters);
	for (size_t i = 0; i < p->n_groupings; i++) {
		grouping_init(&p->groupings[i], o->by[i]);
		p->merges |= o->by[i].by == KEY_STACK;
		by_frame |= o->by[i].by == KEY_FRAME;
		by_thread |= o->by[i].by == KEY_THREAD;
	}
	a.slicing = o->slicing == SLICE_NONE && by_frame ? SLICE_FRAMES : o->slicing;
	a.slice_marked = o->slice_marked && a.slicing == SLICE_FRAMES && !by_frame;
	a.slice_cells = o->slice_cells || (by_frame && filters_any(o->filters));
	a.slice_main = o->slice_main;
	a.split = by_thread ? SPLIT_THREAD : 0;
	p->memo = mem_zalloc(sizeof *p->memo);
	p->memo->listener = (struct tally_listener){.arg = p,
						    .needs_caller = pass_calls_need_caller,
						    .entered = pass_calls_entered,
						    .ended = pass_calls_ended};
	if (pass_calls_suffice(p))
		a.listener = &p->memo->listener;
	tally_init(&p->tally, &a);
	names_init(&p->names);
	p->names.mangled = o->mangled;
	p->names.paths = o->paths;
	p->no_file = intern_add(&p->names.strings, "[no file]", 9);
	p->no_module = intern_add(&p->names.strings, "[no module]", 11);
	if (!o->sites)
		p->own_sites = sites_new();
	stacks_init(&p->stacks);
	grouped_profile_set_site(p, 0, 0);
	VEC_PUSH(p->sites, p->n_sites, p->cap_sites) = 0;
	profile_init(&p->now, p->n_groupings);
}

void grouped_profile_close(struct grouped_profile *p)
{
	struct pass_memo *m = p->memo;

	pass_end(p);
	tally_release(&p->tally);
	names_close(&p->names);
	if (!m)
		return;
	id_set_release(&m->site_set);
	stacks_close(&p->stacks);
	free(m->function_sites);
	free(m->module_sites);
	free(m->file_sites);
	free(m->named_functions);
	free(m->named_modules);
	free(m->named_files);
	free(m->location_info);
	free(m->collapsed);
	free(m->location_sites);
	free(m->site_ids);
	*m = (struct pass_memo){.owners = m->owners, .cap_owners = m->cap_owners};
}

void grouped_profile_release(struct grouped_profile *p)
{
	grouped_profile_close(p);
	sites_free(p->own_sites);
	names_release(&p->names);
	intern_release(&p->texts);
	buf_release(&p->crashes);
	free(p->threads_of);
	free(p->passed);
	free(p->sites);
	intern_release(&p->frames);
	free(p->frame_rows);
	for (size_t i = 0; i < p->n_groupings; i++)
		grouping_release(&p->groupings[i]);
	profile_release(&p->now);
	stacks_release(&p->stacks);
	free(p->stack_sites);
	if (p->memo)
		free(p->memo->owners);
	free(p->memo);
	*p = (struct grouped_profile){.n_groupings = 0};
}
