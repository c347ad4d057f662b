/* SPDX-License-Identifier: MIT
 *
 * Tables of tracy-csvexport (formats/chrome/tracy_csv.c).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("tracy-csv", data, n);
	return 0;
}
