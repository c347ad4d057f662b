/* SPDX-License-Identifier: MIT
 *
 * Logs of a lua_Alloc (formats/lua/lualloc.h).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading(n && data[0] == 'L' ? "lualloc-bin" : "lualloc", data, n);
	return 0;
}
