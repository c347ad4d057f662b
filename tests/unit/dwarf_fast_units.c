/* SPDX-License-Identifier: MIT
 *
 * The fast engine on DWARF written by hand: references between DIEs and units, indexed forms, what
 * is broken, what is unsupported, what has no end.
 */
#include "lib/dwarf/fast/place.h"
#include "lib/dwarf/fast/variable.h"
#include "lib/dwarf/fast/whole.h"
#include "lib/object/companion.h"
#include "tests/unit/dwarf_fast.h"
#include "tests/unit/test.h"

/* Link-time optimization: a copy's origin lies in another unit, behind DW_FORM_ref_addr. */
TEST(an_origin_in_another_unit)
{
	for (unsigned version = 2; version <= 4; version++) {
		struct dwarf_bytes d = {.big = false};
		uint64_t origin;

		usual_abbrevs(&d);
		abbrev(&d, 20, FUNCTION, 0, DW_AT_abstract_origin, DW_FORM_ref_addr, DW_AT_low_pc,
		       DW_FORM_addr, DW_AT_high_pc, DW_FORM_addr, 0);
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
	abbrev(&d, 20, FUNCTION, 0, DW_AT_name, DW_FORM_string, DW_AT_linkage_name, DW_FORM_string,
	       0);
	abbrev(&d, 21, FUNCTION, 0, DW_AT_name, DW_FORM_string, DW_AT_specification, DW_FORM_ref4,
	       0);
	abbrev(&d, 22, FUNCTION, 0, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
	       DW_AT_high_pc, DW_FORM_data4, 0);
	abbrev(&d, 23, FUNCTION, 0, DW_AT_abstract_origin, DW_FORM_ref4, 0);
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

/* The symbol table has C1, C2, D1 and D2, the declaration has C4 or D4: a function's own linkage
 * name wins, without one the declaration's. llvm-symbolizer would take the symbol's. */
TEST(constructors_and_destructors_are_named_by_dwarf)
{
	struct dwarf_bytes d = {.big = false};
	uint64_t declared, abstract;

	usual_abbrevs(&d);
	abbrev(&d, 20, FUNCTION, 0, DW_AT_name, DW_FORM_string, DW_AT_linkage_name, DW_FORM_string,
	       0);
	abbrev(&d, 21, FUNCTION, 0, DW_AT_specification, DW_FORM_ref4, 0);
	abbrev(&d, 22, FUNCTION, 0, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_linkage_name,
	       DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	abbrev(&d, 23, FUNCTION, 0, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
	       DW_AT_high_pc, DW_FORM_data4, 0);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x40);
	declared = here(&d);
	u8(&d, 20);
	text(&d, "A");
	text(&d, "_ZN1AC4Ev");
	abstract = here(&d);
	u8(&d, 21);
	u32(&d, declared);
	u8(&d, 22);
	u32(&d, abstract);
	text(&d, "_ZN1AC2Ev");
	address(&d, TEXT);
	u32(&d, 0x10);
	u8(&d, 23);
	u32(&d, abstract);
	address(&d, TEXT + 0x10);
	u32(&d, 0x10);
	u8(&d, 0);
	end_unit(&d);
	ANSWER(&d, TEXT, "function _ZN1AC2Ev ?:0:0");
	ANSWER(&d, TEXT + 0x10, "function _ZN1AC4Ev ?:0:0");
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

		abbrev(&d, 1, DW_TAG_compile_unit, 1, DW_AT_comp_dir, DW_FORM_strx1, DW_AT_low_pc,
		       DW_FORM_addrx, DW_AT_ranges, DW_FORM_rnglistx, DW_AT_str_offsets_base,
		       DW_FORM_sec_offset, DW_AT_addr_base, DW_FORM_sec_offset, DW_AT_rnglists_base,
		       DW_FORM_sec_offset, 0);
		abbrev(&d, 2, FUNCTION, 0, DW_AT_name, DW_FORM_strx, DW_AT_low_pc, DW_FORM_addrx,
		       DW_AT_high_pc, DW_FORM_data1, 0);
		abbrev(&d, 3, FUNCTION, 0, DW_AT_linkage_name, DW_FORM_strx2, DW_AT_ranges,
		       DW_FORM_rnglistx, 0);
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
		abbrev(&d, 20 + i, FUNCTION, 0, DW_AT_name, DW_FORM_strx1 + i, DW_AT_low_pc,
		       DW_FORM_addrx1 + i, DW_AT_high_pc, DW_FORM_data1, 0);
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
	abbrev(&d, 20, DW_TAG_type_unit, 1, DW_AT_comp_dir, DW_FORM_string, 0);
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

	abbrev(&d, 7, FUNCTION, 0, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr,
	       DW_AT_high_pc, DW_FORM_data4, 0);
	abbrev(&d, 0x7fffffff, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
	       DW_FORM_addr, 0);
	abbrev(&d, 3, DW_TAG_namespace, 1, DW_AT_name, DW_FORM_string, 0);
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
	ask(&d, dwarf_fast, TEXT + 0x10, &got, &complaints);
	CHECK(strstr(buf_str(&complaints), "unit at .debug_info+0x"));
	CHECK(!strstr(buf_str(&complaints), "libdwarf"));
	buf_release(&got);
	buf_release(&complaints);
	release(&d);
}

/* DW_FORM_GNU_addr_index, as in split DWARF 4. */
TEST(an_address_by_gnus_index)
{
	struct dwarf_bytes d = {.big = false};
	struct buf fast = BUF_INIT, reference = BUF_INIT, complaints = BUF_INIT;

	usual_abbrevs(&d);
	abbrev(&d, 20, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
	       DW_FORM_addr, DW_AT_GNU_addr_base, DW_FORM_sec_offset, 0);
	abbrev(&d, 21, FUNCTION, 0, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
	       DW_FORM_GNU_addr_index, DW_AT_high_pc, DW_FORM_data4, 0);
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
	ask(&d, dwarf_fast, TEXT + 0x10, &fast, &complaints);
	ask(&d, dwarf_reference, TEXT + 0x10, &reference, NULL);
	CHECK_STR(buf_str(&fast), buf_str(&reference));
	CHECK_STR(buf_str(&complaints), "");
	CHECK(strstr(buf_str(&fast), "split"));
	buf_release(&fast);
	buf_release(&reference);
	buf_release(&complaints);
	release(&d);
}

/* A form of no standard: nothing is known of what follows it. */
TEST(a_form_of_no_standard_makes_a_unit_unreadable)
{
	struct dwarf_bytes d = {.big = false};
	struct buf fast = BUF_INIT, reference = BUF_INIT, complaints = BUF_INIT;

	usual_abbrevs(&d);
	abbrev(&d, 20, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
	       DW_FORM_addr, 0);
	abbrev(&d, 21, FUNCTION, 0, DW_AT_name, 0x1fff, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
	       DW_FORM_data4, 0);
	add_sound_unit(&d, "sound", TEXT);
	begin_unit(&d, 4, UT_COMPILE, 0);
	u8(&d, 20);
	address(&d, TEXT + 0x10);
	address(&d, TEXT + 0x20);
	u8(&d, 21);
	text(&d, "odd");
	address(&d, TEXT + 0x10);
	u32(&d, 0x10);
	u8(&d, 0);
	end_unit(&d);
	ANSWER(&d, TEXT, "function sound ?:0:0");
	ask(&d, dwarf_fast, TEXT + 0x10, &fast, &complaints);
	ask(&d, dwarf_reference, TEXT + 0x10, &reference, NULL);
	CHECK_STR(buf_str(&fast), buf_str(&reference));
	CHECK(strstr(buf_str(&complaints), "unit at .debug_info+0x"));
	CHECK(!strstr(buf_str(&complaints), "libdwarf"));
	buf_release(&fast);
	buf_release(&reference);
	buf_release(&complaints);
	release(&d);
}

TEST(nesting_without_end_is_given_up)
{
	struct dwarf_bytes d = {.big = false};

	usual_abbrevs(&d);
	abbrev(&d, 20, DW_TAG_namespace, 1, 0);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x10);
	for (size_t i = 0; i < 100000; i++)
		u8(&d, 20);
	end_unit(&d);
	ANSWER(&d, TEXT, "gave up");
	release(&d);
}

/* Its sections say that they are compressed, and are not. What was begun is given back by all that ask the
 * engine: a build with the address sanitizer says so at the end. */
TEST(a_supplement_that_cannot_be_read)
{
	struct dwarf_bytes d = {.big = false}, alt = {.big = false};
	uint64_t addr = TEXT;
	struct dwarf_options options = {.jobs = 1, .seconds = 30};
	struct dwarf_answers a;
	struct dwarf_job job = {.addrs = &addr, .n = 1, .out = &a};
	struct dwarf_whole whole = {.n = 0};
	struct object *supplement;
	struct err e = ERR_INIT;

	usual_abbrevs(&d);
	add_sound_unit(&d, "f", TEXT);
	make_file(&d);
	usual_abbrevs(&alt);
	add_sound_unit(&alt, "g", TEXT);
	make_file(&alt);
	for (size_t k = 3; k < 6; k++) /* behind .text, the last headers of the file */
		fill(&alt, &alt.file, alt.file.len - (6 - k) * sizeof(Elf64_Shdr) + 8,
		     SHF_COMPRESSED, 8);
	if (CHECK_EQ(object_open_memory(&job.object, d.file.data, d.file.len, &e), ST_OK) &&
	    CHECK_EQ(object_open_memory(&supplement, alt.file.data, alt.file.len, &e), ST_OK)) {
		object_set_supplement(job.object, supplement);
		dwarf_answers_init(&a, 1);
		CHECK_EQ(dwarf_fast(&job, 1, &options, &e), ST_OK);
		CHECK_EQ(a.of[0].found, DWARF_MALFORMED);
		CHECK_EQ(a.n_complaints, 1);
		dwarf_answers_release(&a);
		CHECK(!dwarf_places_new(job.object, &e));
		CHECK(!dwarf_variables_new(job.object));
		CHECK(dwarf_whole(&whole, job.object, &options, &e) != ST_OK);
		dwarf_whole_release(&whole);
	}
	object_free(job.object);
	release(&d);
	release(&alt);
}

TEST_MAIN()
