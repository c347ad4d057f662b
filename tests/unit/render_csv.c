/* SPDX-License-Identifier: MIT
 *
 * CSV and TSV (lib/render/delimited.h).
 */
#include "lib/render/render.h"

#include "tests/unit/test.h"

#include <stdlib.h>

static struct table_cell cells[3][5];

static void fill(void *arg, size_t i, struct table_row *r)
{
	(void)arg;
	memcpy(r->cells, cells[i], sizeof cells[i]);
}

static struct table_column columns[5] = {{"name", "Name", COLUMN_TEXT, 0, 0},
					 {"n", "N", COLUMN_INT, 0, 0},
					 {"size", "Size", COLUMN_BYTES, COLUMN_NOT_TEXT, 0},
					 {"share", "%", COLUMN_PERCENT, 0, 0},
					 {"x", "X", COLUMN_TEXT, COLUMN_NOT_CSV, 0}};

static char *print(size_t n_rows, enum render_format f, bool raw, size_t *len)
{
	struct table t = {.columns = columns, .n_columns = 5, .n_rows = n_rows, .fill = fill};
	struct render_options o = {.raw_csv = raw};
	struct table_document d = {.program = "tm-test"};
	struct err e = ERR_INIT;
	char *text = NULL;
	FILE *file = open_memstream(&text, len);

	document_table(&d, &t);
	CHECK_EQ(render(&d, f, &o, file, &e), ST_OK);
	fclose(file);
	document_release(&d);
	return text;
}

static void expect(size_t n_rows, enum render_format f, bool raw, const char *want, size_t n)
{
	size_t len = 0;
	char *text = print(n_rows, f, raw, &len);

	CHECK_MEM(text, len, want, n);
	free(text);
}

#define RENDER(rows, want)      expect(rows, RENDER_CSV, false, want, sizeof(want) - 1)
#define RENDER_RAW(rows, want)  expect(rows, RENDER_CSV, true, want, sizeof(want) - 1)
#define RENDER_TABS(rows, want) expect(rows, RENDER_TSV, false, want, sizeof(want) - 1)

TEST(heading_alone)
{
	RENDER(0, "name,n,size,share\r\n");
}

TEST(absent_is_blank_and_zero_is_zero)
{
	memset(cells, 0, sizeof cells);
	cells[0][0] = cell_text("a", 1);
	cells[1][1] = cell_number(0);
	cells[1][2] = cell_number(UINT64_MAX);
	cells[1][3] = cell_number(5);
	cells[2][1] = (struct table_cell){.present = true, .negative = true, .number = 12};
	cells[2][3] = (struct table_cell){.present = true, .negative = true, .number = 12345};
	RENDER(3, "name,n,size,share\r\na,,,\r\n,0,18446744073709551615,0.05\r\n,-12,,-123.45\r\n");
}

TEST(quoting)
{
	memset(cells, 0, sizeof cells);
	cells[0][0] = cell_text("std::map<int, \"x\">", 18);
	cells[1][0] = cell_text("a\nb\r", 4);
	cells[2][0] = cell_text("\xff\0\x1b plain", 9);
	RENDER(3, "name,n,size,share\r\n\"std::map<int, \"\"x\"\">\",,,\r\n"
		  "\"a\nb\r\",,,\r\n\xff\0\x1b plain,,,\r\n");
}

TEST(line_ends_and_commas_one_by_one)
{
	memset(cells, 0, sizeof cells);
	cells[0][0] = cell_text("a\nb", 3);
	cells[1][0] = cell_text("a\rb", 3);
	cells[2][0] = cell_text("a,b", 3);
	RENDER(3, "name,n,size,share\r\n\"a\nb\",,,\r\n\"a\rb\",,,\r\n\"a,b\",,,\r\n");
}

/* OWASP's list, and the quote itself, so that a first quote is always ours. */
TEST(formulas_are_guarded)
{
	memset(cells, 0, sizeof cells);
	cells[0][0] = cell_text("=1+1", 4);
	cells[0][1] = cell_signed(-5); /* a number is what it looks like */
	cells[1][0] = cell_text("-[NSData init]", 14);
	cells[2][0] = cell_text("@x,y", 4);
	RENDER(3, "name,n,size,share\r\n'=1+1,-5,,\r\n'-[NSData init],,,\r\n\"'@x,y\",,,\r\n");
	cells[1][0] = cell_text("-5", 2); /* of a frame */
	RENDER(2, "name,n,size,share\r\n'=1+1,-5,,\r\n-5,,,\r\n");
	cells[1][0] = cell_text("-[NSData init]", 14);
	RENDER_RAW(3, "name,n,size,share\r\n=1+1,-5,,\r\n-[NSData init],,,\r\n\"@x,y\",,,\r\n");
	cells[0][0] = cell_text("+x", 2);
	cells[0][1] = (struct table_cell){.present = false};
	cells[1][0] = cell_text("\tx", 2);
	cells[2][0] = cell_text("\rx", 2);
	RENDER(3, "name,n,size,share\r\n'+x,,,\r\n'\tx,,,\r\n\"'\rx\",,,\r\n");
	cells[0][0] = cell_text("'x", 2);
	cells[1][0] = cell_text("x=1", 3);
	cells[2][0] = cell_text("", 0);
	RENDER(3, "name,n,size,share\r\n''x,,,\r\nx=1,,,\r\n,,,\r\n");
}

