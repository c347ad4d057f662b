/* SPDX-License-Identifier: MIT */
#include "lib/tally/slices.h"

#include "lib/base/mem.h"
#include "lib/tally/measures.h"

#include <stdlib.h>
#include <string.h>

struct tally_slices *slices_new(void)
{
	return mem_zalloc(sizeof(struct tally_slices));
}

static void release(struct slices_touched *l)
{
	free(l->ids);
	free(l->before);
	free(l->mark);
}

void slices_free(struct tally_slices *s)
{
	if (!s)
		return;
	release(&s->cells);
	release(&s->types);
	counters_release(&s->counters);
	free(s);
}

static void forget(struct slices_touched *l)
{
	for (size_t i = 0; i < l->n; i++)
		l->mark[l->ids[i]] = 0;
	l->n = 0;
}

void slices_reset(struct tally_slices *s)
{
	forget(&s->cells);
	forget(&s->types);
	memset(s->total, 0, sizeof s->total);
	memset(s->high, 0, sizeof s->high);
	s->open = s->framed = false;
	s->done = 0;
}

/* NULL: it is known already. */
static struct tally_sums *touch(struct slices_touched *l, uint32_t id)
{
	l->mark = mem_grow_zero(l->mark, &l->cap_mark, (size_t)id + 1, sizeof *l->mark);
	if (l->mark[id])
		return NULL;
	VEC_PUSH(l->ids, l->n, l->cap) = id;
	l->mark[id] = (uint32_t)l->n;
	l->before = mem_grow(l->before, &l->cap_before, l->n, sizeof *l->before);
	return &l->before[l->n - 1];
}

void slices_touch_cell(struct tally *a, uint32_t cell)
{
	struct tally_slices *s = a->slices;
	struct tally_sums *before = s->open ? touch(&s->cells, cell) : NULL;

	if (before)
		tally_sums(a, cell, before);
}

void slices_touch_type(struct tally *a, uint32_t type)
{
	struct tally_slices *s = a->slices;
	struct tally_sums *before = s->open ? touch(&s->types, type) : NULL;

	if (before)
		tally_type_sums(a, type, before);
}

/* What is live is a state, what is added up is a difference. */
static void subtract(struct tally_sums *s, const struct tally_sums *before)
{
	for (size_t i = 0; i < SUMS; i++)
		if (!(SUMS_LIVE >> i & 1))
			s->v[i] -= before->v[i];
	/* A hook's cost may come later than the time it is taken from. */
	if ((int64_t)s->v[SUM_TIME_SELF] < 0)
		s->v[SUM_TIME_SELF] = 0;
	s->has &= ~(unsigned)SUMS_PEAK;
}

void tally_slice_sums(const struct tally *a, size_t i, struct tally_sums *s)
{
	tally_sums(a, a->slices->cells.ids[i], s);
	subtract(s, &a->slices->cells.before[i]);
}

void tally_slice_fetch(const struct tally *a, size_t i)
{
	const struct tally_work *w = a->work;
	uint32_t cell = a->slices->cells.ids[i];

	__builtin_prefetch(&a->cells[cell]);
	__builtin_prefetch(&a->cells[cell].real);
	if (w->running)
		__builtin_prefetch(&w->lives[cell]);
	if (w->rarely)
		__builtin_prefetch(&w->rare[cell]);
}

const struct tally_sums *tally_slice_before(const struct tally *a, size_t i)
{
	return &a->slices->cells.before[i];
}

void tally_slice_type_sums(const struct tally *a, size_t i, struct tally_sums *s)
{
	tally_type_sums(a, a->slices->types.ids[i], s);
	subtract(s, &a->slices->types.before[i]);
}

static void add(uint64_t *to, uint64_t v)
{
	*to = add_saturating(*to, v);
}

void slices_add(struct tally_slices *s, const struct tally_pending *p, unsigned entries)
{
	uint64_t *v = s->total[p->domain].v;

	add(&v[SUM_COUNT], p->count);
	add(&v[SUM_ENTRIES], entries);
	add(&v[SUM_REQUESTED], p->requested);
	add(&v[SUM_REAL], p->real);
	if (p->has_slack)
		v[SUM_SLACK] = (uint64_t)add_signed((int64_t)v[SUM_SLACK], p->slack);
}

void slices_add_freed(struct tally_slices *s, unsigned domain, const struct live_block *b,
		      bool temporary, int64_t lifetime)
{
	uint64_t *v = s->total[domain].v;

	add(&v[SUM_FREED_COUNT], b->count);
	add(&v[SUM_FREED_REQUESTED], b->requested);
	add(&v[SUM_FREED_REAL], b->real);
	add(&v[SUM_TEMPORARY], temporary ? b->count : 0);
	add(&v[SUM_LIFETIME], lifetime >= 0 ? (uint64_t)lifetime : 0);
	add(&v[SUM_TIMED], lifetime >= 0);
}

