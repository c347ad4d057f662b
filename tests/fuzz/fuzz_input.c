/* SPDX-License-Identifier: MIT
 *
 * The file side of lib/input: any bytes as a file or through a pipe, packed by one of the filters
 * (packed.h) up to twice, or as they are, which may be packed bytes. Read on by windows, they are
 * what was packed, or what the library makes of them at once. Read in any other way (tokens of
 * any size, lines, skips, from the beginning again, in any order) they are the same bytes; what is
 * damaged ends in an error however it is read. The digest is that of the file's own bytes. Text
 * behind a byte order mark is what a plain reading of text_mark.h's rules makes of all of it at
 * once.
 *
 * An input begins with how it is packed, how it is read, and two bytes for each of STEPS steps.
 */
#include "lib/base/utf.h"
#include "lib/input/input.h"
#include "tests/unit/packed.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 8, HEADER = 2 + 2 * STEPS, MOST = 4 << 20, LARGE = 600 << 10, PIPE = 1 << 20 };
enum how { BY_PIPE = 1, KEEP = 2, RANDOM = 4, DIGEST = 8, MANY = 0xf0 };

#define must(fact)                                                                         \
	do {                                                                               \
		if (!(fact)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #fact); \
			abort();                                                           \
		}                                                                          \
	} while (0)

/* The bytes of an input, and whether they end well. */
struct whole {
	struct buf bytes;
	bool damaged, more; /* more: there are others beyond MOST */
};

/* What is open behind a path. */
struct file {
	int fd;
	char path[32];
};

static struct file put(const struct buf *b, bool by_pipe)
{
	struct file f = {.fd = -1};
	int ends[2];

	if (by_pipe) {
		must(!pipe2(ends, O_CLOEXEC) && fcntl(ends[1], F_SETPIPE_SZ, PIPE) > 0);
		f.fd = ends[0];
	} else {
		ends[1] = f.fd = memfd_create("fuzz", MFD_CLOEXEC);
		must(f.fd >= 0);
	}
	must(!b->len || write(ends[1], b->data, b->len) == (ssize_t)b->len);
	if (by_pipe)
		close(ends[1]);
	snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
	return f;
}

/* At once, by the library alone. */
static void unpack(struct whole *w, const struct buf *packed)
{
	struct archive *a = archive_read_new();
	struct archive_entry *entry;
	const void *p;
	la_int64_t at;
	size_t n;
	int r;

	archive_read_support_filter_gzip(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_lz4(a);
	archive_read_support_format_raw(a);
	archive_read_support_format_empty(a);
	r = archive_read_open_memory(a, packed->data, packed->len);
	if (r == ARCHIVE_OK)
		r = archive_read_next_header(a, &entry);
	while ((r == ARCHIVE_OK || r == ARCHIVE_WARN) && w->bytes.len < MOST) {
		r = archive_read_data_block(a, &p, &n, &at);
		if (r == ARCHIVE_OK || r == ARCHIVE_WARN)
			buf_add(&w->bytes, p, n);
	}
	w->damaged = r != ARCHIVE_EOF && w->bytes.len < MOST;
	w->more = r != ARCHIVE_EOF && !w->damaged;
	archive_read_free(a);
}

static unsigned unit(const uint8_t *p, bool big_endian)
{
	return big_endian ? (unsigned)(p[0] << 8 | p[1]) : (unsigned)(p[1] << 8 | p[0]);
}

/* The first character is of ASCII, and what else is there of the first eight bytes is not 0. */
static bool begins_utf16(const uint8_t *p, size_t n, bool big_endian)
{
	unsigned first = n >= 4 ? unit(p + 2, big_endian) : ' ';

	return n >= 2 && unit(p, big_endian) == 0xfeff &&
	       ((first >= ' ' && first < 0x7f) || first == '\t' || first == '\n' ||
		first == '\r') &&
	       (n < 6 || unit(p + 4, big_endian)) && (n < 8 || unit(p + 6, big_endian));
}

/* As a reader sees these bytes; open: others would follow. */
static void make_text(struct buf *b, bool open)
{
	const uint8_t *p = (const uint8_t *)b->data;
	struct buf text = BUF_INIT;
	size_t n = b->len;

	if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3) && (n == 3 || p[3])) {
		buf_add(&text, p + 3, n - 3);
	} else if (begins_utf16(p, n, false) || begins_utf16(p, n, true)) {
		bool big_endian = begins_utf16(p, n, true);

		n -= n % 2;
		if (open && unit(p + n - 2, big_endian) >> 10 == 0xd800 >> 10)
			n -= 2;
		utf16_to_utf8(&text, p + 2, n - 2, big_endian);
	} else {
		return;
	}
	buf_reserve(&text, 1);
	buf_release(b);
	*b = text;
}

