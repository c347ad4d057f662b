/* SPDX-License-Identifier: MIT
 *
 * Answers of a lookup in the words of other tools, byte for byte: GNU addr2line (binutils 2.40),
 * llvm-symbolizer (LLVM 19, lib/DebugInfo/Symbolize/DIPrinter.cpp) and atos. Text goes to a
 * buffer; nothing is escaped, since programs read it.
 */
#ifndef TM_COMPAT_PRINT_H
#define TM_COMPAT_PRINT_H

#include "lib/base/buf.h"
#include "lib/compat/request.h"
#include "lib/symbolize/lookup.h"

enum print_names {
	NAMES_NONE,
	NAMES_SHORT,   /* without scopes, parameters and template scopes: DW_AT_name's like */
	NAMES_LINKAGE, /* raw, or demangled */
};

struct print_options {
	uint8_t names; /* enum print_names */
	bool demangle; /* the lookup was asked to */
	bool inlines;
	bool addresses;
	bool pretty;
	bool base_names;
	bool verbose;     /* llvm: a row per fact */
	bool columns;     /* llvm: file:line:column and an empty line behind the answer */
	bool json;        /* llvm */
	bool mixed;       /* llvm: without inlined calls, the outermost one's name all the same */
	uint64_t context; /* llvm: lines of source, 0: none */
	const char *delimiter; /* atos: between the calls of an address */
};

/* shown: the address to print. False: nothing is known of it. */
bool print_gnu(struct buf *b, const struct lookup *l, const struct lookup_query *q, uint64_t shown,
	       const struct print_options *o);
/* The same of an answer's n calls, while lookup.viewing. */
bool print_gnu_view(struct buf *b, const struct lookup_query *q, uint64_t shown,
		    const struct lookup_call *calls, size_t n, const struct print_options *o);

/* The answer to a request; JSON: an object without a line end. A request by name has as many
 * queries as there are symbols of it; every other one has one. What is no request is answered as
 * what is not found. */
void print_llvm(struct buf *b, const struct lookup *l, const struct lookup_query *queries, size_t n,
		const struct compat_request *r, const struct print_options *o);

/* The same JSON (ours: balanced, no blanks, no empty object) over several lines. */
void print_indented(struct buf *b, const char *json, size_t n);

/* With its line end. */
void print_atos(struct buf *b, const struct lookup *l, const struct lookup_query *q, uint64_t shown,
		const struct print_options *o);

/* For those three: the names and places of a call. */
const char *print_name(const struct lookup *l, uint32_t function, const struct print_options *o);
/* A file's path, or its last part; "" for 0. */
const char *print_path(const struct lookup *l, uint32_t id, const struct print_options *o);
/* "" when it is not known. */
const char *print_file(const struct lookup *l, const struct symbol_call *c,
		       const struct print_options *o);

#endif
