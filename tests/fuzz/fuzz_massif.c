/* SPDX-License-Identifier: MIT
 *
 * Files of massif (formats/valgrind).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("massif", data, n);
	return 0;
}
