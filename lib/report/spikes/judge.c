/* SPDX-License-Identifier: MIT */
#include "lib/report/spikes/judge.h"

#include "lib/base/mem.h"

#include <string.h>

static const char *thread_name(const struct trace *t, uint32_t id, size_t *n)
{
	return intern_text(&t->strings, id < t->n_threads ? t->threads[id].name : 0, n);
}

static void spikes_judge_ask(struct spikes *s, const struct trace *t, uint32_t id,
			     struct spike_thread *th)
{
	const struct spike_rules *rules = s->options.rules;
	bool has_active = false, has_limit = false;
	size_t n;
	const char *name = thread_name(t, id, &n);

	th->asked = true;
	th->limit = s->options.threshold;
	th->selected = !s->options.selection || selection_has_thread(s->options.selection, t, id);
	for (size_t i = 0; i < rules->n; i++) {
		const struct spike_rule *r = &rules->items[i];

		if (r->kind != SPIKE_THREAD || !spike_matches_any(&r->match, name, n))
			continue;
		if (r->active && !has_active)
			th->inactive = r->active == SPIKE_NO;
		if (r->has_threshold && !has_limit)
			th->limit = r->threshold;
		has_active |= r->active != SPIKE_UNSET;
		has_limit |= r->has_threshold;
		th->by_rule = has_limit;
	}
}

struct spike_thread *spikes_thread(struct spikes *s, const struct trace *t, uint32_t id)
{
	struct spikes_reading *r = s->reading;

	if (id >= r->n_threads) {
		size_t n = t->n_threads > id ? t->n_threads : (size_t)id + 1;

		if (n < 2 * r->n_threads)
			n = 2 * r->n_threads;
		r->threads = mem_realloc(r->threads, n, sizeof *r->threads);
		memset(&r->threads[r->n_threads], 0, (n - r->n_threads) * sizeof *r->threads);
		r->n_threads = n;
	}
	if (!r->threads[id].asked)
		spikes_judge_ask(s, t, id, &r->threads[id]);
	return &r->threads[id];
}

static bool is_below(const struct spikes *s, uint32_t rule, const struct spike_place *place)
{
	for (size_t i = 0; i < place->n_callers; i++) {
		const struct spike_function *f = &s->functions.items[place->callers[i]];

		for (uint32_t k = 0; k < f->n_below; k++)
			if (s->functions.rule_lists[f->first_below + k] == rule)
				return true;
	}
	return false;
}

static bool holds(const struct spikes *s, uint32_t rule, const struct spike_place *place)
{
	const struct spike_rule *r = &s->options.rules->items[rule];
	size_t n;
	const char *name;

	if (!selection_has_place(&r->in, &place->at))
		return false;
	if (r->threads.n) {
		name = thread_name(place->t, place->thread, &n);
		if (!spike_matches_any(&r->threads, name, n))
			return false;
	}
	return !r->below.n || is_below(s, rule, place);
}

struct verdict { /* the first rule that says something decides */
	bool own, sub, children, parents;
	uint64_t own_limit, sub_limit;
	uint8_t ignore, ignore_children, pause;
};

static void spikes_judge_apply(struct spike_state *to, struct verdict *v,
			       const struct spike_rule *r, uint32_t i)
{
	if (r->has_threshold && r->kind == SPIKE_FUNCTION && !v->own) {
		v->own = true;
		v->own_limit = r->threshold;
	}
	if (r->has_threshold && r->kind == SPIKE_SUBSYSTEM && !v->sub) {
		v->sub = true;
		v->sub_limit = r->threshold;
	}
	if (r->has_children && !v->children) {
		v->children = to->has_child_limit = true;
		to->child_limit = r->children;
	}
	if (r->has_parents && !to->has_parents) {
		to->has_parents = true;
		to->parents = r->parents;
	}
	if (!v->ignore)
		v->ignore = r->ignore;
	if (!v->ignore_children)
		v->ignore_children = r->ignore_children;
	if (!v->pause)
		v->pause = r->pause;
	if (r->message && !to->message)
		to->message = i + 1;
	if (r->describe && !to->describe)
		to->describe = i + 1;
}

