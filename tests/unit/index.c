/* SPDX-License-Identifier: MIT
 *
 * The index file (lib/index/index.h): what is written is read, and nothing else is.
 */
#include "lib/index/index.h"
#include "lib/base/mem.h"
#include "lib/index/index_format.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <sys/mman.h>

static const char key[] = "a key";

static const struct dwarf_options options = {.jobs = 2, .discriminators = true};

static void stretch(struct dwarf_whole *w, uint64_t lo, uint32_t call, uint8_t found)
{
	VEC_PUSH(w->all, w->n, w->cap) = (struct dwarf_stretch){lo, call, found};
}

/* Calls of two functions, one inlined into the other; stretches far apart, and more of them than a
 * block has. */
static void make(struct dwarf_whole *w, size_t many)
{
	struct dwarf_answers *a = &w->answers;
	uint32_t f, g, file, outer, inner, line, extra;

	*w = (struct dwarf_whole){.n = 0};
	dwarf_answers_init(a, 0);
	f = intern_add(&a->strings, "f", 1);
	file = intern_add(&a->strings, "/src/a.c", 8);
	g = intern_add(&a->strings, "g", 1);
	extra =
	    dwarf_extras_add(&a->extras, &a->n_extras, &a->cap_extras,
			     &(struct dwarf_extra){.start = DWARF_NO_START, .discriminator = 7});
	outer = dwarf_answers_call(a, &(struct dwarf_call){0, f, file, 10, 2, 0});
	inner = dwarf_answers_call(a, &(struct dwarf_call){outer, g, file, 20, 0, extra});
	/* takes two numbers in the file */
	outer = dwarf_answers_call(a, &(struct dwarf_call){outer, f, file, 11, 2048, 0});
	line = dwarf_answers_call(a, &(struct dwarf_call){0, 0, file, UINT32_MAX, 1, 0});
	stretch(w, 0x1000, inner, DWARF_FUNCTION);
	stretch(w, 0x1001, 0, DWARF_NOT_FOUND);
	stretch(w, 0x1010, line, DWARF_LINE_ONLY);
	stretch(w, 0x1020, 0, DWARF_ASK);
	stretch(w, 0x1030, 0, DWARF_NOT_FOUND);
	for (size_t i = 0; i < many; i++)
		stretch(w, 0x2000 + i, i % 2 ? inner : outer, DWARF_FUNCTION);
	stretch(w, 0x700000000000, outer, DWARF_FUNCTION);
	stretch(w, UINT64_MAX, 0, DWARF_NOT_FOUND);
}

static int write_one(const struct dwarf_whole *w, const char *text)
{
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct err e = ERR_INIT;
	uint64_t size = 0;

	CHECK_EQ(index_write(fd, w, text, key, sizeof key, &size, &e), ST_OK);
	CHECK_EQ(lseek(fd, 0, SEEK_END), (int64_t)size);
	return fd;
}

static const struct dwarf_stretch *stretch_at(const struct dwarf_whole *w, uint64_t addr)
{
	const struct dwarf_stretch *s = NULL;

	for (size_t i = 0; i < w->n && w->all[i].lo <= addr; i++)
		s = &w->all[i];
	return s;
}

static uint32_t discriminator(const struct dwarf_answers *a, const struct dwarf_call *c)
{
	return dwarf_extra_of(a, c).discriminator;
}

static bool same_call(const struct dwarf_answers *a, uint32_t x, const struct dwarf_answers *b,
		      uint32_t y)
{
	struct dwarf_call c, d;

	for (; x && y; x = c.outer, y = d.outer) {
		if (!dwarf_call_at(a, x, &c) || !dwarf_call_at(b, y, &d) ||
		    discriminator(a, &c) != discriminator(b, &d) || c.line != d.line ||
		    c.column != d.column || !c.function != !d.function || !c.file != !d.file ||
		    strcmp(dwarf_text(a, c.function, NULL), dwarf_text(b, d.function, NULL)) ||
		    strcmp(dwarf_text(a, c.file, NULL), dwarf_text(b, d.file, NULL)))
			return false;
	}
	return x == y;
}

