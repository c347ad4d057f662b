/* SPDX-License-Identifier: MIT
 *
 * The code that a Mono runtime compiled: address ranges with a method's name, source file and line. Names come
 * in any order between look-ups, so ranges are kept in sorted runs of doubling length; a look-up asks the newest
 * run first. Of ranges that overlap the later one counts.
 */
#ifndef TM_FORMATS_UNITY_JIT_H
#define TM_FORMATS_UNITY_JIT_H

#include "lib/base/intern.h"

struct unity_method {
	uint64_t lo, hi;
	uint32_t name, file, line; /* ids in unity_jit.texts */
};

struct unity_jit {
	struct intern texts;
	struct unity_run {
		struct unity_method *methods; /* ascending by lo */
		size_t n;
	} runs[48]; /* longest first */
	size_t n_runs;
};

void unity_jit_add(struct unity_jit *j, uint64_t lo, uint64_t size, const char *name, size_t n_name,
		   const char *file, size_t n_file, uint32_t line);
/* NULL: no range holds the address. Valid until the next add. */
const struct unity_method *unity_jit_find(const struct unity_jit *j, uint64_t address);
void unity_jit_release(struct unity_jit *j);

#endif
