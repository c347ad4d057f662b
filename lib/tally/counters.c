/* SPDX-License-Identifier: MIT */
#include "lib/tally/counters.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

const char *const counter_stat_words[] = {"last", "min", "max", "mean", NULL};

void counter_read(struct counter_stats *s, decimal value, int64_t time)
{
	struct counter_stats one = {
	    .n = 1, .last = value, .min = value, .max = value, .time = time};
	int64_t before = s->n ? s->time : INT64_MIN;
	decimal last = s->last;

	decimal_sum_add(&one.sum, value);
	counter_join(s, &one);
	if (time != INT64_MIN && time < before)
		s->last = last;
	s->time = time > before ? time : before;
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
	to->time = from->time;
	decimal_sum_join(&to->sum, &from->sum);
	to->n += from->n;
}

decimal counter_value(const struct counter_stats *s, enum counter_stat which)
{
	decimal mean;

	switch (which) {
	case COUNTER_MIN: return s->min;
	case COUNTER_MAX: return s->max;
	case COUNTER_MEAN:
		/* What is rounded lies between the ends all the same. */
		mean = decimal_mean(&s->sum, s->n);
		return mean < s->min ? s->min : mean > s->max ? s->max : mean;
	default: return s->last;
	}
}

uint64_t counter_unit_ns(const char *unit)
{
	static const struct {
		const char *word;
		uint64_t ns;
	} units[] = {
	    {"ns", 1}, {"us", 1000}, {"\xc2\xb5s", 1000}, {"ms", 1000000}, {"s", 1000000000}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(units[i].word, unit))
			return units[i].ns;
	return 0;
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

void counters_reset(struct tally_counters *c)
{
	c->n = 0;
}

void counters_release(struct tally_counters *c)
{
	free(c->items);
	*c = (struct tally_counters){.n = 0};
}
