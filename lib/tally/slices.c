/* SPDX-License-Identifier: MIT */
#include "lib/tally/slices.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/tally/call_times.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of a slice: what all have together, by domain and of all of them, and the time in calls. */
enum { TOTAL_MEASURED = DOMAINS + 1, TOTAL_MAIN, TOTAL_WAITS, TOTALS };
static const uint8_t kind_totals[] = {TOTAL_MAIN, TOTAL_WAITS}; /* by bit of enum slice_time */
enum { TIME_KINDS = sizeof kind_totals };
/* Sums that a slice has not stand for others: calls that pass whole slices from this one on, as a
 * difference to the slice before; calls of EV_DELTA. What is live is a difference, too. */
enum { PART_COVERS = SUM_TIME_TOTAL, PART_MEASURED = SUM_TIME_MEAN };
enum { PART_SIGNED = SUMS_SIGNED | SUMS_LIVE | 1 << SUM_TIME_SELF | 1 << PART_COVERS };
/* PART_MAIN: a cell's time in calls of the main thread. */
enum part_table { PART_TOTAL, PART_CELL, PART_TYPE, PART_MAIN, PART_TABLES };

struct part_list { /* of cells or types, by first touch */
	uint32_t *ids;
	struct tally_sums *sums; /* what the slice adds */
	size_t n, cap, cap_sums;
	uint32_t *mark; /* by id: index + 1; 0: not touched */
	size_t cap_mark;
};

struct parts {
	struct tally_sums totals[TOTALS];
	unsigned used; /* bits of totals that are valid */
	struct part_list cells, types, mains;
};

struct slice {
	int64_t number;     /* of the frame; start / every */
	struct buf packed;  /* parts; a key may be there again and again */
	size_t merged;      /* its first bytes, in which each key is there once */
	int64_t covers;     /* PART_COVERS of all calls */
	uint32_t name;      /* of the frame */
	uint32_t reading;   /* the last of its counters + 1 */
	int64_t unknown_to; /* the place up to which the order is not known */
	bool used, within, unknown;
};

struct slice_reading { /* of a counter in a slice */
	struct counter_stats stats;
	uint32_t id, next;
};

struct covering { /* calls of a cell that pass the slice that is handed out */
	uint32_t cell;
	int64_t calls;
};

struct coverings {
	struct covering *items;
	size_t n, cap;
	uint32_t *of; /* by cell: index + 1 */
	size_t cap_of;
};

struct tally_slices {
	struct slice *items; /* [0]: before all; then frames as marked, or steps in any order */
	size_t n, cap;
	struct map64 steps;   /* number -> index */
	int64_t known_number; /* of the step that was looked for last */
	size_t known;
	bool full;
	size_t present; /* the slice whose sums are in now */
	struct parts now, scratch;
	bool has_newest; /* of what is live: */
	int64_t newest;
	int64_t newest_number;
	struct slice_reading *readings;
	size_t n_readings, cap_readings;
	struct map64 reading_index; /* slice << 32 | counter -> index + 1 */
	/* While slices are handed out. */
	struct tally_slice out;
	struct tally_counters counters;
	uint64_t live[DOMAINS + 1][3];
	int64_t covers, kind_covers[TIME_KINDS];
	struct coverings covering, main_covering;
	bool unknown;
	int64_t unknown_to;
	uint64_t done;
};

struct tally_slices *slices_new(void)
{
	return mem_zalloc(sizeof(struct tally_slices));
}

static void forget_items(struct tally_slices *s)
{
	for (size_t i = 0; i < s->n; i++)
		buf_release(&s->items[i].packed);
	s->n = 0;
}

static void release_parts(struct parts *p)
{
	struct part_list *lists[] = {&p->cells, &p->types, &p->mains};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		free(lists[i]->ids);
		free(lists[i]->sums);
		free(lists[i]->mark);
	}
}

static void release_coverings(struct coverings *c)
{
	free(c->items);
	free(c->of);
}

static void forget_coverings(struct coverings *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->of[c->items[i].cell] = 0;
	c->n = 0;
}

void slices_free(struct tally_slices *s)
{
	if (!s)
		return;
	forget_items(s);
	free(s->items);
	map64_release(&s->steps);
	release_parts(&s->now);
	release_parts(&s->scratch);
	free(s->readings);
	map64_release(&s->reading_index);
	counters_release(&s->counters);
	release_coverings(&s->covering);
	release_coverings(&s->main_covering);
	free(s);
}

static void forget_parts(struct parts *p)
{
	struct part_list *lists[] = {&p->cells, &p->types, &p->mains};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		for (size_t k = 0; k < lists[i]->n; k++)
			lists[i]->mark[lists[i]->ids[k]] = 0;
		lists[i]->n = 0;
	}
	p->used = 0;
}

