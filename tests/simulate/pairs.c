/* SPDX-License-Identifier: MIT */
#include "tests/simulate/simulate.h"

#include <math.h>

const char *const simulate_noises[NOISES + 1] = {"normal",  "tails",   "outliers", "pareto",
						 "bimodal", "zero",    "steps",    "drift",
						 "ar1",     "machine", "spread",   "levels"};

/* --- random numbers --- */

/* splitmix64: Steele, Lea, Flood 2014. */
static uint64_t state;

static double uniform(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller 1958. */
static double normal(void)
{
	double r = sqrt(-2 * log(uniform()));

	return r * cos(6.283185307179586 * uniform());
}

void simulate_seed(uint64_t seed)
{
	state = seed;
}

/* --- pairs of builds --- */

/* What does not differ from run to run, or from site to site. */
struct around {
	double machine, time; /* of the run */
	double before, sd;    /* of the site */
};

static double factor(enum noise kind, struct around *a)
{
	double before = a->before;

	switch (kind) {
	case NORMAL: return 1 + 0.02 * normal();
	/* t with 2 degrees: normal by the root of an exponential. */
	case TAILS: return 1 + 0.02 * normal() / sqrt(-log(uniform()));
	case OUTLIERS: return exp(0.03 * normal()) * (uniform() < 0.05 ? 1.5 : 1);
	case PARETO: return 0.9 + 0.1 * (pow(uniform(), -1 / 2.5) - 1);
	case BIMODAL: return (uniform() < 0.5 ? 1 : 1.06) + 0.003 * normal();
	case ZERO: return uniform() < 0.3 ? 0 : 1 + 0.02 * normal();
	case STEPS: return 1 + 0.04 * round(0.6 * normal());
	case DRIFT: return 1 + 0.05 * a->time + 0.01 * normal();
	case AR1: a->before = 0.8 * before + 0.6 * normal(); return 1 + 0.02 * before;
	case LEVELS: return uniform() < 0.5 ? 1 : 1.06;
	case MACHINE: return (1 + 0.03 * a->machine) * (1 + 0.005 * normal());
	default: return exp(a->sd * normal());
	}
}

/* In turn; where one side has a single run, the base comes first. */
static bool is_base(const struct kind *c, size_t run, size_t n_base)
{
	if (c->n_base == 1 || c->n_new == 1)
		return run < c->n_base;
	return n_base < c->n_base && (run % 2 == 0 || run - n_base >= c->n_new);
}

void simulate_sites(const struct kind *c, struct pair *p)
{
	for (size_t i = 0; i < c->sites; i++) {
		p->mean[i] = rint(pow(10, 3 + 3 * uniform()));
		p->sd[i] = 0.02 * exp(0.8 * normal());
	}
}

void simulate_runs(const struct kind *c, struct pair *p)
{
	size_t n = c->n_base + c->n_new;
	double machine[RUNS_MAX];

	for (size_t k = 0; k < n; k++)
		machine[k] = normal();
	for (size_t i = 0; i < c->sites; i++) {
		struct around a = {.before = normal(), .sd = p->sd[i]};
		size_t n_base = 0;

		for (size_t k = 0; k < n; k++) {
			double f;

			a.machine = machine[k];
			a.time = (double)k / (double)n;
			f = factor(c->noise, &a);
			f = f > 0 ? f : 0;
			if (is_base(c, k, n_base))
				p->base[i][n_base++] = rint(p->mean[i] * f);
			else
				p->new[i][k - n_base] = rint(p->mean[i] * f * (i ? 1 : c->growth));
		}
	}
}
