/* SPDX-License-Identifier: MIT
 *
 * Tables as text (lib/render/text.c) and widths of text (lib/render/width.h).
 */
#include "lib/render/render.h"

#include "lib/render/width.h"
#include "tests/unit/test.h"

#include <stdlib.h>

static struct table_cell cells[3][3];
static const char *detail_lines[] = {"inner", "out\x1b[2Jer"};

static void fill(void *arg, size_t i, struct table_row *r)
{
	memcpy(r->cells, cells[i], sizeof cells[i]);
	if (arg && i == 0) {
		r->details = detail_lines;
		r->n_details = 2;
		r->more = "... 3 more";
	}
}

static struct table_column columns[3] = {{"n", "N", COLUMN_BYTES, 0, 0},
					 {"name", "name", COLUMN_TEXT, COLUMN_SHORTEN, 0},
					 {"p", "%", COLUMN_PERCENT, 0, 0}};

static char *print(const struct table *t, const struct render_options *o)
{
	struct table_document d = {.program = "tm-test"};
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	document_table(&d, t);
	CHECK_EQ(render(&d, RENDER_TEXT, o, f, &e), ST_OK);
	fclose(f);
	document_release(&d);
	return text;
}

static char *render_width(const struct table *t, unsigned width, bool exact)
{
	struct render_options o = {.width = width, .exact_bytes = exact};

	return print(t, &o);
}

static void expect(struct table *t, unsigned width, bool exact, const char *want)
{
	char *text = render_width(t, width, exact);

	CHECK_STR(text, want);
	free(text);
}

static struct table table(size_t n_rows)
{
	memset(cells, 0, sizeof cells);
	return (struct table){.columns = columns, .n_columns = 3, .n_rows = n_rows, .fill = fill};
}

TEST(aligned)
{
	struct table t = table(3);

	cells[0][0] = cell_number(2048);
	cells[0][1] = cell_text("a", 1);
	cells[0][2] = cell_number(10000);
	cells[1][0] = cell_number(7);
	cells[1][1] = cell_text("long name", 9);
	cells[2][1] = cell_text("x", 1);
	cells[2][2] = cell_number(1);
	expect(&t, 0, false,
	       "      N  name             %\n"
	       "2.0 KiB  a          100.00%\n"
	       "    7 B  long name\n"
	       "         x            0.01%\n");
	expect(&t, 0, true,
	       "   N  name             %\n"
	       "2048  a          100.00%\n"
	       "   7  long name\n"
	       "      x            0.01%\n");
}

TEST(wide_and_combining)
{
	struct table t = table(3);

	cells[0][1] = cell_text("日本", 6);
	cells[0][2] = cell_number(100);
	cells[1][1] = cell_text("e\xcc\x81t\xc3\xa9", 6); /* e + combining acute, t, é: 3 columns */
	cells[1][2] = cell_number(100);
	cells[2][1] = cell_text("abcd", 4);
	cells[2][2] = cell_number(100);
	expect(&t, 0, false,
	       "N  name      %\n"
	       "   日本  1.00%\n"
	       "   e\xcc\x81t\xc3\xa9   1.00%\n"
	       "   abcd  1.00%\n");
}

TEST(widths)
{
	CHECK_EQ(text_width("", 0), 0);
	CHECK_EQ(text_width("abc", 3), 3);
	CHECK_EQ(text_width("\xc3\xa9", 2), 1);         /* é */
	CHECK_EQ(text_width("\xea\xb0\x80", 3), 2);     /* a Hangul syllable */
	CHECK_EQ(text_width("\xf0\x9f\x98\x80", 4), 2); /* an emoji */
	CHECK_EQ(text_width("\xf0\xa0\x80\x80", 4), 2); /* CJK extension B */
	CHECK_EQ(text_width("a\xe2\x80\x8b"
			    "b",
			    5),
		 2); /* zero width space */
	CHECK_EQ(text_width("\xff\xff", 2), 2);
}

TEST(shorten_keeps_both_ends)
{
	static const struct {
		const char *s;
		size_t width;
		const char *want;
	} cases[] = {{"abcdefgh", 8, "abcdefgh"}, {"abcdefgh", 7, "abc…fgh"},
		     {"abcdefgh", 4, "a…gh"},     {"abcdefgh", 1, "…"},
		     {"abcdefgh", 0, ""},         {"日本語名前", 6, "日…前"},
		     {"日本語名前", 5, "日…前"},  {"日本語名前", 4, "…前"}};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		b.len = 0;
		text_shorten(&b, cases[i].s, strlen(cases[i].s), cases[i].width);
		CHECK_STR(buf_str(&b), cases[i].want);
		CHECK(text_width(b.data, b.len) <= cases[i].width);
	}
	buf_release(&b);
}

/* Any text, any width: never wider than asked, and whole when it fits. */
TEST(shorten_fits_always)
{
	static const char *const pieces[] = {"a", "é", "日", "e\xcc\x81", "\xff", "😀", "::", "x"};
	uint32_t seed = 7;
	struct buf s = BUF_INIT, b = BUF_INIT;

	for (int round = 0; round < 5000; round++) {
		size_t width, want;

		s.len = b.len = 0;
		for (int i = 0; i < 12; i++) {
			seed = seed * 1664525 + 1013904223;
			buf_adds(&s, pieces[seed >> 29]);
		}
		want = seed >> 8 & 31;
		width = text_width(s.data, s.len);
		text_shorten(&b, s.data, s.len, want);
		CHECK((b.len ? text_width(b.data, b.len) : 0) <= want);
		if (width <= want)
			CHECK_MEM(b.data, b.len, s.data, s.len);
	}
	buf_release(&s);
	buf_release(&b);
}

