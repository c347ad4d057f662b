/* SPDX-License-Identifier: MIT
 *
 * open_calls.c against a naive twin that keeps all open calls with their sums and looks through all
 * of them; and what aggregates measure of calls, against times that are known.
 */
#include "lib/tally/open_calls.h"

#include "lib/base/buf.h"
#include "lib/tally/tally.h"
#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	return (uint32_t)lcg_below(&seed, n);
}

/* One stack, 1; it lives as long as the program. */
static const struct trace *some_trace(void)
{
	static struct trace *t;

	if (!t) {
		t = trace_new();
		trace_stack(t, 0, trace_location(t, &(struct location){.raw = 0x10}));
	}
	return t;
}

static void enter(struct open_calls *n, uint32_t type)
{
	open_calls_enter(n, open_calls_thread(n, 0), &(struct open_call){.type = type});
}

TEST(recursion)
{
	struct open_calls n = {.n = 0};
	struct open_thread *t;

	for (int i = 0; i < 3; i++)
		enter(&n, 7);
	t = open_calls_thread(&n, 0);
	for (int i = 3; i; i--) { /* an exit ends one call only, the innermost */
		CHECK_EQ(open_calls_exit(&n, t, some_trace(), 7, 0), 1);
		open_calls_top(t)->total += 10;
		CHECK_EQ(open_calls_pop(t).total, 10 * (4 - i));
		CHECK_EQ(t->n, i - 1);
	}
	CHECK_EQ(open_calls_exit(&n, t, some_trace(), 7, 0), 0);
	CHECK_EQ(open_calls_exit(&n, t, some_trace(), 0, 0), 0);
	CHECK_EQ(n.orphans, 2);
	CHECK_EQ(n.unclosed, 0);
	open_calls_release(&n);
}

TEST(unbalanced)
{
	struct open_calls n = {.n = 0};
	struct open_thread *t;

	for (uint32_t i = 1; i <= 4; i++)
		enter(&n, i);
	t = open_calls_thread(&n, 0);
	CHECK_EQ(open_calls_exit(&n, t, some_trace(), 9, 0), 0); /* of no open call */
	CHECK_EQ(open_calls_exit(&n, t, some_trace(), 4, 1), 0); /* of another stack */
	CHECK_EQ(n.orphans, 2);
	CHECK_EQ(open_calls_exit(&n, t, some_trace(), 2, 0), 3); /* 4 and 3 end with 2 */
	CHECK_EQ(n.unclosed, 2);
	for (uint32_t i = 4; i >= 2; i--)
		CHECK_EQ(open_calls_pop(t).type, i);
	CHECK_EQ(open_calls_exit(&n, t, some_trace(), 0, 0), 1); /* does not say of what */
	CHECK_EQ(open_calls_pop(t).type, 1);
	CHECK(open_calls_top(t) == NULL);
	open_calls_reset(&n);
	CHECK_EQ(n.orphans + n.unclosed, 0);
	open_calls_release(&n);
}

TEST(time_goes_back)
{
	struct open_calls n = {.n = 0};
	struct open_thread *t = open_calls_thread(&n, 3), *u;

	CHECK_EQ(open_calls_elapsed(&n, t, 100), 0); /* nothing came before */
	CHECK_EQ(open_calls_elapsed(&n, t, 130), 30);
	CHECK_EQ(open_calls_elapsed(&n, t, 90), 0);
	CHECK_EQ(open_calls_elapsed(&n, t, 95), 5); /* from there on */
	CHECK_EQ(n.backward, 1);
	u = open_calls_thread(&n, 200); /* another thread's clock */
	CHECK_EQ(open_calls_elapsed(&n, u, 1), 0);
	CHECK_EQ(n.backward, 1);
	t = open_calls_thread(&n, 3);
	CHECK_EQ(open_calls_elapsed(&n, t, INT64_MIN), 0);
	CHECK_EQ(open_calls_elapsed(&n, t, INT64_MAX), 0); /* more than 64 bits */
	CHECK_EQ(n.backward, 3);
	open_calls_release(&n);
}

TEST(depth_is_bounded)
{
	struct open_calls n = {.n = 0};
	struct open_thread *t;
	size_t ended = 0;

	for (int i = 0; i < OPEN_CALLS_DEPTH + 10; i++)
		enter(&n, 1);
	t = open_calls_thread(&n, 0);
	CHECK_EQ(t->n, OPEN_CALLS_DEPTH);
	CHECK(t->cap <= 2 * OPEN_CALLS_DEPTH);
	CHECK_EQ(n.too_deep, 10);
	CHECK_EQ(t->deep, 10);
	for (int i = 0; i < 10; i++) /* of those that are not kept, whatever they say */
		CHECK_EQ(open_calls_exit(&n, t, some_trace(), i & 1 ? 1 : 5, 0), 0);
	CHECK_EQ(n.orphans, 0);
	for (size_t k; (k = open_calls_exit(&n, t, some_trace(), 1, 0)); ended += k)
		open_calls_pop(t);
	CHECK_EQ(ended, OPEN_CALLS_DEPTH);
	CHECK_EQ(n.unclosed, 0);
	open_calls_release(&n);
}

