/* SPDX-License-Identifier: MIT
 *
 * Files of callgrind (formats/valgrind).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("callgrind", data, n);
	return 0;
}
