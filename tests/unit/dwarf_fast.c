/* SPDX-License-Identifier: MIT
 *
 * The fast engine on DWARF written by hand: what real compilers and linkers leave behind, and what
 * none here emits. Expected answers follow from what was written; the reference engine must give
 * the same.
 */
#include "tests/unit/dwarf_fast.h"
#include "tests/unit/test.h"

enum { UT_COMPILE = 1, UT_TYPE = 2, FUNCTION = DW_SUBPROGRAM, INLINED = DW_INLINED_SUBROUTINE };

/* Abbreviations that most tests can do with. */
enum {
	UNIT = 1,     /* stmt_list, low_pc, high_pc; offset, address, address */
	PLAIN,        /* function: name, low_pc, size as data4 */
	PARENT,       /* the same with children */
	ABSTRACT,     /* function: name */
	CALL,         /* inlined: origin ref4, low_pc, size as data4, file, line data1; children */
	UNIT_RANGES,  /* stmt_list, low_pc, ranges */
	UNIT_NOTHING, /* no attributes */
};

static void usual_abbrevs(struct dwarf_bytes *d)
{
	abbrev(d, UNIT, DW_COMPILE_UNIT, 1, AT_STMT_LIST, FORM_SEC_OFFSET, AT_LOW_PC, FORM_ADDR,
	       AT_HIGH_PC, FORM_ADDR, AT_COMP_DIR, FORM_STRING, 0);
	abbrev(d, PLAIN, FUNCTION, 0, AT_NAME, FORM_STRING, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	       FORM_DATA4, 0);
	abbrev(d, PARENT, FUNCTION, 1, AT_NAME, FORM_STRING, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	       FORM_DATA4, 0);
	abbrev(d, ABSTRACT, FUNCTION, 0, AT_NAME, FORM_STRING, 0);
	abbrev(d, CALL, INLINED, 1, AT_ABSTRACT_ORIGIN, FORM_REF4, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	       FORM_DATA4, AT_CALL_FILE, FORM_DATA1, AT_CALL_LINE, FORM_DATA1, 0);
	abbrev(d, UNIT_RANGES, DW_COMPILE_UNIT, 1, AT_STMT_LIST, FORM_SEC_OFFSET, AT_LOW_PC,
	       FORM_ADDR, AT_RANGES, FORM_SEC_OFFSET, AT_COMP_DIR, FORM_STRING, 0);
	abbrev(d, UNIT_NOTHING, DW_COMPILE_UNIT, 1, AT_COMP_DIR, FORM_STRING, 0);
}

static void unit(struct dwarf_bytes *d, uint64_t lines, uint64_t lo, uint64_t hi)
{
	u8(d, UNIT);
	offset(d, lines);
	address(d, lo);
	address(d, hi);
	text(d, "/comp");
}

static void function(struct dwarf_bytes *d, unsigned code, const char *name, uint64_t lo,
		     uint64_t size)
{
	u8(d, code);
	text(d, name);
	address(d, lo);
	u32(d, size);
}

static void call(struct dwarf_bytes *d, uint64_t origin, uint64_t lo, uint64_t size, unsigned file,
		 unsigned line)
{
	u8(d, CALL);
	u32(d, origin);
	address(d, lo);
	u32(d, size);
	u8(d, file);
	u8(d, line);
}

/* main at TEXT, line 10 of a.c; from TEXT + 0x10 on inner, inlined at line 11, is at b.c:20 */
static void small_program(struct dwarf_bytes *d, unsigned version)
{
	uint64_t inner;

	usual_abbrevs(d);
	begin_unit(d, version, UT_COMPILE, 0);
	unit(d, 0, TEXT, TEXT + 0x40);
	inner = here(d);
	u8(d, ABSTRACT);
	text(d, "inner");
	function(d, PARENT, "main", TEXT, 0x40);
	call(d, inner, TEXT + 0x10, 0x10, version >= 5 ? 0 : 1, 11);
	u8(d, 0);
	u8(d, 0);
	u8(d, 0);
	end_unit(d);
	begin_lines(d, version, 1, 1);
	set_address(d, TEXT);
	op(d, 4); /* set_file */
	op(d, version >= 5 ? 0 : 1);
	row(d, 9, 0);
	op(d, 4);
	op(d, version >= 5 ? 1 : 2);
	row(d, 10, 0x10);
	op(d, 4);
	op(d, version >= 5 ? 0 : 1);
	row(d, -8, 0x10);
	op(d, 2);
	op(d, 0x20);
	end_sequence(d);
	end_lines(d);
}

static void check_small_program(struct dwarf_bytes *d)
{
	ANSWER(d, TEXT - 1, "none");
	ANSWER(d, TEXT, "function main /comp/a.c:10:0");
	ANSWER(d, TEXT + 0xf, "function main /comp/a.c:10:0");
	ANSWER(d, TEXT + 0x10, "function inner /comp/b.c:20:0 < main /comp/a.c:11:0");
	ANSWER(d, TEXT + 0x1f, "function inner /comp/b.c:20:0 < main /comp/a.c:11:0");
	ANSWER(d, TEXT + 0x20, "function main /comp/a.c:12:0");
	ANSWER(d, TEXT + 0x3f, "function main /comp/a.c:12:0");
	ANSWER(d, TEXT + 0x40, "none");
}