void slices_reset(struct tally_slices *s)
{
	forget_items(s);
	forget_parts(&s->now);
	map64_release(&s->steps);
	map64_release(&s->reading_index);
	s->n_readings = s->known = s->present = 0;
	s->full = s->has_newest = s->unknown = false;
	memset(s->live, 0, sizeof s->live);
	forget_coverings(&s->covering);
	forget_coverings(&s->main_covering);
	s->covers = 0;
	memset(s->kind_covers, 0, sizeof s->kind_covers);
	s->done = 0;
	VEC_PUSH(s->items, s->n, s->cap) = (struct slice){.number = 0};
}

/* --- parts, and their bytes --- */

static struct tally_sums *total_of(struct parts *p, unsigned total)
{
	if (!(p->used >> total & 1)) {
		p->totals[total] = (struct tally_sums){.has = 0};
		p->used |= 1u << total;
	}
	return &p->totals[total];
}

static struct tally_sums *listed(struct part_list *l, uint32_t id)
{
	l->mark = mem_grow_zero(l->mark, &l->cap_mark, (size_t)id + 1, sizeof *l->mark);
	if (!l->mark[id]) {
		VEC_PUSH(l->ids, l->n, l->cap) = id;
		l->mark[id] = (uint32_t)l->n;
		l->sums = mem_grow(l->sums, &l->cap_sums, l->n, sizeof *l->sums);
		l->sums[l->n - 1] = (struct tally_sums){.has = 0};
	}
	return &l->sums[l->mark[id] - 1];
}

void slices_fetch(const struct tally_slices *s, uint32_t cell)
{
	if (cell < s->now.cells.cap_mark)
		__builtin_prefetch(&s->now.cells.mark[cell], 1);
}

static struct tally_sums *part_of(struct parts *p, enum part_table table, uint32_t id)
{
	switch (table) {
	case PART_CELL: return listed(&p->cells, id);
	case PART_TYPE: return listed(&p->types, id);
	case PART_MAIN: return listed(&p->mains, id);
	default: return total_of(p, id < TOTALS ? id : 0);
	}
}

static void add_sum(struct tally_sums *to, unsigned sum, uint64_t v)
{
	if (SUMS_LIVE >> sum & 1) /* differences of numbers that wrap */
		to->v[sum] += v;
	else if (PART_SIGNED >> sum & 1)
		to->v[sum] = (uint64_t)add_signed((int64_t)to->v[sum], (int64_t)v);
	else
		to->v[sum] = sum_join(sum, to->has >> sum & 1, to->v[sum], v);
	to->has |= SUM_BIT(sum);
}

static void add_peak(struct tally_sums *to, const uint64_t v[3], unsigned weigh)
{
	if (!(to->has & SUMS_PEAK) || peak_higher(v, &to->v[SUM_PEAK_COUNT], weigh))
		memcpy(&to->v[SUM_PEAK_COUNT], v, sizeof(uint64_t[3]));
	to->has |= SUMS_PEAK;
}

static void add_part(struct tally_sums *to, const struct tally_sums *from, unsigned weigh)
{
	for (unsigned has = from->has & ~(unsigned)SUMS_PEAK; has; has &= has - 1) {
		unsigned sum = (unsigned)__builtin_ctz(has);

		add_sum(to, sum, from->v[sum]);
	}
	if (from->has & SUMS_PEAK)
		add_peak(to, &from->v[SUM_PEAK_COUNT], weigh);
}

static void pack_part(struct buf *b, enum part_table table, uint32_t id,
		      const struct tally_sums *sums)
{
	buf_add_uleb(b, (uint64_t)id * PART_TABLES + table);
	buf_add_uleb(b, sums->has);
	for (unsigned has = sums->has; has; has &= has - 1) {
		unsigned sum = (unsigned)__builtin_ctz(has);
		uint64_t v = sums->v[sum];

		buf_add_uleb(b, PART_SIGNED >> sum & 1 ? v << 1 ^ -(v >> 63) : v);
	}
}

static uint64_t unpack_number(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (; **p & 0x80; shift += 7)
		v |= (uint64_t)(*(*p)++ & 0x7f) << shift;
	return v | (uint64_t) * (*p)++ << shift;
}

static void unpack_parts(struct parts *to, const struct buf *b, unsigned weigh)
{
	const uint8_t *p = (const uint8_t *)buf_at(b, 0), *end = p + b->len;

	while (p < end) {
		uint64_t key = unpack_number(&p);
		struct tally_sums sums = {.has = (unsigned)unpack_number(&p)};

		for (unsigned has = sums.has; has; has &= has - 1) {
			unsigned sum = (unsigned)__builtin_ctz(has);
			uint64_t v = unpack_number(&p);

			sums.v[sum] = PART_SIGNED >> sum & 1 ? v >> 1 ^ -(v & 1) : v;
		}
		add_part(part_of(to, key % PART_TABLES, (uint32_t)(key / PART_TABLES)), &sums,
			 weigh);
	}
}

