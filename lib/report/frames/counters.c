/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/counters.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/report/frames/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t counter(struct frames_counters *c, const char *name, const char *unit,
			unsigned domain)
{
	uint32_t n = intern_add(&c->texts, name, strlen(name));
	uint32_t u = *unit ? intern_add(&c->texts, unit, strlen(unit)) : 0;

	uint32_t *at = map64_put(&c->index, (uint64_t)n << 32 | u);

	if (!*at) {
		VEC_PUSH(c->items, c->n, c->cap) =
		    (struct frames_counter){.name = n, .unit = u, .domain = (uint8_t)domain};
		c->domains += domain != 0;
		*at = (uint32_t)c->n;
	}
	return *at - 1;
}

static uint32_t of_capture(struct frames_counters *c, const struct trace *t, uint32_t id)
{
	const struct counter *row = &t->counters[id];
	const char *name = row->name ? trace_text(t, row->name) : "counter";

	c->ids = mem_grow_zero(c->ids, &c->cap_ids, (size_t)id + 1, sizeof *c->ids);
	if (!c->ids[id])
		c->ids[id] = counter(c, name, trace_text(t, row->unit), 0) + 1;
	return c->ids[id] - 1;
}

static void add_domains(struct frames_counters *c, const struct tally_slice *s,
			const struct tally *a)
{
	for (unsigned d = 0; d < DOMAINS; d++) {
		const struct tally_sums *all = &s->all[d];
		/* A pool's blocks have no real bytes. */
		bool real = a->without_real[d] < a->records[d];
		enum sum sum = real && all->has >> SUM_REAL & 1 ? SUM_REAL : SUM_REQUESTED;
		char name[32];
		uint64_t v = all->v[sum];
		struct counter_stats one = {.n = 0};

		if (!a->records[d] || !(all->has >> sum & 1))
			continue;
		counter_read(&one, decimal_of_unsigned(v), INT64_MIN);
		snprintf(name, sizeof name, "alloc.%s", domain_name(d));
		VEC_PUSH(c->readings, c->n_readings, c->cap_readings) =
		    (struct frames_reading){counter(c, name, "B", d + 1), one};
	}
}

static int frames_counters_reading_order(const void *a, const void *b)
{
	const struct frames_reading *x = a, *y = b;

	return x->counter < y->counter ? -1 : x->counter > y->counter;
}

void frames_counters_add(struct frames_counters *c, const struct trace *t,
			 const struct tally_slice *s, const struct tally *a)
{
	size_t first = c->n_readings;

	if (!s->index && c->cap_ids)
		memset(c->ids, 0, c->cap_ids * sizeof *c->ids);
	if (!c->n_rows)
		VEC_PUSH(c->rows, c->n_rows, c->cap_rows) = 0;
	for (uint32_t i = 0; s->counters && i < s->counters->n; i++) {
		const struct counter_stats *stats = &s->counters->items[i];
		uint32_t of;

		if (!stats->n)
			continue;
		of = of_capture(c, t, i);
		c->items[of].several |= stats->n > 1;
		VEC_PUSH(c->readings, c->n_readings, c->cap_readings) =
		    (struct frames_reading){of, *stats};
	}
	add_domains(c, s, a);
	if (c->n_readings > first)
		sort_array(c->readings + first, c->n_readings - first, sizeof *c->readings,
			   frames_counters_reading_order);
	VEC_PUSH(c->rows, c->n_rows, c->cap_rows) = c->n_readings;
}

bool frames_counters_value(const struct frames_counters *c, size_t row, int metric, decimal *v)
{
	size_t of = counter_of(metric, FRAME_METRICS), lo, hi;

	*v = 0;
	if (row + 1 >= c->n_rows)
		return false;
	lo = c->rows[row];
	hi = c->rows[row + 1];
	lo = BISECT(i, lo, hi, c->readings[i].counter < of);
	if (lo == c->rows[row + 1] || c->readings[lo].counter != of)
		return false;
	*v = counter_value(&c->readings[lo].stats,
			   (enum counter_stat)((metric - FRAME_METRICS) % COUNTER_STATS));
	return true;
}

bool frames_counters_known(const struct frames_counters *c, int metric)
{
	return counter_of(metric, FRAME_METRICS) < c->n;
}

const char *frames_counters_name(const struct frames_counters *c, size_t counter)
{
	size_t n;

	return intern_text(&c->texts, c->items[counter].name, &n);
}

const char *frames_counters_unit(const struct frames_counters *c, size_t counter)
{
	size_t n;

	return c->items[counter].unit ? intern_text(&c->texts, c->items[counter].unit, &n) : "";
}

int frames_counters_find(const struct frames_counters *c, const char *text)
{
	const char *colon = strrchr(text, ':');
	int stat = -1;

	for (int k = 0; colon && counter_stat_words[k]; k++)
		if (!strcmp(counter_stat_words[k], colon + 1))
			stat = k;
	for (int whole = 1; whole >= 0; whole--) {
		size_t n = whole ? strlen(text) : stat >= 0 ? (size_t)(colon - text) : 0;

		for (size_t i = 0; n && i < c->n; i++) {
			const char *name = frames_counters_name(c, i);

			if (strlen(name) == n && !memcmp(name, text, n))
				return FRAME_METRICS + (int)i * COUNTER_STATS +
				       (whole ? COUNTER_LAST : stat);
		}
	}
	return -1;
}

enum column_type counter_column(const char *unit)
{
	return !strcmp(unit, "B")    ? COLUMN_BYTES
	       : !strcmp(unit, "ns") ? COLUMN_TIME
				     : COLUMN_DECIMAL;
}

bool frames_counters_shown(const struct frames_counters *c, size_t counter)
{
	return !c->items[counter].domain || c->domains > 1;
}

void frames_counters_release(struct frames_counters *c)
{
	intern_release(&c->texts);
	map64_release(&c->index);
	free(c->items);
	free(c->readings);
	free(c->rows);
	free(c->ids);
	*c = (struct frames_counters){.n = 0};
}