TEST(every_version_width_and_byte_order)
{
	for (unsigned i = 0; i < 32; i++) {
		struct dwarf_bytes d = {.big = i & 1, .wide = i & 2, .is_32 = i & 4};
		unsigned version = i & 8 ? (i & 16 ? 5 : 3) : (i & 16 ? 4 : 5);

		small_program(&d, version);
		check_small_program(&d);
		release(&d);
	}
}

/* A second DW_LNE_set_address that goes back inside one sequence: the row before it has no end. */
TEST(backwards_set_address_in_a_sequence)
{
	struct dwarf_bytes d = {.big = false};

	usual_abbrevs(&d);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x100);
	function(&d, PLAIN, "f", TEXT, 0x100);
	u8(&d, 0);
	end_unit(&d);
	begin_lines(&d, 4, 1, 1);
	set_address(&d, TEXT + 0x80);
	row(&d, 1, 0);
	row(&d, 1, 0x10);
	set_address(&d, TEXT);
	row(&d, 1, 0);
	op(&d, 2);
	op(&d, 0x20);
	end_sequence(&d);
	set_address(&d, TEXT + 0x40);
	row(&d, 49, 0);
	op(&d, 2);
	op(&d, 0x10);
	end_sequence(&d);
	end_lines(&d);
	ANSWER(&d, TEXT + 0x8f, "function f /comp/a.c:2:0");
	ANSWER(&d, TEXT + 0x90, "function f ?:0:0");
	ANSWER(&d, TEXT + 0x1f, "function f /comp/a.c:4:0");
	ANSWER(&d, TEXT + 0x20, "function f ?:0:0");
	ANSWER(&d, TEXT + 0x4f, "function f /comp/a.c:50:0");
	release(&d);
}

TEST(unit_low_pc_0_with_ranges)
{
	struct dwarf_bytes d = {.big = false};

	usual_abbrevs(&d);
	begin_unit(&d, 4, UT_COMPILE, 0);
	u8(&d, UNIT_RANGES);
	offset(&d, 0);
	address(&d, 0);
	offset(&d, 0);
	text(&d, "/comp");
	function(&d, PLAIN, "f", TEXT, 0x10);
	function(&d, PLAIN, "g", TEXT + 0x80, 0x10);
	u8(&d, 0);
	end_unit(&d);
	put(&d, &d.in[RANGES], TEXT, 8);
	put(&d, &d.in[RANGES], TEXT + 0x10, 8);
	put(&d, &d.in[RANGES], UINT64_MAX, 8); /* a base, which only what follows counts from */
	put(&d, &d.in[RANGES], TEXT + 0x60, 8);
	put(&d, &d.in[RANGES], 0x20, 8);
	put(&d, &d.in[RANGES], 0x30, 8);
	put(&d, &d.in[RANGES], 0, 16);
	ANSWER(&d, TEXT + 0xf, "function f ?:0:0");
	ANSWER(&d, TEXT + 0x10, "none");
	ANSWER(&d, TEXT + 0x80, "function g ?:0:0");
	release(&d);
}

TEST(call_file_0_is_valid_in_dwarf_5_only)
{
	for (unsigned version = 4; version <= 5; version++) {
		struct dwarf_bytes d = {.big = false};
		uint64_t inner;

		usual_abbrevs(&d);
		begin_unit(&d, version, UT_COMPILE, 0);
		unit(&d, 0, TEXT, TEXT + 0x10);
		inner = here(&d);
		u8(&d, ABSTRACT);
		text(&d, "inner");
		function(&d, PARENT, "f", TEXT, 0x10);
		call(&d, inner, TEXT, 0x10, 0, 7);
		u8(&d, 0);
		u8(&d, 0);
		u8(&d, 0);
		end_unit(&d);
		begin_lines(&d, version, 1, 1);
		end_lines(&d);
		if (version == 4)
			ANSWER(&d, TEXT, "function inner ?:0:0 < f ?:7:0");
		else
			ANSWER(&d, TEXT, "function inner ?:0:0 < f /comp/a.c:7:0");
		release(&d);
	}
}

TEST(implicit_const_call_line)
{
	struct dwarf_bytes d = {.big = false};
	uint64_t inner;

	usual_abbrevs(&d);
	abbrev(&d, 20, INLINED, 0, AT_ABSTRACT_ORIGIN, FORM_REF4, AT_CALL_FILE, FORM_IMPLICIT_CONST,
	       1, AT_CALL_LINE, FORM_IMPLICIT_CONST, 300, AT_CALL_COLUMN, FORM_IMPLICIT_CONST, 9,
	       AT_LOW_PC, FORM_ADDR, AT_HIGH_PC, FORM_IMPLICIT_CONST, 4, 0);
	begin_unit(&d, 5, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x10);
	inner = here(&d);
	u8(&d, ABSTRACT);
	text(&d, "inner");
	function(&d, PARENT, "f", TEXT, 0x10);
	u8(&d, 20);
	u32(&d, inner);
	address(&d, TEXT + 4);
	u8(&d, 0);
	u8(&d, 0);
	end_unit(&d);
	begin_lines(&d, 5, 1, 1);
	end_lines(&d);
	ANSWER_FAST(&d, TEXT + 4, "function inner ?:0:0 < f /comp/b.c:300:9");
	ANSWER_FAST(&d, TEXT + 7, "function inner ?:0:0 < f /comp/b.c:300:9");
	ANSWER_FAST(&d, TEXT + 8, "function f ?:0:0");
	release(&d);
}

