/* SPDX-License-Identifier: MIT
 *
 * Cells and flame graphs (lib/table).
 */
#include "lib/table/table.h"
#include "lib/table/flame.h"
#include "tests/unit/test.h"

#include <math.h>

TEST(sizes_for_people)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {{0, "0 B"},
		     {1023, "1023 B"},
		     {1024, "1.0 KiB"},
		     {1075, "1.0 KiB"}, /* 1.0498 */
		     {1076, "1.1 KiB"}, /* 1.0508 */
		     {1536, "1.5 KiB"},
		     {1048524, "1023.9 KiB"}, /* 1023.949 */
		     {1048525, "1.0 MiB"},    /* 1023.950 rounds to 1024.0 */
		     {1048576, "1.0 MiB"},
		     {(uint64_t)5 << 30, "5.0 GiB"},
		     {UINT64_MAX, "16.0 EiB"}};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		b.len = 0;
		size_text(&b, cases[i].bytes);
		CHECK_STR(buf_str(&b), cases[i].text);
	}
	buf_release(&b);
}

TEST(shares)
{
	CHECK(!cell_share(0, 0).present);
	CHECK_EQ(cell_share(0, 7).number, 0);
	CHECK_EQ(cell_share(1, 3).number, 3333);
	CHECK_EQ(cell_share(2, 3).number, 6667);
	CHECK_EQ(cell_share(1, 20000).number, 1); /* 0.005 % rounds up */
	CHECK_EQ(cell_share(1, 20001).number, 0);
	CHECK_EQ(cell_share(UINT64_MAX, UINT64_MAX).number, 10000);
}

/* A percentage is exact to 0.005, is 0 only of nothing and 100 only of the whole, and people see on which
 * side of what is printed it is. */
TEST(percentages_beside_0_and_the_whole)
{
	static const struct {
		bool negative;
		unsigned __int128 part, whole;
		const char *exact, *people;
	} rows[] = {{false, 0, 7, "0.00", "0.00%"},
		    {false, 1, 3, "33.33", "+33.33%"},
		    {false, 1, 1000000, "0.0001", "<+0.01%"},
		    {true, 1, 1000000, "-0.0001", ">-0.01%"},
		    {false, 1, 30001, "0.00333", "<+0.01%"},
		    {true, 481169, 481177, "-99.99834", ">-100.00%"},
		    {true, 7, 7, "-100.00", "-100.00%"},
		    {false, 99999, 100000, "99.999", "<+100.00%"},
		    {false, 100001, 100000, "100.00", "+100.00%"},
		    {false, (unsigned __int128)1 << 112, 4,
		     "129807421463370690713262408230502400.00",
		     "+129807421463370690713262408230502400.00%"}}; /* 2^110 x 100 */
	struct table_column c = {.type = COLUMN_PERCENT, .flags = COLUMN_SIGNED};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct table_cell v = cell_ratio(rows[i].negative, rows[i].part, rows[i].whole);

		b.len = 0;
		cell_exact(&b, &c, &v);
		CHECK_STR(buf_str(&b), rows[i].exact);
		b.len = 0;
		cell_for_people(&b, &c, &v, false);
		CHECK_STR(buf_str(&b), rows[i].people);
	}
	CHECK(!cell_ratio(false, 1, 0).present);
	for (int64_t i = -1000000; i <= 1000000; i += 37) { /* of doubles the same */
		struct table_cell x = cell_percent((double)i / 10000);
		struct table_cell y =
		    cell_ratio(i < 0, (unsigned __int128)(i < 0 ? -i : i), 1000000);

		if (i % 100 == 50 || i % 100 == -50) /* which no double is */
			continue;
		CHECK_EQ(x.number, y.number);
		CHECK_EQ(x.negative, y.negative);
		CHECK_EQ(!x.fraction, !y.fraction);
	}
	CHECK(!cell_percent(INFINITY).present && !cell_percent(NAN).present);
	buf_release(&b);
}

static const char *people(struct buf *b, enum column_type type, unsigned flags, unsigned decimals,
			  struct table_cell v)
{
	struct table_column c = {.type = type, .flags = flags, .decimals = decimals};

	b->len = 0;
	cell_for_people(b, &c, &v, false);
	return buf_str(b);
}

TEST(times_for_people)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {{0, "0 ns"},
		     {999, "999 ns"},
		     {1000, "1.00 us"},
		     {1234, "1.23 us"},
		     {1235, "1.24 us"}, /* half up */
		     {999994, "999.99 us"},
		     {999995, "1.00 ms"},
		     {1250000, "1.25 ms"},
		     {16666667, "16.67 ms"},
		     {999994999, "999.99 ms"},
		     {999995000, "1.00 s"},
		     {75000000000, "75.00 s"},
		     {UINT64_MAX, "18446744073.71 s"}};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		b.len = 0;
		time_text(&b, cases[i].ns);
		CHECK_STR(buf_str(&b), cases[i].text);
	}
	buf_release(&b);
}

TEST(differences_negate_when_swapped)
{
	static const uint64_t v[] = {0, 1, 7, (uint64_t)1 << 63, UINT64_MAX - 1, UINT64_MAX};

	for (size_t i = 0; i < 6; i++)
		for (size_t k = 0; k < 6; k++) {
			struct table_cell a = cell_difference(v[i], v[k]),
					  b = cell_difference(v[k], v[i]);

			CHECK_EQ(a.number, b.number);
			CHECK_EQ(a.number, v[i] > v[k] ? v[i] - v[k] : v[k] - v[i]);
			CHECK_EQ(a.negative, v[k] < v[i]);
			CHECK_EQ(b.negative, v[i] < v[k]);
		}
	CHECK_EQ(cell_signed(INT64_MIN).number, (uint64_t)1 << 63);
	CHECK(cell_signed(INT64_MIN).negative);
}