/* How many of these addresses get another answer than the stretches say; -1: damaged. */
static int wrong(struct index *x, const struct dwarf_whole *w, const uint64_t *addrs, size_t n)
{
	uint32_t *ask = mem_array(n, sizeof *ask);
	struct dwarf_answers out;
	struct err e = ERR_INIT;
	size_t n_ask = 0, k = 0;
	int bad = 0;

	dwarf_answers_init(&out, n);
	if (index_answer(x, addrs, n, &options, &out, ask, &n_ask, &e))
		bad = -1;
	for (size_t i = 0; bad >= 0 && i < n; i++) {
		const struct dwarf_stretch *s = stretch_at(w, addrs[i]);

		if (s && s->found == DWARF_ASK)
			bad += k >= n_ask || ask[k++] != i;
		else
			bad += out.of[i].found != (s ? s->found : DWARF_NOT_FOUND) ||
			       !same_call(&out, out.of[i].call, &w->answers, s ? s->call : 0);
	}
	if (bad >= 0)
		bad += k != n_ask;
	dwarf_answers_release(&out);
	free(ask);
	return bad;
}

static const uint64_t few[] = {
    0,      0xfff,          0x1000,         0x1001,         0x100f,         0x1010,
    0x101f, 0x1020,         0x102f,         0x1030,         0x1fff,         0x2000,
    0x2001, 0x6fffffffffff, 0x700000000000, 0x800000000000, UINT64_MAX - 1, UINT64_MAX};
enum { FEW = sizeof few / sizeof *few };

TEST(what_is_written_is_read)
{
	static const size_t many[] = {0, 1, INDEX_BLOCK - 6, INDEX_BLOCK, 3 * INDEX_BLOCK + 1};

	for (size_t m = 0; m < sizeof many / sizeof *many; m++) {
		struct dwarf_whole w;
		struct err e = ERR_INIT;
		struct index *x;
		uint64_t *addrs = mem_array(many[m] + 0x20, sizeof *addrs);
		int fd;

		make(&w, many[m]);
		fd = write_one(&w, NULL);
		if (CHECK_EQ(index_open(&x, fd, key, sizeof key, &e), ST_OK)) {
			for (size_t i = 0; i < many[m] + 0x20; i++)
				addrs[i] = 0x1ff0 + i;
			CHECK_EQ(wrong(x, &w, addrs, many[m] + 0x20), 0);
			CHECK_EQ(wrong(x, &w, few, FEW), 0);
			for (size_t i = 0; i < FEW; i++)
				CHECK_EQ(wrong(x, &w, &few[i], 1), 0);
			CHECK_EQ(index_check(x, &e), ST_OK);
			CHECK(!index_refused(x));
			index_free(x);
		}
		close(fd);
		free(addrs);
		dwarf_whole_release(&w);
	}
}

TEST(nothing_in_it)
{
	struct dwarf_whole w = {.n = 0};
	struct err e = ERR_INIT;
	struct index *x;
	int fd;

	dwarf_answers_init(&w.answers, 0);
	fd = write_one(&w, NULL);
	if (CHECK_EQ(index_open(&x, fd, key, sizeof key, &e), ST_OK)) {
		CHECK_EQ(wrong(x, &w, few, FEW), 0);
		index_free(x);
	}
	close(fd);
	dwarf_whole_release(&w);
}

TEST(one_that_was_refused)
{
	uint64_t addrs[2] = {1, 2};
	struct dwarf_answers out;
	struct err e = ERR_INIT;
	struct index *x;
	uint32_t ask[2];
	size_t n_ask;
	int fd = write_one(NULL, "has a broken unit");

	if (CHECK_EQ(index_open(&x, fd, key, sizeof key, &e), ST_OK)) {
		CHECK_STR(index_refused(x), "has a broken unit");
		dwarf_answers_init(&out, 2);
		CHECK_EQ(index_answer(x, addrs, 2, &options, &out, ask, &n_ask, &e), ST_OK);
		CHECK_EQ(n_ask, 2);
		CHECK_EQ(ask[1], 1);
		dwarf_answers_release(&out);
		index_free(x);
	}
	close(fd);
}

