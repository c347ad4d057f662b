/* SPDX-License-Identifier: MIT
 *
 * Symbolizer markup: a log in which {{{module:...}}} and {{{mmap:...}}} place modules in memory,
 * until {{{reset}}}, and {{{pc:...}}}, {{{bt:...}}}, {{{data:...}}} and {{{symbol:...}}} are to be
 * replaced by what a person reads. As llvm-symbolizer --filter-markup of LLVM 19 does it
 * (llvm/docs/SymbolizerMarkupFormat.rst, lib/DebugInfo/Symbolize/MarkupFilter.cpp), byte for byte,
 * complaints too; like there an element ends in its line. All else passes as it is.
 *
 * Lines go in one after the other; what they gave waits for the answers to its queries, is printed
 * part by part, and cleared. Bounds of ours: MARKUP_MOST modules and mappings at a time, and so
 * many complaints about a line as MARKUP_COMPLAINTS.
 */
#ifndef TM_LLVM_SYMBOLIZER_MARKUP_H
#define TM_LLVM_SYMBOLIZER_MARKUP_H

#include "lib/base/arena.h"
#include "lib/base/hash.h"
#include "lib/compat/print.h"

enum {
	MARKUP_MOST = 65536,
	MARKUP_COMPLAINTS = 20,
	MARKUP_LONGEST = 1 << 20, /* bytes of a line that are read */
};

/* What colours are now, by the log's own codes. */
struct markup_ink {
	bool on; /* codes are written */
	bool bold;
	int8_t color; /* 0-7; -1: none */
};

struct markup_module {
	uint64_t id;
	const char *name; /* in names */
	size_t n_name;
	const char *build_id; /* lowercase hexadecimal digits, in names */
	size_t n_build_id;
	struct tracemill_binary *file; /* NULL: was not found */
	bool sought;
};

struct markup_mmap {
	uint64_t addr, size;
	uint64_t at; /* link-time address of addr */
	uint32_t module;
	char mode[4];
};

/* A replaced element, and what was before it in the text. */
struct markup_part {
	uint8_t kind;
	struct markup_ink ink;
	bool crlf;
	size_t behind;    /* text up to here is before it */
	const char *text; /* between the braces; borrowed from its line */
	size_t n_text;
	size_t query;
	uint64_t frame, addr, relative;
	const char *module; /* its name */
	size_t n_module;
};

struct markup {
	/* The file of a build-id in hexadecimal digits, or NULL. */
	struct tracemill_binary *(*find)(void *arg, const char *id, size_t n);
	void *arg;
	struct markup_ink ink;
	/* What is to be printed, and asked first. */
	struct buf text;
	struct markup_part *parts;
	size_t n_parts, cap_parts;
	struct tracemill_query *queries;
	size_t n_queries, cap_queries;
	struct buf complaints; /* for standard error; the caller takes them at any time */
	bool malformed;        /* some element was: never cleared */
	bool unanswered;       /* some file was not found, or nothing is there: the same */
	/* Since the last reset. */
	struct arena names;
	bool stale; /* some of names is not needed after this piece */
	struct markup_module *modules;
	size_t n_modules, cap_modules;
	struct map64 module_of;    /* id -> index + 1 */
	struct markup_mmap *mmaps; /* by addr */
	size_t n_mmaps, cap_mmaps;
	/* The line about a module that is not ended yet. */
	bool is_open;
	uint32_t open;
	struct markup_mmap *added;
	size_t n_added, cap_added;
	/* The line being read. */
	const char *line;
	size_t n_line;
	unsigned told;
	struct markup_node *deferred;
	size_t n_deferred, cap_deferred;
};

void markup_init(struct markup *m, bool colors);
void markup_release(struct markup *m);
/* A line without its end; borrowed until markup_clear. */
void markup_line(struct markup *m, const char *s, size_t n);
void markup_end(struct markup *m); /* of the log */

/* After tracemill_symbolize of m->queries: part i with the text before it; i == n_parts is the text behind
 * them all. */
void markup_print(struct buf *b, struct markup *m, const struct print_from *from, size_t i);
void markup_clear(struct markup *m); /* all that was printed, and the complaints */

/* For those two: what is shown is blue, its values green, and then the log's own colours again. */
void markup_highlight(struct buf *b, struct markup_ink k);
void markup_restore(struct buf *b, struct markup_ink k);
void markup_value(struct buf *b, struct markup_ink k, const char *s, size_t n);
/* A short one, of at most 39 bytes. */
void markup_valuef(struct buf *b, struct markup_ink k, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* [[[tag:field]]] */
void markup_raw(struct buf *b, struct markup_ink k, const char *s, size_t n);

enum { MARKUP_SYMBOL, MARKUP_PC, MARKUP_BT, MARKUP_DATA };

#endif
