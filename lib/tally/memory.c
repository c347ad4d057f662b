/* SPDX-License-Identifier: MIT */
#include "lib/tally/memory.h"

#include "lib/base/sort.h"
#include "lib/tally/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_STEP = 1000000 / 64, STEPS_LEAST = 8, PARTS = 8 };

static unsigned class_of(uint64_t size)
{
	return size ? 64 - (unsigned)__builtin_clzll(size) : 0;
}

/* --- over time --- */

static void halve(struct tally_memory *m)
{
	for (size_t d = 0; d < DOMAINS; d++) {
		struct memory_point *p = m->domains[d].points;

		for (size_t i = 0; i < MEMORY_POINTS / 2; i++) {
			struct memory_point a = p[2 * i], b = p[2 * i + 1];

			p[i] = (struct memory_point){.most = a.most > b.most ? a.most : b.most,
						     .last = b.known ? b.last : a.last,
						     .known = a.known || b.known};
		}
		memset(p + MEMORY_POINTS / 2, 0, MEMORY_POINTS / 2 * sizeof *p);
	}
	m->step *= 2;
}

static void mark(struct tally_memory *m, struct memory_domain *d, memory_bytes live, int64_t time)
{
	struct memory_point *p;

	while (time / m->step >= MEMORY_POINTS && m->step < INT64_MAX / 2)
		halve(m);
	p = &d->points[time / m->step % MEMORY_POINTS];
	p->most = !p->known || live > p->most ? live : p->most;
	p->last = live;
	p->known = true;
}

struct walk {
	struct tally_memory *m;
	struct memory_domain *d;
	memory_bytes before; /* live at the capture's start */
};

static void reach(struct walk *w, memory_bytes live, int64_t time)
{
	struct memory_domain *d = w->d;

	if (live > d->peak) {
		d->peak = live;
		d->peak_at = time >= 0 ? time : -1;
	}
	if (time >= 0)
		mark(w->m, d, live, time);
}

static void memory_walk_step(void *arg, int64_t live, int64_t time)
{
	struct walk *w = arg;

	/* Frees may have come before what they are known to free. */
	reach(w, w->before + (live > 0 ? (uint64_t)live : 0), time);
}

/* What is live followed the numbers of events; d->live has been added up. */
static void walk_curve(struct tally_memory *m, struct memory_domain *d)
{
	struct walk w = {m, d, d->before};

	d->peakless |= !live_curve_known(&d->curve);
	d->about |= !live_curve_exact(&d->curve);
	m->timed &= !d->peakless;
	if (!d->peakless)
		live_curve_walk(&d->curve, memory_walk_step, &w);
	live_curve_release(&d->curve);
}

/* --- blocks --- */

static void gone(struct tally_memory *m, const struct live_block *b)
{
	struct memory_domain *d = &m->domains[b->space % DOMAINS];
	struct memory_class *c = &d->classes[b->cell];

	d->live -= b->real;
	d->live_sized -= b->requested;
	d->live_count -= b->count;
	c->live_bytes -= b->requested;
	c->live_count -= b->count;
}

/* The present event changes what is live. */
static void change(struct tally_memory *m, struct memory_domain *d, const struct event *ev,
		   uint64_t bytes)
{
	if (!m->live.unordered)
		return;
	if (ev->has & EV_HAS_SEQ)
		live_curve_add(&d->curve, ev->seq, (int64_t)bytes, ev->has & EV_HAS_TIME, ev->time);
	else
		d->curve.disordered = true;
}

/* The allocation of the present event, or one before it, has ended otherwise than by the event. */
static void end_otherwise(struct tally_memory *m, struct memory_domain *d, const struct event *ev,
			  enum live_end end, uint64_t bytes)
{
	const struct live_block *b = &m->live.blocks[m->live.touched];
	bool freed = end == LIVE_SELF && b->freed > ev->seq && !(b->seq > ev->seq);

	if (!m->live.unordered || end == LIVE_NOTHING)
		return;
	/* A block that was allocated again had been freed before, at an unknown time. */
	d->curve.guessed |= !freed;
	live_curve_add(&d->curve,
		       freed              ? b->freed
		       : end == LIVE_SELF ? b->seq
					  : ev->seq,
		       (int64_t)-bytes, false, 0);
}

static uint64_t memory_weight(const struct tally_memory *m, const struct event *ev)
{
	if (m->weigh == 2 && ev->has & EV_HAS_REAL)
		return ev->real;
	return ev->has & EV_HAS_REQUESTED ? ev->requested : 0;
}

