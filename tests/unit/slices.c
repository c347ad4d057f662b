/* SPDX-License-Identifier: MIT
 *
 * Steps of time and frames of random captures, against sums over the list of events by their own times,
 * which are all different. The same events come by time, thread by thread in both directions, and in
 * random orders that keep each thread's own.
 */
#include "lib/tally/tally.h"
#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, EACH = 60, EVENTS = THREADS * EACH, STEPS = 4000, FUNCTIONS = 3, DEPTH = 5 };
enum { ROUNDS = 60, FIRST_FRAME = 3 }; /* frames begin there, and then every step */
enum { UNIT = 20000 };                 /* ns of a time here: more than times may be rounded by */

struct happening {
	uint8_t kind;
	uint32_t thread, what; /* what: a function, a type, or a counter's reading */
	int64_t time;
	uint64_t address, size;
};

struct slice_sums {
	int64_t counter_last, counter_least;
	uint64_t self, calls, count, requested, freed, live, peak, cells[FUNCTIONS];
	int64_t lua;
	bool there, read, peaks; /* peaks: peak is known */
};

struct capture {
	struct happening ev[EVENTS]; /* thread by thread */
	size_t n;
	int64_t every, latest;
	bool frames; /* that begin so often, instead of steps */
};

struct got {
	struct slice_sums *slices; /* by number */
	uint64_t n, last;
	uint32_t of_function[FUNCTIONS];
};

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	return (uint32_t)lcg_below(&seed, n);
}

/* Each thread's own blocks, so that which free ends which block is the same in any order. Some calls stay
 * open, and are then known up to the last enter or exit of their thread. */
static void draw_capture(struct capture *c, bool frames)
{
	static bool used[STEPS * 16];
	bool crowded = pick(2);
	int64_t most = crowded ? EVENTS * 3 : (int64_t)sizeof used - 1;

	memset(c, 0, sizeof *c);
	memset(used, 0, sizeof used);
	c->frames = frames;
	c->every = 1 + pick(crowded ? 40 : 2000);
	while (most / c->every >= STEPS - 1)
		c->every *= 2;
	for (uint32_t th = 0; th < THREADS; th++) {
		uint32_t open[DEPTH], depth = 0, n_blocks = 0;
		uint64_t blocks[EACH], sizes[EACH];
		int64_t times[EACH];

		for (size_t i = 0; i < EACH; i++) {
			do
				times[i] = pick((uint32_t)most);
			while (used[times[i]]);
			used[times[i]] = true;
		}
		for (size_t i = 0; i < EACH; i++)
			for (size_t k = i + 1; k < EACH; k++)
				if (times[k] < times[i]) {
					int64_t t = times[i];

					times[i] = times[k];
					times[k] = t;
				}
		for (size_t i = 0; i < EACH; i++) {
			struct happening *h = &c->ev[c->n++];
			uint32_t what = pick(10);

			*h = (struct happening){
			    .thread = th, .time = times[i], .kind = EV_COUNTER, .what = pick(1000)};
			if (what < 3 && depth < DEPTH) {
				h->kind = EV_ENTER;
				h->what = open[depth++] = pick(FUNCTIONS);
			} else if (what < 5 && depth) {
				h->kind = EV_EXIT;
				h->what = open[--depth];
			} else if (what < 7) {
				h->kind = EV_ALLOC;
				h->what = pick(FUNCTIONS);
				h->size = sizes[n_blocks] = 1 + pick(500);
				h->address = blocks[n_blocks++] = 0x1000 * (c->n + 1);
			} else if (what < 8 && n_blocks) {
				h->kind = EV_FREE;
				h->address = blocks[--n_blocks];
				h->size = sizes[n_blocks];
			} else if (what < 9) {
				h->kind = EV_SAMPLE;
				h->what = pick(FUNCTIONS);
				h->size = 1 + pick(20);
			} else if (pick(2)) {
				h->kind = EV_DELTA;
				h->what = pick(FUNCTIONS);
			}
			c->latest = h->time > c->latest ? h->time : c->latest;
		}
	}
}

static int64_t number_of(const struct capture *c, int64_t time)
{
	int64_t newest = 1 + (c->latest - FIRST_FRAME) / c->every, number;

	if (!c->frames)
		return time / c->every;
	number = time < FIRST_FRAME ? 0 : 1 + (time - FIRST_FRAME) / c->every;
	return number < newest ? number : newest;
}

static struct slice_sums *at(struct slice_sums *slices, const struct capture *c, int64_t time)
{
	struct slice_sums *s = &slices[number_of(c, time)];

	s->there = true;
	return s;
}

static const struct capture *sorted; /* qsort has no argument */

