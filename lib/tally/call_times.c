/* SPDX-License-Identifier: MIT */
#include "lib/tally/call_times.h"

#include "lib/base/mem.h"
#include "lib/tally/selected.h"
#include "lib/tally/slices.h"
#include "lib/trace/reading.h"

#include <stdlib.h>
#include <string.h>

/* What every call has. */
enum { OF_CALLS = 1 << SUM_TIME_SELF | 1 << SUM_TIME_TOTAL | 1 << SUM_CALLS };

void call_times_free(struct call_times *m)
{
	if (!m)
		return;
	free(m->cells);
	free(m->debt);
	free(m->latest);
	open_calls_release(&m->open);
	free(m);
}

void call_times_begin(struct tally *a, const struct trace *t)
{
	struct call_times *m = a->call_times;
	bool heaps = t->metrics[METRIC_NET].state != METRIC_ABSENT;
	const char *periods = trace_get(t, TRACE_PERIODS);

	if (!(a->want & SUMS_MEASURED)) {
		call_times_free(m);
		a->call_times = NULL;
		return;
	}
	if (!m)
		m = a->call_times = mem_zalloc(sizeof *m);
	m->n_cells = 0;
	if (m->debt)
		memset(m->debt, 0, m->cap_debt * sizeof *m->debt);
	if (m->latest)
		memset(m->latest, 0, m->cap_latest * sizeof *m->latest);
	open_calls_reset(&m->open);
	m->main_thread = 0;
	m->selfless = 0;
	m->clipped = 0;
	m->seen = 0;
	m->declared = t->metrics[METRIC_TIME].state != METRIC_ABSENT;
	m->time_state = m->declared ? t->metrics[METRIC_TIME].state : METRIC_EXACT;
	/* What is taken off is a guess. */
	if (a->options.hook_cost)
		m->time_state = METRIC_ESTIMATED;
	m->period_state =
	    periods && !strcmp(periods, TRACE_PERIODS_COUNTED) ? METRIC_EXACT : METRIC_ESTIMATED;
	m->net_state = heaps ? t->metrics[METRIC_NET].state : METRIC_EXACT;
}

bool call_times_pending(const struct tally *a, const struct trace *t, const struct event *ev,
			struct queued_event *p)
{
	const bool marked = ev->kind != EV_DELTA && ev->kind != EV_COUNTER;

	if (ev->kind == EV_DELTA && ev->domain != DOMAIN_LUA && ev->domain != DOMAIN_MONO)
		return false;
	*p = (struct queued_event){
	    .kind = ev->kind,
	    .domain = CELL_TIMED,
	    .has = ev->has,
	    .type = marked && ev->type < t->n_markers ? ev->type : 0,
	    .stack = ev->stack < t->n_stacks ? ev->stack : 0,
	    .thread_id = ev->thread < t->n_threads ? ev->thread : 0,
	    .count = ev->has & EV_HAS_COUNT && (ev->kind != EV_ENTER || !ev->count) ? ev->count : 1,
	    .timed = a->has_time,
	    .own_time = ev->has & EV_HAS_TIME,
	    .time = a->state->at.time,
	};
	p->thread = a->options.split & SPLIT_THREAD ? p->thread_id : 0;
	if (ev->kind == EV_SAMPLE) {
		uint64_t samples;

		p->samples = event_samples(ev, &samples);
		p->count = p->samples ? samples : p->count;
		p->requested = ev->value > 0 ? (uint64_t)ev->value : 0;
		p->real = ev->target > INT64_MAX ? INT64_MAX : ev->target;
		p->seq = ev->requested;
	} else if (ev->kind == EV_ENTER) {
		p->requested = open_calls_pause(ev);
		p->real = open_calls_waits(ev);
	} else if (ev->kind == EV_COUNTER) {
		p->type = ev->type < t->n_counters ? ev->type : 0;
		p->change = ev->value;
		p->real = reading_fraction(ev);
	} else if (ev->kind == EV_DELTA) {
		p->change = ev->value;
		p->seq = ev->domain == DOMAIN_MONO;
	}
	return true;
}

