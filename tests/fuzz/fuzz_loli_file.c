/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's saved captures (formats/loli/file.c).
 */
#include "tests/fuzz/loli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_reader("loli", data, n);
}
