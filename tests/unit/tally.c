/* SPDX-License-Identifier: MIT
 *
 * Totals and peaks of small captures pushed by hand: times at the ends of 64 bits, and calls beside
 * allocations, which have no peak.
 */
#include "lib/tally/tally.h"
#include "tests/unit/test.h"

static void alloc_at(struct tally *a, struct trace *t, int64_t time, uint64_t address,
		     uint64_t size)
{
	struct err e = ERR_INIT;
	struct event ev = {.kind = EV_ALLOC,
			   .has = EV_HAS_TIME | EV_HAS_ADDRESS | EV_HAS_REQUESTED,
			   .time = time,
			   .address = address,
			   .requested = size,
			   .count = 1};

	CHECK_EQ(sink_event(&a->sink, t, &ev, &e), ST_OK);
}

static struct trace *begin(struct tally *a, const struct tally_options *o)
{
	struct trace *t = trace_new();
	struct err e = ERR_INIT;

	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	tally_init(a, o);
	CHECK_EQ(a->sink.begin(&a->sink, t, &e), ST_OK);
	return t;
}

static void end(struct tally *a, struct trace *t)
{
	struct err e = ERR_INIT;

	CHECK_EQ(a->sink.end(&a->sink, t, &e), ST_OK);
}

/* A peak's time is its event's own, which --time takes. */
TEST(peaks_at_the_ends_of_time)
{
	static const struct {
		int64_t first, peak;
	} cases[] = {{10, 25},         {-5, 5},         {INT64_MIN, INT64_MAX},
		     {-10, INT64_MAX}, {INT64_MIN, -1}, {INT64_MIN, 0}};
	const struct tally_options o = {.totals = true};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tally a;
		struct tally_totals totals;
		struct trace *t = begin(&a, &o);

		alloc_at(&a, t, cases[i].first, 0x10, 1);
		alloc_at(&a, t, cases[i].peak, 0x20, 2);
		end(&a, t);
		CHECK(tally_totals(&a, DOMAINS, &totals));
		CHECK_EQ(totals.peak, 3);
		CHECK_EQ(totals.peak_at, cases[i].peak);
		tally_release(&a);
		trace_free(t);
	}
}

static bool no_caller(void *arg, const struct trace *t, uint32_t location)
{
	(void)arg;
	(void)t;
	(void)location;
	return false;
}

static void entered(void *arg, const struct trace *t, uint32_t thread, uint32_t cell)
{
	(void)arg;
	(void)t;
	(void)thread;
	(void)cell;
}

static void ended(void *arg, uint32_t thread, uint32_t cell, const struct open_call *call,
		  bool outermost)
{
	(void)arg;
	(void)thread;
	(void)cell;
	(void)call;
	(void)outermost;
}

/* Both kinds of cells of calls, with paths and without; the allocations have their peak, 3 bytes. */
TEST(calls_have_no_peak)
{
	static const struct tally_listener to = {
	    .needs_caller = no_caller, .entered = entered, .ended = ended};

	for (int listens = 0; listens < 2; listens++) {
		const struct tally_options o = {.want = SUMS_ALL, .listener = listens ? &to : NULL};
		struct tally a;
		struct err e = ERR_INIT;
		struct trace *t = begin(&a, &o);
		uint64_t peak = 0;

		alloc_at(&a, t, 1, 0x10, 1);
		for (uint8_t kind = EV_ENTER; kind <= EV_EXIT; kind++) {
			struct event ev = {
			    .kind = kind, .has = EV_HAS_TIME, .time = kind, .count = 1};

			CHECK_EQ(sink_event(&a.sink, t, &ev, &e), ST_OK);
		}
		alloc_at(&a, t, 9, 0x20, 2);
		end(&a, t);
		for (size_t i = 0; i < a.n_cells; i++) {
			struct tally_sums s;

			tally_sums(&a, i, &s);
			peak += s.v[SUM_PEAK_REQUESTED];
			CHECK(!(s.has & SUMS_PEAK) == (a.cells[i].domain >= CELL_TIMED));
		}
		CHECK_EQ(peak, 3);
		tally_release(&a);
		trace_free(t);
	}
}

TEST_MAIN()
