/* SPDX-License-Identifier: MIT
 *
 * Captures without names, for a program that shows names: tm-symbolize --if-useful puts them in, in a process and a
 * sandbox of its own, and its trace is read instead of the file. tm-symbolize writes nothing if the capture has
 * names, or if no module is on this machine by its build-id: then the file is read as it is.
 */
#ifndef TM_CLI_NAMED_H
#define TM_CLI_NAMED_H

#include "formats/reader.h"

struct cli_named_one {
	const char *path; /* borrowed */
	int fd;           /* -1: taken */
};

/* What the user says of binaries, for tm-symbolize: borrowed. */
struct cli_named_words {
	const char *const *exes, *const *debug_dirs; /* -e, --debug-dir */
	size_t n_exes, n_debug_dirs;
};

struct cli_named { /* zeroed is valid */
	struct cli_named_one *items;
	size_t n, cap;
	struct cli_named_words words; /* the caller's */
};

enum { NAMED_MOST = 8 }; /* operands: each has a process */

/* Before the sandbox: starts what there is to start, with m->words. Options on the modules or the format of the
 * capture reach no other process, so nothing is started then. */
void cli_named_start(struct cli_named *m, int n, char **operands, const struct import_options *o);
/* The pipe of an operand, the caller's from then on; -1: none. */
int cli_named_take(struct cli_named *m, const char *path);
void cli_named_release(struct cli_named *m);

/* The same for a trace that grows, as often as asked: a process that waits for questions, and starts
 * tm-symbolize for each. */
struct cli_namer {
	int ask, told; /* -1: it is not there */
	int fd;        /* what tm-symbolize wrote, once it is done */
	bool asked;
};

/* Before the sandbox. */
void cli_namer_start(struct cli_namer *m, const char *path, const struct cli_named_words *words,
		     const struct import_options *o);
/* Does nothing while it is at work. */
void cli_namer_ask(struct cli_namer *m);
/* True once after each question: fd has the trace, or nothing. wait: until then. */
bool cli_namer_done(struct cli_namer *m, bool wait);
void cli_namer_release(struct cli_namer *m);

#endif
