/* SPDX-License-Identifier: MIT
 *
 * Inputs (lib/input/input.h): packed or not, in pieces, from pipes, cut; and marked text
 * (text_mark.h).
 */
#include "tests/unit/input.h"

#include "lib/base/mem.h"
#include "lib/input/text_mark.h"
#include "tests/unit/packed.h"

#include <errno.h>
#include <iconv.h>
#include <sys/stat.h>

/* n bytes that compress, but not to nothing. */
static void fill_text(struct buf *b, size_t n)
{
	uint32_t x = 1;

	while (b->len < n) {
		x = x * 1664525u + 1013904223u;
		buf_addf(b, "{\"f\":%u,\"d\":[]}\n", x >> 12);
	}
	b->len = n;
}

/* out = in through one libarchive filter ("gzip"), as a raw stream. */
static bool compress(struct buf *out, const char *filter, const void *p, size_t n)
{
	return pack_by_filter(out, &(struct packing_kind){.filter = filter}, p, n);
}

/* Everything up to the end or the first failure. */
static void read_all(struct input *in, struct buf *out)
{
	while (!cursor_done(&in->cur)) {
		size_t n = cursor_window(&in->cur);

		buf_add(out, cursor_bytes(&in->cur, n, "rest"), n);
	}
}

static enum status read_path(const char *name, struct buf *out, struct err *e)
{
	struct input in;
	enum status st = input_open(&in, name, e);

	out->len = 0;
	*e = (struct err)ERR_INIT;
	if (st == ST_OK) {
		read_all(&in, out);
		st = in.cur.failed ? e->code : ST_OK;
	}
	input_close(&in);
	return st;
}

static void check_reads(const struct buf *file, const struct buf *want)
{
	struct err e = ERR_INIT;
	struct buf got = BUF_INIT;

	write_file(file->data, file->len);
	CHECK_EQ(read_path(path, &got, &e), ST_OK);
	CHECK(got.len == want->len && (!got.len || !memcmp(got.data, want->data, got.len)));
	buf_release(&got);
}

TEST(plain_sizes)
{
	static const size_t sizes[] = {0, 1, 5, 6, 65535, 65536, 524287, 524288, 524289, 3000000};
	struct buf text = BUF_INIT;

	fill_text(&text, 3000000);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		text.len = sizes[i];
		check_reads(&text, &text);
	}
	buf_release(&text);
}

static const char *const filters[] = {"gzip", "zstd", "xz", "bzip2", "lz4"};
enum { FILTERS = sizeof filters / sizeof *filters };

TEST(compressed)
{
	struct buf text = BUF_INIT;

	fill_text(&text, 1500000);
	for (size_t i = 0; i < FILTERS; i++) {
		struct buf once = BUF_INIT, twice = BUF_INIT;

		CHECK(compress(&once, filters[i], text.data, text.len));
		CHECK(once.len < text.len);
		check_reads(&once, &text);
		CHECK(compress(&twice, filters[(i + 1) % FILTERS], once.data, once.len));
		check_reads(&twice, &text);
		buf_release(&once);
		buf_release(&twice);
	}
	buf_release(&text);
}

TEST(empty_compressed)
{
	struct buf none = BUF_INIT, file = BUF_INIT;

	CHECK(compress(&file, "gzip", "", 0));
	CHECK(file.len > 0);
	check_reads(&file, &none);
	buf_release(&file);
}

TEST(too_many_layers)
{
	struct buf b[6] = {BUF_INIT};
	struct err e = ERR_INIT;
	struct buf got = BUF_INIT;

	fill_text(&b[0], 1000);
	for (int i = 0; i < 5; i++)
		CHECK(compress(&b[i + 1], "gzip", b[i].data, b[i].len));
	check_reads(&b[4], &b[0]);
	write_file(b[5].data, b[5].len);
	CHECK_EQ(read_path(path, &got, &e), ST_LIMIT);
	for (int i = 0; i < 6; i++)
		buf_release(&b[i]);
	buf_release(&got);
}

TEST(concatenated)
{
	struct buf text = BUF_INIT, file = BUF_INIT, want = BUF_INIT;

	fill_text(&text, 200000);
	for (size_t i = 0; i < FILTERS; i++) {
		file.len = want.len = 0;
		for (int k = 0; k < 3; k++) {
			CHECK(compress(&file, filters[i], text.data, text.len));
			buf_add(&want, text.data, text.len);
		}
		check_reads(&file, &want);
	}
	buf_release(&text);
	buf_release(&file);
	buf_release(&want);
}

