/* SPDX-License-Identifier: MIT
 *
 * lib/rules/leaks.h: patterns as compiler-rt's TemplateMatch takes them (its own cases, from
 * compiler-rt/lib/sanitizer_common/tests/sanitizer_suppressions_test.cpp, where they are facts of the
 * syntax: each line below says whether the text is suppressed).
 */
#include "lib/rules/leaks.h"
#include "tests/unit/test.h"

TEST(patterns)
{
	CHECK(leaks_match("aaa", "aaaa"));
	CHECK(leaks_match("*", "aaaa"));
	CHECK(leaks_match("a*cc", "aaaaccc"));
	CHECK(leaks_match("a*bb*cc", "aabbbcccc"));
	CHECK(!leaks_match("aab", "aaa"));
	CHECK(!leaks_match("*aab", "aaa"));
	CHECK(leaks_match("^foobar$", "foobar"));
	CHECK(leaks_match("^foo*bar$", "foobar"));
	CHECK(!leaks_match("^foo$", "foobar"));
	CHECK(leaks_match("foo", "barfoobaz"));
	CHECK(!leaks_match("^bar", "foobar"));
	CHECK(!leaks_match("foo$", "foobar"));
	CHECK(leaks_match("^foo$", "foo"));
	CHECK(leaks_match("o$", "fooo"));
	CHECK(!leaks_match("a", ""));
	CHECK(leaks_match("^foo*", "foobar"));
	CHECK(leaks_match("bar*$", "foobarbaz"));
}

TEST_MAIN()
