/* SPDX-License-Identifier: MIT
 *
 * A reader over arbitrary bytes: the one whose name the program has, fuzz_perf_data the one of perf-data.
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
	reader = reader_by_name(format);
	if (!reader) {
		fprintf(stderr, "%s: the name is not fuzz_ and that of a format\n", (*argv)[0]);
		exit(2);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading(reader->name, data, n);
	return 0;
}
