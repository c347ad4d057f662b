/* SPDX-License-Identifier: MIT */
#include "lib/object/ar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct err e = ERR_INIT;
	FILE *file = tmpfile();
	char path[64];
	struct ar a;

	if (!file || (n && fwrite(data, 1, n, file) != n) || fflush(file))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
	if (!ar_open(&a, path, &e)) {
		for (size_t i = 0; i < a.n; i++) {
			const struct ar_member *m = &a.members[i];

			if (!a.thin && (m->offset > n || m->size > n - m->offset))
				abort();
			if (i < 64 && !ar_find(&a, m->name, strlen(m->name)))
				abort();
		}
		ar_release(&a);
	} else if (!e.msg[0]) {
		abort();
	}
	fclose(file);
	return 0;
}
