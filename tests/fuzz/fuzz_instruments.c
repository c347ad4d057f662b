/* SPDX-License-Identifier: MIT
 *
 * Instruments' deep copy (formats/instruments).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("instruments", data, n);
	return 0;
}
