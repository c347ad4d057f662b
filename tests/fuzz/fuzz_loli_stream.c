/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's live stream (formats/loli/stream.c).
 */
#include "tests/fuzz/loli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_reader("loli-stream", data, n);
}
