/* SPDX-License-Identifier: MIT
 *
 * MemTracer's lines of JSON (formats/memtracer/memtracer.c).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("memtracer", data, n);
	return 0;
}
