/* SPDX-License-Identifier: MIT
 *
 * tm-spikes' engine against a naive twin that keeps every call, quantiles against sorted values,
 * and the rule file's settings.
 */
#include "lib/report/spikes/suggest.h"
#include "tests/unit/test.h"

#include <stdlib.h>

static uint64_t draw(uint64_t *state, uint64_t n)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (x ^ x >> 31) % n;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The bound that quantiles.h states, for values of all lengths. */
TEST(quantiles_are_within_their_bound)
{
	uint64_t state = 7, v[3000];

	for (int round = 0; round < 60; round++) {
		struct quantiles q = {.n = 0};
		size_t n = 1 + draw(&state, 3000);

		for (size_t i = 0; i < n; i++)
			quantiles_add(&q, v[i] = draw(&state, UINT64_MAX) >> draw(&state, 64));
		qsort(v, n, sizeof *v, by_value);
		for (unsigned p = 1; p <= 100; p++) {
			uint64_t want = v[(n * p + 99) / 100 - 1], got = quantiles_at(&q, p);
			uint64_t off = got > want ? got - want : want - got;

			CHECK(!quantiles_is_exact(&q, p) || got == want);
			CHECK(quantiles_is_exact(&q, p) || n > 2);
			if (off > want / 128)
				CHECK_EQ(got, want);
		}
		CHECK_EQ(quantiles_at(&q, 100), v[n - 1]);
		if (n < 20)
			CHECK_EQ(quantiles_at(&q, 95), v[n - 1]);
		CHECK(q.n_buckets <= 3840);
		quantiles_release(&q);
	}
}

TEST(quantiles_of_few_values)
{
	struct quantiles q = {.n = 0};

	CHECK_EQ(quantiles_at(&q, 95), 0);
	quantiles_add(&q, UINT64_MAX);
	CHECK_EQ(quantiles_at(&q, 1), UINT64_MAX);
	quantiles_add(&q, 0);
	CHECK_EQ(quantiles_at(&q, 50), 0);
	CHECK_EQ(quantiles_at(&q, 51), UINT64_MAX);
	quantiles_release(&q);
	for (uint64_t i = 0; i < 100; i++)
		quantiles_add(&q, i);
	CHECK_EQ(quantiles_at(&q, 95), 94);
	CHECK_EQ(quantiles_at(&q, 50), 49);
	quantiles_release(&q);
}

/* --- the engine and its twin --- */

enum { CALLS = 4000, THREADS = 3, FUNCTIONS = 8, DEPTH = 30 };

struct call { /* of the twin: all of them, by when they ended */
	int64_t start, end;
	uint64_t children, paused, below;
	uint32_t function, thread, parent; /* parent: index + 1 */
	bool ended;
};

struct twin {
	struct call calls[CALLS];
	size_t n;
	uint64_t hook;
	const struct spikes *engine;
	/* what is expected, in order of the ends */
	struct {
		uint32_t function;
		uint64_t total, self;
	} want[CALLS];
	size_t n_want, n_got;
};

/* Function 1 may take 50, what it calls 5; 2 pauses; 3 gives its callers 400,
 * 4 gives them 100; all others 20. */
static const char rules_text[] = "[spikes]\n"
				 "threshold = 20ns\n"
				 "[function one]\nmatch = ^f1$\nthreshold = 50ns\nchildren = 5ns\n"
				 "[function two]\nmatch = ^f2$\npause = yes\n"
				 "[function three]\nmatch = ^f3$\nparents = 400ns\n"
				 "[function four]\nmatch = ^f4$\nparents = 100ns\n";

static uint64_t limit_of(const struct twin *w, size_t at)
{
	const struct call *c = &w->calls[at];
	uint64_t given = 0;

	for (size_t i = w->n; i-- > at + 1;)
		if (w->calls[i].function == 3 || w->calls[i].function == 4)
			for (uint32_t up = w->calls[i].parent; up; up = w->calls[up - 1].parent)
				if (up - 1 == at)
					given =
					    w->calls[i].function == 3 || given == 400 ? 400 : 100;
	if (given)
		return given;
	if (c->function == 1)
		return 50;
	for (uint32_t up = c->parent; up; up = w->calls[up - 1].parent)
		if (w->calls[up - 1].function == 1)
			return 5;
	return 20;
}

static bool is_paused(const struct twin *w, size_t at)
{
	for (uint32_t up = (uint32_t)at + 1; up; up = w->calls[up - 1].parent)
		if (w->calls[up - 1].function == 2)
			return true;
	return false;
}

