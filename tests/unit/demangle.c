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
#ifdef HAVE_LLVM_DEMANGLE
	    {"?f@a@@YAXH@Z", "a::f(int)"},
	    {"game.exe!?f@a@@YAXH@Z+0x1c", "game.exe!a::f(int)+0x1c"},
	    {"?f@@YAXXZ (game.exe)", "f(void) (game.exe)"},
#endif
	    {"?", NULL},
	    {"??", NULL},
	    {"?f", NULL},
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

/* Names of Microsoft's documentation and of its linkers' messages; as llvm-undname 19 shows them without access,
 * convention, result and "static". */
TEST(microsoft)
{
	static const struct {
		const char *raw, *want; /* NULL: not mangled */
	} cases[] = {
	    {"?func1@a@@AAEXH@Z", "a::func1(int)"},
	    {"?f@@YAXXZ", "f(void)"},
	    {"?f@ns@@YA_NPEBDAEBVstring@1@@Z", "ns::f(char const *, class ns::string const &)"},
	    {"??0game@@QEAA@XZ", "game::game(void)"},
	    {"??1game@@UEAA@XZ", "game::~game(void)"},
	    {"??_Ggame@@UEAAPEAXI@Z", "game::`scalar deleting dtor'(unsigned int)"},
	    {"??_7game@@6B@", "const game::`vftable'"},
	    {"??$max@H@@YAHHH@Z", "max<int>(int, int)"},
	    {"??2@YAPEAX_K@Z", "operator new(unsigned __int64)"},
	    {"?gv@@3HA", "int gv"},
	    {"?run@@YAXP6AXH@Z@Z", "run(void (__cdecl *)(int))"},
	    {"?f@?A0x1234abcd@@YAXXZ", "`anonymous namespace'::f(void)"},
	    {"??@0123456789abcdef0123456789abcdef@", "??@0123456789abcdef0123456789abcdef@"},
	    {"?", NULL},
	    {"?f@@YAX", NULL},
	    {"??", NULL},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = demangle(cases[i].raw);

#ifndef HAVE_LLVM_DEMANGLE
		CHECK(text == NULL);
		(void)cases[i].want;
#else
		if (!cases[i].want)
			CHECK(text == NULL);
		else if (CHECK(text != NULL))
			CHECK_STR(text, cases[i].want);
#endif
		free(text);
	}
}

/* Parameters that name the one before many times: 2 to the 44th of them, and 30 times for each. */
TEST(microsoft_bombs)
{
	char raw[1000] = "?f@@YAXPAH";
	size_t n = strlen(raw);

	for (int i = 0; i < 9; i++) {
		n += (size_t)sprintf(raw + n, "P6AX");
		memset(raw + n, '0' + i, 30);
		n += 30;
		n += (size_t)sprintf(raw + n, "@Z");
	}
	strcpy(raw + n, "@Z");
	CHECK(demangle(raw) == NULL);
}

/* As deep as it is long. */
TEST(microsoft_deep)
{
	static char raw[60000];
	char *text;

	strcpy(raw, "?x@@3");
	for (size_t n = 5; n < sizeof raw - 8; n += 3)
		memcpy(raw + n, "PEA", 3);
	strcat(raw, "HEA");
	text = demangle(raw);
#ifdef HAVE_LLVM_DEMANGLE
	CHECK(text && !strncmp(text, "int ***", 7));
#endif
	free(text);
}

TEST_MAIN()
