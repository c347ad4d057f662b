/* SPDX-License-Identifier: MIT
 *
 * Steps by STACK records of Breakpad's symbol files, written here by hand. Each word of the memory is said in the test,
 * so that each caller is arithmetic.
 */
#include "lib/object/walk.h"
#include "tests/unit/test.h"

#include <string.h>

enum { BASE = 0x400000, WORDS = 16 };

/* Words at STACK, STACK + 1 word ...; all else is not there. */
struct memory {
	uint64_t at, word, words[WORDS];
	unsigned reads;
};

static bool word_of(void *arg, uint64_t address, uint64_t *v)
{
	struct memory *m = arg;
	uint64_t i = (address - m->at) / m->word;

	m->reads++;
	if (address < m->at || (address - m->at) % m->word || i >= WORDS)
		return false;
	*v = m->words[i];
	return true;
}

static bool step(const char *text, struct memory *m, struct frame_state *s)
{
	struct err e = ERR_INIT;
	struct object *o = NULL;
	bool done;

	CHECK_EQ(object_open_memory(&o, text, strlen(text), &e), ST_OK);
	done = object_walk(o, BASE, &(struct frame_memory){word_of, m}, s);
	object_free(o);
	return done;
}

#define X64   "MODULE Linux x86_64 0403020106050807090A0B0C0D0E0F100 game\n"
#define ARM64 "MODULE Linux arm64 0403020106050807090A0B0C0D0E0F100 game\n"
#define X86   "MODULE windows x86 0403020106050807090A0B0C0D0E0F101 game.pdb\n"

/* push rbp; mov rbp, rsp; push rbx: at the third instruction rbp is on the stack, at the fourth rbx too. */
static const char pushes[] = X64 "STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
				 "STACK CFI 1001 .cfa: $rsp 16 + $rbp: .cfa -16 + ^\n"
				 "STACK CFI 1004 .cfa: $rbp 16 +\n"
				 "STACK CFI 1005 $rbx: .cfa -24 + ^\n";

static struct frame_state x64_at(uint64_t pc)
{
	return (struct frame_state){
	    .processor = FRAME_X86_64,
	    .known = 0xffff,
	    .pc = BASE + pc,
	    .r = {[3] = 0xb, [FRAME_RSP] = 0x100, [FRAME_RBP] = 0x108, [7] = 7}};
}

TEST(cfi_rules_add_up)
{
	struct memory m = {0x100, 8, {0xbb, 0xf0, BASE + 0x2000}, 0};
	struct frame_state s = x64_at(0x1005);

	CHECK(step(pushes, &m, &s));
	CHECK_EQ(s.pc, BASE + 0x2000); /* cfa = 0x108 + 16 = 0x118; at 0x110 */
	CHECK_EQ(s.r[FRAME_RSP], 0x118);
	CHECK_EQ(s.r[FRAME_RBP], 0xf0); /* at 0x108 */
	CHECK_EQ(s.r[3], 0xbb);         /* at 0x100 */
	CHECK_EQ(s.known, 0xf038);      /* rdi is not kept */
	CHECK(s.is_caller);
	s = x64_at(0x1000);
	CHECK(step(pushes, &m, &s));
	CHECK_EQ(s.pc, 0xbb); /* cfa = 0x108 */
	CHECK_EQ(s.r[3], 0xb);
}

/* A call at a function's end: its return address is the next function's. */
TEST(cfi_of_a_caller)
{
	struct memory m = {0x100, 8, {0xbb, 0xf0, BASE + 0x2000}, 0};
	struct frame_state s = x64_at(0x1020);

	CHECK(!step(pushes, &m, &s));
	CHECK_EQ(s.pc, BASE + 0x1020);
	s.is_caller = true;
	CHECK(step(pushes, &m, &s));
	CHECK_EQ(s.pc, BASE + 0x2000);
}

TEST(cfi_arm64)
{
	static const char text[] =
	    ARM64 "STACK CFI INIT 1000 20 .cfa: sp 0 + .ra: x30\n"
		  "STACK CFI 1004 .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^\n";
	struct memory m = {0x100, 8, {0x180, BASE + 0x3000}, 0};
	struct frame_state s = {.processor = FRAME_ARM64, .known = UINT32_MAX, .pc = BASE + 0x1008};

	s.r[FRAME_ARM64_SP] = 0x100;
	CHECK(step(text, &m, &s));
	CHECK_EQ(s.pc, BASE + 0x3000);
	CHECK_EQ(s.r[FRAME_ARM64_SP], 0x120);
	CHECK_EQ(s.r[FRAME_ARM64_FP], 0x180);
	CHECK(!(s.known >> FRAME_ARM64_LR & 1));
	/* Where it has stopped, a leaf leaves sp as it is; a caller cannot. */
	s = (struct frame_state){
	    .processor = FRAME_ARM64, .known = UINT32_MAX, .pc = BASE + 0x1000};
	s.r[FRAME_ARM64_SP] = 0x100;
	s.r[FRAME_ARM64_LR] = BASE + 0x1004;
	CHECK(step(text, &m, &s));
	CHECK_EQ(s.pc, BASE + 0x1004);
	s.known = UINT32_MAX;
	s.r[FRAME_ARM64_LR] = BASE + 0x1004;
	CHECK(!step(text, &m, &s));
}

