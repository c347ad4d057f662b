/* SPDX-License-Identifier: MIT
 *
 * Tallies that take events by their digests, or all of them as they were made once, held to tallies of
 * the same events that see each of them: lib/tally/digest.c and snapshot.c, with lib/event_store.
 */
#include "lib/tally/digest.h"

#include "lib/base/mem.h"
#include "lib/event_store/event_store.h"
#include "lib/tally/snapshot.h"
#include "tests/unit/test.h"

enum { EVENTS = 70000, STACKS = 50, TYPES = 7, THREADS = 3, ROUNDS = 100 };

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return state % below;
}

static struct trace *draw_tables(void)
{
	struct trace *t = trace_new();
	char name[16];

	for (enum metric m = METRIC_COUNT; m <= METRIC_REAL; m++)
		trace_metric(t, m, METRIC_EXACT, METRIC_AT_ALL);
	if (draw(5))
		trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	t->unordered = !draw(4);
	for (unsigned i = 0; i < STACKS; i++) {
		struct location l = {.raw = 16 + i, .space = SPACE_RUNTIME};

		trace_stack(t, i / 2, trace_location(t, &l));
	}
	for (unsigned i = 0; i < TYPES; i++) {
		snprintf(name, sizeof name, "T%u", i);
		trace_type(t, name, strlen(name));
	}
	for (unsigned i = 0; i < THREADS; i++)
		trace_thread(t, &(struct thread){.tid = 1 + i});
	trace_counter(t, &(struct counter){.name = trace_strz(t, "fps")});
	return t;
}

/* Frames and times go up, with exceptions where odd is set. */
static struct event draw_event(size_t i, unsigned seqs, unsigned timed, bool odd, bool calls)
{
	static const uint8_t kinds[] = {EV_ALLOC, EV_PROFILE,    EV_ALLOC,   EV_FREE, EV_FREE,
					EV_FREED, EV_TYPE_TOTAL, EV_COUNTER, EV_DELTA};
	struct event ev = {.kind = kinds[draw(calls ? 9 : 8)],
			   .has = EV_HAS_ADDRESS | EV_HAS_REQUESTED | EV_HAS_VALUE,
			   .type = (uint32_t)draw(TYPES + 1),
			   .stack = (uint32_t)draw(STACKS + 1),
			   .thread = (uint32_t)draw(THREADS + 1),
			   .domain = (uint8_t)draw(2),
			   .address = draw(400),
			   .requested = draw(1000),
			   .value = (int64_t)draw(60)};

	if (draw(9)) {
		ev.has |= EV_HAS_REAL | EV_HAS_COUNT;
		ev.count = draw(3);
		ev.real = ev.requested + draw(16);
	}
	if (i % 100 == 20)
		ev = (struct event){.kind = EV_FRAME,
				    .has = EV_HAS_VALUE,
				    .value = (int64_t)i / 100 + (odd && !draw(50) ? -90 : 0)};
	if (ev.kind == EV_COUNTER)
		ev.type = 1;
	if (seqs == SINK_SEQS_ALL || (seqs == SINK_SEQS_MIXED && draw(2))) {
		ev.has |= EV_HAS_SEQ;
		ev.seq = i + 1;
	}
	if (timed == 1 || (timed == 2 && draw(2))) {
		ev.has |= EV_HAS_TIME;
		ev.time = (int64_t)i * 1000 + (odd && !draw(500) ? -900000 : 0);
	}
	return ev;
}

static void draw_capture(struct event_store *k)
{
	struct trace *t = draw_tables();
	struct err e = ERR_INIT;
	unsigned seqs = (unsigned)draw(3), timed = (unsigned)draw(3);
	bool odd = draw(2), calls = !draw(4);

	event_store_init(k, "a");
	CHECK_EQ(k->sink.begin(&k->sink, t, &e), ST_OK);
	for (size_t i = 0; i < EVENTS; i++) {
		struct event ev = draw_event(i, seqs, timed, odd, calls);

		CHECK_EQ(sink_event(&k->sink, t, &ev, &e), ST_OK);
	}
	CHECK_EQ(k->sink.end(&k->sink, t, &e), ST_OK);
	trace_free(t);
}

/* What a tally says of a capture, as a hash of numbers. */
struct said {
	uint64_t hash;
	size_t n_cells;
	uint64_t unselected, untimed, lost, unknown, frames, duration;
	int64_t first, last;
};

