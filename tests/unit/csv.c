/* SPDX-License-Identifier: MIT
 *
 * lib/input/csv.c. Expected fields are those of RFC 4180, but for the blanks around them and a quote that nothing
 * closes, as csv.h has them.
 */
#include "lib/input/csv.h"
#include "tests/unit/test.h"

#include <string.h>

/* The fields of a line, with '|' behind each. */
static const char *fields_of(const char *line, char separator)
{
	static struct buf b;
	struct csv c = {.separator = separator};

	b.len = 0;
	csv_split(&c, line, strlen(line));
	for (size_t i = 0; i < c.n; i++) {
		buf_add(&b, c.fields[i].s, c.fields[i].n);
		buf_addc(&b, '|');
	}
	csv_release(&c);
	return buf_str(&b);
}

TEST(a_line_has_a_field_more_than_separators)
{
	CHECK_STR(fields_of("", ','), "|");
	CHECK_STR(fields_of("a", ','), "a|");
	CHECK_STR(fields_of("a,,b,", ','), "a||b||");
	CHECK_STR(fields_of(" a , b\r", ','), "a|b|");
	CHECK_STR(fields_of("16,7;2", ';'), "16,7|2|");
	CHECK_STR(fields_of("a\t\tb c", '\t'), "a||b c|");
}

TEST(separators_in_quotes_separate_nothing)
{
	CHECK_STR(fields_of("\"a,b\",c", ','), "a,b|c|");
	CHECK_STR(fields_of(" \"a\" ,\"\",\"b\"", ','), "a||b|");
	CHECK_STR(fields_of("\"say \"\"hi\"\", b\",\"\"\"\"", ','), "say \"hi\", b|\"|");
	/* Behind the closing quote, text is left out. */
	CHECK_STR(fields_of("\"a\"b,c", ','), "a|c|");
}

TEST(a_quote_that_nothing_closes_separates_nothing)
{
	CHECK_STR(fields_of("\"a,b", ','), "a|b|");
	CHECK_STR(fields_of("a\"b,c", ','), "a\"b|c|");
	CHECK_STR(fields_of("\"\"\"a,b", ','), "\"\"a|b|");
}

TEST(the_separator_is_the_most_frequent_outside_of_quotes)
{
	static const struct {
		const char *line;
		char want;
	} lines[] = {{"a", ','},          {"a,b", ','},         {"a;b,c;d", ';'},
		     {"a\tb\tc,d", '\t'}, {"\"a;b;c\",d", ','}, {"a;b,c", ','}};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		CHECK(csv_separator(lines[i].line, strlen(lines[i].line)) == lines[i].want);
}

TEST_MAIN()
