/* SPDX-License-Identifier: MIT
 *
 * A generator of traces, to standard output: the same bytes for the same options.
 *
 *	trace [--seed N] [--events N] [--captures N]     every kind of row and event, at random
 *	trace --corpus DIR                               small ones, for fuzzing, as files in DIR
 *	trace --allocs N [--live N] [--stacks N] [--frames N] [--seed N]
 *	      allocations and frees of N events, at most --live blocks at a time; --live 0:
 *	      allocations alone, of a capture that knows no frees (for the benchmark)
 *	... --rich 1
 *	      and their times, threads, real sizes, functions, files, a second domain, a counter, frees of
 *	      nothing and of what is not known, blocks without an address
 *	trace --module NAME --build-id HEX --base N --address N
 *	      one allocation at that address, in a module mapped from base on
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/trace/writer.h"
#include "testdata/gen/random_trace.h"

#include <stdbool.h>
#include <stdlib.h>

static void fail(const char *what)
{
	fprintf(stderr, "trace: %s\n", what);
	exit(2);
}

static void captures(FILE *out, uint64_t seed, uint64_t events, uint64_t n)
{
	struct err e = ERR_INIT;

	for (uint64_t i = 0; i < n; i++) {
		struct writer *w = writer_new(out);
		struct trace *t = trace_new();

		if (draw_capture(seed + i, events, t, writer_sink(w), &e))
			fail(e.msg);
		trace_free(t);
		writer_free(w);
	}
}

static void corpus(const char *dir)
{
	for (unsigned i = 0; i < 24; i++) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof path, "%s/%u-events-%u", dir, i, i * i);
		f = fopen(path, "wb");
		if (!f)
			fail("cannot write the corpus");
		captures(f, i, (uint64_t)i * i, 1 + i % 2);
		if (fclose(f))
			fail("cannot write the corpus");
	}
}

/* n stacks for events, which share their outer halves, as real ones do. Their callers are further
 * rows of the table. */
static uint32_t *bench_stacks(uint64_t *state, struct trace *t, uint64_t n, bool rich)
{
	uint32_t *leaves = mem_array(n, sizeof *leaves);
	struct location l = {.space = SPACE_RUNTIME, .kind = LOCATION_RETURN};
	char name[64];

	while (t->n_locations < 20000) {
		l.raw = 0x5500000000u + draw_below(state, 64 << 20);
		if (rich) {
			unsigned i = (unsigned)t->n_locations;

			snprintf(name, sizeof name, "Ns%u::Class%u::method%u", i % 17, i % 501,
				 i % 3001);
			l = (struct location){.space = SPACE_NAME, .line = i};
			l.name = trace_strz(t, name);
			snprintf(name, sizeof name, "src/part%u.cc", i % 301);
			l.file = trace_strz(t, name);
		}
		trace_location(t, &l);
	}
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof name, "Type%d", i);
		trace_type(t, name, strlen(name));
	}
	for (uint64_t i = 0; i < n; i++) {
		uint32_t stack = t->n_stacks > 1000 ? draw_below(state, t->n_stacks) : 0;

		for (uint32_t k = 1 + draw_below(state, 8); k; k--)
			stack = trace_stack(t, stack, 1 + draw_below(state, t->n_locations - 1));
		leaves[i] = stack;
	}
	return leaves;
}

static struct event bench_frame(uint64_t number, int64_t time, bool rich)
{
	return (struct event){.kind = EV_FRAME,
			      .has = EV_HAS_VALUE | (rich ? EV_HAS_TIME : 0),
			      .value = (int64_t)number,
			      .time = time};
}

/* What --rich adds to an event of a block; which: of those at work. */
static void enrich(struct event *ev, uint64_t which, int64_t time, uint64_t *state)
{
	bool alloc = ev->kind == EV_ALLOC;

	ev->has |= EV_HAS_TIME | EV_HAS_THREAD | EV_HAS_DOMAIN;
	ev->time = time;
	ev->thread = 1 + (uint32_t)draw_below(state, 3);
	ev->domain = which % 5 ? DOMAIN_MALLOC : DOMAIN_POOL;
	if (!alloc) {
		uint32_t odd = draw_below(state, 500);

		ev->address = odd == 1 ? 0 : odd == 2 ? ev->address + 1 : ev->address;
		return;
	}
	ev->has |= EV_HAS_REAL | EV_HAS_COUNT;
	ev->real = (ev->requested + 15) / 16 * 16;
	ev->count = 1 + draw_below(state, 3);
	if (draw_below(state, 300) == 1)
		ev->has &= ~(unsigned)EV_HAS_ADDRESS & EV_FIELDS;
	if (!(ev->has & EV_HAS_ADDRESS))
		ev->address = 0;
}

static void bench_tables(struct trace *t)
{
	for (unsigned i = 0; i < 3; i++) {
		struct thread th = {.tid = 100 + i, .name = trace_strz(t, i ? "Worker" : "Main")};

		trace_thread(t, &th);
	}
	trace_counter(t, &(struct counter){.name = trace_strz(t, "fps")});
	trace_metric(t, METRIC_REAL, METRIC_EXACT, METRIC_AT_ALL);
}

