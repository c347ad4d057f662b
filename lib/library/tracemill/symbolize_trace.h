/* SPDX-License-Identifier: MIT
 *
 * Names for captures: functions, inlined calls, files and lines are put into a trace
 * (tracemill-trace(5)), or into a log with stacks, as tm-symbolize(1) does it.
 *
 *     const struct tracemill_stream from = {.size = sizeof from, .fd = STDIN_FILENO};
 *     struct tracemill_symbolizer *s;
 *     struct tracemill_trace_symbolizer *n;
 *
 *     if (tracemill_symbolizer_new(&s, NULL) || tracemill_trace_symbolizer_new(s, NULL, &n) ||
 *         tracemill_trace_symbolizer_scan(n, &from, NULL) || tracemill_trace_symbolizer_copy(n, STDOUT_FILENO))
 *             return 1;
 *     tracemill_symbolizer_free(s);
 *
 * A stream is read twice: tracemill_trace_symbolizer_scan reads its tables, finds the files of its modules and
 * answers all of its locations in one batch; tracemill_trace_symbolizer_copy writes it with the names. Between
 * the two there is what came of it: notes, coverage, files that were used or are missing.
 *
 * A trace symbolizer belongs to its symbolizer, whose options say where files are looked for, and goes with it;
 * tracemill_error, tracemill_cancel, tracemill_told, errors, memory and threads are those of
 * tracemill/symbolize.h. Its files stay open from one stream to the next. After an error that gives
 * all back (TRACEMILL_MEMORY, TRACEMILL_CANCELLED) nothing is scanned, and the next call opens files
 * again. Texts end in NUL and are valid until the next call with the handle that can fail, unless
 * stated otherwise.
 */
#ifndef TRACEMILL_SYMBOLIZE_TRACE_H
#define TRACEMILL_SYMBOLIZE_TRACE_H

#include "symbolize.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct tracemill_trace_symbolizer;

enum tracemill_trace_symbolizer_flags {
	/* Do not look for modules at their captured paths, below options.sysroot or on this machine. */
	TRACEMILL_NO_CAPTURED_PATHS = 1 << 0,
	TRACEMILL_SLIDE = 1 << 1, /* slide is set */
	/* Find the slides of given files, by where calls are, for addresses that no module maps. */
	TRACEMILL_FIND_SLIDES = 1 << 2,
	/* A stream that has names is not scanned to its end; files at captured paths count only with the captured
	 * build-id. */
	TRACEMILL_ONLY_NAMELESS = 1 << 3,
	TRACEMILL_TIMES = 1 << 4, /* tracemill_trace_symbolizer_times is going to be asked */
};

struct tracemill_trace_symbolizer_options {
	size_t size; /* sizeof(struct tracemill_trace_symbolizer_options) */
	unsigned flags;
	/* As tracemill_location.kind, of all; 0: as captured, else by evidence; 4: stacks of samples, whose
	 * innermost address is a program counter and whose callers are return addresses. */
	uint8_t locations;
	/* TRACEMILL_FILE_OFFSET or TRACEMILL_LINK_TIME is what TRACEMILL_OFFSET_OR_LINK means; 0: by
	 * evidence. */
	uint8_t offsets;
	/* Binaries of the captures: "FILE", or "MODULE=FILE" for that module's; zip files too. */
	const char *const *files;
	size_t n_files;
	/* "MODULE=FILE" alone: a file that is called so as a whole does not count. */
	const char *const *modules;
	size_t n_modules;
	/* Runtime address minus link-time address, where no module maps an address. */
	uint64_t slide;
};

/* options: copied, with all that they point to; NULL: the defaults. Files are opened by the first call
 * that needs them. TRACEMILL_MISUSE: size is not filled in, a kind that there is not, or an item of
 * modules without '='. */
enum tracemill_status tracemill_trace_symbolizer_new(
    struct tracemill_symbolizer *s, const struct tracemill_trace_symbolizer_options *options,
    struct tracemill_trace_symbolizer **trace_symbolizer);