static void end_call(struct twin *w, size_t at, int64_t time)
{
	struct call *c = &w->calls[at];
	uint64_t total = (uint64_t)(time - c->start), hooks = c->below * w->hook;
	bool paused = is_paused(w, at);

	c->ended = true;
	total = hooks > total ? 0 : total - hooks;
	if (!paused && total > c->paused && total - c->paused > limit_of(w, at)) {
		w->want[w->n_want].function = c->function;
		w->want[w->n_want].total = total - c->paused;
		w->want[w->n_want++].self = c->children > total ? 0 : total - c->children;
	}
	if (c->parent) {
		struct call *parent = &w->calls[c->parent - 1];

		parent->children += total;
		parent->paused += paused ? total : c->paused;
		parent->below += c->below + 1;
	}
}

static enum status see(void *arg, const struct spike_seen *s, struct err *e)
{
	struct twin *w = arg;
	size_t i = w->n_got++;
	char name[8];

	(void)e;
	if (i >= w->n_want)
		return ST_OK;
	snprintf(name, sizeof name, "f%u", w->want[i].function);
	CHECK_STR(spike_function_name(&w->engine->functions, s->path[s->depth - 1], NULL), name);
	CHECK_EQ(s->total, w->want[i].total);
	CHECK_EQ(s->self, w->want[i].self);
	CHECK(s->has_self && s->depth >= 1 && !s->sample);
	return ST_OK;
}

static void compare_with_twin(uint64_t seed, uint64_t hook)
{
	struct twin *w = calloc(1, sizeof *w);
	struct trace *t = trace_new();
	uint32_t stacks[FUNCTIONS], threads[THREADS], open[THREADS][DEPTH], n_open[THREADS] = {0};
	struct spike_rules rules;
	struct spikes_options o = {.rules = &rules,
				   .threshold = 20,
				   .hook_cost = hook,
				   .depth = DEPTH,
				   .spiked = see,
				   .arg = w};
	struct spikes s;
	struct err e = ERR_INIT;
	int64_t time = 0;

	w->hook = hook;
	w->engine = &s;
	spike_rules_init(&rules);
	CHECK_EQ(spike_rules_add(&rules, "test", rules_text, sizeof rules_text - 1, &e), ST_OK);
	spikes_init(&s, &o);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct location l = {.space = SPACE_NAME};
		char name[8];

		snprintf(name, sizeof name, "f%u", i);
		l.name = trace_strz(t, name);
		stacks[i] = trace_stack(t, 0, trace_location(t, &l));
	}
	for (uint32_t i = 0; i < THREADS; i++)
		threads[i] = trace_thread(t, &(struct thread){.tid = i + 1});
	CHECK_EQ(spikes_sink(&s)->begin(spikes_sink(&s), t, &e), ST_OK);
	while (w->n < CALLS) {
		uint32_t th = (uint32_t)draw(&seed, THREADS);
		struct event ev = {.has = EV_HAS_STACK | EV_HAS_TIME | EV_HAS_THREAD,
				   .thread = threads[th]};
		bool enter = !n_open[th] || (n_open[th] < DEPTH && draw(&seed, 2));

		ev.time = time += (int64_t)draw(&seed, 8);
		if (enter) {
			uint32_t f = (uint32_t)draw(&seed, FUNCTIONS);

			ev.kind = EV_ENTER;
			ev.stack = stacks[f];
			w->calls[w->n] =
			    (struct call){.start = time,
					  .function = f,
					  .parent = n_open[th] ? open[th][n_open[th] - 1] + 1 : 0};
			open[th][n_open[th]++] = (uint32_t)w->n++;
		} else {
			uint32_t at = open[th][--n_open[th]];

			ev.kind = EV_EXIT;
			ev.stack = stacks[w->calls[at].function];
			end_call(w, at, time);
		}
		CHECK_EQ(sink_event(spikes_sink(&s), t, &ev, &e), ST_OK);
	}
	CHECK_EQ(spikes_sink(&s)->end(spikes_sink(&s), t, &e), ST_OK);
	CHECK_EQ(w->n_got, w->n_want);
	CHECK(w->n_want > 100);
	spikes_release(&s);
	spike_rules_release(&rules);
	trace_free(t);
	free(w);
}

TEST(engine_agrees_with_one_that_keeps_every_call)
{
	for (uint64_t seed = 1; seed <= 8; seed++)
		compare_with_twin(seed, 0);
}

TEST(hook_cost_is_that_of_the_calls_below)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		compare_with_twin(seed, 1);
}

/* --- groups --- */

