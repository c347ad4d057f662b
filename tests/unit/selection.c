/* SPDX-License-Identifier: MIT
 *
 * Ranges and units as text.
 */
#include "lib/select/selection.h"

#include "lib/base/num.h"
#include "tests/unit/test.h"

#include <string.h>

static const char *time_text(const char *s)
{
	static char text[32];
	int64_t v;

	if (!num_time(s, strlen(s), &v))
		return "no";
	snprintf(text, sizeof text, "%lld", (long long)v);
	return text;
}

static const char *size_of_text(const char *s)
{
	static char text[32];
	uint64_t v;

	if (!num_size(s, strlen(s), &v))
		return "no";
	snprintf(text, sizeof text, "%llu", (unsigned long long)v);
	return text;
}

TEST(times)
{
	CHECK_STR(time_text("1ns"), "1");
	CHECK_STR(time_text("1.5us"), "1500");
	CHECK_STR(time_text("250ms"), "250000000");
	CHECK_STR(time_text("-1.000000001s"), "-1000000001");
	CHECK_STR(time_text("2min"), "120000000000");
	CHECK_STR(time_text("1h"), "3600000000000");
	CHECK_STR(time_text("0"), "0");
	CHECK_STR(time_text("0.0000000001s"), "0");
	CHECK_STR(time_text("1.99999999999999999999999999ns"), "1");
	CHECK_STR(time_text("5"), "no"); /* of what? */
	CHECK_STR(time_text(""), "no");
	CHECK_STR(time_text("s"), "no");
	CHECK_STR(time_text("1.s"), "no");
	CHECK_STR(time_text("1 s"), "no");
	CHECK_STR(time_text("1d"), "no");
	CHECK_STR(time_text("9223372036854775807ns"), "9223372036854775807");
	CHECK_STR(time_text("9223372036854775808ns"), "no");
	CHECK_STR(time_text("99999999999h"), "no");
}

TEST(sizes)
{
	CHECK_STR(size_of_text("4096"), "4096");
	CHECK_STR(size_of_text("4096B"), "4096");
	CHECK_STR(size_of_text("1k"), "1000");
	CHECK_STR(size_of_text("1kB"), "1000");
	CHECK_STR(size_of_text("64KiB"), "65536");
	CHECK_STR(size_of_text("64ki"), "65536");
	CHECK_STR(size_of_text("1.5M"), "1500000");
	CHECK_STR(size_of_text("1.5Mi"), "1572864");
	CHECK_STR(size_of_text("2G"), "2000000000");
	CHECK_STR(size_of_text("2GiB"), "2147483648");
	CHECK_STR(size_of_text("1TiB"), "1099511627776");
	CHECK_STR(size_of_text("1KiBB"), "no");
	CHECK_STR(size_of_text("-1"), "no");
	CHECK_STR(size_of_text("1x"), "no");
	CHECK_STR(size_of_text("16777216TiB"), "no");
}

static const char *range_text(enum status (*add)(struct tally_selection *, const char *,
						 struct err *),
			      const char *s)
{
	static char text[512];
	struct tally_selection sel;
	struct err e = ERR_INIT;

	selection_init(&sel);
	if (add(&sel, s, &e)) {
		CHECK(selection_all(&sel));
		snprintf(text, sizeof text, "%s", e.msg);
	} else {
		const struct selection_ranges *r = sel.frames.n  ? &sel.frames
						   : sel.times.n ? &sel.times
								 : &sel.sizes;

		CHECK(!selection_all(&sel));
		CHECK_EQ(r->end, r->items[0].hi);
		snprintf(text, sizeof text, "%lld %lld", (long long)r->items[0].lo,
			 (long long)r->items[0].hi);
	}
	selection_release(&sel);
	return text;
}

TEST(ranges)
{
	CHECK_STR(range_text(selection_frames, "10..20"), "10 20");
	CHECK_STR(range_text(selection_frames, "-20..-10"), "-20 -10");
	CHECK_STR(range_text(selection_frames, "7"), "7 7");
	CHECK_STR(range_text(selection_frames, "7.."), "7 9223372036854775807");
	CHECK_STR(range_text(selection_frames, "..7"), "-9223372036854775808 7");
	CHECK_STR(range_text(selection_frames, ".."), "'..': a range without ends");
	CHECK_STR(range_text(selection_frames, ""), "'' is not a frame number");
	CHECK_STR(range_text(selection_frames, "8..7"), "'8..7': the range ends before it begins");
	CHECK_STR(range_text(selection_frames, "1..x"), "'x' is not a frame number");
	CHECK_STR(range_text(selection_times, "1.5s..2s"), "1500000000 2000000000");
	CHECK_STR(range_text(selection_times, "0..1ms"), "0 1000000");
	CHECK_STR(range_text(selection_times, "1s"),
		  "'1s' is not a range of time (250ms, 1.5s): A..B, A.. or ..B");
	CHECK_STR(range_text(selection_times, "1..2"), "'1' is not a time (250ms, 1.5s)");
	CHECK_STR(range_text(selection_sizes, "1k..64KiB"), "1000 65536");
	CHECK_STR(range_text(selection_sizes, "4096"), "4096 4096");
	CHECK_STR(range_text(selection_sizes, "-1.."), "'-1' is not a size (4096, 64KiB, 1.5M)");
}

TEST(several_are_alternatives)
{
	struct tally_selection s;
	struct err e = ERR_INIT;

	selection_init(&s);
	CHECK(selection_in(&s.frames, 5));
	CHECK_EQ(s.frames.end, INT64_MAX);
	CHECK_EQ(selection_frames(&s, "10..20", &e), ST_OK);
	CHECK_EQ(selection_frames(&s, "3", &e), ST_OK);
	CHECK(selection_in(&s.frames, 3));
	CHECK(selection_in(&s.frames, 10));
	CHECK(selection_in(&s.frames, 20));
	CHECK(!selection_in(&s.frames, 5));
	CHECK(!selection_in(&s.frames, 21));
	CHECK_EQ(s.frames.end, 20);
	selection_release(&s);
}

TEST(threads)
{
	struct trace *t = trace_new();
	struct tally_selection s;
	struct err e = ERR_INIT;
	struct thread render = {.tid = 12, .name = trace_strz(t, "Render 12")};
	struct thread job = {.tid = 99, .name = trace_strz(t, "Job.Worker 12")};
	uint32_t a = trace_thread(t, &render), b = trace_thread(t, &job);

	selection_init(&s);
	CHECK(selection_has_thread(&s, t, 0));
	CHECK_EQ(selection_thread(&s, "12", 0, &e), ST_OK);
	CHECK(selection_has_thread(&s, t, a));
	CHECK(!selection_has_thread(&s, t, b));
	CHECK(!selection_has_thread(&s, t, 0));
	CHECK_EQ(selection_thread(&s, "^job", MATCH_CASELESS, &e), ST_OK);
	CHECK(selection_has_thread(&s, t, b));
	CHECK_EQ(selection_thread(&s, "(", 0, &e), ST_BAD);
	selection_release(&s);
	trace_free(t);
}

TEST_MAIN()
