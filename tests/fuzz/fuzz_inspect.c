/* SPDX-License-Identifier: MIT
 *
 * tm-inspect over any bytes: symbols, relocations, PLT, .eh_frame, DWARF's unit headers, code; the
 * verdicts; and the search for a slide in its code.
 */
#include "lib/find/call_check.h"
#include "lib/find/slide.h"
#include "lib/inspect/fitness.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_functions(const struct inspect *x)
{
	for (size_t i = 0; i < x->n_functions; i++) {
		const struct inspect_function *f = &x->functions[i];

		if (f->hi < f->lo || (i && f->lo < x->functions[i - 1].hi))
			abort();
	}
	if (x->sum.n != x->n_functions ||
	    x->sum.frame + x->sum.none + x->sum.leaf + x->sum.unknown != x->sum.n)
		abort();
}

static void check_sites(const struct disasm_code *c)
{
	uint64_t *sites, addrs[16];
	size_t n = code_sites(c, &sites), kept = 0;
	struct slide_guess g;

	for (size_t i = 0; i < n; i++) {
		if (!code_part_at(c, sites[i]))
			abort();
		if (kept < 16 && (!kept || addrs[kept - 1] < sites[i] + 0x10000))
			addrs[kept++] = sites[i] + 0x10000;
	}
	slide_find(c, addrs, kept, &g);
	if (g.best.pass > g.best.inside || g.next.pass > g.best.pass)
		abort();
	free(sites);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	struct fitness f;
	struct inspect x;

	if (!inspect_open_memory(&x, data, size, &e)) {
		check_functions(&x);
		for (unsigned c = 0; c < FITS; c++) {
			fitness_of(&x, c, &f);
			if (!*f.why || f.fit > FIT_UNKNOWN)
				abort();
		}
		check_sites(file_code(&x.file));
	}
	inspect_release(&x);
	return 0;
}
