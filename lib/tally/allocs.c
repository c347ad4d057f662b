/* SPDX-License-Identifier: MIT */
#include "lib/tally/allocs.h"

#include "lib/tally/add.h"
#include "lib/tally/match_frees.h"
#include "lib/tally/selected.h"
#include "lib/tally/slices.h"

static const uint64_t zeros[SINK_ALLOCS_MOST];
static const uint64_t ones[SINK_ALLOCS_MOST] = {[0 ... SINK_ALLOCS_MOST - 1] = 1};

unsigned allocs_fields(const struct tally *a)
{
	const struct tally_state *w = a->state;
	unsigned fields = EV_FIELDS;

	if (a->interval || a->options.selection || (w->follow && a->live.unordered))
		return 0;
	if (w->follow)
		return fields;
	if (!a->call_times && !(a->options.split & SPLIT_THREAD))
		fields &= ~EV_HAS_THREAD;
	return fields & ~(unsigned)(EV_HAS_SEQ | EV_HAS_ADDRESS);
}

static const uint64_t *column(const struct sink_allocs *c, unsigned has, unsigned field,
			      const uint64_t *absent)
{
	return has & field ? c->v[__builtin_ctz(field)] : absent;
}

/* With a million stacks each look is a cache miss: a batch is answered in the time of a few. */
static inline __attribute__((always_inline)) void fetch(const struct tally *a,
							const uint64_t *stack, size_t n)
{
	const uint32_t *last = a->state->last;

	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&last[stack[i]], 1);
	for (size_t i = 0; i < n; i++) {
		uint32_t cell = last[stack[i]];

		if (cell < a->n_cells) {
			__builtin_prefetch(&a->cells[cell], 1);
			__builtin_prefetch(&a->cells[cell].real, 1);
		}
	}
}

/* Where blocks are followed: of each event, frees among them. Absent ones are zeros. */
struct moves {
	const uint64_t *address, *seq, *time, *thread;
	uint32_t space[SINK_ALLOCS_MOST];
};

static void moves_of(const struct trace *t, const struct sink_allocs *c, const uint64_t *domain,
		     struct moves *m)
{
	unsigned has = c->has | c->free_has;

	m->address = column(c, has, EV_HAS_ADDRESS, zeros);
	m->seq = column(c, has, EV_HAS_SEQ, zeros);
	m->time = column(c, has, EV_HAS_TIME, zeros);
	m->thread = column(c, has, EV_HAS_THREAD, zeros);
	for (size_t i = 0; i < c->n + c->n_free; i++)
		m->space[i] = t->threads[m->thread[i]].process * DOMAINS + (uint32_t)domain[i];
}

/* As fetch, for blocks: the slots first, and the blocks when the slots have come. */
static void fetch_slots(const struct tally *a, const struct sink_allocs *c, const struct moves *m)
{
	for (size_t i = 0; i < c->n + c->n_free; i++)
		if (m->address[i])
			live_prefetch_slot(&a->live, m->space[i], m->address[i]);
}

static void fetch_blocks(const struct tally *a, const struct sink_allocs *c, const uint64_t *stack,
			 const struct moves *m)
{
	const struct tally_state *w = a->state;
	size_t k = 0;

	for (size_t i = 0; i < c->n + c->n_free; i++)
		if (m->address[i])
			live_prefetch_block(&a->live, m->space[i], m->address[i]);
	for (size_t i = 0; (w->celled || w->rarely) && i < c->n + c->n_free; i++) {
		uint32_t cell = c->frees[i] ? match_frees_cell(a, m->space[i], m->address[i])
					    : w->last[stack[k++]];

		if (cell < a->n_cells)
			match_frees_fetch(a, cell);
	}
}

/* Some of them may be of a frame before the newest. */
static bool late(const struct tally *a, const struct sink_allocs *c)
{
	const struct frame_marks *m = &a->state->marks;

	if (c->frees) /* each is looked at anyway */
		return m->n > 0;
	return c->has & EV_HAS_TIME && frame_marks_timed(m) &&
	       (m->known || c->times.least < m->items[m->n - 1].start);
}

/* The i-th event as a pending one, as far as blocks are followed; false: it frees nothing. */
static inline __attribute__((always_inline)) bool move(struct tally *a, const struct sink_allocs *c,
						       const struct moves *m, size_t i,
						       struct queued_event *p)
{
	struct tally_state *w = a->state;
	unsigned has = c->frees[i] ? c->free_has : c->has;

	p->kind = c->frees[i] ? EV_FREE : EV_ALLOC;
	p->address = m->address[i];
	p->own_time = has & EV_HAS_TIME;
	if (p->own_time)
		extent_reach(&a->extent, (int64_t)m->time[i]);
	if (c->frees[i] && !p->address)
		return false;
	if (p->own_time)
		tally_reach_time(a, (int64_t)m->time[i]);
	p->timed = a->has_time;
	p->time = w->at.time;
	tally_set_slice(a, p);
	p->space = m->space[i];
	p->thread_id = (uint32_t)m->thread[i];
	p->seq = has & EV_HAS_SEQ ? m->seq[i] : w->seq + 1;
	if (p->seq > w->seq)
		w->seq = p->seq;
	return true;
}

/* The place of an allocation in time, where no block is followed. */
static void stand(struct tally *a, const struct sink_allocs *c, int64_t time,
		  struct queued_event *p)
{
	p->own_time = c->has & EV_HAS_TIME;
	if (p->own_time)
		tally_reach_time(a, time);
	p->timed = a->has_time;
	p->time = a->state->at.time;
	tally_set_slice(a, p);
}