TEST(truncated)
{
	struct buf text = BUF_INIT, got = BUF_INIT;

	fill_text(&text, 1500000);
	for (size_t i = 0; i < FILTERS; i++) {
		struct buf file = BUF_INIT;
		struct err e = ERR_INIT;

		CHECK(compress(&file, filters[i], text.data, text.len));
		write_file(file.data, file.len / 2);
		CHECK_EQ(read_path(path, &got, &e), ST_BAD);
		CHECK_EQ(e.offset, got.len);
		CHECK(got.len < text.len);
		CHECK(!got.len || !memcmp(got.data, text.data, got.len));
		CHECK(!strchr(e.msg, '\n'));
		if (!strcmp(filters[i], "gzip"))
			CHECK(got.len > text.len / 2 - 200000);
		buf_release(&file);
	}
	buf_release(&text);
	buf_release(&got);
}

TEST(trailing_garbage)
{
	struct buf text = BUF_INIT, got = BUF_INIT;

	fill_text(&text, 300000);
	for (size_t i = 0; i < FILTERS; i++) {
		struct buf file = BUF_INIT;
		struct err e = ERR_INIT;

		CHECK(compress(&file, filters[i], text.data, text.len));
		buf_adds(&file, "what is this doing here, at the end of a compressed file?");
		write_file(file.data, file.len);
		CHECK_EQ(read_path(path, &got, &e), ST_BAD);
		CHECK_EQ(e.offset, got.len);
		CHECK(!got.len || !memcmp(got.data, text.data, got.len));
		buf_release(&file);
	}
	buf_release(&text);
	buf_release(&got);
}

TEST(frames_to_be_skipped)
{
	struct buf file = BUF_INIT, got = BUF_INIT, none = BUF_INIT;
	struct err e = ERR_INIT;

	pack_skippable(&file);
	check_reads(&file, &none);
	for (size_t n = 9; n < file.len; n += 100) { /* cut within the second */
		write_file(file.data, n);
		CHECK_EQ(read_path(path, &got, &e), ST_BAD);
		CHECK_EQ(got.len, 0);
	}
	buf_adds(&file, "neither a frame nor empty");
	write_file(file.data, file.len);
	CHECK_EQ(read_path(path, &got, &e), ST_BAD);
	CHECK_EQ(got.len, 0);
	buf_release(&file);
	buf_release(&got);
}

TEST(looks_like_gzip_only)
{
	struct buf file = BUF_INIT;

	buf_add(&file, "\x1f\x8b not gzip at all", 18);
	check_reads(&file, &file);
	file.len = 2;
	check_reads(&file, &file);
	buf_release(&file);
}

TEST(system_errors)
{
	struct buf got = BUF_INIT;
	struct err e = ERR_INIT;
	struct input in;

	CHECK_EQ(input_open(&in, "/nonexistent/file", &e), ST_SYS);
	CHECK_STR(e.msg, "cannot open: No such file or directory");
	input_close(&in);
	CHECK_EQ(input_open(&in, "/", &e), ST_SYS);
	CHECK_STR(e.msg, "is a directory (of directories, only uftrace's data is read; for all "
			 "captures of a run: tm-session, tm-view)");
	input_close(&in);
	if (geteuid()) {
		write_file("x", 1);
		chmod(path, 0);
		CHECK_EQ(input_open(&in, path, &e), ST_SYS);
		CHECK(strstr(e.msg, "Permission denied"));
		input_close(&in);
		chmod(path, 0600);
	}
	/* a file that opens and cannot be read */
	if (!access("/proc/self/mem", R_OK))
		CHECK_EQ(read_path("/proc/self/mem", &got, &e), ST_SYS);
	in = (struct input){0};
	input_close(&in);
	buf_release(&got);
}

