/* SPDX-License-Identifier: MIT
 *
 * A lost slide is found in code whose calls are known, and not where they are another's. arm64 has
 * the densest calls: one in eight instructions here.
 */
#include "lib/find/slide.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "tests/unit/test.h"

#include <stdlib.h>

enum { WORDS = 1 << 18 };

static void make(struct disasm_code *c, uint8_t *bytes, uint64_t seed)
{
	struct code_part part = {.lo = 0x4000, .size = WORDS * 4, .data = bytes};

	for (uint64_t i = 0; i < WORDS; i++)
		memcpy(bytes + i * 4,
		       hash_u64(seed + i) % 8 ? "\x1f\x20\x03\xd5" : "\x00\x01\x3f\xd6", 4);
	code_init(c, CODE_ARM64, &part, 1);
}

/* n of the sites, in order, at this slide. */
static uint64_t *take(const struct disasm_code *c, size_t n, uint64_t slide)
{
	uint64_t *sites, *some = mem_array(n, sizeof *some);
	size_t all = code_sites(c, &sites);

	for (size_t i = 0; i < n; i++)
		some[i] = sites[i * (all / n)] + slide;
	free(sites);
	return some;
}

static struct slide_guess guess(uint64_t seed, size_t n, bool other)
{
	uint8_t *bytes = mem_alloc((size_t)WORDS * 4), *others = mem_alloc((size_t)WORDS * 4);
	struct disasm_code c, o;
	struct slide_guess g;
	uint64_t *addrs;

	make(&c, bytes, seed);
	make(&o, others, seed + WORDS);
	addrs = take(&c, n, 0x7a12345000);
	slide_find(other ? &o : &c, addrs, n, &g);
	free(addrs);
	code_release(&c);
	code_release(&o);
	free(bytes);
	free(others);
	return g;
}

TEST(a_slide_is_found)
{
	static const size_t sizes[] = {20, 50, 400, 5000};

	for (size_t i = 0; i < 4; i++) {
		struct slide_guess g = guess(i << 32, sizes[i], false);

		CHECK(g.sure);
		CHECK_EQ(g.best.slide, 0x7a12345000);
		CHECK_EQ(g.best.pass, sizes[i]);
		CHECK_EQ(g.best.inside, sizes[i]);
	}
}

TEST(another_program_has_none)
{
	for (uint64_t seed = 0; seed < 12; seed++)
		CHECK(!guess(seed << 32, (size_t)4 << seed, true).sure);
}

TEST(too_few_are_not_enough)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		CHECK(!guess(seed << 32, 2, false).sure);
		CHECK(!guess(seed << 32, 4, false).sure);
	}
}

TEST(nothing_to_find)
{
	struct disasm_code none = {.n = 0};
	uint64_t addr = 0x1000;
	struct slide_guess g;

	slide_find(&none, &addr, 1, &g);
	CHECK(!g.sure && !g.tried);
	slide_find(&none, NULL, 0, &g);
	CHECK(!g.sure);
}

TEST_MAIN()