static void pack_parts(struct buf *b, const struct parts *p)
{
	for (unsigned i = 0; i < TOTALS; i++)
		if (p->used >> i & 1)
			pack_part(b, PART_TOTAL, i, &p->totals[i]);
	for (size_t i = 0; i < p->cells.n; i++)
		pack_part(b, PART_CELL, p->cells.ids[i], &p->cells.sums[i]);
	for (size_t i = 0; i < p->types.n; i++)
		pack_part(b, PART_TYPE, p->types.ids[i], &p->types.sums[i]);
	for (size_t i = 0; i < p->mains.n; i++)
		pack_part(b, PART_MAIN, p->mains.ids[i], &p->mains.sums[i]);
}

/* Bytes were added: at most as many again as are needed. */
static void settle(struct tally *a, struct slice *slice)
{
	struct tally_slices *s = a->slices;

	if (slice->packed.len < 2 * slice->merged + 512)
		return;
	unpack_parts(&s->scratch, &slice->packed, a->state->weigh);
	slice->packed.len = 0;
	pack_parts(&slice->packed, &s->scratch);
	slice->merged = slice->packed.len;
	forget_parts(&s->scratch);
}

static void make_present(struct tally *a, size_t index)
{
	struct tally_slices *s = a->slices;
	struct slice *slice = &s->items[s->present];
	bool first;

	if (index == s->present)
		return;
	first = !slice->packed.len;
	pack_parts(&slice->packed, &s->now);
	forget_parts(&s->now);
	if (first && slice->packed.len) { /* mostly nothing more comes */
		slice->merged = slice->packed.cap = slice->packed.len;
		slice->packed.data = mem_realloc(slice->packed.data, slice->packed.len, 1);
	}
	settle(a, slice);
	s->present = index;
}

/* A span may pass frames between those that are selected. */
static bool is_selected(const struct tally *a, size_t index)
{
	const struct tally_selection *s = a->options.selection;

	if (a->options.slicing == SLICE_TIMES || !s || !s->frames.n)
		return true;
	return index && a->state->marks.items[index - 1].selected;
}

/* Time in calls, of which a part is selected. */
static void use(const struct tally *a, size_t index)
{
	struct slice *slice = &a->slices->items[index];

	slice->used = true;
	slice->within |= is_selected(a, index);
}

/* Into any slice. */
static void put(struct tally *a, size_t index, enum part_table table, uint32_t id, unsigned sum,
		int64_t v)
{
	struct tally_slices *s = a->slices;
	struct slice *slice = &s->items[index];
	struct tally_sums one = {.has = 0};

	use(a, index);
	if (index == s->present) {
		add_sum(part_of(&s->now, table, id), sum, (uint64_t)v);
		return;
	}
	add_sum(&one, sum, (uint64_t)v);
	pack_part(&slice->packed, table, id, &one);
	settle(a, slice);
}

/* --- which slice --- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int64_t floor_mod(int64_t a, int64_t b)
{
	return a % b + (a % b < 0 ? b : 0);
}

static bool in_time(const struct tally *a, bool known, int64_t time)
{
	const struct tally_selection *s = a->options.selection;

	return !s || !s->times.n || (known && selection_in(&s->times, time));
}

static bool start_of_step(const struct tally *a, int64_t number, int64_t *start)
{
	return !__builtin_mul_overflow(number, a->options.every, start);
}

static size_t step_numbered(struct tally *a, int64_t number)
{
	struct tally_slices *s = a->slices;
	int64_t start;
	uint32_t *index;
	bool known;

	if (s->known && s->known_number == number)
		return s->known;
	index = map64_put(&s->steps, (uint64_t)number);
	if (!*index) {
		if (s->n > SLICES_MOST) {
			s->full = true;
			map64_remove(&s->steps, (uint64_t)number);
			return 0;
		}
		known = start_of_step(a, number, &start);
		*index = (uint32_t)s->n;
		VEC_PUSH(s->items, s->n, s->cap) =
		    (struct slice){.number = number, .within = in_time(a, known, start)};
	}
	s->known_number = number;
	return s->known = *index;
}

void slices_mark(struct tally *a, size_t at, uint32_t name)
{
	struct tally_slices *s = a->slices;
	const struct frame_marks *m = &a->state->marks;
	const struct frame_mark *mark = &m->items[at];

	if (a->options.slicing == SLICE_FRAMES)
		VEC_PUSH(s->items, s->n, s->cap) =
		    (struct slice){.number = mark->number,
				   .name = name,
				   .used = true,
				   /* Of a mark with a time it is known at the end. */
				   .within = mark->selected && !mark->timed &&
					     in_time(a, a->has_time, a->state->at.time)};
}

/* Numbers of slices in the order of time, as far as one is known. */
static int64_t order_of(const struct tally *a, size_t index)
{
	return a->options.slicing == SLICE_FRAMES ? (int64_t)index : a->slices->items[index].number;
}

/* An allocation or a free: what is live, and most of it, at any moment is known while these come in
 * the order of their times. */