static int by_time(const void *a, const void *b)
{
	int64_t x = sorted->ev[*(const size_t *)a].time, y = sorted->ev[*(const size_t *)b].time;

	return x < y ? -1 : x > y;
}

static void put_in_order_of_time(const struct capture *c, size_t *order)
{
	for (size_t i = 0; i < c->n; i++)
		order[i] = i;
	sorted = c;
	qsort(order, c->n, sizeof *order, by_time);
}

/* What is live after each slice, and most of it in it. */
static void naive_live(const struct capture *c, struct slice_sums *to)
{
	size_t order[EVENTS], i = 0;
	uint64_t live = 0;

	put_in_order_of_time(c, order);
	for (int64_t number = 0; number < STEPS; number++) {
		to[number].peak = live;
		for (; i < c->n && number_of(c, c->ev[order[i]].time) == number; i++) {
			const struct happening *h = &c->ev[order[i]];

			live += h->kind == EV_ALLOC ? h->size : 0;
			live -= h->kind == EV_FREE ? h->size : 0;
			to[number].peak = live > to[number].peak ? live : to[number].peak;
		}
		to[number].live = live;
	}
}

/* By each ns that the calls last. */
static void naive(const struct capture *c, struct slice_sums *to)
{
	int64_t last_read[STEPS];

	memset(to, 0, STEPS * sizeof *to);
	for (uint32_t th = 0; th < THREADS; th++) {
		uint32_t open[DEPTH], depth = 0;
		int64_t before = 0;

		for (size_t i = 0; i < c->n; i++) {
			const struct happening *h = &c->ev[i];

			if (h->thread != th || (h->kind != EV_ENTER && h->kind != EV_EXIT))
				continue;
			for (int64_t t = before; depth && t < h->time; t++) {
				struct slice_sums *s = at(to, c, t);

				s->self++;
				s->cells[open[depth - 1]]++;
			}
			before = h->time;
			if (h->kind == EV_ENTER)
				open[depth++] = h->what;
			else
				depth--;
		}
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct happening *h = &c->ev[i];
		struct slice_sums *s = at(to, c, h->time);
		int64_t *last = &last_read[number_of(c, h->time)];

		switch (h->kind) {
		case EV_ENTER: s->calls++; break;
		case EV_ALLOC:
			s->count++;
			s->requested += h->size;
			break;
		case EV_FREE: s->freed += h->size; break;
		case EV_SAMPLE:
			s->self += h->size;
			s->cells[h->what] += h->size;
			break;
		case EV_DELTA: s->lua += h->what; break;
		case EV_COUNTER:
			if (!s->read || h->time > *last) {
				*last = h->time;
				s->counter_last = h->what;
			}
			if (!s->read || h->what < s->counter_least)
				s->counter_least = h->what;
			s->read = true;
			break;
		default: break;
		}
	}
	for (int64_t i = 1; c->frames && i <= number_of(c, c->latest); i++)
		to[i].there = true;
	naive_live(c, to);
}

static enum status take(void *arg, struct trace *t, struct tally *a, const struct tally_slice *s,
			struct err *e)
{
	struct got *g = arg;
	struct slice_sums *to;
	int64_t number;
	const struct tally_sums *all = &s->all[DOMAINS];

	(void)t;
	(void)e;
	number = s->kind == SLICE_BEFORE ? 0 : s->number + (s->kind == SLICE_FRAME);
	if (!CHECK(number >= 0 && number < STEPS) || !CHECK_EQ(s->index, g->n))
		return ST_OK;
	CHECK(!g->n || (uint64_t)number > g->last); /* in the order of time */
	g->last = (uint64_t)number;
	g->n++;
	to = &g->slices[number];
	*to = (struct slice_sums){.there = true,
				  .self = all->v[SUM_TIME_SELF] / UNIT,
				  .calls = all->v[SUM_CALLS],
				  .count = all->v[SUM_COUNT],
				  .requested = all->v[SUM_REQUESTED],
				  .freed = all->v[SUM_FREED_REQUESTED],
				  .live = all->v[SUM_LIVE_REQUESTED],
				  .peak = all->v[SUM_PEAK_REQUESTED],
				  .peaks = all->has >> SUM_PEAK_REQUESTED & 1,
				  .lua = (int64_t)all->v[SUM_LUA_NET]};
	for (size_t i = 0; i < s->n_cells; i++) {
		struct tally_sums one;

		tally_slice_sums(a, i, &one);
		for (uint32_t k = 0; k < FUNCTIONS; k++)
			if (t->stacks[a->cells[s->cells[i]].stack].location == g->of_function[k])
				to->cells[k] += one.v[SUM_TIME_SELF] / UNIT;
	}
	if (s->counters->n && s->counters->items[1].n) {
		to->read = true;
		to->counter_last =
		    decimal_whole(counter_value(&s->counters->items[1], COUNTER_LAST));
		to->counter_least =
		    decimal_whole(counter_value(&s->counters->items[1], COUNTER_MIN));
	}
	return ST_OK;
}

