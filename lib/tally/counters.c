/* SPDX-License-Identifier: MIT */
#include "lib/tally/counters.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

const char *const counter_stat_words[] = {"last", "min", "max", "mean", NULL};

void counter_read(struct counter_stats *s, int64_t value)
{
	struct counter_stats one = {1, value, value, value, value};

	counter_join(s, &one);
}

void counter_join(struct counter_stats *to, const struct counter_stats *from)
{
	if (!from->n)
		return;
	if (!to->n || from->min < to->min)
		to->min = from->min;
	if (!to->n || from->max > to->max)
		to->max = from->max;
	to->last = from->last;
	to->sum += from->sum;
	to->n += from->n;
}

int64_t counter_value(const struct counter_stats *s, enum counter_stat which)
{
	double mean = (double)s->sum / (double)s->n;

	switch (which) {
	case COUNTER_MIN: return s->min;
	case COUNTER_MAX: return s->max;
	case COUNTER_MEAN:
		/* Sums of large values are rounded: a mean lies between the ends all the same. */
		if (mean <= (double)s->min)
			return s->min;
		if (mean >= (double)s->max)
			return s->max;
		return (int64_t)(mean < 0 ? mean - 0.5 : mean + 0.5);
	default: return s->last;
	}
}

struct counter_stats *counters_place(struct tally_counters *c, uint32_t id)
{
	if (id >= c->n) {
		c->items = mem_grow(c->items, &c->cap, (size_t)id + 1, sizeof *c->items);
		memset(c->items + c->n, 0, ((size_t)id + 1 - c->n) * sizeof *c->items);
		c->n = (size_t)id + 1;
	}
	return &c->items[id];
}

void counters_read(struct tally_counters *c, uint32_t id, int64_t value)
{
	counter_read(counters_place(c, id), value);
}

void counters_reset(struct tally_counters *c)
{
	c->n = 0;
}

void counters_release(struct tally_counters *c)
{
	free(c->items);
	*c = (struct tally_counters){.n = 0};
}
