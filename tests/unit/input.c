/* SPDX-License-Identifier: MIT */
#include "tests/unit/input.h"

#include "lib/base/mem.h"
#include "lib/input/lz4.h"
#include "tests/unit/packed.h"

#include <errno.h>
#include <lz4.h>
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
	CHECK_STR(e.msg, "cannot read: Is a directory");
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

/* Standard input that is a file of which somebody has read a part. */
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

TEST(lz4_blocks)
{
	uint8_t text[1000], packed[2000], out[1000];
	int n;

	memset(text, 'x', sizeof text);
	n = LZ4_compress_default((char *)text, (char *)packed, sizeof text, sizeof packed);
	CHECK(n > 0);
	CHECK(lz4_block(packed, (size_t)n, out, sizeof out));
	CHECK_MEM(out, sizeof out, text, sizeof text);
	CHECK(!lz4_block(packed, (size_t)n, out, sizeof out - 1));
	CHECK(!lz4_block(packed, (size_t)n - 1, out, sizeof out));
	CHECK(!lz4_block(packed, 0, out, sizeof out));
}

TEST_MAIN()
