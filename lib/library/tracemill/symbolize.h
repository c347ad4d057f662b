/* SPDX-License-Identifier: MIT
 *
 * Addresses of binaries -> functions, source files and lines, with inlined calls: the engine of
 * tracemill's programs as a library (libtracemill(3)). ELF with DWARF 2 to 5 in all the places where
 * it is kept (debug files by build-id or link, split DWARF, dwz, compressed sections), Mach-O with
 * dSYM, GSYM, Breakpad.
 *
 *     struct tracemill_symbolizer *s;
 *     struct tracemill_binary *b;
 *     struct tracemill_views v = {0};
 *     struct tracemill_query q[2];
 *
 *     if (tracemill_symbolizer_new(&s, NULL) || tracemill_binary_open(s, "a.out", &b))
 *             return 1;
 *     q[0] = (struct tracemill_query){.binary = b, .address = 0x1189};
 *     q[1] = (struct tracemill_query){.binary = b, .address = 0x11a2};
 *     if (tracemill_symbolize(s, q, 2) || tracemill_view(s, q, 2, &v))
 *             return 1;
 *     for (uint32_t i = v.first[0]; i < v.first[1]; i++)
 *             printf("%.*s\n", (int)v.calls[i].n_function, v.calls[i].function);
 *     tracemill_views_release(&v);
 *     tracemill_symbolizer_free(s);
 *
 * Batches are what it is fast at: addresses are sorted, made unique and answered on several threads
 * in one walk of the debug information. Ask for thousands at once.
 *
 * Errors. A function that can fail returns enum tracemill_status, 0 for success; the reason is
 * tracemill_error(). Nothing is printed, nothing ends the program, no signal handler is left behind
 * (but see TRACEMILL_GUARD_FILES), and memory that runs out is an error. After TRACEMILL_MEMORY and
 * TRACEMILL_CANCELLED all that the handle held is given back and answers of earlier batches are gone;
 * the handle and its binaries stay valid, and the next call opens files again.
 *
 * Memory. All texts are views into what the handle holds (mapped debug files and its own memory):
 * valid until the next tracemill_symbolize with it, unless stated otherwise, and they do not end in
 * NUL. Nothing but the handle is to be freed.
 *
 * Threads. Handles share nothing: each may be used in a thread of its own. One handle is used by one
 * thread at a time, but for the functions marked "any thread", which may run at once in as many as
 * one likes between two batches. tracemill_symbolize starts threads of its own and waits for them.
 *
 * Structures that the caller fills in begin with their size: fill in sizeof, so that later versions,
 * which only add members at the end, know what is there. Zeroed members are the defaults.
 */
#ifndef TRACEMILL_SYMBOLIZE_H
#define TRACEMILL_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct tracemill_symbolizer;
struct tracemill_binary;

enum tracemill_flags {
	/* A process-wide handler of SIGBUS, which is left in place: a mapped file that shrinks while it
	 * is read reads as zeroes and becomes an error (TRACEMILL_BAD). Without it SIGBUS ends the
	 * program, as with any mapping. A handler that was there before is called for all other
	 * faults. */
	TRACEMILL_GUARD_FILES = 1 << 0,
	/* Keep what was decoded in the cache's folder, and use what is there: later batches of the same
	 * binaries are several times faster. */
	TRACEMILL_CACHE = 1 << 1,
	/* Do not look for debug files below /usr/lib/debug. */
	TRACEMILL_NO_SYSTEM_DIRS = 1 << 2,
	/* Without effect since 0.3: tracemill_verify asks libdwarf. */
	TRACEMILL_REFERENCE_ENGINE = 1 << 3,
	/* Keep what was tried, for tracemill_explain. */
	TRACEMILL_EXPLAIN = 1 << 4,
	/* tracemill_call.function as people write it: C++ and Rust, as GNU's tools spell it. All names
	 * of a batch are demangled at once, on the handle's threads. */
	TRACEMILL_DEMANGLE = 1 << 5,
	TRACEMILL_LLVM_SPELLING = 1 << 6, /* of TRACEMILL_DEMANGLE: as LLVM's tools spell it */
	/* Where DWARF names a function, never the symbol table's fuller name of it. */
	TRACEMILL_DWARF_NAMES = 1 << 7,
	TRACEMILL_DETAILS = 1 << 8, /* tracemill_call_details is going to be asked */
	/* ... and has what needs a second look at each function. No cache has that. */
	TRACEMILL_DECLARED = 1 << 9,
	/* Files without the compilation directory. No cache has that. */
	TRACEMILL_RELATIVE = 1 << 10,
	/* Generated functions (il2cpp) are shown by their managed names. */
	TRACEMILL_MANAGED_NAMES = 1 << 11,
	TRACEMILL_LINE_MAP_WINDOW = 1 << 12, /* line_map_window is set */
	/* Look for files of managed code next to binaries, as tm-symbolize(1) says where. */
	TRACEMILL_MANAGED_BESIDE = 1 << 13,
	/* Stubs through which a binary calls functions of other ones (its PLT) are named by them,
	 * "malloc@plt", as objdump does. x86-64, i386, arm64, arm, riscv. */
	TRACEMILL_PLT_NAMES = 1 << 14,
};

