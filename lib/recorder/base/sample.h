/* SPDX-License-Identifier: MIT
 *
 * Poisson sampling: points fall on the line of all bytes allocated, one every `interval` bytes on
 * average, independently of each other. A block is taken when at least one falls on it, so with
 * the probability p = 1 - exp(-size / interval); it then stands for 1/p blocks of its size. The
 * sums of these weights are unbiased estimates.
 */
#ifndef TM_RECORDER_BASE_SAMPLE_H
#define TM_RECORDER_BASE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

/* Does a point fall on the next block? *until are bytes to the next point, *random the generator's
 * state, not 0. */
bool cap_sample_hit(int64_t *until, uint64_t *random, uint64_t size, uint64_t interval);
/* 1/p as a whole number whose mean is 1/p. */
uint32_t cap_sample_weight(uint64_t *random, uint64_t size, uint64_t interval);
uint64_t cap_random(uint64_t *state); /* xorshift64*, Marsaglia 2003, Vigna 2016 */

#endif
