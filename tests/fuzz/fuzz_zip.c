/* SPDX-License-Identifier: MIT
 *
 * Zip archives, as they are and with an end of the directory that is found in them. Members lie
 * within the file; their first bytes and, of small ones, all are unpacked; what is refused says
 * why.
 */
#include "lib/object/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_it(const uint8_t *data, size_t n)
{
	struct err e = ERR_INIT;
	FILE *file = tmpfile(), *out = tmpfile();
	char path[64];
	struct zip z;

	if (!file || !out || (n && fwrite(data, 1, n, file) != n) || fflush(file))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
	if (!zip_open(&z, path, &e)) {
		for (size_t i = 0; i < z.n && i < 16; i++) {
			uint8_t head[8];
			uint64_t offset;

			if (!zip_data(&z, &z.members[i], &offset, &e) &&
			    (offset > n || z.members[i].packed > n - offset))
				abort();
			zip_head(&z, &z.members[i], head, sizeof head, &e);
			if (z.members[i].size < 1 << 20)
				zip_unpack(&z, &z.members[i], fileno(out), &e);
		}
		zip_release(&z);
	} else if (!e.msg[0]) {
		abort();
	}
	fclose(out);
	fclose(file);
}

/* Nearly every change of size loses the directory: it is found, and its end put behind. */
static void with_end(const uint8_t *data, size_t n)
{
	static const uint8_t first[4] = {'P', 'K', 1, 2}, last[6] = {'P', 'K', 5, 6};
	const uint8_t *at = memmem(data, n, first, sizeof first);
	uint8_t *copy = calloc(n + 22, 1), *end = copy + n;
	size_t from = at ? (size_t)(at - data) : n, size = n - from, count = 0;

	if (!copy)
		abort();
	for (const uint8_t *p = at; p && n; count++)
		p = memmem(p + 4, n - (size_t)(p + 4 - data), first, sizeof first);
	memcpy(copy, data, n);
	memcpy(end, last, sizeof last);
	for (int i = 0; i < 4; i++) {
		end[8 + i] = (uint8_t)(count >> 8 * (i & 1));
		end[12 + i] = (uint8_t)(size >> 8 * i);
		end[16 + i] = (uint8_t)(from >> 8 * i);
	}
	read_it(copy, n + 22);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	read_it(data, n);
	if (n)
		with_end(data, n);
	return 0;
}
