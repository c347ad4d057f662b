/* SPDX-License-Identifier: MIT
 *
 * Keys and filters (lib/group/group_pass.h) on a small capture with sums worked out by hand.
 */
#include "testdata/gen/gen.h"
#include "tests/unit/report.h"

/* malloc <- A:1 <- main, malloc <- B:2 <- A:1 <- main, A:1 <- B:2 <- A:1 <- main, and none */
static void game_capture(struct grouped_profile *p)
{
	struct trace *t = trace_new();
	uint32_t a = named(t, "A", 1), b = named(t, "B", 2), m = named(t, "malloc", 0);
	uint32_t start = named(t, "main", 3);
	uint32_t s1[] = {m, a, start}, s2[] = {m, b, a, start}, s3[] = {a, b, a, start};

	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	begin(p, t);
	alloc(p, t, "T1", trace_stack_of(t, s1, 3), 1, 10);
	alloc(p, t, "T2", trace_stack_of(t, s2, 4), 1, 20);
	alloc(p, t, "T2", trace_stack_of(t, s2, 4), 1, 20);
	alloc(p, t, "T1", trace_stack_of(t, s3, 4), 3, 5);
	alloc(p, t, "T3", 0, 1, 7);
	end(p, t);
	trace_free(t);
}

static void game_by(struct grouped_profile *p, enum key by)
{
	struct grouped_profile_options o = {
	    .by = {{by, 0}}, .domain = DOMAIN_DEFAULT, .captured = nothing};

	grouped_profile_init(p, &o);
	game_capture(p);
}

/* name, count, entries, requested, share */
TEST(types)
{
	struct grouped_profile p;

	game_by(&p, KEY_TYPE);
	expect(&p, &by_requested, "91238", "T2,2,2,40,64.52|T1,4,2,15,24.19|T3,1,1,7,11.29");
	CHECK_EQ(p.now.all.v[SUM_REQUESTED], 62);
	CHECK_EQ(p.now.all.v[SUM_COUNT], 7);
	CHECK_EQ(p.now.all.v[SUM_ENTRIES], 5);
	grouped_profile_release(&p);
}

/* site, file, line, count, requested: malloc is passed over */
TEST(sites)
{
	struct grouped_profile p;

	game_by(&p, KEY_SITE);
	expect(&p, &by_requested, "9ab13", "B,game.cpp,2,2,40|A,game.cpp,1,4,15|[no stack],,,1,7");
	grouped_profile_release(&p);
}

/* function, self and total of requested (columns 3 and 11), total count (9) */
TEST(functions)
{
	struct grouped_profile p;
	struct top_options o = by_requested;

	game_by(&p, KEY_FUNCTION);
	/* A is twice on the third stack and counts once: 10 + 40 + 5. */
	expect(&p, &o, "h3b9", "malloc,50,50,3|[no stack],7,7,1|A,5,55,6|main,0,55,6|B,0,45,5");
	o.cumulative = true;
	expect(&p, &o, "h3b9", "A,5,55,6|main,0,55,6|malloc,50,50,3|B,0,45,5|[no stack],7,7,1");
	o.n = 2;
	expect(&p, &o, "hb", "A,55|main,55");
	grouped_profile_release(&p);
}

TEST(stacks)
{
	struct grouped_profile p;

	game_by(&p, KEY_STACK);
	expect(&p, &by_requested, "d39",
	       "main;A;B;malloc,40,B|main;A;malloc,10,A|[no stack],7,[no stack]|main;A;B;A,5,A");
	grouped_profile_release(&p);
}

TEST(two_captures_add_up)
{
	struct grouped_profile p;

	game_by(&p, KEY_FUNCTION);
	game_capture(&p);
	expect(&p, &by_requested, "h3b",
	       "malloc,100,100|[no stack],14,14|A,10,110|main,0,110|B,0,90");
	grouped_profile_release(&p);
}

static void filtered(const char *pattern, bool ignore, const char *want)
{
	struct err e = ERR_INIT;
	struct filters *f = filters_new();
	struct grouped_profile_options o = {
	    .by = {{.by = KEY_TYPE}}, .domain = DOMAIN_DEFAULT, .filters = f};
	struct grouped_profile p;

	CHECK_EQ(filters_add(f, ignore ? FILTER_IGNORE : FILTER_FOCUS, "--test", pattern, 0, &e),
		 ST_OK);
	grouped_profile_init(&p, &o);
	game_capture(&p);
	expect(&p, &by_requested, "93", want);
	CHECK_EQ(p.now.unfiltered.v[SUM_REQUESTED], 62);
	grouped_profile_release(&p);
	filters_free(f);
}

TEST(filters)
{
	filtered("^B$", false, "T2,40|T1,5");
	filtered("^B$", true, "T1,10|T3,7");
	filtered("^T3$", false, "T3,7"); /* a type speaks for a record without a stack only */
	filtered("^T1$", false, "");
	filtered("nowhere", false, "");
	filtered("nowhere", true, "T2,40|T1,15|T3,7");
}

