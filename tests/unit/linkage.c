/* SPDX-License-Identifier: MIT
 *
 * lib/rules/linkage.h. The names are those of GCC's and Clang's symbol tables; what is internal is what nm
 * prints a small letter for.
 */
#include "lib/rules/linkage.h"
#include "tests/unit/test.h"

#include <string.h>

TEST(internal_linkage_of_mangled_names)
{
	static const struct {
		const char *name;
		bool internal;
	} cases[] = {
	    {"_ZL4loadi", true},  /* static void load(int) */
	    {"__ZL4loadi", true}, /* the same on macOS */
	    {"_ZL4loadi.constprop.0", true},
	    {"_ZN2nsL4loadEi", true}, /* static in a namespace */
	    {"_ZN12_GLOBAL__N_15Cache4fillEv", true},
	    {"_ZZL4loadiENKUliE_clEi", true}, /* a lambda in a static function */
	    {"_ZNSt6vectorIN12_GLOBAL__N_11AESaIS1_EE9push_backEOS1_", true},
	    {"_Z3runIXadL_ZL4loadiEEEvv", true}, /* run<&load>() */
	    {"_Z3runIXadL_ZN2nsL4loadEiEEEvv", true},
	    {"_ZN1LmIERKS_", false}, /* L::operator-= */
	    {"_ZN1ApLERKS_", false}, /* A::operator+= */
	    {"_ZmLR1Ad", false},
	    {"_Z4loadi", false},
	    {"_ZN1LC1Ei", false}, /* L::L(int) */
	    {"_ZN5LevelC2Ev", false},
	    {"_Z4loadILi3EEvv", false},     /* load<3>() */
	    {"_Z4loadIL4Enum1EEvv", false}, /* load<Enum(1)>() */
	    {"_Z4loadILN2ns4EnumE1EEvv", false},
	    {"_Z4loadIiL4Enum1EL4Enum2EEvv", false},
	    {"_Z4loadIXadL_Z3runvEEEvv", false}, /* load<&run>() */
	    {"_Z4loadIJLi1ELb0EL4Enum1EEEvv", false},
	    {"_Z3runivENKUlvE0_clEv", false},
	    {"_Z1fIA10_1LEvRT_", false}, /* void f<L[10]>(L(&)[10]) */
	    {"_ZThn16_N1L1fEv", false},  /* a thunk */
	    {"_ZTv0_n24_N1L1fEv", false},
	    {"_ZN1aIDv4_f1LE1fEv", false},
	    {"_ZZ3runvEN1L2goEv_0", false}, /* a local class */
	    {"_RNvC5game44load", false},
	    {"load", false},
	    {"_Z", false},
	    {"_Z99L", false},
	    {"(anonymous namespace)::load(int)", true},
	    {"{anonymous}::load(int)", true},
	    {"load(int)", false},
	    {"", false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (linkage_is_internal(cases[i].name, strlen(cases[i].name)) != cases[i].internal)
			CHECK_STR(cases[i].name, cases[i].internal ? "internal" : "external");
}

/* By the Itanium C++ ABI, 5.1.4.3; GCC has 4 for "unified". The place counts from 0. */
TEST(unified_constructors)
{
	static const struct {
		const char *name;
		size_t want;
	} cases[] = {
	    {"_ZN5LevelC4Ev", 10},
	    {"_ZN5LevelD4Ev", 10},
	    {"_ZN5LevelC2Ev", 0},
	    {"_ZN5LevelD0Ev", 0},
	    {"_ZN4C4D4C4Ev", 9},
	    {"_ZN4C4D43runEv", 0},
	    {"_ZN3VecI2C4EC4ERKS1_", 13},
	    {"_ZN3VecIiE4C4D4Ev", 0},
	    {"_Z2C4v", 0},
	    {"_Z1fILi4E2D4EvT_", 0},
	    {"Level::Level()", 0},
	    {"_Z", 0},
	    {"", 0},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (!CHECK_EQ(linkage_unified(cases[i].name, strlen(cases[i].name)), cases[i].want))
			printf("  %s\n", cases[i].name);
}

TEST_MAIN()
