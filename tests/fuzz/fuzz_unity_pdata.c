/* SPDX-License-Identifier: MIT
 *
 * Files of Unity's Profile Analyzer (formats/unity/pdata.c).
 */
#include "tests/fuzz/unity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_reader("unity-pdata", data, n);
}