static void follow_order(struct tally *a, const struct queued_event *p)
{
	struct tally_slices *s = a->slices;
	struct slice *slice = &s->items[s->present];

	if (!s->has_newest || p->time >= s->newest) {
		s->has_newest = true;
		s->newest = p->time;
		s->newest_number = order_of(a, s->present);
		return;
	}
	if ((uint64_t)s->newest - (uint64_t)p->time <= SLICES_SLACK)
		return;
	a->backward++;
	if (!slice->unknown || s->newest_number > slice->unknown_to)
		slice->unknown_to = s->newest_number;
	slice->unknown = true;
}

void slices_reach(struct tally *a, const struct queued_event *p)
{
	struct tally_slices *s = a->slices;
	struct slice *slice;

	if (a->options.slicing == SLICE_FRAMES)
		make_present(a, p->slice);
	else
		make_present(a,
			     p->timed ? step_numbered(a, floor_div(p->time, a->options.every)) : 0);
	slice = &s->items[s->present];
	slice->used = true;
	/* Frees of what is not selected are everywhere. */
	if (!s->present)
		slice->within |= !a->options.selection;
	slice->within |= p->kind == EV_ALLOC || p->kind == EV_TYPE_TOTAL ||
			 (p->domain == CELL_TIMED && p->count);
	if (p->own_time && p->domain < DOMAINS && a->state->follow)
		follow_order(a, p);
}

enum status slices_check(const struct tally *a, struct err *e)
{
	if (!a->slices->full)
		return ST_OK;
	return err_set(e, ST_LIMIT,
		       "more than %d steps of time of %" PRId64 " ns: they have to be longer",
		       SLICES_MOST, a->options.every);
}

/* --- what is added --- */

static struct tally_sums *present_total(struct tally *a, unsigned total)
{
	return total_of(&a->slices->now, total);
}

static void add_allocated(struct tally_sums *to, const struct queued_event *p)
{
	add_sum(to, SUM_COUNT, p->count);
	if (p->kind == EV_ALLOC)
		add_sum(to, SUM_ENTRIES, 1);
	if (p->has & EV_HAS_REQUESTED)
		add_sum(to, SUM_REQUESTED, p->requested);
	if (p->has & EV_HAS_REAL)
		add_sum(to, SUM_REAL, p->real);
	for (unsigned k = 0; k < DERIVED; k++)
		if (p->derived.has >> k & 1)
			add_sum(to, derived_sums[k], p->derived.v[k]);
}

void slices_add(struct tally *a, const struct queued_event *p)
{
	struct tally_slices *s = a->slices;

	add_allocated(present_total(a, p->domain), p);
	if (!a->state->touching)
		return;
	if (p->kind == EV_ALLOC) {
		add_allocated(listed(&s->now.cells, p->cell), p);
	} else {
		struct tally_sums *type = listed(&s->now.types, p->type);

		add_allocated(type, p);
		if (!(p->has & EV_HAS_COUNT))
			type->has &= ~SUM_BIT(SUM_COUNT);
	}
}

static void add_freed(struct tally_sums *to, const uint64_t v[3], bool temporary, int64_t lifetime)
{
	for (unsigned m = 0; m < 3; m++)
		add_sum(to, SUM_FREED_COUNT + m, v[m]);
	if (temporary)
		add_sum(to, SUM_TEMPORARY, v[0]);
	if (lifetime < 0)
		return;
	add_sum(to, SUM_LIFETIME, (uint64_t)lifetime);
	add_sum(to, SUM_TIMED, 1);
}

void slices_add_freed(struct tally *a, uint32_t cell, const uint64_t v[3], unsigned domain,
		      bool temporary, int64_t lifetime)
{
	add_freed(present_total(a, domain), v, temporary, lifetime);
	if (a->state->touching)
		add_freed(listed(&a->slices->now.cells, cell), v, temporary, lifetime);
}

static void add_live(struct tally_sums *to, const uint64_t v[3], bool falls)
{
	for (unsigned m = 0; m < 3; m++)
		add_sum(to, SUM_LIVE_COUNT + m, falls ? -v[m] : v[m]);
}

/* What the peak of a slice is by: from the first block on that has no real bytes, requested ones. */
static unsigned slices_weigh(const struct tally *a, unsigned domain)
{
	return tally_mixed(a, domain) ? 1 : a->state->weigh;
}

void slices_add_live(struct tally *a, uint32_t cell, const uint64_t v[3], unsigned domain,
		     bool falls)
{
	const struct tally_state *w = a->state;

	add_live(present_total(a, domain), v, falls);
	if (w->touching)
		add_live(listed(&a->slices->now.cells, cell), v, falls);
	if (falls)
		return;
	add_peak(present_total(a, domain), w->peak_tracker[domain].live, slices_weigh(a, domain));
	add_peak(present_total(a, DOMAINS), w->peak_tracker[DOMAINS].live,
		 slices_weigh(a, DOMAINS));
}