/* By windows. */
static void read_on(struct whole *w, const char *path)
{
	struct err e = ERR_INIT;
	struct input in;

	must(!input_open(&in, path, &e));
	while (w->bytes.len < MOST && !cursor_done(&in.cur)) {
		size_t n = cursor_window(&in.cur);

		buf_add(&w->bytes, cursor_bytes(&in.cur, n, "window"), n);
	}
	w->damaged = in.cur.failed;
	w->more = !w->damaged && !cursor_done(&in.cur);
	must(!w->damaged || e.msg[0]);
	input_close(&in);
}

/* Of bytes before damage, how many are given depends on the pieces in which the file came. */
static void must_agree(const struct whole *a, const struct whole *b)
{
	size_t n = a->bytes.len < b->bytes.len ? a->bytes.len : b->bytes.len;

	must(!n || !memcmp(a->bytes.data, b->bytes.data, n));
	must(a->damaged || b->damaged || n == MOST || a->more || b->more ||
	     a->bytes.len == b->bytes.len);
}

static bool is_same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

/* Before damage a mark may come alone, which without the damage the following bytes would show to
 * be no mark. */
enum { MARKED = 8 };

static void check_reading(const struct whole *w, const struct buf *packed)
{
	struct whole once = {.bytes = BUF_INIT}, plain = {.bytes = BUF_INIT};
	size_t unpacked;

	unpack(&once, packed);
	unpacked = once.bytes.len;
	make_text(&once.bytes, once.damaged || once.more);
	buf_add(&plain.bytes, packed->data, packed->len);
	make_text(&plain.bytes, false);
	/* What does not begin like a filter's is given as it is. */
	if (w->damaged || !is_same(&w->bytes, &plain.bytes)) {
		if (!w->damaged || (unpacked >= MARKED && w->bytes.len >= MARKED))
			must_agree(w, &once);
		must(w->damaged || !once.damaged || packed->data[0] >> 4 == 5);
	}
	buf_release(&once.bytes);
	buf_release(&plain.bytes);
}

/* p is the bytes at an offset; beyond what is known of them, anything. */
static void must_be_there(const struct whole *w, uint64_t at, const void *p, size_t n)
{
	must(w->damaged || w->more || (at <= w->bytes.len && n <= w->bytes.len - at));
	if (at >= w->bytes.len)
		return;
	if (n > w->bytes.len - at)
		n = w->bytes.len - (size_t)at;
	must(!n || !memcmp(w->bytes.data + at, p, n));
}

static void line(struct input *in, const struct whole *w, size_t limit)
{
	uint64_t at = cursor_offset(&in->cur);
	size_t n;
	const char *s = cursor_line(&in->cur, &n, limit);

	if (!s)
		return;
	must_be_there(w, at, s, n);
	must(n <= limit && !memchr(s, '\n', n));
	must(cursor_offset(&in->cur) - at <= n + 2);
	if (!w->damaged && !w->more)
		must(cursor_offset(&in->cur) == w->bytes.len ||
		     w->bytes.data[cursor_offset(&in->cur) - 1] == '\n');
}

static void head(struct input *in, const struct whole *w)
{
	uint64_t at = cursor_offset(&in->cur);
	const uint8_t *p;
	size_t n;

	if (input_head(in, &p, &n)) {
		must(w->damaged || in->cur.failed);
		return;
	}
	must_be_there(w, at, p, n);
	must(w->damaged || w->more || n == INPUT_HEAD || at + n == w->bytes.len);
	must(cursor_offset(&in->cur) == at);
}

/* A step takes up to 255 bytes, or that many times 8,191: more than a window. */
static void step(struct input *in, const struct whole *w, uint8_t what, uint8_t amount, bool kept)
{
	uint64_t at = cursor_offset(&in->cur);
	size_t n = what & 0x80 ? (size_t)amount * 8191 : amount;
	const uint8_t *p;

	switch (what & 7) {
	case 0:
		n = cursor_window(&in->cur);
		/* fall through */
	case 1:
		p = cursor_bytes(&in->cur, n, "token");
		if (p)
			must_be_there(w, at, p, n);
		break;
	case 2:
		cursor_skip(&in->cur, n, "what is skipped");
		must(in->cur.failed || cursor_offset(&in->cur) == at + n);
		break;
	case 3: head(in, w); break;
	case 4: line(in, w, n); break;
	case 5:
		must(!kept || !input_rewind(in));
		must(!kept || (!in->cur.failed && !cursor_offset(&in->cur)));
		break;
	case 6:
		must(cursor_available(&in->cur, n) >= n || in->cur.failed || w->damaged ||
		     w->more || n > w->bytes.len - at);
		break;
	default: cursor_uleb(&in->cur); break;
	}
	must(!in->cur.failed || in->cur.e->msg[0]);
}

