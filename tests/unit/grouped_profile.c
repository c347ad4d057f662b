/* SPDX-License-Identifier: MIT
 *
 * Symbols, metrics and domains in the projection; random captures against a naive sum.
 */
#include "testdata/gen/gen.h"
#include "tests/unit/report.h"

static uint32_t string(struct trace_symbols *s, const char *text)
{
	return intern_add(&s->strings, text, strlen(text));
}

/* load: where the module lies in this run. The location is a call in outer(), with inner()
 * inlined into it. */
static void bound_capture(struct grouped_profile *p, uint64_t load, enum location_kind kind)
{
	struct trace *t = trace_new();
	struct trace_symbols *s = &t->symbols;
	struct location l = {.space = SPACE_RUNTIME, .raw = load + 0x1234, .kind = kind};
	struct symbol_object o = {.name = string(s, "/data/libgame.so")};
	struct symbol_function in = {string(s, "_Z5innerv"), string(s, "inner()")};
	struct symbol_function out = {string(s, "_Z5outerv"), string(s, "outer()")};
	struct symbol_call c = {.file = string(s, "out.cpp"), .line = 20};
	struct binding b = {.vaddr = 0x1234, .tier = TIER_LINE};
	uint32_t id = trace_location(t, &l), stack;

	b.object = symbols_object(s, &o);
	c.function = symbols_function(s, &out);
	c.outer = symbols_call(s, &c);
	c.function = symbols_function(s, &in);
	c.file = string(s, "in.h");
	c.line = 7;
	b.call = symbols_call(s, &c);
	symbols_bind(s, id, &b);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	begin(p, t);
	stack = trace_stack(t, 0, id);
	alloc(p, t, "T", stack, 1, 100);
	end(p, t);
	trace_free(t);
}

TEST(inlined_calls_are_expanded)
{
	struct grouped_profile p;
	struct grouped_profile_options o = {.by = {{KEY_FUNCTION, 0}}, .domain = DOMAIN_DEFAULT};

	grouped_profile_init(&p, &o);
	bound_capture(&p, 0x7f0000000000, LOCATION_UNSTATED);
	expect(&p, &by_requested, "h3bi", "inner(),100,100,libgame.so|outer(),0,100,libgame.so");
	grouped_profile_release(&p);
}

/* What an instrumented build enters is the function, though its first bytes are inlined from
 * elsewhere. */
TEST(a_function_is_entered)
{
	struct grouped_profile p;
	struct grouped_profile_options o = {.by = {{KEY_FUNCTION, 0}}, .domain = DOMAIN_DEFAULT};

	grouped_profile_init(&p, &o);
	bound_capture(&p, 0x7f0000000000, LOCATION_ENTRY);
	expect(&p, &by_requested, "h3bi", "outer(),100,100,libgame.so");
	grouped_profile_release(&p);
}

TEST(merged_by_what_they_are_bound_to)
{
	struct grouped_profile p;
	struct grouped_profile_options o = {.by = {{KEY_LOCATION, 0}}, .domain = DOMAIN_DEFAULT};

	grouped_profile_init(&p, &o);
	bound_capture(&p, 0x7f0000000000, LOCATION_UNSTATED);
	bound_capture(&p, 0x550000000000, LOCATION_UNSTATED); /* another run, elsewhere */
	expect(&p, &by_requested, "hijkl3", "inner(),in.h,7,libgame.so,0x1234,200");
	CHECK_EQ(p.now.coverage[TIER_LINE].v[SUM_REQUESTED], 200);
	grouped_profile_release(&p);
}

