/* SPDX-License-Identifier: MIT
 *
 * Faults of debug information, reported with their section and offset, which are known from how the
 * file is made: each test notes the place as it writes the damage.
 */
#include "tests/unit/dwarf_fast.h"
#include "tests/unit/test.h"

#include <inttypes.h>

enum { SPREAD = 20, ODD };

/* A unit that owns TEXT, with one function. */
static void begin(struct dwarf_bytes *d, unsigned version)
{
	usual_abbrevs(d);
	abbrev(d, SPREAD, FUNCTION, 0, DW_AT_name, DW_FORM_string, DW_AT_ranges, DW_FORM_sec_offset,
	       0);
	begin_unit(d, version, UT_COMPILE, 0);
	unit(d, 0, TEXT, TEXT + 0x10);
	function(d, PLAIN, "f", TEXT, 8);
}

static void end(struct dwarf_bytes *d)
{
	u8(d, 0);
	end_unit(d);
}

/* One of the engine's complaints has this. */
static void complains(struct dwarf_bytes *d, dwarf_answer_fn *engine, const char *section,
		      uint64_t at, const char *text)
{
	struct buf got = BUF_INIT, complaints = BUF_INIT, want = BUF_INIT;

	buf_addf(&want, "%s+0x%" PRIx64 ": %s", section, at, text);
	ask(d, engine, TEXT, &got, &complaints);
	if (!CHECK(strstr(buf_str(&complaints), buf_str(&want))))
		printf("    %s  has no\n    %s", buf_str(&complaints), buf_str(&want));
	buf_release(&got);
	buf_release(&complaints);
	buf_release(&want);
}

/* One of the complaints ends so. */
static void says(struct dwarf_bytes *d, const char *section, uint64_t at, const char *text)
{
	char line[200];

	snprintf(line, sizeof line, "%s\n", text);
	complains(d, dwarf_fast, section, at, line);
	release(d);
}

TEST(headers_of_units)
{
	static const struct {
		unsigned version, address_size;
		uint64_t abbrevs;
		unsigned place; /* from the unit's start */
		const char *text;
	} t[] = {
	    {9, 8, 0, 4, "unit header: unknown version 9"},
	    {0, 8, 0, 4, "unit header: unknown version 0"},
	    {4, 3, 0, 0, "unit header: impossible address size: 3 bytes"},
	    {4, 8, 0x1000, 0,
	     "unit header: the abbreviations, at 0x1000, lie outside .debug_abbrev"},
	};
	struct dwarf_bytes d = {.big = false};
	size_t at;

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		begin(&d, 4);
		end(&d);
		at = d.in[INFO].len;
		put(&d, &d.in[INFO], 7, 4);
		put(&d, &d.in[INFO], t[i].version, 2);
		put(&d, &d.in[INFO], t[i].abbrevs, 4);
		put(&d, &d.in[INFO], t[i].address_size, 1);
		says(&d, ".debug_info", at + t[i].place, t[i].text);
	}
	begin(&d, 4);
	end(&d);
	at = d.in[INFO].len;
	put(&d, &d.in[INFO], 1, 4);
	put(&d, &d.in[INFO], 4, 1);
	says(&d, ".debug_info", at + 4, "unit header: cut short");
	begin(&d, 4);
	end(&d);
	at = d.in[INFO].len;
	put(&d, &d.in[INFO], 0x1234, 4);
	says(&d, ".debug_info", at, "unit header: the length, 0x1234, is larger than the section");
	begin(&d, 5);
	d.in[INFO].data[6] = 0x77;
	end(&d);
	says(&d, ".debug_info", 0, "unit header: unknown type of unit 119");
}

/* libdwarf has words of its own for it; the last DIE that it could read is the function before. */
TEST(the_reference_engine)
{
	struct dwarf_bytes d = {.big = false};
	size_t at;

	usual_abbrevs(&d);
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x10);
	at = d.in[INFO].len;
	function(&d, PLAIN, "f", TEXT, 8);
	u8(&d, 99);
	end(&d);
	complains(&d, dwarf_reference, ".debug_info", at, "");
	release(&d);
}

