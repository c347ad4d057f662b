/* SPDX-License-Identifier: MIT
 *
 * lib/recorder/lua without a Lua: its hash table against a naive one, and its stacks of calls
 * against ones that are kept by hand, through calls, tail calls, errors and coroutines.
 */
#include "formats/reader.h"
#include "lib/recorder/lua/calls.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS = 700 };

TEST(slots)
{
	static uint32_t twin[KEYS];
	struct lua_slots t = {0};
	uint64_t random = 88172645463325252u;

	CHECK_EQ(slots_get(&t, 7), 0);
	slots_remove(&t, 7);
	for (int i = 0; i < 200000; i++) {
		uint64_t k;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		k = random % KEYS;
		if (random >> 40 & 1) {
			uint32_t *v = slots_put(&t, k << 4);

			CHECK(v && *v == twin[k]);
			*v = twin[k] = (uint32_t)(random >> 33) | 1;
		} else {
			slots_remove(&t, k << 4);
			twin[k] = 0;
		}
		k = (random >> 20) % KEYS;
		CHECK_EQ(slots_get(&t, k << 4), twin[k]);
	}
	slots_release(&t);
	CHECK_EQ(slots_get(&t, 7), 0);
}

struct seen {
	struct sink sink;
	char text[4096]; /* "+a -a ": enters and exits; " a;b" the stack of an allocation */
	uint64_t threads;
	bool complete;
};

static const char *location_name(const struct trace *t, uint32_t stack)
{
	return trace_text(t, t->locations[t->stacks[stack].location].name);
}

static void add_stack(struct seen *s, const struct trace *t, uint32_t stack)
{
	if (t->stacks[stack].parent)
		add_stack(s, t, t->stacks[stack].parent);
	strcat(s->text, location_name(t, stack));
}

static enum status event(struct sink *sink, struct trace *t, const struct event *ev, struct err *e)
{
	struct seen *s = (struct seen *)sink;

	(void)e;
	if (ev->kind == EV_ENTER || ev->kind == EV_EXIT) {
		strcat(s->text, ev->kind == EV_ENTER ? "+" : "-");
		strcat(s->text, location_name(t, ev->stack));
	} else if (ev->has & EV_HAS_STACK) {
		strcat(s->text, " ");
		add_stack(s, t, ev->stack);
		strcat(s->text, " ");
	}
	return ST_OK;
}

static enum status batch(struct sink *s, struct trace *t, const struct sink_batch *b, struct err *e)
{
	return sink_each(s, t, b, e, event);
}

static enum status begin(struct sink *s, struct trace *t, struct err *e)
{
	(void)s, (void)t, (void)e;
	return ST_OK;
}

static enum status end(struct sink *s, struct trace *t, struct err *e)
{
	(void)e;
	((struct seen *)s)->threads = t->n_threads - 1;
	((struct seen *)s)->complete = t->complete;
	return ST_OK;
}

struct tape {
	char path[32];
	struct lua_out *out;
	struct luacalls calls;
};

static void open_tape(struct tape *t)
{
	strcpy(t->path, "lua-XXXXXX");
	close(mkstemp(t->path));
	t->out = out_new(t->path, "Lua 5.x", OUT_ALLOCATIONS | OUT_CALLS);
	CHECK(t->out);
	luacalls_init(&t->calls, t->out, true);
}

/* What has been written, as text. */
static void close_tape(struct tape *t, const char *want, uint64_t threads)
{
	struct seen s = {.sink = {.begin = begin, .batch = batch, .end = end}};
	struct import_options o = {0};
	struct err e = ERR_INIT;
	struct input in = {0};
	bool lossy = true;

	luacalls_release(&t->calls);
	CHECK(out_free(t->out));
	CHECK_EQ(input_open(&in, t->path, &e), ST_OK);
	CHECK_EQ(capture_read(&in, &o, &s.sink, &lossy, &e), ST_OK);
	input_close(&in);
	unlink(t->path);
	CHECK(s.complete && !lossy);
	CHECK_STR(s.text, want);
	CHECK_EQ(s.threads, threads);
}

