/* SPDX-License-Identifier: MIT
 *
 * lib/report/matching.h. The spellings are those of GNU's and LLVM's demanglers, of GCC's, Clang's
 * and rustc's symbol tables, and of IL2CPP's generated code.
 */
#include "lib/report/matching.h"
#include "tests/unit/test.h"

static void same(const char *a, const char *b)
{
	struct buf x = BUF_INIT, y = BUF_INIT;

	canonical_name(&x, a, strlen(a));
	canonical_name(&y, b, strlen(b));
	CHECK_STR(buf_str(&x), buf_str(&y));
	buf_release(&x);
	buf_release(&y);
}

static void canonical(const char *s, const char *want)
{
	struct buf x = BUF_INIT;

	canonical_name(&x, s, strlen(s));
	CHECK_STR(buf_str(&x), want);
	buf_release(&x);
}

TEST(demanglers_space_differently)
{
	same("std::map<int, std::vector<int> >::find(int const&)",
	     "std::map<int, std::vector<int>>::find(int const&)");
	same("operator new [](unsigned long)", "operator new[](unsigned long)");
	canonical("unsigned long f(char const *, int)", "unsigned long f(char const*,int)");
	same("f( int )", "f(int)");
	same("{anonymous}::load()", "(anonymous namespace)::load()");
}

TEST(clones_are_the_function)
{
	canonical("_Z4loadv.cold", "_Z4loadv");
	canonical("_Z4loadv.part.0", "_Z4loadv");
	canonical("_Z4loadv.isra.0.cold", "_Z4loadv");
	canonical("_Z4loadv.constprop.12", "_Z4loadv");
	canonical("_ZL4loadv.llvm.16423580735891", "_ZL4loadv");
	canonical("_ZL4loadv.__uniq.1234.llvm.99", "_ZL4loadv");
	canonical("load() [clone .part.0] [clone .cold]", "load()");
	/* No suffixes: a dot and a number alone, or a whole name. */
	canonical("table.12", "table.12");
	canonical(".cold", ".cold");
	canonical("a.b", "a.b");
}

TEST(what_has_no_name_is_not_counted)
{
	same("run()::{lambda(int)#1}::operator()(int)", "run()::{lambda(int)#12}::operator()(int)");
	same("run()::'lambda'(int)::operator()", "run()::'lambda3'(int)::operator()");
	same("run::$_0::operator()", "run::$_41::operator()");
	same("{unnamed type#1}::x", "{unnamed type#2}::x");
	same("core::run::{closure#0}", "core::run::{closure#3}");
	/* Numbers of named things stay. */
	canonical("Vec3::at(int)", "Vec3::at(int)");
	canonical("f<3>#4", "f<3>#4");
	canonical("Array<12>", "Array<12>");
}

TEST(hashes_of_generators)
{
	same("core::fmt::write::h0123456789abcdef", "core::fmt::write::hfedcba9876543210");
	canonical("a::hello_world_hash_x", "a::hello_world_hash_x");
	same("Player_Update_m0123456789ABCDEF0123456789ABCDEF01234567",
	     "Player_Update_mFEDCBA98765432100123456789ABCDEF01234567");
	same("Player_Update_m1234567890", "Player_Update_m987654321");
	same("List_1_Add_m0123456789ABCDEF0123456789ABCDEF01234567_gshared",
	     "List_1_Add_m0123456789ABCDEF0123456789ABCDEF01234568_gshared");
	canonical("node_m4", "node_m4");
	canonical("x_t123x", "x_t123x");
}

TEST(places_without_names)
{
	CHECK(name_is_address("libgame.so!0x12ab", 17));
	CHECK(name_is_address("libgame.so+0x1", 14));
	CHECK(name_is_address("0x7f00", 6));
	CHECK(name_is_address("[unknown]", 9));
	CHECK(!name_is_address("f0x12", 5));
	CHECK(!name_is_address("0x", 2));
	CHECK(!name_is_address("", 0));
	CHECK(!name_is_address("Vec::at", 7));
}

TEST(only_what_is_unique_is_joined)
{
	/* 0 and 1 differ in spelling; 2, 3 and 4 are two of one name on one side; 5 has no key;
	 * 6 is on both sides already, so 7 is another; 8 is nowhere. */
	static const uint64_t key[] = {10, 10, 20, 20, 20, 0, 30, 30, 10};
	static const uint64_t in[] = {1, 2, 1, 2, 2, 2, 3, 2, 0};
	static const uint32_t want[] = {0, 0, 2, 3, 4, 5, 6, 7, 8};
	uint64_t swapped[9];
	uint32_t row[9], again[9];

	matching_join(key, in, 9, row);
	for (int i = 0; i < 9; i++) {
		CHECK_EQ(row[i], want[i]);
		swapped[i] = (in[i] & 1) << 1 | in[i] >> 1;
	}
	matching_join(key, swapped, 9, again);
	CHECK_MEM(again, sizeof again, row, sizeof row);
}

TEST_MAIN()
