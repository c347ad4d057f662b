/* SPDX-License-Identifier: MIT
 *
 * Captures of ELuaProfiler (formats/unreal/elua.c).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("elua", data, n);
	return 0;
}
