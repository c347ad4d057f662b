/* SPDX-License-Identifier: MIT
 *
 * lib/base: hashing, the two hash tables and interning, against naive twins.
 */
#include "lib/base/hash.h"
#include "lib/base/intern.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that are the same in every run. */
static uint64_t random_u64(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* --- hash and map --- */

TEST(hash_bytes_is_xxh3)
{
	CHECK(hash_bytes("", 0) ==
	      0x2d06800538d394c2u); /* xxHash's doc/xxhash_spec: XXH3, seed 0 */
	CHECK(hash_bytes("a", 1) != hash_bytes("b", 1));
	CHECK(hash_bytes("a\0", 2) != hash_bytes("a", 1));
}

/* Against an array as wide as the keys; few keys, so that clusters form and are removed. */
TEST(map64_equals_a_naive_map)
{
	enum { KEYS = 512 };
	struct map64 m = MAP64_INIT;
	uint32_t naive[KEYS] = {0};
	uint64_t keys[KEYS];
	size_t n = 0, wrong = 0;
	uint64_t state = 2;

	for (size_t i = 0; i < KEYS; i++)
		keys[i] =
		    i < 4 ? (uint64_t[]){0, 1, UINT64_MAX, UINT64_MAX - 1}[i] : random_u64(&state);
	CHECK_EQ(map64_get(&m, 0), 0);
	map64_remove(&m, 0);
	for (int step = 0; step < 200000; step++) {
		size_t k = random_u64(&state) % KEYS;

		/* Waves of growth and of shrinking. */
		if (random_u64(&state) % 100 < (step / 5000 % 2 ? 25u : 75u)) {
			uint32_t *v = map64_put(&m, keys[k]);

			wrong += *v != naive[k];
			n += !naive[k];
			*v = naive[k] = (uint32_t)(random_u64(&state) | 1);
		} else {
			map64_remove(&m, keys[k]);
			n -= naive[k] != 0;
			naive[k] = 0;
		}
		wrong += m.n != n;
		if (step % 1000 == 0)
			for (size_t i = 0; i < KEYS; i++)
				wrong += map64_get(&m, keys[i]) != naive[i];
	}
	CHECK_EQ(wrong, 0);
	map64_release(&m);
	CHECK_EQ(map64_get(&m, keys[7]), 0);
}

/* Rows of a table of numbers, equal when the numbers are; few hashes, so that clusters form. */
static uint64_t number_hash(const void *table, uint32_t id)
{
	return ((const uint32_t *)table)[id] % 97 * 0x9e3779b97f4a7c15u;
}

static bool number_equal(const void *table, uint32_t id, const void *key)
{
	return ((const uint32_t *)table)[id] == *(const uint32_t *)key;
}

TEST(map64_tells_keys_apart_by_their_checks)
{
	enum { KEYS = 1000, CHECKS = 5 };
	struct map64 m = MAP64_INIT;
	size_t wrong = 0;

	/* Each key with each check is a key of its own, and without one is that with 0. */
	for (uint32_t i = 0; i < KEYS * CHECKS; i++)
		*map64_put_checked(&m, i / CHECKS, i % CHECKS * 0x40000001u) = i + 1;
	CHECK_EQ(m.n, KEYS * CHECKS);
	for (uint32_t i = 0; i < KEYS * CHECKS; i++)
		wrong += map64_get_checked(&m, i / CHECKS, i % CHECKS * 0x40000001u) != i + 1;
	for (uint32_t i = 0; i < KEYS; i++)
		wrong += map64_get(&m, i) != i * CHECKS + 1 || map64_get_checked(&m, i, 2) != 0;
	CHECK_EQ(wrong, 0);
	map64_remove(&m, 7);
	CHECK_EQ(map64_get(&m, 7), 0);
	CHECK_EQ(map64_get_checked(&m, 7, 0x40000001u), 7 * CHECKS + 2);
	map64_release(&m);
}

TEST(id_set_equals_a_naive_search)
{
	enum { NUMBERS = 3000 };
	static const struct id_rows rows = {number_hash, number_equal};
	uint32_t table[NUMBERS + 2] = {0}, first[NUMBERS] = {0};
	struct id_set s = ID_SET_INIT;
	size_t n = 0, wrong = 0;
	uint64_t state = 2;

	for (int step = 0; step < 20000; step++) {
		uint32_t number = (uint32_t)(random_u64(&state) % NUMBERS);
		uint64_t hash;

		table[n + 1] = number; /* of which the hash is computed */
		hash = number_hash(table, (uint32_t)n + 1);
		wrong += id_set_find(&s, &rows, table, hash, &number) != first[number];
		if (!first[number]) {
			first[number] = (uint32_t)++n;
			id_set_add(&s, &rows, table, hash, first[number]);
		}
		wrong += s.n != n;
		if (step == 10000) {
			id_set_clear(&s);
			memset(first, 0, sizeof first);
			n = 0;
		}
	}
	CHECK_EQ(wrong, 0);
	CHECK(n > NUMBERS / 2);
	id_set_release(&s);
	CHECK_EQ(id_set_find(&s, &rows, table, 0, table), 0);
}

static uint64_t own_hash(const void *table, uint32_t id)
{
	(void)table;
	return hash_u64(id);
}

static bool own_equal(const void *table, uint32_t id, const void *key)
{
	++*(size_t *)(uintptr_t)table;
	return id == *(const uint32_t *)key;
}

/* As hash.h says: at most 5 of 8 slots are taken, and at least half as many when it is not new. */
TEST(id_set_takes_the_bytes_it_says)
{
	static const struct id_rows rows = {own_hash, own_equal};
	struct id_set s = ID_SET_INIT;
	size_t wrong = 0;

	for (uint32_t id = 1; id <= 100000; id++) {
		size_t bytes;

		id_set_add(&s, &rows, NULL, hash_u64(id), id);
		bytes = (s.mask + 1) * sizeof *s.slots;
		/* 6.4 and 12.8 bytes an id, in tenths */
		wrong += bytes * 10 < (size_t)id * 64 || (id > 40 && bytes * 10 > (size_t)id * 128);
	}
	CHECK_EQ(wrong, 0);
	id_set_release(&s);
	id_set_reserve(&s, 1000000, &rows, NULL); /* 2^20 slots are too few, 2^21 enough */
	CHECK_EQ(s.mask, (1u << 21) - 1);
	CHECK_EQ(s.n, 0);
	id_set_release(&s);
}

/* Ids that are larger than the set need all of the bits; of the others the hash distinguishes
 * nearly all: 100000 ids need 17 bits, so of the looks at slots of other rows 1 in 2^15 is at a
 * row. */
TEST(id_set_looks_at_few_rows)
{
	static const struct id_rows rows = {own_hash, own_equal};
	struct id_set s = ID_SET_INIT;
	size_t looks = 0, wrong = 0;
	uint32_t largest = UINT32_MAX;

	for (uint32_t id = 1; id <= 100000; id++)
		id_set_add(&s, &rows, &looks, hash_u64(id), id);
	for (uint32_t id = 1; id <= 200000; id++)
		wrong +=
		    id_set_find(&s, &rows, &looks, hash_u64(id), &id) != (id <= 100000 ? id : 0);
	CHECK_EQ(wrong, 0);
	CHECK(looks >= 100000 && looks < 100100);
	id_set_add(&s, &rows, &looks, hash_u64(largest), largest);
	for (uint32_t id = 1; id <= 100000; id++)
		wrong += id_set_find(&s, &rows, &looks, hash_u64(id), &id) != id;
	CHECK_EQ(wrong, 0);
	CHECK_EQ(id_set_find(&s, &rows, &looks, hash_u64(largest), &largest), largest);
	id_set_release(&s);
}

/* --- interning --- */

TEST(intern_ids_are_dense_and_stable)
{
	struct intern t = INTERN_INIT;
	const char *first;
	char text[20];
	size_t n;

	CHECK_EQ(intern_count(&t), 0);
	CHECK_STR(intern_text(&t, 0, &n), "");
	CHECK_EQ(intern_find(&t, "x", 1), 0);
	CHECK_EQ(intern_add(&t, "0", 1), 1);
	first = intern_text(&t, 1, NULL);
	for (uint32_t i = 0; i < 5000; i++)
		CHECK_EQ(intern_add(&t, text, (size_t)snprintf(text, sizeof text, "%u", i)), i + 1);
	for (uint32_t i = 0; i < 5000; i++)
		CHECK_EQ(intern_add(&t, text, (size_t)snprintf(text, sizeof text, "%u", i)), i + 1);
	CHECK_EQ(intern_count(&t), 5000);
	CHECK(intern_text(&t, 1, NULL) == first);
	CHECK_STR(intern_text(&t, 4321, &n), "4320");
	CHECK_EQ(n, 4);
	CHECK_STR(intern_text(&t, 5001, &n), "");
	CHECK_EQ(n, 0);
	intern_release(&t);
}

TEST(intern_odd_strings)
{
	struct intern t = INTERN_INIT;
	uint32_t empty = intern_add(&t, "", 0), nul = intern_add(&t, "a\0b", 3),
		 a = intern_add(&t, "a", 1), again;
	size_t n;

	CHECK_EQ(empty, 1);
	CHECK_EQ(nul, 2);
	CHECK_EQ(a, 3);
	CHECK_MEM(intern_text(&t, nul, &n), 4, "a\0b", 4);
	CHECK_EQ(n, 3);
	again = intern_append(&t, "a", 1);
	CHECK_EQ(again, 4);
	CHECK_STR(intern_text(&t, again, NULL), "a");
	CHECK_EQ(intern_find(&t, "a", 1), a);
	CHECK_EQ(intern_append(&t, "new", 3), 5);
	CHECK_EQ(intern_add(&t, "new", 3), 5);
	CHECK_EQ(intern_find(&t, "", 0), empty);
	CHECK_EQ(intern_add(&t, NULL, 0), empty);
	CHECK_EQ(intern_find(&t, NULL, 0), empty);
	intern_release(&t);
}

/* A chain of equal rows would take hours. */
TEST(intern_a_million_equal_rows)
{
	struct intern t = INTERN_INIT;

	for (uint32_t i = 1; i <= 1000000; i++)
		if (intern_append(&t, "", 0) != i)
			CHECK_EQ(i, 0);
	CHECK_EQ(intern_find(&t, "", 0), 1);
	CHECK_EQ(intern_add(&t, "a", 1), 1000001);
	intern_release(&t);
}

TEST_MAIN()
