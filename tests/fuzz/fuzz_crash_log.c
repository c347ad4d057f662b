/* SPDX-License-Identifier: MIT
 *
 * Logs with stacks (formats/crash), and the same as a text that is to have names, which without
 * binaries stays as it is.
 */
#include "lib/symbolize/stack_text.h"
#include "tests/fuzz/reading.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct symbolizer symbolizer;
	static struct index_cache cache;
	static struct managed managed;
	static bool begun;
	const char *s = (const char *)data, *end = s + n, *p;
	struct buf want = BUF_INIT, got = BUF_INIT;
	struct err e = ERR_INIT;
	struct stack_text x;

	fuzz_reading("crash-log", data, n);
	if (!begun) {
		cache_init(&cache, &(struct cache_options){.off = true});
		managed_init(&managed, &(struct managed_options){0});
		symbolizer_init(&symbolizer,
				&(struct symbolize_options){.cache = &cache, .managed = &managed});
	}
	begun = true;
	x = (struct stack_text){.symbolizer = &symbolizer};
	for (; s < end; s = p + 1) {
		p = memchr(s, '\n', (size_t)(end - s));
		if (!p)
			p = end;
		stack_text_line(&x, s, (size_t)(p - s));
		buf_add(&want, s, (size_t)(p - s));
		buf_addc(&want, '\n');
	}
	if (stack_text_flush(&x, &got, &e) || got.len != want.len ||
	    (want.len && memcmp(got.data, want.data, want.len) != 0))
		abort();
	stack_text_release(&x);
	buf_release(&want);
	buf_release(&got);
	return 0;
}