/* More different stacks than there is room for become one group; none is lost. */
TEST(groups_are_bounded)
{
	struct spike_rules rules;
	struct spike_functions f;
	struct spike_groups g;
	struct trace *t = trace_new();
	uint64_t spikes = 0;

	spike_rules_init(&rules);
	spike_functions_init(&f, &rules, NULL, NULL);
	for (uint32_t i = 0; i < 300; i++) {
		struct location l = {.space = SPACE_NAME};
		char name[16];

		snprintf(name, sizeof name, "f%u", i);
		l.name = trace_strz(t, name);
		spike_function_at(&f, t, trace_location(t, &l));
	}
	spike_groups_init(&g, &f, 5);
	for (uint32_t i = 0; i < 300; i++)
		for (uint32_t k = 0; k < 300; k++) {
			uint32_t path[] = {i, k};
			struct spike_seen s = {.t = t,
					       .path = path,
					       .depth = 2,
					       .total = 1000 + i * 300 + k,
					       .calls = 1};

			CHECK(spike_groups_add(&g, &s, 1) || g.n == SPIKE_GROUPS_MAX);
			spikes++;
		}
	CHECK_EQ(g.n, SPIKE_GROUPS_MAX);
	CHECK_EQ(g.items[0].totals.n, spikes - (SPIKE_GROUPS_MAX - 1));
	CHECK_EQ(g.spikes, spikes);
	spike_groups_sort(&g);
	CHECK_EQ(g.n_worst, 5);
	for (uint64_t i = 0; i < 5; i++)
		CHECK_EQ(g.worst[i].total, 1000 + spikes - 1 - i);
	spike_groups_release(&g);
	spike_functions_release(&f);
	spike_rules_release(&rules);
	trace_free(t);
}

/* --- rules --- */

TEST(rules_are_read)
{
	static const char text[] = "\xef\xbb\xbf# c\r\n[spikes]\r\n threshold = 2.5ms\r\n"
				   "[thread r]\nmatch = ^R \\; \\#\nactive = no\n"
				   "; c\n[function  a b ]\nmatch=x=y\nmodule = m\nthreshold=never\n"
				   "ignore-children = yes\nmessage = a = {ms}";
	struct spike_rules r;
	struct err e = ERR_INIT;

	spike_rules_init(&r);
	CHECK_EQ(spike_rules_add(&r, "test", text, sizeof text - 1, &e), ST_OK);
	CHECK_EQ(r.n, 2);
	CHECK_EQ(r.threshold, 2500000);
	CHECK_EQ(r.least, 2500000);
	CHECK_STR(r.items[1].name, "a b");
	CHECK_EQ(r.items[1].threshold, SPIKE_NEVER);
	CHECK_EQ(r.items[1].ignore_children, SPIKE_YES);
	CHECK_EQ(r.items[1].ignore, SPIKE_UNSET);
	CHECK_STR(r.items[1].message, "a = {ms}");
	CHECK(spike_matches_any(&r.items[0].match, "R ; #1", 6));
	CHECK(spike_matches_any(&r.items[1].match, "x=y", 3));
	CHECK(!spike_matches_any(&r.items[1].match, "xy", 2));
	spike_rules_release(&r);
}

/* --- what is suggested is a file of rules, whatever functions are called --- */

struct suggested {
	struct trace *t;
	struct spikes s;
	struct spike_rules none;
	struct spike_groups g;
	struct buf out;
};

static void suggested_init(struct suggested *x)
{
	struct spikes_options o = {.rules = &x->none, .threshold = 10};

	x->t = trace_new();
	x->out = (struct buf)BUF_INIT;
	spike_rules_init(&x->none);
	spikes_init(&x->s, &o);
	spike_groups_init(&x->g, &x->s.functions, 0);
}

static void suggested_release(struct suggested *x)
{
	spike_groups_release(&x->g);
	spikes_release(&x->s);
	spike_rules_release(&x->none);
	trace_free(x->t);
	buf_release(&x->out);
}

/* Four spikes of one length are steady, one is not. */
static void slow_function(struct suggested *x, const char *name, size_t n, int spikes)
{
	struct location l = {.space = SPACE_NAME, .name = trace_string(x->t, name, n)};
	uint32_t path[] = {spike_function_at(&x->s.functions, x->t, trace_location(x->t, &l))};
	struct spike_seen seen = {.t = x->t, .path = path, .depth = 1, .total = 100, .calls = 1};

	for (int i = 0; i < spikes; i++)
		spike_groups_add(&x->g, &seen, 1);
}

