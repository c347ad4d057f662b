/* SPDX-License-Identifier: MIT
 *
 * The conversion of an engine's answers for one object to named calls in a struct trace_symbols: chains
 * are copied outermost first, static functions get the symbol table's fuller name, and what has no
 * DIE (thunks, assembler, files without DWARF) is named by its symbol, within the symbol's bounds.
 * A call in C++ that il2cpp made of C# gets one inside it, at the line of C# (managed.h).
 */
#ifndef TM_SYMBOLIZE_CALLS_H
#define TM_SYMBOLIZE_CALLS_H

#include "lib/dwarf/engine.h"
#include "lib/managed/managed.h"
#include "lib/trace/symbols.h"

/* Where calls go to; several objects may share one. */
struct symbolize_calls {
	struct trace_symbols *to; /* the caller's */
	uint64_t *cut;            /* the caller's: counts names that were cut */
	uint32_t *function_of;    /* by symbol string; 0: none yet */
	size_t cap_functions;
	/* Equal calls become one, so that ids do not depend on how the engine or an index
	 * distinguish calls: for what is written with its ids. */
	bool unique;
	struct id_set known; /* calls, when they are unique */
	/* By call of to, as far as there are any; name and file are strings of to. */
	struct dwarf_extra *extras;
	size_t n_extras, cap_extras;
	struct managed *managed; /* the caller's, set behind calls_init; NULL: nothing managed */
	bool dwarf_names;        /* set so, too: never the symbol's fuller name */
	bool plt_names;          /* set so, too: stubs of the PLT are named NAME@plt */
	bool symbol_files; /* set so, too: a local symbol's file is that of the symbol table */
	/* NULL: demangle.h's */
	char *(*demangle)(const char *raw);
	size_t n_shown; /* functions that calls_demangle has seen */
};

void calls_init(struct symbolize_calls *c, struct trace_symbols *to, uint64_t *cut);
void calls_release(struct symbolize_calls *c);
uint32_t calls_string(struct symbolize_calls *c, const char *s); /* 0 for "" */
/* Fills in the display names of all functions that are new, on this many threads. */
void calls_demangle(struct symbolize_calls *c, unsigned jobs);

/* The answers for one object. addrs and answers are the job's, borrowed. */
struct calls_of {
	struct symbolize_calls *calls;
	struct object *object;
	const uint64_t *addrs;
	const struct dwarf_answers *answers;
	struct map64 copied; /* name by symbol << 32 | answers' call -> symbols' call */
	uint32_t *plain;     /* the same where no symbol names it; and CALL_FIXED: none ever will */
	/* answers' string -> symbols' function, symbols' string + 1; 0: not yet */
	uint32_t *functions, *files;
	struct managed_of *managed; /* NULL: nothing is known */
	struct map64 line_memo;
	bool local; /* the last call that was copied is of a function that only its file knows */
};

struct symbolize_named {
	uint32_t call;  /* innermost, in symbols; 0: nothing is known */
	uint8_t reason; /* enum reason */
	uint8_t flags;  /* enum binding_flags */
	uint8_t found;  /* enum dwarf_found: what the engine said */
};

void calls_of_init(struct calls_of *o, struct symbolize_calls *calls, struct object *object,
		   const uint64_t *addrs, const struct dwarf_answers *answers);
void calls_of_release(struct calls_of *o);
uint64_t calls_of_bytes(const struct calls_of *o); /* that it takes at first */
/* What is known of the i-th address. */
struct symbolize_named calls_at(struct calls_of *o, size_t i);
/* The same of any address, by an answer whose call is of these answers. */
struct symbolize_named calls_by(struct calls_of *o, uint64_t addr, const struct dwarf_answer *a);

/* The symbol at addr, when its name says more than the name that DWARF has for the function there:
 * gcc gives static functions and those of unnamed namespaces no linkage name: the symbol's says
 * more ("eng::(anonymous namespace)::build_mesh(int)" for "build_mesh"). It is taken for the
 * physical function only, and only when it holds the DWARF name as a part of its own: a symbol of
 * folded code is another function's. NULL: it is not to be had. */
const struct object_symbol *calls_symbol(struct object *o, uint64_t addr, const char *name,
					 size_t n_name);
bool calls_is_mangled(const char *name, size_t n);
/* What names an address that has no DIE: its symbol; where it has none, the stub of the PLT, if those are to
 * be named. NULL: nothing does. */
const struct object_symbol *calls_symbol_alone(struct object *o, uint64_t addr, bool plt_names);

/* Of a module that has no file, from its usym: address counts from the module's lowest. */
struct symbolize_named calls_of_usym(struct symbolize_calls *c, const struct usym *u,
				     uint64_t address);
/* For calls.c: id of a call, of a function by its raw name. */
uint32_t calls_add(struct symbolize_calls *c, const struct symbol_call *call);
uint32_t calls_function(struct symbolize_calls *c, const char *raw, size_t n);
/* calls_managed.c: the call at the line of C# inside this one; the call itself if there is no such
 * line.
 */
uint32_t calls_at_line(struct calls_of *o, uint32_t call);
/* The same by the binary's usym, which is also used where nothing else gave a line. */
uint32_t calls_at_address(struct calls_of *o, uint64_t addr, uint32_t call);

#endif