/* Its fate is known, so no free is waited for; freed: at an unknown time, behind the event. */
static void memory_follow_profile(struct tally_memory *m, struct memory_domain *d,
				  const struct event *ev, struct memory_class *c, uint64_t size,
				  uint64_t count)
{
	bool freed = ev->value == PROFILE_FREED;
	uint64_t weight = memory_weight(m, ev);

	m->follows = true;
	d->live += weight;
	if (m->live.unordered) {
		live_curve_add(&d->curve, m->seq, (int64_t)weight, ev->has & EV_HAS_TIME, ev->time);
		if (freed)
			live_curve_add(&d->curve, ++m->seq, (int64_t)-weight, false, 0);
	} else if (d->live > d->peak) {
		d->peak = d->live;
		d->peak_at = ev->has & EV_HAS_TIME && ev->time >= 0 ? ev->time : -1;
	}
	if (freed) {
		d->live -= weight;
		return;
	}
	d->live_sized += size;
	d->live_count = add_saturating(d->live_count, count);
	c->live_bytes += size;
	c->live_count = add_saturating(c->live_count, count);
}

static void memory_on_alloc(struct tally_memory *m, const struct event *ev, uint32_t space)
{
	struct memory_domain *d = &m->domains[ev->domain];
	uint64_t size = ev->has & EV_HAS_REQUESTED ? ev->requested : ev->real;
	uint64_t count = ev->has & EV_HAS_COUNT ? ev->count : 1;
	uint64_t weight = memory_weight(m, ev);
	unsigned k;
	struct live_block new, old;
	enum live_end end;

	if (!(ev->has & (EV_HAS_REQUESTED | EV_HAS_REAL)) || !count) {
		m->lost++;
		return;
	}
	m->asked |= (ev->has & EV_HAS_REQUESTED) != 0;
	k = class_of(size / count); /* a record of several has equal ones, or their mean */
	d->classes[k].count = add_saturating(d->classes[k].count, count);
	d->classes[k].bytes += size;
	d->count = add_saturating(d->count, count);
	d->bytes += weight;
	d->sized += size;
	m->seq = ev->has & EV_HAS_SEQ ? ev->seq : m->seq + 1;
	if (!m->lives)
		return;
	if (ev->kind == EV_PROFILE && ev->has & EV_HAS_VALUE) {
		memory_follow_profile(m, d, ev, &d->classes[k], size, count);
		return;
	}
	if (ev->kind == EV_PROFILE || !(ev->has & EV_HAS_ADDRESS) || !ev->address) {
		m->unfollowed++;
		return;
	}
	m->follows = true;
	new =
	    (struct live_block){.requested = size,
				.real = weight,
				.cell = k,
				.count = count < LIVE_COUNT_MAX ? (uint32_t)count : LIVE_COUNT_MAX};
	d->live += weight;
	d->live_sized += size;
	d->live_count += new.count;
	d->classes[k].live_bytes += size;
	d->classes[k].live_count += new.count;
	change(m, d, ev, weight);
	end = live_alloc(&m->live, space, ev->address, m->seq ? m->seq : 1, &new, &old);
	end_otherwise(m, d, ev, end, end == LIVE_SELF ? weight : old.real);
	if (end == LIVE_OTHER)
		gone(m, &old);
	else if (end == LIVE_SELF)
		gone(m, &(struct live_block){.space = space,
					     .cell = k,
					     .requested = size,
					     .real = weight,
					     .count = new.count});
	if (!m->live.unordered && d->live > d->peak) {
		d->peak = d->live;
		d->peak_at = ev->has & EV_HAS_TIME && ev->time >= 0 ? ev->time : -1;
	}
}

static void on_free(struct tally_memory *m, const struct event *ev, uint32_t space)
{
	struct live_block old;
	bool ended;

	if (!m->lives)
		return;
	if (ev->kind == EV_FREE)
		m->seq = ev->has & EV_HAS_SEQ ? ev->seq : m->seq + 1;
	ended = ev->kind == EV_FREED
		    ? live_freed(&m->live, space, ev->address, ev->seq, &old)
		    : live_free(&m->live, space, ev->address, m->seq ? m->seq : 1, &old);
	if (!ended)
		return;
	gone(m, &old);
	change(m, &m->domains[old.space % DOMAINS], ev, -old.real);
}

