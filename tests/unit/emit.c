/* SPDX-License-Identifier: MIT
 *
 * The emit layer (formats/emit.h): the fields of each event, against events written by hand; and tables of
 * losses (lib/trace/losses.h).
 */
#include "formats/emit.h"
#include "tests/unit/test.h"
#include "tests/unit/trace.h"

static struct import import_to(struct collector *c)
{
	return (struct import){.t = trace_new(), .sink = &c->sink};
}

static void check_events(const struct collector *c, const struct event *want, size_t n)
{
	CHECK_EQ(c->n, n);
	for (size_t i = 0; i < n && i < c->n; i++)
		CHECK(event_equal(&c->events[i], &want[i]));
}

TEST(absent_fields)
{
	struct collector c = collector(NULL);
	struct import im = import_to(&c);
	struct err e = ERR_INIT;
	const struct event want[] = {
	    {.kind = EV_ALLOC, .count = 1},
	    {.kind = EV_FREE, .has = EV_HAS_ADDRESS, .count = 1},
	    {.kind = EV_SAMPLE, .count = 1},
	    {.kind = EV_ENTER, .count = 1},
	    {.kind = EV_EXIT, .count = 1},
	    {.kind = EV_FRAME, .count = 1},
	    {.kind = EV_OBJECT, .has = EV_HAS_ADDRESS, .count = 1},
	    {.kind = EV_REFERENCE, .has = EV_HAS_ADDRESS | EV_HAS_TARGET, .count = 1},
	};

	CHECK_EQ(emit_alloc(&im, &(struct emit_alloc){.stack = 0}, &e), ST_OK);
	CHECK_EQ(emit_free(&im, &(struct emit_free){.address = 0}, &e), ST_OK);
	CHECK_EQ(emit_sample(&im, &(struct emit_sample){.stack = 0}, &e), ST_OK);
	CHECK_EQ(emit_enter(&im, &(struct emit_call){.stack = 0}, &e), ST_OK);
	CHECK_EQ(emit_exit(&im, &(struct emit_call){.stack = 0}, &e), ST_OK);
	CHECK_EQ(emit_frame(&im, ABSENT, ABSENT, &e), ST_OK);
	CHECK_EQ(emit_object(&im, &(struct emit_object){.id = 0}, &e), ST_OK);
	CHECK_EQ(emit_reference(&im, 0, 0, 0, ABSENT, &e), ST_OK);
	check_events(&c, want, sizeof want / sizeof *want);
	CHECK_EQ(im.t->events[EV_ALLOC], 1);
	trace_free(im.t);
	collector_release(&c);
}

/* A known 0 is there. */
TEST(known_zero)
{
	struct collector c = collector(NULL);
	struct import im = import_to(&c);
	struct err e = ERR_INIT;
	const struct event want[] = {
	    {.kind = EV_ALLOC,
	     .domain = DOMAIN_LUA,
	     .has = EV_HAS_SEQ | EV_HAS_ADDRESS | EV_HAS_REQUESTED | EV_HAS_REAL | EV_HAS_TYPE |
		    EV_HAS_STACK | EV_HAS_TIME | EV_HAS_COUNT | EV_HAS_THREAD | EV_HAS_DOMAIN,
	     .type = 3,
	     .stack = 1,
	     .thread = 2,
	     .time = -5,
	     .address = 0x1000,
	     .requested = 8},
	    {.kind = EV_DELTA,
	     .domain = DOMAIN_MONO,
	     .has = EV_HAS_STACK | EV_HAS_VALUE | EV_HAS_DOMAIN,
	     .stack = 1,
	     .count = 1,
	     .value = -9},
	};

	emit_alloc(&im,
		   &(struct emit_alloc){.stack = 1,
					.thread = 2,
					.type = 3,
					.time = KNOWN(-5),
					.seq = KNOWN(0),
					.address = KNOWN(0x1000),
					.count = KNOWN_IF(true, 0),
					.requested = KNOWN(8),
					.real = KNOWN(0),
					.domain = KNOWN(DOMAIN_LUA)},
		   &e);
	emit_delta(&im,
		   &(struct emit_delta){
		       .stack = 1, .domain = DOMAIN_MONO, .bytes = -9, .calls = KNOWN_IF(false, 7)},
		   &e);
	check_events(&c, want, sizeof want / sizeof *want);
	trace_free(im.t);
	collector_release(&c);
}

