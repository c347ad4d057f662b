/* SPDX-License-Identifier: MIT
 *
 * Every reader of a Lua profiler's text over the same bytes.
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const names[] = {"folded",   "luajit-jp", "luaprofiler",
					    "luatrace", "luau-heap", "luau-profile"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		fuzz_reading(names[i], data, n);
	return 0;
}