TEST(head_does_not_move)
{
	struct buf text = BUF_INIT, file = BUF_INIT;
	struct err e = ERR_INIT;
	const uint8_t *p;
	struct input in;
	size_t n;

	fill_text(&text, 200000);
	CHECK(compress(&file, "zstd", text.data, text.len));
	write_file(file.data, file.len);
	CHECK_EQ(input_open(&in, path, &e), ST_OK);
	CHECK_EQ(in.size, file.len);
	CHECK_EQ(input_head(&in, &p, &n), ST_OK);
	CHECK_EQ(n, INPUT_HEAD);
	CHECK(!memcmp(p, text.data, n));
	CHECK_EQ(cursor_offset(&in.cur), 0);
	cursor_skip(&in.cur, 150000, "skip");
	p = cursor_bytes(&in.cur, 7, "seven");
	CHECK(p && !memcmp(p, text.data + 150000, 7));
	CHECK_EQ(cursor_offset(&in.cur), 150007);
	cursor_skip(&in.cur, 49993, "rest");
	CHECK(cursor_done(&in.cur));
	CHECK_EQ(input_consumed(&in), file.len);
	input_close(&in);

	/* the head of a cut file is what could be decompressed */
	write_file(file.data, file.len - 100);
	CHECK_EQ(input_open(&in, path, &e), ST_OK);
	CHECK_EQ(input_head(&in, &p, &n), ST_OK);
	CHECK(n > 0);
	input_close(&in);
	buf_release(&text);
	buf_release(&file);
}

/* Contiguous pieces larger than the window. */
TEST(large_pieces)
{
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	const uint8_t *p;
	struct input in;

	fill_text(&text, 5000000);
	write_file(text.data, text.len);
	CHECK_EQ(input_open(&in, path, &e), ST_OK);
	cursor_skip(&in.cur, 3, "skip");
	p = cursor_bytes(&in.cur, 4000000, "piece");
	CHECK(p && !memcmp(p, text.data + 3, 4000000));
	CHECK(!cursor_bytes(&in.cur, 200000000, "more"));
	CHECK_EQ(e.code, ST_BAD);
	CHECK_EQ(e.offset, 4000003);
	input_close(&in);
	buf_release(&text);
}

/* Another input over the file of a kept one: the same bytes, and the same end. */
static void check_handed_on(struct input *in, const struct buf *want, enum status end)
{
	struct buf got = BUF_INIT;
	struct err e = ERR_INIT;
	const char *ends = "";
	struct input again;
	int fd = input_file(in, &ends);

	CHECK(fd >= 0);
	CHECK_EQ(ends != NULL, end != ST_OK);
	CHECK_EQ(input_from(&again, fd, "again", ends, &e), ST_OK);
	CHECK_EQ(input_keep(&again), ST_OK);
	for (int pass = 0; pass < 2; pass++) {
		e = (struct err)ERR_INIT;
		got.len = 0;
		read_all(&again, &got);
		CHECK(got.len == want->len && (!got.len || !memcmp(got.data, want->data, got.len)));
		CHECK_EQ(e.code, end);
		if (ends) {
			CHECK_STR(e.msg, ends);
			CHECK_EQ(e.offset, got.len);
		}
		CHECK_EQ(input_rewind(&again), ST_OK);
	}
	input_close(&again);
	buf_release(&got);
}

static void check_kept(const struct buf *file, const struct buf *want, enum status end)
{
	struct buf got = BUF_INIT;
	struct err e = ERR_INIT;
	const uint8_t *head;
	struct input in;
	int saved;
	size_t n;
	pid_t pid = pipe_to_stdin(file, &saved);

	CHECK_EQ(input_open(&in, "-", &e), ST_OK);
	CHECK_STR(in.name, "<stdin>");
	CHECK_EQ(input_head(&in, &head, &n), ST_OK);
	CHECK_EQ(input_keep(&in), ST_OK);
	for (int pass = 0; pass < 2; pass++) {
		e = (struct err)ERR_INIT;
		got.len = 0;
		read_all(&in, &got);
		CHECK(got.len <= want->len && (!got.len || !memcmp(got.data, want->data, got.len)));
		CHECK_EQ(e.code, end);
		if (end == ST_OK)
			CHECK_EQ(got.len, want->len);
		else
			CHECK_EQ(e.offset, got.len);
		CHECK_EQ(input_rewind(&in), ST_OK);
	}
	check_handed_on(&in, &got, end);
	input_close(&in);
	restore_stdin(pid, saved);
	buf_release(&got);
}

TEST(pipe_is_kept)
{
	struct buf text = BUF_INIT, file = BUF_INIT, none = BUF_INIT;

	fill_text(&text, 1200000);
	check_kept(&text, &text, ST_OK);
	CHECK(compress(&file, "gzip", text.data, text.len));
	check_kept(&file, &text, ST_OK);
	file.len -= 20;
	check_kept(&file, &text, ST_BAD);
	check_kept(&none, &none, ST_OK);
	buf_release(&text);
	buf_release(&file);
}

