/* SPDX-License-Identifier: MIT
 *
 * Profiles of tarantool's LuaJIT (formats/lua/tarantool.c).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("tarantool", data, n);
	return 0;
}