/* Samples beside a time are in `real`, and else in `count` (lib/trace/event.h). */
TEST(samples)
{
	struct collector c = collector(NULL);
	struct import im = import_to(&c);
	struct err e = ERR_INIT;
	uint64_t n;

	emit_samples(&im, 1, 2, 30, &e);
	emit_sample(&im, &(struct emit_sample){.self = KNOWN(5), .samples = KNOWN(40)}, &e);
	emit_sample(&im, &(struct emit_sample){.total = KNOWN(5), .calls = KNOWN(50)}, &e);
	CHECK_EQ(c.n, 3);
	CHECK(event_samples(&c.events[0], &n));
	CHECK_EQ(n, 30);
	CHECK_EQ(c.events[0].has, EV_HAS_STACK | EV_HAS_TYPE | EV_HAS_COUNT);
	CHECK(event_samples(&c.events[1], &n));
	CHECK_EQ(n, 40);
	CHECK(!event_samples(&c.events[2], &n));
	CHECK_EQ(c.events[2].count, 50);
	trace_free(im.t);
	collector_release(&c);
}

TEST(counters)
{
	struct collector c = collector(NULL);
	struct import im = import_to(&c);
	struct err e = ERR_INIT;
	uint32_t rss = emit_counter_id(&im, "process.rss", "B");

	CHECK_EQ(emit_counter_id(&im, "process.rss", "B"), rss);
	emit_counter(&im, rss, KNOWN(7), -1, &e);
	emit_decimal(&im, rss, ABSENT, decimal_join(33, 400000000000000000), &e);
	CHECK_EQ(c.n, 2);
	CHECK_EQ(c.events[0].has, EV_HAS_TYPE | EV_HAS_TIME | EV_HAS_VALUE);
	CHECK_EQ(c.events[0].value, -1);
	CHECK_EQ(c.events[1].value, 33);
	CHECK_EQ(c.events[1].target, 4);
	trace_free(im.t);
	collector_release(&c);
}

TEST(named)
{
	struct trace *t = trace_new();
	uint32_t f = trace_strz(t, "f"), file = trace_strz(t, "f.c");
	uint32_t known = emit_named(t, f, file, 12), unknown = emit_named(t, 0, 0, 0);

	CHECK_EQ(t->locations[known].space, SPACE_NAME);
	CHECK_EQ(t->locations[known].line, 12);
	CHECK_EQ(t->locations[unknown].space, SPACE_UNKNOWN);
	CHECK_EQ(emit_named(t, f, file, 12), known);
	trace_free(t);
}

TEST(losses)
{
	struct trace *t = trace_new();
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, 3, "things are odd"),
	    LOSS(NOTE_LOSS, 0, "things are even"),
	    LOSS_WITH(NOTE_INFO, 2, "the first is line {}, 50 % of all", 77),
	    LOSS_WITH(NOTE_INFO, 1, "{} ns", -4),
	    LOSS_IF(NOTE_GUESS, 9 > 1, "the file is cut"),
	    LOSS_IF(NOTE_GUESS, false, "the file is whole"),
	};
	static const struct {
		uint64_t count;
		const char *text;
		enum severity severity;
	} want[] = {
	    {3, "things are odd", NOTE_LOSS},
	    {2, "the first is line 77, 50 % of all", NOTE_INFO},
	    {1, "-4 ns", NOTE_INFO},
	    {0, "the file is cut", NOTE_GUESS},
	};

	TRACE_LOSSES(t, losses);
	TRACE_LOSSES(NULL, losses);
	CHECK_EQ(t->n_notes, 4);
	for (size_t i = 0; i < 4 && i < t->n_notes; i++) {
		CHECK_EQ(t->notes[i].severity, want[i].severity);
		CHECK_EQ(t->notes[i].count, want[i].count);
		CHECK_STR(t->notes[i].text, want[i].text);
	}
	trace_free(t);
}

TEST_MAIN()