static void mix(struct said *s, uint64_t v)
{
	s->hash = (s->hash ^ v) * 0x9e3779b97f4a7c15u;
	s->hash ^= s->hash >> 29;
}

static void mix_sums(struct said *s, const struct tally_sums *sums)
{
	mix(s, sums->has);
	for (unsigned i = 0; i < SUMS; i++)
		if (sums->has >> i & 1)
			mix(s, sums->v[i]);
}

static enum status say(void *arg, struct trace *t, struct tally *a, struct err *e)
{
	struct said *s = arg;
	struct tally_sums sums;
	struct tally_totals totals;
	uint8_t states[SUMS];

	(void)e;
	*s = (struct said){.hash = 1,
			   .n_cells = a->n_cells,
			   .unselected = a->unselected,
			   .untimed = a->untimed,
			   .lost = a->live.lost_frees,
			   .unknown = a->live.unknown_frees,
			   .frames = extent_frames(&a->extent, t),
			   .first = a->has_time ? a->extent.first : -1,
			   .last = a->has_time ? a->extent.last : -1};
	if (!extent_duration(&a->extent, t, a->options.selection, &s->duration))
		s->duration = UINT64_MAX;
	for (size_t i = 0; i < a->n_cells; i++) {
		mix(s, (uint64_t)a->cells[i].stack << 32 | a->cells[i].type);
		mix(s, a->cells[i].domain);
		tally_sums(a, i, &sums);
		mix_sums(s, &sums);
	}
	for (uint32_t i = 0; i < t->n_types; i++) {
		tally_type_sums(a, i, &sums);
		mix_sums(s, &sums);
	}
	for (unsigned d = 0; d <= DOMAINS; d++) {
		mix(s, tally_states(a, t, d, states));
		for (unsigned i = 0; i < SUMS; i++)
			mix(s, states[i]);
		mix(s, a->followed[d]);
		if (d < DOMAINS)
			mix(s, a->records[d]);
		if (tally_totals(a, d, &totals)) {
			mix(s, totals.live_count);
			mix(s, totals.live);
			mix(s, totals.temporary);
			mix(s, totals.peak);
			mix(s, (uint64_t)totals.peak_at);
		}
	}
	for (unsigned d = 0; d < DOMAINS; d++)
		for (unsigned m = 0; m <= SUM_REAL; m++) {
			mix(s, (uint64_t)a->worst[d][m].number);
			mix(s, a->worst[d][m].v[m]);
		}
	for (size_t i = 0; i < a->counters.n; i++)
		mix(s, (uint64_t)a->counters.items[i].sum.whole + a->counters.items[i].n);
	for (unsigned i = 0; i < EV_KINDS; i++)
		mix(s, t->events[i]);
	return ST_OK;
}

static unsigned taken; /* digests, since it was 0 */
static enum status (*tally_takes)(struct sink *s, struct trace *t, const struct sink_batch *b,
				  struct err *e);

static enum status counting(struct sink *s, struct trace *t, const struct sink_batch *b,
			    struct err *e)
{
	enum status st = tally_takes(s, t, b, e);

	taken += b->digest && !st;
	return st;
}

static struct said said_of(struct event_store *k, struct tally_options o, bool by_digest)
{
	struct err e = ERR_INIT;
	struct said s;
	struct tally a;

	o.done = say;
	o.arg = &s;
	tally_init(&a, &o);
	tally_takes = a.sink.batch;
	a.sink.batch = counting;
	if (!by_digest)
		a.sink.wants = NULL;
	CHECK_EQ(event_store_replay(k, &a.sink, &e), ST_OK);
	tally_release(&a);
	return s;
}

static void check_same(struct event_store *k, const struct tally_options *o, unsigned round)
{
	struct said want = said_of(k, *o, false), got = said_of(k, *o, true);

	CHECK_EQ(got.n_cells, want.n_cells);
	CHECK_EQ(got.unselected, want.unselected);
	CHECK_EQ(got.untimed, want.untimed);
	CHECK_EQ(got.lost, want.lost);
	CHECK_EQ(got.unknown, want.unknown);
	CHECK_EQ(got.frames, want.frames);
	CHECK_EQ(got.first, want.first);
	CHECK_EQ(got.last, want.last);
	CHECK_EQ(got.duration, want.duration);
	if (!CHECK_EQ(got.hash, want.hash))
		printf("  round %u\n", round);
}

