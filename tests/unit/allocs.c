/* SPDX-License-Identifier: MIT
 *
 * allocs.c and event_columns_read.c: allocations that come as columns add up to what they add up to
 * as events.
 */
#include "lib/tally/allocs.h"

#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/trace/event_columns.h"
#include "lib/trace/writer.h"
#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

#include <stdlib.h>

enum { STACKS = 9, TYPES = 4, THREADS = 3, EVENTS = 3 * EVENT_COLUMNS_EVENTS + 1000 };

/* What is written: the fields of allocations and of frees, how rare other events are. */
struct written {
	unsigned fields, other_fields, free_fields; /* other: of every third allocation */
	uint64_t frames;                            /* one in so many */
	uint64_t freed;           /* of frees, one in so many is EV_FREED; 0: nine */
	bool live, unordered;     /* live: frees are matched */
	unsigned odd_free_fields; /* of every fifth free, where not 0 */
	bool alone;               /* nothing but allocations */
};

struct added {
	struct tally_sums cells[(STACKS + 1) * (TYPES + 1) * (THREADS + 1) * DOMAINS];
	struct tally_sums slices; /* of all cells of all slices, each times its number */
	struct tally_frame worst[DOMAINS][SUM_REAL + 1];
	uint64_t events[EV_KINDS], records[DOMAINS], frames, n_slices;
	uint64_t without[2][DOMAINS + 1], without_address;
	int64_t first, last;
	bool has_time;
	struct tally_totals totals[DOMAINS + 1];
	uint64_t lost, unknown;
	bool followed[DOMAINS + 1];
};

static size_t taken; /* allocations that came as columns */

static enum status (*tally_takes)(struct sink *s, struct trace *t, const struct sink_batch *b,
				  struct err *e);

static enum status take(struct sink *s, struct trace *t, const struct sink_batch *b, struct err *e)
{
	CHECK(b->n <= EVENT_COLUMNS_BATCH);
	CHECK(!b->columns || b->n == b->columns->n + b->columns->n_free + b->columns->n_freed);
	taken += b->columns ? b->columns->n : 0;
	return tally_takes(s, t, b, e);
}

static void add_times(struct tally_sums *to, const struct tally_sums *s, uint64_t times)
{
	for (size_t i = 0; i < SUMS; i++)
		to->v[i] += s->has >> i & 1 ? s->v[i] * times : 0;
	to->has |= s->has;
}

static enum status take_slice(void *arg, struct trace *t, struct tally *a,
			      const struct tally_slice *slice, struct err *e)
{
	struct added *to = arg;

	(void)t;
	(void)e;
	to->n_slices++;
	for (size_t i = 0; i < slice->n_cells; i++) {
		struct tally_sums s;

		tally_slice_sums(a, i, &s);
		add_times(&to->slices, &s, slice->index + 1);
	}
	add_times(&to->slices, &slice->all[DOMAINS], slice->index + 3);
	return ST_OK;
}

static enum status take_cells(void *arg, struct trace *t, struct tally *a, struct err *e)
{
	struct added *to = arg;

	(void)e;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct tally_cell *c = &a->cells[i];

		tally_sums(
		    a, i,
		    &to->cells[((c->stack * (TYPES + 1) + c->type) * (THREADS + 1) + c->thread) *
				   DOMAINS +
			       c->domain]);
	}
	memcpy(to->worst, a->worst, sizeof to->worst);
	memcpy(to->events, t->events, sizeof to->events);
	memcpy(to->records, a->records, sizeof to->records);
	memcpy(to->without[0], a->without_requested, sizeof to->without[0]);
	memcpy(to->without[1], a->without_real, sizeof to->without[1]);
	to->without_address = a->without_address[DOMAINS];
	to->frames = extent_frames(&a->extent, t);
	to->first = a->extent.first;
	to->last = a->extent.last;
	to->has_time = a->has_time;
	to->lost = a->live.lost_frees;
	to->unknown = a->live.unknown_frees;
	memcpy(to->followed, a->followed, sizeof to->followed);
	for (unsigned d = 0; d <= DOMAINS; d++) { /* without what is between members */
		struct tally_totals x = {.live = 0}, *y = &to->totals[d];

		tally_totals(a, d, &x);
		y->bytes = x.bytes;
		y->live_count = x.live_count;
		y->live = x.live;
		y->temporary = x.temporary;
		y->peak = x.peak;
		y->has_temporary = x.has_temporary;
		y->about = x.about;
		y->peak_at = x.peak_at;
	}
	return ST_OK;
}

