/* SPDX-License-Identifier: MIT */
#include "lib/profile/columns.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

static void enlarge(struct profile_columns *c, size_t need)
{
	size_t old = c->cap;

	c->has = mem_grow_zero(c->has, &c->cap, need, sizeof *c->has);
	for (size_t k = 0; k < SUMS; k++)
		if (c->v[k]) {
			c->v[k] = mem_realloc(c->v[k], c->cap, sizeof *c->v[k]);
			memset(c->v[k] + old, 0, (c->cap - old) * sizeof *c->v[k]);
		}
}

void columns_add(struct profile_columns *c, size_t i, const struct tally_sums *s)
{
	if (i >= c->cap)
		enlarge(c, i + 1);
	if (i >= c->n)
		c->n = i + 1;
	for (unsigned bits = s->has; bits; bits &= bits - 1) {
		unsigned k = (unsigned)__builtin_ctz(bits);

		if (!s->v[k])
			continue;
		if (!c->v[k])
			c->v[k] = mem_zarray(c->cap, sizeof *c->v[k]);
		c->v[k][i] = sum_join(k, c->has[i] >> k & 1, c->v[k][i], s->v[k]);
	}
	c->has[i] |= s->has;
}

struct tally_sums columns_get(const struct profile_columns *c, size_t i)
{
	struct tally_sums s = {.has = columns_has(c, i)};

	for (unsigned bits = s.has; bits; bits &= bits - 1) {
		enum sum k = (enum sum)__builtin_ctz(bits);

		s.v[k] = columns_value(c, i, k);
	}
	return s;
}

void columns_move(struct profile_columns *to, struct profile_columns *from, const uint32_t *rows)
{
	for (size_t i = 0; i < from->n; i++) {
		struct tally_sums s = columns_get(from, i);

		if (s.has)
			columns_add(to, rows[i], &s);
	}
	columns_release(from);
}

void columns_release(struct profile_columns *c)
{
	for (size_t k = 0; k < SUMS; k++)
		free(c->v[k]);
	free(c->has);
	*c = (struct profile_columns){.n = 0};
}
