/* SPDX-License-Identifier: MIT
 *
 * The state of one answer of a program: where it prints, what it is called, and how it will end. A process has one. A
 * question that tm-view answers has one of its own, in a thread of its own, as long as the thread lasts.
 */
#ifndef TM_CLI_SESSION_H
#define TM_CLI_SESSION_H

#include "lib/cli/opt.h"

#include <stdio.h>

struct event_store;
struct render_options;
struct table_document;
struct tally_options;

/* Who asks a question, and may have captures in memory for it. Each function may be NULL: then operands are opened, all
 * options may be, documents are printed. */
struct cli_host {
	void *arg;
	/* Asked for each operand before it is opened; never NULL. */
	const struct event_store *(*store)(void *arg, const char *operand);
	/* Called for each option before it is set; file: what the option names, or NULL. Gives why not, which is then
	 * a usage error; NULL: it may be. */
	const char *(*refuse)(void *arg, const char *word, const char *file);
	/* Takes the document of a report that is asked for as JSON. ST_NONE: it is printed as such. */
	enum status (*write)(void *arg, const struct table_document *d,
			     const struct render_options *o, FILE *out, struct err *e);
	/* What will be read last is this one, tallied by these options, and the caller has other work before; k NULL:
	 * it has none. */
	void (*prefetch)(void *arg, const struct event_store *k, const struct tally_options *o);
};

enum { CLI_COMMON_ROWS = 9 };

struct cli_session {
	FILE *out, *err;             /* NULL: standard output and standard error */
	const struct cli_host *host; /* NULL: a process */
	const char *program;
	int status, usage_status; /* enum exit_status: of the end so far; of a usage error */
	bool quiet, verbose;
	bool output_told; /* that standard output failed: said once */
	int put_errno;    /* why the first write to it failed; 0: none did */
	/* What opt.c parses. */
	const struct opt_program *parsed;
	struct opt_style style;
	struct opt common[CLI_COMMON_ROWS];
	bool want_help, want_all, want_version, no_sandbox, no_config;
	int progress;
	struct opt_list *many; /* what the arguments up to the next option belong to */
	struct opt_list named; /* files that operands and options name: paths, borrowed from argv */
	struct opt_list olds;  /* words that were given and have another name now, and that name */
};

/* This thread's: the process's, unless cli_answer has set another one. Never NULL. */
extern _Thread_local struct cli_session *cli_now;

FILE *cli_out(void);
FILE *cli_err(void);
/* The end of a program in the middle of its work: of the process, or of the question. */
_Noreturn void cli_leave(int status);

#endif
