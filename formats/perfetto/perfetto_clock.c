/* SPDX-License-Identifier: MIT
 *
 * Times of one clock. A snapshot has several clocks as they were at one moment. From each clock the way to
 * the trace's goes over snapshots that have it and the next one on the way; between snapshots the
 * difference is that of the last one before.
 */
#include "formats/perfetto/perfetto.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { OF_SEQUENCE = 64, OF_ALL = 128 }; /* clocks between are a sequence's own */

static uint64_t key_of(uint32_t seq, uint64_t id)
{
	return id >= OF_SEQUENCE && id < OF_ALL ? (uint64_t)seq << 32 | id : id;
}

uint32_t perfetto_clock_of(struct perfetto *x, uint64_t key)
{
	struct perfetto_clocks *c = &x->clocks;
	uint32_t have = map64_get(&c->by_key, key);

	if (have)
		return have;
	if (c->n >= PERFETTO_CLOCKS_MOST) {
		c->more++;
		return 0;
	}
	VEC_PUSH(c->list, c->n, c->cap) = (struct perfetto_clock){.key = key, .unit = 1};
	*map64_put(&c->by_key, key) = (uint32_t)c->n;
	return (uint32_t)c->n;
}

static int64_t scaled(uint64_t at, int64_t unit)
{
	int64_t ns;

	return at > INT64_MAX || __builtin_mul_overflow((int64_t)at, unit, &ns) ? INT64_MAX / 4
										: ns;
}

/* A clock of a snapshot. */
static void perfetto_parse_clock(struct perfetto *x, struct perfetto_seq *s, uint32_t seq,
				 struct pb b)
{
	struct perfetto_clocks *c = &x->clocks;
	uint64_t id = 0, at = 0, unit = 1;
	bool steps = false;
	struct pb_field f;
	uint32_t clock;
	int64_t ns;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: id = f.value; break;
		case 2: at = f.value; break;
		case 3: steps = f.value; break;
		case 4: unit = f.value; break;
		}
	clock = id <= UINT32_MAX ? perfetto_clock_of(x, key_of(seq, id)) : 0;
	if (b.bad || !clock)
		return;
	c->list[clock - 1].unit = unit && unit < 1u << 30 ? (int64_t)unit : 1;
	c->list[clock - 1].steps = steps;
	ns = scaled(at, c->list[clock - 1].unit);
	if (steps && s) {
		s->step_clock = key_of(seq, id);
		s->step = ns;
	}
	if (x->pass == PERFETTO_SCAN)
		VEC_PUSH(c->readings, c->n_readings, c->cap_readings) =
		    (struct perfetto_reading){c->snapshots, clock - 1, ns};
}

void perfetto_clock_snapshot(struct perfetto *x, struct perfetto_seq *s, uint32_t seq, struct pb b)
{
	struct pb_field f;

	x->clocks.snapshots++;
	while (pb_next(&b, &f))
		if (f.number == 1 && f.wire == PB_BYTES)
			perfetto_parse_clock(x, s, seq, pb_of(&f));
		else if (f.number == 2 && f.wire == PB_VARINT && f.value &&
			 x->pass == PERFETTO_SCAN)
			x->clocks.primary = f.value;
}

static int perfetto_clock_by_from(const void *pa, const void *pb)
{
	const struct perfetto_pair *a = pa, *b = pb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* What names no clock is of the trace's. */
static bool is_trace(const struct perfetto_clocks *c, uint32_t clock)
{
	return !c->list[clock].key || c->list[clock].key == c->primary;
}

static bool is_reached(const struct perfetto_clocks *c, uint32_t clock)
{
	return c->list[clock].next || is_trace(c, clock);
}

/* One step further from the trace's clock; false: there is no such. */
static bool perfetto_reach_more(struct perfetto_clocks *c, bool *now)
{
	bool any = false;

	for (size_t i = 0; i < c->n; i++)
		now[i] = is_reached(c, (uint32_t)i);
	for (size_t i = 0, end; i < c->n_readings; i = end) {
		uint32_t to = UINT32_MAX;

		for (end = i;
		     end < c->n_readings && c->readings[end].snapshot == c->readings[i].snapshot;
		     end++) {
			uint32_t clock = c->readings[end].clock;

			if (now[clock] && (to == UINT32_MAX || c->list[clock].key == c->primary))
				to = clock;
		}
		for (size_t k = i; to != UINT32_MAX && k < end; k++)
			if (!is_reached(c, c->readings[k].clock)) {
				c->list[c->readings[k].clock].next = to + 1;
				any = true;
			}
	}
	return any;
}

/* A trace without a snapshot of the trace's clock has times of the one that is read most. */
static void choose_primary(struct perfetto_clocks *c)
{
	if (map64_get(&c->by_key, c->primary) || map64_get(&c->by_key, 0))
		return;
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].used && c->list[i].key < OF_SEQUENCE) {
			c->primary = c->list[i].key;
			return;
		}
}