static void tell_frames(struct tally *a, struct trace *t, const struct capture *c, int64_t *next,
			int64_t time)
{
	struct err e = ERR_INIT;

	for (; c->frames && *next <= c->latest && *next <= time; *next += c->every) {
		struct event ev = {.kind = EV_FRAME,
				   .has = EV_HAS_TIME | EV_HAS_VALUE,
				   .value = (*next - FIRST_FRAME) / c->every,
				   .time = *next * UNIT};

		CHECK_EQ(sink_event(&a->sink, t, &ev, &e), ST_OK);
	}
}

static void play(const struct capture *c, const size_t *order, const struct tally_options *o,
		 bool timely, struct got *g)
{
	struct tally_options options = *o;
	struct trace *t = trace_new();
	struct tally a;
	struct err e = ERR_INIT;
	uint32_t threads[THREADS], functions[FUNCTIONS], counter;
	int64_t next = FIRST_FRAME;

	g->n = g->last = 0;
	options.slice = take;
	options.slice_arg = g;
	options.every *= UNIT;
	options.want = SUMS_ALL;
	options.counters = true;
	for (unsigned m = 0; m < METRICS; m++)
		if (m != METRIC_REAL)
			trace_metric(t, m, METRIC_EXACT, METRIC_AT_ALL);
	for (uint32_t i = 0; i < THREADS; i++)
		threads[i] = trace_thread(t, &(struct thread){.tid = 7 + i});
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		char name[] = {(char)('f' + i), '\0'};

		g->of_function[i] = trace_location(
		    t, &(struct location){.space = SPACE_NAME, .name = trace_strz(t, name)});
		functions[i] = trace_stack(t, 0, g->of_function[i]);
	}
	counter = trace_counter(t, &(struct counter){.name = trace_strz(t, "fps")});
	CHECK_EQ(counter, 1);
	tally_init(&a, &options);
	CHECK_EQ(a.sink.begin(&a.sink, t, &e), ST_OK);
	for (size_t i = 0; i < c->n; i++) {
		const struct happening *h = &c->ev[order[i]];
		struct event ev = {.kind = h->kind,
				   .has = EV_HAS_TIME | EV_HAS_THREAD,
				   .thread = threads[h->thread],
				   .time = h->time * UNIT,
				   .count = 1};

		/* Of the first thread, or in the order of time. */
		tell_frames(&a, t, c, &next, h->thread && !timely ? INT64_MAX : h->time);
		switch (h->kind) {
		case EV_COUNTER:
			ev.has |= EV_HAS_TYPE | EV_HAS_VALUE;
			ev.type = counter;
			ev.value = h->what;
			break;
		case EV_FREE: ev.has |= EV_HAS_ADDRESS; break;
		case EV_ALLOC: ev.has |= EV_HAS_ADDRESS | EV_HAS_REQUESTED | EV_HAS_STACK; break;
		case EV_SAMPLE: ev.has |= EV_HAS_TARGET | EV_HAS_STACK; break;
		case EV_DELTA: ev.has |= EV_HAS_VALUE | EV_HAS_STACK | EV_HAS_DOMAIN; break;
		default: ev.has |= EV_HAS_STACK; break;
		}
		if (ev.has & EV_HAS_STACK)
			ev.stack = functions[h->what];
		ev.address = h->address;
		ev.requested = h->size;
		ev.target = h->kind == EV_SAMPLE ? h->size * UNIT : 0;
		if (h->kind == EV_DELTA) {
			ev.domain = DOMAIN_LUA;
			ev.value = h->what;
		}
		CHECK_EQ(sink_event(&a.sink, t, &ev, &e), ST_OK);
	}
	tell_frames(&a, t, c, &next, INT64_MAX);
	CHECK_EQ(a.sink.end(&a.sink, t, &e), ST_OK);
	tally_release(&a);
	trace_free(t);
}

enum order { BY_TIME, BY_THREAD, BY_THREAD_BACK, MIXED, MIXED_AGAIN, ORDERS };

static void put_in_order(const struct capture *c, enum order how, size_t *order)
{
	size_t next[THREADS], n = 0;

	put_in_order_of_time(c, order);
	for (size_t i = 0; how == BY_THREAD && i < c->n; i++)
		order[i] = i;
	for (uint32_t th = 0; th < THREADS; th++)
		next[th] = 0;
	while (how > BY_THREAD && n < c->n) {
		uint32_t th =
		    how == BY_THREAD_BACK ? THREADS - 1 - (uint32_t)(n / EACH) : pick(THREADS);

		if (next[th] < EACH)
			order[n++] = th * EACH + next[th]++;
	}
}

