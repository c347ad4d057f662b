/* SPDX-License-Identifier: MIT
 *
 * Regular expressions (lib/match/match.h).
 */
#include "lib/match/match.h"

#include "tests/unit/test.h"

#include <stdlib.h>
#include <time.h>

static const struct match_place test_place = {"test", 0};

static bool matches(const char *pattern, unsigned flags, const char *s, size_t n)
{
	struct err e = ERR_INIT;
	struct match *m = match_new(test_place, pattern, strlen(pattern), flags, &e);
	bool r;

	if (!CHECK(m != NULL))
		return false;
	r = match_test(m, s, n);
	CHECK_EQ(match_timed_out(m), 0);
	match_free(m);
	return r;
}

TEST(finds_anywhere)
{
	CHECK(matches("b+c", 0, "abbbc", 5));
	CHECK(!matches("^b", 0, "abbbc", 5));
	CHECK(matches("", 0, "", 0));
	CHECK(matches("^$", 0, NULL, 0));
}

TEST(literal_and_caseless)
{
	CHECK(!matches("a.b", MATCH_LITERAL, "axb", 3));
	CHECK(matches("operator()(", MATCH_LITERAL, "f::operator()(int)", 18));
	CHECK(!matches("game", 0, "Game", 4));
	CHECK(matches("game", MATCH_CASELESS, "Game", 4));
	CHECK(matches("A.B", MATCH_CASELESS | MATCH_LITERAL, "xa.bx", 5));
	/* Greek capital and small sigma */
	CHECK(matches("\xcf\x83", MATCH_CASELESS, "\xce\xa3", 2));
}

TEST(invalid_bytes_do_not_match_nor_fail)
{
	CHECK(matches("after", 0,
		      "\xff\xfe"
		      "after",
		      7));
	CHECK(matches("^.$", 0, "\xe6\x97\xa5", 3)); /* one character, three bytes */
	CHECK(!matches("^.$", 0, "\xe6\x97", 2));
	CHECK(matches("b", 0, "a\0b", 3));
}

TEST(error_has_its_column)
{
	struct err e = ERR_INIT;

	CHECK(!match_new(test_place, "ab(c", 4, 0, &e));
	CHECK_EQ(e.code, ST_BAD);
	CHECK(strstr(e.msg, "column 5") != NULL); /* where the ')' is missing */
	CHECK(!match_new(test_place, "a\xff", 2, 0, &e));
	CHECK(strstr(e.msg, "column 2") != NULL);
	CHECK(!match_new(test_place, "x[z-a]", 6, 0, &e));
	CHECK(e.msg[0] != '\0');
}

TEST(catastrophic_pattern_ends)
{
	static const char *const patterns[] = {"(a+)+$", "^(a|a)*$", "(a*)*b", "(.*)*x"};
	char subject[64];
	struct timespec a, b;

	memset(subject, 'a', sizeof subject);
	subject[63] = '!';
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		struct err e = ERR_INIT;
		struct match *m = match_new(test_place, patterns[i], strlen(patterns[i]), 0, &e);

		clock_gettime(CLOCK_MONOTONIC, &a);
		CHECK(!match_test(m, subject, sizeof subject));
		clock_gettime(CLOCK_MONOTONIC, &b);
		CHECK(b.tv_sec - a.tv_sec < 20); /* without a limit: centuries */
		match_free(m);
	}
}

