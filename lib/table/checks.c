/* SPDX-License-Identifier: MIT */
#include "lib/table/checks.h"

const char *const verdict_words[VERDICTS + 1] = {"pass",         "improved", "skipped", "waived",
						 "inconclusive", "fail",     NULL};

size_t checks_count(const struct table_checks *c, enum verdict v)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_items; i++)
		n += c->items[i].verdict == v;
	return n;
}
