/* SPDX-License-Identifier: MIT
 *
 * metrics.h: words, titles, keys and ranks are unique and of one form; the masks are those of their definitions.
 */
#include "lib/tally/metrics.h"

#include "tests/unit/test.h"

TEST(rows_have_words_of_one_form)
{
	for (enum sum s = 0; s < SUMS; s++) {
		const struct metric_row *m = &metric_table[s];
		size_t n = strlen(m->title);

		CHECK_EQ(strlen(m->word), n);
		for (size_t i = 0; i < n; i++)
			CHECK_EQ(m->word[i], m->title[i] == ' ' ? '-' : m->title[i]);
		CHECK_EQ(metric_of_word(m->word, n), s);
		CHECK(strspn(m->key, "abcdefghijklmnopqrstuvwxyz_") == strlen(m->key));
		for (enum sum k = 0; k < s; k++) {
			CHECK(strcmp(m->key, metric_table[k].key) != 0);
			CHECK(strcmp(m->word, metric_table[k].word) != 0);
			CHECK(!m->rank || m->rank != metric_table[k].rank);
		}
	}
	CHECK_EQ(metric_of_word("live requested", 14), SUMS);
	CHECK_EQ(metric_of_word("live", 4), SUMS);
	CHECK_EQ(metric_of_word("", 0), SUMS);
}

TEST(order_has_each_once)
{
	unsigned seen = 0;

	for (size_t i = 0; i < SUMS; i++)
		seen |= SUM_BIT(metric_order[i]);
	CHECK_EQ(seen, SUMS_ALL);
}

/* Aggregates and histories of released versions have these numbers and keys. */
TEST(numbers_and_keys_stay)
{
	static const char *const keys[] = {
	    "count",       "entries",        "requested",      "real",        "slack",
	    "live_count",  "live_requested", "live_real",      "freed_count", "freed_requested",
	    "freed_real",  "peak_count",     "peak_requested", "peak_real",   "temporary",
	    "lifetime_ns", "timed",          "self_ns",        "total_ns",    "calls",
	    "mean_ns",     "lua_net",        "mono_net",       "samples",     "period"};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		CHECK_STR(metric_table[i].key, keys[i]);
}

TEST(masks_follow_the_rows)
{
	CHECK_EQ(SUMS_SIGNED, SUM_BIT(SUM_SLACK) | SUM_BIT(SUM_LUA_NET) | SUM_BIT(SUM_MONO_NET));
	CHECK_EQ(SUMS_MEANS, SUM_BIT(SUM_LIFETIME) | SUM_BIT(SUM_TIME_MEAN));
	CHECK_EQ(SUMS_BASE, SUM_BIT(SUM_COUNT) | SUM_BIT(SUM_ENTRIES) | SUM_BIT(SUM_REQUESTED) |
				SUM_BIT(SUM_REAL));
	CHECK_EQ(SUMS_BLOCKS & ~SUMS_BASE, SUM_BIT(SUM_SLACK));
	CHECK_EQ(SUMS_LIFETIME, SUM_BIT(SUM_LIFETIME) | SUM_BIT(SUM_TIMED));
	CHECK_EQ(SUMS_MEASURED & (SUMS_COLUMNS | SUMS_LIFETIME), 0);
	CHECK_EQ(SUMS_MEASURED | SUMS_COLUMNS | SUMS_LIFETIME, SUMS_ALL);
	for (unsigned m = 0; m < 3; m++) {
		CHECK(SUMS_LIVE >> (SUM_LIVE_COUNT + m) & 1);
		CHECK(SUMS_FREED >> (SUM_FREED_COUNT + m) & 1);
		CHECK(SUMS_PEAK >> (SUM_PEAK_COUNT + m) & 1);
	}
	for (unsigned s = 0; s < SUMS; s++) {
		CHECK_EQ(sum_is_mean(s), metric_over((enum sum)s) != s);
		CHECK(metric_wants((enum sum)s) >> s & 1);
	}
}

TEST_MAIN()
