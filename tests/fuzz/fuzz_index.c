/* SPDX-License-Identifier: MIT
 *
 * An index file of any content, as it is and with its size and checksums put right, so that the
 * contents behind them are reached: no more is trusted than what a look at it shows.
 */
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/index/index.h"
#include "lib/index/index_format.h"
#include "tests/fuzz/answers.h"
#include "tests/fuzz/forge.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ADDRESSES = 256 };

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Ascending and unique: words of the file, as they are and a little beyond. */
static size_t choose(const uint8_t *data, size_t size, uint64_t *addrs)
{
	size_t n = 0, k = 0;

	addrs[n++] = 0;
	addrs[n++] = UINT64_MAX;
	for (size_t at = INDEX_HEADER; at + 8 <= size && n + 2 < ADDRESSES; at += 8) {
		addrs[n++] = le64(data + at);
		addrs[n++] = le64(data + at) + at % 64;
	}
	qsort(addrs, n, sizeof *addrs, by_value);
	for (size_t i = 0; i < n; i++)
		if (!k || addrs[k - 1] != addrs[i])
			addrs[k++] = addrs[i];
	return k;
}

static void read_it(const uint8_t *data, size_t size)
{
	const struct dwarf_options options = {.jobs = 1, .discriminators = true};
	int fd = memfd_create("index", MFD_CLOEXEC);
	uint64_t addrs[ADDRESSES];
	uint32_t ask[ADDRESSES];
	struct err e = ERR_INIT;
	struct index *x = NULL;
	size_t n_key = 0;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (size >= INDEX_HEADER)
		n_key = le32(data + 32) % (INDEX_KEY_MAX + 1);
	if (!index_open(&x, fd, size >= INDEX_HEADER ? data + INDEX_KEY_AT : data, n_key, &e)) {
		size_t n = choose(data, size, addrs), n_ask;
		struct dwarf_answers out;

		dwarf_answers_init(&out, n);
		if (!index_answer(x, addrs, n, &options, &out, ask, &n_ask, &e)) {
			if (n_ask > n)
				abort();
			answers_check(&out);
		}
		dwarf_answers_release(&out);
		(void)index_check(x, &e);
		if (index_refused(x) && strlen(index_refused(x)) > size)
			abort();
	}
	index_free(x);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;
	uint64_t n, body;

	read_it(data, size);
	if (size < INDEX_HEADER + 8)
		return 0;
	copy = mem_alloc(size);
	memcpy(copy, data, size);
	/* n checksums and the chunks they are of fill it: n is known by its size */
	for (n = 1; INDEX_HEADER + 8 * n + INDEX_CHUNK * n < size; n++)
		;
	body = INDEX_HEADER + 8 * n;
	if (body < size) {
		memcpy(copy, INDEX_MAGIC, 8);
		index_put32(copy + 8, INDEX_VERSION);
		index_put64(copy + 16, size);
		index_put64(copy + 24, n);
		index_put32(copy + 32, le32(copy + 32) % (INDEX_KEY_MAX + 1));
		for (uint64_t i = 0; i < n; i++) {
			uint64_t at = body + i * INDEX_CHUNK;
			size_t len = size - at < INDEX_CHUNK ? (size_t)(size - at) : INDEX_CHUNK;

			index_put64(copy + INDEX_HEADER + 8 * i,
				    hash_bytes_seeded(copy + at, len, i));
		}
		index_put64(copy + INDEX_SEAL_AT,
			    hash_bytes_seeded(copy, INDEX_SEAL_AT,
					      hash_bytes(copy + INDEX_HEADER, 8 * (size_t)n)));
		read_it(copy, size);
	}
	free(copy);
	return 0;
}

#ifdef LIBFUZZER

struct forged_part {
	size_t at, n;
};

static void align(struct forge *f)
{
	while (f->n % 8 && f->n < f->max)
		forge_le(f, 0, 1);
}

static uint32_t forge_id(struct forge *f, uint32_t n)
{
	uint32_t number = forge_below(f, n);

	return number ? number | STORE_BIT : 0;
}

