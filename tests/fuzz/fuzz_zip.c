/* SPDX-License-Identifier: MIT */
#include "lib/object/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
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
	return 0;
}
