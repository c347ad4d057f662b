/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/loli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_reader("counters", data, n);
}
