/* SPDX-License-Identifier: MIT
 *
 * Breakpad's symbol files.
 */
#include "tests/fuzz/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	source_check(data, size, "Breakpad");
	return 0;
}