/* What linkers discard stays with address 0: ranges, functions and sequences, long enough to
 * reach over live code. */
TEST(dead_ranges_and_sequences_at_0)
{
	struct dwarf_bytes d = {.big = false};

	usual_abbrevs(&d);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, 0, 0x8000);
	function(&d, PLAIN, "dead", 0, 0x8000);
	u8(&d, 0);
	end_unit(&d);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x20);
	function(&d, PLAIN, "live", TEXT, 0x20);
	function(&d, PLAIN, "dead", 0, 0x8000);
	u8(&d, 0);
	end_unit(&d);
	begin_lines(&d, 4, 1, 1);
	set_address(&d, 0);
	row(&d, 4, 0);
	op(&d, 2);
	buf_add_uleb(&d.in[LINE], 0x8000);
	end_sequence(&d);
	set_address(&d, TEXT);
	row(&d, 9, 0);
	op(&d, 2);
	op(&d, 0x20);
	end_sequence(&d);
	end_lines(&d);
	ANSWER(&d, TEXT, "function live /comp/a.c:10:0");
	ANSWER(&d, TEXT + 0x1f, "function live /comp/a.c:10:0");
	ANSWER(&d, 0x100, "none");
	release(&d);
}

/* DW_AT_sibling is behind an attribute of variable size, here with bytes that look like DIEs. */
TEST(frame_base_exprloc_before_sibling)
{
	struct dwarf_bytes d = {.big = false};
	size_t at;

	usual_abbrevs(&d);
	abbrev(&d, 20, FUNCTION, 1, AT_NAME, FORM_STRING, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	       FORM_DATA4, 0x40 /* frame_base */, FORM_EXPRLOC, AT_SIBLING, FORM_REF4, 0);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x20);
	function(&d, 20, "first", TEXT, 0x10);
	u8(&d, 3);
	u8(&d, 0);
	u8(&d, PLAIN);
	u8(&d, 0);
	at = d.in[INFO].len;
	u32(&d, 0);
	u8(&d, ABSTRACT);
	text(&d, "child");
	u8(&d, 0);
	fill(&d, &d.in[INFO], at, here(&d), 4);
	function(&d, PLAIN, "second", TEXT + 0x10, 0x10);
	u8(&d, 0);
	end_unit(&d);
	ANSWER(&d, TEXT, "function first ?:0:0");
	ANSWER(&d, TEXT + 0x10, "function second ?:0:0");
	release(&d);
}

TEST(a_sibling_that_leads_back_is_malformed)
{
	struct dwarf_bytes d = {.big = false};
	uint64_t start;

	usual_abbrevs(&d);
	abbrev(&d, 20, FUNCTION, 1, AT_SIBLING, FORM_REF4, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	       FORM_DATA4, 0);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x20);
	start = here(&d);
	u8(&d, 20);
	u32(&d, start);
	address(&d, TEXT);
	u32(&d, 0x10);
	u8(&d, 0);
	function(&d, PLAIN, "second", TEXT + 0x10, 0x10);
	u8(&d, 0);
	end_unit(&d);
	ANSWER_FAST(&d, TEXT + 0x10, "malformed");
	release(&d);
}

/* min_inst_length 4, as on arm64 with some assemblers: advances count instructions. */
TEST(min_inst_length_greater_than_1)
{
	struct dwarf_bytes d = {.big = false};

	usual_abbrevs(&d);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x100);
	function(&d, PLAIN, "f", TEXT, 0x100);
	u8(&d, 0);
	end_unit(&d);
	begin_lines(&d, 4, 4, 1);
	set_address(&d, TEXT);
	row(&d, 1, 0);
	row(&d, 1, 4);           /* 16 bytes */
	op(&d, 13 + 14 * 2 + 6); /* special: 2 instructions, line + 1 */
	op(&d, 8);               /* const_add_pc: (255 - 13) / 14 = 17 instructions */
	op(&d, 9);               /* fixed_advance_pc counts bytes */
	put(&d, &d.in[LINE], 6, 2);
	op(&d, 13 + 6);
	op(&d, 2);
	op(&d, 1);
	end_sequence(&d);
	end_lines(&d);
	ANSWER(&d, TEXT + 15, "function f /comp/a.c:2:0");
	ANSWER(&d, TEXT + 16, "function f /comp/a.c:3:0");
	ANSWER(&d, TEXT + 24, "function f /comp/a.c:4:0");
	ANSWER(&d, TEXT + 24 + 17 * 4 + 5, "function f /comp/a.c:4:0");
	ANSWER(&d, TEXT + 24 + 17 * 4 + 6, "function f /comp/a.c:5:0");
	ANSWER(&d, TEXT + 24 + 17 * 4 + 10, "function f ?:0:0");
	release(&d);
}

