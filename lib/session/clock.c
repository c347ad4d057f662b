/* SPDX-License-Identifier: MIT
 *
 * The match is the concordance of two rows of numbers, 2 * sum(xy) / (sum(xx) + sum(yy)): 1 of equal ones only. All ways
 * to lay them against each other come from one correlation by Fourier transforms (Cooley and Tukey). Of n independent
 * numbers chance makes a correlation of r or more in about (1 - r^2)^(n/2) of the cases; n is sum(xx)^2 / sum(x^4),
 * as some frames say more than others.
 */
#include "lib/session/clock.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_OVERLAP = 8, OVERLAP_PART = 10, WINDOW = 3, TRIES = 2, LEVEL = 8 };
static const double CHANCE = 1e-4, LEAST_MATCH = 0.6, RIVAL_MATCH = 0.75, RIVAL_PART = 0.5,
		    LEAST_WEIGHT = 3; /* a hitch has 2: the change to it, and from it */
/* Logarithms of ratios below it are rounding. */
static const double STILL = 1e-9;

/* --- the correlation --- */

static void fourier(double complex *x, size_t n, bool back)
{
	for (size_t i = 1, k = 0; i < n; i++) {
		size_t bit = n >> 1;

		for (; k & bit; bit >>= 1)
			k ^= bit;
		k ^= bit;
		if (i < k) {
			double complex t = x[i];

			x[i] = x[k];
			x[k] = t;
		}
	}
	for (size_t len = 2; len <= n; len <<= 1) {
		double angle = (back ? 2 : -2) * acos(-1) / (double)len;
		size_t half = len / 2;

		for (size_t k = 0; k < half; k++) {
			double complex w = cexp(I * angle * (double)k);

			for (size_t i = k; i < n; i += len) {
				double complex u = x[i], v = x[i + half] * w;

				x[i] = u + v;
				x[i + half] = u - v;
			}
		}
	}
}

/* to[k] becomes the sum of a[i + k] * b[i]; below 0, k counts from the end. n: a power of 2. */
static void correlate(const double *a, size_t n_a, const double *b, size_t n_b, double *to,
		      size_t n)
{
	double complex *x = mem_zarray(n, sizeof *x), *y = mem_zarray(n, sizeof *y);

	for (size_t i = 0; i < n_a; i++)
		x[i] = a[i];
	for (size_t i = 0; i < n_b; i++)
		y[i] = b[i];
	fourier(x, n, false);
	fourier(y, n, false);
	for (size_t i = 0; i < n; i++)
		x[i] *= conj(y[i]);
	fourier(x, n, true);
	for (size_t i = 0; i < n; i++)
		to[i] = creal(x[i]) / (double)n;
	free(x);
	free(y);
}

/* --- what frames say --- */

struct row {
	double *x; /* change of the logarithm of the length, against the frame before */
	double *squares, *fourths; /* sums up to each; n + 1 */
	size_t n;
};

static void add_squares(struct row *r)
{
	for (size_t i = 0; i < r->n; i++) {
		double s = r->x[i] * r->x[i];

		r->squares[i + 1] = r->squares[i] + s;
		r->fourths[i + 1] = r->fourths[i] + s * s;
	}
}

static void row_of(struct row *r, const struct clock_frames *f)
{
	r->n = f->n < CLOCK_FRAMES_MOST ? f->n : CLOCK_FRAMES_MOST;
	r->x = mem_zarray(r->n + 1, sizeof *r->x);
	r->squares = mem_zarray(r->n + 1, sizeof *r->squares);
	r->fourths = mem_zarray(r->n + 1, sizeof *r->fourths);
	for (size_t i = 0; i < r->n; i++) {
		const struct clock_frame *now = &f->items[i], *before = now - 1;
		double v = 0;

		if (i && now->duration > 0 && before->duration > 0)
			v = log((double)now->duration / (double)before->duration);
		/* What the times of the capture cannot tell apart is no change. */
		if (i && now->duration > 0 && before->duration > 0 &&
		    llabs(now->duration - before->duration) <= f->resolution)
			v = 0;
		r->x[i] = fabs(v) < STILL ? 0 : v;
	}
	add_squares(r);
}

static void row_release(struct row *r)
{
	free(r->x);
	free(r->squares);
	free(r->fourths);
}

struct overlap {
	size_t a, b, n; /* frames from a and b on */
};

static struct overlap overlap_of(const struct row *a, const struct row *b, int64_t lag)
{
	size_t from_a = lag > 0 ? (size_t)lag : 0, from_b = lag < 0 ? (size_t)-lag : 0;
	size_t n_a = a->n - from_a, n_b = b->n - from_b;

	return (struct overlap){from_a, from_b, n_a < n_b ? n_a : n_b};
}

