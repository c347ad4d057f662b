/* SPDX-License-Identifier: MIT
 *
 * The requests of tm-view (lib/view) and captures in memory (lib/event_store).
 */
#include "lib/base/mem.h"
#include "lib/event_store/event_store.h"
#include "lib/view/argv_split.h"
#include "lib/view/route.h"
#include "lib/view/value.h"
#include "tests/unit/test.h"

#include <stdlib.h>

static const char *joined(const char *text, enum status want)
{
	static char out[200];
	struct argv_list w = {.n = 0};
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;

	*out = 0;
	CHECK_EQ(argv_split(&w, &a, text, strlen(text), &e), want);
	for (size_t i = 0; i < w.n; i++) {
		strcat(out, i ? "|" : "");
		strcat(out, w.items[i]);
	}
	argv_release(&w);
	arena_release(&a);
	return out;
}

TEST(words)
{
	CHECK_STR(joined("top --by  type\t-n 5", ST_OK), "top|--by|type|-n|5");
	CHECK_STR(joined("a 'b  c' \"d 'e'\" f\\ g", ST_OK), "a|b  c|d 'e'|f g");
	CHECK_STR(joined("'^\\Qx\\E$' \"\\\"\\\\\\n\"", ST_OK), "^\\Qx\\E$|\"\\\\n");
	CHECK_STR(joined("''", ST_OK), "");
	CHECK_STR(joined("a'b'c", ST_OK), "abc");
	joined("a 'b", ST_BAD);
}

TEST(values)
{
	static const char text[] =
	    "{\"a\":[1,-2.5e3,\"\\u00e9\\n\",null,true],\"b\":{\"c\":{}},\"n\":7}";
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct buf b = BUF_INIT;
	struct view_value *v = value_parse(&a, text, strlen(text), &e);
	uint64_t n;

	value_write(&b, v);
	CHECK_STR(buf_str(&b),
		  "{\"a\":[1,-2.5e3,\"\xc3\xa9\\u000a\",null,true],\"b\":{\"c\":{}},\"n\":7}");
	CHECK(value_number(v, "n", 1, 9, &n) && n == 7);
	CHECK(!value_number(v, "n", 1, 6, &n));
	CHECK(value_number(v, "m", 1, 6, &n) && n == 1);
	CHECK(!value_string(v, "n"));
	CHECK(!value_parse(&a, "{} {}", 5, &e));
	CHECK(!value_parse(&a, "", 0, &e));
	buf_release(&b);
	arena_release(&a);
}

TEST(routes)
{
	static const struct route_door d = {.token = "0123456789abcdef0123456789abcdef",
					    .hosts = {"127.0.0.1:81"}};
	static const char root[] = "/0123456789abcdef0123456789abcdef/";
	struct {
		const char *method, *rest, *host, *origin, *site;
		enum route is;
	} rows[] = {
	    {"GET", "", "127.0.0.1:81", NULL, "none", ROUTE_ASSET},
	    {"GET", "table.js", "127.0.0.1:81", NULL, "same-origin", ROUTE_ASSET},
	    {"GET", "../a", "127.0.0.1:81", NULL, NULL, ROUTE_NOTHING},
	    {"GET", "a/b", "127.0.0.1:81", NULL, NULL, ROUTE_NOTHING},
	    {"GET", "state", "127.0.0.1:81", "http://127.0.0.1:81", "same-origin", ROUTE_STATE},
	    {"GET", "state", "127.0.0.1:81", "https://127.0.0.1:81", NULL, ROUTE_FORBIDDEN},
	    {"GET", "state", "127.0.0.1:81", "null", NULL, ROUTE_FORBIDDEN},
	    {"GET", "state", "127.0.0.1:81", NULL, "cross-site", ROUTE_FORBIDDEN},
	    {"GET", "state", "game.example:81", NULL, NULL, ROUTE_FORBIDDEN},
	    {"GET", "state", NULL, NULL, NULL, ROUTE_FORBIDDEN},
	    {"GET", "ask", "127.0.0.1:81", NULL, NULL, ROUTE_ASK},
	    {"GET", "source", "127.0.0.1:81", NULL, NULL, ROUTE_ASSET},
	    {"POST", "ask", "127.0.0.1:81", NULL, NULL, ROUTE_NO_METHOD},
	};
	char path[100], name[ROUTE_NAME];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct route_request r = {rows[i].method, path, rows[i].host, rows[i].origin,
					  rows[i].site};

		snprintf(path, sizeof path, "%s%s", root, rows[i].rest);
		CHECK_EQ(route_of(&d, &r, name), rows[i].is);
		path[5] = 'x';
		CHECK_EQ(route_of(&d, &r, name), ROUTE_FORBIDDEN);
	}
}