TEST(gave_up_is_counted)
{
	struct err e = ERR_INIT;
	const struct match_timeout *all;
	const struct match_place option = {"--counted", 0};
	struct match *first = match_new(option, "^(a|a)*$", 8, 0, &e);
	struct match *m = match_new(option, "^(a|a)*$", 8, 0, &e);
	struct match *other = match_new((struct match_place){"rules", 7}, "^(a|a)*$", 8, 0, &e);
	uint64_t before = match_all_timed_out();
	char subject[64];
	size_t n;

	memset(subject, 'a', sizeof subject);
	subject[63] = '!';
	match_test(first, subject, sizeof subject);
	match_test(other, subject, sizeof subject);
	match_free(first);
	match_test(m, subject, sizeof subject);
	match_test(m, subject, sizeof subject);
	CHECK_EQ(match_timed_out(m), 2);
	CHECK(match_test(m, "aaa", 3));
	CHECK_EQ(match_timed_out(m), 2);
	match_free(m);
	match_free(other);
	/* The program still knows, by place and pattern, in the order of the first time. */
	CHECK_EQ(match_all_timed_out() - before, 4);
	n = match_all_timeouts(&all);
	if (!CHECK(n >= 2))
		return;
	CHECK_STR(all[n - 2].from.name, "--counted");
	CHECK_EQ(all[n - 2].from.line, 0);
	CHECK_STR(all[n - 2].pattern, "^(a|a)*$");
	CHECK_EQ(all[n - 2].times, 3);
	CHECK_STR(all[n - 1].from.name, "rules");
	CHECK_EQ(all[n - 1].from.line, 7);
	CHECK_EQ(all[n - 1].times, 1);
}

TEST(covers)
{
	/* bytes: f o o _ ( b ) */
	static const struct {
		const char *pattern;
		size_t from, to;
		bool want;
	} cases[] = {
	    {"o \\(b", 3, 5, true},
	    {"oo \\(", 3, 5, true},
	    {"\\(b", 3, 5, false},
	    {"foo", 3, 5, false},
	    /* not the first place, but a later one */
	    {"f|o \\(", 3, 5, true},
	    {"o|x.*", 3, 5, false},
	    {"o.*", 3, 5, true},
	    {".*", 3, 5, true},
	    {"", 3, 5, false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err e = {0};
		struct match *m = match_new((struct match_place){"test", 1}, cases[i].pattern,
					    strlen(cases[i].pattern), 0, &e);

		if (!CHECK(m))
			return;
		if (!CHECK_EQ(match_covers(m, "foo (b)", 7, cases[i].from, cases[i].to),
			      cases[i].want))
			printf("# %s\n", cases[i].pattern);
		match_free(m);
	}
}

/* What is said of a beginning is what all texts say that begin so: of each of four letters up to a length. */
TEST(goes_on)
{
	static const char *const patterns[] = {"abc",     "ab?c*",  "(?:ab|ba)+c",
					       "a\\b",    "a$",     "(?!ab)a[bc]",
					       "(?<=x)a", "\\w+_x", "[^a]"};
	static const char letters[] = "abc ";
	enum { LETTERS = 4, LONGEST = 6, BEGIN = 2 };
	struct err e = ERR_INIT;

	for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
		const char *pattern = patterns[k];
		struct match *m =
		    match_new((struct match_place){"test", 0}, pattern, strlen(pattern), 0, &e);
		size_t left_out = 0, wrong = 0;

		for (unsigned i = 0; i < LETTERS * LETTERS; i++) {
			char text[LONGEST] = {letters[i % LETTERS], letters[i / LETTERS]};
			bool may = match_may_go_on(m, text, BEGIN);

			left_out += !may;
			for (unsigned rest = 0; rest < 256 && !may; rest++)
				for (size_t n = BEGIN; n <= LONGEST; n++) {
					for (size_t at = BEGIN; at < n; at++)
						text[at] = letters[rest >> 2 * (at - BEGIN) & 3];
					wrong += match_test_at(m, text, n, 0);
				}
		}
		CHECK_EQ(wrong, 0);
		CHECK(left_out > 0 || pattern[0] == '\\');
		match_free(m);
	}
}

TEST(long_subject)
{
	size_t n = 10 << 20;
	char *s = malloc(n);

	memset(s, 'x', n);
	s[n - 1] = 'y';
	CHECK(matches("xy$", 0, s, n));
	free(s);
}

TEST_MAIN()
