/* SPDX-License-Identifier: MIT
 *
 * A symbol file that is no object, over any bytes: its symbols, and answers at and around them.
 */
#ifndef TM_TESTS_FUZZ_SOURCE_H
#define TM_TESTS_FUZZ_SOURCE_H

#include "lib/dwarf/source.h"
#include "tests/fuzz/answers.h"

#include <string.h>

static inline void source_check(const uint8_t *data, size_t size, const char *kind)
{
	static const struct dwarf_options options = {.jobs = 1, .seconds = 2};
	enum { ASKED = 64 };
	uint64_t addrs[ASKED * 2 + 1] = {0};
	const struct object_symbol *symbols;
	struct dwarf_answers answers;
	struct err e = ERR_INIT;
	struct object *o;
	size_t n, k = 0;

	if (object_open_memory(&o, data, size, &e)) {
		if (!e.msg[0])
			abort();
		return;
	}
	if (strcmp(object_kind(o)->name, kind) != 0) {
		object_free(o);
		return;
	}
	symbols = object_symbols(o, &n);
	for (size_t i = 0; i < n && i < ASKED; i++) {
		uint64_t at[2] = {symbols[i].lo,
				  symbols[i].lo + (symbols[i].hi - symbols[i].lo) / 2};

		if (symbols[i].hi < symbols[i].lo || (i && symbols[i].lo < symbols[i - 1].lo))
			abort();
		for (size_t j = 0; j < 2; j++)
			if (!k || at[j] > addrs[k - 1])
				addrs[k++] = at[j];
	}
	if (!k || addrs[k - 1] < UINT64_MAX)
		addrs[k++] = UINT64_MAX;
	dwarf_answers_init(&answers, k);
	dwarf_source(&(struct dwarf_job){.object = o, .addrs = addrs, .n = k, .out = &answers},
		     &options);
	answers_check(&answers);
	dwarf_answers_release(&answers);
	object_free(o);
}

#endif
