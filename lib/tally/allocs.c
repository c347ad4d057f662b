/* SPDX-License-Identifier: MIT */
#include "lib/tally/allocs.h"

#include "lib/tally/selected.h"
#include "lib/tally/slices.h"

static const uint64_t zeros[SINK_ALLOCS_MOST];
static const uint64_t ones[SINK_ALLOCS_MOST] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static unsigned allocs_fields(struct sink *s, const struct trace *t)
{
	const struct tally *a = (const struct tally *)s;
	unsigned fields = EV_FIELDS & ~(unsigned)(EV_HAS_SEQ | EV_HAS_ADDRESS);

	(void)t;
	if (a->work->follow || a->options.selection || a->options.slicing == SLICE_TIMES)
		return 0;
	if (!a->measures && !(a->options.split & SPLIT_THREAD))
		fields &= ~(unsigned)EV_HAS_THREAD;
	return fields;
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
	const uint32_t *last = a->work->last;

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

/* What a frame and a slice have of a domain. */
static void add_beside(struct tally *a, unsigned domain, const uint64_t v[SUM_REAL + 1])
{
	struct tally_work *w = a->work;
	const struct tally_pending p = {.domain = (uint8_t)domain,
					.count = v[SUM_COUNT],
					.requested = v[SUM_REQUESTED],
					.real = v[SUM_REAL]};
	uint64_t *to = w->frame[domain].v;

	if (a->slices)
		slices_add(a->slices, &p, v[SUM_ENTRIES]);
	for (size_t k = 0; w->in_frame && k <= SUM_REAL; k++)
		to[k] = add_saturating(to[k], v[k]);
}

static void add_slack(struct tally *a, const struct tally_pending *p)
{
	struct tally_rare *r = &a->work->rare[p->cell];
	const struct tally_pending alone = {
	    .domain = p->domain, .slack = slack_of(p->requested, p->real), .has_slack = true};

	r->slack = add_signed(r->slack, alone.slack);
	r->has_slack = true;
	if (a->slices)
		slices_add(a->slices, &alone, 0);
}

static void allocs_add(struct tally *a, const struct sink_allocs *c)
{
	const unsigned both = EV_HAS_REQUESTED | EV_HAS_REAL;
	struct tally_work *w = a->work;
	struct tally_pending p = {.kind = EV_ALLOC, .has = (uint16_t)(c->has & w->from_allocs)};
	const bool slack = w->rarely && (c->has & both) == both;
	const uint64_t *stack = column(c, c->has, EV_HAS_STACK, zeros),
		       *type = column(c, c->has, EV_HAS_TYPE, zeros),
		       *domain = column(c, c->has, EV_HAS_DOMAIN, zeros),
		       *thread = column(c, a->options.split & SPLIT_THREAD ? c->has : 0,
					EV_HAS_THREAD, zeros),
		       *count = column(c, p.has, EV_HAS_COUNT, ones),
		       *requested = column(c, p.has, EV_HAS_REQUESTED, zeros),
		       *real = column(c, p.has, EV_HAS_REAL, zeros);
	uint64_t v[DOMAINS][SUM_REAL + 1] = {{0}};

	fetch(a, stack, c->n);
	for (size_t i = 0; i < c->n; i++) {
		uint64_t *of = v[domain[i]];
		struct tally_cell *cell;
		uint32_t last;

		p.stack = (uint32_t)stack[i];
		p.type = (uint32_t)type[i];
		p.domain = (uint8_t)domain[i];
		p.thread = (uint32_t)thread[i];
		last = w->last[p.stack];
		p.cell = last < a->n_cells && tally_is_cell(&a->cells[last], &p)
			     ? last
			     : tally_place(a, &p);
		if (w->touching)
			slices_touch_cell(a, p.cell);
		cell = &a->cells[p.cell];
		cell->entries++;
		cell->count = add_saturating(cell->count, count[i]);
		cell->requested = add_saturating(cell->requested, requested[i]);
		cell->real = add_saturating(cell->real, real[i]);
		cell->has |= (uint8_t)((p.has & both) >> 1);
		of[SUM_ENTRIES]++;
		of[SUM_COUNT] = add_saturating(of[SUM_COUNT], count[i]);
		of[SUM_REQUESTED] = add_saturating(of[SUM_REQUESTED], requested[i]);
		of[SUM_REAL] = add_saturating(of[SUM_REAL], real[i]);
		if (slack) {
			p.requested = requested[i];
			p.real = real[i];
			add_slack(a, &p);
		}
	}
	for (unsigned d = 0; d < DOMAINS; d++) {
		uint64_t n = v[d][SUM_ENTRIES];

		if (!n)
			continue;
		add_beside(a, d, v[d]);
		a->records[d] += n;
		a->without_requested[d] += c->has & EV_HAS_REQUESTED ? 0 : n;
		a->without_real[d] += c->has & EV_HAS_REAL ? 0 : n;
	}
	a->without_requested[DOMAINS] += c->has & EV_HAS_REQUESTED ? 0 : c->n;
	a->without_real[DOMAINS] += c->has & EV_HAS_REAL ? 0 : c->n;
}

static enum status allocs_take(struct sink *s, struct trace *t, const struct sink_allocs *c,
			       struct err *e)
{
	struct tally *a = (struct tally *)s;
	enum status st = tally_flush(a, t, e);

	if (st || !c->n)
		return st;
	if (c->times.any) {
		tally_reach_time(a, c->times.least);
		tally_reach_time(a, c->times.most);
		tally_reach_time(a, c->times.last);
	}
	tally_follow(a, t);
	if (a->slices) {
		const struct tally_pending p = {
		    .kind = EV_ALLOC, .timed = a->has_time, .time = a->work->at.time};

		st = slices_reach(a, t, &p, e);
	}
	if (!st)
		allocs_add(a, c);
	return st;
}

const struct sink_takes_allocs allocs_taken = {allocs_fields, allocs_take};
