/* SPDX-License-Identifier: MIT
 *
 * An index file of any content, as it is and with its size and checksums put right, so that what
 * lies behind them is reached: no more is trusted than what a look at it shows.
 */
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/index/index.h"
#include "lib/index/index_format.h"
#include "tests/fuzz/answers.h"

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
		addrs[n++] = index_get64(data + at);
		addrs[n++] = index_get64(data + at) + at % 64;
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
		n_key = index_get32(data + 32) % (INDEX_KEY_MAX + 1);
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
		index_put32(copy + 32, index_get32(copy + 32) % (INDEX_KEY_MAX + 1));
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
