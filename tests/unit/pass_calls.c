/* SPDX-License-Identifier: MIT
 *
 * Sums of calls added up while the calls are open, without their paths (pass_calls.c), against the
 * sums over paths, which must be equal: the same events go to two projects, of which one is made to
 * keep paths. The sums over paths are checked by sh/calls, against a twin and uftrace.
 */
#include "lib/tally/open_calls.h"
#include "testdata/gen/gen.h"
#include "tests/unit/report.h"

enum { THREADS = 3, FUNCTIONS = 9, MARKERS = 3, EVENTS = 600, DEPTH = 9 };

struct scene {
	uint32_t threads[THREADS], functions[FUNCTIONS], markers[MARKERS];
	uint32_t outside; /* who calls the first call, as its own stack says */
};

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	return (uint32_t)lcg_below(&seed, n);
}

/* Two functions are one file's, two are of one name, two are allocators': their site is a caller. */
static void make_scene(struct scene *s, struct trace *t)
{
	static const char *const names[FUNCTIONS] = {"A",      "B", "C",      "D",     "E",
						     "F<int>", "A", "malloc", "calloc"};

	for (uint32_t i = 0; i < THREADS; i++)
		s->threads[i] = trace_thread(t, &(struct thread){.tid = 100 + i});
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct location l = {.space = SPACE_NAME, .name = trace_strz(t, names[i])};

		if (i % 3) {
			l.file = trace_strz(t, i < 5 ? "game.cpp" : "/src/engine.cpp");
			l.line = 10 + i;
		}
		s->functions[i] = trace_stack(t, 0, trace_location(t, &l));
	}
	for (uint32_t i = 0; i < MARKERS; i++)
		s->markers[i] = trace_marker(
		    t, &(struct marker){
			   .name = trace_strz(t, (const char *[]){"Tick", "Load", "Draw"}[i])});
	s->outside = trace_stack(t, 0, named(t, "outside", 7));
}

static void pass(struct grouped_profile *p, struct trace *t, struct event ev)
{
	push(p, t, &ev);
}

static void play(struct grouped_profile *p, struct trace *t, const struct scene *s)
{
	unsigned depth[THREADS] = {0};
	int64_t now = 0;

	for (int i = 0; i < EVENTS; i++) {
		uint32_t th = pick(THREADS), n = pick(FUNCTIONS), f = s->functions[n];
		struct event ev = {.thread = s->threads[th],
				   .has = EV_HAS_THREAD | EV_HAS_TIME | EV_HAS_STACK,
				   .stack = f,
				   .time = now += pick(50)};

		/* A path says which marker it is of: with several of one path their calls cannot be
		 * distinguished afterwards, though they can while they are open. */
		if (n < MARKERS) {
			ev.has |= EV_HAS_TYPE;
			ev.type = s->markers[n];
			ev.stack = n ? ev.stack : 0;
		}
		if (!depth[th] && !ev.type && pick(3) == 0)
			ev.stack = trace_stack(t, s->outside, t->stacks[f].location);
		if (pick(40) == 0) {
			ev.kind = EV_SAMPLE;
			ev.has |= EV_HAS_TARGET | EV_HAS_COUNT;
			ev.target = pick(9);
			ev.count = 1;
		} else if (pick(40) == 0) {
			ev.kind = EV_DELTA;
			ev.domain = DOMAIN_LUA;
			ev.value = 5;
			ev.has |= EV_HAS_VALUE;
		} else if (depth[th] < DEPTH && pick(2)) {
			ev.kind = EV_ENTER;
			if (pick(30) == 0) { /* a pause */
				ev.has |= EV_HAS_VALUE;
				ev.value = 1;
			}
			depth[th]++;
		} else {
			ev.kind = EV_EXIT;
			if (pick(4)) /* of whatever is open: else perhaps of nothing */
				ev.type = ev.stack = 0;
			depth[th] -= depth[th] > 0;
		}
		pass(p, t, ev);
	}
}

static void same_sums(const char *what, const struct tally_sums *a, const struct tally_sums *b)
{
	if (!CHECK_EQ(a->has, b->has))
		fprintf(stderr, "  %s\n", what);
	for (unsigned i = 0; i < SUMS; i++)
		if (a->has >> i & 1 && !CHECK_EQ(a->v[i], b->v[i]))
			fprintf(stderr, "  %s: %s\n", what, metric_table[i].key);
}

static void same_reports(const struct grouped_profile *flat, const struct grouped_profile *paths)
{
	for (int cumulative = 0; cumulative < 2; cumulative++) {
		const struct top_options o = {.sort = SORT_AUTO, .cumulative = cumulative};
		char *a = csv_of(flat, &o), *b = csv_of(paths, &o);

		CHECK_STR(a, b);
		free(a);
		free(b);
	}
	same_sums("all", &flat->now.all, &paths->now.all);
	same_sums("unfiltered", &flat->now.unfiltered, &paths->now.unfiltered);
	for (int i = 0; i <= TIERS; i++)
		same_sums("coverage", &flat->now.coverage[i], &paths->now.coverage[i]);
}