TEST(unsymbolized_names)
{
	struct trace *t = trace_new();
	struct grouped_profile p;
	struct grouped_profile_options o = {.by = {{KEY_FUNCTION, 0}}, .domain = DOMAIN_DEFAULT};
	struct map_range r = {0x10000, 0x20000, 0x3000, true};
	struct module m = {.name = trace_strz(t, "/lib/libx.so"), .ranges = &r, .n_ranges = 1};
	uint32_t mod = trace_module(t, &m);
	struct location at[] = {{.space = SPACE_RUNTIME, .raw = 0x10010},
				{.space = SPACE_VADDR, .raw = 0x77, .module = mod},
				{.space = SPACE_RUNTIME, .raw = 0x999999},
				{.space = SPACE_UNKNOWN}};
	struct trace_symbols *s = &t->symbols;
	struct symbol_object obj = {.name = string(s, "libx.so")};
	struct binding b = {.vaddr = 0x55, .reason = REASON_NO_SYMBOL, .tier = TIER_MODULE};

	grouped_profile_init(&p, &o);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	begin(&p, t);
	for (uint32_t i = 0; i < 4; i++)
		alloc(&p, t, "T", trace_stack(t, 0, trace_location(t, &at[i])), 1, 50 - i);
	at[3] = (struct location){.space = SPACE_RUNTIME, .raw = 0x10055};
	b.object = symbols_object(s, &obj);
	symbols_bind(s, trace_location(t, &at[3]), &b);
	alloc(&p, t, "T", trace_stack(t, 0, trace_location(t, &at[3])), 1, 1);
	end(&p, t);
	trace_free(t);
	/* 0x10010 is 0x10 into a mapping of the file from 0x3000 on. */
	expect(&p, &by_requested, "h3",
	       "libx.so+0x3010,50|libx.so+0x77,49|0x999999,48|[unknown],47|libx.so!0x55,1");
	CHECK_EQ(p.now.coverage[TIER_MODULE].v[SUM_ENTRIES], 3);
	CHECK_EQ(p.now.coverage[TIER_NOTHING].v[SUM_ENTRIES], 2);
	grouped_profile_release(&p);
}

/* A .loli file has names in addition to addresses: they serve until there are better ones. */
TEST(captured_names_beside_addresses)
{
	struct trace *t = trace_new();
	struct grouped_profile p;
	struct grouped_profile_options o = {.by = {{KEY_LOCATION, 0}}, .domain = DOMAIN_DEFAULT};
	struct module m = {.name = trace_strz(t, "/lib/libx.so")};
	struct location l = {.space = SPACE_OFFSET_OR_VADDR,
			     .raw = 0x10,
			     .module = trace_module(t, &m),
			     .name = trace_strz(t, "Grow(int)")};
	struct trace_symbols *s = &t->symbols;
	struct symbol_function f = {.raw = string(s, "better"), .display = string(s, "better")};
	struct symbol_call c = {.function = symbols_function(s, &f)};
	struct symbol_object obj = {.name = string(s, "libx.so")};
	struct binding b = {.vaddr = 0x30, .reason = REASON_RESOLVED, .tier = TIER_NAME};

	grouped_profile_init(&p, &o);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	begin(&p, t);
	alloc(&p, t, "T", trace_stack(t, 0, trace_location(t, &l)), 1, 9);
	l.raw = 0x20;
	alloc(&p, t, "T", trace_stack(t, 0, trace_location(t, &l)), 1, 8);
	l.raw = 0x30;
	b.object = symbols_object(s, &obj);
	b.call = symbols_call(s, &c);
	symbols_bind(s, trace_location(t, &l), &b);
	alloc(&p, t, "T", trace_stack(t, 0, trace_location(t, &l)), 1, 7);
	end(&p, t);
	trace_free(t);
	expect(&p, &by_requested, "hkl3",
	       "Grow(int),libx.so,0x10,9|Grow(int),libx.so,0x20,8|better,libx.so,0x30,7");
	CHECK_EQ(p.now.coverage[TIER_NAME].v[SUM_ENTRIES], 3);
	grouped_profile_release(&p);
}

