/* SPDX-License-Identifier: MIT
 *
 * Facts of one program or library that decide how well it can be profiled and symbolized, from its headers,
 * symbols, unwind tables and code; what they mean is in fitness.h.
 *
 * Functions are those of the symbol table (its own or its debug file's), else the entries of
 * .eh_frame or .pdata, so that a stripped library has them, too. Sources of facts: the ELF and DWARF
 * specifications, LSB's "Exception Frames", the psABIs' PLTs; Android's "Support 16 KB page sizes";
 * what LoliProfiler looks for (loli_set_allocandfree, get_stack_backtrace, set_loli_ignore_func)
 * from its documentation for game engines.
 */
#ifndef TM_INSPECT_INSPECT_H
#define TM_INSPECT_INSPECT_H

#include "lib/base/arena.h"
#include "lib/base/hash.h"
#include "lib/disasm/disasm.h"
#include "lib/find/files.h"
#include "lib/object/eh_frame.h"

/* What a symbol is to a profiler. */
enum role {
	ROLE_NONE,
	ROLE_ENTER, /* __cyg_profile_func_enter, _penter */
	ROLE_EXIT,
	ROLE_COUNT, /* mcount, __fentry__: -pg */
	ROLE_LOLI_ALLOC,
	ROLE_LOLI_STACK,
	ROLE_LOLI_IGNORE,
	ROLES,
};

enum { ROLE_EXPORTED = 1, ROLE_HIDDEN = 2, ROLE_IMPORTED = 4 }; /* how a role occurs */

struct inspect_function {
	uint64_t lo, hi;
	uint8_t prologue;    /* enum prologue */
	uint8_t enter, exit; /* calls of them, at most 255 */
	bool unwound;        /* it begins in an entry of the unwind tables */
};

struct wrapped { /* --wrap NAME */
	const char *name;
	bool wrapper, real, undefined; /* __wrap_, __real_; one of them has no definition */
};

struct inspect {
	struct find_file file; /* of it path and object are set */
	struct disasm *disasm;
	struct arena names;

	/* symbols.c */
	bool has_symtab, has_dynsym;
	uint64_t n_symtab, n_dynsym;
	uint8_t roles[ROLES]; /* of each: ROLE_EXPORTED and so on */
	struct map64 role_at; /* address, or slot of the GOT or of imports -> enum role */
	struct wrapped *wraps;
	size_t n_wraps, cap_wraps;

	/* functions.c */
	struct inspect_function *functions; /* sorted by lo, not overlapping */
	size_t n_functions, cap_functions;
	/* The entries of .eh_frame, sorted by lo, parts of functions among them; of a PE file those of .pdata. */
	struct eh_frame_entry *entries;
	size_t n_entries, cap_entries;
	bool has_entries;   /* its bytes are here, and not left behind in another file */
	uint64_t n_unwound; /* functions that begin in an entry */
	bool from_tables;   /* from these entries, not from symbols */
	bool bad_tables;    /* .eh_frame is damaged: what was read before that counts */

	/* debug.c: units by version; index 0: of another one */
	uint64_t units[6], skeletons;
	uint64_t parts[6];       /* of .debug_info.dwo: a .dwo or .dwp file */
	const char *compression; /* "zlib", "zstd", "zlib (.zdebug)"; NULL: none */
	bool has_alt, bad_debug;

	struct { /* of functions that were judged */
		uint64_t n, frame, none, leaf, unknown;
		uint64_t enter, exit, twice; /* functions that call them; enter more than once */
		uint64_t unwound;            /* of those that call others: in the unwind tables */
	} sum;
};

/* Opens path and finds its debug file; then all of the above. ST_OK also where parts are damaged.
 */
enum status inspect_open(struct inspect *x, const char *path, const struct object_search *search,
			 struct err *e);
/* The same for listing.h: its functions, of which nothing is judged, and no other fact. */
enum status inspect_open_code(struct inspect *x, const char *path,
			      const struct object_search *search, struct err *e);
/* All of it over memory, for fuzzing. */
enum status inspect_open_memory(struct inspect *x, const void *p, size_t n, struct err *e);
void inspect_release(struct inspect *x); /* accepts a zeroed struct */

/* For the files of this folder. */
void inspect_symbols(struct inspect *x);
void inspect_functions(struct inspect *x);
void inspect_debug(struct inspect *x);
void inspect_code(struct inspect *x);
/* arm: a symbol says that the code at addr is Thumb. */
bool inspect_is_thumb(const struct inspect *x, uint64_t addr);
/* Why its code is not read, where another file has it or it is of another machine; NULL: it is, or it has none. */
const char *inspect_no_code(const struct inspect *x);
/* Number of the section with that name, 0: none. */
size_t inspect_section(const struct inspect *x, const char *name);

#endif