struct tracemill_options {
	size_t size; /* sizeof(struct tracemill_options) */
	unsigned flags;
	unsigned threads; /* 0: as many as there are processors for this process */
	/* Trees with .build-id/ab/cdef.debug, and folders with debug files below them. */
	const char *const *debug_dirs;
	size_t n_debug_dirs;
	const char *sysroot; /* paths of a captured system are below it; NULL: none */
	/* debuginfod servers, and symbol servers of Windows as srv*https://host/symbols; 0: no network. tracemill_symbolizer_new then starts a process (fork) which
	 * asks them: make the handle before the program has threads. After TRACEMILL_MEMORY and
	 * TRACEMILL_CANCELLED the next call starts it again. */
	const char *const *debuginfod_urls;
	size_t n_debuginfod_urls;
	const char *cache_dir; /* NULL: $XDG_CACHE_HOME/tracemill or $HOME/.cache/tracemill */
	/* Called now and then in the thread that calls tracemill_symbolize, with addresses answered so
	 * far; total 0: not known. NULL: not wanted. It may call tracemill_cancel and nothing else of
	 * the handle. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *progress_arg;
	/* Without effect since 0.3: NULL or "fast". */
	const char *engine;
	unsigned debuginfod_seconds; /* how long to wait for a server; 0: 30 */
	/* As progress, also from tracemill_binary_open and its like: files of debug_dirs that have been
	 * read, bytes that have come from a server. */
	void (*reading)(void *arg, uint64_t done, uint64_t total);
	void (*fetching)(void *arg, uint64_t done, uint64_t total);
	/* Of universal Mach-O files this part: "x86_64", "arm64"; NULL: they must have only one. */
	const char *arch;
	const char *dwp; /* the package of split units, before any that is found */
	/* Names and lines of managed code, from files: LineNumberMappings.json, MethodMap.tsv of
	 * il2cpp; usym of a binary, or MODULE=FILE. What cannot be read is for tracemill_next_message. */
	const char *const *line_maps;
	size_t n_line_maps;
	const char *const *method_maps;
	size_t n_method_maps;
	const char *const *usyms;
	size_t n_usyms;
	uint64_t line_map_window; /* lines from an entry that it holds for; 0: any */
	/* perf-PID.map of a captured process, with the code that was compiled at run time; of use to
	 * tracemill/symbolize_trace.h. NULL: none. */
	const char *jit_map;
	/* So many answers, at most a million, are chosen at random for tracemill_verify; 0: none, which
	 * costs nothing. The choice follows from the seed, and from the addresses that are asked. */
	uint64_t verify, verify_seed;
	/* Bytes that the handle may keep of what it has decoded, so that addresses that are asked one at
	 * a time do not decode it again: the units of files, the answers of units that were asked for
	 * often, symbol tables, demangled names. What was used longest ago goes first. A batch takes
	 * memory besides, and so do compressed sections of open binaries. 0: 64 MiB; 1: nothing is kept. */
	uint64_t keep;
};

