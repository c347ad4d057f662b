/* SPDX-License-Identifier: MIT
 *
 * Statistics of a few numbers, such as one value of each run. Everything in this room is deterministic: the same
 * values in the same order give the same result.
 */
#ifndef TM_STATS_STATS_H
#define TM_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stats_sample { /* borrowed */
	const double *v;
	size_t n;
};

double stats_mean(struct stats_sample s);   /* 0 for none */
double stats_median(struct stats_sample s); /* 0 for none */

#endif
