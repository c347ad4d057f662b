/* SPDX-License-Identifier: MIT */
#include "lib/table/table.h"

#include "tests/unit/test.h"

TEST(sizes_for_people)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {{0, "0 B"},
		     {1023, "1023 B"},
		     {1024, "1.0 KiB"},
		     {1075, "1.0 KiB"}, /* 1.0498 */
		     {1076, "1.1 KiB"}, /* 1.0508 */
		     {1536, "1.5 KiB"},
		     {1048524, "1023.9 KiB"}, /* 1023.949 */
		     {1048525, "1.0 MiB"},    /* 1023.950 rounds to 1024.0 */
		     {1048576, "1.0 MiB"},
		     {(uint64_t)5 << 30, "5.0 GiB"},
		     {UINT64_MAX, "16.0 EiB"}};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		b.len = 0;
		size_text(&b, cases[i].bytes);
		CHECK_STR(buf_str(&b), cases[i].text);
	}
	buf_release(&b);
}

TEST(shares)
{
	CHECK(!cell_share(0, 0).present);
	CHECK_EQ(cell_share(0, 7).number, 0);
	CHECK_EQ(cell_share(1, 3).number, 3333);
	CHECK_EQ(cell_share(2, 3).number, 6667);
	CHECK_EQ(cell_share(1, 20000).number, 1); /* 0.005 % rounds up */
	CHECK_EQ(cell_share(1, 20001).number, 0);
	CHECK_EQ(cell_share(UINT64_MAX, UINT64_MAX).number, 10000);
}

TEST_MAIN()
