/* SPDX-License-Identifier: MIT
 *
 * lib/base/decimal.c, lib/base/decimal_split.c and lib/trace/reading.h. Expected values are what was written, or
 * C's own strtod and printf of 17 digits.
 */
#include "lib/trace/reading.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 88172645463325252;

static uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static const char *text_of(decimal v)
{
	static struct buf b;

	b.len = 0;
	decimal_text(&b, v);
	return buf_str(&b);
}

TEST(a_decimal_number_is_printed_as_it_was_written)
{
	static const char *const texts[] = {"0",
					    "33.4",
					    "95.262",
					    "0.1",
					    "-0.25",
					    "-33.4",
					    "0.000001",
					    "41.5",
					    "1000",
					    "9223372036854775807",
					    "-9223372036854775808",
					    "9007199254740993",
					    "0.123456789012345678",
					    "9223372036854775807.999999999999999999"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		decimal v = -1;

		CHECK_EQ(decimal_parse(texts[i], strlen(texts[i]), &v), DECIMAL_EXACT);
		CHECK_STR(text_of(v), texts[i]);
	}
}

TEST(every_way_to_write_a_number_is_read)
{
	static const struct {
		const char *text, *want; /* NULL: refused */
		enum decimal_read read;
	} cases[] = {
	    {"+7", "7", DECIMAL_EXACT},
	    {".5", "0.5", DECIMAL_EXACT},
	    {"1.", "1", DECIMAL_EXACT},
	    {"00033.40", "33.4", DECIMAL_EXACT},
	    {"3.34e1", "33.4", DECIMAL_EXACT},
	    {"334E-1", "33.4", DECIMAL_EXACT},
	    {"-1e18", "-1000000000000000000", DECIMAL_EXACT},
	    {"1e-18", "0.000000000000000001", DECIMAL_EXACT},
	    {"0e99999999999", "0", DECIMAL_EXACT},
	    {"0.00000000000000000000000000000000000000000000e5", "0", DECIMAL_EXACT},
	    {"1.0000000000000000000000000000000000000000000000", "1", DECIMAL_EXACT},
	    {"0.1234567890123456785", "0.123456789012345679", DECIMAL_ROUNDED},
	    {"-0.1234567890123456785", "-0.123456789012345679", DECIMAL_ROUNDED},
	    {"5e-19", "0.000000000000000001", DECIMAL_ROUNDED},
	    {"4e-19", "0", DECIMAL_ROUNDED},
	    {"1e-400", "0", DECIMAL_ROUNDED},
	    {"9223372036854775808", NULL, DECIMAL_LARGE},
	    {"-9223372036854775808.1", NULL, DECIMAL_LARGE},
	    {"1e19", NULL, DECIMAL_LARGE},
	    {"1e400", NULL, DECIMAL_LARGE},
	    {"1e999999999999999999999", NULL, DECIMAL_LARGE},
	    {"99999999999999999999999999999999999999999999999", NULL, DECIMAL_LARGE},
	    {"", NULL, DECIMAL_NONE},
	    {".", NULL, DECIMAL_NONE},
	    {"-", NULL, DECIMAL_NONE},
	    {"33,4", NULL, DECIMAL_NONE},
	    {"1'000", NULL, DECIMAL_NONE},
	    {"1.2.3", NULL, DECIMAL_NONE},
	    {"1e", NULL, DECIMAL_NONE},
	    {"1e+", NULL, DECIMAL_NONE},
	    {"0x10", NULL, DECIMAL_NONE},
	    {"nan", NULL, DECIMAL_NONE},
	    {"-inf", NULL, DECIMAL_NONE},
	    {" 1", NULL, DECIMAL_NONE},
	    {"1 ms", NULL, DECIMAL_NONE},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		decimal v = 0;

		CHECK_EQ(decimal_parse(cases[i].text, strlen(cases[i].text), &v), cases[i].read);
		if (cases[i].want)
			CHECK_STR(text_of(v), cases[i].want);
	}
}

/* The fewest digits that strtod takes for the same number, by trying. */
static int digits_of(double d)
{
	char text[64];

	for (int n = 1; n < 17; n++) {
		snprintf(text, sizeof text, "%.*g", n, d);
		if (strtod(text, NULL) == d)
			return n;
	}
	return 17;
}

static int digits_in(const char *text)
{
	int n = 0;

	text += *text == '-';
	text += *text == '0';
	text += *text == '.';
	for (text += strspn(text, "0"); *text; text++)
		n += *text != '.';
	return n;
}

