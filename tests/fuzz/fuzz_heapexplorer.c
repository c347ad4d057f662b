/* SPDX-License-Identifier: MIT
 *
 * Snapshots of UnityHeapExplorer (formats/unity/heapexplorer.c).
 */
#include "tests/fuzz/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_snapshot("heapexplorer", data, n);
}