TEST(another_key)
{
	struct err e = ERR_INIT;
	struct dwarf_whole w;
	struct index *x;
	int fd;

	make(&w, 10);
	fd = write_one(&w, NULL);
	CHECK_EQ(index_open(&x, fd, "A key", sizeof key, &e), ST_BAD);
	CHECK_EQ(index_open(&x, fd, key, sizeof key - 1, &e), ST_BAD);
	CHECK_EQ(index_open(&x, fd, "", 0, &e), ST_BAD);
	close(fd);
	dwarf_whole_release(&w);
}

/* Every bit counts: no single one can change without being noticed. */
TEST(every_bit_flipped)
{
	struct err e = ERR_INIT;
	struct dwarf_whole w;
	unsigned unnoticed = 0, wrong_answers = 0;
	int64_t size;
	int fd;

	make(&w, 20);
	fd = write_one(&w, NULL);
	size = lseek(fd, 0, SEEK_END);
	for (int64_t at = 0; at < size; at++) {
		struct index *x = NULL;
		uint8_t byte, flipped;

		if (!CHECK_EQ(pread(fd, &byte, 1, at), 1))
			break;
		flipped = byte ^ (uint8_t)(1 << at % 8);
		if (!CHECK_EQ(pwrite(fd, &flipped, 1, at), 1))
			break;
		if (!index_open(&x, fd, key, sizeof key, &e)) {
			wrong_answers += wrong(x, &w, few, FEW) > 0;
			unnoticed += !index_check(x, &e);
		}
		index_free(x);
		CHECK_EQ(pwrite(fd, &byte, 1, at), 1);
	}
	CHECK_EQ(unnoticed, 0);
	CHECK_EQ(wrong_answers, 0);
	close(fd);
	dwarf_whole_release(&w);
}

TEST(cut_at_every_byte)
{
	struct err e = ERR_INIT;
	struct dwarf_whole w;
	unsigned taken = 0;
	int64_t size;
	int fd;

	make(&w, 20);
	fd = write_one(&w, NULL);
	size = lseek(fd, 0, SEEK_END);
	while (--size >= 0) {
		struct index *x = NULL;

		if (!CHECK_EQ(ftruncate(fd, size), 0))
			break;
		taken += !index_open(&x, fd, key, sizeof key, &e);
		index_free(x);
	}
	CHECK_EQ(taken, 0);
	close(fd);
	dwarf_whole_release(&w);
}

TEST(a_file_that_becomes_shorter)
{
	struct err e = ERR_INIT;
	struct dwarf_whole w;
	struct index *x;
	int fd;

	make(&w, 100000);
	fd = write_one(&w, NULL);
	if (CHECK_EQ(index_open(&x, fd, key, sizeof key, &e), ST_OK)) {
		CHECK_EQ(ftruncate(fd, 4096), 0);
		CHECK_EQ(wrong(x, &w, few, FEW), -1);
		CHECK_EQ(index_check(x, &e), ST_BAD);
		index_free(x);
	}
	close(fd);
	dwarf_whole_release(&w);
}

TEST(a_disk_that_is_full)
{
	int fd = open("/dev/full", O_RDWR);
	struct err e = ERR_INIT;
	struct dwarf_whole w;
	uint64_t size;

	if (fd < 0) {
		TEST_SKIP("no /dev/full");
		return;
	}
	make(&w, 100000); /* several chunks */
	CHECK_EQ(index_write(fd, &w, NULL, key, sizeof key, &size, &e), ST_SYS);
	close(fd);
	dwarf_whole_release(&w);
}

/* One of an older version is refused before anything of it is read. */
TEST(the_fuzz_corpus_is_of_this_version)
{
	const char *src = getenv("SRC");
	struct err e = ERR_INIT;
	struct index *x;
	char path[1024];
	int fd;

	snprintf(path, sizeof path, "%s/tests/fuzz/corpus/index/good", src ? src : ".");
	fd = open(path, O_RDONLY);
	if (!CHECK_EQ(index_open(&x, fd, key, sizeof key, &e), ST_OK))
		return;
	CHECK_EQ(index_check(x, &e), ST_OK);
	index_free(x);
	close(fd);
}

TEST_MAIN()
