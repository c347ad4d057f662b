/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/stats.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>

struct by_value {
	const struct frames *f;
	int metric;
};

static int frames_stats_compare(const void *a, const void *b, void *arg)
{
	const struct by_value *o = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	decimal v, w;

	frames_value(o->f, x, o->metric, &v);
	frames_value(o->f, y, o->metric, &w);
	if (v != w)
		return v < w ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Steps of time between two rows of a capture. */
static uint64_t idle_steps(const struct frames *f, size_t row)
{
	const struct frame *a = &f->rows[row], *b = &f->rows[row + 1];

	if (a->kind != SLICE_TIME || b->kind != SLICE_TIME || a->capture != b->capture)
		return 0;
	return (uint64_t)b->number - (uint64_t)a->number - 1;
}

struct frames_order frames_order_new(const struct frames *f, int metric)
{
	struct frames_order o = {.metric = metric};
	struct by_value by = {f, metric};
	bool state = metric < (int)SUMS && (SUMS_LIVE | SUMS_PEAK) >> metric & 1;
	decimal v;

	o.rows = mem_array(f->n + 1, sizeof *o.rows);
	for (size_t i = 0; i < f->n; i++) {
		if (f->rows[i].kind != SLICE_BEFORE && frames_value(f, i, metric, &v))
			o.rows[o.n++] = (uint32_t)i;
		/* What is live goes on through steps without events, and no counter was read there:
		 * nothing is 0. */
		if (i + 1 < f->n && !state && metric < FRAME_DURATION)
			o.idle = add_saturating(o.idle, idle_steps(f, i));
	}
	if (!o.n)
		o.idle = 0;
	sort_array_by(o.rows, o.n, sizeof *o.rows, frames_stats_compare, &by);
	while (o.below < o.n && frames_value(f, o.rows[o.below], metric, &v) && v < 0)
		o.below++;
	return o;
}

void frames_order_release(struct frames_order *o)
{
	free(o->rows);
	o->rows = NULL;
}

static void frames_stats_nearest_rank(const struct frames *f, const struct frames_order *o,
				      uint64_t rank, decimal *v, size_t *row)
{
	size_t i, k;

	if (rank >= o->below && rank - o->below < o->idle) {
		*v = 0;
		*row = SIZE_MAX;
		return;
	}
	i = (size_t)(rank < o->below ? rank : rank - o->idle);
	frames_value(f, o->rows[i], o->metric, v);
	for (k = i; k > 0; k--) {
		decimal w;

		frames_value(f, o->rows[k - 1], o->metric, &w);
		if (w != *v)
			break;
	}
	*row = o->rows[k];
}

bool frames_percentile(const struct frames *f, const struct frames_order *o, unsigned percent,
		       decimal *v, size_t *row)
{
	uint64_t n = add_saturating(o->n, o->idle), rank;

	if (!o->n)
		return false;
	/* ceil(n * percent / 100), without an overflow. */
	rank = n / 100 * percent + (n % 100 * percent + 99) / 100;
	frames_stats_nearest_rank(f, o, rank ? rank - 1 : 0, v, row);
	return true;
}

static int frames_stats_compare_decimal(const void *a, const void *b)
{
	decimal x = *(const decimal *)a, y = *(const decimal *)b;

	return x < y ? -1 : x > y;
}

static decimal distance(decimal a, decimal b)
{
	return a > b ? a - b : b - a;
}

/* The median of the distances from the median. */
static decimal frames_mad(const struct frames *f, const struct frames_order *o)
{
	uint64_t n = add_saturating(o->n, o->idle), rank, below = 0;
	decimal median, v, idle, *d = mem_array(o->n + 1, sizeof *d);
	size_t row;

	if (!frames_percentile(f, o, 50, &median, &row)) {
		free(d);
		return 0;
	}
	for (size_t i = 0; i < o->n; i++) {
		frames_value(f, o->rows[i], o->metric, &v);
		d[i] = distance(v, median);
	}
	sort_array(d, o->n, sizeof *d, frames_stats_compare_decimal);
	rank = (n + 1) / 2 - 1;
	/* The idle steps are all as far away from it as 0 is. */
	idle = distance(0, median);
	while (below < o->n && d[below] < idle)
		below++;
	if (rank < below)
		v = d[rank];
	else if (rank - below < o->idle)
		v = idle;
	else
		v = d[rank - o->idle];
	free(d);
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
	known = frames_percentile(f, &o, 50, &median, &row);
	unit = s->rule == SPIKE_MAD ? frames_mad(f, &o) : median;
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

/* floor[i]: what of the level there is never lost again, as far as this is known at the end. Returns the growth. */
static decimal growth_floor(const decimal *level, decimal *floor, size_t n)
{
	size_t tail = n / 10 > 4 ? n / 10 : n / 3 > 4 ? 4 : n / 3, last = 0;
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
	if (sure - floor[0] < level[n - 1] / GROWTH_PART || (sure - floor[0]) * 4 < swing)
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

/* From the last level without a twentieth of the growth to the first that is never lost and has all but one. */
static void growth_slope(struct frames_growth *to, const decimal *level, const decimal *floor,
			 const size_t *row, size_t n, const struct frames *f)
{
	const struct frame *rows = f->rows;
	size_t from = 0, until = n - 1;
	double units;

	for (size_t i = 0; i < n; i++)
		from = floor[i] - floor[0] <= to->all / GROWTH_PART ? i : from;
	while (until > from + 1 && floor[n - 1] - floor[until - 1] <= to->all / GROWTH_PART)
		until--;
	while (until + 1 < n && level[until] > floor[until])
		until++;
	units = rows[row[until]].kind == SLICE_TIME
		    ? (double)rows[row[until]].number - (double)rows[row[from]].number
		    : (double)(until - from);
	to->from = row[from];
	to->to = row[until];
	to->slope = decimal_to_double(floor[until] - floor[from]) / units;
}

bool frames_growth(const struct frames *f, int metric, struct frames_growth *to)
{
	decimal *level = mem_array(f->n + 1, sizeof *level),
		*floor = mem_array(f->n + 1, sizeof *floor), least, most;
	size_t *row = mem_array(f->n + 1, sizeof *row), n = growth_levels(f, metric, level, row);

	*to = (struct frames_growth){0};
	to->all = n ? growth_floor(level, floor, n) : 0;
	if (to->all) {
		growth_steps(to, floor, row, n);
		growth_slope(to, level, floor, row, n, f);
	} else if (n) {
		/* It falls, if all that is behind the middle is below all before it. */
		least = most = level[n - 1];
		for (size_t i = 0; i < n; i++) {
			least = i < n / 2 && (!i || level[i] < least) ? level[i] : least;
			most = i >= n / 2 && level[i] > most ? level[i] : most;
		}
		if (most < least && level[0] - level[n - 1] >= level[0] / GROWTH_PART) {
			const struct frame *rows = f->rows;

			to->all = level[n - 1] - level[0];
			to->from = row[0];
			to->to = row[n - 1];
			to->slope =
			    decimal_to_double(to->all) /
			    (rows[row[0]].kind == SLICE_TIME
				 ? (double)rows[row[n - 1]].number - (double)rows[row[0]].number
				 : (double)(n - 1));
		}
	}
	free(level);
	free(floor);
	free(row);
	return n > 0;
}
