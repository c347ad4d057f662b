/* SPDX-License-Identifier: MIT
 *
 * Tests lib/report/heap/numbers.c: the numbers that come out are those that went in, in as many bytes as the
 * span between the least and the largest needs.
 */
#include "lib/report/heap/numbers.h"
#include "lib/base/mem.h"
#include "tests/unit/test.h"

#include <string.h>

static const struct span {
	uint64_t least, most;
	unsigned bytes;
} spans[] = {
    {7, 7, 1},
    {0, UINT8_MAX, 1},
    {0, UINT8_MAX + 1, 2},
    {1000, 1000 + UINT8_MAX, 1},
    {5, UINT64_C(5) + UINT16_MAX, 2},
    {5, UINT64_C(6) + UINT16_MAX, 4},
    {UINT64_C(0x7f0000000000), UINT64_C(0x7f0000000000) + UINT32_MAX, 4},
    {UINT64_C(0x7f0000000000), UINT64_C(0x7f0000000001) + UINT32_MAX, 8},
    {0, UINT64_MAX, 8},
    {UINT64_MAX - 3, UINT64_MAX, 1},
};

TEST(numbers_of_each_width)
{
	for (size_t k = 0; k < sizeof spans / sizeof *spans; k++) {
		const struct span *s = &spans[k];
		const uint64_t all[] = {0, s->most, s->least, s->least + (s->most - s->least) / 2,
					s->least + (s->most - s->least) / 3};
		enum { N = sizeof all / sizeof *all };
		uint64_t *copy = mem_array(N, sizeof *copy);
		struct heap_numbers x;

		memcpy(copy, all, sizeof all);
		x = heap_numbers_of_64(copy, N);
		CHECK_EQ(x.bytes, s->bytes);
		for (size_t i = 1; i < N; i++)
			CHECK_EQ(heap_number(&x, i), all[i]);
		heap_numbers_release(&x);
	}
}

TEST(numbers_of_32_bits_keep_that_of_nothing)
{
	static const uint32_t most[] = {0, UINT8_MAX, UINT16_MAX, UINT16_MAX + 1, UINT32_MAX};
	static const unsigned bytes[] = {1, 1, 2, 4, 4};

	for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
		uint32_t *all = mem_array(3, sizeof *all);
		struct heap_numbers x;

		all[0] = 0;
		all[1] = most[k];
		all[2] = most[k] / 2;
		x = heap_numbers_of_32(all, 3);
		CHECK_EQ(x.bytes, bytes[k]);
		CHECK_EQ(heap_number(&x, 0), 0);
		CHECK_EQ(heap_number(&x, 1), most[k]);
		CHECK_EQ(heap_number(&x, 2), most[k] / 2);
		heap_numbers_release(&x);
	}
}

TEST(numbers_of_no_object)
{
	struct heap_numbers x = heap_numbers_of_64(mem_zalloc(sizeof(uint64_t)), 1);

	CHECK_EQ(heap_number(&x, 0), 0);
	heap_numbers_release(&x);
}

TEST_MAIN()