TEST(no_room_to_keep)
{
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	struct input in;
	int saved;
	pid_t pid;

	fill_text(&text, 1000);
	pid = pipe_to_stdin(&text, &saved);
	setenv("TMPDIR", "/nonexistent", 1);
	CHECK_EQ(input_open(&in, "-", &e), ST_OK);
	CHECK_EQ(input_keep(&in), ST_SYS);
	CHECK(strstr(e.msg, "/nonexistent"));
	unsetenv("TMPDIR");
	input_close(&in);
	restore_stdin(pid, saved);
	buf_release(&text);
}

TEST(file_is_rewound)
{
	struct buf text = BUF_INIT, file = BUF_INIT, got = BUF_INIT;
	struct err e = ERR_INIT;
	struct input in;

	fill_text(&text, 1200000);
	for (int packed = 0; packed < 2; packed++) {
		if (packed)
			CHECK(compress(&file, "xz", text.data, text.len));
		else
			buf_add(&file, text.data, text.len);
		write_file(file.data, file.len);
		file.len = 0;
		CHECK_EQ(input_open(&in, path, &e), ST_OK);
		CHECK_EQ(input_keep(&in), ST_OK);
		for (int pass = 0; pass < 3; pass++) {
			got.len = 0;
			read_all(&in, &got);
			CHECK(got.len == text.len && !memcmp(got.data, text.data, got.len));
			CHECK_EQ(input_rewind(&in), ST_OK);
			cursor_skip(&in.cur, 1000, "some");
			CHECK_EQ(input_rewind(&in), ST_OK);
		}
		input_close(&in);
	}
	buf_release(&text);
	buf_release(&file);
	buf_release(&got);
}

/* Standard input that is a file of which a part has been read. */
TEST(half_read_stdin)
{
	struct buf got = BUF_INIT;
	struct err e = ERR_INIT;
	int saved = dup(0);
	struct input in;

	write_file("0123456789", 10);
	CHECK(freopen(path, "r", stdin) != NULL);
	CHECK_EQ(lseek(0, 4, SEEK_SET), 4);
	CHECK_EQ(input_open(&in, "-", &e), ST_OK);
	CHECK_EQ(in.size, 6);
	CHECK_EQ(input_keep(&in), ST_OK);
	read_all(&in, &got);
	CHECK_EQ(input_rewind(&in), ST_OK);
	read_all(&in, &got);
	CHECK_MEM(got.data, got.len, "456789456789", 12);
	input_close(&in);
	dup2(saved, 0);
	close(saved);
	buf_release(&got);
}

/* A file that shrinks while it is read ends early: no signal. */
TEST(shrinking_file)
{
	struct buf text = BUF_INIT, got = BUF_INIT;
	struct err e = ERR_INIT;
	struct input in;

	fill_text(&text, 3000000);
	write_file(text.data, text.len);
	CHECK_EQ(input_open(&in, path, &e), ST_OK);
	cursor_skip(&in.cur, 100, "some");
	CHECK(!truncate(path, 0));
	read_all(&in, &got);
	CHECK(got.len < text.len);
	input_close(&in);
	buf_release(&text);
	buf_release(&got);
}

TEST(memory)
{
	struct err e = ERR_INIT;
	const uint8_t *p;
	struct input in;
	size_t n;

	input_memory(&in, "mem", "abc", 3, &e);
	CHECK_EQ(input_head(&in, &p, &n), ST_OK);
	CHECK_MEM(p, n, "abc", 3);
	CHECK_EQ(input_keep(&in), ST_OK);
	cursor_u16(&in.cur);
	CHECK_EQ(input_consumed(&in), 2);
	CHECK_EQ(input_rewind(&in), ST_OK);
	CHECK_EQ(cursor_u8(&in.cur), 'a');
	input_close(&in);
	input_memory(&in, "nothing", NULL, 0, &e);
	CHECK_EQ(input_head(&in, &p, &n), ST_OK);
	CHECK_EQ(n, 0);
	input_close(&in);
}

