/* SPDX-License-Identifier: MIT
 *
 * The symbols of one module in a directory of uftrace. NAME.sym has comments that begin with '#' and say the
 * module's path and build-id; behind them, a line is a hexadecimal address relative to the module's first byte,
 * since 0.14 a size, a letter and a name (uftrace's utils/symbol.c). With --srcline and with arguments there is
 * NAME.dbg besides (utils/dwarf.c): "F: 11c9 add", a function at the address of its symbol, "L: 3 a.c", its line
 * and file, and "A:" and "R:", how its arguments and result are passed.
 */
#ifndef TM_FORMATS_INSTRUMENT_UFTRACE_SYMBOLS_H
#define TM_FORMATS_INSTRUMENT_UFTRACE_SYMBOLS_H

#include "lib/input/input.h"
#include "lib/trace/model.h"

struct uftrace_symbols {
	struct uftrace_symbol {
		uint64_t address, size; /* size 0: up to the next */
		uint32_t name;          /* string id of the trace; 0: what was before ends here */
		uint32_t file, line;    /* of its definition; 0: not known */
	} * all;
	size_t n, cap;
	uint64_t refused;      /* lines */
	char *path, *build_id; /* of the module, as the file says; NULL: it does not */
};

/* Adds the lines of in; a damaged rest leaves what was sound, and counts. */
void uftrace_symbols_read(struct uftrace_symbols *s, struct input *in, struct trace *t);
/* Adds the lines of NAME.dbg, when the names are there. */
void uftrace_symbols_read_places(struct uftrace_symbols *s, struct input *in, struct trace *t);
/* NULL: none. */
const struct uftrace_symbol *uftrace_symbols_at(const struct uftrace_symbols *s, uint64_t address);
/* A module of the same base name has a file of its own. build_id: as hexadecimal digits. */
bool uftrace_symbols_are_of(const struct uftrace_symbols *s, const char *path, size_t n,
			    const char *build_id, size_t n_id);
void uftrace_symbols_release(struct uftrace_symbols *s);

#endif
