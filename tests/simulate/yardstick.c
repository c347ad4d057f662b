/* SPDX-License-Identifier: MIT
 *
 * The yardstick: the same exchange of runs, with plain logarithms, the statistic
 * (mean - mean) / sqrt((4 v + d s^2) / (4 + d) 2 / N), v the median of s^2 over sites, d = 2 N - 2; of
 * 3 against 3 all 20 ways, else 99 random ones; a site grows if at most 5 % of the ways, the true one
 * included, have as large a statistic of any site.
 */
#include "tests/simulate/simulate.h"

#include "lib/base/sort.h"
#include "lib/stats/exchange.h"

#include <math.h>
#include <string.h>

static double logs[2 * RUNS_MAX][SITES_MAX], squares[SITES_MAX];

static int yardstick_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double middle(const double *v, size_t n)
{
	static double sorted[SITES_MAX];

	memcpy(sorted, v, n * sizeof *v);
	sort_array(sorted, n, sizeof *sorted, yardstick_ascending);
	return (sorted[n / 2] + sorted[(n - 1) / 2]) / 2;
}

/* Logarithms, of each site about their mean. */
static void take_logs(const struct kind *c, const struct pair *p, bool centred)
{
	size_t n = c->n_base + c->n_new;

	for (size_t k = 0; k < n; k++) {
		double of_run = 0;

		for (size_t i = 0; i < c->sites; i++)
			logs[k][i] =
			    log(fmax(k < c->n_base ? p->base[i][k] : p->new[i][k - c->n_base], 1));
		if (centred)
			of_run = middle(logs[k], c->sites);
		for (size_t i = 0; i < c->sites; i++)
			logs[k][i] -= of_run;
	}
	for (size_t i = 0; i < c->sites; i++) {
		double mean = 0;

		squares[i] = 0;
		for (size_t k = 0; k < n; k++)
			mean += logs[k][i] / (double)n;
		for (size_t k = 0; k < n; k++) {
			logs[k][i] -= mean;
			squares[i] += logs[k][i] * logs[k][i];
		}
	}
}

/* Of the first site and of all, the largest, if these are the new runs. */
static double statistic(const struct kind *c, const uint32_t *set, double *first)
{
	static double sums[SITES_MAX], variances[SITES_MAX];
	double n = (double)c->n_new, d = 2 * n - 2, v, most = -INFINITY;

	memset(sums, 0, sizeof sums);
	for (size_t k = 0; k < c->n_new; k++)
		for (size_t i = 0; i < c->sites; i++)
			sums[i] += logs[set[k]][i];
	for (size_t i = 0; i < c->sites; i++)
		variances[i] = fmax(squares[i] - 2 * sums[i] * sums[i] / n, 0) / d;
	v = middle(variances, c->sites) + 1e-12;
	for (size_t i = 0; i < c->sites; i++) {
		double t = 2 * sums[i] / n / sqrt((4 * v + d * variances[i]) / (4 + d) * 2 / n);

		if (!i)
			*first = t;
		most = t > most ? t : most;
	}
	return most;
}

bool simulate_yardstick(const struct kind *c, const struct pair *p, bool centred)
{
	struct exchange x;
	double observed, other, largest[100];

	take_logs(c, p, centred);
	exchange_init(&x, c->n_base + c->n_new, c->n_new, 20, 100);
	statistic(c, x.sets, &observed);
	for (size_t i = 1; i < x.n; i++)
		largest[i - 1] = statistic(c, x.sets + i * x.chosen, &other);
	sort_array(largest, x.n - 1, sizeof *largest, yardstick_ascending);
	observed -= largest[x.n == 20 ? 18 : 94];
	exchange_release(&x);
	return observed > 1e-9;
}