/* options: copied, with all that they point to; NULL: the defaults. *s (to) is set on success only.
 * TRACEMILL_VERSIONS: the header has another major version than the library. TRACEMILL_MISUSE: size is
 * not filled in, there is no such engine, or verify is more than a million. */
#define tracemill_symbolizer_new(s, options) \
	tracemill_symbolizer_new_of(s, options, TRACEMILL_LIBRARY_VERSION)
enum tracemill_status tracemill_symbolizer_new_of(struct tracemill_symbolizer **to,
						  const struct tracemill_options *options,
						  uint32_t version);
void tracemill_symbolizer_free(struct tracemill_symbolizer *s); /* accepts NULL */
/* The same for a program that is about to end: processes are ended and folders removed; memory and mapped
 * files, of which there may be gigabytes, are left to the end of the program. Accepts NULL. */
void tracemill_symbolizer_exit(struct tracemill_symbolizer *s);

/* Why the last call with this handle that failed did so, one line without a full stop; "" before
 * that. It begins with the place in the file, where that is known. Ends in NUL. Valid until the next
 * call with the handle. */
const char *tracemill_error(const struct tracemill_symbolizer *s);

/* The binary at a path; a member of an archive is FILE!/MEMBER (tracemill-binary(5)). The same pointer
 * for the same path; it lives as long as the handle. A file that cannot be opened is
 * TRACEMILL_SYSTEM, one of no known kind TRACEMILL_UNSUPPORTED.
 *
 * This, and tracemill_symbolize, notice that another file is at the path of the binary, or of its debug
 * file: the device, inode, size or time of modification differ. It is read anew then, and answers of the
 * last batch are gone. tracemill_symbolize looks once in a millisecond at most: answers may be those of the file
 * that was there until then. A file that is deleted is read on. */
enum tracemill_status tracemill_binary_open(struct tracemill_symbolizer *s, const char *path,
					    struct tracemill_binary **binary);
/* Gives back the memory and the files of a binary, and the answers of the last batch. The pointer stays
 * valid: the binary is opened again when it is used. */
enum tracemill_status tracemill_binary_close(struct tracemill_symbolizer *s,
					     struct tracemill_binary *binary);
/* The binary, or else the debug file, with this build-id of n bytes (at most 64), as the options say
 * where. TRACEMILL_NOTHING: not found. One that is found and cannot be opened fails as
 * tracemill_binary_open; the reason begins with its path. */
enum tracemill_status tracemill_binary_by_id(struct tracemill_symbolizer *s, const void *build_id,
					     size_t n, struct tracemill_binary **binary);

/* What is known of a binary. Texts end in NUL; valid as long as the binary is open, until
 * tracemill_binary_close, tracemill_symbolizer_free or an error that gives all back, or until it is
 * opened anew since its file was replaced. */
struct tracemill_binary_facts {
	size_t size;            /* the caller's: sizeof(struct tracemill_binary_facts) */
	const char *path;       /* as opened */
	const char *debug_path; /* where its debug information comes from; the same file, perhaps */
	const uint8_t *build_id;
	size_t n_build_id; /* bytes; 0: it has none */
	uint64_t base;     /* lowest link-time address of its segments */
	bool has_dwarf;
	const char *complaint; /* what was refused as its debug file and why; "": nothing was */
	bool is_64;            /* addresses have 64 bits, not 32 */
	/* A zip file of libraries, as an APK: addresses are offsets in it; see tracemill_resolved. */
	bool is_zip;
	const char *machine; /* "x86_64", "i386", "arm64", "arm", "riscv"; "": another one */
	uint64_t code_base;  /* lowest link-time address of its segments with code, else base */
	/* A PDB, its own or the one that was found, answers for addresses of which it has no DWARF. */
	bool has_pdb;
	uint64_t
	    image_base; /* of a PE file: its addresses are this plus an offset in memory (RVA); else 0 */
	uint64_t image_end; /* behind its last address in memory; else 0 */
	/* The id that captures have of this build: build_id, of Windows with the age behind the GUID, or without a GUID
	 * time stamp and size. */
	uint8_t captured_id[64];
	size_t n_captured_id; /* 0: there is none */
};
enum tracemill_status tracemill_binary_facts(struct tracemill_symbolizer *s,
					     struct tracemill_binary *binary,
					     struct tracemill_binary_facts *facts);

