/* SPDX-License-Identifier: MIT
 *
 * Traces of Perfetto (formats/perfetto).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("perfetto", data, n);
	return 0;
}