/* VLIW: 16-byte bundles of 3 operations. DWARF 5, section 6.2.5.1. */
TEST(several_operations_per_instruction)
{
	struct dwarf_bytes d = {.big = false};

	usual_abbrevs(&d);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x100);
	function(&d, PLAIN, "f", TEXT, 0x100);
	u8(&d, 0);
	end_unit(&d);
	begin_lines(&d, 4, 16, 3);
	set_address(&d, TEXT);
	row(&d, 1, 0);
	row(&d, 1, 2); /* operation 2 of the same bundle */
	row(&d, 1, 2); /* operation 1 of the next one */
	row(&d, 1, 5); /* operation 0, two bundles on */
	op(&d, 2);
	op(&d, 3);
	end_sequence(&d);
	end_lines(&d);
	ANSWER_FAST(&d, TEXT, "function f /comp/a.c:3:0");
	ANSWER_FAST(&d, TEXT + 15, "function f /comp/a.c:3:0");
	ANSWER_FAST(&d, TEXT + 16, "function f /comp/a.c:4:0");
	ANSWER_FAST(&d, TEXT + 47, "function f /comp/a.c:4:0");
	ANSWER_FAST(&d, TEXT + 48, "function f /comp/a.c:5:0");
	ANSWER_FAST(&d, TEXT + 64, "function f ?:0:0");
	release(&d);
}

TEST(functions_nested_two_deep)
{
	struct dwarf_bytes d = {.big = false};

	usual_abbrevs(&d);
	abbrev(&d, 20, FUNCTION, 1, AT_NAME, FORM_STRING, 0);
	abbrev(&d, 21, DW_STRUCTURE_TYPE, 1, AT_NAME, FORM_STRING, 0);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x40);
	function(&d, PARENT, "outer", TEXT, 0x10);
	u8(&d, 20);
	text(&d, "abstract");
	u8(&d, 21);
	text(&d, "local");
	function(&d, PARENT, "~local", TEXT + 0x10, 0x10);
	function(&d, PLAIN, "lambda", TEXT + 0x20, 0x10);
	u8(&d, 0);
	u8(&d, 0);
	u8(&d, 0);
	u8(&d, 0);
	u8(&d, 0);
	end_unit(&d);
	ANSWER(&d, TEXT, "function outer ?:0:0");
	ANSWER(&d, TEXT + 0x10, "function ~local ?:0:0");
	ANSWER(&d, TEXT + 0x20, "function lambda ?:0:0");
	ANSWER(&d, TEXT + 0x30, "none");
	release(&d);
}

/* Discarded copies redirected to the kept one: the first owner has no function there, the second
 * one has; the third is not asked. */
TEST(the_next_owner_is_asked)
{
	struct dwarf_bytes d = {.big = false};

	usual_abbrevs(&d);
	for (unsigned i = 0; i < 3; i++) {
		begin_unit(&d, 4, UT_COMPILE, 0);
		unit(&d, 0, TEXT, TEXT + 0x40);
		if (i)
			function(&d, PLAIN, i == 1 ? "second" : "third", TEXT, 0x10);
		if (i == 2)
			function(&d, PLAIN, "only", TEXT + 0x10, 0x10);
		u8(&d, 0);
		end_unit(&d);
	}
	begin_lines(&d, 4, 1, 1);
	set_address(&d, TEXT + 0x10);
	row(&d, 9, 0);
	op(&d, 2);
	op(&d, 0x20);
	end_sequence(&d);
	end_lines(&d);
	ANSWER(&d, TEXT, "function second ?:0:0");
	ANSWER(&d, TEXT + 0x10, "function only /comp/a.c:10:0");
	ANSWER(&d, TEXT + 0x20, "line ? /comp/a.c:10:0");
	ANSWER(&d, TEXT + 0x30, "none");
	release(&d);
}

/* Units without ranges own what their functions hold. */
TEST(a_unit_without_ranges)
{
	struct dwarf_bytes d = {.big = false};

	usual_abbrevs(&d);
	begin_unit(&d, 4, UT_COMPILE, 0);
	u8(&d, UNIT_NOTHING);
	text(&d, "/comp");
	function(&d, PLAIN, "f", TEXT, 0x10);
	u8(&d, 0);
	end_unit(&d);
	ANSWER(&d, TEXT + 0xf, "function f ?:0:0");
	ANSWER(&d, TEXT + 0x10, "none");
	release(&d);
}

/* DWARF 2 has no ranges: a call inlined in pieces has no address, or an empty one, and what was
 * inlined into it is found all the same. */
TEST(dwarf_2_calls_without_addresses)
{
	struct dwarf_bytes d = {.big = false};
	uint64_t middle, inner;

	usual_abbrevs(&d);
	abbrev(&d, 20, INLINED, 1, AT_ABSTRACT_ORIGIN, FORM_REF4, AT_CALL_LINE, FORM_DATA1, 0);
	abbrev(&d, 21, FUNCTION, 1, AT_NAME, FORM_STRING, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	       FORM_ADDR, 0);
	abbrev(&d, 22, INLINED, 1, AT_ABSTRACT_ORIGIN, FORM_REF4, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	       FORM_ADDR, AT_CALL_LINE, FORM_DATA1, 0);
	begin_unit(&d, 2, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x10);
	middle = here(&d);
	u8(&d, ABSTRACT);
	text(&d, "middle");
	inner = here(&d);
	u8(&d, ABSTRACT);
	text(&d, "inner");
	u8(&d, 21);
	text(&d, "f");
	address(&d, TEXT);
	address(&d, TEXT + 0x10);
	for (unsigned i = 0; i < 2; i++) {
		u8(&d, i ? 22 : 20);
		u32(&d, middle);
		if (i) {
			address(&d, TEXT);
			address(&d, TEXT);
		}
		u8(&d, 5);
		u8(&d, 22);
		u32(&d, inner);
		address(&d, TEXT + 8 + 4 * i);
		address(&d, TEXT + 12 + 4 * i);
		u8(&d, 6);
		u8(&d, 0);
		u8(&d, 0);
	}
	u8(&d, 0);
	u8(&d, 0);
	end_unit(&d);
	begin_lines(&d, 2, 1, 1);
	end_lines(&d);
	ANSWER(&d, TEXT, "function f ?:0:0");
	ANSWER(&d, TEXT + 8, "function inner ?:0:0 < middle ?:6:0 < f ?:5:0");
	ANSWER(&d, TEXT + 12, "function inner ?:0:0 < middle ?:6:0 < f ?:5:0");
	release(&d);
}

