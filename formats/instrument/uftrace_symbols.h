/* SPDX-License-Identifier: MIT
 *
 * The names of one module in a directory of uftrace: NAME.sym, lines of a hexadecimal address
 * relative to the module's first byte, a letter and a name, in the order of addresses, behind
 * comments that begin with '#' (as uftrace 0.13 writes them).
 */
#ifndef TM_FORMATS_INSTRUMENT_UFTRACE_SYMBOLS_H
#define TM_FORMATS_INSTRUMENT_UFTRACE_SYMBOLS_H

#include "lib/input/input.h"
#include "lib/trace/model.h"

struct uftrace_symbols {
	struct uftrace_symbol {
		uint64_t address;
		uint32_t name; /* string id of the trace; 0: what was before ends here */
	} * all;
	size_t n, cap;
	uint64_t refused; /* lines */
};

/* Adds the lines of in; a damaged rest leaves what was sound, and counts. */
void uftrace_symbols_read(struct uftrace_symbols *s, struct input *in, struct trace *t);
uint32_t uftrace_symbols_name(const struct uftrace_symbols *s, uint64_t address); /* 0: none */
void uftrace_symbols_release(struct uftrace_symbols *s);

#endif
