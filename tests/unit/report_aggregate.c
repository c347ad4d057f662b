/* SPDX-License-Identifier: MIT
 *
 * The aggregate against a naive twin that keeps the whole list of events: every sum, for random
 * ranges, whole and by slices.
 */
#include "lib/report/aggregate.h"

#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS = 60, STACKS = 4, THREADS = 3, ADDRESSES = 6, SLICES = EVENTS + 2, CELLS = 64 };

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

struct twin {
	struct trace *t;
	struct event ev[EVENTS];
	size_t n;
	struct selection select;
	bool selecting;
	/* by event: what the rules say of it */
	bool chosen[EVENTS], after[EVENTS], in_frame[EVENTS];
	int64_t frame[EVENTS], time[EVENTS];
	bool timed[EVENTS];
	size_t end_of[EVENTS]; /* allocations: the event that ends it; EVENTS: none */
};

static void draw(struct twin *w)
{
	int64_t time = 0, frame = 0;

	w->n = 1 + pick(EVENTS);
	for (size_t i = 0; i < w->n; i++) {
		struct event *ev = &w->ev[i];
		uint32_t what = pick(10);

		*ev = (struct event){.count = 1, .stack = pick(STACKS), .thread = pick(THREADS)};
		time += pick(3);
		if (pick(3)) {
			ev->has |= EV_HAS_TIME;
			ev->time = time;
		}
		if (what == 0) {
			ev->kind = EV_FRAME;
			ev->has |= EV_HAS_VALUE;
			ev->value = frame += 1 - (pick(8) == 0);
			ev->stack = ev->thread = 0;
			continue;
		}
		ev->has |= EV_HAS_ADDRESS | EV_HAS_THREAD;
		ev->address = 16 * (1 + pick(ADDRESSES));
		if (what < 5) {
			ev->kind = EV_FREE;
			ev->stack = 0;
			continue;
		}
		ev->kind = EV_ALLOC;
		ev->has |= EV_HAS_STACK | EV_HAS_REQUESTED;
		ev->requested = pick(4) * 8;
		if (pick(8)) {
			ev->has |= EV_HAS_REAL;
			ev->real =
			    ev->requested ? ev->requested + 8 - (uint64_t)pick(3) * 6 : pick(2) * 6;
		}
		if (!pick(12)) {
			ev->has &= (uint16_t)~EV_HAS_ADDRESS;
			ev->address = 0;
		}
	}
}

static void draw_selection(struct twin *w)
{
	struct err e = ERR_INIT;
	char text[64];

	selection_init(&w->select);
	for (uint32_t n = pick(2) * (1 + pick(2)); n; n--) {
		uint32_t lo = pick(5);

		snprintf(text, sizeof text, pick(3) ? "%u..%u" : "..%u", lo, lo + pick(3));
		CHECK_EQ(selection_frames(&w->select, text, &e), ST_OK);
	}
	for (uint32_t n = pick(2) * (1 + pick(2)); n; n--) {
		uint32_t lo = pick(30);

		snprintf(text, sizeof text, pick(3) ? "%uns..%uns" : "..%uns", lo, lo + pick(30));
		CHECK_EQ(selection_times(&w->select, text, &e), ST_OK);
	}
	if (!pick(3))
		CHECK_EQ(selection_sizes(&w->select, "8..16", &e), ST_OK);
	if (!pick(3))
		CHECK_EQ(selection_thread(&w->select, "101", 0, &e), ST_OK);
	w->selecting = !selection_all(&w->select);
}

static bool inside(const struct selection_ranges *r, bool known, int64_t v)
{
	for (size_t i = 0; i < r->n; i++)
		if (known && r->items[i].lo <= v && v <= r->items[i].hi)
			return true;
	return !r->n;
}

