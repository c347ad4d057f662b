/* SPDX-License-Identifier: MIT
 *
 * Known file formats that no reader takes: the name of each, and how to convert it into one that is
 * read.
 *
 * Sources of the marks: the tools' own files (valgrind 3.19, perf), ELF and PE specifications, git-lfs's
 * specification of pointer files, Tracy's TracyFileHeader.hpp, Unreal Engine's TraceAnalysis (the stream's
 * magic), WebAssembly's binary format, Apple's property lists, PKWARE's
 * APPNOTE, SQLite's file format, POSIX ustar, files of uftrace 0.13.
 */
#ifndef TM_FORMATS_KNOWN_TYPES_H
#define TM_FORMATS_KNOWN_TYPES_H

#include "lib/input/members.h"

struct known_type {
	const char *what;    /* "a trace of Tracy" */
	const char *program; /* of ours that has something of it: "inspect"; NULL: none */
	const char *advice;  /* the way there, or why there is no way; may be NULL */
};

/* What begins with these bytes; NULL: nothing that is known. bid: of the reader that wants it, 0: none;
 * a mark must be longer to be believed. */
const struct known_type *known_type_of(const uint8_t *p, size_t n, int bid);
/* "a zip file"; NULL of ARCHIVE_NONE. */
const char *known_type_archive(enum archive what);
/* By the folder that it is in, which is a recording as a whole; path may be NULL. */
const struct known_type *known_type_of_folder(const char *path);
/* By its name alone, where bytes have no mark; path may be NULL. */
const struct known_type *known_type_by_name(const char *path);

#endif
