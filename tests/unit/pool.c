/* SPDX-License-Identifier: MIT */
#include "lib/base/pool.h"

#include "tests/unit/test.h"

enum { FRAME = 64 << 10, CALLS = 512 }; /* 32 MiB: more than a usual stack */

static unsigned descend(unsigned left)
{
	volatile char frame[FRAME];

	frame[0] = frame[FRAME - 1] = 1;
	return left ? descend(left - 1) + (unsigned)frame[FRAME - 1] : 0;
}

static void deep(size_t item, unsigned worker, void *arg)
{
	CHECK(!item && !worker);
	*(unsigned *)arg = descend(CALLS);
}

TEST(what_recurses_deeply_has_its_stack)
{
	unsigned n = 0;

	pool_run_deep((size_t)2 * FRAME * CALLS, deep, &n);
	CHECK_EQ(n, CALLS);
}

TEST_MAIN()