static void perfetto_pair_up(struct perfetto_clocks *c)
{
	for (size_t i = 0, end; i < c->n_readings; i = end) {
		for (end = i;
		     end < c->n_readings && c->readings[end].snapshot == c->readings[i].snapshot;)
			end++;
		if (end - i > 64) /* no real one has so many */
			continue;
		for (size_t k = i; k < end; k++) {
			struct perfetto_clock *from = &c->list[c->readings[k].clock];

			for (size_t m = i; m < end; m++)
				if (from->next == c->readings[m].clock + 1) {
					VEC_PUSH(from->pairs, from->n_pairs, from->cap_pairs) =
					    (struct perfetto_pair){c->readings[k].at,
								   c->readings[m].at};
					break;
				}
		}
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].n_pairs)
			qsort(c->list[i].pairs, c->list[i].n_pairs, sizeof *c->list[i].pairs,
			      perfetto_clock_by_from);
}

static int64_t shifted(int64_t at, int64_t from, int64_t to)
{
	int64_t by, out;

	return __builtin_sub_overflow(to, from, &by) || __builtin_add_overflow(at, by, &out) ? at
											     : out;
}

/* As the next clock on the way has it. */
static int64_t perfetto_step_on(const struct perfetto_clock *c, int64_t at)
{
	size_t low = 0, high = c->n_pairs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->pairs[middle].from <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!c->n_pairs)
		return at;
	low -= low > 0;
	return shifted(at, c->pairs[low].from, c->pairs[low].to);
}

/* False: nothing joins its clock to the trace's, so that it is as it was read. */
static bool convert(const struct perfetto_clocks *c, struct perfetto_time at, int64_t *ns)
{
	uint32_t clock = at.clock - 1;

	*ns = at.raw;
	for (; c->list[clock].next; clock = c->list[clock].next - 1)
		*ns = perfetto_step_on(&c->list[clock], *ns);
	return is_trace(c, clock);
}

void perfetto_clocks_join(struct perfetto *x)
{
	struct perfetto_clocks *c = &x->clocks;
	bool *now = mem_zarray(c->n + 1, sizeof *now), any = false;
	unsigned rounds = 0;

	choose_primary(c);
	while (rounds++ < 8 && perfetto_reach_more(c, now))
		;
	free(now);
	perfetto_pair_up(c);
	for (size_t i = 0; i < c->n; i++) {
		int64_t ns;

		if (!c->list[i].used)
			continue;
		convert(c, (struct perfetto_time){(uint32_t)i + 1, c->list[i].least}, &ns);
		if (!any || ns < c->start)
			c->start = ns;
		any = true;
	}
	free(c->readings);
	c->readings = NULL;
	c->n_readings = c->cap_readings = 0;
}

struct perfetto_time perfetto_time_at(struct perfetto *x, uint64_t key, int64_t raw)
{
	uint32_t clock = perfetto_clock_of(x, key);
	struct perfetto_clock *c;

	if (!clock)
		return (struct perfetto_time){0, 0};
	c = &x->clocks.list[clock - 1];
	if (x->pass == PERFETTO_SCAN && (!c->used || raw < c->least)) {
		c->used = true;
		c->least = raw;
	}
	return (struct perfetto_time){clock, raw};
}

bool perfetto_ns(struct perfetto *x, struct perfetto_time at, int64_t *ns)
{
	*ns = 0;
	if (!at.clock)
		return false;
	if (!convert(&x->clocks, at, ns))
		x->clocks.unreached++;
	if (__builtin_sub_overflow(*ns, x->clocks.start, ns))
		*ns = 0;
	return true;
}

void perfetto_clocks_release(struct perfetto_clocks *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->list[i].pairs);
	free(c->list);
	free(c->readings);
	map64_release(&c->by_key);
}
