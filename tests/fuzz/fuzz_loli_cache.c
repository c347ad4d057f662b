/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's desktop cache (formats/loli/cache.c).
 */
#include "tests/fuzz/loli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_reader("loli-cache", data, n);
}
