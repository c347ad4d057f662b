/* SPDX-License-Identifier: MIT
 *
 *	many [--stacks N] [--locations N] [--depth N] [--fanout N] [--as trace|folded]
 *
 * Writes a capture of many stacks and locations to standard output: the same bytes for the same
 * options. Stacks are chains of --depth calls; of chains the first --fanout begin at the root, the
 * next hang from the end of the first, and so on. Each chain's end has one allocation (folded: one
 * sample). Stack i is at location i, counted around; --fanout times --depth is at most --locations,
 * so that no two stacks are the same. Addresses of a trace are in no module; the names of folded
 * text are "f" and the location's number.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/trace/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t stacks = 1000, locations = 1000, depth = 1, fanout;

static void fail(const char *what)
{
	fprintf(stderr, "many: %s\n", what);
	exit(2);
}

/* Stacks are numbered from 1, as are locations. */
static uint64_t parent_of(uint64_t stack)
{
	uint64_t chain = (stack - 1) / depth;

	if ((stack - 1) % depth)
		return stack - 1;
	return chain < fanout ? 0 : chain / fanout * depth;
}

static uint64_t location_of(uint64_t stack)
{
	return 1 + (stack - 1) % locations;
}

static bool has_event(uint64_t stack)
{
	return stack % depth == 0 || stack == stacks;
}

static void write_trace(void)
{
	struct writer *w = writer_new(stdout);
	struct sink *sink = writer_sink(w);
	struct trace *t = trace_new();
	struct err e = ERR_INIT;

	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	for (uint64_t i = 1; i <= locations; i++) {
		struct location l = {
		    .raw = 0x5500000000u + i * 16, .space = SPACE_RUNTIME, .kind = LOCATION_RETURN};

		VEC_PUSH(t->locations, t->n_locations, t->cap_locations) = l;
	}
	for (uint64_t i = 1; i <= stacks; i++)
		VEC_PUSH(t->stacks, t->n_stacks, t->cap_stacks) = (struct stack){
		    .parent = (uint32_t)parent_of(i), .location = (uint32_t)location_of(i)};
	if (sink->begin(sink, t, &e))
		fail(e.msg);
	for (uint64_t i = 1; i <= stacks; i++) {
		struct event ev = {.kind = EV_ALLOC,
				   .has = EV_HAS_COUNT | EV_HAS_REQUESTED | EV_HAS_STACK,
				   .stack = (uint32_t)i,
				   .count = 1,
				   .requested = 1 + i % 1000};

		if (has_event(i) && sink_event(sink, t, &ev, &e))
			fail(e.msg);
	}
	if (sink->end(sink, t, &e))
		fail(e.msg);
	trace_free(t);
	writer_free(w);
}

static void write_folded(void)
{
	uint64_t *path = NULL;
	size_t cap = 0;

	for (uint64_t i = 1; i <= stacks; i++) {
		size_t n = 0;

		if (!has_event(i))
			continue;
		for (uint64_t s = i; s; s = parent_of(s))
			VEC_PUSH(path, n, cap) = location_of(s);
		while (n--)
			printf("f%" PRIu64 "%s", path[n], n ? ";" : "");
		printf(" %" PRIu64 "\n", 1 + i % 1000);
	}
	free(path);
}

int main(int argc, char **argv)
{
	const struct {
		const char *word;
		uint64_t *to;
	} options[] = {
	    {"--stacks", &stacks},
	    {"--locations", &locations},
	    {"--depth", &depth},
	    {"--fanout", &fanout},
	};
	bool folded = false;

	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		bool known = !strcmp(argv[i], "--as");

		folded |= known && !strcmp(value, "folded");
		for (size_t k = 0; k < sizeof options / sizeof *options; k++)
			if (!strcmp(argv[i], options[k].word))
				known = num_auto(value, strlen(value), options[k].to);
		if (!known)
			fail("see the comment at the top of testdata/gen/many.c");
	}
	if (!stacks || !locations || !depth || stacks >= UINT32_MAX || locations >= UINT32_MAX ||
	    depth > locations)
		fail("numbers from 1 to 2^32 - 2, --depth at most --locations");
	fanout = fanout ? fanout : locations / depth;
	if (fanout > locations / depth)
		fail("--fanout times --depth is at most --locations");
	if (folded)
		write_folded();
	else
		write_trace();
	if (fclose(stdout))
		fail("write error");
	return 0;
}