/* Why a location is not known any further; the order of coverage.reasons. */
enum tracemill_reason {
	TRACEMILL_REASON_NONE, /* it has all */
	TRACEMILL_REASON_NOT_LOOKED_UP,
	TRACEMILL_REASON_UNKNOWN_ADDRESS, /* the capture does not know it */
	TRACEMILL_REASON_NO_MODULE,       /* no module maps it */
	TRACEMILL_REASON_NO_FILE,         /* the module's binary was not given and not found */
	TRACEMILL_REASON_OTHER_BUILD,     /* one was found, of another build-id */
	TRACEMILL_REASON_BAD_FILE,        /* it cannot be read */
	TRACEMILL_REASON_AMBIGUOUS,       /* file offset or link-time address: nothing decides */
	TRACEMILL_REASON_OUTSIDE,         /* of every segment of the binary */
	TRACEMILL_REASON_NO_SYMBOL,       /* neither debug information nor a symbol covers it */
	TRACEMILL_REASON_NO_DEBUG_INFO,   /* a symbol's name, and nothing for more */
	TRACEMILL_REASON_BROKEN,          /* the unit that owns it is malformed */
	TRACEMILL_REASON_GAVE_UP,         /* a limit of time or memory */
	TRACEMILL_REASON_REPLACED, /* a file is there, which is not the one that was loaded */
};
/* "no file for its module"; never NULL, and valid for ever. */
const char *tracemill_reason_text(unsigned reason);

/* The modules of the streams and logs that follow, from elsewhere: a text like /proc/PID/maps or smaps, or the bytes of a
 * minidump, which are copied; NULL: those that each stream or log has itself. */
enum tracemill_status tracemill_trace_symbolizer_maps(
    struct tracemill_trace_symbolizer *trace_symbolizer, const char *text, size_t n);

struct tracemill_stream {
	size_t size; /* sizeof(struct tracemill_stream) */
	/* Of a trace, packed (zstd, gzip, ...) or not, from where it stands to its end. A pipe is copied
	 * to an unlinked file in $TMPDIR. It stays the caller's, and open until the copy. */
	int fd;
	const char *ends; /* why it is known to end too early; NULL: it is not */
};
struct tracemill_scanned {
	size_t size; /* the caller's: sizeof(struct tracemill_scanned) */
	size_t n;    /* captures; 0: it is empty */
	bool cut;    /* it is cut short or damaged: what was sound counts, with a note */
	union {
		bool
		    already_symbolized; /* with TRACEMILL_ONLY_NAMELESS: it has names, and was left alone */
		bool has_name __attribute__((deprecated("the new name is already_symbolized")));
	};
	union {
		bool build_id_matched; /* names were found, in a file of the captured build-id */
		bool proven __attribute__((deprecated("the new name is build_id_matched")));
	};
};
/* Reads and names a stream, in place of the one before. scanned may be NULL.
 * TRACEMILL_UNSUPPORTED: no trace, or one of a later version. TRACEMILL_BAD: nothing of it is sound. */
enum tracemill_status tracemill_trace_symbolizer_scan(
    struct tracemill_trace_symbolizer *trace_symbolizer, const struct tracemill_stream *from,
    struct tracemill_scanned *scanned);
/* Writes the stream that was scanned, with its names, to a file descriptor that stays the caller's.
 * TRACEMILL_SYSTEM: it cannot be written to; TRACEMILL_PIPE: its reader is gone, in a program that
 * ignores SIGPIPE. TRACEMILL_BAD: the stream is another one by now, or cannot be read any more.
 * TRACEMILL_MISUSE: none is scanned. */
enum tracemill_status tracemill_trace_symbolizer_copy(
    struct tracemill_trace_symbolizer *trace_symbolizer, int fd);

/* ---- Results ---- */

struct tracemill_capture {
	size_t size; /* the caller's: sizeof(struct tracemill_capture) */
	/* Its tables, notes and calls, without events; until the next scan. */
	const struct tracemill_trace *trace;
	size_t first_note;               /* notes from there on are new */
	uint32_t n_locations, n_modules; /* numbers go from 1 to this */
};
/* The i-th capture of the stream, from 0. TRACEMILL_NOTHING: no more. */
enum tracemill_status tracemill_trace_symbolizer_capture(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t i,
    struct tracemill_capture *capture);

struct tracemill_coverage {
	size_t size;      /* the caller's: sizeof(struct tracemill_coverage) */
	const char *name; /* of the module or binary; "": all */
	uint64_t n;       /* locations: the sum of the four that follow */
	uint64_t lines, names, modules, nothing; /* with a line; without, but a name; ... */
	uint64_t guesses;                        /* names of symbols without a size */
	uint64_t reasons[32];                    /* enum tracemill_reason */
};
/* How much is known of a capture's locations: binary 0: of all; from 1: of those of one binary.
 * TRACEMILL_NOTHING: no more binaries, or no such capture. */
enum tracemill_status tracemill_trace_symbolizer_coverage(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t capture, size_t binary,
    struct tracemill_coverage *coverage);

