/* SPDX-License-Identifier: MIT
 *
 * Blocks packed one after the other (lib/pack/zstd.h).
 */
#include "lib/pack/zstd.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 40000, BLOCKS = 70 };

/* Kinds: rows that count up, which the quick level packs badly; few different bytes; none alike. */
static void fill(uint8_t *p, unsigned kind, uint64_t block)
{
	for (uint64_t i = 0; i < BLOCK; i++) {
		uint64_t row = block * BLOCK + i / 4, any = hash_u64(block << 32 | i);

		p[i] = kind == 0   ? (uint8_t)(row >> 8 * (i % 4))
		       : kind == 1 ? (uint8_t)(any % 11)
				   : (uint8_t)any;
	}
}

TEST(paced_blocks_stay_small_and_come_back)
{
	uint8_t *in = mem_alloc(BLOCK), *out = mem_alloc(BLOCK), *back = mem_alloc(BLOCK);
	struct zstd *z = zstd_new();

	for (unsigned kind = 0; kind < 3; kind++) {
		struct zstd_pace pace = {0};
		size_t paced = 0, plain = 0;

		for (unsigned i = 0; i < BLOCKS; i++) {
			size_t n;

			fill(in, kind, i);
			n = zstd_pack(z, out, BLOCK - 1, in, BLOCK, 3);
			plain += n ? n : BLOCK;
			n = zstd_pack_paced(z, &pace, out, BLOCK - 1, in, BLOCK);
			paced += n ? n : BLOCK;
			if (n)
				CHECK(zstd_unpack_whole(z, back, BLOCK, out, n) &&
				      !memcmp(in, back, BLOCK));
		}
		CHECK(paced <= plain + plain / 32);
	}
	zstd_free(z);
	free(in);
	free(out);
	free(back);
}

/* Nor do they say anything of the large ones. */
TEST(small_blocks_are_packed_as_ever)
{
	uint8_t in[1000], a[1000], b[1000];
	struct zstd_pace pace = {.quick = true, .left = 9};
	struct zstd *z = zstd_new();
	size_t n;

	for (size_t i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i % 7);
	n = zstd_pack(z, a, sizeof a, in, sizeof in, 3);
	CHECK_EQ(zstd_pack_paced(z, &pace, b, sizeof b, in, sizeof in), n);
	CHECK(!memcmp(a, b, n));
	CHECK_EQ(pace.left, 9);
	zstd_free(z);
}

TEST_MAIN()
