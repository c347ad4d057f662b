/* SPDX-License-Identifier: MIT
 *
 * lib/profile/profile.h, columns.h and stacks.h: what is known of a sum, and what it is, in a profile that is worked
 * out by hand.
 */
#include "lib/profile/profile.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

static struct tally_sums sums(unsigned has, uint64_t count, uint64_t requested, int64_t slack)
{
	struct tally_sums s = {.has = has};

	s.v[SUM_COUNT] = count;
	s.v[SUM_REQUESTED] = requested;
	s.v[SUM_SLACK] = (uint64_t)slack;
	return s;
}

enum { COUNT = SUM_BIT(SUM_COUNT), REQUESTED = SUM_BIT(SUM_REQUESTED), SLACK = SUM_BIT(SUM_SLACK) };

/* main calls a and b, a calls b: four stacks, of which b's below main and below a are two. */
TEST(a_stack_is_kept_once)
{
	struct profile_stacks s;
	uint32_t main, a, b, ab;

	stacks_init(&s);
	main = stacks_add(&s, 0, 7);
	a = stacks_add(&s, main, 8);
	b = stacks_add(&s, main, 9);
	ab = stacks_add(&s, a, 9);
	CHECK_EQ(s.n, 5); /* and that without any call */
	CHECK(b != ab);
	stacks_reserve(&s, 100);
	CHECK_EQ(stacks_add(&s, a, 9), ab);
	CHECK_EQ(stacks_add(&s, 0, 7), main);
	CHECK_EQ(s.n, 5);
	stacks_close(&s);
	CHECK_EQ(s.rows[ab].parent, a);
	CHECK_EQ(s.rows[ab].location, 9);
	CHECK_EQ(s.rows[main].parent, 0);
	CHECK_EQ(s.rows[0].location, 0);
	stacks_release(&s);
}

/* Rows 0, 1 and 2 become 4, 4 and 1: 3 + 5 counts, 10 + nothing bytes, -2 + -3 slack; 2^64 - 1 is the most. */
TEST(columns_join_and_move)
{
	static const uint32_t rows[] = {4, 4, 1};
	struct profile_columns from = {.n = 0}, to = {.n = 0};
	struct tally_sums s = sums(COUNT | REQUESTED | SLACK, 3, 10, -2);

	columns_add(&from, 0, &s);
	s = sums(COUNT | SLACK, 5, 0, -3);
	columns_add(&from, 1, &s);
	s = sums(COUNT, UINT64_MAX - 1, 0, 0);
	columns_add(&from, 2, &s);
	s = sums(COUNT, 9, 0, 0);
	columns_add(&from, 2, &s);
	columns_move(&to, &from, rows);
	CHECK_EQ(from.n, 0);
	CHECK(!from.has);
	CHECK_EQ(columns_has(&to, 4), COUNT | REQUESTED | SLACK);
	CHECK_EQ(columns_value(&to, 4, SUM_COUNT), 8);
	CHECK_EQ(columns_value(&to, 4, SUM_REQUESTED), 10);
	CHECK_EQ((int64_t)columns_value(&to, 4, SUM_SLACK), -5);
	CHECK_EQ(columns_value(&to, 1, SUM_COUNT), UINT64_MAX);
	CHECK_EQ(columns_has(&to, 1), COUNT);
	CHECK_EQ(columns_has(&to, 0), 0);
	CHECK(!to.v[SUM_REAL]);
	columns_release(&to);
}