TEST(dies)
{
	struct dwarf_bytes d = {.big = false};
	size_t at;

	begin(&d, 4);
	at = d.in[INFO].len;
	u8(&d, 99);
	end(&d);
	says(&d, ".debug_info", at, "DIE: the abbreviation is missing");

	begin(&d, 4);
	at = d.in[INFO].len;
	u8(&d, PLAIN);
	text(&d, "g");
	put(&d, &d.in[INFO], TEXT, 4); /* half of low_pc */
	end_unit(&d);
	says(&d, ".debug_info", at, "DIE: cut short");

	begin(&d, 4);
	end(&d);
	at = d.in[INFO].len + 11;
	begin_unit(&d, 4, UT_COMPILE, 0);
	u8(&d, 98);
	end(&d);
	says(&d, ".debug_info", at, "unit DIE: unknown abbreviation 98");

	begin(&d, 4);
	end(&d);
	begin_unit(&d, 4, UT_COMPILE, 0);
	u8(&d, UNIT);
	offset(&d, 0);
	at = d.in[INFO].len;
	put(&d, &d.in[INFO], TEXT, 4);
	end_unit(&d);
	says(&d, ".debug_info", at, "unit DIE: cut short");
}

/* The place in the list, and whose list it is. */
TEST(lists_of_ranges)
{
	struct dwarf_bytes d = {.big = false};
	char text_[100];
	size_t die;

	begin(&d, 4);
	die = d.in[INFO].len;
	u8(&d, SPREAD);
	text(&d, "g");
	u32(&d, 16);
	end(&d);
	for (unsigned i = 0; i < 3; i++) { /* 16 to 48, without an end */
		put(&d, &d.in[RANGES], 1, 8);
		put(&d, &d.in[RANGES], 2, 8);
	}
	snprintf(text_, sizeof text_, ".debug_ranges+0x30: address ranges: cut short");
	says(&d, ".debug_info", die, text_);

	begin(&d, 4);
	die = d.in[INFO].len;
	u8(&d, SPREAD);
	text(&d, "g");
	u32(&d, 0x5000);
	end(&d);
	put(&d, &d.in[RANGES], 0, 16);
	says(&d, ".debug_info", die, ".debug_ranges+0x5000: address ranges: cut short");

	begin(&d, 5);
	die = d.in[INFO].len;
	u8(&d, SPREAD);
	text(&d, "g");
	u32(&d, 2);
	end(&d);
	put(&d, &d.in[RNGLISTS], 0, 2);
	put(&d, &d.in[RNGLISTS], 4, 1); /* offset_pair 1 2 */
	put(&d, &d.in[RNGLISTS], 0x0201, 2);
	put(&d, &d.in[RNGLISTS], 0x44, 1);
	says(&d, ".debug_info", die,
	     ".debug_rnglists+0x5: address ranges: unknown kind of entry 68");
}

TEST(abbreviations)
{
	struct dwarf_bytes d = {.big = false};
	size_t at;

	usual_abbrevs(&d);
	abbrev(&d, ODD, FUNCTION, 0, DW_AT_name, 0x7e, 0);
	at = d.in[ABBREV].len - 2; /* behind the form */
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x10);
	end(&d);
	says(&d, ".debug_abbrev", at, "unknown form 0x7e");

	usual_abbrevs(&d);
	buf_add_uleb(&d.in[ABBREV], ODD);
	d.cut = true;
	begin_unit(&d, 4, UT_COMPILE, 0);
	unit(&d, 0, TEXT, TEXT + 0x10);
	end(&d);
	says(&d, ".debug_abbrev", d.in[ABBREV].len, "abbreviations are cut short");
}

TEST(line_tables)
{
	struct dwarf_bytes d = {.big = false};
	size_t at;

	for (unsigned k = 0; k < 4; k++) {
		begin(&d, 4);
		end(&d);
		d.in[INFO].data[12] = 8; /* stmt_list, behind 11 bytes of header and the code */
		put(&d, &d.in[LINE], 0, 8);
		begin_lines(&d, k ? 4 : 7, 1, 1);
		switch (k) {
		case 0:
			end_lines(&d);
			says(&d, ".debug_line", 8 + 4, "line table: unknown version 7");
			break;
		case 1: /* the length is what is behind it, and one more */
			end_lines(&d);
			fill(&d, &d.in[LINE], 8, d.in[LINE].len - 11, 4);
			says(&d, ".debug_line", 8 + 4, "line table: cut short");
			break;
		case 2: /* line_range of 0 */
			d.in[LINE].data[d.header + 4] = 0;
			end_lines(&d);
			says(&d, ".debug_line", d.header + 6 + 12,
			     "line table: line_range 0, opcode_base 13, 1 operations per "
			     "instruction make no sense");
			break;
		default: /* an extended opcode that is longer than what is left */
			at = d.in[LINE].len + 2;
			op(&d, 0);
			op(&d, 100);
			end_lines(&d);
			says(&d, ".debug_line", at, "line table: cut short");
			break;
		}
	}
	begin(&d, 4);
	end(&d);
	d.in[INFO].data[12] = 0x40;
	put(&d, &d.in[LINE], 0, 8);
	says(&d, ".debug_line", 0x40, "line table: lies outside the section");
}

TEST_MAIN()
