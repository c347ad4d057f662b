/* SPDX-License-Identifier: MIT
 *
 * PE files: headers, names of sections, COFF symbols, exports, the CodeView record, and DWARF in
 * them.
 */
#include "tests/fuzz/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return object_check(data, size);
}
