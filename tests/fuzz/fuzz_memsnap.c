/* SPDX-License-Identifier: MIT
 *
 * Snapshots of Unity's old MemoryProfiler (formats/unity/memsnap.c).
 */
#include "tests/fuzz/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_snapshot("memsnap", data, n);
}
