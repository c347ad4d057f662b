/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's reports (formats/loli/report.c): any events of blocks, and what tm-import does of them.
 */
#include "tests/fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading("loli-report", data, n);
	return 0;
}
