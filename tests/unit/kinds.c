/* SPDX-License-Identifier: MIT
 *
 * kinds.c and blocks.c: the sums of blocks of which only the kind is known are those of the events
 * that they stand for.
 */
#include "lib/tally/kinds.h"

#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

enum { KINDS = 12, STACKS = 5, BATCHES = 40, MOVES = 50 };

struct summed {
	struct tally_sums stacks[STACKS + 1];
	struct tally_totals totals;
	uint64_t events[EV_KINDS], records;
	bool known;
};

static enum status take_sums(void *arg, struct trace *t, struct tally *a, struct err *e)
{
	struct summed *s = arg;

	(void)e;
	for (size_t i = 0; i < a->n_cells; i++)
		tally_sums(a, i, &s->stacks[a->cells[i].stack]);
	s->known = tally_totals(a, DOMAINS, &s->totals);
	s->records = a->records[DOMAIN_MALLOC];
	memcpy(s->events, t->events, sizeof s->events);
	return ST_OK;
}

static struct trace *stacks_trace(void)
{
	struct trace *t = trace_new();

	for (uint32_t i = 0; i < STACKS; i++)
		trace_stack(t, 0, trace_location(t, &(struct location){.raw = i + 1}));
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	return t;
}

static uint64_t size_of_kind(uint32_t kind)
{
	return kind < 3 ? kind * 8 : 1 + (kind * 37) % 200; /* of the first, none */
}

/* The same moves for the same seed. */
static struct summed add_up(uint64_t seed, const struct tally_options *o, bool as_events)
{
	struct summed s = {.records = 0};
	struct tally_options options = *o;
	struct block_kind kinds[KINDS];
	struct trace *t = stacks_trace();
	struct err e = ERR_INIT;
	struct tally a;

	options.done = take_sums;
	options.arg = &s;
	tally_init(&a, &options);
	CHECK(sink_wants(&a.sink, t) & SINK_WANTS_MOVES);
	if (as_events)
		a.sink.wants = NULL;
	for (uint32_t i = 0; i < KINDS; i++)
		kinds[i] = (struct block_kind){size_of_kind(i), i % (STACKS + 1), 0};
	CHECK(!a.sink.begin(&a.sink, t, &e));
	for (size_t i = 0; i < BATCHES; i++) {
		uint32_t moves[MOVES];
		struct sink_blocks b = {.kinds = kinds,
					.n_kinds = KINDS,
					.moves = moves,
					.n = lcg_below(&seed, MOVES + 1),
					.time = (int64_t)i * 1000};

		for (size_t k = 0; k < b.n; k++) {
			uint32_t kind = (uint32_t)lcg_below(&seed, KINDS);
			bool freed = kinds[kind].live && lcg_below(&seed, 5) < 3;

			kinds[kind].live += freed ? -1u : 1;
			moves[k] = kind << 1 | freed;
			b.n_freed += freed;
		}
		CHECK(!sink_blocks(&a.sink, t, &b, &e));
	}
	CHECK(!a.sink.end(&a.sink, t, &e));
	tally_release(&a);
	trace_free(t);
	return s;
}

static void check_same(const struct tally_options *o)
{
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct summed kinds = add_up(seed, o, false), events = add_up(seed, o, true);

		CHECK_EQ(kinds.records, events.records);
		CHECK_EQ(kinds.events[EV_ALLOC], events.events[EV_ALLOC]);
		CHECK_EQ(kinds.events[EV_FREE], events.events[EV_FREE]);
		CHECK_EQ(kinds.known, events.known);
		CHECK_EQ(kinds.totals.live, events.totals.live);
		CHECK_EQ(kinds.totals.live_count, events.totals.live_count);
		CHECK_EQ(kinds.totals.peak, events.totals.peak);
		CHECK_EQ(kinds.totals.peak_at, events.totals.peak_at);
		CHECK_EQ(kinds.totals.temporary, events.totals.temporary);
		for (size_t i = 0; i <= STACKS; i++) {
			CHECK_EQ(kinds.stacks[i].has, events.stacks[i].has);
			for (size_t k = 0; k < SUMS; k++)
				if (kinds.stacks[i].has >> k & 1)
					CHECK_EQ(kinds.stacks[i].v[k], events.stacks[i].v[k]);
		}
	}
}

TEST(sums_of_a_ranking)
{
	check_same(&(struct tally_options){.totals = true});
}

/* Such a capture has no frames, so that slices which begin with the first mark are none. */
TEST(slices_of_marked_frames)
{
	check_same(
	    &(struct tally_options){.totals = true, .slicing = SLICE_FRAMES, .slice_marked = true});
}

TEST(peaks_temporary_and_freed_blocks)
{
	check_same(&(struct tally_options){.totals = true,
					   .want = SUMS_LIVE | SUMS_FREED | SUMS_PEAK |
						   SUM_BIT(SUM_TEMPORARY) | SUM_BIT(SUM_COUNT) |
						   SUM_BIT(SUM_REQUESTED)});
	check_same(&(struct tally_options){.want = SUM_BIT(SUM_TEMPORARY)});
	check_same(&(struct tally_options){.want = SUM_BIT(SUM_COUNT)});
}

/* What kinds do not say: times of single blocks, parts of the capture. */
TEST(others_take_events)
{
	static const struct tally_selection all;
	const struct tally_options not [] = {
	    {.want = SUMS_LIFETIME}, {.slicing = SLICE_FRAMES}, {.selection = &all}};

	for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
		struct tally a;

		tally_init(&a, &not [i]);
		CHECK(!(sink_wants(&a.sink, NULL) & SINK_WANTS_MOVES));
		tally_release(&a);
	}
}

TEST_MAIN()
