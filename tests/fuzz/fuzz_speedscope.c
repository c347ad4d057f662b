/* SPDX-License-Identifier: MIT
 *
 * JSON of speedscope (formats/speedscope).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("speedscope", data, n);
	return 0;
}
