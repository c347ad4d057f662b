/* SPDX-License-Identifier: MIT */
#include "lib/render/render.h"

#include "tests/unit/test.h"

#include <stdlib.h>

static struct cell cells[3][5];

static void fill(void *arg, size_t i, struct row *r)
{
	(void)arg;
	memcpy(r->cells, cells[i], sizeof cells[i]);
}

static struct column columns[5] = {{"name", "Name", COLUMN_TEXT, 0, 0},
				   {"n", "N", COLUMN_INT, 0, 0},
				   {"size", "Size", COLUMN_BYTES, COLUMN_NOT_TEXT, 0},
				   {"share", "%", COLUMN_PERCENT, 0, 0},
				   {"x", "X", COLUMN_TEXT, COLUMN_NOT_CSV, 0}};

static void render(size_t n_rows, const char *want, size_t n)
{
	struct table t = {.columns = columns, .n_columns = 5, .n_rows = n_rows, .fill = fill};
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	CHECK_EQ(render_csv(&t, f, &e), ST_OK);
	fclose(f);
	CHECK_MEM(text, len, want, n);
	free(text);
}

#define RENDER(rows, want) render(rows, want, sizeof(want) - 1)

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
	cells[2][1] = (struct cell){.present = true, .negative = true, .number = 12};
	cells[2][3] = (struct cell){.present = true, .negative = true, .number = 12345};
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

TEST(full_disk_is_an_error)
{
	struct table t = {.columns = columns, .n_columns = 5, .n_rows = 3, .fill = fill};
	struct err e = ERR_INIT;
	FILE *f = fopen("/dev/full", "w");

	if (!f)
		TEST_SKIP("no /dev/full");
	setvbuf(f, NULL, _IONBF, 0);
	CHECK_EQ(render_csv(&t, f, &e), ST_SYS);
	fclose(f);
}

TEST_MAIN()
