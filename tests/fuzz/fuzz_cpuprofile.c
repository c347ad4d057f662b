/* SPDX-License-Identifier: MIT
 *
 * Profiles of V8 (formats/chrome/cpuprofile.c).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("cpuprofile", data, n);
	return 0;
}