static const char *const forms[] = {"UTF-8", "UTF-16LE", "UTF-16BE"};
static const char *const marks[] = {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"};
enum { FORMS = 3 };

/* file = text with a mark, as the C library writes it. */
static void marked(struct buf *file, int form, const struct buf *text)
{
	iconv_t cd = iconv_open(forms[form], "UTF-8");
	char *in = text->data, *out;
	size_t left = text->len, room = 2 * text->len + 4;

	file->len = 0;
	buf_adds(file, marks[form]);
	out = buf_reserve(file, room);
	CHECK(cd != (iconv_t)-1);
	CHECK(iconv(cd, &in, &left, &out, &room) == 0 && !left);
	file->len = (size_t)(out - file->data);
	iconv_close(cd);
}

/* Characters of one to four bytes of UTF-8, so of two and four of UTF-16: A, e acute, the euro
 * sign, a smiling face. */
#define CHARACTERS "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"

static void fill_characters(struct buf *b, size_t n)
{
	while (b->len < n)
		buf_adds(b, CHARACTERS "\n");
}

/* What a text is taken for that comes in pieces: of `first` bytes, and then of `others`. */
static void take_pieces(struct text_mark *m, const struct buf *file, size_t first, size_t others,
			struct buf *got)
{
	size_t cap = 8, n = 0, at = 0, k = first;
	uint8_t *window = mem_alloc(cap);

	while (at < file->len) {
		size_t before = n;

		k = k < file->len - at ? k : file->len - at;
		if (cap - n < k) {
			cap = n + k;
			window = mem_realloc(window, cap, 1);
		}
		memcpy(window + n, file->data + at, k);
		n += k;
		at += k;
		text_mark_decode(m, &window, &cap, before, &n, TEXT_MORE);
		k = others;
	}
	text_mark_decode(m, &window, &cap, n, &n, TEXT_END);
	got->len = 0;
	buf_add(got, window, n);
	free(window);
}

TEST(marked_text_in_pieces)
{
	struct buf text = BUF_INIT, file = BUF_INIT, got = BUF_INIT;

	buf_adds(&text, "{" CHARACTERS CHARACTERS "\r\n" CHARACTERS "}");
	for (int form = 0; form < FORMS; form++) {
		marked(&file, form, &text);
		for (size_t first = 1; first <= file.len; first++) {
			for (size_t others = 1; others <= file.len; others++) {
				struct text_mark m = {0};

				take_pieces(&m, &file, first, others, &got);
				CHECK_MEM(got.data, got.len, text.data, text.len);
				CHECK_EQ(text_mark_broken(&m), 0);
				text_mark_release(&m);
			}
		}
	}
	buf_release(&text);
	buf_release(&file);
	buf_release(&got);
}

/* Each is in little-endian order; the other has the bytes of each two swapped. */
TEST(broken_utf16)
{
	static const struct {
		const char *file;
		size_t n;
		const char *text;
		uint64_t broken;
	} cases[] = {
	    /* a half at the end */
	    {"\xff\xfe"
	     "a\0b\0c",
	     7, "ab", 1},
	    /* the first of a pair, before a letter and at the end */
	    {"\xff\xfe"
	     "a\0\x3d\xd8"
	     "b\0",
	     8,
	     "a\xef\xbf\xbd"
	     "b",
	     1},
	    {"\xff\xfe"
	     "a\0b\0\x3d\xd8",
	     8, "ab\xef\xbf\xbd", 1},
	    {"\xff\xfe"
	     "a\0b\0\x3d\xd8\0",
	     9, "ab\xef\xbf\xbd", 2},
	    /* the second without the first; two firsts, of which one has its second */
	    {"\xff\xfe"
	     "a\0\0\xde"
	     "b\0",
	     8,
	     "a\xef\xbf\xbd"
	     "b",
	     1},
	    {"\xff\xfe"
	     "a\0\x3d\xd8\x3d\xd8\0\xde",
	     10, "a\xef\xbf\xbd\xf0\x9f\x98\x80", 1},
	};
	struct buf file = BUF_INIT, got = BUF_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (int big = 0; big < 2; big++) {
			file.len = 0;
			buf_add(&file, cases[i].file, cases[i].n);
			for (size_t k = 0; big && k + 1 < file.len; k += 2) {
				char c = file.data[k];

				file.data[k] = file.data[k + 1];
				file.data[k + 1] = c;
			}
			for (size_t others = 1; others <= file.len; others++) {
				struct text_mark m = {0};

				take_pieces(&m, &file, others, others, &got);
				CHECK_MEM(got.data, got.len, cases[i].text, strlen(cases[i].text));
				CHECK_EQ(text_mark_broken(&m), cases[i].broken);
				text_mark_restart(&m, false); /* is read again, and counts once */
				take_pieces(&m, &file, others, 1, &got);
				CHECK_EQ(text_mark_broken(&m), cases[i].broken);
				text_mark_release(&m);
			}
		}
	}
	buf_release(&file);
	buf_release(&got);
}