/* As MemTracer has it: requested per type, real per record, no count. */
static void per_type_capture(struct grouped_profile *p)
{
	struct trace *t = trace_new();
	uint32_t stack = trace_stack(t, 0, named(t, "A", 1));
	uint32_t type = trace_type(t, "String", 6);
	struct event frame = {.kind = EV_FRAME, .has = EV_HAS_VALUE, .value = 9763};
	struct event total = {.kind = EV_TYPE_TOTAL,
			      .has = EV_HAS_TYPE | EV_HAS_REQUESTED | EV_HAS_REAL,
			      .type = type,
			      .requested = 100,
			      .real = 160};
	struct event real = {.kind = EV_ALLOC,
			     .has = EV_HAS_TYPE | EV_HAS_STACK | EV_HAS_REAL,
			     .type = type,
			     .stack = stack,
			     .real = 128};

	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_TYPE);
	trace_metric(t, METRIC_REAL, METRIC_EXACT, METRIC_AT_ALL);
	begin(p, t);
	push(p, t, &frame);
	push(p, t, &real);
	real.real = 32;
	push(p, t, &real);
	push(p, t, &total);
	frame.value = 9764;
	push(p, t, &frame);
	real.real = 48;
	push(p, t, &real);
	end(p, t);
	trace_free(t);
}

TEST(per_type_metric)
{
	struct grouped_profile_options o = {.by = {{KEY_TYPE, 0}}, .domain = DOMAIN_DEFAULT};
	struct top_options sort = {.sort = SORT_AUTO};
	struct grouped_profile p;

	grouped_profile_init(&p, &o);
	per_type_capture(&p);
	/* real comes from the records alone: 128 + 32 + 48 */
	expect(&p, &sort, "91234567", "String,,3,100,208,,,");
	CHECK_EQ(p.now.frames, 2);
	CHECK_EQ(p.now.worst[SUM_REAL].number, 9763);
	CHECK_EQ(p.now.worst[SUM_REAL].v[SUM_REAL], 160);
	CHECK_EQ(p.now.worst[SUM_REAL].v[SUM_REQUESTED], 100);
	grouped_profile_release(&p);
}

TEST(absent_metrics_are_blank_and_not_sorted_by)
{
	struct grouped_profile_options o = {.by = {{KEY_SITE, 0}}, .domain = DOMAIN_DEFAULT};
	struct top_options sort = {.sort = SORT_AUTO};
	struct err e = ERR_INIT;
	struct grouped_profile p;

	grouped_profile_init(&p, &o);
	per_type_capture(&p);
	expect(&p, &sort, "91234567", "A,,3,,208,,,");
	sort.sort = SUM_REQUESTED;
	CHECK(!top_new(&p, &sort, &e));
	CHECK_EQ(e.code, ST_UNSUPPORTED);
	CHECK(strstr(e.msg, "requested") && strstr(e.msg, "per type"));
	sort.sort = SUM_COUNT;
	CHECK(!top_new(&p, &sort, &e));
	CHECK(strstr(e.msg, "count") != NULL);
	sort.sort = SORT_LIVE;
	CHECK(!top_new(&p, &sort, &e));
	CHECK(strstr(e.msg, "live") != NULL);
	grouped_profile_release(&p);
}

TEST(filters_leave_no_type_totals)
{
	struct err e = ERR_INIT;
	struct filters *f = filters_new();
	struct grouped_profile_options o = {
	    .by = {{KEY_TYPE, 0}}, .domain = DOMAIN_DEFAULT, .filters = f};
	struct top_options sort = {.sort = SORT_AUTO};
	struct grouped_profile p;

	CHECK_EQ(filters_add(f, FILTER_FOCUS, "--test", "A", 0, &e), ST_OK);
	grouped_profile_init(&p, &o);
	per_type_capture(&p);
	expect(&p, &sort, "9234", "String,3,,208");
	sort.sort = SUM_REQUESTED;
	CHECK(!top_new(&p, &sort, &e));
	grouped_profile_release(&p);
	filters_free(f);
}

static void block(struct grouped_profile *p, struct trace *t, unsigned kind, unsigned domain,
		  uint64_t address, uint64_t requested)
{
	struct event ev = {.kind = (uint8_t)kind,
			   .domain = (uint8_t)domain,
			   .has = EV_HAS_ADDRESS | EV_HAS_DOMAIN,
			   .address = address,
			   .requested = requested};

	if (kind == EV_ALLOC)
		ev.has |= EV_HAS_REQUESTED | EV_HAS_TYPE;
	ev.type = trace_type(t, "T", 1);
	push(p, t, &ev);
}

