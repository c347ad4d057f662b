/* SPDX-License-Identifier: MIT
 *
 * Numbers that are the same in every run, of generators (gen.h) and of programs that are recorded, which
 * have nothing else of ours.
 */
#ifndef TM_TESTDATA_GEN_LCG_H
#define TM_TESTDATA_GEN_LCG_H

#include <stdint.h>

/* Knuth's generator of MMIX; of its bits the lower ones repeat soon. */
static inline uint64_t lcg(uint64_t *state)
{
	return *state = *state * 6364136223846793005u + 1442695040888963407u;
}

#endif