/* The link-time address of what a binary's symbol table calls so, n bytes as linked.
 * TRACEMILL_NOTHING: no symbol. */
enum tracemill_status tracemill_binary_symbol(struct tracemill_symbolizer *s,
					      struct tracemill_binary *binary, const char *name,
					      size_t n, uint64_t *address);
/* Where the first section of this name begins, and its bytes. TRACEMILL_NOTHING: no section. */
enum tracemill_status tracemill_binary_section(struct tracemill_symbolizer *s,
					       struct tracemill_binary *binary, const char *name,
					       uint64_t *address, uint64_t *size);

/* Many queries of this binary are going to come: what they need of it is read meanwhile, on a thread
 * of its own. The next call with the handle waits for it. */
enum tracemill_status tracemill_prefetch(struct tracemill_symbolizer *s,
					 struct tracemill_binary *binary);

/* Makes the index of a binary, or checks the one that is there: for many short runs. *bytes is its
 * size. TRACEMILL_NOTHING: it has neither DWARF nor a PDB. TRACEMILL_UNSUPPORTED: what it has cannot be indexed.
 * TRACEMILL_SYSTEM: there is no place for it; so without TRACEMILL_CACHE. TRACEMILL_MISUSE: a zip
 * file; the reason says what is in it. */
enum tracemill_status tracemill_prewarm(struct tracemill_symbolizer *s,
					struct tracemill_binary *binary, uint64_t *bytes);

enum tracemill_table {
	TRACEMILL_CODE,     /* code, from the fullest symbol table, a debug file's perhaps */
	TRACEMILL_OWN_CODE, /* code, from the binary's own symbol table */
	TRACEMILL_DATA,     /* data and code, of the binary's own */
};

/* Texts end in NUL and are valid as those of tracemill_binary_facts. */
struct tracemill_symbol {
	size_t size;      /* the caller's: sizeof(struct tracemill_symbol) */
	const char *name; /* as linked */
	uint64_t address; /* link-time; where it begins */
	uint64_t bytes;   /* with sized false a guess: up to the next symbol */
	const char *file; /* its source, as the table names it; "": not known */
	/* TRACEMILL_DATA: where the debug information declares what is there; "", 0: not known. */
	const char *declared_file;
	uint32_t declared_line;
	/* The table, or a PDB of the binary, states the size; without it bytes are up to the next symbol. */
	bool sized;
};
/* The symbol that holds a link-time address. TRACEMILL_NOTHING: none does; of TRACEMILL_DATA it can
 * have no name and a declaration all the same. */
enum tracemill_status tracemill_symbol_at(struct tracemill_symbolizer *s,
					  struct tracemill_binary *binary,
					  enum tracemill_table table, uint64_t address,
					  struct tracemill_symbol *symbol);
/* The i-th symbol, from 0, of a name of n bytes, of those that are the symbol at their address: as
 * TRACEMILL_DATA, without a declaration. TRACEMILL_NOTHING: no more. */
enum tracemill_status tracemill_symbol_named(struct tracemill_symbolizer *s,
					     struct tracemill_binary *binary, const char *name,
					     size_t n, size_t i, struct tracemill_symbol *symbol);

/* A variable of a function. Texts end in NUL; NULL: not known. */
struct tracemill_local {
	const char *function, *name;
	const char *file; /* where it is declared */
	uint32_t line;
	uint32_t reserved;
	bool has_offset, has_size, has_tag;
	int64_t offset; /* bytes from the frame's base */
	uint64_t size;  /* bytes */
	uint64_t tag;   /* of memory tagging: DW_AT_LLVM_tag_offset */
};
/* The variables of the innermost function at a link-time address, n of them; valid until the next
 * call with the handle. */
enum tracemill_status tracemill_locals(struct tracemill_symbolizer *s,
				       struct tracemill_binary *binary, uint64_t address,
				       const struct tracemill_local **locals, size_t *n);