static struct event event_of(const struct written *w, uint64_t *seed, uint64_t i)
{
	struct event ev = {.kind = EV_ALLOC, .has = (uint16_t)w->fields};

	if (w->frames && !lcg_below(seed, w->frames))
		return (struct event){.kind = EV_FRAME,
				      .has = EV_HAS_VALUE | EV_HAS_TIME,
				      .value = (int64_t)i,
				      .time = (int64_t)(i * 3),
				      .count = 1};
	if (i % 3 == 1)
		ev.has = (uint16_t)w->other_fields;
	if (!w->alone && !lcg_below(seed, 3)) {
		ev.kind = lcg_below(seed, w->freed ? w->freed : 9) ? EV_FREE : EV_FREED;
		ev.has = (uint16_t)w->free_fields;
		if (w->odd_free_fields && i % 5 == 0)
			ev.has = (uint16_t)w->odd_free_fields;
	}
	ev.count = ev.has & EV_HAS_COUNT ? 1 + lcg_below(seed, 1000) : 1;
	ev.seq = ev.has & EV_HAS_SEQ ? i + 1 : 0;
	/* One in 5000 is 0. */
	ev.address = ev.has & EV_HAS_ADDRESS ? 16 * lcg_below(seed, 5000) : 0;
	/* Now and then sums saturate. */
	ev.requested = ev.has & EV_HAS_REQUESTED ? UINT64_MAX >> lcg_below(seed, 64) : 0;
	ev.real = ev.has & EV_HAS_REAL ? lcg_below(seed, 3000) : 0;
	ev.type = ev.has & EV_HAS_TYPE ? (uint32_t)lcg_below(seed, TYPES + 1) : 0;
	ev.stack = ev.has & EV_HAS_STACK ? (uint32_t)lcg_below(seed, STACKS + 1) : 0;
	ev.time = ev.has & EV_HAS_TIME ? (int64_t)(i * 3 - lcg_below(seed, 40)) : 0;
	ev.thread = ev.has & EV_HAS_THREAD ? (uint32_t)lcg_below(seed, THREADS + 1) : 0;
	ev.domain = ev.has & EV_HAS_DOMAIN ? (uint8_t)lcg_below(seed, DOMAINS) : 0;
	return ev;
}

static void write_trace(FILE *f, const struct written *w)
{
	struct writer *writer = writer_new(f);
	struct sink *to = writer_sink(writer);
	struct trace *t = trace_new();
	struct err e = ERR_INIT;
	uint64_t seed = 7;

	for (uint32_t i = 0; i < STACKS; i++)
		trace_stack(t, 0, trace_location(t, &(struct location){.raw = i + 1}));
	for (uint32_t i = 0; i < TYPES; i++)
		trace_type(t, &"abcdefgh"[i], 1);
	for (uint32_t i = 0; i < THREADS; i++)
		trace_thread(t, &(struct thread){.tid = i + 1});
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REAL, METRIC_EXACT, METRIC_AT_ALL);
	if (w->live)
		trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	t->unordered = w->unordered;
	CHECK(!to->begin(to, t, &e));
	for (uint64_t i = 0; i < EVENTS; i++) {
		struct event ev = event_of(w, &seed, i + 50);

		CHECK(!sink_event(to, t, &ev, &e));
	}
	CHECK(!to->end(to, t, &e));
	writer_free(writer);
	trace_free(t);
}

