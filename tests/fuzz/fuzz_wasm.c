/* SPDX-License-Identifier: MIT
 *
 * WebAssembly modules: sections, imports, names of functions from each of their places, and DWARF in them.
 */
#include "tests/fuzz/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return object_check(data, size);
}
