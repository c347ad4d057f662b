/* SPDX-License-Identifier: MIT
 *
 * The check whether a program can be recorded by a preloaded library. It reads files that are about to run, or run
 * already, with what their owner may do: headers into structs, and two tables of names that are searched for given
 * ones. Nothing that a file says is a place or a size in memory (tests/fuzz/fuzz_program.c).
 */
#ifndef TM_RECORD_PROGRAM_H
#define TM_RECORD_PROGRAM_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Finds the program as execvp would, and what runs it when it is a script. ST_UNSUPPORTED, with
 * the reason, when the dynamic linker would not load a library into it: it is linked statically,
 * changes its user or is for a machine that is neither this program's nor that one with words of 32 bits; or when it is built with a sanitizer
 * that has a malloc of its own. What has the runtime linked in needs none of that. ST_NONE: there is
 * no such program. *path is the file that was looked at, to be freed; NULL if none. */
enum status program_check(const char *name, char **path, struct err *e);
/* In what it differs from this program, so that its libraries do, too: it is loaded by musl's dynamic
 * linker; its words have 32 bits. */
enum { PROGRAM_MUSL = 1, PROGRAM_32_BITS = 2 };
unsigned program_differs(const char *path);

/* What a program has, by its dynamic symbols and its sections, of which a preloaded library sees
 * nothing: a malloc of its own, which the dynamic linker takes before any library's; Go's heap. And
 * whether it needs no library to be preloaded: the runtime is linked into it, as
 * libtracemill-capture.a or libtracemill-wrap.a. */
#define PROGRAM_GO_PROFILES                                                                    \
	"Go's own pprof records it (runtime/pprof, net/http/pprof, go test -memprofile), and " \
	"tracemill top reads its profiles"
enum { PROGRAM_OWN_MALLOC = 1, PROGRAM_GO = 2, PROGRAM_RECORDS_ITSELF = 4 };
unsigned program_unseen(const char *path);

/* The same of a program that runs, of which path is a way to its file: ST_UNSUPPORTED also where the
 * runtime is linked in. */
enum status program_check_running(const char *path, struct err *e);
/* What the table of dynamic symbols has for n names, at most PROGRAM_SYMBOLS of at most 31 bytes; 0: it does not
 * define it. */
enum { PROGRAM_SYMBOLS = 8 };
void program_symbols(const char *path, const char *const *names, unsigned n, uint64_t *values);

#endif