/* Stretches in blocks that follow each other, calls whose callers are before them, strings. */
static void forge_parts(struct forge *f, struct forged_part *parts, uint32_t *n_strings)
{
	uint32_t stretches = 1 + forge_below(f, 24), calls = 1 + forge_below(f, 8);
	uint32_t strings = forge_below(f, 6), text = 0, first, count;
	uint64_t base = forge_one_in(f, 4) ? forge_number(f) : 0x1000;

	*n_strings = strings;
	parts[PART_BLOCKS].at = f->n;
	for (first = 0; first < stretches; first += count, base += 0x10000 * count) {
		count = 1 + forge_below(f, stretches - first);
		forge_le(f, base, 8);
		forge_le(f, first, 4);
		forge_le(f, count, 4);
	}
	parts[PART_BLOCKS].n = f->n - parts[PART_BLOCKS].at;
	parts[PART_STARTS].at = f->n;
	for (uint32_t i = 0; i < stretches; i++)
		forge_le(f, i * (forge_one_in(f, 32) ? forge_number(f) : 16), 4);
	parts[PART_STARTS].n = f->n - parts[PART_STARTS].at;
	align(f);
	parts[PART_ANSWERS].at = f->n;
	for (uint32_t i = 0; i < stretches; i++)
		forge_le(f,
			 forge_one_in(f, 6)
			     ? INDEX_ASK
			     : forge_below(f, calls) | (forge_one_in(f, 4) ? INDEX_LINE_ONLY : 0),
			 4);
	parts[PART_ANSWERS].n = f->n - parts[PART_ANSWERS].at;
	align(f);
	parts[PART_CALLS].at = f->n;
	for (uint32_t i = 0; i < calls; i++) {
		forge_le(f, i ? forge_id(f, i) : 0, 4);
		forge_le(f, forge_id(f, strings + 1), 4);
		forge_le(f, forge_id(f, strings + 1), 4);
		forge_le(f, forge_number(f), 4);
		forge_le(f, forge_one_in(f, 6) ? STORE_WIDE : forge_below(f, 80), 4);
	}
	parts[PART_CALLS].n = f->n - parts[PART_CALLS].at;
	parts[PART_STRINGS].at = f->n;
	for (uint32_t i = 0; i < strings + 2; i++) {
		forge_le(f, text, 4);
		text += i && i <= strings ? 6 : 0;
	}
	parts[PART_STRINGS].n = f->n - parts[PART_STRINGS].at;
	align(f);
	parts[PART_TEXT].at = f->n;
	for (uint32_t i = 0; i < strings; i++)
		forge_bytes(f, "names", 6);
	parts[PART_TEXT].n = f->n - parts[PART_TEXT].at;
}

static void forge_whole(struct forge *f)
{
	struct forged_part parts[PARTS] = {{0, 0}};
	uint32_t n_strings = 0, n_key = forge_below(f, 40);

	if (f->max < 4096)
		return;
	memset(f->out, 0, INDEX_HEADER + 8);
	f->n = INDEX_HEADER + 8; /* checksum and seal are the target's */
	if (forge_one_in(f, 10)) {
		parts[PART_TEXT].at = f->n;
		forge_text(f, "a reason");
		parts[PART_TEXT].n = f->n - parts[PART_TEXT].at;
		index_put32(f->out + 12, INDEX_REFUSED);
	} else {
		forge_parts(f, parts, &n_strings);
	}
	memcpy(f->out, INDEX_MAGIC, 8);
	index_put32(f->out + 32, n_key);
	index_put32(f->out + 36, n_strings);
	for (size_t i = 0; i < PARTS; i++) {
		index_put64(f->out + INDEX_PARTS_AT + 16 * i, parts[i].at);
		index_put64(f->out + INDEX_PARTS_AT + 16 * i + 8, parts[i].n);
	}
	memset(f->out + INDEX_KEY_AT, 'k', n_key);
	for (uint32_t i = forge_below(f, 3); i > 0; i--) { /* what is wrong with it */
		size_t from = forge_one_in(f, 4) ? INDEX_PARTS_AT : INDEX_HEADER + 8;

		index_put32(f->out + from + forge_below(f, (uint32_t)((f->n - from) / 4)) * 4,
			    (uint32_t)forge_number(f));
	}
}

static size_t word(const uint8_t *p, size_t n)
{
	(void)p;
	return n < 4 ? n : 4;
}

static void forge_word_of(struct forge *f)
{
	forge_le(f, forge_number(f), 4);
}

static const struct forge_kind forge = {forge_whole, word, forge_word_of, INDEX_HEADER + 8, NULL};
FORGE(forge)

#endif