TEST(values_for_people)
{
	static const struct { /* of one; what would look like none keeps all that it has */
		enum column_type type;
		unsigned decimals;
		uint64_t whole, millionths;
		const char *text;
	} parts[] = {
	    {COLUMN_BYTES, 0, 1, 400000, "1.4 B"},      {COLUMN_BYTES, 0, 0, 25, "0.000025 B"},
	    {COLUMN_BYTES, 0, 1, 20000, "1 B"},         {COLUMN_BYTES, 0, 999, 960000, "1000 B"},
	    {COLUMN_BYTES, 0, 1023, 500000, "1.0 KiB"}, {COLUMN_TIME, 0, 2, 333333, "2.33 ns"},
	    {COLUMN_TIME, 0, 999, 999000, "1.00 us"},   {COLUMN_DECIMAL, 0, 2, 333333, "2.333333"},
	    {COLUMN_DECIMAL, 3, 2, 333333, "2.333"},    {COLUMN_DECIMAL, 3, 0, 25, "0.000025"}};
	struct buf b = BUF_INIT;
	struct table_cell none = {.present = false};

	CHECK_STR(people(&b, COLUMN_INT, COLUMN_SIGNED, 0, cell_number(5)), "+5");
	CHECK_STR(people(&b, COLUMN_INT, COLUMN_SIGNED, 0, cell_number(0)), "0");
	CHECK_STR(people(&b, COLUMN_INT, 0, 0, cell_signed(-5)), "-5");
	CHECK_STR(people(&b, COLUMN_BYTES, COLUMN_SIGNED, 0, cell_difference(2048, 512)),
		  "-1.5 KiB");
	CHECK_STR(people(&b, COLUMN_PERCENT, COLUMN_SIGNED, 0, cell_number(700)), "+7.00%");
	CHECK_STR(people(&b, COLUMN_TIME, COLUMN_SIGNED, 0, cell_number(1250000)), "+1.25 ms");
	CHECK_STR(people(&b, COLUMN_NUMBER, 0, 3, cell_number(1005)), "1.005");
	CHECK_STR(people(&b, COLUMN_NUMBER, 0, 0, cell_number(7)), "7");
	CHECK_STR(people(&b, COLUMN_INT, 0, 0, none), "");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		CHECK_STR(
		    people(&b, parts[i].type, 0, parts[i].decimals,
			   cell_decimal(decimal_of_unsigned(parts[i].whole) +
					(decimal)parts[i].millionths * (DECIMAL_ONE / 1000000))),
		    parts[i].text);
	buf_release(&b);
}

/* main 1+10, main;a 5, main;a;x 100, main;b 3 in 4 nodes: b and x or a go. */
TEST(flame_graphs_keep_their_totals_when_pruned)
{
	struct flame f = FLAME_INIT, small = FLAME_INIT;
	uint64_t total[8], base[8];
	uint32_t main_node = flame_child(&f, FLAME_ROOT, "main", 4, NULL, 0);
	uint32_t a = flame_child(&f, main_node, "a", 1, "a.c:1", 5);
	uint32_t x = flame_child(&f, a, "x", 1, NULL, 0), more;
	uint32_t b = flame_child(&f, main_node, "b", 1, NULL, 0);
	struct flame_measure *count;

	CHECK_EQ(flame_child(&f, main_node, "a", 1, "a.c:1", 5), a);
	more = flame_child(&f, main_node, "a", 1, "a.c:2", 5);
	CHECK(more != a);
	flame_add(&f, main_node, 11, 20);
	flame_add(&f, a, 5, 0);
	flame_add(&f, x, 100, 1);
	flame_add(&f, b, 3, 2);
	count = flame_measure(&f, "count", COLUMN_INT);
	flame_measure_add(count, x, 7);
	flame_measure_add(count, main_node, 1);
	flame_measure_add(count, more, 2);
	flame_totals(&f, total, base);
	CHECK_EQ(total[FLAME_ROOT], 119);
	CHECK_EQ(base[FLAME_ROOT], 23);
	CHECK_EQ(total[a], 105);
	CHECK_EQ(flame_prune(&f, 6, &small), 0);
	CHECK_EQ(small.n_nodes, 0);
	CHECK_EQ(flame_prune(&f, 4, &small), 4); /* the root and main are left, and (smaller) */
	CHECK_EQ(small.n_nodes, 3);
	flame_totals(&small, total, base);
	CHECK_EQ(total[FLAME_ROOT], 119);
	CHECK_EQ(base[FLAME_ROOT], 23);
	CHECK_EQ(small.nodes[2].self, 108);
	CHECK_EQ(small.nodes[2].base, 3);
	CHECK_EQ(small.nodes[2].len, 9);
	CHECK_EQ(small.n_more, 1); /* x and the second a are in (smaller): 7 + 2 */
	CHECK_EQ(small.more[0].self[1], 1);
	CHECK_EQ(small.more[0].self[2], 9);
	flame_release(&f);
	flame_release(&small);
}

TEST_MAIN()