/* A double has at most 18 decimals of its 17 digits where it is 0.1 or more: then all is exact. */
TEST(a_double_becomes_its_shortest_decimal)
{
	for (int i = 0; i < 200000; i++) {
		double d = (double)(random_u64() >> 11) / 0x1p53;
		int places = (int)(random_u64() % 8), bits = (int)(random_u64() % 40);
		decimal v;
		const char *s;

		d = i % 2 ? round(d * pow(10, places)) / pow(10, (int)(random_u64() % 7))
			  : d * (double)(UINT64_C(1) << bits);
		d = i % 3 ? d : -d;
		if (fabs(d) < 0.1)
			continue;
		CHECK(decimal_from_double(d, &v));
		s = text_of(v);
		if (strtod(s, NULL) != d ||
		    (strchr(s, '.') && fabs(d) >= 1 && digits_in(s) > digits_of(d))) {
			CHECK_STR(s, "the shortest of it");
			printf("%.17g\n", d);
			return;
		}
		CHECK(decimal_to_double(v) == d);
	}
}

TEST(doubles_that_people_write_and_the_ends)
{
	static const char *const texts[] = {"33.4",
					    "0.1",
					    "95.262",
					    "-0.25",
					    "16.666666666666668",
					    "1e-07",
					    "0.30000000000000004",
					    "4611686018427387904",
					    "0.05",
					    "0.001"};
	decimal v;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		CHECK(decimal_from_double(strtod(texts[i], NULL), &v));
		CHECK(strtod(text_of(v), NULL) == strtod(texts[i], NULL));
		if (!strchr(texts[i], 'e'))
			CHECK_STR(text_of(v), texts[i]);
	}
	CHECK(decimal_from_double(-0x1p63, &v));
	CHECK_STR(text_of(v), "-9223372036854775808");
	CHECK(decimal_from_double(5e-324, &v) && !v);
	CHECK(!decimal_from_double(0x1p63, &v));
	CHECK(!decimal_from_double(NAN, &v));
	CHECK(!decimal_from_double(-INFINITY, &v));
}

TEST(an_event_holds_the_reading)
{
	struct event whole = {.kind = EV_COUNTER}, ev;
	decimal v;

	reading_set(&whole, decimal_of(-7));
	CHECK_EQ(whole.has, EV_HAS_VALUE); /* as ever */
	for (int i = 0; i < 100000; i++) {
		ev = (struct event){.kind = EV_COUNTER};
		v = decimal_join((int64_t)random_u64(), random_u64() % DECIMAL_UNIT);
		if (i % 2)
			v = decimal_round(v, (unsigned)(random_u64() % 4));
		if (v > decimal_of(INT64_MAX))
			continue;
		reading_set(&ev, v);
		CHECK(reading_of(&ev) == v);
	}
	ev = (struct event){.kind = EV_COUNTER};
	reading_set(&ev, decimal_join(33, DECIMAL_UNIT / 10 * 4));
	CHECK_EQ(ev.value, 33);
	CHECK_EQ(ev.target, 4);
	ev.target =
	    UINT64_MAX; /* of a file: decimals behind the 18th are finer than what is kept */
	CHECK(decimal_whole(reading_of(&ev)) == 33);
}

/* By long division in the comment's numbers: 100 / 3, 200 / 3, (2^63 - 1) twice, and so on. */
TEST(a_mean_is_exact_or_has_15_digits)
{
	static const struct {
		const char *a, *b, *c, *want;
	} cases[] = {
	    {"33.4", "22.2", "11", "22.2"},
	    {"100", "0", "0", "33.3333333333333"},
	    {"200", "0", "0", "66.6666666666667"},
	    {"-200", "0", "0", "-66.6666666666667"},
	    {"0.01", "0", "0", "0.00333333333333333"},
	    {"9223372036854775807", "9223372036854775807", "9223372036854775807",
	     "9223372036854775807"},
	    {"-9223372036854775808", "-9223372036854775808", "-9223372036854775808",
	     "-9223372036854775808"},
	    {"9223372036854775807", "-9223372036854775808", "1", "0"},
	    {"-0.4", "-0.4", "-0.4", "-0.4"},
	    {"1000000", "0", "0", "333333.333333333"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *of[] = {cases[i].a, cases[i].b, cases[i].c};
		struct decimal_sum s = {0};

		for (size_t k = 0; k < 3; k++) {
			decimal v = 0;

			decimal_parse(of[k], strlen(of[k]), &v);
			decimal_sum_add(&s, v);
		}
		CHECK_STR(text_of(decimal_mean(&s, 3)), cases[i].want);
	}
}

TEST_MAIN()
