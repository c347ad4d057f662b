/* SPDX-License-Identifier: MIT
 *
 * What a file is, by its first bytes: one of ours, a binary, or another tool's; and which of our
 * programs has the report that fits it.
 *
 * Sources of the marks: the tools' own files (heaptrack 1.4, valgrind 3.19, gperftools, perf), ELF
 * and PE specifications, git-lfs's specification of pointer files, Tracy's TracyFileHeader.hpp,
 * Unreal Engine's TraceAnalysis (the stream's magic), speedscope's JSON schema, the JDK's JFR and
 * HPROF readers, PKWARE's APPNOTE, SQLite's file format, POSIX ustar.
 */
#ifndef TM_CLI_FILE_KIND_H
#define TM_CLI_FILE_KIND_H

#include "formats/reader.h"

struct file_kind {
	char what[200];      /* "a trace of tracemill", for people */
	const char *program; /* "top": whose report fits; NULL: none reads it */
	const char *advice;  /* what to do with one that none reads; may be NULL */
};

/* Reads as much of the file as it takes to know: its head, of a capture the first events. An error
 * is that of opening or reading it. A folder is known by the file info in it. */
enum status file_look(const char *path, struct file_kind *k, struct err *e);

#endif
