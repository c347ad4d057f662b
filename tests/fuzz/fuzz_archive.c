/* SPDX-License-Identifier: MIT
 *
 * Archives of captures (lib/input/members.c): what a capture_read of any zip, tar or 7z file pushes
 * passes the checks of all readers.
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct reading_sink checked;
	struct import_options o = {.format = NULL};
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	if (!capture_archive(data, n))
		return 0;
	reading_sink_init(&checked, NULL, NULL);
	checked.trace = true; /* or anything else */
	input_memory(&in, "archive", data, n, &e);
	if (capture_read(&in, &o, &checked.sink, &lossy, &e) && !e.msg[0])
		abort();
	input_close(&in);
	return 0;
}
