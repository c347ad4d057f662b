/* SPDX-License-Identifier: MIT */
#include "lib/stats/steps.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double steps_free = 0.05, rounding = 1e-12;

struct part {
	size_t first, last;
};

struct search {
	struct stats_sample s;
	uint64_t seed;
	double alpha;
	double shrink; /* of squares, since runs depend on each other */
	double *clipped, *sums;
	struct part *todo;
	size_t n_todo, cap_todo;
	struct stats_step *steps;
	size_t n, cap;
};

void stats_draw_in(const double *v, size_t n, double *to)
{
	double middle = stats_median((struct stats_sample){v, n}), reach;
	double *work = mem_array(n + 1, sizeof *work);

	for (size_t i = 0; i < n; i++)
		work[i] = fabs(v[i] - middle);
	reach = STEPS_CLIP * 1.4826 * stats_median((struct stats_sample){work, n});
	for (size_t i = 0; i < n; i++)
		to[i] = reach > 0 && v[i] > middle + reach   ? middle + reach
			: reach > 0 && v[i] < middle - reach ? middle - reach
							     : v[i];
	free(work);
}

/* The same only of values that are alone: of two neighbours that are as far off on one side, the order says that they
 * may be a level, which a question about all orders does not see. */
static void draw_in_lone(const double *v, size_t n, double *to)
{
	stats_draw_in(v, n, to);
	for (size_t i = 0, last; i < n; i = last) {
		double off = v[i] - to[i];

		for (last = i + 1; last < n && off * (v[last] - to[last]) > 0; last++)
			to[last] = v[last];
		if (last - i > 1)
			to[i] = v[i];
	}
}

/* Each step is a level and a place (Schwarz 1978). */
static double step_costs(double n)
{
	return 2 * log(n);
}

/* A stretch of runs against the rest, and how far off that is. */
struct stretch {
	size_t first, last;
	double far;
};

/* Of `runs` of n values, which are together `sum` above their mean. */
static double explained(double sum, size_t runs, size_t n)
{
	return sum * sum * (double)n / ((double)runs * (double)(n - runs));
}

static void farther(struct stretch *most, size_t first, size_t last, double far)
{
	if (far > most->far)
		*most = (struct stretch){first, last, far};
}

/* Runs up to the last; sums[k] is of the first k. From `from` (2) on. */
static struct stretch farthest_end(const double *sums, size_t n, size_t from)
{
	struct stretch most = {.far = -1};

	for (size_t k = from; k + 2 <= n; k++)
		farther(&most, k, n, explained(sums[k], k, n));
	return most;
}

/* Runs between others. Each length that is looked at is longer than the last by a fifth, or by one: `all`. */
static struct stretch farthest_hump(const double *sums, size_t n, bool all)
{
	struct stretch most = {.far = -1};
	size_t longest = n < STEPS_HUMP_MAX + 4 ? n - 4 : STEPS_HUMP_MAX;

	for (size_t runs = 2; runs <= longest; runs += all || runs < 5 ? 1 : runs / 5) {
		double far = 0;
		size_t at = 2;

		for (size_t i = 2; i + runs + 2 <= n; i++) {
			double d = fabs(sums[i + runs] - sums[i]);

			at = d > far ? i : at;
			far = d > far ? d : far;
		}
		farther(&most, at, at + runs, explained(far, runs, n));
	}
	return most;
}

/* Values of a part of the series. */
struct values {
	double *v, *sums; /* drawn in; of the first runs above the mean of all */
	size_t n;
	double squares; /* of all of them */
	double
	    shrink; /* of what is explained beside what is not, since runs depend on each other */
};

static void add_up(struct values *x)
{
	double mean = stats_mean((struct stats_sample){x->v, x->n});

	x->sums[0] = x->squares = 0;
	for (size_t i = 0; i < x->n; i++) {
		double d = x->v[i] - mean;

		x->sums[i + 1] = x->sums[i] + d;
		x->squares += d * d;
	}
}