/* Link-time optimization: a copy's origin lies in another unit, behind DW_FORM_ref_addr. */
TEST(an_origin_in_another_unit)
{
	for (unsigned version = 2; version <= 4; version++) {
		struct dwarf_bytes d = {.big = false};
		uint64_t origin;

		usual_abbrevs(&d);
		abbrev(&d, 20, FUNCTION, 0, AT_ABSTRACT_ORIGIN, FORM_REF_ADDR, AT_LOW_PC, FORM_ADDR,
		       AT_HIGH_PC, FORM_ADDR, 0);
		begin_unit(&d, 4, UT_COMPILE, 0);
		u8(&d, UNIT_NOTHING);
		text(&d, "/comp");
		origin = d.in[INFO].len;
		u8(&d, ABSTRACT);
		text(&d, "elsewhere");
		u8(&d, 0);
		end_unit(&d);
		begin_unit(&d, version, UT_COMPILE, 0);
		unit(&d, 0, TEXT, TEXT + 0x10);
		u8(&d, 20);
		put(&d, &d.in[INFO], origin, version == 2 ? 8 : 4);
		address(&d, TEXT);
		address(&d, TEXT + 0x10);
		u8(&d, 0);
		end_unit(&d);
		ANSWER(&d, TEXT, "function elsewhere ?:0:0");
		release(&d);
	}
}

/* Linkage names win over names, wherever along the way; a circle of references ends. */
TEST(names_along_origins_and_specifications)
{
	struct dwarf_bytes d = {.big = false};
	uint64_t declared, defined, circle;

	usual_abbrevs(&d);
	abbrev(&d, 20, FUNCTION, 0, AT_NAME, FORM_STRING, AT_LINKAGE_NAME, FORM_STRING, 0);
	abbrev(&d, 21, FUNCTION, 0, AT_NAME, FORM_STRING, AT_SPECIFICATION, FORM_REF4, 0);
	abbrev(&d, 22, FUNCTION, 0, AT_ABSTRACT_ORIGIN, FORM_REF4, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	       FORM_DATA4, 0);
	abbrev(&d, 23, FUNCTION, 0, AT_ABSTRACT_ORIGIN, FORM_REF4, 0);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x40);
	declared = here(&d);
	u8(&d, 20);
	text(&d, "f");
	text(&d, "_Z1fv");
	defined = here(&d);
	u8(&d, 21);
	text(&d, "f, defined");
	u32(&d, declared);
	u8(&d, 22);
	u32(&d, defined);
	address(&d, TEXT);
	u32(&d, 0x10);
	circle = here(&d);
	u8(&d, 23);
	u32(&d, circle);
	u8(&d, 22);
	u32(&d, circle);
	address(&d, TEXT + 0x10);
	u32(&d, 0x10);
	u8(&d, 22);
	u32(&d, 0xffff0000);
	address(&d, TEXT + 0x20);
	u32(&d, 0x10);
	u8(&d, 0);
	end_unit(&d);
	ANSWER(&d, TEXT, "function _Z1fv ?:0:0");
	ANSWER(&d, TEXT + 0x10, "function ? ?:0:0");
	ANSWER(&d, TEXT + 0x20, "function ? ?:0:0");
	release(&d);
}