void slices_add_sum(struct tally *a, uint32_t cell, enum sum sum, uint64_t v)
{
	add_sum(present_total(a, TOTAL_MEASURED), sum, v);
	if (a->state->touching)
		add_sum(listed(&a->slices->now.cells, cell), sum, v);
}

void slices_add_timed(struct tally *a, uint32_t cell, uint64_t calls)
{
	slices_add_sum(a, cell, (enum sum)PART_MEASURED, calls);
}

static bool is_main_kept(const struct tally *a)
{
	return a->options.slice_main && a->state->touching;
}

void slices_add_self(struct tally *a, uint32_t cell, unsigned kinds, int64_t ns)
{
	slices_add_sum(a, cell, SUM_TIME_SELF, (uint64_t)ns);
	for (size_t k = 0; k < TIME_KINDS; k++)
		if (kinds >> k & 1)
			add_sum(present_total(a, kind_totals[k]), SUM_TIME_SELF, (uint64_t)ns);
	if (kinds & SLICE_MAIN && is_main_kept(a))
		add_sum(listed(&a->slices->now.mains, cell), SUM_TIME_SELF, (uint64_t)ns);
}

static void put_measure(struct tally *a, size_t index, uint32_t cell, unsigned kinds, unsigned sum,
			int64_t v)
{
	use(a, index);
	if (sum == PART_COVERS)
		a->slices->items[index].covers += v;
	else
		put(a, index, PART_TOTAL, TOTAL_MEASURED, sum, v);
	for (size_t k = 0; k < TIME_KINDS; k++)
		if (kinds >> k & 1)
			put(a, index, PART_TOTAL, kind_totals[k], sum, v);
	if (a->state->touching)
		put(a, index, PART_CELL, cell, sum, v);
	if (kinds & SLICE_MAIN && is_main_kept(a))
		put(a, index, PART_MAIN, cell, sum, v);
}

/* From one slice to another, both of which have a part of it: first and last ns. */
static void add_over(struct tally *a, uint32_t cell, unsigned kinds, const size_t at[2],
		     int64_t first, int64_t last, size_t second)
{
	put_measure(a, at[0], cell, kinds, SUM_TIME_SELF, first);
	put_measure(a, at[1], cell, kinds, SUM_TIME_SELF, last);
	if (second == at[1])
		return;
	put_measure(a, second, cell, kinds, PART_COVERS, 1);
	put_measure(a, at[1], cell, kinds, PART_COVERS, -1);
}

static void span_over_frames(struct tally *a, uint32_t cell, unsigned kinds, int64_t lo, int64_t hi)
{
	const struct frame_marks *m = &a->state->marks;
	size_t at[2] = {frame_marks_of(m, true, lo), frame_marks_of(m, true, hi - 1)};

	/* Frames without times are where their marks stand. */
	if (at[0] >= at[1] || !frame_marks_timed(m))
		put_measure(a, at[1], cell, kinds, SUM_TIME_SELF, hi - lo);
	else
		add_over(a, cell, kinds, at, m->items[at[0]].start - lo,
			 hi - m->items[at[1] - 1].start, at[0] + 1);
}

static void span_over_steps(struct tally *a, uint32_t cell, unsigned kinds, int64_t lo, int64_t hi)
{
	const int64_t every = a->options.every;
	int64_t first = floor_div(lo, every), last = floor_div(hi - 1, every);
	size_t at[2] = {step_numbered(a, first), step_numbered(a, last)};

	if (first == last)
		put_measure(a, at[0], cell, kinds, SUM_TIME_SELF, hi - lo);
	else
		add_over(a, cell, kinds, at, every - floor_mod(lo, every),
			 floor_mod(hi - 1, every) + 1, step_numbered(a, first + 1));
}

void slices_add_span(struct tally *a, uint32_t cell, unsigned kinds, int64_t lo, int64_t hi)
{
	if (a->options.slicing == SLICE_FRAMES)
		span_over_frames(a, cell, kinds, lo, hi);
	else
		span_over_steps(a, cell, kinds, lo, hi);
}

void slices_add_counter(struct tally *a, uint32_t counter, decimal value, int64_t time)
{
	struct tally_slices *s = a->slices;
	uint32_t *index = map64_put(&s->reading_index, (uint64_t)s->present << 32 | counter);

	if (!*index) {
		VEC_PUSH(s->readings, s->n_readings, s->cap_readings) =
		    (struct slice_reading){.id = counter, .next = s->items[s->present].reading};
		*index = s->items[s->present].reading = (uint32_t)s->n_readings;
	}
	counter_read(&s->readings[*index - 1].stats, value, time);
}

/* --- the end --- */