static void enter(struct tape *t, const char *state, uint64_t place, const char *name)
{
	struct coroutine *co = luacalls_switch(&t->calls, state);
	uint32_t f = luacalls_find(&t->calls, name);

	if (!f)
		f = luacalls_bind(&t->calls, name, luacalls_add(&t->calls, name, name, 1));
	luacalls_enter(&t->calls, co, place, name, f, false);
}

static void allocate(struct tape *t)
{
	struct event ev = {.kind = EV_ALLOC,
			   .has = EV_HAS_ADDRESS | EV_HAS_STACK,
			   .address = 16,
			   .stack = luacalls_stack(&t->calls)};

	out_event(t->out, &ev);
}

static const char a[] = "a", b[] = "b", c[] = "c", one[] = "1", two[] = "2";

TEST(calls)
{
	struct tape t;

	open_tape(&t);
	enter(&t, one, 1, a);
	enter(&t, one, 2, b);
	allocate(&t);
	luacalls_leave(&t.calls, luacalls_switch(&t.calls, one));
	/* An error has left c and b: the next call is a's again. */
	enter(&t, one, 2, b);
	enter(&t, one, 3, c);
	luacalls_unwind(&t.calls, luacalls_switch(&t.calls, one), 1);
	enter(&t, one, 2, c);
	allocate(&t);
	/* b is called in c's place. */
	enter(&t, one, 3, b);
	luacalls_merge(&t.calls, luacalls_switch(&t.calls, one));
	allocate(&t);
	CHECK_EQ(luacalls_switch(&t.calls, one)->n, 2);
	CHECK_EQ(luacalls_top(luacalls_switch(&t.calls, one))->place, 2);
	/* No call is at 9: all are gone. */
	luacalls_unwind(&t.calls, luacalls_switch(&t.calls, one), 9);
	CHECK(!luacalls_top(luacalls_switch(&t.calls, one)));
	close_tape(&t, "+a+b ab -b+b+c-c-b+c ac +b-c ab -b-a", 1);
}

#define OUT  "+(switched out)"
#define BACK "-(switched out)"
TEST(coroutines)
{
	struct tape t;

	open_tape(&t);
	enter(&t, one, 1, a);
	enter(&t, two, 1, b);
	allocate(&t);
	/* It yields: a goes on, and resumes it from c. */
	luacalls_switch(&t.calls, one);
	allocate(&t);
	enter(&t, one, 2, c);
	luacalls_switch(&t.calls, two);
	allocate(&t);
	luacalls_switch(&t.calls, one);
	luacalls_leave(&t.calls, luacalls_switch(&t.calls, one));
	/* It is collected while it waits, and its address is another's. */
	luacalls_forget(&t.calls, two);
	enter(&t, two, 1, c);
	allocate(&t);
	CHECK_EQ(t.calls.n_coroutines, 2);
	CHECK_EQ(t.calls.unreturned, 1);
	/* At each change one strand is switched out, and the other one, if it was, no longer is. What is collected has been:
	 * that ends with its calls. */
	close_tape(&t,
		   "+a" OUT "+b ab " OUT BACK " a +c" OUT BACK " acb " OUT BACK "-c" BACK "-b" OUT
		   "+c ac ",
		   3);
}
#undef OUT
#undef BACK

TEST(places_in_order)
{
	struct tape t;

	open_tape(&t);
	enter(&t, one, 10, a);
	enter(&t, one, 20, b);
	enter(&t, one, 30, c);
	luacalls_cut(&t.calls, luacalls_switch(&t.calls, one), 20);
	enter(&t, one, 20, c);
	allocate(&t);
	luacalls_cut(&t.calls, luacalls_switch(&t.calls, one), 25);
	CHECK_EQ(luacalls_switch(&t.calls, one)->n, 2);
	luacalls_cut(&t.calls, luacalls_switch(&t.calls, one), 5);
	close_tape(&t, "+a+b+c-c-b+c ac -c-a", 1);
}

TEST_MAIN()