/* Why an answer is what it is. */
enum tracemill_outcome {
	TRACEMILL_FUNCTION,  /* function, file and line, as far as the debug information has them */
	TRACEMILL_LINE_ONLY, /* a line, and a function from the symbol table at best */
	TRACEMILL_NO_FUNCTION,   /* no debug information covers it; a symbol may */
	TRACEMILL_NO_DEBUG_INFO, /* the binary has none; a symbol may cover it */
	TRACEMILL_BROKEN,        /* the unit that owns it is malformed */
	TRACEMILL_GAVE_UP,       /* a limit of time or memory */
	TRACEMILL_NO_BINARY,     /* it has no binary, or one that cannot be opened */
	TRACEMILL_NO_MODULE,     /* tracemill_bind: no module maps the address */
	TRACEMILL_OTHER_BUILD,   /* tracemill_bind: a file was found, of another build-id */
};

struct tracemill_query {
	struct tracemill_binary *binary; /* NULL: the answer is TRACEMILL_NO_BINARY */
	/* Link-time address (of a program that runs: runtime address minus slide). Of a return address
	 * subtract 1 first: what is meant is the call. */
	uint64_t address;
	/* The answer: */
	uint8_t why; /* enum tracemill_outcome */
	uint8_t reserved[3];
	uint32_t first; /* the library's */
};

/* Answers n queries, in any order and with repeats, of any of the handle's binaries. Answers of the
 * batch before are gone. What is not known of an address is no error: see why. */
enum tracemill_status tracemill_symbolize(struct tracemill_symbolizer *s,
					  struct tracemill_query *queries, size_t n);

/* What a query of the last batch was looked up as: of a zip file a library in it and a link-time
 * address there, of a relocatable file the address that its section has got, else what was asked.
 * The binary is NULL when that was. */
enum tracemill_status tracemill_resolved(struct tracemill_symbolizer *s,
					 const struct tracemill_query *query,
					 struct tracemill_binary **binary, uint64_t *address);

/* Ends a batch that runs (or a scan, or a copy), soon: it returns TRACEMILL_CANCELLED. Any thread, and
 * signal handlers. Without one it does nothing. */
void tracemill_cancel(struct tracemill_symbolizer *s);

/* Who says so, where it is not the debug information; bits. */
enum tracemill_by {
	TRACEMILL_FUNCTION_BY_SYMBOL = 1 << 0,  /* the symbol table names the function */
	TRACEMILL_FUNCTION_BY_UNSIZED = 1 << 1, /* and has no size for it: a guess */
	TRACEMILL_FILE_BY_SYMBOL = 1 << 2,      /* the symbol table names the file */
};

/* One call: a function, and the place in it. */
struct tracemill_call {
	/* As linked (mangled), or as the debug information has it; see TRACEMILL_DEMANGLE. */
	const char *function;
	const char *file;            /* with line 0: perhaps only the symbol table's name of it */
	uint32_t n_function, n_file; /* bytes; 0: not known */
	uint32_t line, column;       /* 0: not known */
	uint32_t discriminator;      /* 0: not known */
	bool inlined;                /* into the next one */
	uint8_t by;                  /* enum tracemill_by */
	uint8_t reserved[2];
	uint32_t id; /* the library's */
};

/* Answers as they lie: those of the i-th query are calls[first[i]] up to calls[first[i + 1]], innermost
 * first; none: nothing is known. A thread's own, zeroed before it is used first; what it shows is
 * valid until it is used again, and no longer than the batch. */
struct tracemill_views {
	const struct tracemill_call *calls;
	const uint32_t *first;
	void *own[6]; /* the library's */
};
/* Fits into the nearest cache: the more at once, the less the processor waits. */
enum { TRACEMILL_VIEWS = 48 };

/* The answers to n queries of the last batch, at most TRACEMILL_VIEWS. Any thread; after
 * TRACEMILL_MEMORY the views are as zeroed, and the handle is as it was. */
enum tracemill_status tracemill_view(const struct tracemill_symbolizer *s,
				     const struct tracemill_query *queries, size_t n,
				     struct tracemill_views *views);
