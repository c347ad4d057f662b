/* SPDX-License-Identifier: MIT
 *
 * perf.data (formats/perf).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("perf-data", data, n);
	return 0;
}
