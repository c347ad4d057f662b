/* SPDX-License-Identifier: MIT
 *
 * The level of a base that has several builds, for one subject: that of the builds with the least values.
 *
 * The least of several builds is a lucky one, and of many subjects some have a very lucky one. So all builds that
 * are as low but for noise are the least together, and the runs of the others keep only what they differ by from
 * their own build: what judge.h then compares with is the level of the least builds, with the noise of all.
 * tracemill-gate(7) has it exactly.
 */
#ifndef TM_REPORT_COMPARE_JUDGE_LEAST_H
#define TM_REPORT_COMPARE_JUDGE_LEAST_H

#include <stdbool.h>
#include <stddef.h>

/* Of the runs of a base: which build each is of, counted from the oldest; every build has a run. */
struct judge_builds {
	const size_t *of; /* by run */
	size_t runs, n;
};

struct judge_least {
	size_t build; /* the least; of equal ones the newest */
	size_t like;  /* so many are as low but for noise, it among them */
	bool
	    half; /* of three builds or more it has less than half of what they have in the middle */
};

/* v: a value for each run, less is better. Brings them to the level of the least builds. */
struct judge_least judge_least(const struct judge_builds *b, double *v);

#endif
