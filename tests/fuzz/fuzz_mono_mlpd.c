/* SPDX-License-Identifier: MIT
 *
 * Logs of Mono's profiler (formats/mono/mlpd.c).
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("mono-mlpd", data, n);
	return 0;
}