static void add_up(const char *bytes, size_t n, const struct tally_options *o, bool as_events,
		   struct added *to)
{
	static const struct import_options options = {.format = "trace"};
	struct tally_options mine = *o;
	struct err e = ERR_INIT;
	struct input in;
	struct tally a;
	bool lossy;

	memset(to, 0, sizeof *to);
	mine.done = take_cells;
	mine.slice = take_slice;
	mine.arg = mine.slice_arg = to;
	tally_init(&a, &mine);
	CHECK(a.sink.wants != NULL);
	tally_takes = a.sink.batch;
	a.sink.batch = take;
	if (as_events)
		a.sink.wants = NULL;
	input_memory(&in, "test", bytes, n, &e);
	CHECK(!capture_read(&in, &options, &a.sink, &lossy, &e));
	input_close(&in);
	tally_release(&a);
}

/* some: not all allocations come as columns. */
static void check_same(const struct written *w, bool some)
{
	static const struct tally_options options[] = {
	    {.want = SUM_BIT(SUM_COUNT) | SUM_BIT(SUM_REQUESTED)},
	    {.want = SUM_BIT(SUM_SLACK) | SUM_BIT(SUM_REAL), .split = SPLIT_THREAD},
	    {.want = SUMS_ALL, .slicing = SLICE_FRAMES, .slice_cells = true},
	    {.want = SUMS_ALL, .slicing = SLICE_FRAMES, .split = SPLIT_THREAD},
	    {.want = SUMS_ALL, .slicing = SLICE_TIMES, .every = 100, .slice_cells = true},
	    {.want = SUM_BIT(SUM_COUNT), .slicing = SLICE_TIMES, .every = 1000},
	    {.want = SUMS_ALL, .domains_together = true},
	    {.want = TALLY_TOP, .totals = true},
	    {.want = SUMS_LIVE},
	};
	struct added *columns = mem_alloc(sizeof *columns), *events = mem_alloc(sizeof *events);
	char *bytes = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&bytes, &n);

	CHECK(f != NULL);
	write_trace(f, w);
	CHECK(!fclose(f));
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		taken = 0;
		add_up(bytes, n, &options[i], false, columns);
		/* Times of calls and matched frees are looked at; the others count frees. */
		if (!w->live || options[i].want & SUMS_MATCHED)
			CHECK_EQ(taken > EVENTS / 9, some);
		add_up(bytes, n, &options[i], true, events);
		CHECK(columns->events[EV_ALLOC] > 0);
		CHECK(!memcmp(columns, events, sizeof *columns));
	}
	free(bytes);
	free(columns);
	free(events);
}

enum { PLAIN = EV_HAS_STACK | EV_HAS_REQUESTED | EV_HAS_TIME };

TEST(allocations_of_the_same_fields)
{
	check_same(&(struct written){.fields = PLAIN,
				     .other_fields = PLAIN,
				     .free_fields = EV_HAS_ADDRESS},
		   true);
	check_same(
	    &(struct written){
		.fields = EV_FIELDS & ~(EV_HAS_VALUE | EV_HAS_NAME | EV_HAS_TARGET),
		.other_fields = EV_FIELDS & ~(EV_HAS_VALUE | EV_HAS_NAME | EV_HAS_TARGET),
		.free_fields = EV_HAS_ADDRESS | EV_HAS_DOMAIN | EV_HAS_THREAD | EV_HAS_TIME,
		.frames = 300},
	    true);
	check_same(
	    &(struct written){.fields = EV_HAS_TYPE | EV_HAS_REAL | EV_HAS_REQUESTED | EV_HAS_COUNT,
			      .other_fields =
				  EV_HAS_TYPE | EV_HAS_REAL | EV_HAS_REQUESTED | EV_HAS_COUNT,
			      .free_fields = EV_HAS_TIME | EV_HAS_DOMAIN,
			      .frames = 1000},
	    true);
	check_same(&(struct written){.free_fields = EV_HAS_ADDRESS, .frames = 500}, true);
}

