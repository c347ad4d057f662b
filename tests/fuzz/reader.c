/* SPDX-License-Identifier: MIT
 *
 * A reader, and each of its parts, over arbitrary bytes: the reader whose name the program has, fuzz_perf_data
 * that of perf-data.
 */
#include "tests/fuzz/reading.h"

#include <stdio.h>
#include <string.h>

static const struct reader *reader;

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = strstr(basename((*argv)[0]), "fuzz_");
	char format[64];

	(void)argc;
	snprintf(format, sizeof format, "%s", name ? name + 5 : "");
	for (char *p = format; *p; p++)
		if (*p == '_')
			*p = '-';
	reader = reader_by_name(format, NULL);
	if (!reader) {
		fprintf(stderr, "%s: the name is not fuzz_ and that of a format\n", (*argv)[0]);
		exit(2);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading(reader->name, data, n);
	for (const struct reader_part *p = reader->parts; p && p->name; p++)
		fuzz_reading(p->name, data, n);
	return 0;
}
