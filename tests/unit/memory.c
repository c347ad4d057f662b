/* SPDX-License-Identifier: MIT
 *
 * Peaks and live bytes over time of captures whose events come in any order, against sums over the list
 * of events in the order of their numbers.
 */
#include "lib/tally/memory.h"
#include "lib/tally/tally.h"
#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 300, ROUNDS = 200, MS = 1000000, STEP = 20 * MS, STEPS = 2 * BLOCKS };

struct happening {
	bool frees, gone; /* gone: the file does not have it */
	uint64_t seq, address, size;
	int64_t time;
};

struct capture {
	struct happening ev[2 * BLOCKS];
	size_t n;
};

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	return (uint32_t)lcg_below(&seed, n);
}

/* In the order of their numbers. addresses: how many there are; a block takes one that is free. */
static void draw_capture(struct capture *c, uint32_t addresses, uint64_t step)
{
	uint64_t live[BLOCKS], sizes[BLOCKS];
	bool taken[BLOCKS] = {false};
	size_t n = 0, made = 0;
	uint64_t seq = 1 + pick(1000000);
	int64_t time = pick(5) * MS;

	c->n = 0;
	while (made < BLOCKS) {
		struct happening *h = &c->ev[c->n];

		seq += 1 + (step > 1 ? pick((uint32_t)step) : 0);
		time += pick(3) * MS;
		*h = (struct happening){.seq = seq, .time = time};
		if (n && pick(9) < 4) {
			size_t k = pick((uint32_t)n);

			h->frees = true;
			h->address = live[k];
			h->size = sizes[k];
			taken[live[k] - 1] = false;
			live[k] = live[--n];
			sizes[k] = sizes[n];
			c->n++;
			continue;
		}
		for (h->address = 1 + pick(addresses); taken[h->address - 1];)
			h->address = 1 + h->address % addresses;
		if (n + 1 < addresses)
			taken[h->address - 1] = addresses < BLOCKS;
		if (addresses >= BLOCKS)
			h->address = made + 1;
		h->size = 1 + pick(1000);
		live[n] = h->address;
		sizes[n++] = h->size;
		made++;
		c->n++;
		if (n + 1 >= addresses)
			break;
	}
}

static uint64_t naive_peak(const struct capture *c, int64_t *at)
{
	uint64_t live = 0, peak = 0;

	for (size_t i = 0; i < c->n; i++) {
		live += c->ev[i].frees ? -c->ev[i].size : c->ev[i].size;
		if (live > peak) {
			peak = live;
			*at = c->ev[i].time;
		}
	}
	return peak;
}

static void shuffle(struct capture *c)
{
	for (size_t i = c->n - 1; i > 0; i--) {
		size_t k = pick((uint32_t)i + 1);
		struct happening h = c->ev[i];

		c->ev[i] = c->ev[k];
		c->ev[k] = h;
	}
}

/* freed: frees have a number and no time. */
static void push(struct sink *s, const struct capture *c, bool unordered, bool numbers, bool freed)
{
	struct trace *t = trace_new();
	struct err e = ERR_INIT;

	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	t->unordered = unordered;
	CHECK_EQ(s->begin(s, t, &e), ST_OK);
	for (size_t i = 0; i < c->n; i++) {
		const struct happening *h = &c->ev[i];
		struct event ev = {.kind = h->frees ? freed ? EV_FREED : EV_FREE : EV_ALLOC,
				   .has = EV_HAS_ADDRESS | (numbers ? EV_HAS_SEQ : 0),
				   .seq = numbers ? h->seq : 0,
				   .address = h->address,
				   .count = 1};

		if (h->gone)
			continue;
		if (!h->frees) {
			ev.has |= EV_HAS_REQUESTED;
			ev.requested = h->size;
		}
		if (!freed || !h->frees) {
			ev.has |= EV_HAS_TIME;
			ev.time = h->time;
		}
		CHECK_EQ(sink_event(s, t, &ev, &e), ST_OK);
	}
	CHECK_EQ(s->end(s, t, &e), ST_OK);
	trace_free(t);
}

static void play(struct tally_memory *m, const struct capture *c, bool unordered, bool numbers,
		 bool freed)
{
	memory_init(m);
	push(&m->sink, c, unordered, numbers, freed);
}

static enum status take_live(void *arg, struct trace *t, struct tally *a,
			     const struct tally_slice *s, struct err *e)
{
	uint64_t *live = arg;

	(void)t;
	(void)a;
	(void)e;
	if (CHECK(s->kind == SLICE_TIME && s->number >= 0 && s->number < STEPS))
		live[s->number] = s->all[DOMAINS].v[SUM_LIVE_REQUESTED];
	return ST_OK;
}