static void pool_capture(struct grouped_profile *p)
{
	struct trace *t = trace_new();

	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	begin(p, t);
	block(p, t, EV_ALLOC, DOMAIN_MALLOC, 0x1000, 4096); /* the pool's memory */
	block(p, t, EV_ALLOC, DOMAIN_POOL, 0x1000, 16);
	block(p, t, EV_ALLOC, DOMAIN_POOL, 0x1010, 32);
	block(p, t, EV_FREE, DOMAIN_POOL, 0x1000, 0); /* not the malloc block at that address */
	block(p, t, EV_ALLOC, DOMAIN_MALLOC, 0x9000, 5);
	block(p, t, EV_FREE, DOMAIN_MALLOC, 0x9000, 0);
	block(p, t, EV_FREE, DOMAIN_MALLOC, 0, 0); /* free(NULL) */
	end(p, t);
	trace_free(t);
}

TEST(domains_are_not_added_up)
{
	static const struct {
		int domain;
		const char *want; /* count, requested, live count, live requested */
	} cases[] = {{DOMAIN_DEFAULT, "2,4101,1,4096"},
		     {DOMAIN_MALLOC, "2,4101,1,4096"},
		     {DOMAIN_POOL, "2,48,1,32"},
		     {DOMAIN_ALL, "4,4149,2,4128"},
		     {DOMAIN_LUA, ""}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct grouped_profile_options o = {.by = {{KEY_TYPE, 0}},
						    .domain = cases[i].domain};
		struct grouped_profile p;

		grouped_profile_init(&p, &o);
		pool_capture(&p);
		expect(&p, &by_requested, "1356", cases[i].want);
		grouped_profile_release(&p);
	}
}

/* More events than are looked up together, with what must not mix taking turns. */
static void take_turns(int domain, const char *want)
{
	struct grouped_profile_options o = {.by = {{KEY_TYPE, 0}}, .domain = domain};
	struct trace *t = trace_new();
	struct grouped_profile p;

	grouped_profile_init(&p, &o);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	begin(&p, t);
	for (uint64_t i = 0; i < 1000; i++) {
		block(&p, t, EV_ALLOC, DOMAIN_MALLOC, 16 * (i + 1), 1000);
		block(&p, t, EV_ALLOC, DOMAIN_POOL, 16 * (i + 1), 3);
		alloc(&p, t, "U", 0, 1, 1000000);
	}
	end(&p, t);
	trace_free(t);
	expect(&p, &by_requested, "923", want);
	grouped_profile_release(&p);
}

TEST(cells_are_told_apart)
{
	take_turns(DOMAIN_POOL, "T,1000,3000");
	take_turns(DOMAIN_MALLOC, "U,1000,1000000000|T,1000,1000000");
}

TEST(processes_have_their_own_blocks)
{
	struct grouped_profile_options o = {.by = {{KEY_TYPE, 0}}, .domain = DOMAIN_DEFAULT};
	struct trace *t = trace_new();
	struct thread threads[] = {{.process = 100, .tid = 1}, {.process = 200, .tid = 1}};
	struct event ev = {.kind = EV_ALLOC,
			   .has = EV_HAS_ADDRESS | EV_HAS_REQUESTED | EV_HAS_THREAD,
			   .address = 0x1000};
	struct grouped_profile p;

	grouped_profile_init(&p, &o);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	begin(&p, t);
	for (int i = 0; i < 2; i++) {
		ev.thread = trace_thread(t, &threads[i]);
		ev.requested = i ? 30 : 4;
		push(&p, t, &ev);
	}
	ev.kind = EV_FREE; /* of process 200 */
	push(&p, t, &ev);
	end(&p, t);
	trace_free(t);
	expect(&p, &by_requested, "356", "34,1,4");
	grouped_profile_release(&p);
}

TEST(sums_saturate)
{
	struct grouped_profile_options o = {.by = {{KEY_TYPE, 0}}, .domain = DOMAIN_DEFAULT};
	struct trace *t = trace_new();
	struct grouped_profile p;

	grouped_profile_init(&p, &o);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	begin(&p, t);
	alloc(&p, t, "T", 0, 1, UINT64_MAX - 1);
	alloc(&p, t, "T", 0, 1, 5);
	end(&p, t);
	trace_free(t);
	expect(&p, &by_requested, "938", "T,18446744073709551615,100.00");
	grouped_profile_release(&p);
}

