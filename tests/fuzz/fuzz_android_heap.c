/* SPDX-License-Identifier: MIT
 *
 * Android's native heap dumps (formats/crash).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("android-heap", data, n);
	return 0;
}