static struct frame_state x86_at(uint64_t pc)
{
	return (struct frame_state){.processor = FRAME_X86,
				    .known = 0xff,
				    .pc = BASE + pc,
				    .r = {[3] = 0xb, [FRAME_RSP] = 0x100, [FRAME_RBP] = 0x110}};
}

TEST(win_programs)
{
	static const char text[] = X86 "STACK WIN 4 1000 80 0 0 8 0 10 0 1 $T0 $ebp = $eip $T0 4 + "
				       "^ = $ebp $T0 ^ = $esp $T0 8 + =\n"
				       "STACK WIN 4 1010 10 0 0 4 4 8 0 1 $T0 .raSearchStart = "
				       "$eip $T0 ^ = $esp $T0 4 + = $ebx $T0 4 - ^ =\n"
				       "STACK WIN 0 2000 10 0 0 0 c 4 0 0 1\n"
				       "STACK WIN 0 3000 10 0 0 0 4 4 0 0 0\n";
	struct memory m = {0x100, 4, {1, 2, 3, BASE + 0x40, 0x120, BASE + 0x50, 6, 7}, 0};
	struct frame_state s = x86_at(0x1000);

	CHECK(step(text, &m, &s));
	CHECK_EQ(s.pc, BASE + 0x50); /* at ebp + 4 = 0x114 */
	CHECK_EQ(s.r[FRAME_RBP], 0x120);
	CHECK_EQ(s.r[FRAME_RSP], 0x118);
	CHECK_EQ(s.arguments, 8);
	s = x86_at(0x1018); /* the inner record: esp + 8 locals + 4 saved = 0x10c */
	CHECK(step(text, &m, &s));
	CHECK_EQ(s.pc, BASE + 0x40);
	CHECK_EQ(s.r[3], 3);
	CHECK_EQ(s.r[FRAME_RSP], 0x110);
	s = x86_at(
	    0x2008); /* no program, ebp was saved: esp + 4 + 12 = 0x110 has the address, at esp + 12 - 8 is ebp */
	CHECK(step(text, &m, &s));
	CHECK_EQ(s.pc, 0x120);
	CHECK_EQ(s.r[FRAME_RBP], 2);
	s = x86_at(0x3008); /* a callee has 4 bytes of arguments there: esp + 4 + 4 + 4 = 0x10c */
	s.arguments = 4;
	CHECK(step(text, &m, &s));
	CHECK_EQ(s.pc, BASE + 0x40);
	CHECK_EQ(s.r[FRAME_RBP], 0x110);
	CHECK_EQ(s.arguments, 0);
}

/* None of these is followed, and the state stays. */
TEST(damaged_records)
{
	static const char *const rules[] = {
	    ".cfa: $rsp 8 +",                      /* no .ra */
	    ".cfa: $rsp 8 + .ra: ^",               /* no operand */
	    ".cfa: $rsp 8 + .ra: 1 2",             /* two values */
	    ".cfa: $rsp 0 / .ra: .cfa -8 + ^",     /* division by 0 */
	    ".cfa: $rsp 3 @ .ra: .cfa -8 + ^",     /* no power of two */
	    ".cfa: .cfa 8 + .ra: .cfa -8 + ^",     /* of itself */
	    ".cfa: $rsp 8 - .ra: $rsp ^",          /* down */
	    ".cfa: $rsp .ra: $rsp ^",              /* no way */
	    ".cfa: $rsp 9000 + .ra: .cfa ^",       /* not in the dump */
	    ".cfa: $xyz 8 + .ra: $rsp ^",          /* no register */
	    ".cfa: $rsp 8 + .ra: $rsp 5 = $rsp ^", /* no assignments here */
	};
	char text[8192];

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		struct memory m = {0x100, 8, {0xbb, 0xf0, BASE + 0x2000}, 0};
		struct frame_state s = x64_at(0x1005), was = s;

		snprintf(text, sizeof text, X64 "STACK CFI INIT 1000 20 %s\n", rules[i]);
		CHECK(!step(text, &m, &s));
		CHECK(s.pc == was.pc && s.known == was.known && !s.is_caller);
		CHECK_EQ(s.r[FRAME_RSP], was.r[FRAME_RSP]);
	}
	strcpy(text, X64 "STACK CFI INIT 1000 20 .ra: $rsp ^ .cfa:");
	for (size_t n = strlen(text); n + 4 < sizeof text; n += 2)
		strcpy(text + n, " 1"); /* more values at once than any expression has */
	{
		struct memory m = {0x100, 8, {0}, 0};
		struct frame_state s = x64_at(0x1005);

		CHECK(!step(text, &m, &s));
		CHECK(m.reads < 4);
	}
}

TEST_MAIN()
