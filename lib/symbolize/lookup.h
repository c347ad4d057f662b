/* SPDX-License-Identifier: MIT
 *
 * The look-up of addresses in files that the user names, for the drop-ins for addr2line and its
 * like. A file is opened once; a batch of queries, of any number of files and in any order, is one
 * sorted batch of unique addresses per file for the engine.
 */
#ifndef TM_SYMBOLIZE_LOOKUP_H
#define TM_SYMBOLIZE_LOOKUP_H

#include "lib/dwarf/fast/variable.h"
#include "lib/index/cache.h"
#include "lib/symbolize/calls.h"
#include "lib/symbolize/verify.h"

struct lookup_options {
	struct dwarf_options dwarf;
	struct object_search search;
	struct cache_options cache;
	struct managed_options managed; /* zeroed: as the tools that they stand in for */
	const char *arch; /* of a universal file that is meant; NULL: its path says which */
	bool demangle;    /* fill in the functions' display names */
	char *(*demangler)(const char *raw); /* NULL: demangle.h's */
	bool dwarf_names; /* where DWARF names a function, no symbol's fuller name */
	bool plt_names;   /* stubs of the PLT are named NAME@plt */
	/* Answers are left where the engine has stored them, names as long as they are there, when
	 * nothing has to be made of them: see lookup.viewing. */
	bool views;
	uint64_t keep; /* bytes that may be kept from run to run of what was decoded; 0: none */
	struct verify *verify; /* the caller's, which answers are offered to; NULL: none */
};

struct lookup_file {
	char *path;
	struct object *object; /* NULL: could not be opened, or an APK */
	/* An APK or another zip file: addresses are offsets in it, and become those of the stored
	 * libraries that are there. NULL: path is no zip file. */
	struct lookup_apk *apk;
	struct err e; /* why; or what was refused as debug file ("" when nothing was) */
	uint32_t index;
	uint64_t run;          /* the last that asked it */
	uint64_t symbol_bytes; /* of its table, when that run was done */
	bool symbols_shown;    /* to the caller, who may hold their names: they stay */
	bool open;             /* else nothing of it is there but its path */
	/* What is to be seen from outside of its file and of its debug file, as they were when it was opened; 0:
	 * nothing. n_path: bytes of path that are the file's, without a member's. */
	uint64_t seen, debug_seen;
	char *watched;        /* where its debug file is, was, or is expected; NULL: nowhere */
	bool opened, refused; /* once; and then e had something to say */
	size_t n_path;
	uint32_t part; /* of the last run, which asked it: number + 1; 0: it did not */
	struct dwarf_variables *variables; /* of lookup_global and lookup_locals */
	bool variables_sought;
	bool met; /* by lookup_run, at an address of a zip file, without a name from the caller */
};

struct lookup_query {
	struct lookup_file *file; /* NULL, or without an object: nothing is known */
	/* Link-time, looked up as it is; but of a relocatable file and of an APK as people give
	 * them: lookup_run sets file and addr to what it looked up. */
	uint64_t addr;
	struct symbolize_named
	    named; /* the answer; its call is in lookup.symbols, unless lookup.viewing */
};

/* The queries of one file. */
struct lookup_part {
	struct lookup_file *file;
	size_t n;
	uint64_t *addrs; /* theirs; then unique, ascending */
	uint32_t *at;    /* by query of the part: its address among those */
	size_t n_addrs;
	uint32_t *queries; /* of the part; NULL: all that there are */
	struct dwarf_answers answers;
};

struct lookup {
	struct lookup_options options;
	struct lookup_file **files; /* pointers stay valid */
	size_t n_files, cap_files;
	struct index_cache cache;
	struct managed managed;
	struct id_set file_of; /* index + 1, by path */
	/* What was made of answers of runs, kept while it is small; with it what options.dwarf.extras asks for. */
	struct trace_symbols symbols;
	struct symbolize_calls calls; /* to symbols */
	uint64_t cut;
	struct calls_of *memos; /* of units that the engine keeps: what was made of their calls */
	size_t n_memos, cap_memos;
	struct map64 memo_of; /* index + 1, by number of the unit */
	uint64_t memo_bytes;
	/* Of the last run: named.call is the engine's, its reason and flags are not set, and it has added nothing to
	 * symbols. */
	bool viewing;
	struct lookup_part
	    *parts; /* files that the last run asked, with their answers while viewing */
	size_t n_parts;
	uint64_t runs, symbol_bytes; /* of all files */
	struct intern
	    messages; /* complaints, each once; ids below next_message have been reported */
	uint32_t next_message;
};

