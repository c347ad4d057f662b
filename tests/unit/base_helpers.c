/* SPDX-License-Identifier: MIT
 *
 * Small helpers of lib/base, against what they are defined to be.
 */
#include "lib/base/sort.h"
#include "tests/unit/test.h"

TEST(bisect_finds_the_first_that_is_not_before)
{
	/* 3 3 5 9: none is below 3; two are at most 3; below 6 are 3, 3 and 5; all are below 10. In
	 * [1, 3), which is 3 5, one is below 5; an empty range ends where it begins. */
	const uint32_t v[] = {3, 3, 5, 9};
	size_t n = 4;
	uint32_t few = 4;

	CHECK_EQ(BISECT(i, 0, n, v[i] < 3), 0);
	CHECK_EQ(BISECT(i, 0, n, v[i] <= 3), 2);
	CHECK_EQ(BISECT(i, 0, n, v[i] < 6), 3);
	CHECK_EQ(BISECT(i, 0, n, v[i] < 10), 4);
	CHECK_EQ(BISECT(i, 1, n - 1, v[i] < 5), 2);
	CHECK_EQ(BISECT(i, n, n, v[i] < 10), 4);
	CHECK_EQ(BISECT(i, 0, few, v[i] <= 5), 3);
	CHECK_EQ(sizeof(BISECT(i, 0, few, v[i] <= 5)), sizeof few);
	/* Each border of 1,000 there can be; the middle of two large numbers does not wrap. */
	for (size_t border = 0; border <= 1000; border++)
		CHECK_EQ(BISECT(i, 0, (size_t)1000, i < border), border);
	CHECK_EQ(BISECT(i, UINT32_MAX - 9, UINT32_MAX, i < UINT32_MAX - 3), UINT32_MAX - 3);
}

TEST_MAIN()
