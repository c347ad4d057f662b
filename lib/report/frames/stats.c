/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/stats.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"

#include <stdlib.h>

static int frames_stats_compare(const void *a, const void *b)
{
	const struct frames_rank *x = a, *y = b;

	if (x->v != y->v)
		return x->v < y->v ? -1 : 1;
	return x->row == SIZE_MAX || (y->row != SIZE_MAX && x->row < y->row) ? -1 : 1;
}

/* Steps of time between two rows of a capture. */
static uint64_t idle_steps(const struct frames *f, size_t row)
{
	const struct frame *a = &f->rows[row], *b = &f->rows[row + 1];

	if (row + 1 == f->n || a->kind != SLICE_TIME || b->kind != SLICE_TIME ||
	    a->capture != b->capture)
		return 0;
	return (uint64_t)b->number - (uint64_t)a->number - 1;
}

struct frames_order frames_order_new(const struct frames *f, int metric)
{
	struct frames_order o = {.items = mem_array(f->n + 1, sizeof *o.items)};
	bool live = metric < (int)SUMS && SUMS_LIVE >> metric & 1;
	bool peak = metric < (int)SUMS && SUMS_PEAK >> metric & 1;
	uint64_t idle = 0;
	decimal v;

	for (size_t i = 0; i < f->n; i++) {
		/* What is live goes on through steps without events, nothing is known there of a peak or a
		 * counter, and the rest is 0. */
		uint64_t none = peak || metric >= FRAME_DURATION ? 0 : idle_steps(f, i);

		if (f->rows[i].kind != SLICE_BEFORE && frames_value(f, i, metric, &v))
			o.items[o.n++] =
			    (struct frames_rank){v, live ? add_saturating(none, 1) : 1, i};
		idle = add_saturating(idle, live ? 0 : none);
	}
	if (o.n && idle)
		o.items[o.n++] = (struct frames_rank){0, idle, SIZE_MAX};
	sort_array(o.items, o.n, sizeof *o.items, frames_stats_compare);
	for (size_t i = 0; i < o.n; i++)
		o.all = add_saturating(o.all, o.items[i].times);
	return o;
}

void frames_order_release(struct frames_order *o)
{
	free(o->items);
	o->items = NULL;
}

static const struct frames_rank *frames_at_rank(const struct frames_order *o, uint64_t rank)
{
	const struct frames_rank *first = o->items;

	for (size_t i = 0; i < o->n; i++) {
		first = o->items[i].v != first->v ? &o->items[i] : first;
		if (rank < o->items[i].times)
			break;
		rank -= o->items[i].times;
	}
	return first;
}

bool frames_percentile(const struct frames_order *o, unsigned percent, decimal *v, size_t *row)
{
	const struct frames_rank *at;
	uint64_t rank;

	if (!o->n)
		return false;
	/* ceil(n * percent / 100), without an overflow. */
	rank = o->all / 100 * percent + (o->all % 100 * percent + 99) / 100;
	at = frames_at_rank(o, rank ? rank - 1 : 0);
	*v = at->v;
	*row = at->row;
	return true;
}

decimal frames_mean(const struct frames_order *o)
{
	struct decimal_sum sum = {0};
	__int128 more;

	for (size_t i = 0; i < o->n; i++) {
		const struct frames_rank *x = &o->items[i];

		decimal_sum_add(&sum, x->v);
		/* More than once are whole numbers. What is beyond all sums becomes the largest value. */
		if (__builtin_mul_overflow(x->v / DECIMAL_ONE, (__int128)(x->times - 1), &more) ||
		    __builtin_add_overflow(sum.whole, more, &sum.whole))
			return o->items[o->n - 1].v;
	}
	return decimal_mean(&sum, o->all);
}

static decimal distance(decimal a, decimal b)
{
	return a > b ? a - b : b - a;
}

/* The median of the distances from the median. */
static decimal frames_mad(const struct frames_order *o)
{
	struct frames_order d = {.n = o->n, .all = o->all};
	decimal median, v;
	size_t row;

	if (!frames_percentile(o, 50, &median, &row))
		return 0;
	d.items = mem_array(o->n, sizeof *d.items);
	for (size_t i = 0; i < o->n; i++)
		d.items[i] = (struct frames_rank){distance(o->items[i].v, median),
						  o->items[i].times, o->items[i].row};
	sort_array(d.items, d.n, sizeof *d.items, frames_stats_compare);
	v = frames_at_rank(&d, (d.all + 1) / 2 - 1)->v;
	frames_order_release(&d);
	return v;
}

