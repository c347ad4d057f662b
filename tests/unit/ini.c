/* SPDX-License-Identifier: MIT
 *
 * lib/base/ini.h: lines and what they are. Each case is a text and its lines: "[section]", "key=value" with a '!'
 * before it, and the error at the end, with a blank between them.
 */
#include "lib/base/ini.h"
#include "lib/base/buf.h"
#include "tests/unit/test.h"

#include <string.h>

static void check(unsigned forms, const char *text, size_t n, const char *want)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct ini in = ini_of(text, n, forms, &arena, &e);
	struct buf got = BUF_INIT;

	while (ini_next(&in)) {
		if (in.key)
			buf_addf(&got, "%u:%zu %s%s=%s@%zu|", in.line, in.column,
				 in.negated ? "!" : "", in.key, in.value, in.value_column);
		else
			buf_addf(&got, "%u:%zu [%s@%zu]|", in.line, in.column, in.section,
				 in.value_column);
	}
	CHECK_EQ(in.st, e.code);
	buf_adds(&got, in.st ? e.msg : "");
	CHECK_STR(buf_str(&got), want);
	buf_release(&got);
	arena_release(&arena);
}

struct line {
	unsigned forms;
	const char *text, *want;
};

static void check_all(const struct line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check(lines[i].forms, lines[i].text, strlen(lines[i].text), lines[i].want);
}

#define NEITHER "neither a [section] nor 'name = value'"
enum { RULES = INI_WORDS, LEAKS = INI_COLONS };

TEST(lines)
{
	static const struct line lines[] = {
	    {0, "", ""},
	    {0, "\n \t\r\n# a = b\n ; [x\n", ""},
	    {0, "a = b", "1:1 a=b@5|"},
	    {0,
	     "\xef\xbb\xbf"
	     "a=b\n",
	     "1:1 a=b@3|"},
	    {0, "\n \ta\t=\tb c \r\n", "2:3 a=b c@7|"},
	    {0, "a = b = c", "1:1 a=b = c@5|"},
	    {0, "a == b", "1:1 a== b@4|"},
	    {0, "a = !b", "1:1 a=!b@5|"},
	    {0, "a = [b]", "1:1 a=[b]@5|"},
	    {0, "[a]\n[ b c ]\n", "1:1 [a@2]|2:1 [b c@3]|"},
	    {0, " []\n[a]b]", "1:2 [@3]|2:1 [a]b@2]|"},
	    {0, "[]", "1:1 [@2]|"},
	    {0, "[a", "line 1, column 3: a section ends with ']'"},
	    {0, "[", "line 1, column 2: a section ends with ']'"},
	    {0, "a = b\nc = ", "1:1 a=b@5|line 2, column 4: 'c' has no value"},
	    {0, "a", "line 1, column 1: " NEITHER},
	    {0, "  a b", "line 1, column 3: " NEITHER},
	    {0, "= b", "line 1, column 1: " NEITHER},
	    {0, ": b", "line 1, column 1: " NEITHER},
	    {0, "a b = c", "line 1, column 1: " NEITHER},
	    {0, "!a = c", "line 1, column 1: " NEITHER},
	    {0, "a: b", "line 1, column 2: 'a' is followed by ':': write 'a ='"},
	    {0, "a : b = c", "line 1, column 3: 'a' is followed by ':': write 'a ='"},
	};

	check_all(lines, sizeof lines / sizeof *lines);
	check(0, "a = b\nc\0 = d", 12, "1:1 a=b@5|line 2, column 2: a NUL byte");
	check(0, "#\0", 2, "line 1, column 2: a NUL byte");
}