void lookup_init(struct lookup *l, const struct lookup_options *o); /* o is copied */
void lookup_release(struct lookup *l);
/* The file at this path; the same pointer for the same path. Never NULL: see its object. */
struct lookup_file *lookup_file(struct lookup *l, const char *path, size_t n);
/* Gives back what a file holds; it is opened again by lookup_file. Answers of the last run are gone. Of a zip file
 * the libraries in it, too. */
void lookup_close(struct lookup *l, struct lookup_file *f);
/* Another file is at its path, or at its debug file's, since it was opened: its device, inode, size or time of
 * modification differ. One that is gone has no other in its place. A debug file that was not found may have come. */
bool lookup_replaced(const struct lookup_file *f);
/* The file of this build-id in the search's folders or of its finders; NULL: none has it. */
struct lookup_file *lookup_file_by_id(struct lookup *l, const struct object_build_id *id);
/* It is open for queries. */
bool lookup_usable(const struct lookup_file *f);
bool lookup_is_64(const struct lookup_file *f);
/* Answers all queries. ST_SYS: no engine can run. */
enum status lookup_run(struct lookup *l, struct lookup_query *queries, size_t n, struct err *e);
/* The next complaint about a file's debug information that was not yet given; NULL: no more. */
const char *lookup_complaint(struct lookup *l);

enum lookup_by {                                 /* bits */
		 LOOKUP_NAME_BY_SYMBOL = 1 << 0, /* the symbol table has the name, not DWARF */
		 LOOKUP_NAME_BY_UNSIZED =
		     1 << 1, /* besides: the symbol has no size, so that it is a guess */
};

/* One call of an answer, where it lies: valid until the next run. Texts do not end in NUL for our
 * purposes. */
struct lookup_call {
	const char *name, *file; /* n_name 0, n_file 0: not known; name as options.demangle says */
	uint32_t n_name, n_file;
	uint32_t line, column, discriminator; /* 0: not known */
	bool inlined;                         /* into the one behind it */
	uint8_t by;                           /* enum lookup_by: of the innermost one */
	uint32_t id;                          /* in symbols; 0: viewing */
};

/* The answers to some queries: those to the i-th are calls [first[i], first[i + 1]), innermost
 * first; none: nothing is known. Zeroed is empty; of one thread. */
struct lookup_views {
	struct lookup_call *calls;
	uint32_t *first;
	struct lookup_node *nodes;
	size_t n; /* calls */
	size_t cap, cap_nodes, cap_first;
};

/* Views of n answers, at most LOOKUP_VIEWS, which fit into the nearest cache: what all of them need
 * is fetched at once, so that the processor does not wait for one after the other. Any thread. */
void lookup_view(const struct lookup *l, const struct lookup_query *queries, size_t n,
		 struct lookup_views *v);
void lookup_views_release(struct lookup_views *v);
enum { LOOKUP_VIEWS = 48 }; /* fit */
/* ST_BAD: a file has lost bytes since: what was read of it may be nonsense. To be called once all
 * is printed. */
enum status lookup_intact(const struct lookup *l, struct err *e);

/* What else is known of a call of the last run; name and file are strings of symbols. */
const struct dwarf_extra *lookup_extra(const struct lookup *l, uint32_t call);

/* What is at the address of a query that has been run, if it is data: its symbol, or NULL, and
 * where DWARF says that it is declared. */
struct lookup_global {
	const struct object_symbol *symbol;
	struct dwarf_declaration declared;
};
struct lookup_global lookup_global(const struct lookup_query *q);
/* Variables of the innermost function at the address of a query that has been run; valid until the
 * next call. */
const struct dwarf_local *lookup_locals(const struct lookup_query *q, size_t *n);

/* The lowest link-time address of a file's segments. */
uint64_t lookup_base(const struct lookup_file *f);
/* What it is for, as atos calls it: "x86_64", "arm64", "arm" for all its versions; "": not known.
 */
const char *lookup_machine(const struct lookup_file *f);

#endif