TEST(allocations_that_differ_in_what_no_sum_needs)
{
	check_same(&(struct written){.fields = PLAIN | EV_HAS_SEQ,
				     .other_fields = PLAIN | EV_HAS_ADDRESS,
				     .free_fields = EV_HAS_TIME,
				     .frames = 500},
		   true);
}

TEST(allocations_of_different_fields_come_as_events)
{
	check_same(&(struct written){.fields = PLAIN,
				     .other_fields = PLAIN | EV_HAS_REAL,
				     .free_fields = EV_HAS_ADDRESS,
				     .frames = 500},
		   false);
	check_same(
	    &(struct written){
		.fields = PLAIN, .other_fields = PLAIN, .free_fields = EV_HAS_ADDRESS, .frames = 4},
	    false);
}

/* Whole batches: each of their events counts, the last ones too. */
TEST(nothing_but_allocations)
{
	check_same(&(struct written){.fields = PLAIN, .other_fields = PLAIN, .alone = true}, true);
	check_same(&(struct written){.fields = PLAIN | SINK_MOVES,
				     .other_fields = PLAIN | SINK_MOVES,
				     .live = true,
				     .alone = true},
		   true);
}

TEST(others_take_events)
{
	static const struct tally_selection all;
	const struct tally_options selects = {.selection = &all};
	struct trace *t = trace_new();
	struct err e = ERR_INIT;
	struct tally a;

	tally_init(&a, &selects);
	CHECK(!a.sink.begin(&a.sink, t, &e));
	CHECK_EQ(sink_wants(&a.sink, t) & EV_FIELDS, 0);
	tally_release(&a);
	trace_free(t);
}

enum {
	BLOCK = PLAIN | EV_HAS_TYPE | EV_HAS_REAL | SINK_MOVES,
	RARE = 100000 /* so that most batches have none */
};

TEST(followed_blocks)
{
	/* Frees with all that allocations have; with an address alone; with more than allocations have;
	 * with a time, which these have not. */
	static const unsigned fields[][2] = {
	    {BLOCK, SINK_MOVES},
	    {BLOCK, EV_HAS_ADDRESS},
	    {PLAIN | EV_HAS_ADDRESS, EV_HAS_ADDRESS | EV_HAS_THREAD | EV_HAS_DOMAIN | EV_HAS_SEQ},
	    {EV_HAS_ADDRESS | EV_HAS_REQUESTED | EV_HAS_COUNT, EV_HAS_ADDRESS | EV_HAS_TIME}};

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		check_same(&(struct written){.fields = fields[i][0],
					     .other_fields = fields[i][0],
					     .free_fields = fields[i][1],
					     .frames = i % 2 ? 1000 : 0,
					     .freed = RARE,
					     .live = true},
			   true);
	/* Allocations without an address, and frees without one. */
	check_same(&(struct written){.fields = PLAIN,
				     .other_fields = PLAIN,
				     .free_fields = EV_HAS_ADDRESS,
				     .frames = 1000,
				     .freed = RARE,
				     .live = true},
		   true);
	check_same(&(struct written){.fields = PLAIN,
				     .other_fields = PLAIN,
				     .free_fields = 0,
				     .frames = 1000,
				     .freed = RARE,
				     .live = true},
		   true);
}

TEST(followed_blocks_that_come_as_events)
{
	/* Freed by a number, now and then; frees of different fields; any order. */
	check_same(&(struct written){.fields = BLOCK,
				     .other_fields = BLOCK,
				     .free_fields = SINK_MOVES,
				     .frames = 1000,
				     .freed = 4,
				     .live = true},
		   false);
	check_same(&(struct written){.fields = BLOCK,
				     .other_fields = BLOCK,
				     .free_fields = SINK_MOVES,
				     .frames = 1000,
				     .freed = RARE,
				     .live = true,
				     .odd_free_fields = EV_HAS_ADDRESS},
		   false);
	check_same(&(struct written){.fields = BLOCK,
				     .other_fields = BLOCK,
				     .free_fields = SINK_MOVES,
				     .frames = 1000,
				     .freed = RARE,
				     .live = true,
				     .unordered = true},
		   false);
}

TEST_MAIN()