void tracemill_views_release(struct tracemill_views *views); /* accepts a zeroed one */

/* What else is known of a call. Texts end in NUL, "": not known; valid until the next
 * tracemill_symbolize. */
struct tracemill_details {
	size_t size;          /* the caller's: sizeof(struct tracemill_details) */
	const char *function; /* as tracemill_call.function */
	const char *linkage;  /* the same without TRACEMILL_DEMANGLE */
	const char *file;     /* as the debug information has it */
	/* With TRACEMILL_DECLARED: */
	const char *name;          /* of the function, without its scopes: DW_AT_name */
	const char *declared_file; /* where the function is declared */
	uint32_t declared_line;    /* 0: not known */
	bool has_start;
	uint64_t start; /* link-time address of the function */
};
/* call: of a view of the last batch. Any thread. TRACEMILL_MISUSE: without TRACEMILL_DETAILS. */
enum tracemill_status tracemill_call_details(const struct tracemill_symbolizer *s,
					     const struct tracemill_call *call,
					     struct tracemill_details *details);

/* The text of a source file, of n bytes, whose path a call at a link-time address of a binary has: as it is embedded
 * in the debug information (DWARF 5), else from below options.sysroot, or from where the path says. binary NULL:
 * its file alone. Valid until the next call of this. TRACEMILL_NOTHING: it is nowhere. */
enum tracemill_status tracemill_source(struct tracemill_symbolizer *s,
				       struct tracemill_binary *binary, uint64_t address,
				       const char *path, const char **text, size_t *n);

/* To be called once the views of a batch have been read, where files may change: TRACEMILL_BAD when
 * one of them has lost bytes since it was mapped, so that what was shown may be nonsense. That is
 * seen only with TRACEMILL_GUARD_FILES. */
enum tracemill_status tracemill_check_files(struct tracemill_symbolizer *s);

/* A linkage name as people write it (C++, Rust), into to with room for size bytes, cut to that and
 * ended by NUL (but for size 0). Returns the bytes of the whole name; 0: it is not mangled, or memory
 * ran out. Any thread, no handle. */
size_t tracemill_demangle(const char *name, size_t n, char *to, size_t size);
enum tracemill_spelling {
	TRACEMILL_SPELL_GNU,
	TRACEMILL_SPELL_LLVM,
	TRACEMILL_SPELL_SHORT, /* without scopes, parameters and return type, as DW_AT_name is */
};
/* The same, spelled so. */
size_t tracemill_demangle_as(enum tracemill_spelling spelling, const char *name, size_t n, char *to,
			     size_t size);

/* Calls fn for pieces [from, to) of [0, n) on the handle's threads at once, and returns when all are
 * done: to print answers as fast as they come. Pieces have at most some thousand items and begin in
 * order, so that one may wait for those before it (examples/library/many.c); piece is the piece's
 * number from 0, worker is less than the handle's threads. */
enum tracemill_status tracemill_parallel(struct tracemill_symbolizer *s, size_t n,
					 void (*fn)(void *arg, size_t from, size_t to, size_t piece,
						    unsigned worker),
					 void *arg);

/* The next thing that went wrong in a file's debug information and was not yet returned, one line;
 * NULL: no more. Ends in NUL. */
const char *tracemill_next_warning(struct tracemill_symbolizer *s);

enum tracemill_topic {
	TRACEMILL_TOPIC_CACHE,   /* what the cache could not do */
	TRACEMILL_TOPIC_SEARCH,  /* folders with debug files, servers */
	TRACEMILL_TOPIC_MANAGED, /* files of managed code; the first question reads the given ones */
	/* Libraries that the last batches met in zip files: one that cannot be used is TRACEMILL_FAIL,
	 * a debug file of one that was refused TRACEMILL_NOTE. */
	TRACEMILL_TOPIC_ARCHIVES,
	TRACEMILL_TOPIC_VERIFY, /* what libdwarf could not read in the last tracemill_verify */
};
enum tracemill_severity {
	TRACEMILL_INFO, /* for who asks for more */
	TRACEMILL_NOTE, /* something was left out */
	TRACEMILL_FAIL, /* a file that is asked for, or that the options name, cannot be used */
};
/* The next thing that there is to say about this and was not yet returned, one line; NULL: no more.
 * Ends in NUL; valid until the next call with the handle. weight may be NULL. */
