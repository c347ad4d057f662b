/* SPDX-License-Identifier: MIT
 *
 * GSYM files.
 */
#include "tests/fuzz/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	source_check(data, size, "GSYM");
	return 0;
}