/* strx, addrx, rnglistx with bases that the unit DIE names after their first use. */
TEST(indexed_strings_addresses_and_lists)
{
	for (unsigned wide = 0; wide < 2; wide++) {
		struct dwarf_bytes d = {.wide = wide};
		struct buf *lists = &d.in[RNGLISTS];
		size_t begun, table;
		uint64_t base[3] = {wide ? 16 : 8, wide ? 16 : 8, wide ? 20 : 12};

		abbrev(&d, 1, DW_COMPILE_UNIT, 1, AT_COMP_DIR, FORM_STRX1, AT_LOW_PC, FORM_ADDRX,
		       AT_RANGES, FORM_RNGLISTX, AT_STR_OFFSETS_BASE, FORM_SEC_OFFSET, AT_ADDR_BASE,
		       FORM_SEC_OFFSET, AT_RNGLISTS_BASE, FORM_SEC_OFFSET, 0);
		abbrev(&d, 2, FUNCTION, 0, AT_NAME, FORM_STRX, AT_LOW_PC, FORM_ADDRX, AT_HIGH_PC,
		       FORM_DATA1, 0);
		abbrev(&d, 3, FUNCTION, 0, AT_LINKAGE_NAME, FORM_STRX2, AT_RANGES, FORM_RNGLISTX,
		       0);
		begin_unit(&d, 5, UT_COMPILE, 0);
		u8(&d, 1);
		u8(&d, 0);
		u8(&d, 0);
		u8(&d, 0);
		for (size_t i = 0; i < 3; i++)
			offset(&d, base[i]);
		u8(&d, 2);
		u8(&d, 1);
		u8(&d, 0);
		u8(&d, 0x10);
		u8(&d, 3);
		put(&d, &d.in[INFO], 2, 2);
		u8(&d, 1);
		u8(&d, 0);
		end_unit(&d);
		buf_add(&d.in[STR], "/comp\0one\0two", 14);
		begun = begin_length(&d, &d.in[STR_OFFSETS]);
		put(&d, &d.in[STR_OFFSETS], 5, 2);
		put(&d, &d.in[STR_OFFSETS], 0, 2);
		put(&d, &d.in[STR_OFFSETS], 0, offset_size(&d));
		put(&d, &d.in[STR_OFFSETS], 6, offset_size(&d));
		put(&d, &d.in[STR_OFFSETS], 10, offset_size(&d));
		end_length(&d, &d.in[STR_OFFSETS], begun);
		begun = begin_length(&d, &d.in[ADDR]);
		put(&d, &d.in[ADDR], 5, 2);
		put(&d, &d.in[ADDR], 8, 1);
		put(&d, &d.in[ADDR], 0, 1);
		put(&d, &d.in[ADDR], TEXT, 8);
		put(&d, &d.in[ADDR], TEXT + 0x20, 8);
		put(&d, &d.in[ADDR], TEXT + 0x28, 8);
		end_length(&d, &d.in[ADDR], begun);
		begun = begin_length(&d, lists);
		put(&d, lists, 5, 2);
		put(&d, lists, 8, 1);
		put(&d, lists, 0, 1);
		put(&d, lists, 2, 4);
		table = lists->len;
		put(&d, lists, 0, 2 * offset_size(&d));
		fill(&d, lists, table, lists->len - table, offset_size(&d));
		buf_add(lists, "\4\0\x10\3\1\x10\0", 7); /* offset_pair, startx_length */
		fill(&d, lists, table + offset_size(&d), lists->len - table, offset_size(&d));
		buf_add(lists, "\2\1\2", 3);     /* startx_endx */
		buf_add(lists, "\1\2\4\0\4", 5); /* base_addressx, offset_pair */
		buf_addc(lists, 6);              /* start_end */
		put(&d, lists, TEXT + 0x2e, 8);
		put(&d, lists, TEXT + 0x2f, 8);
		buf_addc(lists, 7); /* start_length */
		put(&d, lists, TEXT + 0x2f, 8);
		buf_add(lists, "\1\0", 2);
		end_length(&d, lists, begun);
		ANSWER(&d, TEXT, "function one ?:0:0");
		ANSWER(&d, TEXT + 0xf, "function one ?:0:0");
		ANSWER(&d, TEXT + 0x10, "none");
		ANSWER(&d, TEXT + 0x27, "function two ?:0:0");
		ANSWER(&d, TEXT + 0x2b, "function two ?:0:0");
		ANSWER(&d, TEXT + 0x2c, "none");
		ANSWER(&d, TEXT + 0x2e, "function two ?:0:0");
		ANSWER(&d, TEXT + 0x2f, "function two ?:0:0");
		release(&d);
	}
}

/* The sizes that libdwarf 20210528 and llvm 14 do not read as an address. */
TEST(indexes_of_one_to_four_bytes)
{
	struct dwarf_bytes d = {.big = true};

	usual_abbrevs(&d);
	for (unsigned i = 0; i < 4; i++)
		abbrev(&d, 20 + i, FUNCTION, 0, AT_NAME, FORM_STRX1 + i, AT_LOW_PC, FORM_ADDRX1 + i,
		       AT_HIGH_PC, FORM_DATA1, 0);
	begin_unit(&d, 5, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x40);
	for (unsigned i = 0; i < 4; i++) {
		u8(&d, 20 + i);
		put(&d, &d.in[INFO], i, i + 1);
		put(&d, &d.in[INFO], i, i + 1);
		u8(&d, 0x10);
	}
	u8(&d, 0);
	end_unit(&d);
	/* without bases, behind the header of a file's only part */
	put(&d, &d.in[STR_OFFSETS], 0, 8);
	put(&d, &d.in[ADDR], 0, 8);
	for (unsigned i = 0; i < 4; i++) {
		put(&d, &d.in[STR_OFFSETS], i * 2, 4);
		put(&d, &d.in[ADDR], TEXT + i * 0x10, 8);
	}
	buf_add(&d.in[STR], "a\0b\0c\0d", 8);
	ANSWER_FAST(&d, TEXT, "function a ?:0:0");
	ANSWER_FAST(&d, TEXT + 0x10, "function b ?:0:0");
	ANSWER_FAST(&d, TEXT + 0x20, "function c ?:0:0");
	ANSWER_FAST(&d, TEXT + 0x30, "function d ?:0:0");
	release(&d);
}

