/* SPDX-License-Identifier: MIT
 *
 * Standard errors of sampled recordings (lib/tally/sampled.h), by simulation: the recorder's own sampler over
 * the same blocks with 600 seeds. What is printed as the standard error is what the estimates scatter by, the
 * truth lies within two of them as often as a normal distribution says (95.4 %; 88 to 99 % are let pass), and
 * of nothing that was recorded there is less than 3 intervals in 95 %.
 */
#include "lib/tally/sampled.h"

#include "lib/recorder/base/sample.h"
#include "lib/tally/tally.h"
#include "tests/unit/test.h"

#include <math.h>

enum { SEEDS = 600, BLOCKS = 3000, INTERVAL = 16384 };

static struct tally_totals totals;
static struct tally_sums sums;

static enum status keep(void *arg, struct trace *t, struct tally *a, struct err *e)
{
	struct tally_sums s;

	(void)arg, (void)t, (void)e;
	sums = (struct tally_sums){.has = 0};
	for (size_t i = 0; i < a->n_cells; i++) {
		tally_sums(a, i, &s);
		sums_add(&sums, &s);
	}
	return tally_totals(a, DOMAIN_MALLOC, &totals) ? ST_OK : ST_BAD;
}

/* From 256 bytes to 512 KiB, and every third block is live at the end. */
static uint64_t size_of(unsigned i)
{
	return (uint64_t)256 << (i % 12);
}

static void record(uint64_t seed)
{
	struct tally_options o = {.totals = true, .done = keep};
	struct trace *t = trace_new();
	struct err e = ERR_INIT;
	struct tally a;
	int64_t until = 0;

	for (enum metric m = METRIC_COUNT; m <= METRIC_LIVE; m++)
		if (m != METRIC_REAL)
			trace_metric(t, m, METRIC_ESTIMATED, METRIC_AT_ALL);
	trace_set(t, TRACE_SAMPLE_INTERVAL, "16384");
	tally_init(&a, &o);
	CHECK_EQ(a.sink.begin(&a.sink, t, &e), ST_OK);
	for (unsigned i = 0; i < BLOCKS; i++) {
		struct event ev = {.kind = EV_ALLOC,
				   .has = EV_HAS_COUNT | EV_HAS_REQUESTED | EV_HAS_ADDRESS,
				   .address = 4096 + i};

		if (!cap_sample_hit(&until, &seed, size_of(i), INTERVAL))
			continue;
		ev.count = cap_sample_weight(&seed, size_of(i), INTERVAL);
		ev.requested = ev.count * size_of(i);
		CHECK_EQ(sink_event(&a.sink, t, &ev, &e), ST_OK);
		ev.kind = EV_FREE;
		ev.has = EV_HAS_ADDRESS;
		if (i % 3)
			CHECK_EQ(sink_event(&a.sink, t, &ev, &e), ST_OK);
	}
	CHECK_EQ(a.sink.end(&a.sink, t, &e), ST_OK);
	tally_release(&a);
	trace_free(t);
}

struct scatter {
	double sum, squares, variance, within;
};

static void see(struct scatter *s, double estimate, double truth, double variance)
{
	s->sum += estimate - truth;
	s->squares += (estimate - truth) * (estimate - truth);
	s->variance += variance;
	s->within += fabs(estimate - truth) <= 2 * sqrt(variance);
}

TEST(standard_errors)
{
	double blocks = BLOCKS, bytes = 0, live_blocks = 0, live = 0;
	struct scatter s[4] = {{0, 0, 0, 0}};

	for (unsigned i = 0; i < BLOCKS; i++) {
		bytes += (double)size_of(i);
		live_blocks += !(i % 3);
		live += i % 3 ? 0 : (double)size_of(i);
	}
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		record(seed * 0x9e3779b97f4a7c15u);
		see(&s[0], (double)sums.v[SUM_COUNT], blocks, totals.all_variance.v[0]);
		see(&s[1], (double)sums.v[SUM_REQUESTED], bytes, totals.all_variance.v[1]);
		see(&s[2], (double)totals.live_count, live_blocks, totals.live_variance.v[0]);
		see(&s[3], (double)totals.live, live, totals.live_variance.v[1]);
		/* What a row can say from its bytes alone: not less. */
		CHECK(totals.all_variance.v[1] <= 1.1 * (double)sums.v[SUM_REQUESTED] * INTERVAL);
	}
	for (unsigned i = 0; i < 4; i++) {
		/* No bias: five standard errors of the mean. The scatter is known to 1 / sqrt(2 n) = 2.9 %. */
		CHECK(fabs(s[i].sum) < 5 * sqrt(s[i].squares));
		CHECK(fabs(sqrt(s[i].variance / s[i].squares) - 1) < 0.15);
		/* Few small blocks are hit, and each stands for many: what is estimated is skewed. */
		CHECK(s[i].within > 0.88 * SEEDS && s[i].within <= 0.99 * SEEDS);
	}
}

/* 3 x 16,384 bytes in blocks of 32: nothing of them is recorded in exp(-3) = 4.98 % of 20,000 recordings, and
 * 0.15 % is their standard error. */
TEST(nothing_was_recorded)
{
	uint64_t random = 7;
	unsigned nothing = 0;

	CHECK_EQ(sampled_nothing(INTERVAL), 3 * INTERVAL);
	for (unsigned i = 0; i < 20000; i++) {
		int64_t until = 0;
		bool hit = false;

		for (unsigned k = 0; k < 3 * INTERVAL / 32; k++)
			hit |= cap_sample_hit(&until, &random, 32, INTERVAL);
		nothing += !hit;
	}
	CHECK(nothing > 20000 * 0.0423 && nothing < 20000 * 0.0573);
}

TEST_MAIN()