void spikes_judge(const struct spikes *s, uint32_t function, uint64_t thread_limit,
		  const struct spike_state *parent, const struct spike_place *place,
		  struct spike_state *to)
{
	const struct spike_function *f = &s->functions.items[function];
	struct verdict v = {.own = false};

	*to = (struct spike_state){.limit = thread_limit};
	if (parent) {
		if (parent->has_child_limit)
			to->limit = parent->child_limit;
		to->by_rule = parent->has_child_limit;
		to->has_child_limit = parent->has_child_limit;
		to->child_limit = parent->child_limit;
		to->paused = parent->paused;
		to->ignored = to->children_ignored = parent->children_ignored;
	}
	if (!f->n_rules)
		return;
	for (uint32_t k = 0; k < f->n_rules; k++) {
		uint32_t i = s->functions.rule_lists[f->first + k];

		if (holds(s, i, place))
			spikes_judge_apply(to, &v, &s->options.rules->items[i], i);
	}
	if (v.own)
		to->limit = v.own_limit;
	else if (v.sub && !(parent && parent->has_child_limit))
		to->limit = v.sub_limit;
	to->by_rule |= v.own || v.sub;
	to->ignored |= v.ignore == SPIKE_YES;
	to->children_ignored |= v.ignore_children == SPIKE_YES;
	to->paused |= v.pause == SPIKE_YES;
}

void spikes_add_text(struct spikes *s, size_t at, const char *text, size_t n)
{
	struct spikes_reading *r = s->reading;
	struct spike_text row = {.at = at, .n = n};

	buf_add(&r->text, text, n);
	if (n)
		VEC_PUSH(r->texts, r->n_texts, r->cap_texts) = row;
}

void spikes_add_rule_text(struct spikes *s, const struct spike_seen *spike, size_t at,
			  const char *pattern)
{
	struct spikes_reading *r = s->reading;
	uint32_t function = spike->path[at < spike->depth ? at : spike->depth - 1];
	struct spike_text row = {.at = at};
	size_t before = r->text.len;
	struct spike_words w = {.has_total = at == spike->depth && !spike->unmeasured,
				.total = spike->total,
				.has_frame = spike->has_frame,
				.frame = spike->frame};

	w.function = spike_function_name(&s->functions, function, &w.n_function);
	w.thread = thread_name(spike->t, spike->thread, &w.n_thread);
	spike_fill(&r->text, s->options.rules, pattern, &w);
	row.n = r->text.len - before;
	if (row.n)
		VEC_PUSH(r->texts, r->n_texts, r->cap_texts) = row;
}

static bool spikes_judge_is_kept(struct spikes *s, const struct spike_seen *spike, uint32_t marker,
				 uint32_t bits)
{
	const struct tally_selection *selection = s->options.selection;
	const struct selection_place at = {.in_frame = spike->has_frame,
					   .frame = spike->frame,
					   .has_time = spike->has_time,
					   .time = spike->time};
	struct filters *f = s->options.filters;
	const char *name;
	size_t n;

	if (selection && !selection_has_place(selection, &at))
		return false;
	if (!f || !filters_any(f))
		return true;
	if (filters_has(f, FILTER_TYPE)) {
		name = intern_text(&spike->t->strings, spike->t->markers[marker].name, &n);
		if (!filters_match(f, FILTER_TYPE, name, marker ? n : 0))
			return false;
	}
	name = owners_name(s->options.owners, spike->owner);
	if (filters_has(f, FILTER_OWNER) && !filters_match(f, FILTER_OWNER, name, strlen(name)))
		return false;
	return filters_kept(f, bits);
}

enum status spikes_report(struct spikes *s, struct spike_seen *spike, uint32_t marker,
			  uint32_t kept, bool *reported, struct err *e)
{
	struct spikes_reading *r = s->reading;

	*reported = false;
	if (!spikes_judge_is_kept(s, spike, marker, kept)) {
		s->filtered++;
		return ST_OK;
	}
	for (size_t i = 0, at = 0; i < r->n_texts; at += r->texts[i++].n)
		r->texts[i].s = buf_at(&r->text, at);
	spike->texts = r->texts;
	spike->n_texts = r->n_texts;
	s->found++;
	s->unmeasured += spike->unmeasured;
	s->functions.items[spike->path[spike->depth - 1]].spikes++;
	*reported = true;
	return s->options.spiked(s->options.arg, spike, e);
}