/* 10,000 levels are searched; 65,536 are as often as the credit lasts: 16 steps for each enter, of
 * which a search to the outermost takes all but the first 4,096. */
TEST(search_is_bounded)
{
	enum { BEYOND = OPEN_CALLS_DEPTH - OPEN_CALLS_SEARCH };
	struct open_calls n = {.n = 0};
	struct open_thread *t;

	for (uint32_t i = 0; i < 10000; i++)
		enter(&n, 1 + !!i);
	CHECK_EQ(open_calls_exit(&n, open_calls_thread(&n, 0), some_trace(), 1, 0), 10000);
	CHECK_EQ(n.unclosed, 9999);
	open_calls_reset(&n);

	enter(&n, 1);
	for (int i = 0; i < OPEN_CALLS_DEPTH - OPEN_CALLS_SEARCH - 1; i++)
		enter(&n, 2);
	enter(&n, 3);
	for (int i = 0; i < OPEN_CALLS_SEARCH - 1; i++)
		enter(&n, 4);
	t = open_calls_thread(&n, 0);
	for (int i = 0; i <= 16 * OPEN_CALLS_DEPTH / BEYOND; i++)
		CHECK_EQ(open_calls_exit(&n, t, some_trace(), 9, 0), 0);
	CHECK_EQ(n.credit, 0);
	CHECK_EQ(open_calls_exit(&n, t, some_trace(), 1, 0),
		 0); /* it is there, and too far out by now */
	CHECK_EQ(open_calls_exit(&n, t, some_trace(), 2, 0), 0); /* one too far */
	CHECK_EQ(open_calls_exit(&n, t, some_trace(), 3, 0), OPEN_CALLS_SEARCH);
	open_calls_release(&n);
}

/* Every call's total is the sum of the times that passed while it was open. */
static void against_twin(void)
{
	enum { DEPTH = 12 };
	struct {
		uint32_t type;
		int64_t total;
	} open[DEPTH];
	struct open_calls n = {.n = 0};
	struct open_thread *t = open_calls_thread(&n, 0);
	uint64_t orphans = 0, unclosed = 0;
	size_t depth = 0;
	int64_t now = 0;

	for (int i = 0; i < 300; i++) {
		uint32_t type = 1 + pick(4);
		int64_t ns = pick(9);
		size_t at = depth, ends;

		now += ns;
		for (size_t k = 0; k < depth; k++)
			open[k].total += i ? ns : 0;
		ns = open_calls_elapsed(&n, t, now);
		if (open_calls_top(t))
			open_calls_top(t)->total += ns;
		if (depth < DEPTH && pick(2)) {
			open[depth].type = type;
			open[depth++].total = 0;
			CHECK(open_calls_enter(&n, t, &(struct open_call){.type = type}));
			continue;
		}
		while (at && open[at - 1].type != type)
			at--;
		orphans += !at;
		unclosed += at ? depth - at : 0;
		ends = open_calls_exit(&n, t, some_trace(), type, 0);
		CHECK_EQ(ends, at ? depth - at + 1 : 0);
		for (; ends && depth; ends--) {
			struct open_call c = open_calls_pop(t);

			depth--;
			CHECK_EQ(c.type, open[depth].type);
			CHECK_EQ(c.total, open[depth].total);
		}
	}
	CHECK_EQ(n.orphans, orphans);
	CHECK_EQ(n.unclosed, unclosed);
	CHECK_EQ(n.backward, 0);
	open_calls_release(&n);
}

TEST(random_calls)
{
	for (seed = 1; seed < 200; seed++) {
		uint64_t keep = seed;

		against_twin();
		seed = keep;
	}
}

/* --- what an aggregate makes of it --- */

struct run {
	struct tally a;
	struct trace *t;
	uint32_t stacks[8]; /* by name's letter from 'A' on: outermost first, a chain */
	struct buf got;     /* "STACK self total calls" lines, by letter; then notes */
};

static enum status read_cells(void *arg, struct trace *t, struct tally *a, struct err *e)
{
	struct run *r = arg;

