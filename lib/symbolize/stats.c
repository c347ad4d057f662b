/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/stats.h"

#include "lib/base/clock.h"

#include <stdlib.h>

double stats_lap(double *from)
{
	double now = clock_seconds(), took = now - *from;

	*from = now;
	return took;
}

void stats_release(struct symbolize_stats *s)
{
	free(s->modules);
	*s = (struct symbolize_stats){.n = 0};
}
