/* SPDX-License-Identifier: MIT
 *
 * The process that asks debuginfod servers: libdebuginfod, libcurl and what they load talk to the
 * network there, and not where files are read (lib/sandbox). It is forked before there are threads
 * and before its parent is held, loads the library at the first question, and ends with the parent.
 * What it answers is a claim: debuginfod.c looks at it. It asks Windows' symbol servers, too (symbol_fetch.h).
 */
#ifndef TM_FIND_DEBUGINFOD_FETCH_H
#define TM_FIND_DEBUGINFOD_FETCH_H

#include "lib/object/object.h"

#include <sys/types.h>

enum fetch_kind {
	FETCH_PROGRESS, /* within the process's answers only */
	FETCH_FOUND,    /* text: the path, below the folder */
	FETCH_NONE,     /* text: why, or empty: just not found */
	FETCH_DEAD,     /* text: why no further question is worth asking */
	FETCH_UNABLE,   /* text: why no server can be asked */
};

struct fetch_answer {
	uint32_t kind; /* enum fetch_kind */
	uint64_t done, total;
	char text[4000];
	/* Of symbol servers: which one the text is of, "": all; which did not answer and are skipped from now on, and why. */
	char server[500], dead[1000];
};

struct fetcher { /* zeroed: none */
	pid_t pid;
	/* 0: closed. For the parent: questions to write, their other end so that a write to a dead
	 * process is no SIGPIPE, answers to read. */
	int ask, ask_end, answers;
};

/* urls and symbols, servers of either kind: with blanks between, "": none; folder: where files come, which was given to
 * sandbox_allow. */
enum status fetcher_start(struct fetcher *f, const char *urls, const char *symbols,
			  const char *folder, unsigned seconds, struct err *e);
/* One question at a time. progress as in struct debuginfod_options. */
void fetcher_ask(struct fetcher *f, const struct object_build_id *id, enum object_part part,
		 void (*progress)(void *arg, uint64_t done, uint64_t total), void *arg,
		 struct fetch_answer *a);
/* The same of a symbol server: path is NAME/KEY/NAME, escaped as in an address. */
void fetcher_ask_symbols(struct fetcher *f, const char *path,
			 void (*progress)(void *arg, uint64_t done, uint64_t total), void *arg,
			 struct fetch_answer *a);
void fetcher_stop(struct fetcher *f);

#endif