TEST(type_units_are_stepped_over)
{
	struct dwarf_bytes d = {.big = false};

	usual_abbrevs(&d);
	abbrev(&d, 20, 0x41 /* type unit */, 1, AT_COMP_DIR, FORM_STRING, 0);
	begin_unit(&d, 5, UT_TYPE, 0);
	put(&d, &d.in[INFO], 0x1234, 8);
	offset(&d, 30);
	u8(&d, 20);
	text(&d, "");
	function(&d, PLAIN, "no code here", TEXT, 0x10);
	u8(&d, 0);
	end_unit(&d);
	begin_unit(&d, 5, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x10);
	function(&d, PLAIN, "f", TEXT, 0x10);
	u8(&d, 0);
	end_unit(&d);
	ANSWER(&d, TEXT, "function f ?:0:0");
	release(&d);
}

/* Codes in no order, and one of 64 bits. */
TEST(abbreviation_codes_in_any_order)
{
	struct dwarf_bytes d = {.big = false};

	abbrev(&d, 7, FUNCTION, 0, AT_NAME, FORM_STRING, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC,
	       FORM_DATA4, 0);
	abbrev(&d, 0x7fffffff, DW_COMPILE_UNIT, 1, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC, FORM_ADDR, 0);
	abbrev(&d, 3, 0x39 /* namespace */, 1, AT_NAME, FORM_STRING, 0);
	begin_unit(&d, 4, UT_COMPILE, 0);
	buf_add_uleb(&d.in[INFO], 0x7fffffff);
	address(&d, TEXT);
	address(&d, TEXT + 0x10);
	u8(&d, 3);
	text(&d, "space");
	function(&d, 7, "f", TEXT, 0x10);
	u8(&d, 0);
	u8(&d, 0);
	end_unit(&d);
	ANSWER(&d, TEXT, "function f ?:0:0");
	release(&d);
}

static void add_sound_unit(struct dwarf_bytes *d, const char *name, uint64_t lo)
{
	begin_unit(d, 4, UT_COMPILE, 0);
	unit(d, 0, lo, lo + 0x10);
	function(d, PLAIN, name, lo, 0x10);
	u8(d, 0);
	end_unit(d);
}

TEST(a_malformed_unit_is_not_handed_on)
{
	struct dwarf_bytes d = {.big = false};
	struct buf got = BUF_INIT, complaints = BUF_INIT;

	usual_abbrevs(&d);
	add_sound_unit(&d, "before", TEXT);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT + 0x10, TEXT + 0x20);
	u8(&d, 99);
	u8(&d, 0);
	end_unit(&d);
	add_sound_unit(&d, "after", TEXT + 0x20);
	ANSWER(&d, TEXT, "function before ?:0:0");
	ANSWER(&d, TEXT + 0x10, "malformed");
	ANSWER(&d, TEXT + 0x20, "function after ?:0:0");
	ask(&d, &dwarf_fast, TEXT + 0x10, &got, &complaints);
	CHECK(strstr(buf_str(&complaints), "unit at .debug_info+0x"));
	CHECK(!strstr(buf_str(&complaints), "libdwarf"));
	buf_release(&got);
	buf_release(&complaints);
	release(&d);
}

/* GNU's split DWARF 4 has forms of its own: those addresses are the reference engine's. */
TEST(an_unsupported_unit_is_left_to_the_reference_engine)
{
	struct dwarf_bytes d = {.big = false};
	struct buf fast = BUF_INIT, reference = BUF_INIT, complaints = BUF_INIT;

	usual_abbrevs(&d);
	abbrev(&d, 20, DW_COMPILE_UNIT, 1, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC, FORM_ADDR,
	       AT_GNU_ADDR_BASE, FORM_SEC_OFFSET, 0);
	abbrev(&d, 21, FUNCTION, 0, AT_NAME, FORM_STRING, AT_LOW_PC, 0x1f01 /* GNU_addr_index */,
	       AT_HIGH_PC, FORM_DATA4, 0);
	add_sound_unit(&d, "sound", TEXT);
	begin_unit(&d, 4, UT_COMPILE, 0);
	u8(&d, 20);
	address(&d, TEXT + 0x10);
	address(&d, TEXT + 0x20);
	offset(&d, 0);
	u8(&d, 21);
	text(&d, "split");
	u8(&d, 1);
	u32(&d, 0x10);
	u8(&d, 0);
	end_unit(&d);
	put(&d, &d.in[ADDR], TEXT, 8);
	put(&d, &d.in[ADDR], TEXT + 0x10, 8);
	ANSWER(&d, TEXT, "function sound ?:0:0");
	ask(&d, &dwarf_fast, TEXT + 0x10, &fast, &complaints);
	ask(&d, &dwarf_reference, TEXT + 0x10, &reference, NULL);
	CHECK_STR(buf_str(&fast), buf_str(&reference));
	CHECK(strstr(buf_str(&complaints), "left to libdwarf"));
	buf_release(&fast);
	buf_release(&reference);
	buf_release(&complaints);
	release(&d);
}

TEST(nesting_without_end_is_given_up)
{
	struct dwarf_bytes d = {.big = false};

	usual_abbrevs(&d);
	abbrev(&d, 20, 0x39 /* namespace */, 1, 0);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x10);
	for (size_t i = 0; i < 100000; i++)
		u8(&d, 20);
	end_unit(&d);
	ANSWER(&d, TEXT, "gave up");
	release(&d);
}