/* --- pages --- */

void memory_pages_add(struct memory_pages *p, struct map64 *seen, uint64_t whose, uint64_t address,
		      uint64_t size, uint64_t count)
{
	uint64_t first = address / MEMORY_PAGE;
	uint64_t last = (address + (size ? size - 1 : 0)) / MEMORY_PAGE;
	uint64_t ends[2] = {first, last};

	p->blocks = add_saturating(p->blocks, count);
	p->bytes = add_saturating(p->bytes, size);
	if (last < first || size > UINT64_MAX / 2)
		return;
	/* Pages that lie inside of a block are no other's. */
	p->pages += last - first > 1 ? last - first - 1 : 0;
	for (unsigned i = 0; i < (first == last ? 1 : 2); i++) {
		uint32_t *known = map64_put(seen, hash_u64(ends[i] ^ hash_u64(whose)));

		p->pages += !*known;
		*known = 1;
	}
}

static void count_pages(struct tally_memory *m)
{
	struct map64 seen[2] = {{0}, {0}};

	for (size_t i = 0; i < m->live.n; i++) {
		const struct live_block *b = &m->live.blocks[i];
		unsigned large = b->requested >= MEMORY_LARGE;

		if (b->allocated)
			memory_pages_add(&m->domains[b->space % DOMAINS].pages[large], &seen[large],
					 b->space, b->address, b->requested, b->count);
	}
	map64_release(&seen[0]);
	map64_release(&seen[1]);
}

/* --- the sink --- */

static enum status memory_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct tally_memory *m = (struct tally_memory *)s;

	(void)e;
	if (trace_blocks(t) > m->blocks)
		m->blocks = trace_blocks(t);
	m->lives &= t->metrics[METRIC_LIVE].state != METRIC_ABSENT;
	m->timed &= !m->captures;
	live_release(&m->live);
	m->live = (struct live){.unordered = t->unordered};
	m->seq = 0;
	m->weigh = tally_weighs(t);
	m->uncounted |= !tally_counts_blocks(t);
	for (size_t d = 0; d < DOMAINS; d++) {
		if (m->captures)
			m->domains[d].peak_at = -1;
		m->domains[d].before = m->domains[d].live;
		live_curve_reset(&m->domains[d].curve);
	}
	return ST_OK;
}

static uint32_t space_of(const struct trace *t, const struct event *ev)
{
	uint32_t process = ev->thread < t->n_threads ? t->threads[ev->thread].process : 0;

	return process * DOMAINS + ev->domain;
}

static enum status memory_event(struct sink *s, struct trace *t, const struct event *ev,
				struct err *e)
{
	struct tally_memory *m = (struct tally_memory *)s;
	uint32_t space = space_of(t, ev);

	(void)e;
	if (ev->domain >= DOMAINS)
		return ST_OK;
	if (event_allocates(ev->kind))
		memory_on_alloc(m, ev, space);
	else if (ev->kind == EV_FREE || ev->kind == EV_FREED)
		on_free(m, ev, space);
	else
		return ST_OK;
	if (!(ev->has & EV_HAS_TIME) || ev->time < 0)
		m->timed &= !event_allocates(ev->kind);
	else if (!m->live.unordered)
		mark(m, &m->domains[ev->domain], m->domains[ev->domain].live, ev->time);
	return ST_OK;
}

/* As tally_flush: each block is a cache miss, and a batch of them is fetched in the time of a few. */
static enum status memory_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				struct err *e)
{
	const struct tally_memory *m = (const struct tally_memory *)s;
	const struct event *ev = b->rows;
	size_t n = b->n;

	for (size_t i = 0; i < n && m->lives; i++)
		if (ev[i].address)
			live_prefetch_slot(&m->live, space_of(t, &ev[i]), ev[i].address);
	for (size_t i = 0; i < n && m->lives; i++)
		if (ev[i].address)
			live_prefetch_block(&m->live, space_of(t, &ev[i]), ev[i].address);
	return sink_each(s, t, b, e, memory_event);
}

static void worse(uint8_t *state, const struct trace *t, enum metric m)
{
	if (t->metrics[m].state > *state)
		*state = (uint8_t)t->metrics[m].state;
}

static enum status memory_end(struct sink *s, struct trace *t, struct err *e)
{
	struct tally_memory *m = (struct tally_memory *)s;