void tally_slice_sums(const struct tally *a, size_t i, struct tally_sums *s)
{
	uint32_t cell = a->slices->now.cells.ids[i];
	const struct tally_measure *m = tally_timed(a, cell);

	*s = a->slices->now.cells.sums[i];
	if (a->cells[cell].domain >= CELL_TIMED) {
		call_times_part_sums(a, s, s->v[PART_MEASURED]);
		s->v[SUM_WAITING] = m && m->waits ? s->v[SUM_TIME_SELF] : 0;
	}
	s->has = tally_has(a, cell) & ~(unsigned)SUMS_PEAK;
}

uint64_t tally_slice_main(const struct tally *a, size_t i)
{
	const struct parts *p = &a->slices->now;
	uint32_t cell = p->cells.ids[i], at = cell < p->mains.cap_mark ? p->mains.mark[cell] : 0;
	int64_t ns = at ? (int64_t)p->mains.sums[at - 1].v[SUM_TIME_SELF] : 0;

	return ns < 0 ? 0 : (uint64_t)ns;
}

void tally_slice_type_sums(const struct tally *a, size_t i, struct tally_sums *s)
{
	*s = a->slices->now.types.sums[i];
}

static void cover(struct coverings *c, uint32_t cell, int64_t calls)
{
	uint32_t *of;

	c->of = mem_grow_zero(c->of, &c->cap_of, (size_t)cell + 1, sizeof *c->of);
	of = &c->of[cell];
	if (!*of) {
		VEC_PUSH(c->items, c->n, c->cap) = (struct covering){.cell = cell};
		*of = (uint32_t)c->n;
	}
	c->items[*of - 1].calls += calls;
	if (c->items[*of - 1].calls)
		return;
	c->items[*of - 1] = c->items[--c->n];
	c->of[c->items[*of - 1].cell] = *of;
	*of = 0;
}

static int64_t covered(int64_t calls, int64_t ns)
{
	int64_t v;

	return __builtin_mul_overflow(calls, ns, &v) ? INT64_MAX : v;
}

static void add_covers_of(struct part_list *l, struct coverings *c, int64_t ns)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->sums[i].v[PART_COVERS])
			cover(c, l->ids[i], (int64_t)l->sums[i].v[PART_COVERS]);
	for (size_t i = 0; i < c->n; i++)
		add_sum(listed(l, c->items[i].cell), SUM_TIME_SELF,
			(uint64_t)covered(c->items[i].calls, ns));
}

/* Calls that pass the whole of the slice, which lasts so long. */
static void add_covers(struct tally_slices *s, int64_t ns)
{
	struct parts *p = &s->now;

	if (s->covers)
		add_sum(total_of(p, TOTAL_MEASURED), SUM_TIME_SELF,
			(uint64_t)covered(s->covers, ns));
	for (size_t k = 0; k < TIME_KINDS; k++) {
		unsigned total = kind_totals[k];

		if (p->used >> total & 1)
			s->kind_covers[k] += (int64_t)p->totals[total].v[PART_COVERS];
		if (s->kind_covers[k])
			add_sum(total_of(p, total), SUM_TIME_SELF,
				(uint64_t)covered(s->kind_covers[k], ns));
	}
	add_covers_of(&p->cells, &s->covering, ns);
	add_covers_of(&p->mains, &s->main_covering, ns);
}

/* What is live after the slice, and most of it in it. */
static void fill_live(struct tally *a, struct tally_sums *all, unsigned domain)
{
	struct tally_slices *s = a->slices;
	unsigned weigh = slices_weigh(a, domain);
	struct tally_sums *part = total_of(&s->now, domain);
	uint64_t *live = s->live[domain];

	if (!(part->has & SUMS_PEAK) || peak_higher(live, &part->v[SUM_PEAK_COUNT], weigh))
		memcpy(&part->v[SUM_PEAK_COUNT], live, sizeof s->live[domain]);
	for (unsigned m = 0; m < 3; m++) {
		live[m] += part->v[SUM_LIVE_COUNT + m];
		if (domain < DOMAINS)
			total_of(&s->now, DOMAINS)->v[SUM_LIVE_COUNT + m] +=
			    part->v[SUM_LIVE_COUNT + m];
		all->v[SUM_LIVE_COUNT + m] = live[m];
		all->v[SUM_PEAK_COUNT + m] = part->v[SUM_PEAK_COUNT + m];
	}
}

/* Of all cells together, where a hook's cost is taken off: a cell has 0 at least, as in reports of the whole. */
static uint64_t hooked_self(const struct tally *a)
{
	uint64_t self = 0;

	for (size_t i = 0; i < a->slices->now.cells.n; i++) {
		struct tally_sums s;

		tally_slice_sums(a, i, &s);
		self = add_saturating(self, s.v[SUM_TIME_SELF]);
	}
	return self;
}

