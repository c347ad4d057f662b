/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's desktop cache (formats/loli/cache.c).
 */
#include "tests/unit/loli.h"

TEST(sample)
{
	struct collector c = {0};
	size_t n;
	char *p = sample("synthetic_cache_0.bin", &n);

	if (!p)
		TEST_SKIP("../shared is not there");
	collect(&c, p, n, NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK_STR(c.reader->name, "loli-cache");
	CHECK_STR(c.text.data, "alloc 1 @b400007860010000 10000000 4096 78660cd100 790005a010\n"
			       "alloc 2 @b400007860020000 12000000 512\nend\n");
	free(p);
	collect_release(&c);
}

TEST(small)
{
	struct collector c = {0};

	collect_trap(&c, "good-small.cache", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(!c.lossy);
	CHECK_STR(c.reader->name, "loli-cache");
	CHECK_STR(c.text.data, "alloc 1 @b400007860010000 10000000 4096 78660cd100 790005a010\n"
			       "alloc 4 @b400007860011000 12000000 4294967280 library 1234abcd\n"
			       "alloc 2 @b400007860010000 11000000 16\nend\n");
	CHECK(has_line(&c.notes, "live estimated"));
	CHECK(noted(&c, "guess", 0, "every record counts as live"));
	CHECK(noted(&c, "info", 1, "hash of a library's name"));
	CHECK(!strstr(c.notes.data, "never received")); /* frees have numbers too */
	collect_release(&c);
}

TEST(damage)
{
	struct collector c = {0};

	collect_trap(&c, "lossy-frames.cache", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(c.lossy);
	CHECK_EQ(c.allocs, 3);
	collect_release(&c);

	collect_trap(&c, "lossy-count.cache", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(c.lossy);
	CHECK_EQ(c.allocs, 1);
	CHECK(noted(&c, "loss", 0, "(at byte 45)"));
	collect_release(&c);
	check_cuts("good-small.cache");
}

TEST(repeated)
{
	struct collector c = {0};
	struct buf b = BUF_INIT;

	trap_cache(&b);
	trap_cache(&b);
	collect(&c, b.data, b.len, NULL);
	CHECK_EQ(c.allocs, 6);
	CHECK(noted(&c, "guess", 3, "two runs"));
	buf_release(&b);
	collect_release(&c);
}

/* For every trap one reader bids highest, and it is the one of the format. */
TEST(bids)
{
	for (int i = 0; i < LOLI_TRAPS; i++) {
		const char *dot = strrchr(loli_traps[i].name, '.') + 1;
		struct buf b = BUF_INIT;
		int best = 0, at_best = 0;
		const char *winner = "";
		char want[32];
		size_t n;

		if (!strcmp(dot, "maps") || !strcmp(loli_traps[i].name, "bad-packets.stream"))
			continue;
		loli_traps[i].write(&b);
		n = b.len < INPUT_HEAD ? b.len : INPUT_HEAD;
		for (int k = 0; readers[k]; k++) {
			int bid = readers[k]->bid((const uint8_t *)b.data, n, n == b.len);

			at_best = bid > best ? 1 : at_best + (bid == best);
			if (bid > best) {
				best = bid;
				winner = readers[k]->name;
			}
		}
		snprintf(want, sizeof want, "loli%s%s", strcmp(dot, "loli") ? "-" : "",
			 strcmp(dot, "loli") ? dot : "");
		CHECK_STR(winner, want);
		CHECK_EQ(at_best, 1);
		buf_release(&b);
	}
}

TEST_MAIN()
