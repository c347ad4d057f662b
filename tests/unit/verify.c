/* SPDX-License-Identifier: MIT
 *
 * lib/symbolize/verify.c on this very program: right answers are equal, wrong ones that are planted
 * here are shown, and the choice is a function of seed and addresses.
 */
#include "lib/symbolize/verify.h"

#include "lib/base/mem.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

volatile int sink;

static inline __attribute__((always_inline)) void inner(int v)
{
	sink = v;
}

NOINLINE void outer_one(int v);
NOINLINE void outer_one(int v)
{
	inner(v);
	sink += 2;
}

/* The answers of the engine for every address of outer_one. */
struct program {
	struct object *object;
	uint64_t *addrs;
	struct dwarf_answers answers;
	struct dwarf_job job;
};

static const struct dwarf_options options = {.jobs = 1};

static bool program_open(struct program *p)
{
	struct err e = ERR_INIT;
	uint64_t lo = 0;
	size_t n, k = 0;
	const struct object_symbol *s;

	*p = (struct program){.object = NULL};
	if (object_open(&p->object, "/proc/self/exe", &e))
		return false;
	s = object_symbols(p->object, &n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(s[i].name, "outer_one")) {
			lo = s[i].lo;
			k = s[i].hi - s[i].lo;
		}
	outer_one(1);
	p->addrs = mem_array(k, sizeof *p->addrs);
	for (size_t i = 0; i < k; i++)
		p->addrs[i] = lo + i;
	dwarf_answers_init(&p->answers, k);
	p->job =
	    (struct dwarf_job){.object = p->object, .addrs = p->addrs, .n = k, .out = &p->answers};
	return k && object_has_dwarf(p->object) && dwarf_fast(&p->job, 1, &options, &e) == ST_OK;
}

static void program_close(struct program *p)
{
	dwarf_answers_release(&p->answers);
	free(p->addrs);
	object_free(p->object);
}

/* How many of the chosen answers have that outcome; those that are not equal are the same, in their order. */
static size_t outcomes(const struct verify *v, enum verify_outcome o)
{
	const struct verify_case *c;
	size_t n, k = 0, unequal = 0;

	c = verify_cases(v, &n);
	for (size_t i = 0; i < n; i++) {
		k += c[i].outcome == o;
		if (c[i].outcome != VERIFY_EQUAL)
			CHECK(verify_unequal(v, unequal++) == &c[i]);
	}
	CHECK(!verify_unequal(v, unequal));
	return k;
}

/* Replaces an answer by one with this call changed. */
static void plant(struct program *p, size_t i, const char *name, int lines)
{
	struct dwarf_call c;

	dwarf_call_at(&p->answers, p->answers.of[i].call, &c);
	c.function = name ? intern_add(&p->answers.strings, name, strlen(name)) : c.function;
	c.line += (uint32_t)lines;
	p->answers.of[i].call = dwarf_answers_call(&p->answers, &c);
}

TEST(right_answers_are_equal)
{
	struct err e = ERR_INIT;
	struct verify *v = verify_new(1000, 1);
	struct program p;
	size_t n;

	if (!program_open(&p)) {
		verify_free(v);
		program_close(&p);
		TEST_SKIP("built without -g");
	}
	verify_offer(v, &p.job, "self", &options);
	verify_offer(v, &p.job, "self", &options); /* again: an address counts once */
	CHECK_EQ(verify_run(v, 1, &e), ST_OK);
	verify_cases(v, &n);
	CHECK_EQ(n, p.job.n);
	CHECK_EQ(outcomes(v, VERIFY_EQUAL), n);
	verify_free(v);
	program_close(&p);
}

TEST(planted_answers_are_shown)
{
	struct err e = ERR_INIT;
	struct verify *v = verify_new(1000, 1);
	const struct verify_case *c;
	struct program p;
	size_t n;

	if (!program_open(&p) || p.job.n < 5) {
		verify_free(v);
		program_close(&p);
		TEST_SKIP("built without -g");
	}
	plant(&p, 0, "another", 0);
	plant(&p, 1, NULL, 1);
	p.answers.of[2] = (struct dwarf_answer){.found = DWARF_NOT_FOUND};
	p.answers.of[3] = (struct dwarf_answer){.found = DWARF_GAVE_UP};
	verify_offer(v, &p.job, "self", &options);
	CHECK_EQ(verify_run(v, 1, &e), ST_OK);
	CHECK_EQ(outcomes(v, VERIFY_DIFFERENT), 3);
	CHECK_EQ(outcomes(v, VERIFY_UNKNOWN), 1);
	CHECK_EQ(outcomes(v, VERIFY_EQUAL), p.job.n - 4);
	c = verify_cases(v, &n);
	CHECK_EQ(c[0].addr, p.addrs[0]);
	CHECK(strstr(c[0].ours, "another at ") == c[0].ours);
	CHECK(strstr(c[0].theirs, "outer_one at ") != NULL);
	CHECK_STR(c[2].ours, "nothing");
	CHECK_STR(c[3].theirs, "no answer was given: a limit was reached");
	verify_free(v);
	program_close(&p);
}

/* A job of n made addresses, of which libdwarf is not asked. */
static void offer_made(struct verify *v, uint64_t from, size_t n)
{
	struct dwarf_answers a;
	uint64_t *addrs = mem_array(n, sizeof *addrs);
	struct dwarf_job job = {.addrs = addrs, .n = n, .out = &a};

	dwarf_answers_init(&a, n);
	for (size_t i = 0; i < n; i++)
		addrs[i] = from + i;
	for (size_t i = 0; i < n; i++)
		a.of[i].found = DWARF_ABSENT;
	verify_offer(v, &job, "made", &options);
	dwarf_answers_release(&a);
	free(addrs);
}

static size_t in_both(const struct verify *a, const struct verify *b)
{
	const struct verify_case *x, *y;
	size_t n, m, same = 0;

	x = verify_cases(a, &n);
	y = verify_cases(b, &m);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m; k++)
			same += x[i].addr == y[k].addr;
	return same;
}

TEST(the_choice_follows_from_the_seed)
{
	struct err e = ERR_INIT;
	struct verify *a = verify_new(50, 7), *b = verify_new(50, 7), *other = verify_new(50, 8);

	offer_made(a, 0, 10000);
	for (uint64_t i = 100; i-- > 0;) /* another order, other batches */
		offer_made(b, i * 100, 100);
	offer_made(other, 0, 10000);
	CHECK_EQ(verify_run(a, 1, &e), ST_OK);
	CHECK_EQ(verify_run(b, 1, &e), ST_OK);
	CHECK_EQ(verify_run(other, 1, &e), ST_OK);
	CHECK_EQ(outcomes(a, VERIFY_UNKNOWN), 50);
	CHECK_EQ(outcomes(other, VERIFY_UNKNOWN), 50);
	CHECK_EQ(in_both(a, b), 50);
	CHECK(in_both(a, other) < 5); /* 0.25 are expected */
	verify_free(a);
	verify_free(b);
	verify_free(other);
}

TEST_MAIN()
