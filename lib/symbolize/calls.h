/* SPDX-License-Identifier: MIT
 *
 * From an engine's answers for one object to named calls in a struct symbols: chains are copied
 * outermost first, static functions get the symbol table's fuller name, and what has no DIE
 * (thunks, assembler, files without DWARF) is named by its symbol, within the symbol's bounds.
 */
#ifndef TM_SYMBOLIZE_CALLS_H
#define TM_SYMBOLIZE_CALLS_H

#include "lib/dwarf/engine.h"
#include "lib/trace/symbols.h"

/* Where calls go to; several objects may share one. */
struct calls {
	struct symbols *to;       /* the caller's */
	uint64_t *cut;            /* the caller's: counts names that were cut */
	struct map64 function_of; /* symbol string -> function */
	/* Equal calls become one, so that ids do not depend on how the engine or an index tell
	 * calls apart: for what is written with its ids. */
	bool unique;
	struct map64 call_of; /* hash of a call -> call, when they are unique */
	/* By call of to, as far as there are any; name and file are strings of to. */
	struct dwarf_extra *extras;
	size_t n_extras, cap_extras;
};

void calls_init(struct calls *c, struct symbols *to, uint64_t *cut);
void calls_release(struct calls *c);
uint32_t calls_string(struct calls *c, const char *s); /* 0 for "" */
/* Fills in the display names of all functions, on this many threads. */
void calls_demangle(struct calls *c, unsigned jobs);

/* The answers for one object. addrs and answers are the job's, borrowed. */
struct calls_of {
	struct calls *calls;
	struct object *object;
	const uint64_t *addrs;
	const struct dwarf_answers *answers;
	struct map64 copied; /* name by symbol << 32 | answers' call -> symbols' call */
	uint32_t *plain;     /* the same where no symbol names it; and CALL_FIXED: none ever will */
	/* answers' string -> symbols' function, symbols' string + 1; 0: not yet */
	uint32_t *functions, *files;
};

struct named {
	uint32_t call;  /* innermost, in symbols; 0: nothing is known */
	uint8_t reason; /* enum reason */
	uint8_t flags;  /* enum binding_flags */
};

void calls_of_init(struct calls_of *o, struct calls *calls, struct object *object,
		   const uint64_t *addrs, const struct dwarf_answers *answers);
void calls_of_release(struct calls_of *o);
/* What is known of the i-th address. */
struct named calls_at(struct calls_of *o, size_t i);

#endif
