/* SPDX-License-Identifier: MIT
 *
 * Unity's binary profiler log (formats/unity/raw.c).
 */
#include "tests/fuzz/unity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_reader("unity-raw", data, n);
}
