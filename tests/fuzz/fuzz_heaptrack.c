/* SPDX-License-Identifier: MIT
 *
 * Captures of heaptrack (formats/heaptrack).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("heaptrack", data, n);
	return 0;
}