/* The main thread's part of the slice's self time; cells are of all threads. */
static uint64_t main_self(const struct tally *a, uint64_t self)
{
	const struct tally_sums *all = total_of(&a->slices->now, TOTAL_MEASURED);
	const struct tally_sums *main = total_of(&a->slices->now, TOTAL_MAIN);
	int64_t v = (int64_t)main->v[SUM_TIME_SELF];

	if (!a->options.hook_cost)
		return main->v[SUM_TIME_SELF];
	if (main->v[SUM_TIME_SELF] == all->v[SUM_TIME_SELF])
		return self;
	return v < 0 ? 0 : (uint64_t)v < self ? (uint64_t)v : self;
}

/* What is 0 since its blocks do not have it: of those allocated, live, freed, at the peak. */
static unsigned unmeasured(const struct tally *a, const struct tally_sums *all, unsigned domain)
{
	static const enum sum firsts[] = {SUM_LIVE_COUNT, SUM_FREED_COUNT, SUM_PEAK_COUNT};
	const uint64_t without[] = {0, a->without_requested[domain], a->without_real[domain]};
	static const enum sum bytes[] = {SUM_COUNT, SUM_REQUESTED, SUM_REAL};
	unsigned lacks = 0;

	for (unsigned m = 1; m < 3; m++) {
		const uint64_t *v = all->v;

		if (!without[m])
			continue;
		if (v[SUM_ENTRIES] && !v[bytes[m]])
			lacks |= SUM_BIT(bytes[m]) | SUM_BIT(SUM_SLACK);
		for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
			if (v[firsts[i]] && !v[firsts[i] + m])
				lacks |= SUM_BIT(firsts[i] + m);
	}
	return lacks;
}

static void fill_all(struct tally *a, const struct trace *t)
{
	struct tally_slices *s = a->slices;
	struct tally_sums measured = *total_of(&s->now, TOTAL_MEASURED), collapse = {.has = 0};
	uint8_t state[SUMS];
	unsigned has = 0;
	uint64_t waits;

	tally_states(a, t, DOMAINS, state);
	for (size_t i = 0; i < SUMS; i++)
		has |= state[i] != METRIC_ABSENT ? SUM_BIT(i) : 0;
	call_times_part_sums(a, &measured, measured.v[PART_MEASURED]);
	if (a->options.hook_cost)
		measured.v[SUM_TIME_SELF] = hooked_self(a);
	waits = total_of(&s->now, TOTAL_WAITS)->v[SUM_TIME_SELF];
	measured.v[SUM_WAITING] = (int64_t)waits < 0 ? 0 : waits;
	s->out.main = main_self(a, measured.v[SUM_TIME_SELF]);
	for (size_t d = 0; d <= DOMAINS; d++) {
		struct tally_sums *all = &s->out.all[d];

		*all = d < DOMAINS ? *total_of(&s->now, (unsigned)d) : collapse;
		all->has = SUMS_ALL;
		if (d < DOMAINS)
			sums_add(&collapse, all);
		fill_live(a, all, (unsigned)d);
		all->has = has & ~(unsigned)(SUMS_PEAK | SUMS_MEASURED);
		/* The same knowledge as of what is live, and here it needs no array of cells. */
		if (!t->unordered && !s->unknown)
			all->has |= (has & SUMS_LIVE) << (SUM_PEAK_COUNT - SUM_LIVE_COUNT);
		if (a->state->peak_tracker[d].overflow)
			all->has &= ~(unsigned)(SUMS_LIVE | SUMS_PEAK);
		all->has &= ~unmeasured(a, all, (unsigned)d);
		for (unsigned i = 0; i < SUMS; i++)
			if (SUMS_MEASURED >> i & 1)
				all->v[i] = measured.v[i];
		all->v[SUM_ENTRIES] = add_saturating(all->v[SUM_ENTRIES], measured.v[SUM_ENTRIES]);
		if (a->call_times)
			all->has |= call_times_slice_has(a);
	}
}

static void fill_counters(struct tally_slices *s, uint32_t reading)
{
	counters_reset(&s->counters);
	for (uint32_t i = reading; i; i = s->readings[i - 1].next)
		*counters_place(&s->counters, s->readings[i - 1].id) = s->readings[i - 1].stats;
}

/* s->now has its sums. */
static enum status hand_out(struct tally *a, struct trace *t, bool within, struct err *e)
{
	struct tally_slices *s = a->slices;
	struct tally_slice *out = &s->out;
	const struct tally_sums *main = total_of(&s->now, TOTAL_MAIN);
	enum status st = ST_OK;

	fill_all(a, t);
	out->index = s->done;
	out->cells = s->now.cells.ids;
	out->n_cells = a->options.slice_cells ? s->now.cells.n : 0;
	out->types = s->now.types.ids;
	out->n_types = s->now.types.n;
	out->has_main = main->has >> SUM_TIME_SELF & 1;
	out->counters = a->options.counters ? &s->counters : NULL;
	if (within) {
		if (a->options.slice)
			st = a->options.slice(a->options.slice_arg, t, a, out, e);
		s->done++;
	}
	forget_parts(&s->now);
	return st;
}

