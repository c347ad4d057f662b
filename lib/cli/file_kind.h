/* SPDX-License-Identifier: MIT
 *
 * The kind of a file, by its first bytes: one of ours, a binary, or another tool's; and the program
 * of ours whose report fits the file.
 */
#ifndef TM_CLI_FILE_KIND_H
#define TM_CLI_FILE_KIND_H

#include "formats/reader.h"

struct file_kind {
	char what[200];      /* "a trace of tracemill", for people */
	const char *program; /* "top": whose report fits; NULL: none reads it */
	const char *format;  /* the only way to read it is by this name, -f; NULL: none */
	/* What to do with one that none reads; of one that is read, what its report lacks, and the command that adds it,
	 * up to the file's name. May be NULL; until the next look. */
	const char *advice;
};

/* Of an open input, in this process. */
enum status file_kind_of(struct input *in, const char *path, struct file_kind *k);

/* A child, which the sandbox holds, reads as much of the file as it takes to know: its head, of a capture the
 * first events. An error is that of opening or reading it. A folder is known by the file info in it. */
enum status file_look(const char *path, struct file_kind *k, struct err *e);

/* What a file is that is no log; NULL: nothing that is known, or one of those that look like logs. */
const char *file_not_a_log(const char *path, bool *is_capture, const char **advice);

#endif
