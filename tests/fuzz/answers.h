/* SPDX-License-Identifier: MIT
 *
 * What must be true of an engine's answers whatever the file is.
 */
#ifndef TM_TESTS_FUZZ_ANSWERS_H
#define TM_TESTS_FUZZ_ANSWERS_H

#include "lib/dwarf/engine.h"

#include <stdlib.h>

static inline void answers_check(const struct dwarf_answers *a)
{
	for (size_t i = 0; i < a->n; i++) {
		uint32_t call = a->of[i].call;

		if (call >= a->n_calls || a->of[i].found > DWARF_ABSENT)
			abort();
		if ((a->of[i].found == DWARF_FUNCTION || a->of[i].found == DWARF_LINE_ONLY) !=
		    (call > 0))
			abort();
		for (; call; call = a->calls[call].outer) {
			if (a->calls[call].outer >= call ||
			    a->calls[call].function > intern_count(&a->strings) ||
			    a->calls[call].file > intern_count(&a->strings))
				abort();
		}
	}
}

#endif
