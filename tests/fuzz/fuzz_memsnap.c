/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_snapshot("memsnap", data, n);
}