/* What a walk gives, as bytes one after the other. */
struct gather {
	struct sink sink;
	struct event *items;
	size_t n, cap, ends;
};

static enum status take_begin(struct sink *s, struct trace *t, struct err *e)
{
	(void)s;
	(void)t;
	(void)e;
	return ST_OK;
}

static enum status take(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	struct gather *g = (struct gather *)s;

	(void)t;
	(void)e;
	VEC_PUSH(g->items, g->n, g->cap) = *ev;
	return ST_OK;
}

static enum status take_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			      struct err *e)
{
	return sink_each(s, t, b, e, take);
}

static enum status take_end(struct sink *s, struct trace *t, struct err *e)
{
	const struct location l = {.space = SPACE_RUNTIME, .raw = 7};

	(void)e;
	trace_note(t, NOTE_LOSS, 4, "lost");
	CHECK_EQ(t->notes[0].count, 3 + 4);
	CHECK_EQ(trace_stack(t, 0, trace_location(t, &l)), 1);
	CHECK_EQ(t->n_stacks, 2);
	((struct gather *)s)->ends++;
	return ST_OK;
}

/* Values of every width, around the ends of blocks, come back as they were; twice, whatever the sink appends. */
TEST(kept)
{
	enum { N = 2 * EVENT_STORE_BLOCK + 77 };
	struct event *in = mem_zarray(N, sizeof *in);
	struct trace *t = trace_new();
	struct err e = ERR_INIT;
	struct event_store k;
	uint64_t x = 88172645463325252u;

	event_store_init(&k, "a");
	CHECK_EQ(k.sink.begin(&k.sink, t, &e), ST_OK);
	for (size_t i = 0; i < N; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		in[i] = (struct event){.kind = (uint8_t)(1 + x % 11),
				       .has = (uint16_t)(x >> 8 & EV_FIELDS),
				       .type = (uint32_t)(x >> 20),
				       .stack = (uint32_t)(x & 0xfff),
				       .time = (int64_t)i - 5000,
				       .address = i % 3 ? x : 0,
				       .requested = x >> (i % 64),
				       .value = i % 2 ? INT64_MIN : INT64_MAX};
		CHECK_EQ(sink_event(&k.sink, t, &in[i], &e), ST_OK);
	}
	trace_note(t, NOTE_LOSS, 3, "lost");
	CHECK_EQ(k.sink.end(&k.sink, t, &e), ST_OK);
	trace_free(t);
	CHECK_EQ(k.events, N);
	for (int twice = 0; twice < 2; twice++) {
		struct gather g = {
		    .sink = {.begin = take_begin, .batch = take_batch, .end = take_end}};

		CHECK_EQ(event_store_replay(&k, &g.sink, &e), ST_OK);
		CHECK_EQ(g.n, N);
		CHECK_EQ(g.ends, 1);
		CHECK(!memcmp(g.items, in, N * sizeof *in));
		CHECK_EQ(k.captures[0].t->n_notes, 1);
		CHECK_EQ(k.captures[0].t->notes[0].count, 3);
		CHECK_EQ(k.captures[0].t->n_stacks, 1);
		free(g.items);
	}
	event_store_release(&k);
	free(in);
}

TEST_MAIN()
