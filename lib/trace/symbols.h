/* SPDX-License-Identifier: MIT
 *
 * The symbols that tm-symbolize adds to a capture: bindings (location -> binary and link-time
 * address, or the reason why not) and calls (functions, files, lines; innermost first, more than
 * one through inlining). They have an id space and a string table of their own, so that they can be
 * put into a stream, taken out and made again without touching what was captured.
 */
#ifndef TM_TRACE_SYMBOLS_H
#define TM_TRACE_SYMBOLS_H

#include "lib/base/intern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a location has no function. Ordered from "nothing known" to "resolved". */
enum reason {
	REASON_RESOLVED,         /* it has one */
	REASON_NOT_BOUND,        /* never looked at: tm-symbolize has not run */
	REASON_UNKNOWN_LOCATION, /* the capture itself does not know the address */
	REASON_NO_MODULE,        /* no mapped module holds the address, and no slide is known */
	REASON_NO_FILE,          /* the module's binary was not given and not found */
	REASON_BUILD_ID_DIFFERS, /* a binary was found, of another build */
	REASON_BAD_FILE,         /* the binary is unreadable or broken */
	REASON_AMBIGUOUS,        /* file offset or vaddr: nothing decides */
	REASON_OUTSIDE,          /* in no code of the binary */
	REASON_NO_SYMBOL,        /* inside the binary, but no DWARF and no symbol covers it */
	REASON_NO_DWARF,         /* a symbol's name was found; the binary has no DWARF for more */
	REASON_MALFORMED,        /* the DWARF unit that owns it is broken */
	REASON_GAVE_UP,          /* a limit of time or memory was reached */
	REASON_REPLACED, /* a file was found, which is not the one that was loaded; in a trace
				  * REASON_BUILD_ID_DIFFERS and BINDING_REPLACED */
	REASONS
};

/* How much is known; coverage counts these. */
enum tier { TIER_NOTHING, TIER_MODULE, TIER_NAME, TIER_LINE, TIERS };

struct symbol_object {       /* a binary that locations were bound to, or a module without one */
	uint32_t name;       /* the module's name as captured, else the file's base name */
	uint32_t path;       /* the file read, 0: none */
	uint32_t debug_path; /* where the debug sections came from, 0: none */
	uint32_t build_id;   /* raw bytes */
};

struct symbol_function {
	uint32_t raw;     /* linkage name: the identity */
	uint32_t display; /* demangled; the same string when there is nothing to demangle */
};

/* With what the name of a function begins of which a binary says where it starts, and nothing more: its start in the
 * binary follows, "fn_0x1a2b0". What is bound to a call of it has TIER_MODULE, and the reason why it has no name. */
#define SYMBOL_START "fn_0x"

struct symbol_call {
	uint32_t outer; /* call id it was inlined into; 0: this is the physical function */
	uint32_t function, file;
	uint32_t line, column;
};

enum binding_flags {
	BINDING_FROM_SYMTAB = 1 << 0,   /* the name comes from the symbol table */
	BINDING_UNSIZED = 1 << 1,       /* from a symbol without a size: a guess */
	BINDING_STRIPPED_BITS = 1 << 2, /* tag, PAC or Thumb bits were cleared */
	BINDING_FOLDED =
	    1 << 3, /* functions of several linkage names are at its function's address */
	BINDING_REPLACED = 1 << 4, /* in a trace only */
	BINDING_LOCAL =
	    1 << 5, /* another file may have a function of its function's linkage name */
};

struct binding {
	uint64_t vaddr;  /* link-time address as captured (before the -1); 0 when not bound */
	uint32_t object; /* id; 0: none */
	uint32_t call;   /* innermost call; 0: none */
	uint8_t reason;  /* enum reason */
	uint8_t tier;    /* enum tier */
	uint8_t flags;   /* enum binding_flags */
	uint8_t kind;    /* enum location_kind in force */
};

struct trace_symbols {
	struct intern strings;
	struct symbol_object *objects; /* [0] unused, as in all tables */
	size_t n_objects, cap_objects;
	struct symbol_function *functions;
	size_t n_functions, cap_functions;
	struct symbol_call *calls;
	size_t n_calls, cap_calls;
	struct binding *bindings; /* by location id; may be shorter than the locations */
	size_t n_bindings, cap_bindings;
};

void symbols_release(struct trace_symbols *s);
/* The same rows, with the same numbers, in memory of their own. */
struct trace_symbols symbols_copy(const struct trace_symbols *s);
/* Append a row (no look-up), return its id. */
uint32_t symbols_object(struct trace_symbols *s, const struct symbol_object *o);
uint32_t symbols_function(struct trace_symbols *s, const struct symbol_function *f);
uint32_t symbols_call(struct trace_symbols *s, const struct symbol_call *c);
/* The binding of a location; one with REASON_NOT_BOUND if it has no binding. */
const struct binding *symbols_binding(const struct trace_symbols *s, uint32_t location);
void symbols_bind(struct trace_symbols *s, uint32_t location, const struct binding *b);

const char *reason_text(unsigned reason); /* "no module maps it" */
const char *tier_name(unsigned tier);

#endif
