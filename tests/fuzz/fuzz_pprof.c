/* SPDX-License-Identifier: MIT
 *
 * Profiles of pprof (formats/pprof).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("pprof", data, n);
	return 0;
}