/* selection.h, word by word. */
static void judge(struct twin *w)
{
	const struct selection *s = &w->select;
	int64_t time = 0, frame = 0;
	bool timed = false, in_frame = false;

	for (size_t i = 0; i < w->n; i++) {
		const struct event *ev = &w->ev[i];

		if (ev->has & EV_HAS_TIME) {
			time = ev->time;
			timed = true;
		}
		if (ev->kind == EV_FRAME) {
			frame = ev->value;
			in_frame = true;
		}
		w->time[i] = time;
		w->timed[i] = timed;
		w->frame[i] = frame;
		w->in_frame[i] = in_frame;
		w->after[i] = (s->frames.n && in_frame && frame > s->frames.end) ||
			      (s->times.n && timed && time > s->times.end);
		w->chosen[i] = inside(&s->frames, in_frame, frame) &&
			       inside(&s->times, timed, time) &&
			       inside(&s->sizes, true, (int64_t)ev->requested) &&
			       (!s->n_threads || w->t->threads[ev->thread].tid == 101);
		if (ev->kind == EV_FREE)
			w->chosen[i] = !w->after[i];
		if (ev->kind == EV_FRAME)
			w->chosen[i] = inside(&s->frames, true, frame);
	}
	for (size_t i = 0; i < w->n; i++) {
		size_t k = i + 1;

		for (; k < w->n; k++)
			if (w->ev[k].kind != EV_FRAME && w->ev[k].address == w->ev[i].address &&
			    !w->after[k])
				break;
		w->end_of[i] =
		    w->ev[i].kind == EV_ALLOC && w->ev[i].address && k < w->n ? k : EVENTS;
	}
}

static bool counts(const struct twin *w, size_t i)
{
	return w->ev[i].kind == EV_ALLOC && w->chosen[i];
}

static bool live_after(const struct twin *w, size_t i, size_t at)
{
	return counts(w, i) && w->ev[i].address && i <= at && w->end_of[i] > at;
}

static uint64_t live_bytes(const struct twin *w, size_t at)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < w->n; i++)
		sum += live_after(w, i, at) ? w->ev[i].real : 0;
	return sum;
}

/* The first moment of the most live bytes: after this event; EVENTS: at the start. */
static size_t peak_of(const struct twin *w, size_t from, size_t to, uint64_t start)
{
	uint64_t best = start;
	size_t at = EVENTS;

	for (size_t i = from; i < to; i++)
		if (live_bytes(w, i) > best) {
			best = live_bytes(w, i);
			at = i;
		}
	return at;
}

static bool temporary(const struct twin *w, size_t i)
{
	size_t end = w->end_of[i];

	if (end == EVENTS || w->ev[end].kind != EV_FREE)
		return false;
	for (size_t k = i + 1; k < end; k++)
		if (w->ev[k].kind == EV_ALLOC && w->ev[k].thread == w->ev[i].thread && !w->after[k])
			return false;
	return true;
}

/* The sums of what is allocated and freed in events [from, to), of one cell (stack and thread) or
 * of all. */
static struct sums naive(const struct twin *w, size_t from, size_t to, int stack, int thread,
			 size_t peak)
{
	struct sums s = {.has = 0};

	for (size_t i = 0; i < to; i++) {
		const struct event *ev = &w->ev[i];
		size_t end = w->end_of[i];
		bool now = i >= from, ended = end >= from && end < to;

		if (!counts(w, i) || (stack >= 0 && (int)ev->stack != stack) ||
		    (thread >= 0 && (int)ev->thread != thread))
			continue;
		if (now) {
			s.v[SUM_COUNT]++;
			s.v[SUM_ENTRIES]++;
			s.v[SUM_REQUESTED] += ev->requested;
			s.v[SUM_REAL] += ev->real;
			if (ev->has & EV_HAS_REAL)
				s.v[SUM_SLACK] += ev->real - ev->requested;
		}
		if (live_after(w, i, to - 1)) {
			s.v[SUM_LIVE_COUNT]++;
			s.v[SUM_LIVE_REQUESTED] += ev->requested;
			s.v[SUM_LIVE_REAL] += ev->real;
		}
		if (peak != EVENTS && live_after(w, i, peak)) {
			s.v[SUM_PEAK_COUNT]++;
			s.v[SUM_PEAK_REQUESTED] += ev->requested;
			s.v[SUM_PEAK_REAL] += ev->real;
		}
		if (end == EVENTS || !ended)
			continue;
		s.v[SUM_FREED_COUNT]++;
		s.v[SUM_FREED_REQUESTED] += ev->requested;
		s.v[SUM_FREED_REAL] += ev->real;
		s.v[SUM_TEMPORARY] += temporary(w, i);
		if (w->ev[end].kind == EV_FREE && ev->has & w->ev[end].has & EV_HAS_TIME) {
			s.v[SUM_LIFETIME] += (uint64_t)(w->ev[end].time - ev->time);
			s.v[SUM_TIMED]++;
		}
	}
	return s;
}