TEST(tabs)
{
	memset(cells, 0, sizeof cells);
	cells[0][0] = cell_text("a\tb\nc\\d\re", 9);
	cells[0][3] = cell_number(5);
	cells[1][0] = cell_text("=\"x\", y", 7);
	RENDER_TABS(2, "name\tn\tsize\tshare\na\\tb\\nc\\\\d\\re\t\t\t0.05\n'=\"x\", y\t\t\t\n");
}

/* A reader of RFC 4180: one record from s into the first field; NULL when it is not well formed. */
static const char *read_first_field(const char *s, const char *end, struct buf *field)
{
	field->len = 0;
	if (s < end && *s == '"') {
		for (s++; s < end; s++) {
			if (*s == '"' && (s + 1 == end || s[1] != '"'))
				break;
			s += *s == '"';
			buf_addc(field, *s);
		}
		if (s == end)
			return NULL;
		s++;
	} else {
		for (; s < end && !memchr(",\r\n\"", *s, 4); s++)
			buf_addc(field, *s);
	}
	return end - s >= 5 && !memcmp(s, ",,,\r\n", 5) ? s + 5 : NULL;
}

/* Any bytes come back; a first ' is the guard's. */
TEST(any_text_comes_back)
{
	static const char bytes[] = "a,\"\r\n\t=+-@'\\;\0\x1b\xff\xc3\xa9";
	struct buf name = BUF_INIT, field = BUF_INIT;
	uint32_t seed = 11;

	memset(cells, 0, sizeof cells);
	for (int round = 0; round < 20000; round++) {
		const char *s, *got;
		char *text;
		size_t len = 0, n;

		name.len = 0;
		seed = seed * 1664525 + 1013904223;
		for (uint32_t i = seed >> 29; i > 0; i--) {
			seed = seed * 1664525 + 1013904223;
			buf_addc(&name, bytes[(seed >> 16) % (sizeof bytes - 1)]);
		}
		cells[0][0] = cell_text(name.data, name.len);
		text = print(1, RENDER_CSV, round & 1, &len);
		s = strstr(text, "\r\n") + 2;
		CHECK(read_first_field(s, text + len, &field) == text + len);
		got = field.data;
		n = field.len;
		if (!(round & 1) && n && *got == '\'') {
			got++;
			n--;
		} else if (!(round & 1) && n) {
			CHECK(!memchr("=+-@\t\r\n", *got, 7));
		}
		CHECK_MEM(got, n, name.data, name.len);
		free(text);
	}
	buf_release(&name);
	buf_release(&field);
}

TEST(rows_as_they_are_made)
{
	struct table t = {.columns = columns, .n_columns = 5, .fill = fill};
	struct render_options o = {.width = 0};
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);
	struct render_rows *r = render_rows_new(&t, RENDER_CSV, &o, file, &e);

	memset(cells, 0, sizeof cells);
	for (uint64_t i = 0; i < 3; i++) {
		cells[i][1] = cell_number(i);
		CHECK_EQ(render_rows_add(r, &(struct table_row){.cells = cells[i]}), ST_OK);
	}
	CHECK_EQ(render_rows_end(r), ST_OK);
	fclose(file);
	CHECK_STR(text, "name,n,size,share\r\n,0,,\r\n,1,,\r\n,2,,\r\n");
	free(text);
}

TEST(full_disk_is_an_error)
{
	struct table t = {.columns = columns, .n_columns = 5, .n_rows = 3, .fill = fill};
	struct render_options o = {.width = 0};
	struct table_document d = {.program = "tm-test"};
	struct table_check check = {.name = "rule"};
	struct table_checks checks = {.items = &check, .n_items = 1};
	struct err e = ERR_INIT;
	FILE *f = fopen("/dev/full", "w");

	if (!f)
		TEST_SKIP("no /dev/full");
	setvbuf(f, NULL, _IONBF, 0);
	document_table(&d, &t);
	document_checks(&d, &checks);
	for (enum render_format k = 0; k < RENDER_FORMATS; k++)
		CHECK_EQ(render(&d, k, &o, f, &e), ST_SYS);
	document_release(&d);
	fclose(f);
}

TEST_MAIN()
