/* SPDX-License-Identifier: MIT
 *
 * Unity's saved frames (formats/unity/data.c).
 */
#include "tests/fuzz/unity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_reader("unity-data", data, n);
}
