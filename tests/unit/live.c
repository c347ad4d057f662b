/* SPDX-License-Identifier: MIT
 *
 * live.c against the rule itself, applied to the whole list of events.
 */
#include "lib/tally/live.h"

#include "testdata/gen/gen.h"
#include "tests/unit/test.h"

#include <stdlib.h>

enum { SPACES_MAX = 2, ADDRESSES = 4, EVENTS = 40 };

struct op {
	enum { ALLOC, FREE, FREED } kind;
	uint32_t space;
	uint64_t address, seq;
};

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	return (uint32_t)lcg_below(&seed, n);
}

static bool same_block(const struct op *a, const struct op *b)
{
	return a->space == b->space && a->address == b->address;
}

static void apply(struct live *l, const struct op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct op *o = &ops[i];
		/* The number identifies the allocation. */
		struct live_block b = {.requested = o->seq, .cell = (uint32_t)o->seq, .count = 1},
				  gone;

		if (o->kind == ALLOC)
			live_alloc(l, o->space, o->address, o->seq, &b, &gone);
		else if (o->kind == FREE)
			live_free(l, o->space, o->address, o->seq, &gone);
		else
			live_freed(l, o->space, o->address, o->seq, &gone);
	}
	live_finish(l);
}

static bool is_live(const struct live *l, uint64_t seq)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->blocks[i].allocated && l->blocks[i].requested == seq) {
			CHECK_EQ(l->blocks[i].cell, seq);
			return true;
		}
	return false;
}

static size_t n_live(const struct live *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->blocks[i].allocated;
	return n;
}

/* Freed: there is a free of the block with a greater number. */
static bool rule_freed(const struct op *ops, size_t n, const struct op *a)
{
	for (size_t i = 0; i < n; i++)
		if (ops[i].kind != ALLOC && same_block(&ops[i], a) && ops[i].seq > a->seq)
			return true;
	return false;
}

static bool rule_newest(const struct op *ops, size_t n, const struct op *a)
{
	for (size_t i = 0; i < n; i++)
		if (ops[i].kind == ALLOC && same_block(&ops[i], a) && ops[i].seq > a->seq)
			return false;
	return true;
}

static void check_by_rule(const struct live *l, const struct op *ops, size_t n)
{
	size_t live = 0, lost = 0;

	for (size_t i = 0; i < n; i++) {
		bool want;

		if (ops[i].kind != ALLOC || rule_freed(ops, n, &ops[i])) {
			if (ops[i].kind == ALLOC)
				CHECK(!is_live(l, ops[i].seq));
			continue;
		}
		want = rule_newest(ops, n, &ops[i]);
		CHECK_EQ(is_live(l, ops[i].seq), want);
		live += want;
		lost += !want;
	}
	CHECK_EQ(n_live(l), live);
	CHECK_EQ(l->lost_frees, lost);
}

static size_t random_ops(struct op *ops)
{
	size_t n = 1 + pick(EVENTS);

	for (size_t i = 0; i < n; i++)
		ops[i] = (struct op){pick(5) < 3 ? ALLOC
				     : pick(4)   ? FREE
						 : FREED,
				     pick(SPACES_MAX), 16 * (1 + pick(ADDRESSES)), i + 1};
	return n;
}

static void shuffle(struct op *ops, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = pick((uint32_t)i);
		struct op o = ops[k];

		ops[k] = ops[i - 1];
		ops[i - 1] = o;
	}
}

TEST(any_order_gives_what_the_rule_says)
{
	struct op ops[EVENTS];
	struct live l = {.n = 0};

	seed = 1;
	for (int round = 0; round < 20000; round++) {
		size_t n = random_ops(ops);
		uint64_t unknown = 0;

		if (round % 2)
			shuffle(ops, n);
		live_reset(&l);
		l.unordered = true;
		apply(&l, ops, n);
		check_by_rule(&l, ops, n);
		for (uint32_t b = 0; b < SPACES_MAX * ADDRESSES; b++) {
			struct op o = {ALLOC, b % SPACES_MAX, 16 * (1 + b / SPACES_MAX), 0};
			bool freed = false, known = false;

			for (size_t i = 0; i < n; i++) {
				if (!same_block(&ops[i], &o))
					continue;
				freed |= ops[i].kind != ALLOC;
				known |= ops[i].kind == ALLOC;
			}
			unknown += freed && !known;
		}
		CHECK_EQ(l.unknown_frees, unknown);
	}
	live_release(&l);
}

/* In order and without FREED: a block's state is what its last event made it. */
TEST(ordered_forgets_what_is_freed)
{
	struct op ops[EVENTS];
	struct live l = {.n = 0};

	seed = 2;
	for (int round = 0; round < 20000; round++) {
		size_t n = random_ops(ops), live = 0;
		uint64_t lost = 0, unknown = 0;

		for (size_t i = 0; i < n; i++)
			if (ops[i].kind == FREED)
				ops[i].kind = FREE;
		live_reset(&l);
		apply(&l, ops, n);
		for (size_t i = 0; i < n; i++) {
			const struct op *before = NULL;
			bool last = true;

			for (size_t k = 0; k < n; k++)
				if (same_block(&ops[k], &ops[i])) {
					if (k < i)
						before = &ops[k];
					last &= k <= i;
				}
			if (ops[i].kind == ALLOC) {
				lost += before && before->kind == ALLOC;
				CHECK_EQ(is_live(&l, ops[i].seq), last);
				live += last;
			} else {
				unknown += !before || before->kind != ALLOC;
			}
		}
		CHECK_EQ(n_live(&l), live);
		CHECK_EQ(l.n_known, live); /* nothing else is remembered */
		CHECK_EQ(l.lost_frees, lost);
		CHECK_EQ(l.unknown_frees, unknown);
	}
	live_release(&l);
}

TEST(many_blocks)
{
	enum { MANY = 200000 };
	struct live l = {.n = 0};
	struct live_block b = {.count = 1}, gone;
	size_t live = 0;

	for (uint64_t i = 1; i <= MANY; i++)
		live_alloc(&l, 0, i * 64, i, &b, &gone);
	CHECK_EQ(l.n_known, MANY);
	for (uint64_t i = 1; i <= MANY; i++)
		if (i % 3)
			live_free(&l, 0, i * 64, MANY + i, &gone);
	CHECK_EQ(l.n_known, MANY / 3);
	for (uint64_t i = 1; i <= MANY; i++) /* again, into the holes */
		if (i % 3 == 1)
			live_alloc(&l, 0, i * 64, 3 * MANY + i, &b, &gone);
	live_finish(&l);
	for (size_t i = 0; i < l.n; i++)
		live += l.blocks[i].allocated;
	CHECK_EQ(live, MANY / 3 + (MANY + 2) / 3);
	CHECK(l.n <= MANY);
	CHECK_EQ(l.lost_frees, 0);
	CHECK_EQ(l.unknown_frees, 0);
	live_release(&l);
}

TEST(displaced_ones_do_not_pile_up)
{
	struct live l = {.unordered = true};
	struct live_block b = {.count = 1}, gone;

	/* Each is covered by the next before its free arrives. */
	for (uint64_t i = 1; i < 1000000; i++) {
		live_alloc(&l, 0, 64, 2 * i + 1, &b, &gone);
		live_free(&l, 0, 64, 2 * i, &gone);
	}
	CHECK(l.cap_displaced < 20000);
	live_finish(&l);
	CHECK_EQ(l.lost_frees, 0);
	live_release(&l);
}

TEST_MAIN()
