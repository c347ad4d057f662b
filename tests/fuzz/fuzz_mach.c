/* SPDX-License-Identifier: MIT
 *
 * Mach-O files, thin and universal, and relocatable objects.
 */
#include "tests/fuzz/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return object_check(data, size);
}