static struct tally_options draw_options(void)
{
	static const unsigned wants[] = {0,
					 SUMS_ALL,
					 TALLY_TOP,
					 SUM_BIT(SUM_COUNT),
					 SUM_BIT(SUM_REQUESTED) | SUM_BIT(SUM_TEMPORARY),
					 SUMS_LIFETIME | SUMS_MEASURED};
	struct tally_options o = {.want = wants[draw(6)], .counters = draw(2), .totals = draw(2)};

	o.domains_together = !draw(5);
	return o;
}

static void draw_selection(struct tally_selection *s)
{
	struct err e = ERR_INIT;
	char range[64];

	selection_init(s);
	for (uint64_t i = draw(3); i; i--) {
		unsigned from = (unsigned)draw(400);

		snprintf(range, sizeof range, "%u..%u", from,
			 from + (unsigned)draw(draw(2) ? 20 : 200));
		CHECK_EQ(selection_frames(s, range, &e), ST_OK);
	}
	for (uint64_t i = s->frames.n ? !draw(3) : 1 + draw(2); i; i--) {
		unsigned from = (unsigned)draw(40);

		snprintf(range, sizeof range, "%ums..%ums", from, from + (unsigned)draw(9));
		CHECK_EQ(selection_times(s, range, &e), ST_OK);
	}
	if (!draw(4))
		CHECK_EQ(selection_thread(s, "2", 0, &e), ST_OK);
	if (!draw(4))
		CHECK_EQ(selection_sizes(s, "100..500", &e), ST_OK);
}

TEST(ranges)
{
	unsigned selected = 0;

	taken = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct tally_selection s;
		struct tally_options o = draw_options();
		struct event_store k;

		draw_capture(&k);
		draw_selection(&s);
		o.selection = &s;
		check_same(&k, &o, round);
		selected++;
		selection_release(&s);
		event_store_release(&k);
	}
	CHECK_EQ(selected, ROUNDS);
	CHECK(taken > ROUNDS); /* blocks, some of nearly each */
}

static void *made;

static enum status make(void *arg, struct trace *t, struct tally *a, struct err *e)
{
	(void)arg;
	(void)t;
	(void)e;
	made = mem_alloc(tally_snapshot_size(a));
	tally_snapshot_make(a, made);
	return ST_OK;
}

static const void *give(void *arg, size_t capture)
{
	(void)arg;
	return capture ? NULL : made;
}

TEST(whole)
{
	taken = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct tally_options o = tally_snapshot_options;
		struct err e = ERR_INIT;
		struct tally a;
		struct event_store k;

		draw_capture(&k);
		o.done = make;
		tally_init(&a, &o);
		CHECK_EQ(event_store_replay(&k, &a.sink, &e), ST_OK);
		tally_release(&a);
		k.made = give;
		for (unsigned i = 0; i < 4; i++) {
			o = draw_options();
			check_same(&k, &o, round);
		}
		event_store_release(&k);
		free(made);
	}
	CHECK(taken > ROUNDS);
}

TEST(selected)
{
	unsigned whole = 0;

	for (unsigned round = 0; round < ROUNDS / 4; round++) {
		struct tally_selection s, other;
		struct tally_options o = draw_options(), maker;
		struct err e = ERR_INIT;
		struct tally a;
		struct event_store k;

		draw_capture(&k);
		draw_selection(&s);
		draw_selection(&other);
		o.split = draw(2) ? SPLIT_THREAD : 0;
		o.selection = &s;
		maker = o;
		maker.done = make;
		tally_init(&a, &maker);
		CHECK_EQ(event_store_replay(&k, &a.sink, &e), ST_OK);
		tally_release(&a);
		k.made_selected = give;
		k.selection = &s;
		taken = 0;
		check_same(&k, &o, round);
		whole += taken == 1;
		o.selection = &other;
		check_same(&k, &o, round);
		o.selection = NULL;
		check_same(&k, &o, round);
		selection_release(&s);
		selection_release(&other);
		event_store_release(&k);
		free(made);
	}
	/* Of ROUNDS / 4; never where counters are asked of a capture with frames, whose pacing needs each of them. */
	CHECK(whole > ROUNDS / 16);
}

TEST_MAIN()