	(void)e;
	for (size_t d = 0; d < DOMAINS && t->unordered; d++)
		if (m->domains[d].curve.n || m->domains[d].curve.disordered)
			walk_curve(m, &m->domains[d]);
	m->captures++;
	worse(&m->count_state, t, METRIC_COUNT);
	worse(&m->size_state, t, m->weigh == 2 ? METRIC_REAL : METRIC_REQUESTED);
	worse(&m->live_state, t, METRIC_LIVE);
	m->lives &= t->metrics[METRIC_LIVE].state != METRIC_ABSENT;
	m->lives &= m->follows || !m->unfollowed;
	if (m->lives && m->blocks == TRACE_BLOCKS_PLACED)
		count_pages(m);
	if (m->lives && m->unfollowed)
		trace_note(t, NOTE_GUESS, m->unfollowed,
			   "allocations have no address: they do not count as live");
	m->unfollowed = 0;
	if (m->captured)
		m->captured(m->arg, t);
	return ST_OK;
}

void memory_init(struct tally_memory *m)
{
	*m = (struct tally_memory){
	    .sink = {.begin = memory_begin, .batch = memory_batch, .end = memory_end},
	    .lives = true,
	    .timed = true,
	    .step = FIRST_STEP};
	for (size_t d = 0; d < DOMAINS; d++)
		m->domains[d].peak_at = -1;
}

void memory_release(struct tally_memory *m)
{
	for (size_t d = 0; d < DOMAINS; d++)
		live_curve_release(&m->domains[d].curve);
	live_release(&m->live);
}

/* --- growth --- */

static int memory_rise_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Whether the least of each part lies above that of the part before, by a quarter of the median rise at
 * least. Of a run that rises in two steps it does in two parts. One part may be of another kind. */
static bool rises_throughout(const double *y, size_t n, double sign)
{
	double rises[PARTS - 1], least[PARTS], median;
	unsigned enough = 0;

	for (size_t i = 0; i < PARTS; i++) {
		size_t from = n * i / PARTS, to = n * (i + 1) / PARTS;

		least[i] = y[from];
		for (size_t k = from; k < to; k++)
			least[i] = y[k] < least[i] ? y[k] : least[i];
	}
	for (size_t i = 0; i + 1 < PARTS; i++)
		rises[i] = sign * (least[i + 1] - least[i]);
	sort_array(rises, PARTS - 1, sizeof *rises, memory_rise_order);
	median = rises[(PARTS - 1) / 2];
	for (size_t i = 0; i + 1 < PARTS; i++)
		enough += rises[i] > 0 && rises[i] >= median / 4;
	return enough + 1 >= PARTS - 1;
}

bool memory_growth(const struct tally_memory *m, const struct memory_domain *d,
		   struct memory_growth *to)
{
	double y[MEMORY_POINTS], sx = 0, sy = 0, sxx = 0, sxy = 0, rr = 0, rl = 0, mean, at, before;
	size_t n = 0, end = 0;
	memory_bytes last = 0;
	double k;

	for (size_t i = 0; i < MEMORY_POINTS; i++)
		if (d->points[i].known)
			end = i + 1;
	for (size_t i = 0; i < end; i++) {
		if (d->points[i].known)
			last = d->points[i].last;
		if (n || d->points[i].known)
			y[n++] = (double)last;
	}
	if (n < STEPS_LEAST)
		return false;
	for (size_t i = 0; i < n; i++) {
		sx += (double)i;
		sy += y[i];
	}
	sx /= (double)n;
	mean = sy / (double)n;
	for (size_t i = 0; i < n; i++) {
		sxx += ((double)i - sx) * ((double)i - sx);
		sxy += ((double)i - sx) * (y[i] - mean);
	}
	k = sxy / sxx;
	before = 0;
	for (size_t i = 0; i < n; i++) {
		at = y[i] - mean - k * ((double)i - sx);
		rr += at * at;
		rl += i ? at * before : 0;
		before = at;
	}
	to->slope = k / ((double)m->step / 1e9);
	to->throughout = rises_throughout(y, n, k < 0 ? -1 : 1);
	to->error = sqrt(rr / (double)(n - 2) / sxx) / ((double)m->step / 1e9);
	if (rr > 0) { /* of a first-order autoregressive series */
		double r = rl / rr;

		r = r > 0.98 ? 0.98 : r < 0 ? 0 : r;
		to->error *= sqrt((1 + r) / (1 - r));
	}
	return true;
}