static bool same(const struct slice_sums *want, const struct slice_sums *got, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct slice_sums w = want[i], g = got[i];

		if (!w.there || !g.there) /* what is live does not change */
			w.live = w.peak = 0;
		if (!g.peaks)
			g.peak = w.peak;
		w.peaks = g.peaks;
		if (!memcmp(&w, &g, sizeof w))
			continue;
		printf("  slice %zu: there %d %d self %" PRIu64 " %" PRIu64 " calls %" PRIu64
		       " %" PRIu64 " bytes %" PRIu64 " %" PRIu64 " freed %" PRIu64 " %" PRIu64
		       " live %" PRIu64 " %" PRIu64 " peak %" PRIu64 " %" PRIu64 " last %" PRId64
		       " %" PRId64 "\n",
		       i, w.there, g.there, w.self, g.self, w.calls, g.calls, w.requested,
		       g.requested, w.freed, g.freed, w.live, g.live, w.peak, g.peak,
		       w.counter_last, g.counter_last);
		return false;
	}
	return true;
}

/* The same tables, whatever the order. All peaks are known by the order of time. */
static void check_orders(bool frames, enum order first, enum order last)
{
	struct slice_sums *want = calloc(STEPS, sizeof *want), *got = calloc(STEPS, sizeof *got);
	size_t order[EVENTS];

	for (uint64_t round = 1; round <= ROUNDS; round++) {
		struct capture c;
		bool good = true;

		seed = round;
		draw_capture(&c, frames);
		naive(&c, want);
		for (enum order how = first; good && how <= last; how++) {
			const struct tally_options o = {.slicing =
							    frames ? SLICE_FRAMES : SLICE_TIMES,
							.every = c.every,
							.slice_cells = round % 2};
			struct got g = {.slices = got};

			put_in_order(&c, how, order);
			memset(got, 0, STEPS * sizeof *got);
			play(&c, order, &o, how == BY_TIME, &g);
			for (size_t i = 0; i < STEPS && !o.slice_cells; i++)
				memcpy(got[i].cells, want[i].cells, sizeof got[i].cells);
			good &= CHECK(same(want, got, STEPS));
			for (size_t i = 0; i < STEPS && how == BY_TIME; i++)
				good &= CHECK(got[i].peaks == got[i].there);
		}
		if (!good)
			printf("  round %" PRIu64 "\n", round);
	}
	free(want);
	free(got);
}

TEST(steps_of_any_order_of_the_file)
{
	check_orders(false, BY_TIME, MIXED_AGAIN);
}

/* Marks come in the first thread: others have earlier times. */
TEST(frames_of_threads_one_after_the_other)
{
	check_orders(true, BY_TIME, BY_THREAD);
}

static enum status end_of_call(int64_t from, int64_t to, int64_t every, struct err *e)
{
	const struct tally_options o = {.slicing = SLICE_TIMES, .every = every, .want = SUMS_TIME};
	struct trace *t = trace_new();
	struct tally a;
	struct event ev = {.kind = EV_ENTER, .has = EV_HAS_TIME, .time = from, .count = 1};
	enum status st;

	trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	tally_init(&a, &o);
	CHECK_EQ(a.sink.begin(&a.sink, t, e), ST_OK);
	CHECK_EQ(sink_event(&a.sink, t, &ev, e), ST_OK);
	ev.kind = EV_EXIT;
	ev.time = to;
	st = sink_event(&a.sink, t, &ev, e);
	if (!st)
		st = a.sink.end(&a.sink, t, e);
	tally_release(&a);
	trace_free(t);
	return st;
}

/* A call of 292 years passes as many steps: at most a million are made of it. */
TEST(times_far_apart)
{
	struct err e = ERR_INIT;

	CHECK_EQ(end_of_call(0, INT64_MAX, INT64_MAX >> 19, &e), ST_OK);
	CHECK_EQ(end_of_call(INT64_MIN, -1, INT64_MAX >> 19, &e), ST_OK);
	CHECK_EQ(end_of_call(INT64_MIN, INT64_MAX, 1, &e), ST_OK); /* nothing is known to pass */
	CHECK_EQ(end_of_call(0, INT64_MAX, INT64_MAX >> 21, &e), ST_LIMIT);
	CHECK_EQ(end_of_call(-5, INT64_MAX - 5, 1, &e), ST_LIMIT);
}

TEST_MAIN()