TEST(several_filters_all_apply)
{
	struct err e = ERR_INIT;
	struct filters *f = filters_new();
	struct grouped_profile_options o = {
	    .by = {{.by = KEY_STACK}}, .domain = DOMAIN_DEFAULT, .filters = f};
	struct grouped_profile p;

	filters_add(f, FILTER_FOCUS, "--test", "^A$", 0, &e);
	filters_add(f, FILTER_FOCUS, "--test", "^B$", 0, &e);
	filters_add(f, FILTER_IGNORE, "--test", "malloc", 0, &e);
	grouped_profile_init(&p, &o);
	game_capture(&p);
	expect(&p, &by_requested, "d3", "main;A;B;A,5");
	grouped_profile_release(&p);
	filters_free(f);
}

TEST(no_site_outside_of_the_rules)
{
	struct grouped_profile p;
	struct grouped_profile_options o = {.by = {{.by = KEY_SITE}}, .domain = DOMAIN_DEFAULT};
	struct trace *t = trace_new();
	uint32_t s[] = {named(t, "malloc", 0), named(t, "operator new(unsigned long)", 0)};

	grouped_profile_init(&p, &o);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	begin(&p, t);
	alloc(&p, t, "T", trace_stack_of(t, s, 2), 1, 9);
	end(&p, t);
	trace_free(t);
	/* Its outermost call, labelled. */
	expect(&p, &by_requested, "93", "operator new(unsigned long) [runtime only],9");
	grouped_profile_release(&p);
}

TEST(long_stacks_are_cut_beneath_a_row)
{
	struct grouped_profile_options o = {.by = {{.by = KEY_STACK}}, .domain = DOMAIN_DEFAULT};
	struct trace *t = trace_new();
	struct err e = ERR_INIT;
	struct table_row r = {.cells = (struct table_cell[32]){{.present = false}}};
	uint32_t stack = 0;
	struct grouped_profile p;
	struct top *top;

	for (uint32_t i = 200; i > 0; i--) {
		char name[16];

		snprintf(name, sizeof name, "F%u", i);
		stack = trace_stack(t, stack, named(t, name, i));
	}
	grouped_profile_init(&p, &o);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	begin(&p, t);
	alloc(&p, t, "T", stack, 1, 1);
	end(&p, t);
	trace_free(t);
	top = top_new(&p, &by_requested, &e);
	top_table(top)->fill(top_table(top)->arg, 0, &r);
	CHECK_EQ(r.n_details, 128);
	CHECK_STR(r.details[0], "F1  game.cpp:1");
	CHECK_STR(r.details[127], "F128  game.cpp:128");
	CHECK_STR(r.more, "... 72 more calls");
	top_free(top);
	grouped_profile_release(&p);
}

static uint64_t seed = 5;

static uint32_t pick(uint32_t n)
{
	return (uint32_t)lcg_below(&seed, n);
}

/* The first n of many are what sorting all of them begins with. */
TEST(top_n_is_the_beginning_of_all)
{
	struct grouped_profile_options o = {.by = {{.by = KEY_TYPE}}, .domain = DOMAIN_DEFAULT};
	struct top_options all = {.sort = SUM_REQUESTED}, some = all;
	struct trace *t = trace_new();
	struct grouped_profile p;
	char *whole;

	grouped_profile_init(&p, &o);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	begin(&p, t);
	for (int i = 0; i < 300; i++) {
		char name[16];

		snprintf(name, sizeof name, "T%03u", pick(1000));
		alloc(&p, t, name, 0, 1,
		      pick(20)); /* many equal sums: entries, then names decide */
	}
	end(&p, t);
	trace_free(t);
	whole = csv_of(&p, &all);
	for (some.n = 1; some.n < 300; some.n += 7) {
		char *part = csv_of(&p, &some);

		CHECK(strlen(part) <= strlen(whole) && !memcmp(part, whole, strlen(part)));
		free(part);
	}
	{
		uint64_t before = UINT64_MAX;
		unsigned records = 0;
		char *rest = NULL, name[16] = "";

		strtok_r(whole, "\r\n", &rest);
		for (char *l; (l = strtok_r(NULL, "\r\n", &rest));) {
			unsigned long long v = 0;
			unsigned rank = 0, entries = 0;
			char got[16] = "";

			CHECK_EQ(
			    sscanf(l, "%u,,%u,%llu,,,,,%*[0-9.],%15s", &rank, &entries, &v, got),
			    4);
			CHECK(v < before || (v == before && entries < records) ||
			      (v == before && entries == records && strcmp(name, got) < 0));
			before = v;
			records = entries;
			strcpy(name, got);
		}
	}
	free(whole);
	grouped_profile_release(&p);
}

TEST_MAIN()