/* Of the squares that are explained, what counts: shrunk beside the rest, they are as many. */
static double shrink_of(const struct values *x, double squares)
{
	double rest = fmax(x->squares - squares, 0) + x->shrink * squares;

	return rest > 0 ? x->shrink * x->squares / rest : 1;
}

/* Twice the logarithm of how much likelier normal values are with a stretch of its own level. */
static double likelier(const struct values *x, double squares)
{
	double rest = fmax(x->squares - squares, x->squares * rounding);

	return rest > 0 ? (double)x->n * log1p(x->shrink * squares / rest) : 0;
}

/* The stretch that says most. A hump is two steps, and has to say as much more as stats_trend has a step cost. */
static struct stretch farthest(const struct values *x, bool all)
{
	struct stretch end = farthest_end(x->sums, x->n, 2),
		       hump = farthest_hump(x->sums, x->n, all);

	end.far = likelier(x, end.far);
	hump.far = likelier(x, hump.far) - step_costs((double)x->n);
	return hump.far > end.far ? hump : end;
}

static uint64_t next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	return hash_u64(*state);
}

static void shuffle(double *v, size_t n, uint64_t *state)
{
	for (size_t i = n - 1; i; i--) {
		size_t k = (size_t)((unsigned __int128)next(state) * (i + 1) >> 64);
		double x = v[i];

		v[i] = v[k];
		v[k] = x;
	}
}

/* Equal arrangements add up in another order: what differs by rounding alone is as large. */
static bool reaches(double x, double most)
{
	return x >= most * (1 - 1e-9);
}

/* Of values whose largest is about that of Gumbel's distribution: the share above x. */
static double gumbel_above(double sum, double squares, double n, double x)
{
	double mean = sum / n, deviation = sqrt(fmax(squares / n - mean * mean, 0));
	double beta = deviation * 0.7796968; /* sqrt(6) / pi */

	if (!(beta > 0))
		return x > mean ? 0 : 1;
	return -expm1(-exp(-(x - mean) / beta - 0.5772157));
}

static double log_choose(size_t n, size_t m)
{
	return lgamma((double)n + 1) - lgamma((double)m + 1) - lgamma((double)(n - m) + 1);
}

static size_t equal_to(const double *v, size_t first, size_t last, double to)
{
	size_t n = 0;

	for (size_t i = first; i < last; i++)
		n += v[i] == to;
	return n;
}

/* The share of orders in which a stretch of that length has just these values: p is no less. */
static double same_values(const struct values *x, const struct stretch *s)
{
	size_t runs = s->last - s->first, places = s->last < x->n ? x->n - runs - 3 : 1;
	double orders = -log_choose(x->n, runs);

	for (size_t i = s->first; i < s->last; i++)
		if (!equal_to(x->v, s->first, i, x->v[i]))
			orders += log_choose(equal_to(x->v, 0, x->n, x->v[i]),
					     equal_to(x->v, s->first, s->last, x->v[i]));
	return (double)places * exp(orders);
}

/* Random orders of the values: how many are as far as `most`, up to `enough`, and what is above in Gumbel's
 * distribution of all that were tried. */
static size_t as_far(struct values *x, double most, size_t enough, size_t all, uint64_t seed,
		     double *above)
{
	size_t as_large = 0;
	double sum = 0, squares = 0;
	uint64_t state = seed;

	x->shrink = 1;
	for (size_t i = 0; i < all && as_large < enough; i++) {
		double far;

		shuffle(x->v, x->n, &state);
		add_up(x);
		far = farthest(x, false).far;
		as_large += reaches(far, most);
		sum += far;
		squares += far * far;
	}
	*above = gumbel_above(sum, squares, (double)all, most);
	return as_large;
}

/* p of the farthest stretch by permutation; where so few cannot show it, by the distribution of their
 * farthest. 1 as soon as p cannot be alpha or less. */
