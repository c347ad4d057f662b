/* SPDX-License-Identifier: MIT
 *
 * The verdict on a share of call sites; and encodings that compilers seldom use, from the manuals.
 */
#include "lib/find/call_check.h"

#include "tests/unit/test.h"

#include <stdlib.h>

static enum call_verdict verdict(uint64_t pass, uint64_t n, uint64_t chance)
{
	struct call_check c = {.n = n, .pass = pass, .tried = 100, .hits = chance};

	return call_check_verdict(&c);
}

TEST(right_files)
{
	CHECK_EQ(verdict(13, 13, 2), CALLS_FIT);
	CHECK_EQ(verdict(2, 2, 2), CALLS_FIT);
	CHECK_EQ(verdict(97, 100, 20), CALLS_FIT);
	CHECK_EQ(verdict(400000, 400000, 5), CALLS_FIT);
}

TEST(few_addresses_tell_nothing)
{
	CHECK_EQ(verdict(0, 0, 5), CALLS_FEW);
	CHECK_EQ(verdict(0, 5, 5), CALLS_FEW);
	CHECK_EQ(verdict(2, 2, 20), CALLS_FEW);
	CHECK_EQ(verdict(3, 6, 5), CALLS_FEW);
}

TEST(chance_and_mixtures)
{
	CHECK_EQ(verdict(0, 6, 5), CALLS_CHANCE);
	CHECK_EQ(verdict(5, 100, 5), CALLS_CHANCE);
	CHECK_EQ(verdict(25, 100, 20), CALLS_CHANCE);
	CHECK_EQ(verdict(50, 100, 5), CALLS_MIXED);
	CHECK_EQ(verdict(200000, 400000, 20), CALLS_MIXED);
}

TEST(no_code_is_no_chance)
{
	struct disasm_code none = {.n = 0};
	uint64_t *sites;

	CHECK_EQ(code_chance(&none, 1000), 0);
	CHECK_EQ(code_call_before(&none, 0x1000), false);
	CHECK_EQ(code_sites(&none, &sites), 0);
	free(sites);
}

static bool calls(enum code_arch arch, const char *bytes, size_t n)
{
	uint8_t at[64] = {0};
	struct code_part part = {.lo = 0x1000, .size = sizeof at, .data = at};
	struct disasm_code c;
	bool is;

	memcpy(at + 16, bytes, n);
	code_init(&c, arch, &part, 1);
	is = code_call_before(&c, 0x1010 + n);
	code_release(&c);
	return is;
}

#define CALLS(arch, bytes) calls(arch, bytes, sizeof(bytes) - 1)

TEST(x86_encodings)
{
	CHECK(CALLS(CODE_X86_64, "\xe8\x00\x00\x00\x00"));             /* to the next */
	CHECK(!CALLS(CODE_X86_64, "\xe8\x00\x00\x10\x00"));            /* out of the file */
	CHECK(!CALLS(CODE_X86_64, "\xe9\x00\x00\x00\x00"));            /* jmp */
	CHECK(CALLS(CODE_X86_64, "\xff\xd0"));                         /* call *%rax */
	CHECK(CALLS(CODE_X86_64, "\x41\xff\xd4"));                     /* call *%r12 */
	CHECK(!CALLS(CODE_X86_64, "\xff\xe0"));                        /* jmp *%rax */
	CHECK(CALLS(CODE_X86_64, "\xff\x10"));                         /* call *(%rax) */
	CHECK(CALLS(CODE_X86_64, "\xff\x14\x24"));                     /* call *(%rsp) */
	CHECK(CALLS(CODE_X86_64, "\xff\x54\x24\x08"));                 /* call *8(%rsp) */
	CHECK(CALLS(CODE_X86_64, "\xff\x50\x18"));                     /* call *24(%rax) */
	CHECK(CALLS(CODE_X86_64, "\xff\x90\x18\x01\x00\x00"));         /* call *280(%rax) */
	CHECK(CALLS(CODE_X86_64, "\xff\x94\x24\x18\x01\x00\x00"));     /* call *280(%rsp) */
	CHECK(CALLS(CODE_X86_64, "\xff\x15\x00\x00\x00\x00"));         /* call *0(%rip) */
	CHECK(CALLS(CODE_X86_64, "\xff\x14\xc5\x00\x00\x00\x00"));     /* call *0(,%rax,8) */
	CHECK(CALLS(CODE_X86_64, "\x64\xff\x14\x25\x10\x00\x00\x00")); /* call *%fs:16 */
	CHECK(CALLS(CODE_X86, "\xe8\xf0\xff\xff\xff"));
	CHECK(!CALLS(CODE_X86, "\xe8\xf0\xff\xff\x7f"));
}

TEST(arm_encodings)
{
	CHECK(CALLS(CODE_ARM64, "\x00\x00\x00\x94"));               /* bl . */
	CHECK(!CALLS(CODE_ARM64, "\x00\x00\x00\x14"));              /* b . */
	CHECK(!CALLS(CODE_ARM64, "\x00\x00\x00\x95"));              /* bl out of the file */
	CHECK(CALLS(CODE_ARM64, "\x00\x01\x3f\xd6"));               /* blr x8 */
	CHECK(!CALLS(CODE_ARM64, "\x00\x01\x1f\xd6"));              /* br x8 */
	CHECK(CALLS(CODE_ARM64, "\x1f\x09\x3f\xd6"));               /* blraaz x8 */
	CHECK(CALLS(CODE_ARM64, "\x09\x09\x3f\xd7"));               /* blraa x8, x9 */
	CHECK(!CALLS(CODE_ARM64, "\xc0\x03\x5f\xd6"));              /* ret */
	CHECK(CALLS(CODE_ARM, "\xfe\xff\xff\xeb"));                 /* bl . */
	CHECK(CALLS(CODE_ARM, "\xfe\xff\xff\x1b"));                 /* blne . */
	CHECK(CALLS(CODE_ARM, "\xfe\xff\xff\xfa"));                 /* blx . */
	CHECK(CALLS(CODE_ARM, "\x33\xff\x2f\xe1"));                 /* blx r3 */
	CHECK(!CALLS(CODE_ARM, "\x13\xff\x2f\xe1"));                /* bx r3 */
	CHECK(!CALLS(CODE_ARM, "\xfe\xff\xff\xea"));                /* b . */
	CHECK(CALLS(CODE_ARM, "\x0f\xe0\xa0\xe1\x13\xff\x2f\xe1")); /* mov lr, pc; bx r3 */
	CHECK(CALLS(CODE_ARM, "\xff\xf7\xfe\xff"));                 /* bl . (Thumb) */
	CHECK(CALLS(CODE_ARM, "\xff\xf7\xfe\xef"));                 /* blx . (Thumb) */
	CHECK(CALLS(CODE_ARM, "\x98\x47"));                         /* blx r3 (Thumb) */
	CHECK(!CALLS(CODE_ARM, "\x18\x47"));                        /* bx r3 (Thumb) */
	CHECK(!CALLS(CODE_ARM, "\xff\xf7\xfe\xbf"));                /* b.w . (Thumb) */
}

TEST_MAIN()