static double part_of(const double *sums, size_t from, size_t n)
{
	return sums[from + n] - sums[from];
}

/* How many independent frames the smaller one of two is worth. */
static double weight_of(const struct row *r, size_t from, size_t n)
{
	double s = part_of(r->squares, from, n), f = part_of(r->fourths, from, n);

	return f > 0 ? s * s / f : 0;
}

struct match {
	int64_t lag;
	double match, common; /* 2 * common: sum(xy) of both */
};

static struct match match_of(const struct row *a, const struct row *b, const double *sums,
			     size_t n_sums, int64_t lag)
{
	struct overlap o = overlap_of(a, b, lag);
	double all = part_of(a->squares, o.a, o.n) + part_of(b->squares, o.b, o.n);
	double common = sums[lag < 0 ? n_sums - (size_t)-lag : (size_t)lag];

	return (struct match){lag, all > 0 ? 2 * common / all : 0, common};
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts. */
static double median_of(double *v, size_t n)
{
	sort_array(v, n, sizeof *v, compare_numbers);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* No change counts as more than some of the usual ones: beside one hitch of a second, all others would say nothing. */
static void level(struct row *r)
{
	double *v = mem_array(r->n + 1, sizeof *v), most;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->x[i] != 0.0)
			v[n++] = fabs(r->x[i]);
	most = n ? LEVEL * median_of(v, n) : 0;
	for (size_t i = 0; i < r->n; i++)
		r->x[i] = fmax(-most, fmin(most, r->x[i]));
	free(v);
	add_squares(r);
}

static bool sure_of(const struct row *a, const struct row *b, const struct match *m, size_t ways)
{
	struct overlap o = overlap_of(a, b, m->lag);
	double n = fmin(weight_of(a, o.a, o.n), weight_of(b, o.b, o.n));
	double rest = 1 - m->match * m->match;

	return n >= LEAST_WEIGHT &&
	       log(fmax(rest, 1e-6)) * n / 2 + log(TRIES * (double)ways) < log(CHANCE);
}

static bool lag_of(const struct row *a, const struct row *b, struct session_clock *c)
{
	size_t less = a->n < b->n ? a->n : b->n, least = less / OVERLAP_PART, n = 1;
	int64_t first, last;
	struct match best = {.match = 0}, m;
	bool rival = false;
	double *sums;

	if (least < LEAST_OVERLAP)
		least = LEAST_OVERLAP;
	c->why = CLOCK_NO_MATCH;
	if (less < least)
		return false;
	c->why = CLOCK_EVEN;
	if (weight_of(a, 0, a->n) < LEAST_WEIGHT || weight_of(b, 0, b->n) < LEAST_WEIGHT)
		return false;
	while (n < a->n + b->n)
		n *= 2;
	sums = mem_array(n, sizeof *sums);
	correlate(a->x, a->n, b->x, b->n, sums, n);
	first = -(int64_t)(b->n - least);
	last = (int64_t)(a->n - least);
	for (int64_t lag = first; lag <= last; lag++) {
		m = match_of(a, b, sums, n, lag);
		if (m.match >= LEAST_MATCH && m.common > best.common)
			best = m;
	}
	for (int64_t lag = first; best.common > 0 && lag <= last; lag++) {
		m = match_of(a, b, sums, n, lag);
		rival |= lag != best.lag && m.match >= RIVAL_MATCH * best.match &&
			 m.common >= RIVAL_PART * best.common;
	}
	free(sums);
	c->lag = best.lag;
	c->why = rival ? CLOCK_AMBIGUOUS : CLOCK_NO_MATCH;
	return best.common > 0 && !rival && sure_of(a, b, &best, (size_t)(last - first) + 1);
}

/* --- the clock that shared moments say --- */

/* Of many moments so many are looked at, evenly spaced. */
enum { MOMENTS = 4096 };

/* The median of the slopes from each moment to the one half of all behind it. v: room for n. */
static double slope_of(const struct clock_pair *p, size_t n, double *v)
{
	size_t half = n / 2, step = half / MOMENTS + 1, k = 0;

	for (size_t i = 0; i + half < n; i += step) {
		double t = (double)(p[i + half].b - p[i].b);

		if (t > 0)
			v[k++] = ((double)(p[i + half].a - p[i].a) - t) / t;
	}
	return k ? median_of(v, k) : 0;
}

static double off_by(const struct session_clock *c, const struct clock_pair *p)
{
	return (double)(p->a - p->b) - (double)c->offset - c->drift * (double)(p->b - c->at);
}

enum { EXTREMES = 200 }; /* one of so many at either end does not count */

/* The pairs ascend by b. drifts: more than chance of so many moments makes. */
static void fit(struct session_clock *c, const struct clock_pair *p, size_t n, int64_t resolution,
		bool drifts)
{
	double *v = mem_array(n + 1, sizeof *v), spread, drift;
	double span = (double)(p[n - 1].b - p[0].b);

	c->at = p[0].b + (p[n - 1].b - p[0].b) / 2;
	c->drift = 0;
	drift = drifts ? slope_of(p, n, v) : 0;
	c->offset = 0;
	for (size_t i = 0; i < n; i++)
		v[i] = (double)(p[i].a - p[i].b) - drift * (double)(p[i].b - c->at);
	spread = median_of(v, n);
	c->offset = (int64_t)llround(spread);
	c->drift = drift;
	for (size_t i = 0; i < n; i++)
		v[i] = off_by(c, &p[i]);
	sort_array(v, n, sizeof *v, compare_numbers);
	spread = (v[n - 1 - n / 4] - v[n / 4]) / 2;
	/* A drift within what single moments are off by is none. */
	if (fabs(drift) * span / 2 <= spread + (double)resolution && drifts) {
		fit(c, p, n, resolution, false);
		free(v);
		return;
	}
	c->error = (int64_t)ceil(v[n - 1 - n / EXTREMES] - v[n / EXTREMES]) + resolution;
	c->shared = n;
	free(v);
}

bool clock_by_frames(const struct clock_frames *a, const struct clock_frames *b,
		     struct session_clock *c)
{
	struct row x, y;
	struct overlap o;
	struct clock_pair *pairs;
	bool found;

	*c = (struct session_clock){.by = CLOCK_UNKNOWN};
	row_of(&x, a);
	row_of(&y, b);
	found = lag_of(&x, &y, c);
	if (!found && c->why != CLOCK_AMBIGUOUS) {
		enum clock_why why = c->why;

		level(&x);
		level(&y);
		found = lag_of(&x, &y, c);
		c->why = found ? c->why : why;
	}
	if (found) {
		o = overlap_of(&x, &y, c->lag);
		pairs = mem_array(o.n, sizeof *pairs);
		for (size_t i = 0; i < o.n; i++)
			pairs[i] =
			    (struct clock_pair){a->items[o.a + i].start, b->items[o.b + i].start};
		fit(c, pairs, o.n, a->resolution + b->resolution, true);
		free(pairs);
		c->by = CLOCK_FRAMES;
	}
	row_release(&x);
	row_release(&y);
	return found;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct clock_pair *x = a, *y = b;

	return (x->b > y->b) - (x->b < y->b);
}

bool clock_by_markers(struct clock_pair *pairs, size_t n, int64_t resolution,
		      struct session_clock *c)
{
	double *v = mem_array(n + 1, sizeof *v), middle;
	size_t near = 0;

	*c = (struct session_clock){.by = CLOCK_UNKNOWN, .why = CLOCK_DISAGREE};
	for (size_t i = 0; i < n; i++)
		v[i] = (double)(pairs[i].a - pairs[i].b);
	middle = n ? median_of(v, n) : 0;
	free(v);
	for (size_t i = 0; i < n; i++)
		if (fabs((double)(pairs[i].a - pairs[i].b) - middle) <= MARKS_NEAR)
			pairs[near++] = pairs[i];
	if (!near || near * WINDOW < n * (WINDOW - 1))
		return false;
	sort_array(pairs, near, sizeof *pairs, compare_pairs);
	fit(c, pairs, near, resolution, false);
	c->by = CLOCK_MARKERS;
	return true;
}

static int64_t saturated(double v)
{
	return v >= 9.2e18 ? INT64_MAX : v <= -9.2e18 ? INT64_MIN : (int64_t)llround(v);
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t r;

	return __builtin_add_overflow(a, b, &r) ? (a < 0 ? INT64_MIN : INT64_MAX) : r;
}

int64_t clock_there(const struct session_clock *c, int64_t time)
{
	int64_t moved = plus(time, c->offset);

	return c->drift == 0.0 ? moved
			       : plus(moved, saturated(c->drift * ((double)time - (double)c->at)));
}

int64_t clock_back(const struct session_clock *c, int64_t time)
{
	int64_t moved = plus(time, c->offset == INT64_MIN ? INT64_MAX : -c->offset);

	return c->drift == 0.0
		   ? moved
		   : plus(moved,
			  -saturated(c->drift / (1 + c->drift) * ((double)moved - (double)c->at)));
}

/* Of two drifts the product is left out: it is below what either is known by. */
void clock_chain(struct session_clock *c, const struct session_clock *a)
{
	int64_t at = plus(c->at, c->offset); /* of a's clock, when it is c->at on b's */

	c->offset = plus(c->offset, clock_there(a, at) - at);
	c->drift += a->drift;
	c->error = plus(c->error, a->error);
}
