/* SPDX-License-Identifier: MIT
 *
 * Unity's heap snapshots (formats/unity/snap.c).
 */
#include "tests/fuzz/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_snapshot("unity-snap", data, n);
}
