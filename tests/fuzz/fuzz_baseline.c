/* SPDX-License-Identifier: MIT
 *
 * Baseline files. The checksums of a copy are put right first, so that what stands behind them is
 * read; what was read is written and read again.
 */
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/report/baseline.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 16, SECTION = 24 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static uint64_t number(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 8; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

static void put(uint8_t *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static void repair(uint8_t *p, size_t n)
{
	struct buf sums = BUF_INIT;

	for (size_t at = HEAD; at + SECTION <= n;) {
		uint64_t length = number(p + at + 8), sum;
		uint64_t seed = number(p + at) & UINT32_MAX;

		if (length > n - at - SECTION)
			break;
		if (!memcmp(p + at, "end ", 4) && length == 8)
			put(p + at + SECTION, hash_bytes(sums.data ? sums.data : "", sums.len));
		sum = hash_bytes_seeded(p + at + SECTION, (size_t)length, seed);
		put(p + at + 16, sum);
		buf_add(&sums, p + at + 16, 8);
		at += SECTION + (size_t)length;
	}
	buf_release(&sums);
}

static enum status reads(const void *p, size_t n, struct things *t, struct summary *s)
{
	struct err e = ERR_INIT;
	struct cursor c;
	enum status st;

	cursor_init(&c, p, n, 0, &e);
	st = baseline_read(&c, t, s, &e);
	if (st && !e.msg[0])
		abort();
	return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *copy = mem_alloc(n + 1);
	struct things t, u;
	struct summary s, again;
	struct buf b = BUF_INIT;

	memcpy(copy, data, n);
	repair(copy, n);
	things_init(&t);
	if (!reads(copy, n, &t, &s)) {
		baseline_write(&t, &s, &b);
		things_init(&u);
		if (reads(b.data, b.len, &u, &again))
			abort();
		summary_release(&again);
		things_release(&u);
		summary_release(&s);
	}
	things_release(&t);
	buf_release(&b);
	free(copy);
	return 0;
}