static void slices_fill_all(const struct tally *a, const struct trace *t)
{
	const struct tally_work *w = a->work;
	struct tally_slices *s = a->slices;
	uint8_t state[SUMS];
	unsigned has = 0;

	tally_states(a, t, DOMAINS, state);
	for (size_t i = 0; i < SUMS; i++)
		has |= state[i] != METRIC_ABSENT ? SUM_BIT(i) : 0;
	s->now.all[DOMAINS] = (struct tally_sums){.has = 0};
	for (size_t d = 0; d <= DOMAINS; d++) {
		struct tally_sums *all = &s->now.all[d];

		if (d < DOMAINS) {
			*all = s->total[d];
			all->has = SUMS_ALL;
			subtract(all, &s->before[d]);
			sums_add(&s->now.all[DOMAINS], all);
		}
		for (size_t m = 0; m < 3; m++) {
			all->v[SUM_LIVE_COUNT + m] = w->tide[d].live[m];
			all->v[SUM_PEAK_COUNT + m] = s->high[d][m];
		}
		all->has = has & ~(unsigned)SUMS_PEAK;
		/* The same knowledge as of what is live, and here it needs no array of cells. */
		if (!t->unordered)
			all->has |= (has & SUMS_LIVE) << (SUM_PEAK_COUNT - SUM_LIVE_COUNT);
		if (w->tide[d].overflow)
			all->has &= ~(unsigned)(SUMS_LIVE | SUMS_PEAK);
		all->has &= ~(unsigned)SUMS_MEASURED;
		if (a->measures)
			measures_slice_sums(a, all);
	}
	if (a->measures) {
		s->now.has_main = a->measures->has_main;
		s->now.main = a->measures->main;
	}
}

static enum status close_slice(struct tally *a, struct trace *t, struct err *e)
{
	struct tally_slices *s = a->slices;
	enum status st = ST_OK;

	if (!s->open)
		return ST_OK;
	s->open = false;
	s->now.index = s->done;
	s->now.cells = s->cells.ids;
	s->now.n_cells = s->cells.n;
	s->now.types = s->types.ids;
	s->now.n_types = s->types.n;
	s->now.counters = a->options.counters ? &s->counters : NULL;
	if (s->within) {
		slices_fill_all(a, t);
		if (a->options.slice)
			st = a->options.slice(a->options.slice_arg, t, a, &s->now, e);
		s->done++;
	}
	forget(&s->cells);
	forget(&s->types);
	return st;
}

static void open_slice(struct tally *a, const struct tally_slice *as, bool within)
{
	struct tally_slices *s = a->slices;

	s->now = *as;
	s->open = true;
	s->within = within;
	memcpy(s->before, s->total, sizeof s->before);
	if (a->measures)
		measures_slice_start(a);
	counters_reset(&s->counters);
	for (size_t d = 0; d <= DOMAINS; d++)
		memcpy(s->high[d], a->work->tide[d].live, sizeof s->high[d]);
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static bool in_time(const struct tally *a, bool known, int64_t time)
{
	const struct tally_selection *s = a->options.selection;

	return !s || !s->times.n || (known && selection_in(&s->times, time));
}

/* Apart from slices_reach, which is there for each event: a slice has a thousand bytes. */
static void slices_open_before(struct tally *a)
{
	const struct tally_slice next = {.kind = SLICE_BEFORE};

	open_slice(a, &next, !a->options.selection);
}

static enum status slices_step(struct tally *a, struct trace *t, int64_t number, struct err *e)
{
	struct tally_slice next = {
	    .kind = SLICE_TIME, .number = number, .duration = a->options.every};
	enum status st;

	next.has_start = next.has_duration =
	    !__builtin_mul_overflow(next.number, a->options.every, &next.start);
	st = close_slice(a, t, e);
	if (!st)
		open_slice(a, &next, in_time(a, next.has_start, next.start));
	return st;
}

enum status slices_reach(struct tally *a, struct trace *t, const struct tally_pending *p,
			 struct err *e)
{
	struct tally_slices *s = a->slices;
	enum status st = ST_OK;

	if (a->options.slicing == SLICE_FRAMES || !p->timed) {
		/* Between two ranges of frames there are frees. */
		if (!s->open && !s->framed)
			slices_open_before(a);
	} else {
		int64_t number = floor_div(p->time, a->options.every);

		if (s->open && s->now.kind == SLICE_TIME && number <= s->now.number)
			a->late += number < s->now.number;
		else
			st = slices_step(a, t, number, e);
	}
	/* Frees of what is not selected are everywhere. */
	s->within |= p->kind == EV_ALLOC || p->kind == EV_TYPE_TOTAL ||
		     (p->domain == CELL_MEASURED && p->count);
	return st;
}

enum status slices_frame(struct tally *a, struct trace *t, const struct tally_pending *p,
			 bool selected, struct err *e)
{
	struct tally_slices *s = a->slices;
	bool timed = p->own_time;
	enum status st;

	if (a->options.slicing != SLICE_FRAMES)
		return ST_OK;
	s->framed = true;
	if (s->open && s->now.has_start && timed && p->time >= s->now.start)
		s->now.has_duration =
		    !__builtin_sub_overflow(p->time, s->now.start, &s->now.duration);
	st = close_slice(a, t, e);
	if (!st && selected)
		open_slice(a,
			   &(struct tally_slice){.kind = SLICE_FRAME,
						 .number = (int64_t)p->address,
						 .name = p->type,
						 .has_start = timed,
						 .start = timed ? p->time : 0},
			   in_time(a, p->timed, p->time));
	return st;
}

enum status slices_end(struct tally *a, struct trace *t, struct err *e)
{
	return close_slice(a, t, e);
}
