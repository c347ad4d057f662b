/* SPDX-License-Identifier: MIT
 *
 * Scopes in the reference engine: the innermost function or inlined call at an address.
 */
#include "lib/dwarf/reference/reference.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

void unit_release(struct reference_unit *u)
{
	free(u->ranges);
	free(u->scope_ranges);
	free(u->scopes);
	free(u->rows);
	free(u->files);
	*u = (struct reference_unit){0};
}

size_t unit_first_at_least(const uint64_t *addrs, const uint32_t *query, size_t n, uint64_t addr)
{
	return BISECT(i, 0, n, addrs[query[i]] < addr);
}

/* Of a unit that has no lists of ranges: a function's cold part is another DIE, and what is inlined there is
 * the function's still. */
static bool is_inlined_piece(const struct reference_unit *u, uint32_t scope)
{
	return u->version < 3 && !u->ranged && scope && u->scopes[scope - 1].inlined;
}

void unit_match_scopes(const struct reference_unit *u, const uint64_t *addrs, const uint32_t *query,
		       size_t n, uint32_t *scope)
{
	memset(scope, 0, n * sizeof *scope);
	for (size_t i = 0; i < u->n_scopes; i++) {
		const struct unit_scope *s = &u->scopes[i];

		for (size_t k = 0; k < s->n_ranges; k++) {
			const struct unit_range *r = &u->scope_ranges[s->first_range + k];

			for (size_t q = unit_first_at_least(addrs, query, n, r->lo);
			     q < n && addrs[query[q]] < r->hi; q++)
				if (s->inlined || !is_inlined_piece(u, scope[q]))
					scope[q] = (uint32_t)i + 1;
		}
	}
}
