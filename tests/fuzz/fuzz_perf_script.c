/* SPDX-License-Identifier: MIT
 *
 * Text of perf script (formats/perf).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("perf-script", data, n);
	return 0;
}