/* The cell's row. */
static struct tally_measure *row(struct tally *a, uint32_t cell)
{
	struct call_times *m = a->call_times;

	if (cell >= m->n_cells) {
		m->cells = mem_grow(m->cells, &m->cap_cells, (size_t)cell + 1, sizeof *m->cells);
		memset(m->cells + m->n_cells, 0,
		       ((size_t)cell + 1 - m->n_cells) * sizeof *m->cells);
		m->n_cells = (size_t)cell + 1;
	}
	return &m->cells[cell];
}

static uint64_t *by_stack(uint64_t **v, size_t *cap, uint32_t stack)
{
	*v = mem_grow_zero(*v, cap, (size_t)stack + 1, sizeof **v);
	return &(*v)[stack];
}

static uint32_t *latest_cell(struct call_times *m, uint32_t stack)
{
	m->latest = mem_grow_zero(m->latest, &m->cap_latest, (size_t)stack + 1, sizeof *m->latest);
	return &m->latest[stack];
}

static bool is_main(const char *name)
{
	static const char *const names[] = {"Main Thread", "MainThread", "main", "GameThread",
					    "Main"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* By its name, or the first that has calls. */
static void find_main(struct call_times *m, const struct trace *t, uint32_t thread)
{
	m->main_thread = thread + 1;
	for (uint32_t i = 1; i < t->n_threads; i++)
		if (is_main(trace_text(t, t->threads[i].name))) {
			m->main_thread = i + 1;
			return;
		}
}

static void add_to_row(struct tally *a, uint32_t cell, int64_t ns)
{
	struct tally_measure *r = row(a, cell);

	r->self = add_signed(r->self, ns);
	r->has |= SUM_BIT(SUM_TIME_SELF);
}

static unsigned kinds_of_time(const struct tally *a, uint32_t cell, uint32_t thread)
{
	const struct call_times *m = a->call_times;

	return (m->main_thread == thread + 1 ? SLICE_MAIN : 0u) |
	       (m->cells[cell].waits ? SLICE_WAITS : 0u);
}

/* Time in the code of a cell itself, that the event states; below 0: what the hook took. */
static void add_self(struct tally *a, uint32_t cell, uint32_t thread, int64_t ns)
{
	add_to_row(a, cell, ns);
	if (a->slices)
		slices_add_self(a, cell, kinds_of_time(a, cell, thread), ns);
}

static void add_entry(struct tally *a, uint32_t cell)
{
	a->cells[cell].entries++;
	if (a->slices)
		slices_add_sum(a, cell, SUM_ENTRIES, 1);
}

static uint64_t saturated(uint64_t x, uint64_t y)
{
	uint64_t v;

	return __builtin_mul_overflow(x, y, &v) || v > INT64_MAX ? INT64_MAX : v;
}

/* The hook's time for these calls was spent in their caller, whose sample may come later. */
static void call_times_charge_hook(struct tally *a, const struct trace *t,
				   const struct queued_event *p, uint32_t cell)
{
	struct call_times *m = a->call_times;
	uint32_t caller = t->stacks[p->stack].parent, to;
	uint64_t cost = saturated(p->count, a->options.hook_cost);
	uint64_t *debt = by_stack(&m->debt, &m->cap_debt, p->stack);

	*latest_cell(m, p->stack) = cell + 1;
	if (*debt)
		add_self(a, cell, p->thread_id, -(int64_t)*debt);
	*debt = 0;
	to = caller ? *latest_cell(m, caller) : 0;
	if (to)
		add_self(a, to - 1, p->thread_id, -(int64_t)cost);
	else if (caller) {
		debt = by_stack(&m->debt, &m->cap_debt, caller);
		*debt = add_saturating(*debt, cost) & INT64_MAX;
	}
}

static void call_times_add_sample(struct tally *a, const struct trace *t,
				  const struct queued_event *p)
{
	struct call_times *m = a->call_times;
	uint32_t cell = tally_place(a, p);
	struct tally_measure *r = row(a, cell);
	unsigned has = 0;

	add_entry(a, cell);
	if (p->samples) {
		has |= SUM_BIT(SUM_SAMPLES);
		r->samples = add_saturating(r->samples, p->count);
		if (a->slices)
			slices_add_sum(a, cell, SUM_SAMPLES, p->count);
	} else if (p->has & (EV_HAS_VALUE | EV_HAS_COUNT)) {
		has |= SUM_BIT(SUM_CALLS);
		r->calls = add_saturating(r->calls, p->count);
		r->sampled = add_saturating(r->sampled, p->count);
		if (a->slices)
			slices_add_sum(a, cell, SUM_CALLS, p->count);
	}
	if (p->has & EV_HAS_REQUESTED) {
		has |= SUM_BIT(SUM_PERIOD);
		r->period = add_saturating(r->period, p->seq);
		if (a->slices)
			slices_add_sum(a, cell, SUM_PERIOD, p->seq);
	}
	if (p->has & EV_HAS_VALUE) {
		r->total = add_saturating(r->total, p->requested);
		has |= SUM_BIT(SUM_TIME_TOTAL);
		if (!(p->has & EV_HAS_TARGET))
			m->selfless++;
	}
	r->has |= has;
	m->seen |= has;
	if (!m->main_thread)
		find_main(m, t, p->thread_id);
	if (p->has & EV_HAS_TARGET) {
		m->seen |= SUM_BIT(SUM_TIME_SELF);
		add_self(a, cell, p->thread_id, (int64_t)p->real);
		if (a->options.hook_cost)
			call_times_charge_hook(a, t, p, cell);
	}
}

static void add_delta(struct tally *a, const struct queued_event *p)
{
	struct call_times *m = a->call_times;
	uint32_t cell = tally_place(a, p);
	struct tally_measure *r = row(a, cell);
	bool mono = p->seq;
	unsigned has = SUM_BIT(mono ? SUM_MONO_NET : SUM_LUA_NET);

	add_entry(a, cell);
	r->net[mono] = add_signed(r->net[mono], p->change);
	r->has |= has;
	if (p->has & EV_HAS_COUNT)
		r->measured = add_saturating(r->measured, p->count);
	if (a->slices) {
		slices_add_sum(a, cell, mono ? SUM_MONO_NET : SUM_LUA_NET, (uint64_t)p->change);
		if (p->has & EV_HAS_COUNT)
			slices_add_timed(a, cell, p->count);
	}
	m->seen |= has;
}

/* From lo up to hi, as far as the ranges of frames have it; selected: they have the present event. */
static uint64_t in_frames(const struct tally *a, int64_t lo, int64_t hi, bool selected)
{
	const struct tally_selection *s = a->options.selection;
	const struct frame_marks *marks = &a->state->marks;

	if (s && s->frames.n && frame_marks_timed(marks))
		return frame_marks_selected(marks, lo, hi);
	return !s || !s->frames.n || selected ? (uint64_t)hi - (uint64_t)lo : 0;
}

/* The time that counts. */
static int64_t pass(struct tally *a, uint32_t thread, int64_t lo, int64_t hi, bool selected)
{
	struct open_call *top = open_calls_top(open_calls_thread(&a->call_times->open, thread));
	int64_t ns = (int64_t)in_frames(a, lo, hi, selected);

	if (!ns || top->pause)
		return 0;
	top->total = add_signed(top->total, ns);
	top->self = add_saturating(top->self, (uint64_t)ns);
	add_to_row(a, top->user, ns);
	if (a->slices)
		slices_add_span(a, top->user, kinds_of_time(a, top->user, thread), lo, hi);
	return ns;
}

/* What passes of the thread's open calls outside of the ranges is no part of their time. */
static void clip(struct open_thread *th, int64_t ns, int64_t passed)
{
	struct open_call *top = open_calls_top(th);

	if (!top->pause && passed < ns)
		top->clipped = true;
}

/* What passed since the thread's last event was the innermost call's. */
static void charge(struct tally *a, uint32_t thread, int64_t now, bool selected)
{
	struct call_times *m = a->call_times;
	struct open_thread *th = open_calls_thread(&m->open, thread);
	int64_t ns = open_calls_elapsed(&m->open, th, now), lo = now - ns, passed = 0;
	const struct tally_selection *s = a->options.selection;

	if (!th->n || !ns || (s && s->sizes.n))
		return;
	if (!s || !s->times.n) {
		clip(th, ns, pass(a, thread, lo, now, selected));
		return;
	}
	for (size_t i = 0; i < s->times.n_apart; i++) {
		const struct selection_range *r = &s->times.apart[i];
		int64_t from = r->lo > lo ? r->lo : lo;
		int64_t to = r->hi < now ? r->hi : now;

		if (from < to)
			passed = add_signed(passed, pass(a, thread, from, to, selected));
	}
	clip(th, ns, passed);
}

static void return_call(struct tally *a, struct open_thread *th)
{
	const struct tally_listener *to = a->options.listener;
	struct open_call c = open_calls_pop(th);
	struct tally_measure *r;

	if (c.pause)
		return;
	r = row(a, c.user);
	a->call_times->clipped += c.clipped && (c.total > 0 || c.calls);
	/* In the ranges it may have had no time of its own, but calls. */
	if (r->has || c.total > 0)
		r->has |= OF_CALLS;
	if (to)
		to->ended(to->arg, (uint32_t)(th - a->call_times->open.threads), c.user, &c,
			  !th->n);
	else
		r->total = add_saturating(r->total, c.total > 0 ? (uint64_t)c.total : 0);
}

/* Its path, or what stands for it. */
static uint32_t path_of(struct tally *a, struct trace *t, const struct open_thread *th,
			const struct queued_event *p)
{
	const struct tally_listener *to = a->options.listener;
	struct open_calls *o = &a->call_times->open;
	bool needs_caller;

	if (!to)
		return open_calls_path(o, th, t, p->type, p->stack);
	needs_caller = to->needs_caller(to->arg, t, open_calls_location(o, t, p->type, p->stack));
	return open_calls_short_path(o, th, t, p->type, p->stack, needs_caller);
}

/* A call that is too deep to be kept ends at once. */
static void notify_entered(struct tally *a, const struct trace *t, struct open_thread *th,
			   uint32_t thread, const struct open_call *c, bool kept)
{
	const struct tally_listener *to = a->options.listener;
	struct open_call ends = {.total = -1, .calls = c->calls};

	if (!to)
		return;
	to->entered(to->arg, t, thread, c->user);
	if (kept)
		return;
	to->ended(to->arg, thread, c->user, &ends, false);
	open_calls_top(th)->calls = add_saturating(open_calls_top(th)->calls, c->calls);
}

static void call_times_enter(struct tally *a, struct trace *t, struct queued_event *p)
{
	struct call_times *m = a->call_times;
	struct open_thread *th = open_calls_thread(&m->open, p->thread_id);
	struct open_call *top = open_calls_top(th),
			 c = {.type = p->type, .stack = p->stack, .pause = (uint8_t)p->requested};
	struct tally_measure *r;

	if (!m->main_thread)
		find_main(m, t, p->thread_id);
	if (top && top->pause)
		c.pause = top->pause;
	if (c.pause) {
		open_calls_enter(&m->open, th, &c);
		return;
	}
	if (top && p->count && a->options.hook_cost) {
		int64_t cost = (int64_t)saturated(a->options.hook_cost, 1);

		top->total = add_signed(top->total, -cost);
		add_self(a, top->user, p->thread_id, -cost);
	}
	p->stack = c.path = path_of(a, t, th, p);
	p->domain = a->options.listener ? CELL_CALLED : CELL_PATH;
	tally_fit(a, t);
	c.user = tally_place(a, p);
	r = row(a, c.user);
	if (p->real) {
		r->waits = true;
		m->seen |= SUM_BIT(SUM_WAITING);
	}
	if (p->count) {
		add_entry(a, c.user);
		r->calls++;
		c.calls = 1;
		r->has |= SUM_BIT(SUM_CALLS) | SUM_BIT(SUM_TIME_SELF);
		if (a->slices)
			slices_add_sum(a, c.user, SUM_CALLS, 1);
		m->seen |= OF_CALLS;
	}
	notify_entered(a, t, th, p->thread_id, &c, open_calls_enter(&m->open, th, &c));
}

void call_times_add(struct tally *a, struct trace *t, struct queued_event *p)
{
	struct call_times *m = a->call_times;

	if (p->kind == EV_SAMPLE) {
		call_times_add_sample(a, t, p);
	} else if (p->kind == EV_DELTA) {
		add_delta(a, p);
	} else {
		struct open_thread *th = open_calls_thread(&m->open, p->thread_id);

		if (p->own_time)
			charge(a, p->thread_id, p->time, p->count);
		if (p->kind == EV_ENTER)
			call_times_enter(a, t, p);
		else
			for (size_t n = open_calls_exit(&m->open, th, t, p->type, p->stack); n; n--)
				return_call(a, th);
	}
}

void call_times_counter(struct tally *a, const struct queued_event *p)
{
	decimal value = decimal_join(p->change, p->real);
	int64_t time = p->own_time ? p->time : INT64_MIN;

	counter_read(counters_place(&a->counters, p->type), value, time);
	if (a->slices)
		slices_add_counter(a, p->type, value, time);
}

void call_times_end(struct tally *a, struct trace *t)
{
	struct call_times *m = a->call_times;
	uint64_t open = 0, over = 0;

	for (size_t i = 0; i < m->open.n; i++) {
		open += m->open.threads[i].n + m->open.threads[i].deep;
		while (m->open.threads[i].n)
			return_call(a, &m->open.threads[i]);
	}
	for (size_t i = 0; i < m->n_cells; i++)
		over += m->cells[i].self < 0;
	if (open)
		trace_note(t, NOTE_INFO, open,
			   "calls had not returned at the end: they count up to their thread's "
			   "last enter or exit");
	if (m->clipped)
		trace_note(
		    t, NOTE_INFO, m->clipped,
		    "calls lie in the ranges in part only: their time is that part, and there "
		    "is no mean time");
	if (m->open.unclosed)
		trace_note(t, NOTE_LOSS, m->open.unclosed,
			   "calls have no exit: they ended with their callers");
	if (m->open.orphans)
		trace_note(t, NOTE_LOSS, m->open.orphans, "exits are of calls that were not open");
	if (m->open.too_deep)
		trace_note(t, NOTE_LOSS, m->open.too_deep,
			   "calls are deeper than %d: their time is that of the call at that depth",
			   OPEN_CALLS_DEPTH);
	if (m->open.backward)
		trace_note(t, NOTE_LOSS, m->open.backward,
			   "times of a thread go back: nothing passed there");
	if (over)
		trace_note(t, NOTE_GUESS, over,
			   "paths took less time than the hook cost of their calls: 0 is shown");
}

bool tally_clipped(const struct tally *a)
{
	return a->call_times && a->call_times->clipped;
}

const struct tally_measure *tally_timed(const struct tally *a, size_t cell)
{
	return a->call_times && cell < a->call_times->n_cells && a->cells[cell].domain >= CELL_TIMED
		   ? &a->call_times->cells[cell]
		   : NULL;
}

bool tally_touched(const struct tally *a, size_t cell)
{
	const struct tally_measure *m = tally_timed(a, cell);

	return !m || a->cells[cell].entries || m->has;
}

unsigned call_times_has(const struct tally *a, size_t cell)
{
	const struct tally_measure *r = &a->call_times->cells[cell];
	unsigned has = SUM_BIT(SUM_ENTRIES) | (r->has & SUMS_MEASURED & ~SUM_BIT(SUM_TIME_TOTAL));

	if (r->has >> SUM_TIME_SELF & 1)
		has |= a->call_times->seen & SUM_BIT(SUM_WAITING);
	if (r->measured)
		has |= SUM_BIT(SUM_CALLS);
	return has & a->want;
}

void call_times_part_sums(const struct tally *a, struct tally_sums *s, uint64_t measured)
{
	bool calls =
	    a->call_times && ((a->call_times->seen >> SUM_CALLS & 1) || a->call_times->declared);

	/* A hook's cost may come later than the time it is taken from. */
	if ((int64_t)s->v[SUM_TIME_SELF] < 0)
		s->v[SUM_TIME_SELF] = 0;
	if (!calls)
		s->v[SUM_CALLS] = measured;
	s->v[SUM_TIME_TOTAL] = s->v[SUM_TIME_MEAN] = 0;
}

void call_times_sums(const struct tally *a, size_t cell, struct tally_sums *s)
{
	const struct tally_measure *r = &a->call_times->cells[cell];

	s->v[SUM_TIME_SELF] = (uint64_t)r->self;
	s->v[SUM_CALLS] = r->calls;
	s->v[SUM_LUA_NET] = (uint64_t)r->net[0];
	s->v[SUM_MONO_NET] = (uint64_t)r->net[1];
	s->v[SUM_SAMPLES] = r->samples;
	s->v[SUM_PERIOD] = r->period;
	call_times_part_sums(a, s, r->measured);
	s->v[SUM_WAITING] = r->waits ? s->v[SUM_TIME_SELF] : 0;
}

unsigned call_times_slice_has(const struct tally *a)
{
	uint8_t state[SUMS] = {0};
	unsigned has = 0;

	call_times_states(a, state);
	for (unsigned i = 0; i < SUMS; i++)
		has |= state[i] ? SUM_BIT(i) : 0;
	return has & SUMS_MEASURED & a->want & ~(SUM_BIT(SUM_TIME_TOTAL) | SUM_BIT(SUM_TIME_MEAN));
}

void call_times_states(const struct tally *a, uint8_t state[SUMS])
{
	const struct call_times *m = a->call_times;
	const unsigned bits = m->seen | (m->declared ? OF_CALLS : 0u);
	bool self = m->seen >> SUM_TIME_SELF & 1;

	state[SUM_TIME_TOTAL] = (uint8_t)(bits >> SUM_TIME_TOTAL & 1 ? m->time_state : 0u);
	state[SUM_TIME_SELF] = (uint8_t)(bits >> SUM_TIME_SELF & 1 ? m->time_state : 0u);
	if (m->selfless && state[SUM_TIME_SELF])
		state[SUM_TIME_SELF] = !self                           ? METRIC_ABSENT
				       : m->time_state == METRIC_EXACT ? METRIC_LOWER_BOUND
								       : (uint8_t)m->time_state;
	state[SUM_WAITING] =
	    bits >> SUM_WAITING & 1 ? state[SUM_TIME_SELF] : (uint8_t)METRIC_ABSENT;
	state[SUM_CALLS] =
	    bits >> SUM_CALLS & 1 || (m->seen & SUMS_NET) ? METRIC_EXACT : METRIC_ABSENT;
	state[SUM_TIME_MEAN] = state[SUM_CALLS] ? state[SUM_TIME_TOTAL] : (uint8_t)METRIC_ABSENT;
	state[SUM_LUA_NET] = (uint8_t)(bits >> SUM_LUA_NET & 1 ? m->net_state : 0u);
	state[SUM_MONO_NET] = (uint8_t)(bits >> SUM_MONO_NET & 1 ? m->net_state : 0u);
	state[SUM_SAMPLES] = bits >> SUM_SAMPLES & 1 ? METRIC_EXACT : METRIC_ABSENT;
	state[SUM_PERIOD] = (uint8_t)(bits >> SUM_PERIOD & 1 ? m->period_state : 0u);
}
