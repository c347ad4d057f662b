/* SPDX-License-Identifier: MIT
 *
 * Answers of libtracemill in the words of other tools, byte for byte: GNU addr2line (binutils 2.40),
 * llvm-symbolizer (LLVM 19, lib/DebugInfo/Symbolize/DIPrinter.cpp) and atos. Text goes to a
 * buffer; nothing is escaped, since programs read it.
 */
#ifndef TM_COMPAT_PRINT_H
#define TM_COMPAT_PRINT_H

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/compat/request.h"
#include "lib/library/tracemill/symbolize.h"

enum print_names {
	NAMES_NONE,
	NAMES_SHORT,   /* without scopes, parameters and template scopes: DW_AT_name's like */
	NAMES_LINKAGE, /* raw, or demangled */
};

struct print_options {
	uint8_t names; /* enum print_names */
	bool demangle; /* the symbolizer was asked to, in their spelling */
	bool inlines;
	bool addresses;
	bool pretty;
	bool no_discriminators; /* as GNU prints PE files */
	bool base_names;
	bool verbose;     /* llvm: a row per fact */
	bool columns;     /* llvm: file:line:column and an empty line behind the answer */
	bool json;        /* llvm */
	bool mixed;       /* llvm: without inlined calls, the outermost one's name all the same */
	uint64_t context; /* llvm: lines of source, 0: none */
	const char *delimiter; /* atos: between the calls of an address */
};

/* An answer as views have it: n calls, innermost first. */
struct print_answer {
	const struct tracemill_call *calls;
	size_t n;
};
/* That of the i-th query that was viewed. */
static inline struct print_answer print_viewed(const struct tracemill_views *v, size_t i)
{
	return (struct print_answer){VEC_AT(v->calls, v->first[i]), v->first[i + 1] - v->first[i]};
}

/* shown: the address to print, in 8 digits where wide is false and they suffice. False: nothing is
 * known of it. */
bool print_gnu(struct buf *b, uint64_t shown, bool wide, struct print_answer a,
	       const struct print_options *o);

/* A file of requests, as it was opened. */
struct print_binary {
	struct tracemill_binary *binary; /* NULL: it cannot be used */
	const char *path;
	const char *why;     /* "": not said */
	uint64_t image_base; /* of a PE file when it was first opened; 0: another kind */
	uint64_t image_end;  /* of one, too */
	bool below;          /* an address below it was asked for, and a note says so */
	struct request_above above;
};
/* What has been answered. */
struct print_from {
	struct tracemill_symbolizer *symbolizer;
	struct tracemill_views *views; /* of whoever prints */
	const struct print_options *options;
};

/* The answer to a request; JSON: an object without a line end. A request by name has as many
 * queries as there are symbols of it; every other one has one. What is no request is answered as
 * what is not found. binary NULL: of a build-id that was not found. */
void print_llvm(struct buf *b, const struct print_from *from, const struct print_binary *binary,
		const struct tracemill_query *queries, size_t n, const struct compat_request *r);

/* The same JSON (ours: balanced, no blanks, no empty object) over several lines. */
void print_indented(struct buf *b, const char *json, size_t n);

/* With its line end; query: of the last batch, NULL: the line was no address. */
void print_atos(struct buf *b, const struct print_from *from, const struct tracemill_query *query,
		uint64_t shown, struct print_answer a);

#endif