const char *tracemill_next_message(struct tracemill_symbolizer *s, enum tracemill_topic topic,
				   enum tracemill_severity *severity);

/* Asks libdwarf again for the answers that options.verify has chosen of all batches, scans and logs so
 * far: a second reader of DWARF, which shares no decoder with the one that answers. It runs in
 * processes (fork) with limits of time and memory, which end before this returns. Functions as linked,
 * files, lines, columns and inlined calls are compared; symbol tables and managed names are not.
 * verified may be NULL. TRACEMILL_MISUSE: without options.verify. TRACEMILL_SYSTEM: no process can be
 * started. After an error that gives all back, the choice begins anew. */
struct tracemill_verified {
	size_t size;    /* the caller's: sizeof(struct tracemill_verified) */
	uint64_t seed;  /* options.verify_seed */
	uint64_t asked; /* answers: the sum of the three that follow */
	uint64_t equal;
	uint64_t different;
	uint64_t unknown; /* libdwarf cannot say, or the binary has no DWARF */
};
enum tracemill_status tracemill_verify(struct tracemill_symbolizer *s,
				       struct tracemill_verified *verified);

/* An answer that is not equal. Texts are one line each for people, end in NUL, and are valid until the
 * next call with the handle. */
struct tracemill_difference {
	size_t size;          /* the caller's: sizeof(struct tracemill_difference) */
	const char *path;     /* of the binary */
	uint64_t address;     /* link-time */
	const char *answer;   /* as it was given */
	const char *libdwarf; /* its answer, or why it has none */
	bool unknown;         /* it has none */
};
/* The i-th, from 0, of the last tracemill_verify, by path and address. TRACEMILL_NOTHING: no more. */
enum tracemill_status tracemill_difference(struct tracemill_symbolizer *s, size_t i,
					   struct tracemill_difference *difference);

/* In words for people, lines of n bytes that end in NUL, valid until the next call with the handle:
 * what was tried for a binary's debug information; and of a query of the last batch the section, unit
 * and ranges that hold its address, and the calls there. TRACEMILL_MISUSE: without
 * TRACEMILL_EXPLAIN. */
enum tracemill_status tracemill_explain_binary(struct tracemill_symbolizer *s,
					       struct tracemill_binary *binary, const char **text,
					       size_t *n);
enum tracemill_status tracemill_explain(struct tracemill_symbolizer *s,
					const struct tracemill_query *query, const char **text,
					size_t *n);

/* A process: which binary is where. It belongs to its handle and goes with it. */
struct tracemill_process;
enum tracemill_status tracemill_process_new(struct tracemill_symbolizer *s,
					    struct tracemill_process **process);
/* Adds the modules of a text like /proc/PID/maps. */
enum tracemill_status tracemill_process_maps(struct tracemill_process *p, const char *text,
					     size_t n);
/* Adds one mapping: runtime [lo, hi) is the file from offset on. name: its path or base name;
 * build_id of n_build_id bytes (0: not known). Several mappings of one module have one name. */
enum tracemill_status tracemill_process_mapping(struct tracemill_process *p, const char *name,
						const void *build_id, size_t n_build_id,
						uint64_t lo, uint64_t hi, uint64_t offset);

enum tracemill_address_kind {
	TRACEMILL_RETURN, /* return addresses: looked up at the call before them */
	TRACEMILL_EXACT,  /* program counters */
};
/* Runtime addresses -> queries with binaries and link-time addresses, for tracemill_symbolize; why is
 * TRACEMILL_FUNCTION where there is a binary, else the reason. A file is looked for by build-id where
 * the module has one, else by its name; one of another build is refused. */
enum tracemill_status tracemill_bind(struct tracemill_process *p, const uint64_t *addresses,
				     size_t n, enum tracemill_address_kind kind,
				     struct tracemill_query *queries);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "deprecated.h"

#endif
