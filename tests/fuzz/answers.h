/* SPDX-License-Identifier: MIT
 *
 * Checks of an engine's answers that hold for any file.
 */
#ifndef TM_TESTS_FUZZ_ANSWERS_H
#define TM_TESTS_FUZZ_ANSWERS_H

#include "lib/dwarf/engine.h"

#include <stdlib.h>

/* 0, or bytes that can be read. */
static inline bool has_text(const struct dwarf_answers *a, uint32_t id)
{
	volatile char last;
	size_t n;
	const char *s;

	if (!(id & STORE_BIT))
		return id <= intern_count(&a->strings);
	if ((id & ~STORE_BIT) >= a->store.n_texts)
		return false;
	s = dwarf_text(a, id, &n);
	for (size_t i = 0; i < n; i++)
		last = s[i];
	(void)last;
	return true;
}

static inline void answers_check(const struct dwarf_answers *a)
{
	for (size_t i = 0; i < a->n; i++) {
		uint32_t call = a->of[i].call;
		struct dwarf_call c;

		if ((call && !dwarf_call_at(a, call, &c)) || a->of[i].found > DWARF_ABSENT)
			abort();
		if ((a->of[i].found == DWARF_FUNCTION || a->of[i].found == DWARF_LINE_ONLY) !=
		    (call > 0))
			abort();
		while (call) {
			if (!dwarf_call_at(a, call, &c) || c.outer >= call ||
			    !has_text(a, c.function) || !has_text(a, c.file))
				abort();
			call = c.outer;
		}
	}
}

#endif
