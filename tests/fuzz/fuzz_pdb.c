/* SPDX-License-Identifier: MIT
 *
 * PDB files: their container, sections and public symbols, and what the engine makes of their modules.
 */
#include "lib/object/object.h"
#include "lib/pdb/pdb.h"
#include "tests/fuzz/answers.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What an index says without asking the engine is what the engine says. */
static void compare_pdb_whole(struct object *o, const uint64_t *addrs,
			      const struct dwarf_answers *a)
{
	const struct dwarf_options options = {.jobs = 2, .seconds = 2};
	struct dwarf_whole w = {.n = 0};
	struct err e = ERR_INIT;
	bool refused = pdb_whole(&w, o, &options, &e) != ST_OK;
	size_t k = 0;

	for (size_t i = 0; !refused && i < a->n; i++) {
		uint8_t found = DWARF_NOT_FOUND;
		uint32_t x = a->of[i].call, y = 0;
		struct dwarf_call c, d;

		while (k < w.n && w.all[k].lo <= addrs[i])
			k++;
		if (k) {
			found = w.all[k - 1].found;
			y = w.all[k - 1].call;
		}
		if (found == DWARF_ASK || a->of[i].found == DWARF_GAVE_UP)
			continue;
		if (found != a->of[i].found)
			abort();
		while (dwarf_call_at(a, x, &c) && dwarf_call_at(&w.answers, y, &d)) {
			if (c.line != d.line || c.column != d.column ||
			    strcmp(dwarf_text(a, c.function, NULL),
				   dwarf_text(&w.answers, d.function, NULL)) != 0 ||
			    strcmp(dwarf_text(a, c.file, NULL),
				   dwarf_text(&w.answers, d.file, NULL)) != 0)
				abort();
			x = dwarf_outer(&c, x);
			y = dwarf_outer(&d, y);
		}
		if (x || y)
			abort();
	}
	dwarf_whole_release(&w);
}

static void check_pdb_answers(struct object *o, bool extras)
{
	const struct dwarf_options options = {.jobs = 1, .seconds = 2, .extras = extras};
	uint64_t addrs[256];
	struct dwarf_answers answers;
	struct err e = ERR_INIT;
	size_t n, k = 0;
	const struct object_segment *s = object_segments(o, &n);

	for (size_t i = 0; i < n && k < 256; i++)
		for (unsigned j = 0; j < 128 && k < 256; j++)
			if (j * 6 < s[i].memsz && (!k || s[i].vaddr + j * 6 > addrs[k - 1]))
				addrs[k++] = s[i].vaddr + j * 6;
	dwarf_answers_init(&answers, k);
	if (!pdb_answer(&(struct dwarf_job){.object = o, .addrs = addrs, .n = k, .out = &answers},
			1, &options, &e)) {
		answers_check(&answers);
		if (!extras)
			compare_pdb_whole(o, addrs, &answers);
	}
	dwarf_answers_release(&answers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	struct object *o;
	const struct object_symbol *s;
	size_t n;

	if (object_open_memory(&o, data, size, &e)) {
		if (!e.msg[0])
			abort();
		return 0;
	}
	if (object_has_pdb(o)) {
		s = object_symbols(o, &n);
		for (size_t i = 0; i < n; i++)
			if (s[i].hi < s[i].lo || (i && s[i].lo < s[i - 1].lo) || !*s[i].name)
				abort();
		check_pdb_answers(o, size & 1);
	}
	object_free(o);
	return 0;
}