/* A million functions that all refer to one long list: time has a limit. */
TEST(lists_read_again_and_again_are_given_up)
{
	struct dwarf_bytes d = {.big = false};
	struct buf got = BUF_INIT;
	struct dwarf_options options = {.jobs = 1, .seconds = 1};
	struct dwarf_answers a;
	uint64_t addr = TEXT;
	struct dwarf_job job = {.addrs = &addr, .n = 1, .out = &a};
	struct err e = ERR_INIT;

	usual_abbrevs(&d);
	abbrev(&d, 20, FUNCTION, 0, AT_RANGES, FORM_SEC_OFFSET, 0);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x10);
	for (size_t i = 0; i < 100000; i++) {
		u8(&d, 20);
		u32(&d, 0);
	}
	u8(&d, 0);
	end_unit(&d);
	for (size_t i = 0; i < 200000; i++) {
		put(&d, &d.in[RANGES], TEXT + 0x100, 8);
		put(&d, &d.in[RANGES], TEXT + 0x101, 8);
	}
	put(&d, &d.in[RANGES], 0, 16);
	make_file(&d);
	if (CHECK_EQ(object_open_memory(&job.object, d.file.data, d.file.len, &e), ST_OK)) {
		dwarf_answers_init(&a, 1);
		CHECK_EQ(dwarf_fast.run(&job, 1, &options, &e), ST_OK);
		CHECK_EQ(a.of[0].found, DWARF_GAVE_UP);
		CHECK_EQ(a.n_complaints, 1);
		dwarf_answers_release(&a);
		object_free(job.object);
	}
	buf_release(&got);
	release(&d);
}

/* Every section cut short at every byte: some answer, and no read outside (under a sanitizer). */
TEST(cut_short_at_every_byte)
{
	for (unsigned version = 4; version <= 5; version++) {
		struct dwarf_bytes d = {.big = false};
		struct buf got = BUF_INIT;

		small_program(&d, version);
		d.cut = true;
		for (size_t i = 0; i < PIECES; i++) {
			size_t whole = d.in[i].len;

			for (; d.in[i].len; d.in[i].len--) {
				d.file.len = 0;
				ask(&d, &dwarf_fast, TEXT + 0x10, &got, NULL);
				CHECK(got.len > 0);
			}
			d.in[i].len = whole;
		}
		d.file.len = 0;
		ANSWER(&d, TEXT + 0x10, "function inner /comp/b.c:20:0 < main /comp/a.c:11:0");
		buf_release(&got);
		release(&d);
	}
}

/* This program's own DWARF, every byte of its text: the same answers and ids at any number of
 * workers, and the reference engine's answers. */
TEST(this_program)
{
	static const struct {
		const struct dwarf_engine *engine;
		unsigned jobs;
	} runs[] = {{&dwarf_fast, 1}, {&dwarf_fast, 7}, {&dwarf_reference, 2}};
	struct dwarf_answers a[3];
	struct object_section code;
	struct err e = ERR_INIT;
	struct object *o;
	uint64_t *addrs;
	size_t differ = 0;

	if (object_open(&o, "/proc/self/exe", &e))
		TEST_SKIP("no /proc");
	if (!object_has_dwarf(o) || object_section(o, ".text", &code, &e)) {
		object_free(o);
		TEST_SKIP("built without -g");
	}
	addrs = mem_array(code.size, sizeof *addrs);
	for (uint64_t i = 0; i < code.size; i++)
		addrs[i] = code.addr + i;
	for (size_t k = 0; k < 3; k++) {
		struct dwarf_job job = {o, addrs, code.size, &a[k]};

		dwarf_answers_init(&a[k], code.size);
		CHECK_EQ(
		    runs[k].engine->run(&job, 1, &(struct dwarf_options){.jobs = runs[k].jobs}, &e),
		    ST_OK);
	}
	CHECK_MEM(a[0].calls, a[0].n_calls * sizeof *a[0].calls, a[1].calls,
		  a[1].n_calls * sizeof *a[1].calls);
	CHECK_EQ(intern_count(&a[0].strings), intern_count(&a[1].strings));
	for (size_t i = 0; i < code.size; i++) {
		uint32_t x = a[0].of[i].call, y = a[2].of[i].call;

		differ += memcmp(&a[0].of[i], &a[1].of[i], sizeof a[0].of[i]) != 0;
		differ += a[0].of[i].found != a[2].of[i].found;
		for (; x && y; x = a[0].calls[x].outer, y = a[2].calls[y].outer) {
			const struct dwarf_call *c = &a[0].calls[x], *r = &a[2].calls[y];

			differ += c->line != r->line || c->column != r->column;
			differ += strcmp(intern_text(&a[0].strings, c->function, NULL),
					 intern_text(&a[2].strings, r->function, NULL)) != 0;
			differ += strcmp(intern_text(&a[0].strings, c->file, NULL),
					 intern_text(&a[2].strings, r->file, NULL)) != 0;
		}
		differ += x || y;
	}
	CHECK_EQ(differ, 0);
	for (size_t k = 0; k < 3; k++)
		dwarf_answers_release(&a[k]);
	free(addrs);
	object_free(o);
}

TEST_MAIN()
