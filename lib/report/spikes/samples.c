/* SPDX-License-Identifier: MIT */
#include "lib/report/spikes/samples.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text_file.h"
#include "lib/report/spikes/judge.h"

#include <string.h>

/* The functions of the sample's stack, outermost first; *cut: outer ones are left out. */
static size_t path_of(struct spikes *s, const struct trace *t, const struct event *ev,
		      uint32_t leaf, bool *cut)
{
	struct spikes_reading *r = s->reading;
	uint32_t stack = ev->has & EV_HAS_STACK ? t->stacks[ev->stack].parent : 0;
	size_t n = 1;

	for (uint32_t i = stack; i && n < s->options.depth; i = t->stacks[i].parent)
		n++;
	if (n > r->cap_path)
		r->path = mem_grow(r->path, &r->cap_path, n, sizeof *r->path);
	r->path[n - 1] = leaf;
	for (size_t i = n - 1; i-- > 0; stack = t->stacks[stack].parent)
		r->path[i] = spike_function_at(&s->functions, t, t->stacks[stack].location);
	*cut = stack != 0;
	return n;
}

/* The state of the innermost call of the path. */
static void judge(const struct spikes *s, const struct spike_thread *th, size_t n,
		  struct spike_place *place, struct spike_state *to)
{
	const struct spikes_reading *r = s->reading;
	struct spike_state outer;

	place->callers = r->path;
	for (size_t i = 0; i < n; i++) {
		place->n_callers = i;
		spikes_judge(s, r->path[i], th->limit, i ? &outer : NULL, place, to);
		outer = *to;
	}
}

/* Callers of calls that give them a limit. */
static void mark_callers(struct spikes *s, const struct trace *t, uint32_t stack, uint64_t limit)
{
	struct spikes_reading *r = s->reading;
	uint32_t index = 0;

	while (index < r->n_parent_limits && r->parent_limits[index] != limit)
		index++;
	if (index == r->n_parent_limits)
		VEC_PUSH(r->parent_limits, r->n_parent_limits, r->cap_parent_limits) = limit;
	for (size_t i = 1; i < s->options.depth && (stack = t->stacks[stack].parent); i++) {
		uint32_t *given = map64_put(&r->parents, stack);

		if (!*given || r->parent_limits[*given - 1] < limit)
			*given = index + 1;
	}
}

/* Lines "3) text" describe a call of the stack, others are messages. */
static void spikes_samples_add_texts(struct spikes *s, const char *p, size_t n, size_t depth)
{
	struct text_lines lines = {p, p + n, 0};
	const char *stop;

	while (text_lines_next(&lines, &p, &stop)) {
		const char *q = p;
		uint64_t at = depth;

		while (q < stop && *q >= '0' && *q <= '9')
			q++;
		if (q > p && q + 1 < stop && q[0] == ')' && q[1] == ' ' &&
		    num_dec(p, (size_t)(q - p), &at) && at < depth)
			p = q + 2;
		else
			at = depth;
		spikes_add_text(s, (size_t)at, p, (size_t)(stop - p));
	}
}

static void add_rule_texts(struct spikes *s, const struct spike_seen *spike,
			   const struct spike_state *state)
{
	const struct spike_rule *rules = s->options.rules->items;

	if (state->describe)
		spikes_add_rule_text(s, spike, spike->depth - 1,
				     rules[state->describe - 1].describe);
	if (state->message)
		spikes_add_rule_text(s, spike, spike->depth, rules[state->message - 1].message);
}

enum status spikes_sample(struct spikes *s, const struct trace *t, const struct event *ev,
			  struct err *e)
{
	struct spikes_reading *r = s->reading;
	struct spike_thread *th = spikes_thread(s, t, ev->thread);
	uint32_t marker = ev->has & EV_HAS_TYPE ? ev->type : 0, stack, leaf, given, kept = 0;
	uint64_t calls = ev->has & EV_HAS_COUNT && ev->count ? ev->count : 1;
	struct spike_place place = {.t = t,
				    .thread = ev->thread,
				    .at = {.in_frame = r->in_frame,
					   .frame = r->frame,
					   .has_time = ev->has & EV_HAS_TIME,
					   .time = ev->time}};
	struct spike_seen spike = {.t = t,
				   .thread = ev->thread,
				   .calls = calls,
				   .has_self = ev->has & EV_HAS_TARGET,
				   .self = ev->target / calls,
				   .has_time = place.at.has_time,
				   .has_frame = place.at.in_frame,
				   .time = ev->time,
				   .frame = r->frame,
				   .sample = true};
	struct spike_state state = {.limit = 0};
	bool reported, cut;

	if (th->inactive)
		return ST_OK;
	spike.unmeasured = r->logged && !(ev->has & EV_HAS_VALUE);
	if ((!(ev->has & EV_HAS_VALUE) && !spike.unmeasured) || ev->value < 0) {
		r->odd[ev->has & EV_HAS_VALUE ? ODD_VALUE : ODD_STACKS]++;
		s->stacks += !(ev->has & EV_HAS_VALUE);
		return ST_OK;
	}
	stack = ev->has & EV_HAS_STACK ? ev->stack : 0;
	leaf = spike_function_of(&s->functions, t, stack ? t->stacks[stack].location : 0, marker);
	r->odd[ODD_MERGED] += calls > 1;
	s->merged |= calls > 1;
	r->odd[ODD_UNCORRECTED] += s->options.hook_cost > 0;
	s->calls += calls;
	s->functions.items[leaf].calls += calls;
	spike.total = spike.unmeasured ? 0 : (uint64_t)ev->value / calls;
	if (!spike.unmeasured && spike.total <= r->least && !s->functions.items[leaf].gives_parents)
		return ST_OK;
	spike.depth = path_of(s, t, ev, leaf, &cut);
	spike.path = r->path;
	spike.cut = cut;
	judge(s, th, spike.depth, &place, &state);
	if (state.has_parents && stack)
		mark_callers(s, t, stack, state.parents);
	given = stack ? map64_get(&r->parents, stack) : 0;
	if (!spike.unmeasured)
		spike.limit = given ? r->parent_limits[given - 1] : state.limit;
	if (state.paused || state.ignored || (!spike.unmeasured && spike.total <= spike.limit) ||
	    !th->selected)
		return ST_OK;
	r->n_texts = 0;
	r->text.len = 0;
	if (ev->has & EV_HAS_NAME) {
		size_t n;
		const char *text = intern_text(&t->strings, ev->name, &n);

		spikes_samples_add_texts(s, text, n, spike.depth);
	}
	add_rule_texts(s, &spike, &state);
	spike.owner = OWNER_NONE;
	for (size_t i = 0; i < spike.depth; i++) {
		const struct spike_function *f = &s->functions.items[spike.path[i]];

		kept |= f->kept;
		spike.owner = f->owner < spike.owner ? f->owner : spike.owner;
	}
	return spikes_report(s, &spike, marker, kept, &reported, e);
}