static void in_order(struct input *in, const struct whole *w, const uint8_t *steps, bool kept)
{
	for (int i = 0; i < STEPS; i++)
		step(in, w, steps[2 * i], steps[2 * i + 1], kept);
	if (!in->cur.failed || kept) {
		uint64_t at;

		if (kept)
			must(!input_rewind(in));
		while (!cursor_done(&in->cur) && cursor_offset(&in->cur) < MOST) {
			size_t n = cursor_window(&in->cur);

			at = cursor_offset(&in->cur);
			must_be_there(w, at, cursor_bytes(&in->cur, n, "window"), n);
		}
		must(in->cur.failed == w->damaged || w->more);
		must(w->damaged || w->more || cursor_offset(&in->cur) == w->bytes.len);
	}
}

static void in_any_order(struct input *in, const struct whole *w, const uint8_t *steps,
			 struct err *e)
{
	static uint8_t piece[256];
	struct err f = ERR_INIT;

	if (input_random(in, e)) {
		must(e->msg[0] && (w->damaged || w->more));
		return;
	}
	must(!w->damaged && (w->more || in->size == w->bytes.len));
	for (int i = 0; i < STEPS; i++) {
		uint64_t at = steps[2 * i] * (in->size + 100) / 256;
		size_t n = steps[2 * i + 1];

		if (!input_at(in, at, piece, n, "piece", &f))
			must_be_there(w, at, piece, n);
		else
			must(f.msg[0] && at + n > in->size);
	}
}

/* bytes: those of the file. */
static void read_otherwise(const struct whole *w, const struct buf *bytes, const uint8_t *header)
{
	struct file f = put(bytes, header[1] & BY_PIPE && bytes->len <= PIPE);
	struct input_digest got = {0}, want = {0};
	struct err e = ERR_INIT, later = ERR_INIT;
	struct input in;

	must(!input_open(&in, f.path, &e));
	if (header[1] & DIGEST)
		input_want_digest(&in, &got);
	if (header[1] & RANDOM)
		in_any_order(&in, w, header + 2, &e);
	else
		in_order(&in, w, header + 2, header[1] & KEEP && !input_keep(&in));
	if (header[1] & DIGEST) {
		digest_add(&want, bytes->data, bytes->len);
		digest_end(&want);
		must(!input_digest(&in, &later));
		must(got.hash == want.hash && got.bytes == want.bytes);
	}
	digest_release(&got);
	digest_release(&want);
	input_close(&in);
	close(f.fd);
}

/* A few inputs are larger than every buffer on their way. */
static void repeat(struct buf *b, const uint8_t *p, size_t n, bool many)
{
	buf_add(b, p, n);
	while (many && n && b->len < LARGE)
		buf_add(b, p, n);
}

/* May be the first byte of a filter's, or of a frame to be skipped: then it is unpacked, too. */
static bool begins_packed(uint8_t byte)
{
	return byte >> 4 == 5 || memchr("\x1f\x28\xfd\x42\x04\x02", byte, 6);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf plain = BUF_INIT, packed = BUF_INIT, twice = BUF_INIT;
	struct whole w = {.bytes = BUF_INIT};
	const struct buf *bytes = &packed;
	enum packing first, second;
	struct file f;

	if (size < HEADER)
		return 0;
	first = data[0] % PACKINGS;
	second = data[0] / PACKINGS % PACKINGS;
	if (first == PACK_LZ4_SKIPPED) /* libarchive takes such frames for zstd's: not inside */
		second = PACK_NOT;
	buf_reserve(&plain, 1); /* not NULL, also of nothing */
	buf_reserve(&packed, 1);
	repeat(&plain, data + HEADER, size - HEADER, (data[1] & MANY) == MANY);
	must(pack(&packed, first, plain.data, plain.len));
	if (second) {
		must(pack(&twice, second, packed.data, packed.len));
		bytes = &twice;
	}
	f = put(bytes, false);
	read_on(&w, f.path);
	close(f.fd);
	check_reading(&w, bytes);
	if ((first || second) && plain.len && !begins_packed((uint8_t)plain.data[0])) {
		make_text(&plain, false);
		must(!w.damaged && is_same(&w.bytes, &plain));
	}
	read_otherwise(&w, bytes, data);
	buf_release(&plain);
	buf_release(&packed);
	buf_release(&twice);
	buf_release(&w.bytes);
	return 0;
}
