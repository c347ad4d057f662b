/* SPDX-License-Identifier: MIT
 *
 * Small helpers of lib/base, against what they are defined to be.
 */
#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/clock.h"
#include "lib/base/id_text.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/base/utf.h"
#include "tests/unit/test.h"

TEST(bisect_finds_the_first_that_is_not_before)
{
	/* 3 3 5 9: none is below 3; two are at most 3; below 6 are 3, 3 and 5; all are below 10. In
	 * [1, 3), which is 3 5, one is below 5; an empty range ends where it begins. */
	const uint32_t v[] = {3, 3, 5, 9};
	size_t n = 4;
	uint32_t few = 4;

	CHECK_EQ(BISECT(i, 0, n, v[i] < 3), 0);
	CHECK_EQ(BISECT(i, 0, n, v[i] <= 3), 2);
	CHECK_EQ(BISECT(i, 0, n, v[i] < 6), 3);
	CHECK_EQ(BISECT(i, 0, n, v[i] < 10), 4);
	CHECK_EQ(BISECT(i, 1, n - 1, v[i] < 5), 2);
	CHECK_EQ(BISECT(i, n, n, v[i] < 10), 4);
	CHECK_EQ(BISECT(i, 0, few, v[i] <= 5), 3);
	CHECK_EQ(sizeof(BISECT(i, 0, few, v[i] <= 5)), sizeof few);
	/* Each border of 1,000 there can be; the middle of two large numbers does not wrap. */
	for (size_t border = 0; border <= 1000; border++)
		CHECK_EQ(BISECT(i, 0, (size_t)1000, i < border), border);
	CHECK_EQ(BISECT(i, UINT32_MAX - 9, UINT32_MAX, i < UINT32_MAX - 3), UINT32_MAX - 3);
}

TEST(captured_paths_may_be_of_windows)
{
	static const struct {
		const char *path, *base, *name;
	} t[] = {{"C:\\g\\big.exe", "big.exe", "big.exe"},
		 {"C:\\g/x\\big.exe", "big.exe", "big.exe"},
		 {"C:\\g\\x/big.exe", "big.exe", "big.exe"},
		 {"\\\\host\\g\\big.exe", "big.exe", "big.exe"},
		 {"D:/Games/x\\big.exe", "big.exe", "big.exe"},
		 {"D:/Games\\big.pdb", "big.pdb", "big.pdb"},
		 {"/C:\\g\\big.pdb", "big.pdb", "big.pdb"},
		 {"/C:/g\\big.exe", "big.exe", "big.exe"},
		 {"file:///C:\\g\\big.exe", "big.exe", "big.exe"},
		 {"..\\bin\\big.dll", "big.dll", "big.dll"},
		 {"\\Device\\HarddiskVolume3\\a.dll", "a.dll", "a.dll"},
		 {"C:\\g\\", "", "C:\\g\\"},
		 {"/lib/odd\\name.so", "odd\\name.so", "odd\\name.so"},
		 {"odd\\name.so", "odd\\name.so", "odd\\name.so"},
		 {"C:", "C:", "C:"},
		 {"", "", ""}};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		CHECK_STR(path_base_captured(t[i].path), t[i].base);
		CHECK_STR(path_name(t[i].path), t[i].name);
	}
}

/* The spelling of symbol servers, of the GUID and the time stamp of Microsoft's documents of SymStore. */
TEST(ids_of_windows_are_read_as_they_are_spelled)
{
	static const struct {
		bool windows;
		const char *text, *bytes; /* as hexadecimal digits; "": no id */
	} t[] = {
	    {true, "6D46F0FD3779C9E54C4C44205044422E1", "fdf0466d7937e5c94c4c44205044422e01000000"},
	    {true, "6d46f0fd3779c9e54c4c44205044422e1a2",
	     "fdf0466d7937e5c94c4c44205044422ea2010000"},
	    {true, "6D46F0FD3779C9E54C4C44205044422E", "fdf0466d7937e5c94c4c44205044422e"},
	    {true, "fdf0466d7937e5c94c4c44205044422e01000000",
	     "fdf0466d7937e5c94c4c44205044422e01000000"},
	    {true, "6B0DC7757000", "6b0dc77500007000"},
	    {true, "6B0DC77500007000", "6b0dc77500007000"},
	    {true, "6D46F0FD3779C9E54C4C44205044422Ex", ""},
	    {true, "6B0DC77x7000", ""},
	    {false, "6B0DC7757000", "6b0dc7757000"},
	    {false, "6D46F0FD3779C9E54C4C44205044422E", "6d46f0fd3779c9e54c4c44205044422e"},
	    {false, "6B0DC", ""},
	    {false, "", ""}};
	uint8_t bytes[20];

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct buf b = BUF_INIT;
		size_t n =
		    id_text_read(t[i].windows, t[i].text, strlen(t[i].text), bytes, sizeof bytes);

		id_text_add(&b, false, bytes, n);
		CHECK_STR(buf_str(&b), t[i].bytes);
		buf_release(&b);
	}
	CHECK_EQ(id_text_read(true, t[0].text, strlen(t[0].text), bytes, 19), 0);
}

