/* SPDX-License-Identifier: MIT
 *
 * Steps of series that are read, for steps.py. A line is ALPHA and the values of a series; printed are, on a
 * line of their own, the steps: the run that each begins with, or "trend".
 */
#include "lib/stats/steps.h"

#include "lib/base/mem.h"

#include <stdio.h>
#include <stdlib.h>

struct series {
	double *v;
	size_t n, cap;
};

/* The numbers of a line; false: the end of the file. */
static bool read_line(struct series *s)
{
	int c;

	s->n = 0;
	while ((c = getchar()) != EOF && c != '\n') {
		double x;

		ungetc(c, stdin);
		if (scanf("%lf", &x) != 1)
			return false;
		VEC_PUSH(s->v, s->n, s->cap) = x;
		while ((c = getchar()) == ' ')
			;
		ungetc(c, stdin);
	}
	return s->n > 0;
}

int main(void)
{
	struct series s = {0};

	while (read_line(&s)) {
		struct stats_steps_options o = {.alpha = s.v[0], .seed = 1};
		struct stats_sample sample = {s.v + 1, s.n - 1};
		struct stats_trend trend;
		struct stats_step *steps;
		size_t n = stats_steps(sample, &o, &steps);

		if (stats_trend(sample, steps, n, &trend))
			fputs("trend", stdout);
		else
			for (size_t i = 0; i < n; i++)
				printf("%s%zu", i ? " " : "", steps[i].at);
		putchar('\n');
		free(steps);
	}
	free(s.v);
	return 0;
}
