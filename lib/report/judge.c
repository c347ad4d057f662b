/* SPDX-License-Identifier: MIT */
#include "lib/report/judge.h"

#include "lib/base/mem.h"
#include "lib/report/stats_steps.h"

#include <stdlib.h>

const char *const change_words[CHANGES] = {"unchanged", "improved", "regressed", "inconclusive"};

static bool is_tested(const struct judge_subject *s)
{
	return s->base.n >= JUDGE_RUNS_MIN && s->new.n >= JUDGE_RUNS_MIN;
}

/* Both directions are asked about, so each has half of alpha: p-values are doubled. */
static double shifted_test(const struct judge_subject *s, double by, bool upwards)
{
	double *v = mem_array(s->new.n, sizeof *v), p;
	struct stats_rank r;

	for (size_t i = 0; i < s->new.n; i++)
		v[i] = s->new.v[i] - by;
	r = stats_rank_test(s->base, (struct stats_sample){v, s->new.n});
	free(v);
	p = 2 * (upwards ? r.greater : r.less);
	return p < 1 ? p : 1;
}

static void measure(struct judge_subject *s, const struct judge_options *o)
{
	s->mean_base = s->median ? stats_median(s->base) : stats_mean(s->base);
	s->mean_new = stats_mean(s->new);
	s->difference = s->mean_new - s->mean_base;
	s->p_worse = s->p_better = 1;
	s->has_detectable = is_tested(s) && stats_detectable(s->base, s->new, o->alpha / 2,
							     o->power, &s->detectable);
	if (!is_tested(s))
		return;
	s->p_worse = shifted_test(s, s->limit, true);
	s->p_better = shifted_test(s, -s->limit, false);
}

/* The p-values of a rule's subjects into one for the rule, and each adjusted within the rule. */
struct p_values {
	double *worse, *better;
};

static struct p_values within(struct judge_rule *r)
{
	double *p = mem_array(r->n + 1, sizeof *p);
	struct p_values q = {mem_array(r->n + 1, sizeof *p), mem_array(r->n + 1, sizeof *p)};

	for (size_t i = 0; i < r->n; i++)
		p[i] = r->subjects[i].p_worse;
	stats_adjust(p, q.worse, r->n);
	r->p_worse = stats_combine(p, r->n);
	for (size_t i = 0; i < r->n; i++)
		p[i] = r->subjects[i].p_better;
	stats_adjust(p, q.better, r->n);
	r->p_better = stats_combine(p, r->n);
	free(p);
	return q;
}

static void decide_untested(struct judge_subject *s)
{
	s->change = CHANGE_UNCHANGED;
	if (s->difference > s->limit)
		s->change = s->difference > s->floor ? CHANGE_REGRESSED : CHANGE_INCONCLUSIVE;
	else if (s->difference < 0 && s->difference < -s->limit && s->difference < -s->floor)
		s->change = CHANGE_IMPROVED;
	if (s->change == CHANGE_INCONCLUSIVE)
		s->why = JUDGE_NOISE;
}

static void decide_tested(struct judge_subject *s, bool worse, bool better, bool enough)
{
	s->change = CHANGE_UNCHANGED;
	if (worse && s->difference > s->limit && s->interval.low > s->limit)
		s->change = CHANGE_REGRESSED;
	else if (better && s->difference < -s->limit && s->interval.high < -s->limit)
		s->change = CHANGE_IMPROVED;
	else if (s->limit > 0 && s->difference > s->limit)
		s->why = enough ? JUDGE_UNSURE : JUDGE_FEW_RUNS;
	else if (s->limit > 0 && s->interval.high > s->limit && s->has_detectable &&
		 s->detectable > s->limit)
		s->why = JUDGE_SPREAD;
	if (s->why)
		s->change = CHANGE_INCONCLUSIVE;
}

void judge_rules(struct judge_rule *rules, size_t n, const struct judge_options *o)
{
	struct p_values *q = mem_array(n + 1, sizeof *q);
	double *p = mem_array(n + 1, sizeof *p), *adjusted = mem_array(n + 1, sizeof *p);

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < rules[i].n; k++)
			measure(&rules[i].subjects[k], o);
		q[i] = within(&rules[i]);
		p[i] = rules[i].p_worse;
	}
	stats_adjust(p, adjusted, n);
	for (size_t i = 0; i < n; i++) {
		rules[i].p_worse = adjusted[i];
		p[i] = rules[i].p_better;
	}
	stats_adjust(p, adjusted, n);
	for (size_t i = 0; i < n; i++)
		rules[i].p_better = adjusted[i];
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < rules[i].n; k++) {
			struct judge_subject *s = &rules[i].subjects[k];
			double share = (double)n * (double)rules[i].n;
			bool worse = rules[i].p_worse <= o->alpha && q[i].worse[k] <= o->alpha;
			bool better = rules[i].p_better <= o->alpha && q[i].better[k] <= o->alpha;

			s->why = JUDGE_CLEAR;
			s->has_floor =
			    stats_noise_floor(s->base, s->new.n, o->alpha / 2 / share, &s->floor);
			s->has_interval = is_tested(s);
			if (s->has_interval)
				s->interval = stats_bootstrap(s->base, s->new, 0.95, o->seed);
			if (s->has_interval)
				decide_tested(s, worse, better,
					      2 * stats_rank_least(s->base.n, s->new.n) * share <=
						  o->alpha);
			else
				decide_untested(s);
		}
		free(q[i].worse);
		free(q[i].better);
	}
	free(q);
	free(p);
	free(adjusted);
}