/* Takes the '#' away from rules that are no more than proposed. */
static void uncomment(struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] != '#' || i + 1 == b->len || !strchr("[mi", b->data[i + 1]))
			b->data[n++] = b->data[i];
	b->len = n;
}

TEST(suggested_rules_are_read_and_match)
{
	static const struct {
		const char *name, *section;
		size_t n;
		bool none;
	} cases[] = {
	    {"Tick", "Tick", 4, false},
	    {"a]b #;=\"c\" [d](e|f)*+?.^${2}\\", "a]b #;=\"c\" [d](e|f)*+?.^${2}\\\\", 29, false},
	    {"", "without a name", 0, false},
	    {"   ", "without a name", 3, false},
	    {" x ", "x", 3, false},
	    {"\t\r\n\x1b\x7f", "\\t\\x0d\\n\\x1b\\x7f", 5, false},
	    {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9", 5, false},
	    {"cut \xff here", "cut \\xff here", 10, false}, /* "^cut": pcre2 takes UTF-8 only */
	    {"\xed\xa0\x80", NULL, 3, true},
	};
	enum { N = sizeof cases / sizeof *cases };

	for (int spikes = 1; spikes <= 4; spikes += 3) {
		struct spike_rules r;
		struct suggested x;
		struct err e = ERR_INIT;
		size_t k = 0;

		suggested_init(&x);
		for (size_t i = 0; i < N; i++)
			slow_function(&x, cases[i].name, cases[i].n, spikes);
		spikes_suggest(&x.s, &x.g, 0, &x.out);
		uncomment(&x.out);
		spike_rules_init(&r);
		CHECK_EQ(spike_rules_add(&r, "", x.out.data, x.out.len, &e), ST_OK);
		CHECK_STR(e.msg, "");
		for (size_t i = 0; i < N && k < r.n; i++) {
			if (cases[i].none)
				continue;
			CHECK_STR(r.items[k].name, cases[i].section);
			CHECK(spike_matches_any(&r.items[k].match, cases[i].name, cases[i].n));
			CHECK(!spike_matches_any(&r.items[k++].match, "y", 1));
		}
		CHECK_EQ(k, N - 1);
		CHECK_EQ(r.n, N - 1);
		spike_rules_release(&r);
		suggested_release(&x);
	}
}

/* Names so long that no expression holds them, and more functions than a file has rules. */
TEST(suggested_rules_fit_a_file)
{
	enum { FUNCTIONS_HERE = SPIKE_RULES_MAX + 900 };
	static const size_t lengths[] = {20, 40000};
	static const size_t most[] = {FUNCTIONS_HERE, 100};

	for (size_t i = 0; i < 2; i++) {
		struct spike_rules r;
		struct suggested x;
		struct err e = ERR_INIT;
		char *name = malloc(lengths[i]);

		suggested_init(&x);
		memset(name, 'x', lengths[i]);
		for (size_t k = 0; k < most[i]; k++) {
			char digits[24];

			snprintf(digits, sizeof digits, "%07zu", k);
			memcpy(name, digits, 7);
			slow_function(&x, name, lengths[i], k % 2 ? 4 : 1);
		}
		spikes_suggest(&x.s, &x.g, 0, &x.out);
		CHECK(x.out.len <= SPIKE_RULES_BYTES);
		CHECK(memmem(x.out.data, x.out.len, " more (a file of rules has no room", 34));
		uncomment(&x.out);
		spike_rules_init(&r);
		CHECK_EQ(spike_rules_add(&r, "", x.out.data, x.out.len, &e), ST_OK);
		CHECK_STR(e.msg, "");
		/* Half of the short ones are steady and fit; a fact and a rule are below 400 bytes.
		 */
		CHECK(i ? r.n >= 20 && r.n < 27 : r.n > SPIKE_RULES_BYTES / 400);
		spike_rules_release(&r);
		suggested_release(&x);
		free(name);
	}
}

TEST(texts_are_filled)
{
	struct spike_rules r;
	struct buf b = BUF_INIT;
	struct spike_words w = {.function = "f",
				.n_function = 1,
				.thread = "t",
				.n_thread = 1,
				.has_total = true,
				.total = 16580000};

	spike_rules_init(&r);
	r.frame = 16667000;
	spike_fill(&b, &r, "{function} {thread} {ms} {frames} {frame} {x} {", &w);
	CHECK_STR(buf_str(&b), "f t 16.58 0.995  {x} {");
	b.len = 0;
	spike_add_ms(&b, 13111999);
	CHECK_STR(buf_str(&b), "13.111");
	buf_release(&b);
}

TEST_MAIN()