/* The same of a tally: its totals, and what is live after each step of time. */
static void check_tally(const struct capture *c, bool freed, const uint64_t *want, uint64_t peak,
			int64_t at)
{
	uint64_t live[STEPS];
	struct tally a;
	struct tally_totals totals;
	const struct tally_options o = {.totals = true,
					.slicing = SLICE_TIMES,
					.every = STEP,
					.slice = take_live,
					.slice_arg = live};

	memset(live, 0xff, sizeof live);
	tally_init(&a, &o);
	push(&a.sink, c, true, true, freed);
	if (CHECK(tally_totals(&a, DOMAINS, &totals))) {
		CHECK(!totals.about && !totals.has_temporary);
		CHECK_EQ(totals.peak, peak);
		CHECK_EQ(totals.peak_at, at);
	}
	for (size_t i = 0; i < STEPS; i++)
		CHECK(live[i] == UINT64_MAX || live[i] == want[i]);
	tally_release(&a);
}

/* c is in the order of numbers; freed: a free has the time of the allocation before it. */
static void naive_live(const struct capture *c, bool freed, uint64_t *to)
{
	int64_t time = 0;

	memset(to, 0, STEPS * sizeof *to);
	for (size_t i = 0; i < c->n; i++) {
		const struct happening *h = &c->ev[i];

		time = !h->frees || !freed ? h->time : time;
		to[time / STEP] += h->frees ? -h->size : h->size;
	}
	for (size_t i = 1; i < STEPS; i++)
		to[i] += to[i - 1];
}

/* As a saved .loli has them. */
static void frees_last(struct capture *c)
{
	struct capture sorted = {.n = 0};

	for (int frees = 0; frees < 2; frees++)
		for (size_t i = 0; i < c->n; i++)
			if (c->ev[i].frees == frees)
				sorted.ev[sorted.n++] = c->ev[i];
	*c = sorted;
}

TEST(the_peak_of_any_order)
{
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		struct capture c;
		struct tally_memory m;
		int64_t at = -1;
		uint64_t peak, live[2][STEPS];
		const struct memory_domain *d = &m.domains[DOMAIN_MALLOC];

		seed = round;
		draw_capture(&c, BLOCKS, round % 2 ? 1 : 50);
		peak = naive_peak(&c, &at);
		play(&m, &c, false, true, false);
		CHECK_EQ(d->peak, peak);
		CHECK_EQ(d->peak_at, at);
		memory_release(&m);
		naive_live(&c, false, live[0]);
		naive_live(&c, true, live[1]);
		shuffle(&c);
		for (int freed = 0; freed < 2; freed++) {
			if (freed)
				frees_last(&c);
			check_tally(&c, freed, live[freed], peak, at);
			play(&m, &c, true, true, freed);
			CHECK(!d->peakless && !d->about);
			CHECK_EQ(d->peak, peak);
			CHECK_EQ(d->peak_at, at);
			CHECK(m.timed);
			memory_release(&m);
		}
	}
}

/* Each free but the last of a block is lost, as in a saved .loli: a block lives until its address is taken again, so the
 * peak is at least the true one, and it is called what it is. */
TEST(lost_frees_make_it_a_guess)
{
	uint64_t guesses = 0;

	for (uint64_t round = 1; round <= ROUNDS; round++) {
		struct capture c;
		struct tally_memory m;
		int64_t at;
		uint64_t peak;
		const struct memory_domain *d = &m.domains[DOMAIN_MALLOC];
		bool lost = false;

		seed = round;
		draw_capture(&c, 40, 1);
		peak = naive_peak(&c, &at);
		for (size_t i = 0; i < c.n; i++)
			for (size_t k = i + 1; k < c.n && c.ev[i].frees; k++)
				c.ev[i].gone |= c.ev[k].frees && c.ev[k].address == c.ev[i].address;
		for (size_t i = 0; i < c.n; i++)
			lost |= c.ev[i].gone;
		play(&m, &c, true, true, true);
		CHECK(d->about == lost && !d->peakless);
		CHECK(d->peak >= peak);
		guesses += d->peak > peak;
		memory_release(&m);
	}
	CHECK(guesses > 0);
}

TEST(without_numbers_there_is_none)
{
	struct capture c;
	struct tally_memory m;

	seed = 7;
	draw_capture(&c, BLOCKS, 1);
	play(&m, &c, true, false, false);
	CHECK(m.domains[DOMAIN_MALLOC].peakless);
	CHECK(!m.timed);
	memory_release(&m);
}

/* Numbers further apart than there are windows: what is live at the end of each window is exact. */
TEST(numbers_far_apart)
{
	const uint64_t seqs[] = {5, 6, (uint64_t)1 << 40, ((uint64_t)1 << 40) + 1, UINT64_MAX, 0};
	struct live_curve c = {.n = 0};

	for (size_t i = 0; i < sizeof seqs / sizeof *seqs; i++) {
		live_curve_add(&c, seqs[i], 1, true, (int64_t)i);
		CHECK(c.n <= LIVE_WINDOWS);
	}
	CHECK(!live_curve_exact(&c) && live_curve_known(&c));
	live_curve_release(&c);
	for (uint64_t i = 0; i < 3000; i++) /* down, and up again */
		live_curve_add(&c, i % 2 ? 1000000 + i : 1000000 - i, 1, true, (int64_t)i);
	CHECK(live_curve_exact(&c));
	live_curve_release(&c);
}

TEST_MAIN()
