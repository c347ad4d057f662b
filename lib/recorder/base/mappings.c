/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/mappings.h"

#include "lib/recorder/base/memory.h"

#include <string.h>

/* The first that ends behind lo. */
static uint32_t find(const struct cap_mappings *m, uint64_t lo)
{
	uint32_t from = 0, end = m->n;

	while (from < end) {
		uint32_t mid = from + (end - from) / 2;

		if (m->rows[mid].hi <= lo)
			from = mid + 1;
		else
			end = mid;
	}
	return from;
}

struct cap_range *cap_mappings_add(struct cap_mappings *m, uint64_t lo, uint64_t hi, uint32_t stack)
{
	uint32_t i;

	if (!m->rows)
		m->rows = cap_map((CAP_MAPPINGS + 1) * sizeof *m->rows);
	if (!m->rows || m->n == CAP_MAPPINGS) {
		atomic_fetch_add_explicit(&m->lost, 1, memory_order_relaxed);
		return NULL;
	}
	i = find(m, lo);
	memmove(&m->rows[i + 1], &m->rows[i], (m->n - i) * sizeof *m->rows);
	m->rows[i] = (struct cap_range){lo, hi, stack};
	m->n++;
	return &m->rows[i];
}

bool cap_mappings_remove(struct cap_mappings *m, uint64_t lo, uint64_t hi, struct cap_range *gone,
			 struct cap_range rest[2])
{
	uint32_t i;

	if (!m->rows || lo >= hi)
		return false;
	i = find(m, lo);
	if (i == m->n || m->rows[i].lo >= hi)
		return false;
	*gone = m->rows[i];
	rest[0] = (struct cap_range){gone->lo, gone->lo < lo ? lo : gone->lo, gone->stack};
	rest[1] = (struct cap_range){gone->hi > hi ? hi : gone->hi, gone->hi, gone->stack};
	m->n--;
	memmove(&m->rows[i], &m->rows[i + 1], (m->n - i) * sizeof *m->rows);
	for (unsigned k = 0; k < 2; k++) {
		if (rest[k].lo == rest[k].hi)
			continue;
		if (cap_mappings_add(m, rest[k].lo, rest[k].hi, gone->stack))
			atomic_fetch_add_explicit(&m->rests, 1, memory_order_relaxed);
		else
			rest[k].hi = rest[k].lo;
	}
	return true;
}
