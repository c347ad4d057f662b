/* SPDX-License-Identifier: MIT
 *
 * Heap profiles as text (formats/pprof/heap_text.c): of gperftools, Go and jemalloc.
 */
#include "tests/fuzz/reading.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	bool jemalloc = n >= 8 && !memcmp(data, "heap_v2/", 8);

	fuzz_reading(jemalloc ? "jemalloc-heap" : "gperftools-heap", data, n);
	return 0;
}