/* What is beyond all values is a limit that no frame breaks. */
static decimal frames_times(decimal v, decimal by)
{
	const decimal most = decimal_of_unsigned(UINT64_MAX);
	decimal whole, part;

	/* v * by / 1, in parts so that nothing that fits overflows. */
	if (__builtin_mul_overflow(v, by / DECIMAL_ONE, &whole))
		return v < 0 ? -most : most;
	part = v / DECIMAL_ONE * (by % DECIMAL_ONE) +
	       v % DECIMAL_ONE * (by % DECIMAL_ONE) / DECIMAL_ONE;
	if (__builtin_add_overflow(whole, part, &whole))
		return v < 0 ? -most : most;
	return whole;
}

decimal spike_share(decimal duration, decimal percent)
{
	return frames_times(duration, percent) / 100;
}

bool spike_limit(const struct frames *f, const struct spike *s, decimal *limit)
{
	struct frames_order o;
	decimal median = 0, unit;
	size_t row;
	bool known;

	if (s->rule == SPIKE_VALUE || s->rule == SPIKE_SHARE) {
		*limit = s->value;
		return frames_known(f, s->metric) &&
		       (s->rule == SPIKE_VALUE || frames_known(f, FRAME_DURATION));
	}
	o = frames_order_new(f, s->metric);
	known = frames_percentile(&o, 50, &median, &row);
	unit = s->rule == SPIKE_MAD ? frames_mad(&o) : median;
	frames_order_release(&o);
	if (!known || unit <= 0)
		return false;
	*limit = frames_times(unit, s->value);
	if (s->rule == SPIKE_MAD)
		*limit += median;
	return true;
}

/* --- growth --- */

/* The level after the start of the program, and before what is still open at the end. */
static size_t growth_levels(const struct frames *f, int metric, decimal *level, size_t *row)
{
	size_t all = 0, seen = 0, n = 0;

	for (size_t i = 0; i < f->n; i++)
		all += f->rows[i].kind != SLICE_BEFORE;
	if (all < GROWTH_FRAMES)
		return 0;
	for (size_t i = 0; i < f->n; i++) {
		if (f->rows[i].kind == SLICE_BEFORE || seen++ < all / 4 ||
		    !frames_value(f, i, metric, &level[n]))
			continue;
		row[n++] = i;
	}
	/* The capture ends within the last step, and within a frame without a duration. */
	if (n && (f->rows[row[n - 1]].kind == SLICE_TIME || !f->rows[row[n - 1]].has_duration))
		n--;
	return n < GROWTH_FRAMES / 2 ? 0 : n;
}

/* The largest part of a level that came and went: of what rose above the least before, what fell to the least
 * behind it. *last: the last level that has half of this. floor: the least from there on. */
static decimal growth_swing(const decimal *level, const decimal *floor, size_t n, size_t *last)
{
	decimal least = level[0], swing = 0;

	for (int half = 0; half < 2; half++)
		for (size_t i = 0; i < n; i++) {
			decimal up, down = level[i] - floor[i];

			least = i && level[i] > least ? least : level[i];
			up = level[i] - least;
			up = up < down ? up : down;
			if (half && up * 2 >= swing)
				*last = i;
			else if (!half && up > swing)
				swing = up;
		}
	return swing;
}

/* How many levels say how it ends, or begins. */
static size_t growth_tail(size_t n)
{
	return n / 10 > 4 ? n / 10 : n / 3 > 4 ? 4 : n / 3;
}

/* floor[i]: what of the level there is never lost again, as far as this is known at the end. Returns the growth. */
static decimal growth_floor(const decimal *level, decimal *floor, size_t n)
{
	size_t tail = growth_tail(n), last = 0;
	decimal end, swing, sure, most;

	for (size_t i = n; i-- > 0;)
		floor[i] = i + 1 < n && floor[i + 1] < level[i] ? floor[i + 1] : level[i];
	swing = growth_swing(level, floor, n, &last);
	end = floor[n - tail];
	/* What came since the last swing may go as that did. */
	sure = end;
	if (swing) {
		sure = floor[last] > end - swing ? floor[last] : end - swing;
		sure = sure < end ? sure : end;
	}
	if (sure - floor[0] <= level[n - 1] / GROWTH_LEAST || (sure - floor[0]) * 4 < swing)
		return 0;
	most = level[n - 1] - swing > sure ? level[n - 1] - swing : sure;
	for (size_t i = 0; i < n; i++)
		floor[i] = floor[i] < most ? floor[i] : most;
	return floor[n - 1] - floor[0];
}

