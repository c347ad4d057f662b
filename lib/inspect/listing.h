/* SPDX-License-Identifier: MIT
 *
 * A function's instructions with their source lines and, where a caller has added them up, what each of
 * them costs.
 */
#ifndef TM_INSPECT_LISTING_H
#define TM_INSPECT_LISTING_H

#include "lib/inspect/inspect.h"
#include "lib/inspect/table_buf.h"
#include "lib/symbolize/lookup.h"

struct extent { /* what to disassemble */
	uint64_t lo, hi;
	const char *name; /* borrowed: its symbol's, of the binary; "": no symbol has it */
	size_t others;    /* more functions of that name */
};

/* Self is what stacks have that end there, total what stacks have that pass there. */
struct listing_cost {
	uint64_t self, total;
	uint32_t stack; /* the last that was added, so that it counts once */
};

struct listing_instruction {
	uint64_t addr;
	unsigned size; /* in bytes */
	bool calls;
	struct listing_cost cost;
};

struct listing {                 /* of one function; zeroed is empty */
	const struct inspect *x; /* borrowed */
	struct extent of;
	struct listing_instruction *items; /* without gaps */
	size_t n, cap;
	struct listing_cost cost; /* of the function */
	struct listing_cost none; /* of addresses in it that belong to no instruction */
};

struct listing_metric {              /* what costs are of */
	const char *key, *total_key; /* of columns; borrowed, as are the next */
	const char *self_title, *total_title;
	enum column_type type;
	uint64_t all; /* what a share is of */
};

/* what: an address (0x...), or a function's name, raw or demangled, with or without parameters; of
 * several functions the first symbol's. ST_NONE with a text: not found. */
enum status listing_find(const struct inspect *x, const char *what, struct extent *out,
			 struct err *e);
/* All functions of that name, one for each address: *out is the caller's (mem.h). */
size_t listing_find_all(const struct inspect *x, const char *what, struct extent **out);
/* Whether a function of this name is meant: the whole of it, or all before its parameters or the file that
 * tells it apart (names.h). */
bool listing_is_called(const char *name, const char *what);
/* The function that holds an address, by symbols, else by unwind tables; false: none. */
bool listing_around(const struct inspect *x, uint64_t addr, struct extent *out);

/* Disassembles; l is released by the caller. ST_UNSUPPORTED: there is no disassembler for it. */
enum status listing_read(struct listing *l, const struct inspect *x, const struct extent *of,
			 struct err *e);
void listing_release(struct listing *l); /* accepts a zeroed struct */
/* The instruction at addr, or where addr is a return address the one that ends there, which is a call as
 * a rule. NULL: no instruction begins (ends) there. */
struct listing_instruction *listing_at(const struct listing *l, uint64_t addr, bool returns);
static inline void cost_add(struct listing_cost *c, uint32_t stack, bool innermost, uint64_t v)
{
	uint64_t sum;

	if (innermost)
		c->self = __builtin_add_overflow(c->self, v, &sum) ? UINT64_MAX : sum;
	if (c->stack != stack)
		c->total = __builtin_add_overflow(c->total, v, &sum) ? UINT64_MAX : sum;
	c->stack = stack;
}

/* An empty table, to be released by the caller. m: NULL without costs; else it is a tree of functions
 * and their instructions. */
void listing_sheet(struct table_buf *s, const struct listing_metric *m);
/* The function, for people: its readable name, or its address. */
struct table_cell listing_name(struct table_buf *s, const struct listing *l);
/* Adds l's rows, with lines by the debug information. */
enum status listing_rows(struct table_buf *s, const struct listing *l, struct lookup *lookup,
			 const struct listing_metric *m, struct err *e);

#endif
