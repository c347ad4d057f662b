/* SPDX-License-Identifier: MIT
 *
 * lib/trace/tap.h: the sink behind a tap gets the calls that it would get without one, in every form.
 */
#include "lib/trace/allocs.h"
#include "lib/trace/blocks.h"
#include "lib/trace/tee.h"
#include "tests/unit/test.h"

#include <string.h>

enum { CALLS = 16 };

struct heard {               /* what a sink or a hook got, a letter a call */
	struct sink_tap tap; /* first */
	char calls[CALLS + 1];
	size_t n;
	char fails; /* at this call */
};

static enum status hear(struct heard *h, char call, struct err *e)
{
	if (h->n < CALLS)
		h->calls[h->n++] = call;
	return h->fails == call ? err_set(e, ST_SYS, "full") : ST_OK;
}

static char form(const struct sink_batch *b)
{
	return b->columns ? 'c' : b->moves ? 'm' : b->digest ? 'd' : 'r';
}

static enum status leaf_begin(struct sink *s, struct trace *t, struct err *e)
{
	(void)t;
	return hear((struct heard *)s, 'B', e);
}

static enum status leaf_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			      struct err *e)
{
	(void)t;
	return hear((struct heard *)s, form(b), e);
}

static enum status leaf_end(struct sink *s, struct trace *t, struct err *e)
{
	(void)t;
	return hear((struct heard *)s, 'E', e);
}

static unsigned leaf_wants(struct sink *s, const struct trace *t)
{
	(void)s, (void)t;
	return EV_HAS_STACK | SINK_WANTS_MOVES | SINK_WANTS_DIGESTS;
}

static struct heard leaf(char fails)
{
	return (struct heard){.tap.sink = {leaf_begin, leaf_batch, leaf_end, leaf_wants},
			      .fails = fails};
}

static enum status on_begin(struct sink_tap *tap, struct trace *t, struct err *e)
{
	(void)t;
	return hear((struct heard *)tap, 'B', e);
}

static enum status on_batch(struct sink_tap *tap, struct trace *t, const struct sink_batch *b,
			    struct err *e)
{
	(void)t;
	return hear((struct heard *)tap, form(b), e);
}

static enum status on_end(struct sink_tap *tap, struct trace *t, struct err *e)
{
	(void)t;
	return hear((struct heard *)tap, 'E', e);
}

static void on_ended(struct sink_tap *tap, struct trace *t)
{
	struct err e = ERR_INIT;

	(void)t;
	(void)hear((struct heard *)tap, '.', &e);
}

static const struct tap_hooks every = {on_begin, on_batch, on_end, on_ended}, none = {NULL};

/* One batch of each form, as a pusher does that asks first. */
static enum status push(struct sink *s)
{
	static const struct event ev = {.kind = EV_LOG};
	struct block_kind kind = {.requested = 8, .live = 1};
	const uint32_t move = 0;
	struct sink_allocs a = {.n_free = 2};
	struct sink_blocks b = {.kinds = &kind, .n_kinds = 1, .moves = &move, .n = 1};
	struct trace *t = trace_new();
	struct err e = ERR_INIT;
	enum status st = s->begin(s, t, &e);

	if (!st)
		st = sink_event(s, t, &ev, &e);
	if (!st && sink_wants(s, t) & EV_FIELDS)
		st = sink_allocs(s, t, &a, &e);
	if (!st)
		st = sink_blocks(s, t, &b, &e);
	if (!st) {
		CHECK_EQ(t->events[EV_LOG], 1);
		CHECK_EQ(t->events[EV_ALLOC], 1);
		st = s->end(s, t, &e);
	}
	trace_free(t);
	return st;
}

TEST(hands_every_form_on)
{
	struct heard alone = leaf(0), to = leaf(0), tap = {.n = 0};

	CHECK_EQ(push(&alone.tap.sink), ST_OK);
	CHECK_STR(alone.calls, "BrcmE");
	sink_tap_init(&tap.tap, &to.tap.sink, &every, false);
	CHECK_EQ(push(&tap.tap.sink), ST_OK);
	CHECK_STR(to.calls, alone.calls);
	CHECK_STR(tap.calls, "BrcmE.");
	CHECK(!tap.tap.failed);
}

TEST(hooks_that_look_get_rows)
{
	struct heard to = leaf(0), tap = {.n = 0};

	sink_tap_init(&tap.tap, &to.tap.sink, &every, true);
	CHECK_EQ(push(&tap.tap.sink), ST_OK);
	CHECK_STR(to.calls, "BrrE");
	CHECK_STR(tap.calls, "BrrE.");
}

TEST(a_hook_that_fails_ends_it)
{
	static const char *const behind[] = {"B", "r", "c", "E"}, *const got[] = {"", "B", "Br",
										  "Brcm"};

	for (size_t i = 0; i < 4; i++) {
		struct heard to = leaf(0), tap = {.n = 0};

		sink_tap_init(&tap.tap, &to.tap.sink, &every, false);
		tap.fails = *behind[i];
		CHECK_EQ(push(&tap.tap.sink), ST_SYS);
		CHECK_STR(to.calls, got[i]);
		CHECK(tap.tap.failed);
	}
}

TEST(the_sink_behind_fails)
{
	struct heard to = leaf('E'), tap = {.n = 0};

	sink_tap_init(&tap.tap, &to.tap.sink, &every, false);
	CHECK_EQ(push(&tap.tap.sink), ST_SYS);
	CHECK_STR(tap.calls, "BrcmE.");
	CHECK(tap.tap.failed);
}

TEST(a_digest_goes_past_hooks_that_see_no_event)
{
	static const struct sink_digest d;
	static const struct sink_batch b = {.digest = &d};
	struct heard to = leaf(0), plain = {.n = 0}, seen = {.n = 0};
	struct err e = ERR_INIT;

	sink_tap_init(&plain.tap, &to.tap.sink, &none, false);
	sink_tap_init(&seen.tap, &to.tap.sink, &every, false);
	CHECK(sink_wants(&plain.tap.sink, NULL) & SINK_WANTS_DIGESTS);
	CHECK(!(sink_wants(&seen.tap.sink, NULL) & SINK_WANTS_DIGESTS));
	CHECK_EQ(plain.tap.sink.batch(&plain.tap.sink, NULL, &b, &e), ST_OK);
	CHECK_STR(to.calls, "d");
}

TEST(both_get_all)
{
	struct heard first = leaf(0), second = leaf(0);
	struct sink_tee both;

	sink_tee_init(&both, &first.tap.sink, &second.tap.sink);
	CHECK_EQ(push(&both.tap.sink), ST_OK);
	CHECK_STR(first.calls, "BrrE");
	CHECK_STR(second.calls, "BrrE");
}

TEST_MAIN()