static void growth_step(struct frames_growth *to, decimal by, size_t row)
{
	size_t at = to->n;

	while (at && to->steps[at - 1].by < by)
		at--;
	if (at == GROWTH_STEPS)
		return;
	to->n += to->n < GROWTH_STEPS;
	memmove(&to->steps[at + 1], &to->steps[at], (to->n - at - 1) * sizeof *to->steps);
	to->steps[at] = (struct frames_growth_step){by, row};
}

static void growth_steps(struct frames_growth *to, const decimal *floor, const size_t *row,
			 size_t n)
{
	size_t k = 0;

	for (size_t i = 1; i < n; i++)
		if (floor[i] > floor[i - 1])
			growth_step(to, floor[i] - floor[i - 1], row[i]);
	while (k < to->n && to->sum * 5 < to->all * 4)
		to->sum += to->steps[k++].by;
	to->n = to->sum * 5 >= to->all * 4 ? k : 0;
}

static void growth_between(struct frames_growth *to, decimal by, size_t from, size_t until,
			   size_t frames, const struct frames *f)
{
	const struct frame *a = &f->rows[from], *b = &f->rows[until];

	to->from = from;
	to->to = until;
	to->slope =
	    decimal_to_double(by) /
	    (b->kind == SLICE_TIME ? (double)b->number - (double)a->number : (double)frames);
}

/* From the last level without a twentieth of the growth to the first that is never lost and has all but one. */
static void growth_slope(struct frames_growth *to, const decimal *level, const decimal *floor,
			 const size_t *row, size_t n, const struct frames *f)
{
	size_t from = 0, until = n - 1;

	for (size_t i = 0; i < n; i++)
		from = floor[i] - floor[0] <= to->all / GROWTH_PART ? i : from;
	while (until > from + 1 && floor[n - 1] - floor[until - 1] <= to->all / GROWTH_PART)
		until--;
	while (until + 1 < n && level[until] > floor[until])
		until++;
	growth_between(to, floor[until] - floor[from], row[from], row[until], until - from, f);
}

/* From the least of the first levels to the most of the last ones. */
static void growth_fall(struct frames_growth *to, const decimal *level, const size_t *row, size_t n,
			const struct frames *f)
{
	size_t tail = growth_tail(n), from = 0, until;
	decimal least = level[0], most = level[n - 1], part;

	for (size_t i = 1; i < tail; i++) {
		least = level[i] < least ? level[i] : least;
		most = level[n - 1 - i] > most ? level[n - 1 - i] : most;
	}
	if (least - most <= level[0] / GROWTH_LEAST)
		return;
	to->all = level[n - 1] - level[0];
	part = -to->all / GROWTH_PART;
	for (size_t i = 0; i < n; i++)
		from = level[i] >= level[0] - part ? i : from;
	for (until = from; until + 1 < n && level[until] > level[n - 1] + part;)
		until++;
	if (until == from)
		return;
	growth_between(to, level[until] - level[from], row[from], row[until], until - from, f);
	if (until == from + 1) {
		to->sum = to->all = level[until] - level[from];
		growth_step(to, to->all, row[until]);
	}
}

bool frames_growth(const struct frames *f, int metric, struct frames_growth *to)
{
	decimal *level = mem_array(f->n + 1, sizeof *level),
		*floor = mem_array(f->n + 1, sizeof *floor);
	size_t *row = mem_array(f->n + 1, sizeof *row), n = growth_levels(f, metric, level, row);

	*to = (struct frames_growth){0};
	to->all = n ? growth_floor(level, floor, n) : 0;
	if (to->all) {
		growth_steps(to, floor, row, n);
		growth_slope(to, level, floor, row, n, f);
	} else if (n) {
		growth_fall(to, level, row, n, f);
	}
	free(level);
	free(floor);
	free(row);
	return n > 0;
}
