/* SPDX-License-Identifier: MIT
 *
 * An object file over any bytes: headers, symbols, code, every section's contents, and what the fast
 * engine makes of them.
 */
#ifndef TM_TESTS_FUZZ_OBJECT_H
#define TM_TESTS_FUZZ_OBJECT_H

#include "lib/base/mem_budget.h"
#include "lib/object/object.h"
#include "tests/fuzz/answers.h"

#include <string.h>

static inline void check_symbols(struct object *o)
{
	size_t n;
	const struct object_symbol *s = object_symbols(o, &n);

	for (size_t i = 0; i < n; i++)
		if (s[i].hi < s[i].lo || (i && s[i].lo < s[i - 1].lo) || !*s[i].name)
			abort();
	(void)object_code(o, &n);
}

static inline void check_sections(const struct object *o)
{
	for (size_t i = 1; i < object_section_count(o) && i < 64; i++) {
		struct err e = ERR_INIT;
		uint8_t *bytes;
		uint64_t n;

		if (!*object_section_info(o, i).name)
			continue;
		if (object_section_read(o, i, &bytes, &n, &e) > ST_NONE && !e.msg[0])
			abort();
		mem_budget_free(bytes);
	}
}

static inline void check_answers(struct object *o)
{
	static const struct dwarf_options options = {.jobs = 1, .seconds = 2};
	uint64_t addrs[32], at;
	struct dwarf_answers answers;
	struct err e = ERR_INIT;
	size_t n, k = 0;
	const struct object_segment *s = object_segments(o, &n);

	for (size_t i = 0; i < n && k < 30; i++)
		for (unsigned j = 0; j < 10 && k < 30; j++) {
			at = object_from_flat(o, s[i].vaddr) + j * 7;
			if (!k || at > addrs[k - 1])
				addrs[k++] = at;
		}
	dwarf_answers_init(&answers, k);
	if (!dwarf_fast(&(struct dwarf_job){.object = o, .addrs = addrs, .n = k, .out = &answers},
			1, &options, &e))
		answers_check(&answers);
	dwarf_answers_release(&answers);
}

static inline int object_check(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	struct object *o;

	if (object_open_memory(&o, data, size, &e)) {
		if (!e.msg[0])
			abort();
		return 0;
	}
	if (!object_is_source(o)) {
		check_symbols(o);
		check_sections(o);
		check_answers(o);
	}
	object_free(o);
	return 0;
}

#endif