	(void)e;
	for (int k = 0; k < 8; k++)
		for (size_t i = 0; i < a->n_cells; i++) {
			const struct tally_measure *m = tally_timed(a, i);

			if (m && r->stacks[k] && a->cells[i].stack == r->stacks[k])
				buf_addf(&r->got, "%c %lld %llu %llu\n", 'A' + k,
					 (long long)m->self, (unsigned long long)m->total,
					 (unsigned long long)m->calls);
		}
	for (size_t i = 0; i < t->n_notes; i++)
		buf_addf(&r->got, "%llu %.5s\n", (unsigned long long)t->notes[i].count,
			 t->notes[i].text);
	return ST_OK;
}

static void run_begin(struct run *r, uint64_t hook_cost)
{
	struct err e = ERR_INIT;
	uint32_t stack = 0;

	*r = (struct run){.t = trace_new()};
	for (int k = 0; k < 8; k++) {
		char name[] = {(char)('A' + k), '\0'};
		struct location l = {.space = SPACE_NAME, .name = trace_strz(r->t, name)};

		stack = trace_stack(r->t, stack, trace_location(r->t, &l));
		r->stacks[k] = stack;
	}
	trace_metric(r->t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	tally_init(&r->a,
		   &(struct tally_options){
		       .want = TALLY_TOP, .hook_cost = hook_cost, .done = read_cells, .arg = r});
	CHECK_EQ(r->a.sink.begin(&r->a.sink, r->t, &e), ST_OK);
}

static void push(struct run *r, const struct event *ev)
{
	struct err e = ERR_INIT;

	CHECK_EQ(sink_event(&r->a.sink, r->t, ev, &e), ST_OK);
}

/* A call begins ('>') or ends ('<'), at a time in ns. */
static void call(struct run *r, char what, char letter, int64_t time)
{
	push(r, &(struct event){.kind = what == '>' ? EV_ENTER : EV_EXIT,
				.has = EV_HAS_STACK | EV_HAS_TIME,
				.stack = r->stacks[letter - 'A'],
				.time = time,
				.count = 1});
}

static void sample(struct run *r, char letter, int64_t total, uint64_t self, uint64_t calls)
{
	push(r, &(struct event){.kind = EV_SAMPLE,
				.has = EV_HAS_STACK | EV_HAS_VALUE | EV_HAS_TARGET | EV_HAS_COUNT,
				.stack = r->stacks[letter - 'A'],
				.value = total,
				.target = self,
				.count = calls});
}

static void run_end(struct run *r, const char *want)
{
	struct err e = ERR_INIT;

	CHECK_EQ(r->a.sink.end(&r->a.sink, r->t, &e), ST_OK);
	CHECK_STR(buf_str(&r->got), want);
	tally_release(&r->a);
	trace_free(r->t);
	buf_release(&r->got);
}

/* The seed's example: A takes 30, of which B takes 10. */
TEST(self_and_total)
{
	struct run r;

	run_begin(&r, 0);
	call(&r, '>', 'A', 1000);
	call(&r, '>', 'B', 1010);
	call(&r, '<', 'B', 1020);
	call(&r, '<', 'A', 1030);
	run_end(&r, "A 20 30 1\nB 10 10 1\n");
}

/* Recursion is another path, whatever the enters' own stacks are: [A] has 5 + 10 of its own and
 * takes 35, [A > A] 20. */
TEST(recursion_is_a_path)
{
	struct run r;

	run_begin(&r, 0);
	call(&r, '>', 'A', 0);
	call(&r, '>', 'A', 10);
	call(&r, '<', 'A', 30);
	call(&r, '<', 'A', 35);
	r.stacks[1] = trace_stack(r.t, r.stacks[0], r.t->stacks[r.stacks[0]].location);
	run_end(&r, "A 15 35 1\nB 20 20 1\n");
}

/* A library was loaded meanwhile: the same address and name, in another epoch. */
TEST(another_epoch)
{
	struct trace *t = trace_new();
	struct open_calls n = {.n = 0};
	struct open_thread *th = open_calls_thread(&n, 0);
	uint32_t at[3];

	for (uint32_t i = 0; i < 3; i++)
		at[i] = trace_stack(
		    t, 0,
		    trace_location(t, &(struct location){.raw = 0x40 + i / 2, .epoch = i % 2}));
	CHECK(at[0] != at[1]);
	open_calls_enter(&n, th, &(struct open_call){.stack = at[0]});
	CHECK_EQ(open_calls_exit(&n, th, t, 0, at[2]), 0); /* another address */
	CHECK_EQ(open_calls_exit(&n, th, t, 0, at[1]), 1);
	open_calls_release(&n);
	trace_free(t);
}

/* What calls are called by: a name that the location has; else the marker's; else nothing. */
TEST(names_of_calls)
{
	struct trace *t = trace_new();
	struct open_calls n = {.n = 0};
	struct open_thread *th = open_calls_thread(&n, 0);
	uint32_t f =
	    trace_location(t, &(struct location){.space = SPACE_NAME, .name = trace_strz(t, "f")});
	uint32_t raw = trace_location(t, &(struct location){.raw = 0x40, .kind = LOCATION_ENTRY});
	uint32_t m = trace_marker(t, &(struct marker){.name = trace_strz(t, "mark")});
	uint32_t blank = trace_marker(t, &(struct marker){.category = trace_strz(t, "method")});
	uint32_t of_f = trace_stack(t, 0, f), of_raw = trace_stack(t, 0, raw), both, path;

	CHECK_EQ(open_calls_location(&n, t, 0, of_f), f);
	CHECK_EQ(open_calls_location(&n, t, m, of_f), f);
	CHECK_EQ(open_calls_location(&n, t, 0, of_raw), raw);
	CHECK_EQ(open_calls_location(&n, t, blank, of_raw), raw);
	both = open_calls_location(&n, t, m, of_raw);
	CHECK_STR(trace_text(t, t->locations[both].name), "mark");
	CHECK_EQ(t->locations[both].raw, 0x40);
	path = open_calls_location(&n, t, m, 0);
	CHECK_STR(trace_text(t, t->locations[path].name), "mark");
	path = open_calls_location(&n, t, blank, 0);
	CHECK_EQ(t->locations[path].space, SPACE_UNKNOWN);

	path = open_calls_path(&n, th, t, 0, of_f); /* a path of one call is its own stack */
	CHECK_EQ(path, of_f);
	open_calls_enter(&n, th, &(struct open_call){.path = path, .stack = of_f});
	path = open_calls_path(&n, th, t, m, 0);
	CHECK_EQ(t->stacks[path].parent, of_f);
	CHECK_EQ(open_calls_path(&n, th, t, 0, of_f), trace_stack(t, of_f, f));
	CHECK_EQ(open_calls_path(&n, th, t, m, 0), path);
	open_calls_release(&n);
	trace_free(t);
}

TEST(no_exit)
{
	struct run r;

	run_begin(&r, 0);
	call(&r, '>', 'A', 0);
	call(&r, '>', 'B', 10);
	call(&r, '<', 'A', 25); /* B ended with it */
	call(&r, '<', 'C', 30);
	call(&r, '>', 'C', 40);
	call(&r, '>', 'D', 42); /* open at the end: up to the last event */
	run_end(&r, "A 10 25 1\nB 15 15 1\nC 2 2 1\nD 0 0 1\n2 calls\n1 calls\n1 exits\n");
}

TEST(backwards)
{
	struct run r;

	run_begin(&r, 0);
	call(&r, '>', 'A', 100);
	call(&r, '>', 'B', 120);
	call(&r, '<', 'B', 90);
	call(&r, '<', 'A', 130);
	run_end(&r, "A 60 60 1\nB 0 0 1\n1 times\n");
}

/* The profiler took 3 ns for each call, in its caller's time. */
TEST(hook_cost)
{
	struct run r;

	run_begin(&r, 3);
	call(&r, '>', 'A', 0);
	for (int i = 0; i < 2; i++) {
		call(&r, '>', 'B', 10 + 20 * i);
		call(&r, '>', 'C', 11 + 20 * i);
		call(&r, '<', 'C', 15 + 20 * i);
		call(&r, '<', 'B', 20 + 20 * i);
	}
	call(&r, '<', 'A', 50);
	/* A: 30 - 2 x 3; B: 2 x (1 + 5) - 2 x 3; C has no calls below it. */
	run_end(&r, "A 24 38 1\nB 6 14 2\nC 8 8 2\n");
}

TEST(hook_cost_is_more_than_the_time)
{
	struct run r;

	run_begin(&r, 100);
	call(&r, '>', 'A', 0);
	call(&r, '>', 'B', 10);
	call(&r, '<', 'B', 20);
	call(&r, '<', 'A', 30);
	run_end(&r, "A -80 0 1\nB 10 10 1\n1 paths\n");
}

/* Samples come with the caller before or after what it calls. */
TEST(hook_cost_of_samples)
{
	struct run r;

	run_begin(&r, 2);
	sample(&r, 'A', 100, 60, 1);
	sample(&r, 'B', 40, 40, 5);
	run_end(&r, "A 50 100 1\nB 40 40 5\n");
	run_begin(&r, 2);
	sample(&r, 'B', 40, 40, 5);
	sample(&r, 'A', 100, 60, 1);
	run_end(&r, "A 50 100 1\nB 40 40 5\n");
}

TEST_MAIN()
