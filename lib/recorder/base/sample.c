/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/sample.h"

#include "lib/recorder/base/floats.h"

#include <math.h>

uint64_t cap_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1d;
}

/* In (0, 1]. */
static double uniform(uint64_t *random)
{
	return ((double)(cap_random(random) >> 11) + 1) / 9007199254740992.0;
}

static __attribute__((noinline)) int64_t gap(uint64_t *random, uint64_t interval)
{
	double x = -log(uniform(random)) * (double)interval;

	return x < 1e18 ? (int64_t)x + 1 : (int64_t)1e18;
}

bool cap_sample_hit(int64_t *until, uint64_t *random, uint64_t size, uint64_t interval)
{
	/* The points behind this block are drawn anew: what is to come does not depend on what
	 * was (an exponential gap has no memory). */
	if (size > INT64_MAX)
		size = INT64_MAX;
	if (*until <= 0)
		CAP_FLOATS(*until = gap(random, interval));
	if ((int64_t)size < *until) {
		*until -= (int64_t)size;
		return false;
	}
	CAP_FLOATS(*until = gap(random, interval));
	return size > 0;
}

static __attribute__((noinline)) uint32_t weight(uint64_t *random, uint64_t size, uint64_t interval)
{
	double w = 1 / -expm1(-(double)size / (double)interval), whole = floor(w);

	if (w >= UINT32_MAX)
		return UINT32_MAX;
	return (uint32_t)whole + (uniform(random) <= w - whole);
}

uint32_t cap_sample_weight(uint64_t *random, uint64_t size, uint64_t interval)
{
	uint32_t w;

	CAP_FLOATS(w = weight(random, size, interval));
	return w;
}
