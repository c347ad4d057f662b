/* SPDX-License-Identifier: MIT
 *
 * The error of estimates from a sampled recording. Points fall on the bytes that are allocated, one in N of them
 * on average (a Poisson process), and a block of s bytes is recorded when one falls on it: with the chance p = 1
 * - exp(-s / N). It is written as w blocks, where w is a whole number whose mean is 1 / p (Horvitz, Thompson
 * 1952). Of the sum of any y over all blocks, such as 1 or s, the sum of w y over those that were recorded is an
 * estimate without bias, and since blocks are hit independently of each other,
 *
 *	variance = sum of y^2 (p E[w^2] - 1)
 *
 * of which the sum of y^2 w (w - 1) over those recorded is an estimate without bias, since p E[w] = 1. Its root
 * is the standard error. For bytes the variance is at most N times the sum: s^2 (1 - p) / p < s N, and what w
 * adds by being whole is less than what is left. Nothing recorded means fewer than 3 N bytes, with a
 * confidence of 95 %: the chance that no point falls on S bytes is exp(-S / N), and exp(-3) is 0.0498.
 *
 * The peak is not without bias: it is the largest of the estimates of live bytes at many moments, and where these
 * differ by chance the largest is too high. The standard error of live bytes at one moment is no bound for that.
 */
#ifndef TM_TALLY_SAMPLED_H
#define TM_TALLY_SAMPLED_H

#include <stdint.h>

struct tally_variance { /* of the estimates of count, requested, real bytes */
	double v[3];
};

/* A record of count blocks, that have so many bytes together. */
static inline void variance_add(struct tally_variance *to, uint64_t count, uint64_t requested,
				uint64_t real)
{
	double w = (double)count, part = w > 0 ? (w - 1) / w : 0;

	to->v[0] += w * (w - 1);
	to->v[1] += (double)requested * (double)requested * part;
	to->v[2] += (double)real * (double)real * part;
}

/* Of what nothing was recorded there are less bytes, with a confidence of 95 %. */
static inline uint64_t sampled_nothing(uint64_t interval)
{
	return interval > UINT64_MAX / 3 ? UINT64_MAX : 3 * interval;
}

#endif