/* m: NULL where no block is followed, and frees are only counted. */
static inline __attribute__((always_inline)) void allocs_add(struct tally *a, const struct trace *t,
							     const struct sink_allocs *c,
							     struct moves *m)
{
	struct tally_state *w = a->state;
	struct queued_event p = {.kind = EV_ALLOC, .has = (uint16_t)(c->has & w->from_allocs)};
	const bool apart = late(a, c);
	const unsigned derived = derived_of(a->want, c->has);
	const uint64_t *time = column(c, c->has, EV_HAS_TIME, zeros);
	const uint64_t *stack = column(c, c->has, EV_HAS_STACK, zeros),
		       *type = column(c, c->has, EV_HAS_TYPE, zeros),
		       *domain = column(c, m ? c->has | c->free_has : c->has, EV_HAS_DOMAIN, zeros),
		       *thread = column(c, a->options.split & SPLIT_THREAD ? c->has : 0,
					EV_HAS_THREAD, zeros),
		       *by = column(c, c->has, EV_HAS_THREAD, zeros),
		       *count = column(c, p.has, EV_HAS_COUNT, ones),
		       *requested = column(c, p.has, EV_HAS_REQUESTED, zeros),
		       *real = column(c, p.has, EV_HAS_REAL, zeros);
	uint64_t v[DOMAINS][SUM_REAL + 1] = {{0}};

	if (m) {
		moves_of(t, c, domain, m);
		fetch_slots(a, c, m);
	}
	fetch(a, stack, c->n);
	if (m)
		fetch_blocks(a, c, stack, m);
	for (size_t i = 0, k = 0; i < c->n + (m ? c->n_free : 0); i++) {
		uint64_t *of = v[domain[i]];
		uint32_t last;

		p.domain = (uint8_t)domain[i];
		if (m && !move(a, c, m, i, &p))
			continue;
		if (m && c->frees[i]) {
			if (tally_slices_lives(a))
				slices_reach(a, &p);
			match_frees_free(a, &p);
			continue;
		}
		p.stack = (uint32_t)stack[k];
		p.type = (uint32_t)type[k];
		p.thread = (uint32_t)thread[i];
		if (by[i] >= w->cap_allocate || !(w->allocate[by[i]] >> p.domain & 1))
			tally_see_thread(a, (uint32_t)by[i], p.domain);
		p.count = count[k];
		p.requested = requested[k];
		p.real = real[k];
		if (!m && a->slices)
			stand(a, c, (int64_t)time[k], &p);
		k++;
		last = w->last[p.stack];
		p.cell = last < a->n_cells && tally_is_cell(&a->cells[last], &p)
			     ? last
			     : tally_place(a, &p);
		derived_set(&p.derived, derived, p.requested, p.real);
		if (a->slices)
			slices_reach(a, &p);
		tally_add_allocation(a, &p);
		if (apart) {
			const uint64_t one[SUM_REAL + 1] = {[SUM_COUNT] = p.count,
							    [SUM_ENTRIES] = 1,
							    [SUM_REQUESTED] = p.requested,
							    [SUM_REAL] = p.real};

			tally_frame_add(tally_frame_sums(a, p.domain,
							 m ? p.slice
							   : frame_marks_of(&w->marks, true,
									    (int64_t)time[k - 1])),
					one);
		}
		of[SUM_ENTRIES]++;
		of[SUM_COUNT] = add_saturating(of[SUM_COUNT], p.count);
		of[SUM_REQUESTED] = add_saturating(of[SUM_REQUESTED], p.requested);
		of[SUM_REAL] = add_saturating(of[SUM_REAL], p.real);
		if (m)
			match_frees_alloc(a, &p);
	}
	for (unsigned d = 0; d < DOMAINS; d++) {
		uint64_t n = v[d][SUM_ENTRIES];

		if (!n)
			continue;
		if (!apart)
			tally_frame_add(tally_frame_sums(a, d, w->marks.at), v[d]);
		a->records[d] += n;
		a->without_requested[d] += c->has & EV_HAS_REQUESTED ? 0 : n;
		a->without_real[d] += c->has & EV_HAS_REAL ? 0 : n;
		a->without_address[d] += m && !(c->has & EV_HAS_ADDRESS) ? n : 0;
	}
	a->without_requested[DOMAINS] += c->has & EV_HAS_REQUESTED ? 0 : c->n;
	a->without_real[DOMAINS] += c->has & EV_HAS_REAL ? 0 : c->n;
	a->without_address[DOMAINS] += m && !(c->has & EV_HAS_ADDRESS) ? c->n : 0;
}

/* Frees that have an effect, where blocks are followed. */
static bool frees_any(const struct sink_allocs *c)
{
	const uint64_t *address = column(c, c->frees ? c->free_has : 0, EV_HAS_ADDRESS, zeros);
	bool any = false;

	for (size_t i = 0; c->frees && i < c->n + c->n_free; i++)
		any |= c->frees[i] && address[i];
	return any;
}

enum status allocs_on_batch(struct tally *a, struct trace *t, const struct sink_allocs *c,
			    struct err *e)
{
	enum status st = tally_flush(a, t, e);
	struct moves moves;

	if (st)
		return st;
	if (c->times.any) {
		extent_reach(&a->extent, c->times.least);
		extent_reach(&a->extent, c->times.most);
	}
	if (c->untimed)
		extent_follow(&a->extent);
	if (!c->n && !frees_any(c))
		return ST_OK;
	tally_fit(a, t);
	if (c->frees)
		allocs_add(a, t, c, &moves);
	else
		allocs_add(a, t, c, NULL);
	if (!c->frees && c->n && c->has & EV_HAS_TIME)
		tally_reach_time(a, (int64_t)c->v[__builtin_ctz(EV_HAS_TIME)][c->n - 1]);
	return a->slices ? slices_check(a, e) : ST_OK;
}
