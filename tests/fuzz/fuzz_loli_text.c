/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's text of stacks (formats/loli/text.c).
 */
#include "tests/fuzz/loli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_reader("loli-text", data, n);
}
