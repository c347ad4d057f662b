/* SPDX-License-Identifier: MIT
 *
 * The texts of Lua snapshots and xLua's reports: every input to each of their readers.
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const names[] = {"elua-memdump", "lua-snapshot", "lua-memref", "xlua"};

	for (int i = 0; i < 4; i++)
		fuzz_reading(names[i], data, n);
	return 0;
}