static bool same(const struct sums *got, const struct sums *want, const char *what, unsigned leave)
{
	bool fine = true;

	for (unsigned k = 0; k < SUMS; k++)
		if (!(leave >> k & 1) && !CHECK_EQ(got->v[k], want->v[k])) {
			printf("# %s: %s\n", what, sum_names[k].word);
			fine = false;
		}
	return fine;
}

struct watch {
	const struct twin *w;
	size_t slices, next; /* the first event that no slice has had */
	bool bad;
	uint64_t cells_seen;
};

static enum status whole(void *arg, struct trace *t, struct aggregate *a, struct err *e)
{
	struct watch *x = arg;
	const struct twin *w = x->w;
	size_t peak = peak_of(w, 0, w->n, 0);
	uint64_t counted = 0;

	(void)t;
	(void)e;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct aggregate_cell *c = &a->cells[i];
		struct sums got, want = naive(w, 0, w->n, (int)c->stack, (int)c->thread, peak);

		aggregate_sums(a, i, &got);
		x->bad |= !same(&got, &want, "whole", 0);
		counted += got.v[SUM_ENTRIES];
	}
	for (size_t i = 0; i < w->n; i++)
		counted -= counts(w, i);
	CHECK_EQ(counted, 0);
	return ST_OK;
}

/* Which events a slice by frames has: from x->next to before the frame that ends it. */
static enum status slice(void *arg, struct trace *t, struct aggregate *a,
			 const struct aggregate_slice *s, struct err *e)
{
	struct watch *x = arg;
	const struct twin *w = x->w;
	size_t from = x->next, to, start, peak;
	struct sums want;

	(void)t;
	(void)e;
	/* Its own frame; those that are not selected, or have nothing in a time range, have none.
	 */
	if (s->kind == SLICE_FRAME) {
		for (; from < w->n; from++) {
			bool any = !w->select.times.n ||
				   inside(&w->select.times, w->timed[from], w->time[from]);

			if (w->ev[from].kind != EV_FRAME || !w->chosen[from])
				continue;
			for (size_t k = from + 1; !any && k < w->n && w->ev[k].kind != EV_FRAME;
			     k++)
				any = counts(w, k);
			if (any)
				break;
		}
		CHECK(from < w->n);
		CHECK_EQ(w->ev[from].value, s->number);
	} else {
		CHECK_EQ(s->kind, SLICE_BEFORE);
		CHECK_EQ(from, 0);
	}
	start = from + (s->kind == SLICE_FRAME);
	for (to = start; to < w->n && w->ev[to].kind != EV_FRAME; to++)
		;
	x->next = to;
	x->slices++;
	peak = peak_of(w, start, to, from ? live_bytes(w, from - 1) : 0);
	if (peak == EVENTS && from)
		peak = from - 1;
	want = naive(w, start, to, -1, -1, peak);
	/* An empty slice: what was live before it. */
	if (start == to)
		want = naive(w, to, to, -1, -1, peak);
	x->bad |= !same(&s->all[DOMAINS], &want, "slice", 0);
	for (size_t i = 0; i < s->n_cells; i++) {
		const struct aggregate_cell *c = &a->cells[s->cells[i]];
		struct sums got;

		want = naive(w, start, to, (int)c->stack, -1, EVENTS);
		aggregate_slice_sums(a, i, &got);
		x->bad |= !same(&got, &want, "cell of a slice", SUMS_PEAK);
		x->cells_seen += got.v[SUM_ENTRIES];
	}
	return ST_OK;
}

