/* SPDX-License-Identifier: MIT */
#include "lib/stats/stats.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

double stats_mean(struct stats_sample s)
{
	double sum = 0;

	for (size_t i = 0; i < s.n; i++)
		sum += s.v[i];
	return s.n ? sum / (double)s.n : 0;
}

static int stats_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_median(struct stats_sample s)
{
	double *v = mem_array(s.n + 1, sizeof *v), m;

	if (s.n)
		memcpy(v, s.v, s.n * sizeof *v);
	sort_array(v, s.n, sizeof *v, stats_ascending);
	m = !s.n ? 0 : s.n % 2 ? v[s.n / 2] : v[s.n / 2 - 1] / 2 + v[s.n / 2] / 2;
	free(v);
	return m;
}
