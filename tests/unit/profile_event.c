/* SPDX-License-Identifier: MIT
 *
 * EV_PROFILE: the sums of blocks that a profile lists are those of allocations, each with an address of its
 * own, of which some are freed at once.
 */
#include "lib/tally/memory.h"
#include "lib/tally/tally.h"
#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

#include <string.h>

enum { STACKS = 5, EVENTS = 120, SLICES_SEEN = 64, LISTED = 1 << 20 };

struct summed {
	struct tally_sums stacks[DOMAINS][STACKS + 1];
	struct tally_totals totals[DOMAINS + 1];
	bool known[DOMAINS + 1];
	struct tally_sums slices[SLICES_SEEN][DOMAINS + 1];
	size_t n_slices;
	uint8_t states[SUMS];
	uint64_t records[DOMAINS], unselected;
	struct memory_domain memory[DOMAINS];
	uint64_t lost, unfollowed;
};

static enum status take_sums(void *arg, struct trace *t, struct tally *a, struct err *e)
{
	struct summed *s = arg;

	(void)e;
	for (size_t i = 0; i < a->n_cells; i++)
		tally_sums(a, i, &s->stacks[a->cells[i].domain][a->cells[i].stack]);
	for (unsigned d = 0; d <= DOMAINS; d++)
		s->known[d] = tally_totals(a, d, &s->totals[d]);
	tally_states(a, t, DOMAINS, s->states);
	memcpy(s->records, a->records, sizeof s->records);
	s->unselected = a->unselected;
	return ST_OK;
}

static enum status take_slice(void *arg, struct trace *t, struct tally *a,
			      const struct tally_slice *slice, struct err *e)
{
	struct summed *s = arg;

	(void)t, (void)a, (void)e;
	if (s->n_slices < SLICES_SEEN)
		memcpy(s->slices[s->n_slices++], slice->all, sizeof slice->all);
	return ST_OK;
}

/* A row as an event of its own, or as an allocation that nothing else has the address of, and its end. */
static void push_row(struct sink *sink, struct trace *t, struct event ev, bool as_pair, uint64_t n,
		     uint64_t *seq)
{
	struct event end = {.kind = EV_FREED,
			    .has = EV_HAS_ADDRESS | EV_HAS_SEQ | EV_HAS_DOMAIN,
			    .domain = ev.domain,
			    .address = LISTED + n,
			    .seq = *seq + 2};
	bool known = ev.has & EV_HAS_VALUE, freed = known && ev.value == PROFILE_FREED;
	struct err e = ERR_INIT;

	if (as_pair) {
		ev.kind = EV_ALLOC;
		ev.has &= (uint16_t)~EV_HAS_VALUE;
		ev.has |= known ? EV_HAS_ADDRESS | EV_HAS_SEQ : 0;
		ev.address = known ? end.address : 0;
		ev.seq = *seq + 1;
	}
	CHECK(!sink_event(sink, t, &ev, &e));
	if (as_pair && freed)
		CHECK(!sink_event(sink, t, &end, &e));
	*seq += 1u + freed;
}

static void push_all(struct sink *sink, struct trace *t, uint64_t seed, bool as_pairs, bool timed)
{
	uint64_t seq = 0;
	struct err e = ERR_INIT;

	CHECK(!sink->begin(sink, t, &e));
	for (uint64_t i = 0; i < EVENTS; i++) {
		struct event ev = {.kind = EV_PROFILE,
				   .has = EV_HAS_COUNT | EV_HAS_REQUESTED | EV_HAS_DOMAIN,
				   .stack = (uint32_t)lcg_below(&seed, STACKS + 1),
				   .domain = (uint8_t)lcg_below(&seed, 2),
				   .count = 1 + lcg_below(&seed, 9),
				   .requested = lcg_below(&seed, 1000),
				   .value = (int64_t)lcg_below(&seed, 2),
				   .time = (int64_t)i};

		ev.has |= ev.stack ? EV_HAS_STACK : 0;
		ev.has |= timed && lcg_below(&seed, 3) ? EV_HAS_TIME : 0;
		ev.real = ev.requested + lcg_below(&seed, 16);
		ev.has |= lcg_below(&seed, 5) ? EV_HAS_REAL : 0;
		switch (lcg_below(&seed, 6)) {
		default: ev.has |= EV_HAS_VALUE; /* fall through */
		case 0: push_row(sink, t, ev, as_pairs, i, &seq); continue;
		case 1: ev.kind = EV_ALLOC; break;
		case 2: ev.kind = EV_FREE; break;
		}
		ev.has |= EV_HAS_ADDRESS | EV_HAS_SEQ;
		ev.address = 1 + lcg_below(&seed, 9);
		ev.seq = ++seq;
		CHECK(!sink_event(sink, t, &ev, &e));
	}
	CHECK(!sink->end(sink, t, &e));
}

static struct trace *profile_trace(bool unordered)
{
	struct trace *t = trace_new();

