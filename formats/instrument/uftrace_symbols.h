/* SPDX-License-Identifier: MIT
 *
 * The names of one module in a directory of uftrace: NAME.sym, lines of a hexadecimal address
 * relative to the module's first byte, since 0.14 a size, a letter and a name, behind comments that begin
 * with '#' and say the module's path and build-id (uftrace's utils/symbol.c).
 */
#ifndef TM_FORMATS_INSTRUMENT_UFTRACE_SYMBOLS_H
#define TM_FORMATS_INSTRUMENT_UFTRACE_SYMBOLS_H

#include "lib/input/input.h"
#include "lib/trace/model.h"

struct uftrace_symbols {
	struct uftrace_symbol {
		uint64_t address, size; /* size 0: up to the next */
		uint32_t name;          /* string id of the trace; 0: what was before ends here */
	} * all;
	size_t n, cap;
	uint64_t refused;      /* lines */
	char *path, *build_id; /* of the module, as the file says; NULL: it does not */
};

/* Adds the lines of in; a damaged rest leaves what was sound, and counts. */
void uftrace_symbols_read(struct uftrace_symbols *s, struct input *in, struct trace *t);
uint32_t uftrace_symbols_name(const struct uftrace_symbols *s, uint64_t address); /* 0: none */
/* A module of the same base name has a file of its own. build_id: as hexadecimal digits. */
bool uftrace_symbols_are_of(const struct uftrace_symbols *s, const char *path, size_t n,
			    const char *build_id, size_t n_id);
void uftrace_symbols_release(struct uftrace_symbols *s);

#endif