TEST(only_a_mark)
{
	struct buf none = BUF_INIT, file = BUF_INIT;

	for (int form = 0; form < FORMS; form++) {
		marked(&file, form, &none);
		check_reads(&file, &none);
	}
	buf_release(&file);
}

TEST(no_mark)
{
	static const struct {
		const char *s;
		size_t n;
	} files[] = {
	    {"\xff", 1},
	    {"\xef\xbb", 2},
	    {"\xef\xbb\xbe"
	     "a",
	     4},
	    {"\xef\xbb\xbf\0a", 5},     /* a number of four bytes */
	    {"\xff\xfe\0\0a\0\0\0", 8}, /* UTF-32 */
	    {"\0\0\xfe\xff\0\0\0a", 8}, /* the same */
	    {"\xff\xfe"
	     "a\0\1\0\0\0",
	     8},                        /* numbers of four bytes */
	    {"\xfe\xff\0a\0\0\0\1", 8}, /* the same */
	    {"\xff\xfe\1\0"
	     "a\0b\0",
	     8},                                     /* a control */
	    {"\xff\xfe\xff\xff\xff\xff\xff\xff", 8}, /* -257 */
	    {"a\0b\0c\0d\0", 8},
	};
	struct buf file = BUF_INIT;

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		file.len = 0;
		buf_add(&file, files[i].s, files[i].n);
		check_reads(&file, &file);
	}
	buf_release(&file);
}

/* From files and pipes, packed or not, twice, in windows whose ends cut characters anywhere. */
TEST(marked_text)
{
	struct buf text = BUF_INIT, file = BUF_INIT, packed = BUF_INIT;

	for (int form = 0; form < FORMS; form++) {
		for (size_t shift = 0; shift < 4; shift++) {
			text.len = 0;
			buf_add(&text, "xxxx", shift);
			fill_characters(&text, 1200000);
			marked(&file, form, &text);
			check_reads(&file, &text);
			if (shift % 2)
				continue;
			check_kept(&file, &text, ST_OK);
			packed.len = 0;
			CHECK(compress(&packed, shift ? "gzip" : "zstd", file.data, file.len));
			check_reads(&packed, &text);
			check_kept(&packed, &text, ST_OK);
		}
		packed.len = 0;
		CHECK(compress(&packed, "gzip", file.data, file.len));
		packed.len -= 20;
		check_kept(&packed, &text, ST_BAD);
	}
	buf_release(&text);
	buf_release(&file);
	buf_release(&packed);
}

TEST(marked_text_in_any_order)
{
	struct buf text = BUF_INIT, file = BUF_INIT;
	struct err e = ERR_INIT;
	struct input in;
	char piece[12];

	fill_characters(&text, 1200000);
	for (int form = 0; form < FORMS; form++) {
		marked(&file, form, &text);
		write_file(file.data, file.len);
		CHECK_EQ(input_open(&in, path, &e), ST_OK);
		for (int pass = 0; pass < 2; pass++) {
			const uint8_t *p = cursor_bytes(&in.cur, 1100000, "most");

			CHECK(p && !memcmp(p, text.data, 1100000));
			cursor_skip(&in.cur, text.len - 1100000, "rest");
			CHECK(cursor_done(&in.cur));
			CHECK_EQ(input_consumed(&in), file.len);
			CHECK_EQ(input_rewind(&in), ST_OK);
		}
		CHECK_EQ(input_random(&in, &e), ST_OK);
		CHECK_EQ(in.size, text.len);
		for (size_t at = 0; at + sizeof piece <= text.len; at += 99991) {
			CHECK_EQ(input_at(&in, at, piece, sizeof piece, "piece", &e), ST_OK);
			CHECK_MEM(piece, sizeof piece, text.data + at, sizeof piece);
		}
		CHECK_EQ(input_broken(&in), 0);
		input_close(&in);
	}
	buf_release(&text);
	buf_release(&file);
}

TEST_MAIN()