/* A sum is as well known as in the capture that knows it worst; things that do not add up are not known at all. */
TEST(the_weakest_capture_decides)
{
	struct profile_known k = {.least = false};

	profile_weaken(&k, SUM_COUNT, METRIC_EXACT, UNKNOWN_NONE);
	profile_weaken(&k, SUM_COUNT, METRIC_ESTIMATED, UNKNOWN_NONE);
	profile_weaken(&k, SUM_COUNT, METRIC_EXACT, UNKNOWN_NONE);
	CHECK_EQ(k.state[SUM_COUNT], METRIC_ESTIMATED);
	CHECK_EQ(k.unknown_reason[SUM_COUNT], UNKNOWN_NONE);
	profile_weaken(&k, SUM_COUNT, METRIC_ABSENT, UNKNOWN_ABSENT);
	profile_weaken(&k, SUM_COUNT, METRIC_ABSENT, UNKNOWN_NOT_ASKED);
	CHECK(profile_knows(&k, SUM_COUNT)); /* of those that have it */
	CHECK_EQ(k.unknown_reason[SUM_COUNT], UNKNOWN_ABSENT);
	profile_weaken(&k, SUM_PERIOD, METRIC_EXACT, UNKNOWN_NONE);
	profile_weaken(&k, SUM_PERIOD, METRIC_ABSENT, UNKNOWN_MIXED);
	profile_weaken(&k, SUM_PERIOD, METRIC_EXACT, UNKNOWN_NONE);
	CHECK(!profile_knows(&k, SUM_PERIOD));
	CHECK_EQ(profile_unrecorded(&k), SUM_BIT(SUM_PERIOD));
}

/* Three functions: 0 allocates itself, 1 only calls it, 2 is not in this run. */
TEST(absent_is_never_0)
{
	struct profile p;
	struct profile_key *k;
	struct tally_sums own = sums(COUNT | REQUESTED, 2, 64, 0);
	uint64_t v;

	profile_init(&p, KEYS);
	k = &p.keys[KEY_FUNCTION];
	columns_add(&k->self, 0, &own);
	columns_add(&k->total, 0, &own);
	columns_add(&k->total, 1, &own);
	sums_add(&p.all, &own);
	CHECK(!profile_value(&p, KEY_FUNCTION, 0, SUM_COUNT, false, &v)); /* was not asked for */
	k->held = true;
	CHECK(!profile_value(&p, KEY_FUNCTION, 0, SUM_COUNT, false, &v)); /* no capture knows it */
	profile_weaken(&k->known, SUM_COUNT, METRIC_EXACT, UNKNOWN_NONE);
	profile_weaken(&k->known, SUM_REAL, METRIC_EXACT, UNKNOWN_NONE);
	CHECK(profile_value(&p, KEY_FUNCTION, 0, SUM_COUNT, false, &v));
	CHECK_EQ(v, 2);
	CHECK(profile_value(&p, KEY_FUNCTION, 1, SUM_COUNT, false, &v));
	CHECK_EQ(v, 0);
	CHECK(profile_value(&p, KEY_FUNCTION, 1, SUM_COUNT, true, &v));
	CHECK_EQ(v, 2);
	CHECK(!profile_value(&p, KEY_FUNCTION, 0, SUM_REAL, false, &v)); /* of no record */
	CHECK(profile_value(&p, KEY_FUNCTION, 2, SUM_COUNT, false, &v));
	CHECK_EQ(v, 0);
	k->cut = 1; /* 2 may have been left out */
	CHECK(!profile_value(&p, KEY_FUNCTION, 2, SUM_COUNT, false, &v));
	CHECK(profile_value(&p, KEY_FUNCTION, 0, SUM_COUNT, false, &v));
	profile_release(&p);
}

/* A capture of blocks and calls: function 0 has calls alone, function 1 blocks alone, function 2 time of samples, which has
 * no total. */