TEST(deep_stack)
{
	enum { DEEP = 1000000 };
	static const enum key keys[] = {KEY_SITE, KEY_FUNCTION, KEY_LOCATION, KEY_STACK};

	for (size_t k = 0; k < 4; k++) {
		struct grouped_profile_options o = {.by = {{keys[k], 0}}, .domain = DOMAIN_DEFAULT};
		struct trace *t = trace_new();
		uint32_t a = named(t, "A", 1), b = named(t, "B", 2), stack = 0;
		struct grouped_profile p;

		for (int i = 0; i < DEEP; i++)
			stack = trace_stack(t, stack, i % 2 ? a : b);
		grouped_profile_init(&p, &o);
		trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
		begin(&p, t);
		alloc(&p, t, "T", stack, 1, 6);
		end(&p, t);
		trace_free(t);
		CHECK_EQ(p.now.all.v[SUM_REQUESTED], 6);
		if (keys[k] == KEY_FUNCTION)
			expect(&p, &by_requested, "h3b", "A,6,6|B,0,6");
		grouped_profile_release(&p);
	}
}

/* --- random captures against a naive second implementation --- */

enum { FUNCTIONS = 6, STACKS = 25, DEPTH = 7, RECORDS = 60 };

static uint64_t seed = 5;

static uint32_t pick(uint32_t n)
{
	return (uint32_t)lcg_below(&seed, n);
}

TEST(totals_as_a_naive_sum_gives_them)
{
	for (int round = 0; round < 500; round++) {
		struct grouped_profile_options o = {.by = {{KEY_FUNCTION, 0}},
						    .domain = DOMAIN_DEFAULT};
		struct trace *t = trace_new();
		uint32_t functions[FUNCTIONS], chain[STACKS][DEPTH], stack[STACKS];
		size_t depth[STACKS];
		uint64_t self[FUNCTIONS] = {0}, total[FUNCTIONS] = {0}, all = 0, sum = 0;
		struct grouped_profile p;

		for (uint32_t i = 0; i < FUNCTIONS; i++) {
			char name[] = {(char)('A' + i), '\0'};

			functions[i] = named(t, name, i + 1);
		}
		for (size_t i = 0; i < STACKS; i++) {
			uint32_t ids[DEPTH];

			depth[i] = 1 + pick(DEPTH);
			for (size_t k = 0; k < depth[i]; k++) {
				chain[i][k] = pick(FUNCTIONS);
				ids[k] = functions[chain[i][k]];
			}
			stack[i] = trace_stack_of(t, ids, depth[i]);
		}
		grouped_profile_init(&p, &o);
		trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
		begin(&p, t);
		for (int r = 0; r < RECORDS; r++) {
			size_t i = pick(STACKS);
			uint64_t bytes = 1 + pick(100);
			bool seen[FUNCTIONS] = {false};

			alloc(&p, t, pick(2) ? "T" : "U", stack[i], 1, bytes);
			all += bytes;
			self[chain[i][0]] += bytes;
			for (size_t k = 0; k < depth[i]; k++)
				seen[chain[i][k]] = true;
			for (size_t f = 0; f < FUNCTIONS; f++)
				total[f] += seen[f] ? bytes : 0;
		}
		end(&p, t);
		trace_free(t);
		CHECK_EQ(p.now.all.v[SUM_REQUESTED], all);
		for (size_t g = 0; g < p.groupings[0].n; g++) {
			const struct names_function *f =
			    &p.names.functions[p.groupings[0].groups[g].id];
			size_t i = (size_t)(*names_text(&p.names, f->display, NULL) - 'A');

			CHECK_EQ(columns_value(&p.now.keys[0].self, g, SUM_REQUESTED), self[i]);
			CHECK_EQ(columns_value(&p.now.keys[0].total, g, SUM_REQUESTED), total[i]);
			sum += columns_value(&p.now.keys[0].self, g, SUM_REQUESTED);
		}
		CHECK_EQ(sum, all);
		grouped_profile_release(&p);
	}
}

TEST_MAIN()
