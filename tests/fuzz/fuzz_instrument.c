/* SPDX-License-Identifier: MIT
 *
 * Captures of instrumented programs (formats/instrument): the first byte chooses records, lines, or
 * the files of a uftrace directory, which a bar (|) parts: task.txt, sid-1.map, game.sym, 1.dat.
 */
#include "tests/fuzz/reading.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void folder(const uint8_t *data, size_t n)
{
	static const char info[] = "Ftrace!\0\4\0\0\0\50\0\1\2\42\0\0\0\0\0\0";
	static const char *const names[] = {"info", "task.txt", "sid-1.map", "game.sym", "1.dat"};
	const uint8_t *at = data, *end = data + n;
	char dir[] = "/tmp/fuzz-uftrace-XXXXXX", path[64];
	const struct reading_source from = {.path = dir};
	const struct import_options o = {.format = "uftrace"};

	if (!mkdtemp(dir))
		return;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const uint8_t *bar = i == 4 ? NULL : memchr(at, '|', (size_t)(end - at));
		FILE *f;

		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		f = fopen(path, "wbe");
		if (!f)
			continue;
		if (!i) {
			fwrite(info, 1, sizeof info - 1, f);
		} else {
			fwrite(at, 1, (size_t)((bar ? bar : end) - at), f);
			at = bar ? bar + 1 : end;
		}
		fclose(f);
	}
	fuzz_reading_of(&from, &o, NULL);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const formats[] = {"instrument", "instrument-text"};

	if (!n)
		return 0;
	if (data[0] % 3 == 2) {
		folder(data + 1, n - 1);
		return 0;
	}
	fuzz_reading(formats[data[0] % 3], data + 1, n - 1);
	return 0;
}
