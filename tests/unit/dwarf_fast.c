/* SPDX-License-Identifier: MIT
 *
 * The fast engine on DWARF written by hand: what real compilers and linkers leave behind, and what
 * none here emits. Expected answers follow from what was written; the reference engine must give
 * the same.
 */
#include "tests/unit/dwarf_fast.h"
#include "tests/unit/test.h"

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
	abbrev(&d, 20, INLINED, 0, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_call_file,
	       DW_FORM_implicit_const, 1, DW_AT_call_line, DW_FORM_implicit_const, 300,
	       DW_AT_call_column, DW_FORM_implicit_const, 9, DW_AT_low_pc, DW_FORM_addr,
	       DW_AT_high_pc, DW_FORM_implicit_const, 4, 0);
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
	abbrev(&d, 20, FUNCTION, 1, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr,
	       DW_AT_high_pc, DW_FORM_data4, DW_AT_frame_base, DW_FORM_exprloc, DW_AT_sibling,
	       DW_FORM_ref4, 0);
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
	abbrev(&d, 20, FUNCTION, 1, DW_AT_sibling, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
	       DW_AT_high_pc, DW_FORM_data4, 0);
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
	abbrev(&d, 20, FUNCTION, 1, DW_AT_name, DW_FORM_string, 0);
	abbrev(&d, 21, DW_TAG_structure_type, 1, DW_AT_name, DW_FORM_string, 0);
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
	abbrev(&d, 20, INLINED, 1, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_call_line,
	       DW_FORM_data1, 0);
	abbrev(&d, 21, FUNCTION, 1, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr,
	       DW_AT_high_pc, DW_FORM_addr, 0);
	abbrev(&d, 22, INLINED, 1, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
	       DW_AT_high_pc, DW_FORM_addr, DW_AT_call_line, DW_FORM_data1, 0);
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
				ask(&d, dwarf_fast, TEXT + 0x10, &got, NULL);
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

/* The i-th answers have the same calls. */
static bool same_answer(const struct dwarf_answers *a, const struct dwarf_answers *b, size_t i)
{
	uint32_t x = a->of[i].call, y = b->of[i].call;
	struct dwarf_call c, d;

	for (; x && y; x = c.outer, y = d.outer) {
		if (!dwarf_call_at(a, x, &c) || !dwarf_call_at(b, y, &d) || c.line != d.line ||
		    c.column != d.column ||
		    strcmp(dwarf_text(a, c.function, NULL), dwarf_text(b, d.function, NULL)) != 0 ||
		    strcmp(dwarf_text(a, c.file, NULL), dwarf_text(b, d.file, NULL)) != 0)
			return false;
	}
	return x == y && a->of[i].found == b->of[i].found;
}

/* This program's own DWARF, every byte of its text: the same answers at any number of
 * workers, and the reference engine's answers. */
TEST(this_program)
{
	static const struct {
		dwarf_answer_fn *engine;
		unsigned jobs;
	} runs[] = {{dwarf_fast, 1}, {dwarf_fast, 7}, {dwarf_reference, 2}};
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
		struct dwarf_job job = {o, addrs, code.size, &a[k], NULL};

		dwarf_answers_init(&a[k], code.size);
		CHECK_EQ(runs[k].engine(&job, 1, &(struct dwarf_options){.jobs = runs[k].jobs}, &e),
			 ST_OK);
	}
	for (size_t i = 0; i < code.size; i++) {
		differ += !same_answer(&a[0], &a[1], i);
		differ += !same_answer(&a[0], &a[2], i);
	}
	CHECK_EQ(differ, 0);
	for (size_t k = 0; k < 3; k++)
		dwarf_answers_release(&a[k]);
	free(addrs);
	object_free(o);
}

TEST_MAIN()