TEST(rules_for_names)
{
	static const struct line lines[] = {
	    {RULES, "function ^a b$", "1:1 function=^a b$@10|"},
	    {RULES, "function = ^a$", "1:1 function=^a$@12|"},
	    {RULES, "function ::a", "1:1 function=::a@10|"},
	    {RULES, "function operator==", "1:1 function=operator==@10|"},
	    {RULES, "!file /x/\n! \tfile = x", "1:1 !file=/x/@7|2:1 !file=x@11|"},
	    {RULES, "function =a\nfunction=a", "1:1 function==a@10|2:1 function=a@10|"},
	    {RULES, "function", "line 1, column 9: 'function' has no value"},
	    {RULES, "function =", "line 1, column 11: 'function' has no value"},
	    {RULES, "function:a", "line 1, column 1: " NEITHER},
	    {RULES, "!", "line 1, column 1: " NEITHER},
	    {RULES, "! = x", "line 1, column 1: " NEITHER},
	    {LEAKS, "leak:a b", "1:1 leak=a b@6|"},
	    {LEAKS, "leak = ^a$", "1:1 leak=^a$@8|"},
	    {LEAKS, "leak:a::b", "1:1 leak=a::b@6|"},
	    {LEAKS, "leak:", "line 1, column 6: 'leak' has no value"},
	    {LEAKS, "leak a", "line 1, column 1: " NEITHER},
	};

	check_all(lines, sizeof lines / sizeof *lines);
}

#define BEHIND ": ' ;' begins a comment, unless a backslash is before the ';'"
#define AMONG \
	"a '#' among blanks: ' ;' begins a comment; a '#' of the value has a backslash before it"

TEST(comments_behind)
{
	static const struct line lines[] = {
	    {0, "a = b ;c", "1:1 a=b@5|"},
	    {0, "a = b\t; c ; d # e", "1:1 a=b@5|"},
	    {0, "a = b;c#d", "1:1 a=b;c#d@5|"},
	    {0, "a =;b\nc =#d", "1:1 a=;b@4|2:1 c=#d@4|"},
	    {0, "a = b #12", "1:1 a=b #12@5|"},
	    {0, "a = {lambda()#1}::operator()", "1:1 a={lambda()#1}::operator()@5|"},
	    {0, "a = ^Worker #3$", "1:1 a=^Worker #3$@5|"},
	    {0, "[a] ; b]\n[c ;]", "1:1 [a@2]|line 2, column 3: a section ends with ']'" BEHIND},
	    {0, "[a]; b", "line 1, column 7: a section ends with ']'" BEHIND},
	    {0, "[a] b", "line 1, column 6: a section ends with ']'" BEHIND},
	    {0, "[a] # b", "line 1, column 5: " AMONG},
	    {0, "a = ;b", "line 1, column 4: 'a' has no value" BEHIND},
	    {0, "a ;= b", "line 1, column 1: " NEITHER},
	    {0, "a = b # c", "line 1, column 7: " AMONG},
	    {0, "a = # c", "line 1, column 5: " AMONG},
	    {0, "a = b\t#", "line 1, column 7: " AMONG},
	    {0, "a = b \\; c", "1:1 a=b ; c@5|"},
	    {0, "a = b \\# c \\#", "1:1 a=b # c #@5|"},
	    {0, "a = \\;b", "1:1 a=;b@5|"},
	    {0, "a = b\\;c \\\\;d \\x", "1:1 a=b\\;c \\\\;d \\x@5|"},
	    {0, "[a \\; b]", "1:1 [a ; b@2]|"},
	    {RULES, "function a ; b\nfile \\;c", "1:1 function=a@10|2:1 file=;c@6|"},
	    {LEAKS, "leak:a ; b", "1:1 leak=a@6|"},
	};

	check_all(lines, sizeof lines / sizeof *lines);
}

TEST(names_of_sections)
{
	struct ini in = {.section = "rule  a b"};

	CHECK_STR(ini_name(&in, "rule"), "a b");
	CHECK(!ini_name(&in, "rul") && !ini_name(&in, "rules") && !ini_name(&in, "waiver"));
	in.section = "rule";
	CHECK_STR(ini_name(&in, "rule"), "");
}

TEST(first_error_stays)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct ini in = ini_of("a = b\nc = d", 11, 0, &arena, &e);

	CHECK(ini_next(&in));
	CHECK(!ini_fail(&in, in.line, in.value_column, "'%s' is not a number", in.value));
	CHECK(!ini_fail(&in, 7, 1, "later"));
	CHECK(!ini_next(&in));
	CHECK_EQ(in.st, ST_BAD);
	CHECK_STR(e.msg, "line 1, column 5: 'b' is not a number");
	arena_release(&arena);
}

TEST_MAIN()
