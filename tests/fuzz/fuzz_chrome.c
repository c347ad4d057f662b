/* SPDX-License-Identifier: MIT
 *
 * Chrome's trace events (formats/chrome).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("chrome", data, n);
	return 0;
}
