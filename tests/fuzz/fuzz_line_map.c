/* SPDX-License-Identifier: MIT
 *
 * Maps of managed code: the first byte chooses line map, method map, usym or perf map.
 */
#include "lib/base/mem.h"
#include "lib/managed/jit_map.h"
#include "lib/managed/line_map.h"
#include "lib/managed/method_map.h"
#include "lib/managed/usym.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void lines(struct cursor *in, struct err *e)
{
	struct line_map *m = NULL;
	const char *file;
	uint32_t cs, cpp;

	if (line_map_read(&m, in, "/a", e)) {
		if (!e->msg[0])
			abort();
		return;
	}
	for (unsigned generated = 0; generated < 2; generated++) {
		cpp = line_map_file(m, "/a/b/c.cpp", generated);
		for (uint32_t line = 0; cpp && line < 64; line++)
			if (line_map_at(m, cpp, line, line / 2, generated * 5, &file, &cs) ==
				LINE_MAP_FOUND &&
			    !file)
				abort();
	}
	line_map_free(m);
}

static void usym(const uint8_t *data, size_t n, struct err *e)
{
	char *copy = mem_alloc(n + 1);
	struct usym *u;
	uint64_t sum = 0;

	memcpy(copy, data, n);
	copy[n] = 0;
	if (usym_read(&u, copy, n, e))
		return;
	for (uint64_t at = 0; at < 1 << 16; at += 64) {
		uint32_t r = usym_at(u, at);
		struct usym_line l;

		if (!r)
			continue;
		if (usym_address(u, r) > at)
			abort();
		l = usym_line(u, r);
		sum += l.native.n ? (uint8_t)l.native.s[l.native.n - 1] : l.managed_file.n;
		if (l.parent > usym_facts(u).records)
			abort();
	}
	if (sum == UINT64_MAX)
		abort();
	usym_free(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct err e = ERR_INIT;
	struct method_map methods = {.methods = 0};
	struct jit_map jit = {.n = 0};
	struct cursor in;

	if (!n)
		return 0;
	cursor_init(&in, data + 1, n - 1, 0, &e);
	switch (data[0]) {
	case 'm':
		method_map_read(&methods, &in, &e);
		method_map_at(&methods, "f", 1);
		method_map_release(&methods);
		break;
	case 'u': usym(data + 1, n - 1, &e); break;
	case 'j':
		jit_map_read(&jit, &in, &e);
		for (size_t i = 0; i < jit.n; i++)
			if (jit.spans[i].lo >= jit.spans[i].hi ||
			    (i && jit.spans[i - 1].hi > jit.spans[i].lo) ||
			    !jit_map_at(&jit, jit.spans[i].lo))
				abort();
		jit_map_release(&jit);
		break;
	default: lines(&in, &e);
	}
	return 0;
}