static void allocations(uint64_t seed, uint64_t events, uint64_t live, uint64_t stacks,
			uint64_t frames, bool rich)
{
	struct writer *w = writer_new(stdout);
	struct sink *sink = writer_sink(w);
	struct trace *t = trace_new();
	uint64_t *blocks = mem_zarray(live + 1, sizeof *blocks), state = seed, next = 0x10000;
	uint64_t per_frame = events / frames ? events / frames : 1;
	struct err e = ERR_INIT;
	uint32_t *leaves;

	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	if (live)
		trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	if (rich)
		bench_tables(t);
	leaves = bench_stacks(&state, t, stacks, rich);
	if (sink->begin(sink, t, &e))
		fail(e.msg);
	for (uint64_t i = 0; i < events; i++) {
		uint64_t which = live ? draw_below(&state, live) : 0, *block = &blocks[which];
		struct event ev = {.seq = i + 1, .count = 1};
		int64_t time = (int64_t)i * 1000;

		if (i % per_frame == 0) {
			struct event frame = bench_frame(i / per_frame, time, rich);
			struct event fps = {.kind = EV_COUNTER,
					    .has = EV_HAS_TYPE | EV_HAS_VALUE | EV_HAS_TIME,
					    .type = 1,
					    .value = (int64_t)(i % 61),
					    .time = time + 500};

			if (sink_event(sink, t, &frame, &e) ||
			    (rich && sink_event(sink, t, &fps, &e)))
				fail(e.msg);
		}
		if (*block) {
			ev.kind = EV_FREE;
			ev.has = EV_HAS_SEQ | EV_HAS_ADDRESS;
			ev.address = *block;
			*block = 0;
		} else {
			ev.kind = EV_ALLOC;
			ev.has = EV_HAS_SEQ | EV_HAS_ADDRESS | EV_HAS_REQUESTED | EV_HAS_STACK |
				 EV_HAS_TYPE;
			ev.address = next += 16 + draw_below(&state, 64) * 16;
			*block = live ? ev.address : 0;
			ev.requested = 8 + draw_below(&state, 1000);
			ev.stack = leaves[draw_below(&state, stacks)];
			ev.type = 1 + ev.stack % (uint32_t)(t->n_types - 1);
		}
		if (rich)
			enrich(&ev, which, time, &state);
		if (sink_event(sink, t, &ev, &e))
			fail(e.msg);
	}
	if (sink->end(sink, t, &e))
		fail(e.msg);
	free(blocks);
	free(leaves);
	trace_free(t);
	writer_free(w);
}

static void one_location(const char *name, const char *build_id, uint64_t base, uint64_t address)
{
	struct writer *w = writer_new(stdout);
	struct sink *sink = writer_sink(w);
	struct trace *t = trace_new();
	struct map_range range = {base, base + (16 << 20), 0, true};
	struct module m = {.name = trace_strz(t, name), .ranges = &range, .n_ranges = 1};
	struct location l = {
	    .raw = address, .module = 1, .space = SPACE_RUNTIME, .kind = LOCATION_EXACT};
	struct event ev = {.kind = EV_ALLOC, .has = EV_HAS_REQUESTED | EV_HAS_STACK};
	struct err e = ERR_INIT;
	char bytes[20];
	size_t n = 0;

	for (; build_id[2 * n] && n < sizeof bytes; n++) {
		unsigned byte;

		if (sscanf(build_id + 2 * n, "%2x", &byte) != 1)
			fail("--build-id: not hexadecimal");
		bytes[n] = (char)byte;
	}
	m.build_id = trace_string(t, bytes, n);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_module(t, &m);
	ev.stack = trace_stack(t, 0, trace_location(t, &l));
	ev.requested = 100;
	if (sink->begin(sink, t, &e) || sink_event(sink, t, &ev, &e) || sink->end(sink, t, &e))
		fail(e.msg);
	trace_free(t);
	writer_free(w);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, events = 100, n = 1, allocs = 0, live = 10000, stacks = 1000, frames = 1;
	const char *dir = NULL, *module = NULL, *build_id = "";
	uint64_t base = 0, address = 0, rich = 0;
	const struct {
		const char *word;
		uint64_t *to;
	} options[] = {
	    {"--seed", &seed},     {"--events", &events}, {"--captures", &n},
	    {"--allocs", &allocs}, {"--base", &base},     {"--address", &address},
	    {"--live", &live},     {"--stacks", &stacks}, {"--frames", &frames},
	    {"--rich", &rich},
	};

	for (int i = 1; i < argc; i += 2) {
		bool known = false;

		if (i + 1 == argc)
			fail("an option lacks its value");
		if (!strcmp(argv[i], "--module"))
			module = argv[i + 1];
		if (!strcmp(argv[i], "--build-id"))
			build_id = argv[i + 1];
		if (!strcmp(argv[i], "--module") || !strcmp(argv[i], "--build-id"))
			continue;
		if (!strcmp(argv[i], "--corpus")) {
			dir = argv[i + 1];
			continue;
		}
		for (size_t k = 0; k < sizeof options / sizeof *options; k++)
			if (!strcmp(argv[i], options[k].word))
				known = num_auto(argv[i + 1], strlen(argv[i + 1]), options[k].to);
		if (!known)
			fail("see the comment at the top of testdata/gen/trace.c");
	}
	if (!frames)
		fail("--frames is at least 1");
	if (dir)
		corpus(dir);
	else if (module)
		one_location(module, build_id, base, address);
	else if (allocs)
		allocations(seed, allocs, live, stacks, frames, rich);
	else
		captures(stdout, seed, events, n);
	if (fclose(stdout))
		fail("write error");
	return 0;
}