/* span: ns up to the next slice. */
static enum status hand_out_slice(struct tally *a, struct trace *t, size_t index, int64_t span,
				  struct err *e)
{
	struct tally_slices *s = a->slices;
	struct slice *slice = &s->items[index];
	int64_t number = order_of(a, index);

	unpack_parts(&s->now, &slice->packed, a->state->weigh);
	buf_release(&slice->packed);
	if (slice->unknown && (!s->unknown || slice->unknown_to > s->unknown_to)) {
		s->unknown = true;
		s->unknown_to = slice->unknown_to;
	}
	if (s->unknown && number > s->unknown_to)
		s->unknown = false;
	s->covers += slice->covers;
	add_covers(s, span);
	fill_counters(s, slice->reading);
	return hand_out(a, t, slice->used && slice->within, e);
}

static void as_frame(const struct tally *a, size_t index, struct tally_slice *out)
{
	const struct frame_marks *m = &a->state->marks;
	const struct frame_mark *mark = &m->items[index - 1];

	*out = (struct tally_slice){.kind = SLICE_FRAME,
				    .number = mark->number,
				    .name = a->slices->items[index].name,
				    .has_start = mark->timed,
				    .start = mark->timed ? mark->start : 0};
	out->has_duration = frame_marks_duration(m, index - 1, &out->duration);
}

static void as_step(const struct tally *a, int64_t number, struct tally_slice *out)
{
	*out = (struct tally_slice){
	    .kind = SLICE_TIME, .number = number, .duration = a->options.every};
	out->has_start = out->has_duration = start_of_step(a, number, &out->start);
}

static enum status end_frames(struct tally *a, struct trace *t, struct err *e)
{
	struct tally_slices *s = a->slices;
	enum status st = ST_OK;

	for (size_t i = 1; !st && i < s->n; i++) {
		int64_t span = frame_marks_span(&a->state->marks, i - 1);

		as_frame(a, i, &s->out);
		s->items[i].within |= tally_frame_selected(a, i - 1);
		s->items[i].within &= i + 1 < s->n || !extent_closes(&a->extent, t);
		st = hand_out_slice(a, t, i, span > 0 ? span : 0, e);
	}
	return st;
}

static int step_order(const void *x, const void *y, void *arg)
{
	const struct slice *items = arg;
	int64_t p = items[*(const uint32_t *)x].number, q = items[*(const uint32_t *)y].number;

	return p < q ? -1 : p > q;
}

/* With those that calls pass and in which nothing else is. */
static void count_steps(struct tally_slices *s, const uint32_t *order)
{
	uint64_t n = s->n - 1;
	int64_t covers = 0;

	for (size_t i = 1; i + 1 < s->n; i++) {
		const struct slice *one = &s->items[order[i]], *next = &s->items[order[i + 1]];

		covers += one->covers;
		if (covers)
			n = add_saturating(n, (uint64_t)next->number - (uint64_t)one->number - 1);
	}
	s->full |= n > SLICES_MOST;
}

/* Steps that calls pass and in which nothing else is. */
static enum status end_gap(struct tally *a, struct trace *t, int64_t from, int64_t to,
			   struct err *e)
{
	struct tally_slices *s = a->slices;
	enum status st = ST_OK;

	for (int64_t number = from; !st && s->covers && number < to; number++) {
		as_step(a, number, &s->out);
		add_covers(s, a->options.every);
		counters_reset(&s->counters);
		st = hand_out(a, t, true, e);
	}
	return st;
}

static enum status end_steps(struct tally *a, struct trace *t, struct err *e)
{
	struct tally_slices *s = a->slices;
	uint32_t *order = mem_array(s->n, sizeof *order);
	enum status st = ST_OK;

	for (size_t i = 1; i < s->n; i++)
		order[i] = (uint32_t)i;
	sort_array_by(order + 1, s->n - 1, sizeof *order, step_order, s->items);
	count_steps(s, order);
	st = slices_check(a, e);
	for (size_t i = 1; !st && i < s->n; i++) {
		int64_t number = s->items[order[i]].number;

		if (i > 1)
			st = end_gap(a, t, s->items[order[i - 1]].number + 1, number, e);
		if (st)
			break;
		as_step(a, number, &s->out);
		st = hand_out_slice(a, t, order[i], s->out.duration, e);
	}
	free(order);
	return st;
}

enum status slices_end(struct tally *a, struct trace *t, struct err *e)
{
	struct tally_slices *s = a->slices;
	enum status st = slices_check(a, e);

	pack_parts(&s->items[s->present].packed, &s->now);
	forget_parts(&s->now);
	if (st)
		return st;
	s->out = (struct tally_slice){.kind = SLICE_BEFORE};
	st = hand_out_slice(a, t, 0, s->out.duration, e);
	if (!st)
		st = a->options.slicing == SLICE_FRAMES ? end_frames(a, t, e) : end_steps(a, t, e);
	return st;
}
