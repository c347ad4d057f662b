/* SPDX-License-Identifier: MIT
 *
 * A map of the code that a runtime compiled: perf-PID.map, as Mono (--jitmap), V8, .NET and others write it for
 * perf. A line is start and size in hexadecimal, and a name that may hold blanks. Code moves and its memory is
 * used again: of the lines that hold an address the last one counts. Addresses are those of the process.
 */
#ifndef TM_MANAGED_JIT_MAP_H
#define TM_MANAGED_JIT_MAP_H

#include "lib/base/cursor.h"
#include "lib/base/intern.h"

struct jit_map { /* zeroed is empty */
	struct intern names;
	struct jit_span { /* ascending, apart from each other */
		uint64_t lo, hi;
		uint32_t name;
	} * spans;
	size_t n;
	uint64_t lines, odd; /* sound ones; others */
};

/* ST_BAD: no line is one. */
enum status jit_map_read(struct jit_map *m, struct cursor *in, struct err *e);
const char *jit_map_at(const struct jit_map *m, uint64_t addr); /* NULL: not there */
void jit_map_release(struct jit_map *m);

#endif