TEST(what_has_no_records_of_a_kind_has_0_of_it)
{
	struct profile p;
	struct profile_key *k;
	const unsigned of_calls = SUM_BIT(SUM_ENTRIES) | SUM_BIT(SUM_TIME_SELF) |
				  SUM_BIT(SUM_TIME_TOTAL) | SUM_BIT(SUM_CALLS);
	struct tally_sums calls = {.has = of_calls}, blocks = sums(COUNT | REQUESTED, 2, 64, 0),
			  samples = {.has = SUM_BIT(SUM_TIME_SELF) | SUM_BIT(SUM_SAMPLES)};
	static const enum sum all[] = {SUM_COUNT,      SUM_REQUESTED, SUM_REAL,   SUM_TIME_SELF,
				       SUM_TIME_TOTAL, SUM_CALLS,     SUM_SAMPLES};
	uint64_t v;

	calls.v[SUM_TIME_SELF] = calls.v[SUM_TIME_TOTAL] = 7;
	samples.v[SUM_TIME_SELF] = 5;
	profile_init(&p, KEYS);
	k = &p.keys[KEY_FUNCTION];
	k->held = true;
	columns_add(&k->self, 0, &calls);
	columns_add(&k->self, 1, &blocks);
	columns_add(&k->total, 1, &blocks);
	columns_add(&k->self, 2, &samples);
	sums_add(&p.all, &calls);
	sums_add(&p.all, &blocks);
	sums_add(&p.all, &samples);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		profile_weaken(&k->known, all[i], METRIC_EXACT, UNKNOWN_NONE);
	k->cut = 1; /* what is there was not left out */
	CHECK(profile_value(&p, KEY_FUNCTION, 0, SUM_REQUESTED, false, &v));
	CHECK_EQ(v, 0);
	CHECK(profile_value(&p, KEY_FUNCTION, 0, SUM_REQUESTED, true, &v));
	CHECK_EQ(v, 0);
	CHECK(profile_value(&p, KEY_FUNCTION, 0, SUM_SAMPLES, false, &v));
	CHECK_EQ(v, 0);
	CHECK(profile_value(&p, KEY_FUNCTION, 1, SUM_TIME_SELF, true, &v));
	CHECK_EQ(v, 0);
	CHECK(profile_value(&p, KEY_FUNCTION, 1, SUM_CALLS, false, &v));
	CHECK_EQ(v, 0);
	CHECK(!profile_value(&p, KEY_FUNCTION, 1, SUM_REAL, false, &v)); /* its records lack it */
	CHECK(!profile_value(&p, KEY_FUNCTION, 2, SUM_TIME_TOTAL, false, &v));
	CHECK(!profile_value(&p, KEY_FUNCTION, 0, SUM_LIVE_COUNT, false, &v));
	/* Another capture of the run has no blocks, and may be that in which 0 was called. */
	profile_weaken(&k->known, SUM_REQUESTED, METRIC_ABSENT, UNKNOWN_ABSENT);
	CHECK(!profile_value(&p, KEY_FUNCTION, 0, SUM_REQUESTED, false, &v));
	profile_release(&p);
}

/* By name, then by unit or build-id, whatever order they came in. */
TEST(modules_and_counters_are_found)
{
	static const char *const names[][2] = {{"rss", "B"}, {"fps", ""}, {"rss", "%"}};
	struct profile_entities t;
	struct profile p;
	const struct profile_counter *c;

	entities_init(&t, NULL);
	profile_init(&p, KEYS);
	p.counters = calloc(3, sizeof *p.counters);
	p.modules = calloc(3, sizeof *p.modules);
	for (size_t i = 0; i < 3; i++) {
		uint32_t name = entities_string(&t, names[i][0], strlen(names[i][0]));
		uint32_t second = entities_string(&t, names[i][1], strlen(names[i][1]));

		p.counters[p.n_counters++] =
		    (struct profile_counter){.name = name, .unit = second, .stats = {.n = i + 1}};
		p.modules[p.n_modules++] = (struct profile_module){name, second, false};
	}
	profile_sort(&p, &t);
	c = profile_counter_of(&p, &t, entities_string(&t, "rss", 3), entities_string(&t, "B", 1));
	CHECK(c && c->stats.n == 1);
	c = profile_counter_of(&p, &t, entities_string(&t, "fps", 3), 0);
	CHECK(c && c->stats.n == 2);
	CHECK(!profile_counter_of(&p, &t, entities_string(&t, "rss", 3), 0));
	c = profile_counter(&p, &t, "rss");
	CHECK(c && c->stats.n == 3); /* "%" is before "B" */
	CHECK(!profile_counter(&p, &t, "heap"));
	CHECK(!strcmp(entities_text(&t, p.modules[0].name, NULL), "fps"));
	CHECK(!strcmp(entities_text(&t, p.modules[1].build_id, NULL), "%"));
	profile_release(&p);
	entities_release(&t);
}

TEST_MAIN()