struct tracemill_file {
	size_t size; /* the caller's: sizeof(struct tracemill_file) */
	const char *path;
	const char *module;     /* that it was given for; NULL: for any */
	const char *debug_path; /* where its debug information comes from; "": it cannot be used */
	const uint8_t *build_id;
	size_t n_build_id; /* bytes; 0: it has none */
	/* Why it cannot be used; or what was refused as its debug file; "". */
	const char *why;
	bool usable;
	bool given;    /* by the options, not found */
	bool used;     /* it is the file of a module that was looked up */
	bool member;   /* of a zip file */
	bool unopened; /* one that no module has asked for yet */
	bool has_lines;
	/* The id that captures have of this build: build_id, of Windows with the age behind the GUID, or without a GUID
	 * time stamp and size. */
	uint8_t captured_id[64];
	size_t n_captured_id; /* 0: there is none */
};
/* The i-th file, from 0, of those that were given and found so far, in all streams and texts. Texts
 * but why are valid until tracemill_symbolizer_free or an error that gives all back.
 * TRACEMILL_NOTHING: no more. */
enum tracemill_status tracemill_trace_symbolizer_file(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t i, struct tracemill_file *file);

struct tracemill_module {
	size_t size;      /* the caller's: sizeof(struct tracemill_module) */
	const char *name; /* as captured; "": it has none */
	const uint8_t *build_id;
	size_t n_build_id; /* bytes, as captured; 0: it has none */
	uint8_t reason;    /* enum tracemill_reason: why it has no file */
	bool has_lines;    /* its file has debug information */
};
/* The i-th module, from 0, whose file was looked for so far; as tracemill_trace_symbolizer_file.
 * TRACEMILL_MISUSE: without TRACEMILL_EXPLAIN. */
enum tracemill_status tracemill_trace_symbolizer_module(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t i, struct tracemill_module *module);

/* In words for people, lines of n bytes: what was tried for each module that was looked for since the
 * last question; and what a location of a capture is. TRACEMILL_MISUSE: without TRACEMILL_EXPLAIN, or
 * there is no such location. */
enum tracemill_status tracemill_trace_symbolizer_explain_modules(
    struct tracemill_trace_symbolizer *trace_symbolizer, const char **text, size_t *n);
enum tracemill_status tracemill_trace_symbolizer_explain(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t capture, uint32_t location,
    const char **text, size_t *n);

/* Where the time went so far, in seconds on the clock, one after the other; with TRACEMILL_TIMES. */
struct tracemill_times {
	size_t size;   /* the caller's: sizeof(struct tracemill_times) */
	double bind;   /* locations to binaries and link-time addresses */
	double decode; /* of debug information */
	double copy;   /* answers to calls, symbol tables */
	double names;  /* demangling */
	uint64_t locations, functions, calls;
};
enum tracemill_status tracemill_trace_symbolizer_times(
    struct tracemill_trace_symbolizer *trace_symbolizer, struct tracemill_times *times);
/* Of decode, what a binary took in one batch. */
struct tracemill_binary_times {
	size_t size; /* the caller's: sizeof(struct tracemill_binary_times) */
	const char *path;
	uint64_t locations, addresses; /* addresses: unique ones */
	/* units: all; asked: decoded; lost: unreadable. declined and reference_engine are 0 since 0.3:
	 * no other engine answers. */
	uint64_t units, asked, declined, lost;
	double sections, unit_heads, decode, merge, reference_engine;
	double scopes, lines, names; /* of decode, processor seconds of all threads */
};
/* The i-th, from 0. TRACEMILL_NOTHING: no more. */
enum tracemill_status tracemill_trace_symbolizer_binary_times(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t i,
    struct tracemill_binary_times *times);

/* ---- Logs ---- */

/* Lines of a log -> the same with functions, files and lines in their stacks (tm-symbolize(1) --text
 * says of which tools). All lines of a call are one batch: give thousands at once, and of a stack
 * that is followed what is there. named: n_named bytes, valid until the next call with the handle; as
 * it was where it fails. A last line without an end gets one. */
enum tracemill_status tracemill_trace_symbolizer_text(
    struct tracemill_trace_symbolizer *trace_symbolizer, const char *text, size_t n,
    const char **named, size_t *n_named);
struct tracemill_text_sums { /* of the lines that are calls of stacks */
	size_t size;         /* the caller's: sizeof(struct tracemill_text_sums) */
	uint64_t n;
	uint64_t named;       /* with a function now */
	uint64_t kept;        /* with the one that they had, since no better one was found */
	uint64_t reasons[32]; /* enum tracemill_reason, of all others */
};
/* The end of a log: its sums; the next one has modules of its own. sums may be NULL. */
enum tracemill_status tracemill_trace_symbolizer_text_end(
    struct tracemill_trace_symbolizer *trace_symbolizer, struct tracemill_text_sums *sums);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