	for (uint32_t i = 0; i < STACKS; i++)
		trace_stack(t, 0, trace_location(t, &(struct location){.raw = i + 1}));
	for (unsigned m = METRIC_COUNT; m <= METRIC_REAL; m++)
		trace_metric(t, (enum metric)m, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	t->unordered = unordered;
	return t;
}

static void add_up(struct summed *s, uint64_t seed, const struct tally_options *o, bool as_pairs,
		   bool unordered)
{
	struct tally_options options = *o;
	struct trace *t = profile_trace(unordered);
	struct tally_memory m;
	struct tally a;

	memset(s, 0, sizeof *s);
	options.done = take_sums;
	options.slice = take_slice;
	options.arg = options.slice_arg = s;
	tally_init(&a, &options);
	push_all(&a.sink, t, seed, as_pairs, seed % 3);
	tally_release(&a);
	trace_free(t);
	t = profile_trace(unordered);
	memory_init(&m);
	push_all(&m.sink, t, seed, as_pairs, seed % 3);
	memcpy(s->memory, m.domains, sizeof s->memory);
	s->lost = m.lost;
	s->unfollowed = t->n_notes;
	memory_release(&m);
	trace_free(t);
}

static void check_sums(const struct tally_sums *a, const struct tally_sums *b)
{
	CHECK_EQ(a->has, b->has);
	for (size_t k = 0; k < SUMS; k++)
		if (a->has >> k & 1)
			CHECK_EQ(a->v[k], b->v[k]);
}

static void check_memory(const struct memory_domain *a, const struct memory_domain *b,
			 bool unordered)
{
	CHECK_EQ(a->count, b->count);
	CHECK_EQ(a->live_count, b->live_count);
	CHECK(a->live == b->live && a->peak == b->peak && a->live_sized == b->live_sized);
	CHECK_EQ(a->peak_at, b->peak_at);
	CHECK(!memcmp(a->classes, b->classes, sizeof a->classes));
	for (size_t i = 0; unordered && i < MEMORY_POINTS; i++)
		CHECK(a->points[i].known == b->points[i].known &&
		      a->points[i].most == b->points[i].most &&
		      a->points[i].last == b->points[i].last);
}

static void check_same(const struct tally_options *o)
{
	static struct summed rows, pairs;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		bool unordered = seed & 1;

		add_up(&rows, seed, o, false, unordered);
		add_up(&pairs, seed, o, true, unordered);
		for (unsigned d = 0; d < DOMAINS; d++) {
			CHECK_EQ(rows.records[d], pairs.records[d]);
			for (size_t i = 0; i <= STACKS; i++)
				check_sums(&rows.stacks[d][i], &pairs.stacks[d][i]);
			check_memory(&rows.memory[d], &pairs.memory[d], unordered);
		}
		for (unsigned d = 0; d <= DOMAINS; d++) {
			CHECK_EQ(rows.known[d], pairs.known[d]);
			CHECK_EQ(rows.totals[d].live, pairs.totals[d].live);
			CHECK_EQ(rows.totals[d].live_count, pairs.totals[d].live_count);
			CHECK_EQ(rows.totals[d].peak, pairs.totals[d].peak);
			CHECK_EQ(rows.totals[d].peak_at, pairs.totals[d].peak_at);
			CHECK_EQ(rows.totals[d].temporary, pairs.totals[d].temporary);
			for (size_t i = 0; i < pairs.n_slices; i++)
				check_sums(&rows.slices[i][d], &pairs.slices[i][d]);
		}
		CHECK_EQ(rows.n_slices, pairs.n_slices);
		CHECK(!memcmp(rows.states, pairs.states, sizeof rows.states));
		CHECK_EQ(rows.unselected, pairs.unselected);
		CHECK_EQ(rows.lost, pairs.lost);
		CHECK_EQ(rows.unfollowed, pairs.unfollowed);
	}
}

TEST(sums_of_a_ranking)
{
	check_same(&(struct tally_options){.totals = true});
	check_same(&(struct tally_options){.want = SUM_BIT(SUM_COUNT)});
}

TEST(peaks_temporary_and_freed_blocks)
{
	check_same(&(struct tally_options){.totals = true, .want = (1u << SUM_SLACK) - 1});
	check_same(&(struct tally_options){.domains_together = true,
					   .want = SUMS_LIVE | SUMS_FREED | SUMS_PEAK |
						   SUMS_LIFETIME | SUM_BIT(SUM_TEMPORARY) |
						   SUM_BIT(SUM_COUNT)});
}

TEST(steps_of_time)
{
	check_same(&(struct tally_options){.totals = true, .slicing = SLICE_TIMES, .every = 10});
}

TEST(a_selection)
{
	struct tally_selection s;
	struct err e = ERR_INIT;

	selection_init(&s);
	CHECK(!selection_sizes(&s, "100..500", &e));
	check_same(&(struct tally_options){.selection = &s, .totals = true});
	selection_release(&s);
	selection_init(&s);
	CHECK(!selection_times(&s, "20ns..70ns", &e));
	check_same(&(struct tally_options){.selection = &s, .totals = true});
	selection_release(&s);
}

/* One row may have more blocks than one live block stands for. */
TEST(more_blocks_than_a_block_counts)
{
	struct trace *t = profile_trace(true);
	struct err e = ERR_INIT;
	struct summed s = {.n_slices = 0};
	struct tally_options o = {.done = take_sums, .arg = &s, .totals = true};
	struct event ev = {.kind = EV_PROFILE,
			   .has = EV_HAS_COUNT | EV_HAS_REQUESTED | EV_HAS_VALUE,
			   .count = 7000000000,
			   .requested = 70000000000,
			   .value = PROFILE_LIVE};
	struct tally a;

	tally_init(&a, &o);
	CHECK(!a.sink.begin(&a.sink, t, &e));
	CHECK(!sink_event(&a.sink, t, &ev, &e));
	CHECK(!a.sink.end(&a.sink, t, &e));
	CHECK_EQ(s.stacks[0][0].v[SUM_LIVE_COUNT], 7000000000);
	CHECK_EQ(s.stacks[0][0].v[SUM_LIVE_REQUESTED], 70000000000);
	CHECK_EQ(s.stacks[0][0].v[SUM_ENTRIES], 1);
	tally_release(&a);
	trace_free(t);
}

TEST_MAIN()
