/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/unity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_reader("unity-data", data, n);
}