static void compare(enum key by, enum key within,
		    void (*events)(struct grouped_profile *, struct trace *, const struct scene *),
		    size_t most_stacks)
{
	struct grouped_profile_options o = {.by = {{by, 0}}, .n_by = 1, .want = TALLY_TOP};
	struct grouped_profile both[2];
	uint64_t from = seed;

	if (within != KEYS) {
		o.by[1] = (struct grouping_key){.by = within, .within = 1};
		o.n_by = 2;
	}
	for (int i = 0; i < 2; i++) {
		struct trace *t = trace_new();
		struct scene s;

		seed = from;
		trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
		make_scene(&s, t);
		grouped_profile_init(&both[i], &o);
		CHECK(both[i].tally.options.listener != NULL);
		if (i)
			both[i].tally.options.listener = NULL;
		begin(&both[i], t);
		events(&both[i], t, &s);
		end(&both[i], t);
		if (!i)
			CHECK(t->n_stacks <= most_stacks);
		grouped_profile_close(&both[i]);
		trace_free(t);
	}
	same_reports(&both[0], &both[1]);
	grouped_profile_release(&both[0]);
	grouped_profile_release(&both[1]);
}

/* Stacks of allocators keep the callers that their sites are in, so there are a few hundred. */
TEST(random_calls)
{
	static const enum key keys[] = {KEY_SITE,   KEY_FUNCTION, KEY_LOCATION, KEY_FILE,
					KEY_MODULE, KEY_TYPE,     KEY_THREAD};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		for (seed = 1; seed < 40; seed++) {
			uint64_t keep = seed;

			compare(keys[i], KEYS, play, 500);
			compare(keys[i], KEY_FUNCTION, play, 500);
			seed = keep;
		}
}

/* Calls that are too deep to be kept, of one function and of several. */
static void dive(struct grouped_profile *p, struct trace *t, const struct scene *s)
{
	for (uint32_t i = 0; i < OPEN_CALLS_DEPTH + 20; i++)
		pass(p, t,
		     (struct event){.kind = EV_ENTER,
				    .has = EV_HAS_STACK | EV_HAS_TIME,
				    .stack = s->functions[i < OPEN_CALLS_DEPTH ? i % 2 : i % 4],
				    .time = i});
	for (uint32_t i = 0; i < 30; i++)
		pass(p, t,
		     (struct event){
			 .kind = EV_EXIT, .has = EV_HAS_TIME, .time = 2 * OPEN_CALLS_DEPTH + i});
}

TEST(too_deep)
{
	compare(KEY_FUNCTION, KEYS, dive, 40);
	compare(KEY_SITE, KEYS, dive, 40);
}

/* 6^12 paths are possible, and a stack is made for none of them. */
static void wander(struct grouped_profile *p, struct trace *t, const struct scene *s)
{
	unsigned depth = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		bool enters = depth < 12 && (!depth || pick(2));

		pass(p, t,
		     (struct event){.kind = enters ? EV_ENTER : EV_EXIT,
				    .has = EV_HAS_TIME | (enters ? EV_HAS_STACK : 0),
				    .stack = enters ? s->functions[pick(6)] : 0,
				    .time = i});
		depth += enters ? 1 : -1u;
	}
}

TEST(paths_are_not_made)
{
	seed = 5;
	compare(KEY_FUNCTION, KEYS, wander, 20);
}

/* A project with stacks gets paths. */
TEST(paths_that_are_asked_for)
{
	const struct {
		struct grouped_profile_options o;
		bool listens;
	} cases[] = {
	    {{.by = {{.by = KEY_SITE}}, .n_by = 1}, true},
	    {{.by = {{.by = KEY_STACK}}, .n_by = 1}, false},
	    {{.by = {{.by = KEY_SITE}, {.by = KEY_STACK, .within = 1}}, .n_by = 2}, false},
	    {{.by = {{.by = KEY_OWNER}}, .n_by = 1}, false},
	    {{.by = {{.by = KEY_FRAME}}, .n_by = 1}, false},
	    {{.by = {{.by = KEY_SITE}}, .n_by = 1, .hook_cost = 1}, false},
	    {{.by = {{.by = KEY_SITE}}, .n_by = 1, .slicing = SLICE_FRAMES}, false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct grouped_profile p;

		grouped_profile_init(&p, &cases[i].o);
		CHECK_EQ(p.tally.options.listener != NULL, cases[i].listens);
		grouped_profile_release(&p);
	}
}

TEST_MAIN()
