/* SPDX-License-Identifier: MIT
 *
 * Any text as a linkage name, in each spelling and as a capture carries it. No name stands for a text without bounds,
 * and none takes long: libFuzzer's limits of time and memory judge that.
 */
#include "lib/base/mem.h"
#include "lib/demangle/demangle.h"
#include "lib/demangle/demangle_llvm.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 256 << 10, AROUND = 64 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static char *(*const how[])(const char *) = {demangle, demangle_llvm, demangle_microsoft,
						     demangle_short};
	char *raw = mem_strndup((const char *)data, n), *text;

	for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
		text = how[i](raw);
		if (text && (!*text || strlen(text) > LONGEST_TEXT + AROUND))
			abort();
		free(text);
	}
	text = demangle_captured((const char *)data, n);
	if (text && !demangle_may_capture((const char *)data, n))
		abort();
	free(text);
	free(raw);
	return 0;
}
