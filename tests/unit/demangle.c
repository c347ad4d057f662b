/* SPDX-License-Identifier: MIT
 *
 * Demangling. The names are those of the Itanium C++ ABI's and Rust's RFC 2603's own examples.
 */
#include "lib/demangle/demangle.h"
#include "tests/unit/test.h"

TEST(names_for_people)
{
	static const struct {
		const char *raw, *want; /* NULL: not mangled */
	} cases[] = {
	    {"_Z3foov", "foo()"},
	    {"__Z3foov", "foo()"}, /* as Mach-O has it */
	    {"_ZN5outer5innerIiE4callEPKc", "outer::inner<int>::call(char const*)"},
	    {"_RNvC6_123foo3bar", "123foo::bar"},
	    {"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
	    {"main", NULL},
	    {"", NULL},
	    {"_", NULL},
	    {"_Decode", NULL},
	    {"_Zebra", NULL},
	    {"_D4test3fooFZv", NULL},
	    {"_Z", NULL},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = demangle(cases[i].raw);

		if (!cases[i].want)
			CHECK(text == NULL);
		else if (CHECK(text != NULL))
			CHECK_STR(text, cases[i].want);
		free(text);
	}
}

/* A<int, int>, then twenty times A of the one before, twice: 2^21 times "int". */
TEST(a_short_name_for_megabytes_is_left_alone)
{
	static const char digits[] = "0123456789ABCDEFGHIJ";
	char raw[400] = "_Z1f1AIiiES_IS0_S0_E", *text;
	size_t n = strlen(raw);

	for (int i = 1; i < 20; i++)
		n +=
		    (size_t)snprintf(raw + n, sizeof raw - n, "S_IS%c_S%c_E", digits[i], digits[i]);
	text = demangle(raw);
	CHECK(text == NULL);
	free(text);
}

TEST(what_captures_write_around_a_name_stays)
{
	static const struct {
		const char *carried, *want; /* NULL: nothing in it is mangled */
	} cases[] = {
	    {"_Z3foov", "foo()"},
	    {"_Z3foov+0x1c", "foo()+0x1c"},
	    {"_Z3foov@plt", "foo()@plt"},
	    {"_Z3foov_[k]", "foo()_[k]"},
	    {"_Z3foov (/bin/game)", "foo() (/bin/game)"},
	    {"_Z3foov.cold", "foo() [clone .cold]"},
	    {"libgame.so`_Z3foov", "libgame.so`foo()"},
	    {"game!_Z3foov+0x1c", "game!foo()+0x1c"},
	    {"_Zebra", NULL},
	    {"main", NULL},
	    {"main+_Z3foov", NULL},
	    {"game!", NULL},
	    {"_", NULL},
	    {"_[k]", NULL},
	    {"", NULL},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = demangle_captured(cases[i].carried, strlen(cases[i].carried));

		if (!cases[i].want)
			CHECK(text == NULL);
		else if (CHECK(text != NULL))
			CHECK_STR(text, cases[i].want);
		free(text);
	}
}

TEST_MAIN()
