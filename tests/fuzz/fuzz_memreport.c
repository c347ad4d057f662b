/* SPDX-License-Identifier: MIT
 *
 * Unreal Engine's .memreport: every input as each of its tables.
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const names[] = {
	    "memreport",     "memreport-objects", "memreport-pools",   "memreport-resources",
	    "memreport-rhi", "memreport-targets", "memreport-textures"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		fuzz_reading(names[i], data, n);
	return 0;
}
