/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/judge.h"

#include "lib/base/mem.h"
#include "lib/stats/steps.h"

#include <math.h>
#include <stdlib.h>

/* Quantiles take long to find, and are the same for all subjects of a rule. */
struct quantiles {
	double df, base_df; /* 0: none */
	double single;      /* of a 95 % interval, both sides */
	double power;
	double told, floor; /* at the share of the error that one subject has */
};

static struct quantiles quantiles(const struct judge_subject *s, double alpha, double power)
{
	struct quantiles q = {.df = (double)(s->base.n + s->new.n) - 2,
			      .base_df = (double)s->base.n - 1};

	if (q.df > 0) {
		q.single = stats_t_quantile(0.975, q.df);
		q.power = stats_t_quantile(power, q.df);
		q.told = stats_t_quantile(1 - alpha, q.df);
	}
	if (q.base_df > 0)
		q.floor = stats_t_quantile(1 - alpha, q.base_df);
	return q;
}

/* What rounding makes of equal means is no difference. */
static double without_rounding(double difference, double a, double b)
{
	return fabs(difference) <= 1e-12 * (fabs(a) + fabs(b)) ? 0 : difference;
}

static double rank_p(const struct judge_subject *s, double by, bool upwards)
{
	double *v = mem_array(s->new.n, sizeof *v);
	struct stats_rank r;

	for (size_t i = 0; i < s->new.n; i++)
		v[i] = s->new.v[i] - by;
	r = stats_rank_test(s->base, (struct stats_sample){v, s->new.n});
	free(v);
	return upwards ? r.greater : r.less;
}

/* That the means differ by so much more than is allowed, by chance: doubled, since both directions
 * are tested. */
static double excess_p(const struct judge_subject *s, double excess, bool upwards, double error,
		       double df, double veto)
{
	double p, ranks;

	if (!(excess > 0))
		return 1;
	if (!(df > 0))
		return 0;
	p = error > 0 ? stats_t_cdf(-excess / error, df) : 0;
	if (p <= veto && stats_rank_least(s->base.n, s->new.n) <= veto) {
		ranks = rank_p(s, upwards ? s->limit : -s->limit, upwards);
		p = ranks > veto ? ranks : p;
	}
	return 2 * p < 1 ? 2 * p : 1;
}

static void measure(struct judge_subject *s, const struct quantiles *q, double veto, double *better)
{
	double error = stats_error(s->base, s->new);
	double wide = q->single * error;

	s->mean_base = s->median ? stats_median(s->base) : stats_mean(s->base);
	s->mean_new = stats_mean(s->new);
	s->difference = without_rounding(s->mean_new - s->mean_base, s->mean_new, s->mean_base);
	s->has_noise = q->df > 0;
	s->interval = (struct stats_interval){s->difference - wide, s->difference + wide};
	s->has_floor = q->base_df > 0;
	s->floor = q->floor * stats_error_base(s->base, s->new.n);
	s->told = s->limit + (q->told + q->power) * error;
	s->p = excess_p(s, s->difference - s->limit, true, error, q->df, veto);
	*better = excess_p(s, -s->difference - s->limit, false, error, q->df, veto);
}

/* Of one subject any excess is in doubt; of many, what is unlikely for each by itself. */
static double doubtful_p(double alpha, size_t subjects)
{
	double one = 1 / (double)subjects;

	return one > alpha ? one : alpha;
}

static enum judge_why doubt(const struct judge_subject *s, double doubtful)
{
	double excess = s->difference - s->limit;

	if (!(excess > 0))
		return JUDGE_CLEAR;
	if (s->limit > 0 && s->p <= doubtful)
		return JUDGE_AMONG;
	if (!s->has_floor || excess > s->floor)
		return JUDGE_NOISE;
	return excess > fabs(s->mean_base) ? JUDGE_DOUBLED : JUDGE_CLEAR;
}

static void decide(struct judge_subject *s, double better, double alpha, double doubtful,
		   size_t runs_min)
{
	bool few = s->base.n < runs_min || s->new.n < runs_min;

	s->why = JUDGE_CLEAR;
	s->change = CHANGE_UNCHANGED;
	if (s->p_all <= alpha && few)
		s->why = JUDGE_SINGLE;
	else if (s->p_all <= alpha)
		s->change = CHANGE_REGRESSED;
	else if (better <= alpha && !few)
		s->change = CHANGE_IMPROVED;
	else
		s->why = doubt(s, doubtful);
	if (s->why)
		s->change = CHANGE_INCONCLUSIVE;
}

void judge_rules(struct judge_rule *rules, size_t n, const struct judge_options *o)
{
	size_t all = 0, asking = 0, at = 0;
	double *p, *better, *weights;

	for (size_t i = 0; i < n; i++) {
		all += rules[i].n;
		asking += rules[i].n > 0;
	}
	p = mem_array(all + 1, sizeof *p);
	better = mem_array(all + 1, sizeof *better);
	weights = mem_array(all + 1, sizeof *weights);
	for (size_t i = 0; i < n; i++) {
		double share = 1 / ((double)asking * (double)rules[i].n);
		struct quantiles q = {.df = 0};

		for (size_t k = 0; k < rules[i].n; k++, at++) {
			struct judge_subject *s = &rules[i].subjects[k];

			if (!k)
				q = quantiles(s, o->alpha / 2 * share, o->power);
			measure(s, &q, o->alpha, &better[at]);
			p[at] = s->p;
			weights[at] = share;
		}
	}
	stats_holm(p, weights, p, all);
	stats_holm(better, weights, better, all);
	at = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < rules[i].n; k++, at++) {
			rules[i].subjects[k].p_all = p[at];
			decide(&rules[i].subjects[k], better[at], o->alpha,
			       doubtful_p(o->alpha, rules[i].n), o->runs_min);
		}
	free(p);
	free(better);
	free(weights);
}