TEST(terminal_shortens_a_pipe_does_not)
{
	static const char name[] = "Namespace::Class::Method(int, float, std::string const&)";
	struct table t = table(1);
	char *text;

	cells[0][1] = cell_text(name, sizeof name - 1);
	cells[0][2] = cell_number(5000);
	text = render_width(&t, 0, false);
	CHECK(strstr(text, name) != NULL);
	free(text);
	text = render_width(&t, 40, false);
	CHECK(strstr(text, name) == NULL);
	CHECK(strstr(text, "Namespace") != NULL);
	CHECK(strstr(text, "const&)") != NULL);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		CHECK(text_width(line, strlen(line)) <= 40);
	free(text);
}

TEST(paths_keep_their_end)
{
	static const struct {
		const char *s;
		size_t width;
		const char *want;
	} cases[] = {{"/src/demo/game.cpp:101", 22, "/src/demo/game.cpp:101"},
		     {"/src/demo/game.cpp:101", 21, "…/demo/game.cpp:101"},
		     {"/src/demo/game.cpp:101", 18, "…/game.cpp:101"},
		     {"/src/demo/game.cpp:101", 14, "…/game.cpp:101"},
		     {"/src/demo/game.cpp:101", 13, "…game.cpp:101"},
		     {"/src/demo/game.cpp:101", 5, "…:101"},
		     {"/日本/語", 5, "…/語"},
		     {"/日本/語", 0, ""}};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		b.len = 0;
		text_shorten_path(&b, cases[i].s, strlen(cases[i].s), cases[i].width);
		CHECK_STR(buf_str(&b), cases[i].want);
	}
	buf_release(&b);
}

TEST(numbers_make_room_for_names)
{
	static const char name[] = "Namespace::Class::Method(int)";
	struct table t = table(1);
	char *text;

	columns[2].flags = COLUMN_SPARE;
	cells[0][0] = cell_number(1);
	cells[0][1] = cell_text(name, sizeof name - 1);
	cells[0][2] = cell_number(10000);
	expect(&t, 0, true,
	       "N  name                                 %\n"
	       "1  Namespace::Class::Method(int)  100.00%\n");
	expect(&t, 30, true,
	       "N  name\n"
	       "1  Namespace::Cl…::Method(int)\n"
	       "\ncolumns hidden (narrow width):\n  %\n");
	text = render_width(&t, 32, true); /* a name of 20, two gaps, 1 and 7 */
	CHECK(strstr(text, "100.00%") != NULL && !strstr(text, "columns hidden"));
	free(text);
	columns[2].flags = 0;
}

TEST(the_first_spare_column_goes_first)
{
	struct table t = table(1);

	columns[0].flags = COLUMN_SPARE | COLUMN_FIRST_SPARE;
	columns[2].flags = COLUMN_SPARE;
	cells[0][0] = cell_number(1000000);
	cells[0][1] = cell_text("Namespace::Class::Up", 20);
	cells[0][2] = cell_number(10000);
	/* 7 + 2 + 20 + 2 + 7 are 38: without the first 29, without the last too 20. */
	expect(&t, 38, true,
	       "      N  name                        %\n"
	       "1000000  Namespace::Class::Up  100.00%\n");
	expect(&t, 37, true,
	       "name                        %\n"
	       "Namespace::Class::Up  100.00%\n"
	       "\ncolumns hidden (narrow width): N\n");
	expect(&t, 28, true,
	       "name\n"
	       "Namespace::Class::Up\n"
	       "\ncolumns hidden (narrow\n  width): N, %\n");
	columns[0].flags = columns[2].flags = 0;
}

TEST(notes_are_folded_at_blanks)
{
	static const char *notes[] = {"names of sites: function only",
				      "a-word-that-is-wider-than-it", "é é é é é é é é é é"};
	struct table t = table(1);

	columns[1].flags = columns[2].flags = COLUMN_NOT_TEXT;
	cells[0][0] = cell_number(1);
	t.notes = notes;
	t.n_notes = 3;
	expect(&t, 0, true,
	       "N\n1\n\nnames of sites: function only\na-word-that-is-wider-than-it\n"
	       "é é é é é é é é é é\n");
	expect(&t, 18, true,
	       "N\n1\n\nnames of sites:\n  function only\na-word-that-is-wider-than-it\n"
	       "é é é é é é é é é\n  é\n");
	columns[1].flags = columns[2].flags = 0;
}

TEST(input_is_escaped)
{
	struct table t = table(1);

	cells[0][1] = cell_text("a\x1b[31m\nb\xff", 9);
	t.title = "t\x07";
	t.arg = &t;
	expect(&t, 0, false,
	       "t\\x{07}\n\n"
	       "N  name                      %\n"
	       "   a\\x{1b}[31m\\x{0a}b\\x{ff}\n"
	       "    inner\n"
	       "    out\\x{1b}[2Jer\n"
	       "    ... 3 more\n");
}

TEST(totals_and_notes)
{
	struct table t = table(1);
	struct table_cell totals[3] = {{.present = false}};
	const char *notes[] = {"a note"};

	cells[0][0] = cell_number(1);
	cells[0][1] = cell_text("x", 1);
	totals[0] = cell_number(1025);
	totals[1] = cell_text("(all)", 5);
	t.totals = totals;
	t.n_totals = 1;
	t.notes = notes;
	t.n_notes = 1;
	expect(&t, 0, true, "   N  name   %\n   1  x\n1025  (all)\n\na note\n");
}

/* A column of text in which no row has any is not shown. */
TEST(empty_text_column)
{
	struct table t = table(2);

	cells[0][0] = cell_number(1);
	cells[1][0] = cell_number(2);
	expect(&t, 0, true, "N  %\n1\n2\n");
}

TEST_MAIN()
