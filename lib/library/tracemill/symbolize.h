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
};

struct tracemill_options {
	size_t size; /* sizeof(struct tracemill_options) */
	unsigned flags;
	unsigned threads; /* 0: as many as there are processors for this process */
	/* Trees with .build-id/ab/cdef.debug, and folders with debug files below them. */
	const char *const *debug_dirs;
	size_t n_debug_dirs;
	const char *sysroot; /* paths of a captured system are below it; NULL: none */
	/* debuginfod servers; 0: no network. tracemill_symbolizer_new then starts a process (fork) which
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
};

/* options: copied, with all that they point to; NULL: the defaults. *s (to) is set on success only.
 * TRACEMILL_VERSIONS: the header has another major version than the library. */
#define tracemill_symbolizer_new(s, options) \
	tracemill_symbolizer_new_of(s, options, TRACEMILL_LIBRARY_VERSION)
enum tracemill_status tracemill_symbolizer_new_of(struct tracemill_symbolizer **to,
						  const struct tracemill_options *options,
						  uint32_t version);
void tracemill_symbolizer_free(struct tracemill_symbolizer *s); /* accepts NULL */

/* Why the last call with this handle that failed did so, one line without a full stop; "" before
 * that. Ends in NUL. Valid until the next call with the handle. */
const char *tracemill_error(const struct tracemill_symbolizer *s);

/* The binary at a path; a member of an archive is FILE!/MEMBER (tracemill-binary(5)). The same pointer
 * for the same path; it lives as long as the handle. A file that cannot be opened is
 * TRACEMILL_SYSTEM, one of no known kind TRACEMILL_UNSUPPORTED. */
enum tracemill_status tracemill_binary_open(struct tracemill_symbolizer *s, const char *path,
					    struct tracemill_binary **binary);
/* The binary, or else the debug file, with this build-id of n bytes (at most 64), as the options say
 * where. TRACEMILL_NOTHING: not found. */
enum tracemill_status tracemill_binary_by_id(struct tracemill_symbolizer *s, const void *build_id,
					     size_t n, struct tracemill_binary **binary);

/* What is known of a binary. Texts end in NUL; valid as long as the binary is open, until
 * tracemill_symbolizer_free or an error that gives all back. */
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

/* Why an answer is what it is. */
enum tracemill_why {
	TRACEMILL_FUNCTION,  /* function, file and line, as far as the debug information has them */
	TRACEMILL_LINE_ONLY, /* a line, and a function from the symbol table at best */
	TRACEMILL_NO_FUNCTION,   /* no debug information covers it; a symbol may */
	TRACEMILL_NO_DEBUG_INFO, /* the binary has none; a symbol may cover it */
	TRACEMILL_BROKEN,        /* the unit that owns it is malformed */
	TRACEMILL_GAVE_UP,       /* a limit, or a form that only the reference engine reads */
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
	uint8_t why; /* enum tracemill_why */
	uint8_t reserved[3];
	uint32_t first; /* the library's */
};

/* Answers n queries, in any order and with repeats, of any of the handle's binaries. Answers of the
 * batch before are gone. What is not known of an address is no error: see why. */
enum tracemill_status tracemill_symbolize(struct tracemill_symbolizer *s,
					  struct tracemill_query *queries, size_t n);

/* Ends a batch that runs, soon: it returns TRACEMILL_CANCELLED. Any thread, and signal handlers.
 * Without a batch it does nothing. */
void tracemill_cancel(struct tracemill_symbolizer *s);

/* One call: a function, and the place in it. */
struct tracemill_call {
	const char *function;        /* as linked (mangled), or as the debug information has it */
	const char *file;            /* with line 0: perhaps only the symbol table's name of it */
	uint32_t n_function, n_file; /* bytes; 0: not known */
	uint32_t line, column;       /* 0: not known */
	uint32_t discriminator;      /* 0: not known */
	bool inlined;                /* into the next one */
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

/* To be called once the views of a batch have been read, where files may change: TRACEMILL_BAD when
 * one of them has lost bytes since it was mapped, so that what was shown may be nonsense. That is
 * seen only with TRACEMILL_GUARD_FILES. */
enum tracemill_status tracemill_intact(struct tracemill_symbolizer *s);

/* A linkage name as people write it (C++, Rust, D), into to with room for size bytes, cut to that and
 * ended by NUL (but for size 0). Returns the bytes of the whole name; 0: it is not mangled, or memory
 * ran out. Any thread, no handle. */
size_t tracemill_demangle(const char *name, size_t n, char *to, size_t size);

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
const char *tracemill_complaint(struct tracemill_symbolizer *s);

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

#endif
