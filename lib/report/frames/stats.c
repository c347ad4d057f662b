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

static int frames_stats_compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

bool frames_trend(const struct frames *f, int metric, double *slope)
{
	double x[TREND_MAX], y[TREND_MAX], *slopes;
	size_t n = 0, have = 0, taken = 0, pairs = 0;
	decimal v;

	for (size_t i = 0; i < f->n; i++)
		have += f->rows[i].kind != SLICE_BEFORE && frames_value(f, i, metric, &v);
	if (have < TREND_MIN)
		return false;
	for (size_t i = 0; i < f->n; i++) {
		if (f->rows[i].kind == SLICE_BEFORE || !frames_value(f, i, metric, &v))
			continue;
		/* The k-th of TREND_MAX is at k * (have - 1) / (TREND_MAX - 1). */
		if (have <= TREND_MAX || taken == n * (have - 1) / (TREND_MAX - 1)) {
			x[n] = f->rows[i].kind == SLICE_TIME ? (double)f->rows[i].number
							     : (double)taken;
			y[n++] = decimal_to_double(v);
		}
		taken++;
	}
	slopes = mem_array(n * (n - 1) / 2, sizeof *slopes);
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (x[k] > x[i])
				slopes[pairs++] = (y[k] - y[i]) / (x[k] - x[i]);
	if (pairs) {
		sort_array(slopes, pairs, sizeof *slopes, frames_stats_compare_double);
		*slope =
		    pairs % 2 ? slopes[pairs / 2] : (slopes[pairs / 2 - 1] + slopes[pairs / 2]) / 2;
	}
	free(slopes);
	return pairs > 0;
}

/* Level i: what of the value there is never lost again. */
static size_t frames_levels(const struct frames *f, int metric, decimal *level, size_t *row)
{
	size_t all = 0, seen = 0, n = 0;

	for (size_t i = 0; i < f->n; i++)
		all += f->rows[i].kind != SLICE_BEFORE;
	if (all < RISES_FRAMES)
		return 0;
	for (size_t i = 0; i < f->n; i++) {
		if (f->rows[i].kind == SLICE_BEFORE || seen++ < all / 4 ||
		    !frames_value(f, i, metric, &level[n]))
			continue;
		row[n++] = i;
	}
	return n;
}

static void frames_keep_rise(struct frames_rises *to, decimal by, size_t row)
{
	size_t at = to->n;

	while (at && to->steps[at - 1].by < by)
		at--;
	if (at == RISES_MOST)
		return;
	to->n += to->n < RISES_MOST;
	memmove(&to->steps[at + 1], &to->steps[at], (to->n - at - 1) * sizeof *to->steps);
	to->steps[at] = (struct frames_rise){by, row};
}

bool frames_rises(const struct frames *f, int metric, struct frames_rises *to)
{
	decimal *level = mem_array(f->n + 1, sizeof *level), most;
	size_t *row = mem_array(f->n + 1, sizeof *row), n = frames_levels(f, metric, level, row);
	bool found = false;

	*to = (struct frames_rises){0};
	if (n > 1) {
		decimal start = level[0], last = level[n - 1];

		most = start;
		for (size_t i = n - 1; i-- > 0;) {
			most = level[i + 1] > most ? level[i + 1] : most;
			level[i] = level[i] < level[i + 1] ? level[i] : level[i + 1];
		}
		/* Where most was not for good, steps are no answer. */
		to->all = last - level[0];
		for (size_t i = 1; i < n; i++)
			if (level[i] > level[i - 1])
				frames_keep_rise(to, level[i] - level[i - 1], row[i]);
		for (size_t k = 0; k < to->n && !found; k++) {
			to->sum += to->steps[k].by;
			found = to->sum * 5 >= to->all * 4;
			if (found)
				to->n = k + 1;
		}
		found = found && to->all > 0 && to->all * 20 >= last && to->all * 2 >= most - start;
	}
	free(level);
	free(row);
	return found;
}