TEST(path_base_is_behind_the_last_slash)
{
	static const struct {
		const char *path, *base, *name; /* name: the path where the base is empty */
	} t[] = {{"/usr/lib/libm.so", "libm.so", "libm.so"},
		 {"libm.so", "libm.so", "libm.so"},
		 {"/libm.so", "libm.so", "libm.so"},
		 {"a/b/", "", "a/b/"},
		 {"/", "", "/"},
		 {"", "", ""}};
	size_t n = 4, none = 0;
	const char *base;

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		size_t left = strlen(t[i].path);

		CHECK_STR(path_base(t[i].path), t[i].base);
		CHECK_STR(path_name(t[i].path), t[i].name);
		CHECK_STR(path_base_n(t[i].path, &left), t[i].base);
		CHECK_EQ(left, strlen(t[i].base));
		left = strlen(t[i].path);
		CHECK_STR(path_name_n(t[i].path, &left), t[i].name);
		CHECK_EQ(left, strlen(t[i].name));
	}
	/* Of the first 4 bytes, "a/bc", 2 are behind the slash; the later slash is not theirs. */
	base = path_base_n("a/bcd/e", &n);
	CHECK(!strncmp(base, "bc", 2));
	CHECK_EQ(n, 2);
	CHECK(!path_base_n(NULL, &none));
	CHECK(!path_name_n(NULL, &none));
	CHECK_EQ(none, 0);
}

TEST(clocks_agree_and_do_not_go_back)
{
	int64_t ns = clock_ns(), process = clock_process_ns(), ms;
	double thread = clock_thread_seconds(), seconds;
	volatile unsigned work = 0;

	/* Read in this order, none is before the one above it; ms has cut off less than 1. */
	ms = clock_ms();
	seconds = clock_seconds();
	CHECK(ms >= ns / 1000000);
	CHECK(seconds >= (double)ms / 1e3);
	while (clock_thread_seconds() < thread + 0.002)
		work++;
	/* Two milliseconds of this thread are as many of all, and no fewer have passed. */
	CHECK(clock_process_ns() - process >= 1900000);
	CHECK(clock_ns() - ns >= 1900000);
	CHECK(clock_seconds() - seconds >= 0.0019);
}

TEST(bytes_are_numbers_in_either_order)
{
	/* At an odd address. Little-endian 01 02 is 0x01 + 0x02 * 256 = 0x201, and so on. */
	static const uint8_t p[] = {0, 0x01, 0x02, 0x03, 0x84, 0x05, 0x06, 0x07, 0x88};

	CHECK_EQ(le16(p + 1), 0x201);
	CHECK_EQ(le32(p + 1), 0x84030201);
	CHECK_EQ(le64(p + 1), 0x8807060584030201);
	CHECK_EQ(be32(p + 1), 0x01020384);
	CHECK_EQ(be64(p + 1), 0x0102038405060788);
	CHECK_EQ(bytes_number(p + 1, 0, true), 0);
	CHECK_EQ(bytes_number(p + 1, 3, false), 0x30201);
	CHECK_EQ(bytes_number(p + 1, 3, true), 0x10203);
	CHECK_EQ(bytes_number(p + 1, 8, false), le64(p + 1));
	CHECK_EQ(bytes_number(p + 1, 8, true), be64(p + 1));
}

TEST(texts_end_where_their_length_says)
{
	const char *s = "  \t a word\r ", *end = s + strlen(s);

	CHECK(text_is("abcd", 3, "abc"));
	CHECK(!text_is("abcd", 4, "abc"));
	CHECK(!text_is("ab", 2, "abc"));
	CHECK(text_is("", 0, ""));
	CHECK(text_begins("abcd", 4, "abc"));
	CHECK(text_begins("abc", 3, "abc"));
	CHECK(!text_begins("abcd", 2, "abc"));
	CHECK(text_begins("abc", 3, ""));
	CHECK(text_ends("abcd", 3, "bc"));
	CHECK(text_ends("abc", 3, "abc"));
	CHECK(!text_ends("abcd", 4, "bc"));
	CHECK(!text_ends("bc", 2, "abc"));
	CHECK(text_is_blank(' ') && text_is_blank('\t') && text_is_blank('\r'));
	CHECK(!text_is_blank('\n') && !text_is_blank('\0') && !text_is_blank('\v'));
	CHECK(text_is_space('\n') && text_is_space('\r') && !text_is_space('\0'));
	text_trim(&s, &end);
	CHECK(text_is(s, (size_t)(end - s), "a word"));
	s = end = " ";
	end++;
	text_trim(&s, &end);
	CHECK(s == end);
}

TEST(utf8_text_has_no_nul)
{
	struct buf b = BUF_INIT;

	/* NUL and 0xff are each one U+FFFD, which is ef bf bd; what is valid stays. */
	utf8_add_text(&b, "\0a\xff\xc3\xa9\0", 6);
	CHECK_STR(buf_str(&b), "\xef\xbf\xbd"
			       "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd");
	b.len = 0;
	utf8_add_text(&b, NULL, 0);
	CHECK_EQ(b.len, 0);
	buf_release(&b);
}

TEST_MAIN()
