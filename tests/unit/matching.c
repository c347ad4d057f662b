/* SPDX-License-Identifier: MIT
 *
 * lib/aggregate/matching.h. The spellings are those of GNU's and LLVM's demanglers, of GCC's, Clang's
 * and rustc's symbol tables, and of IL2CPP's generated code.
 */
#include "lib/aggregate/matching.h"
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
	same("run::$_0::operator()(int) const", "run::{lambda(int)#2}::operator()(int) const");
	same("run()::'lambda'(int)::operator()(int)", "run()::<lambda(int)>::operator()(int)");
	same("void call<main::$_2>(main::$_2)",
	     "void call<main::{lambda(a<b>, void (*)())#1}>(main::{lambda(a<b>, void (*)())#1})");
	canonical("run()::{lambda(int)#1}::operator()(int) const",
		  "run()::{lambda}::operator()(int)const");
	canonical("$_x", "$_x");
	canonical("{lambda(", "{lambda(");
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

static void bare(const char *s, const char *want, bool all)
{
	struct buf x = BUF_INIT, y = BUF_INIT;

	canonical_name(&x, s, strlen(s));
	CHECK_EQ(bare_name(&y, x.data, x.len), all);
	CHECK_STR(buf_str(&y), want);
	buf_release(&x);
	buf_release(&y);
}

TEST(bare_names_are_what_inlining_leaves)
{
	bare("inl(int)", "inl", false);
	bare("inl", "inl", true);
	bare("a::(anonymous namespace)::inl(int) const", "inl", false);
	bare("int* game::make<int, a::b>(int, void (*)(int))", "make<int,a::b>", false);
	bare("main::{lambda(int)#1}::operator()(int) const", "operator()", false);
	bare("operator()", "operator()", true);
	bare("Vec::operator<(Vec const&) const", "operator<", false);
	bare("Vec::operator->() const", "operator->", false);
	bare("Vec::operator bool() const", "operator bool", false);
	bare("Update", "Update", true);
	bare("f(", "f", false);
	bare("<<<", "<<<", true);
}

enum { A = 1, B = 2, BOTH = 3 };

static struct matching_thing at(uint64_t name, uint64_t in, const char *file, uint32_t line)
{
	return (struct matching_thing){
	    .canonical = name, .bare = name / 10, .in = in, .name = "", .file = file, .line = line};
}

/* The answer, and the same with the groups swapped. */
static void joined(const struct matching_thing *m, size_t n, const uint32_t *want)
{
	struct matching_thing swapped[16];
	uint32_t row[16];

	matching_join(m, n, BOTH, row);
	for (size_t i = 0; i < n; i++) {
		CHECK_EQ(row[i], want[i]);
		swapped[i] = m[i];
		swapped[i].in = (m[i].in & 1) << 1 | m[i].in >> 1;
	}
	matching_join(swapped, n, BOTH, row);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(row[i], want[i]);
}

TEST(only_what_is_left_and_clear_is_joined)
{
	/* 0 and 1 differ in spelling; 2, 3 and 4 are one on one side and two on the other; 5 has no
	 * key; 6 is on both sides already, so 7 is another; 8 is nowhere. */
	const struct matching_thing m[] = {
	    at(10, A, "", 0), at(10, B, "", 0),    at(20, A, "", 0),
	    at(20, B, "", 0), at(20, B, "", 0),    at(0, B, "", 0),
	    at(30, A, "", 0), at(30, BOTH, "", 0), at(10, 0, "", 0),
	};
	static const uint32_t want[] = {0, 0, 2, 3, 4, 5, 6, 7, 8};

	joined(m, 9, want);
}

/* Two builds in two folders, whose files of one name are distinguished by the folder above; the
 * third went from one folder into another. */
TEST(the_longest_common_end_of_a_path_joins)
{
	const struct matching_thing m[] = {
	    at(10, A, "/a/ui/panel.c", 5),
	    at(10, A, "/a/ai/panel.c", 5),
	    at(10, B, "/b/x/ai/panel.c", 5),
	    at(10, B, "/b/x/ui/panel.c", 5),
	    at(20, A, "c:\\a\\one\\io.c", 5),
	    at(20, B, "two/io.c", 9),
	    at(30, A, "x.c", 1),
	    at(30, B, "y.c", 1),
	};
	static const uint32_t want[] = {0, 1, 1, 0, 4, 4, 6, 7};

	joined(m, 8, want);
}

/* Three sites of one function that have moved by lines, and where one was added none is known. */
TEST(moved_lines_are_in_their_order)
{
	const struct matching_thing m[] = {
	    at(10, A, "a.c", 12), at(10, A, "a.c", 14), at(10, B, "a.c", 23), at(10, B, "a.c", 21),
	    at(20, A, "a.c", 12), at(20, B, "a.c", 23), at(20, B, "a.c", 24),
	};
	static const uint32_t want[] = {0, 1, 1, 0, 4, 5, 6};

	joined(m, 7, want);
}

/* Bare names join only what one compiler says nothing more of: "inl" with "inl(int)", not
 * "A::init()" with "B::init()". */
TEST(bare_names_join_what_was_inlined)
{
	struct matching_thing m[] = {at(11, A, "", 0), at(12, B, "", 0), at(21, A, "", 0),
				     at(22, B, "", 0)};
	static const uint32_t want[] = {0, 0, 2, 3};

	m[1].is_bare = true;
	joined(m, 4, want);
}

TEST_MAIN()