static void run(struct twin *w, enum slicing slicing, unsigned split)
{
	struct watch x = {.w = w};
	struct aggregate a;
	struct err e = ERR_INIT;

	aggregate_init(&a, &(struct aggregate_options){.select = w->selecting ? &w->select : NULL,
						       .split = split,
						       .want = SUMS_ALL,
						       .slicing = slicing,
						       .slice_cells = true,
						       .done = split ? whole : NULL,
						       .arg = &x,
						       .slice = slice,
						       .slice_arg = &x});
	CHECK_EQ(a.sink.begin(&a.sink, w->t, &e), ST_OK);
	for (size_t i = 0; i < w->n; i++)
		CHECK_EQ(sink_event(&a.sink, w->t, &w->ev[i], &e), ST_OK);
	CHECK_EQ(a.sink.end(&a.sink, w->t, &e), ST_OK);
	if (x.bad) {
		printf("# events, selecting %d:\n", w->selecting);
		for (size_t i = 0; i < w->n; i++)
			printf("# %zu kind %u stack %u thread %u address %llu time %lld frame %lld "
			       "chosen %d after %d end %zu requested %llu real %llu\n",
			       i, w->ev[i].kind, w->ev[i].stack, w->ev[i].thread,
			       (unsigned long long)w->ev[i].address, (long long)w->ev[i].time,
			       (long long)w->frame[i], w->chosen[i], w->after[i], w->end_of[i],
			       (unsigned long long)w->ev[i].requested,
			       (unsigned long long)w->ev[i].real);
		exit(1);
	}
	if (slicing) {
		uint64_t all = 0;

		for (size_t i = 0; i < w->n; i++)
			all += counts(w, i);
		CHECK_EQ(x.cells_seen, all);
	}
	aggregate_release(&a);
}

static struct trace *make_trace(void)
{
	struct trace *t = trace_new();
	struct location l = {.space = SPACE_RUNTIME};

	for (uint32_t i = 1; i < STACKS; i++) {
		l.raw = i;
		trace_stack(t, 0, trace_location(t, &l));
	}
	for (uint32_t i = 1; i < THREADS; i++)
		trace_thread(t, &(struct thread){.tid = 100 + i});
	for (int m = METRIC_COUNT; m <= METRIC_LIVE; m++)
		trace_metric(t, (enum metric)m, METRIC_EXACT, METRIC_AT_ALL);
	return t;
}

static void rounds(enum slicing slicing, unsigned split, bool selecting)
{
	for (int round = 0; round < 4000; round++) {
		struct twin w = {.t = make_trace()};

		draw(&w);
		if (selecting)
			draw_selection(&w);
		else
			selection_init(&w.select);
		judge(&w);
		run(&w, slicing, split);
		selection_release(&w.select);
		trace_free(w.t);
	}
}

TEST(every_sum_of_every_cell)
{
	seed = 1;
	rounds(SLICE_NONE, SPLIT_THREAD, false);
}

TEST(every_sum_in_ranges)
{
	seed = 2;
	rounds(SLICE_NONE, SPLIT_THREAD, true);
}

TEST(every_sum_by_frames)
{
	seed = 3;
	rounds(SLICE_FRAMES, 0, false);
}

TEST(every_sum_by_frames_in_ranges)
{
	seed = 4;
	rounds(SLICE_FRAMES, 0, true);
}

TEST_MAIN()