static double permuted(struct values *x, const struct stretch *found, double alpha, uint64_t seed)
{
	double most = alpha * (STEPS_PERMUTATIONS + 1), least, above;
	size_t as_large;

	if (most >= STEPS_TAIL_LEAST) {
		as_large = as_far(x, found->far, (size_t)most, STEPS_PERMUTATIONS, seed, &above);
		return (double)(as_large + 1) > most
			   ? 1
			   : (double)(as_large + 1) / (STEPS_PERMUTATIONS + 1);
	}
	least = same_values(x, found);
	if (least > alpha || as_far(x, found->far, 1, STEPS_TAIL_PERMUTATIONS, seed, &above))
		return 1;
	return fmax(least, above);
}

static double choose(size_t n, size_t m)
{
	return m == 2 ? (double)n * (double)(n - 1) / 2
		      : (double)n * (double)(n - 1) * (double)(n - 2) / 6;
}

/* With a third run, of those that are as far as `far` from the mean together. */
static size_t triples(const double *v, double two, size_t below, double mean, double far)
{
	size_t as_far = 0;

	for (size_t i = 0; i < below; i++)
		as_far += reaches(fabs(two + v[i] - mean), far);
	return as_far;
}

/* The share of sets of m runs, 2 or 3, that are as far from the mean as the last m are. */
static double at_end(const struct values *x, size_t m)
{
	const double *v = x->v;
	size_t n = x->n;
	double mean = stats_mean((struct stats_sample){v, n}), as_far = 0, far;

	far = fabs(x->sums[n - m]) * sqrt(shrink_of(x, explained(x->sums[n - m], m, n)));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			double two = v[i] - mean + (v[k] - mean);

			as_far += m == 2 ? (double)reaches(fabs(two), far)
					 : (double)triples(v, two, k, mean, far);
		}
	return far > 0 ? as_far / choose(n, m) : 1;
}

/* The last runs of a series, at alpha. */
static double asked_at_end(const struct values *x, double alpha)
{
	struct values end = *x;

	if (end.n > STEPS_END_MAX) {
		end.v += end.n - STEPS_END_MAX;
		end.n = STEPS_END_MAX;
	}
	if (choose(end.n, 3) * alpha < 1)
		return 1;
	add_up(&end);
	return at_end(&end, choose(end.n, 2) * alpha >= 1 ? 2 : 3);
}

/* p of a stretch that is off the rest of a part, which, and from where on it is; 1: none at this alpha. */
static double steps_find(const struct search *x, struct part part, struct stretch *to, size_t *from)
{
	struct values v = {x->clipped, x->sums, part.last - part.first, 0, x->shrink};
	uint64_t seed = x->seed ^ hash_u64(part.first + 1);
	double p = 1, alpha = x->alpha / 2;
	struct stretch found;

	stats_draw_in(x->s.v + part.first, v.n, v.v);
	if (part.last == x->s.n)
		p = asked_at_end(&v, alpha);
	add_up(&v);
	*to = farthest(&v, true);
	found = farthest(&v, false);
	if (found.far > 0) {
		double anywhere = permuted(&v, &found, alpha, seed);

		if (anywhere <= alpha)
			return anywhere;
	}
	*from = part.last - STEPS_TAIL;
	*to = (struct stretch){v.n - 2, v.n, 0};
	return p;
}

static void add_step(struct search *x, struct part *rest, size_t from, size_t at, double p)
{
	VEC_PUSH(x->steps, x->n, x->cap) = (struct stats_step){.first = from, .at = at, .p = p};
	VEC_PUSH(x->todo, x->n_todo, x->cap_todo) = (struct part){rest->first, at};
	rest->first = at;
}

