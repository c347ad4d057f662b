/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's text of stacks (formats/loli/text.c).
 */
#include "tests/unit/loli.h"

TEST(small_form)
{
	struct collector c = {0};

	collect_trap(&c, "good-small.text", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(!c.lossy);
	CHECK_STR(c.reader->name, "loli-text");
	CHECK_STR(c.text.data, "alloc 1 @b400007860010000 10000000 100 "
			       "libUE4.so!~59d9100(TMap<int, float>::Add(int, float)) "
			       "lib,comma.so!~40 7f00001234\n"
			       "alloc 2 @b400007860010010 20000000 2147483649 libc.so!?\n"
			       "alloc 3 @b400007860010020 30000000 16 "
			       "libUE4.so!~59d9100(TMap<int, float>::Add(int, float))\n"
			       "end\n");
	CHECK(has_line(&c.notes, "live absent"));
	CHECK(noted(&c, "info", 0, "has no frees"));
	collect_release(&c);
}

TEST(full_form)
{
	struct collector c = {0};

	collect_trap(&c, "good-full.text", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK_STR(c.text.data, "alloc 1 @b400007860010000 10000000 100 "
			       "libUE4.so!TMap<int, float>::Add(int, float) libc.so!~5a010 "
			       "libUE4.so!Foo::operator,(Bar const&, int)\nend\n");
	collect_release(&c);

	collect_trap(&c, "unsupported-ambiguous.text", NULL);
	CHECK_EQ(c.status, ST_UNSUPPORTED);
	CHECK(strstr(c.e.msg, "line 3 ") != NULL);
	collect_release(&c);
}

TEST(damage)
{
	struct collector c = {0};
	static const char lines[] = "[seq,time,size,addr,library,funcaddr]\n"
				    "1,10,100,4096,libUE4.so,0\nlibUE4.so,0x10,\n\n"
				    "2,10,100,4096\n\n"
				    "3,ten,100,4096,libUE4.so,0\n\n"
				    "99999999999,10,100,4096,libUE4.so,0\n\n"
				    "4,10,100,4096,libUE4.so,0\n\n"
				    "[stackAddrMap]\nlibUE4.so:\n0x10, f\n\n";

	collect_trap(&c, "lossy-cut.text", NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK(c.lossy);
	CHECK_EQ(c.allocs, 1);
	collect_release(&c);

	collect(&c, lines, sizeof lines - 1, NULL);
	CHECK_EQ(c.status, ST_OK);
	CHECK_EQ(c.allocs, 2);
	CHECK(noted(&c, "loss", 3, "unreadable"));
	collect_release(&c);
	check_cuts("good-small.text");
	check_cuts("good-full.text");
}

TEST_MAIN()