static void look(struct search *x, struct part part)
{
	struct stretch found;
	size_t first = part.first, from = first;
	double p;

	if (part.last - first < STEPS_RUNS_MIN)
		return;
	p = steps_find(x, part, &found, &from);
	if (p > x->alpha / 2)
		return;
	add_step(x, &part, from, first + found.first, p);
	if (first + found.last < part.last)
		add_step(x, &part, from, first + found.last, p);
	VEC_PUSH(x->todo, x->n_todo, x->cap_todo) = part;
}

static int steps_by_place(const void *a, const void *b)
{
	const struct stats_step *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static double likelihood(const struct values *v, size_t k, double most)
{
	return exp((likelier(v, explained(v->sums[k], k, v->n)) - most) / 2) /
	       sqrt((double)k * (double)(v->n - k));
}

/* Where the step between two places is, from step->first on: as likely before as behind, where each place is as
 * likely as others at first, and so is each level (Chernoff and Zacks 1964). */
static size_t likeliest(const struct search *x, const struct stats_step *step, size_t first,
			size_t last)
{
	struct values v = {x->clipped, x->sums, last - first, 0, x->shrink};
	size_t from = step->first > first + 2 ? step->first - first : 2, k;
	double most, rest = 0;

	draw_in_lone(x->s.v + first, v.n, v.v);
	add_up(&v);
	most = likelier(&v, farthest_end(v.sums, v.n, from).far);
	for (k = from; k + 2 <= v.n; k++)
		rest += likelihood(&v, k, most) / 2;
	for (k = from; k + 3 <= v.n; k++) {
		rest -= likelihood(&v, k, most);
		if (rest <= 0)
			break;
	}
	return first + k;
}

/* Steps that were found beside others are placed again between these. */
static void steps_place(struct search *x)
{
	for (size_t i = 0; i < x->n; i++) {
		struct stats_step *step = &x->steps[i];

		step->at = likeliest(x, step, i ? x->steps[i - 1].at : 0,
				     i + 1 < x->n ? x->steps[i + 1].at : x->s.n);
	}
}

static void steps_search(struct search *x)
{
	x->n = x->n_todo = 0;
	VEC_PUSH(x->todo, x->n_todo, x->cap_todo) = (struct part){0, x->s.n};
	while (x->n_todo) {
		struct part part = x->todo[--x->n_todo];

		look(x, part);
	}
	if (x->n)
		sort_array(x->steps, x->n, sizeof *x->steps, steps_by_place);
	steps_place(x);
	for (size_t i = 0; i < x->n; i++) {
		struct stats_step *step = &x->steps[i];

		step->first = i ? x->steps[i - 1].at : 0;
		step->last = i + 1 < x->n ? x->steps[i + 1].at : x->s.n;
		step->before = stats_median(
		    (struct stats_sample){x->s.v + step->first, step->at - step->first});
		step->after =
		    stats_median((struct stats_sample){x->s.v + step->at, step->last - step->at});
	}
}

typedef void draw_in(const double *v, size_t n, double *to);

/* What is left of drawn-in values without the mean of the level that each is of. */
static void residuals(struct stats_sample s, const struct stats_step *steps, size_t n_steps,
		      draw_in *draw, double *to)
{
	for (size_t i = 0; i <= n_steps; i++) {
		size_t first = i ? steps[i - 1].at : 0, last = i < n_steps ? steps[i].at : s.n;
		double mean;

		draw(s.v + first, last - first, to + first);
		mean = stats_mean((struct stats_sample){to + first, last - first});
		for (size_t k = first; k < last; k++)
			to[k] -= mean;
	}
}

/* Takes a line out of values (least squares): the squares that it leaves, and its ends. */
static double subtract_line(double *v, size_t n, double *first, double *last)
{
	double mean = stats_mean((struct stats_sample){v, n}), middle = (double)(n - 1) / 2;
	double along = 0, squares = 0, slope;

	for (size_t i = 0; i < n; i++)
		along += (v[i] - mean) * ((double)i - middle);
	slope = along * 12 / ((double)n * ((double)n * (double)n - 1));
	for (size_t i = 0; i < n; i++) {
		v[i] -= mean + slope * ((double)i - middle);
		squares += v[i] * v[i];
	}
	*first = mean - slope * middle;
	*last = mean + slope * middle;
	return squares;
}

/* How much each run keeps of the one before. */
static double correlation(const double *e, size_t n, size_t levels)
{
	double together = 0, squares = 0, rho;

	for (size_t i = 0; i < n; i++) {
		squares += e[i] * e[i];
		together += i ? e[i] * e[i - 1] : 0;
	}
	rho = squares > 0 ? together / squares : 0;
	/* Kendall 1954: it comes out too small */
	return rho + (double)levels * (1 + 4 * rho) / (double)(n + 1);
}

/* The same from how often values turn, which a step changes by one or two: of normal values that keep rho of the
 * one before, changes keep -(1 - rho) / 2 of the one before, and so many have its sign (Sheppard 1899). One
 * deviation more, that of independent values. */
static double seldom_turns(const double *v, size_t n)
{
	size_t same = 0, pairs = 0;
	double before = 0, deviation;

	for (size_t i = 1; i < n; i++) {
		double change = v[i] - v[i - 1];

		pairs += change * before != 0;
		same += change * before > 0;
		before = change;
	}
	if (!pairs)
		return 0;
	deviation = sqrt(8.0 / 45 / (double)pairs);
	return 1 + 2 * sin(acos(-1) * fmin((double)same / (double)pairs + deviation - 0.5, 0.5));
}

/* Takes the levels of a stretch and of the rest out of values whose mean is 0. */
static void level(struct values *x, const struct stretch *s)
{
	size_t runs = s->last - s->first;
	double sum = x->sums[s->last] - x->sums[s->first];

	for (size_t i = 0; i < x->n; i++)
		x->v[i] -= i >= s->first && i < s->last ? sum / (double)runs
							: -sum / (double)(x->n - runs);
}

/* Of what the steps leave, or where there are none the farthest stretch; or of what a line leaves; or by turns:
 * whichever is least; 0: no more than chance. */
static double dependence(const struct search *x)
{
	struct values e = {mem_array(x->s.n, sizeof *e.v), x->sums, x->s.n, 0, 1};
	double first, last, rho, left;

	residuals(x->s, x->steps, x->n, stats_draw_in, e.v);
	if (!x->n) {
		struct stretch found;

		add_up(&e);
		found = farthest(&e, true);
		level(&e, &found);
	}
	rho = correlation(e.v, e.n, x->n ? x->n + 1 : 2);
	stats_draw_in(x->s.v, e.n, e.v);
	add_up(&e);
	left = subtract_line(e.v, e.n, &first, &last);
	/* What the digits of a number leave of a ramp depends on nothing. */
	rho = left > e.squares * rounding ? fmin(rho, correlation(e.v, e.n, 2)) : 0;
	free(e.v);
	rho = fmin(rho, seldom_turns(x->s.v, e.n));
	return rho * sqrt((double)e.n) > 1 ? fmin(rho, 0.95) : 0;
}

/* All that wanders is dependence at first. What steps all the same is taken out, and what is left is less, until
 * nothing more steps: so wandering is not taken for steps that leave no dependence. Steps are searched more freely
 * than is asked. */
static void find_dependence(struct search *x)
{
	double alpha = x->alpha;

	x->alpha = alpha > steps_free ? alpha : steps_free;
	for (size_t i = 0; i < STEPS_ROUNDS; i++) {
		double rho = dependence(x), shrink = (1 - rho) / (1 + rho);

		if (i && shrink <= x->shrink)
			break;
		x->shrink = shrink;
		steps_search(x);
	}
	x->alpha = alpha;
}

size_t stats_steps(struct stats_sample s, const struct stats_steps_options *o,
		   struct stats_step **to)
{
	struct search x = {.s = s, .seed = o->seed, .alpha = o->alpha};

	if (s.n >= STEPS_RUNS_MIN) {
		x.clipped = mem_array(s.n + 1, sizeof *x.clipped);
		x.sums = mem_array(s.n + 1, sizeof *x.sums);
		find_dependence(&x);
		if (x.alpha < steps_free)
			steps_search(&x);
		free(x.clipped);
		free(x.sums);
		free(x.todo);
	}
	*to = x.steps ? x.steps : mem_alloc(sizeof **to);
	return x.n;
}

bool stats_trend(struct stats_sample s, const struct stats_step *steps, size_t n_steps,
		 struct stats_trend *to)
{
	double *v = mem_array(s.n + 1, sizeof *v), line = 0, levels = 0, n = (double)s.n;

	if (n_steps) {
		residuals(s, steps, n_steps, draw_in_lone, v);
		for (size_t i = 0; i < s.n; i++)
			levels += v[i] * v[i];
		draw_in_lone(s.v, s.n, v);
		line = subtract_line(v, s.n, &to->first, &to->last);
	}
	free(v);
	/* A line costs what the first step does. */
	if (!n_steps || !(levels > 0))
		return false;
	/* No step says more than a line that has all of the values. */
	return !(line > 0) ||
	       n * log(line) < n * log(levels) + (double)(n_steps - 1) * step_costs(n);
}

/* --- what can be found --- */

/* A step with m of n runs behind it, however large: as likely is that they come first. Too few permutations for alpha
 * must not have that order either, or half of all searches miss it. */
static bool permutation_finds(size_t n, size_t m, double alpha)
{
	double orders = exp(log_choose(n, m));

	return alpha * (STEPS_PERMUTATIONS + 1) >= STEPS_TAIL_LEAST
		   ? 2 <= alpha * orders
		   : 1 <= alpha * orders && 2 * STEPS_TAIL_PERMUTATIONS <= orders * log(2);
}

size_t stats_steps_behind(size_t n, double alpha)
{
	size_t at_end = n < STEPS_END_MAX ? n : STEPS_END_MAX;

	alpha /= 2; /* of each question */
	for (size_t m = 2; n >= STEPS_RUNS_MIN && m + 2 <= n; m++)
		if ((m <= 3 && choose(at_end, m) * alpha >= 1) || permutation_finds(n, m, alpha))
			return m;
	return 0;
}

size_t stats_steps_enough(double alpha)
{
	size_t n = STEPS_RUNS_MIN;

	while (!stats_steps_behind(n, alpha))
		n++;
	return n;
}

static double least_of(const double *v, size_t n)
{
	double least = v[0];

	for (size_t i = 1; i < n; i++)
		least = fmin(least, v[i]);
	return least;
}

/* The last m of n values are far above the rest. */
static bool is_far_above(const double *v, size_t n, size_t m, double *work)
{
	size_t rest = n - m;
	double level = stats_median((struct stats_sample){v, rest}), least = least_of(v + rest, m);

	if (!(level > 0) || least < STEPS_FAR * level)
		return false;
	for (size_t i = 0; i < rest; i++) {
		if (v[i] >= least)
			return false;
		work[i] = fabs(v[i] - level);
	}
	return least - level >
	       STEPS_CLIP * 1.4826 * stats_median((struct stats_sample){work, rest});
}

struct stats_tail stats_steps_tail(struct stats_sample s, const struct stats_step *steps,
				   size_t n_steps)
{
	size_t first = n_steps && !steps[n_steps - 1].trend ? steps[n_steps - 1].at : 0;
	const double *v = s.v + first;
	size_t n = s.n - first, m = n / 2;
	double *work = mem_array(n + 1, sizeof *work);

	while (m && (n - m < 3 || !is_far_above(v, n, m, work)))
		m--;
	free(work);
	return m ? (struct stats_tail){m, stats_median((struct stats_sample){v, n - m}),
				       stats_median((struct stats_sample){v + n - m, m})}
		 : (struct stats_tail){.n = 0};
}
