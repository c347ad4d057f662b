/* SPDX-License-Identifier: MIT
 *
 * Queries and answers. A query is the command line of a program of ours without `tm-`:
 *
 *	top --by type --focus 'Hero::'
 *
 * It is answered by that program's own function in a thread, from what was loaded, which nobody changes meanwhile:
 * what it prints is the answer, byte for byte what it prints on a terminal's command line. So no report is made twice.
 *
 * A request is these words, and no struct of options: they are what people are shown, type and can repeat in a shell, and
 * the program's table of options (lib/cli/opt.h) checks them once, for all. What a front end makes of the report itself it
 * gets as a document (struct query_form), not as text.
 *
 * All memory and descriptors that a query takes are in a resource scope (lib/base/resource_scope.h), which is given
 * back as a whole however the query ends: at its end, at an error of use, when it is told to end, since it takes
 * too long or prints too much, and when memory runs out. All scopes together may hold less than the process may have,
 * so that there is some left for who serves them.
 *
 * Added to the words: --as json where no form is given, and all loaded files where none of them
 * is named; of a program that looks into binaries also these.
 */
#ifndef TM_VIEW_QUERY_H
#define TM_VIEW_QUERY_H

#include "lib/base/buf.h"
#include "lib/render/render.h"
#include "lib/view/argv_split.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

struct query_program {
	const char *name; /* "top" */
	int (*run)(int argc, char **argv);
	const char *also;     /* options that it always gets, with blanks between; NULL: none */
	const char *captures; /* the option that names loaded files, where operands are binaries;
			       * NULL: loaded files are its operands */
};

/* What a front end makes of a document, in the thread that has it, in place of JSON that it would read again: one block of
 * n bytes that is no scope's (resource_scope_outside), and changes hands to who asked. */
struct query_form {
	void *(*make)(const struct query_form *f, const struct table_document *d, size_t *n);
	uint64_t offset, limit;
};

struct query_args {
	struct arena arena;
	struct query_form form; /* make NULL: none */
	void *formed;           /* what it made */
	size_t n_formed;
	struct argv_list words; /* argv */
	const struct query_program *program;
};

struct query_runner {
	const struct query_program *programs; /* ends with name NULL */
	const char *const *files;             /* that are loaded */
	size_t n_files;
	const char *const *binaries; /* that may be looked into */
	size_t n_binaries;
	uint64_t seconds, rows; /* limits of one answer; */
	size_t bytes;
	size_t memory;       /* of the process; 0: no limit */
	atomic_int *working; /* never NULL: threads of questions, also of those told to end */
	/* In the thread: runs the program of q. It may be left (RESOURCE_SCOPE_LEFT). status is called in the same
	 * thread behind that, and gives the exit status. */
	void (*answer)(void *arg, struct query_args *q, FILE *out, FILE *err);
	int (*status)(void);
	void *arg;
};

enum status query_args_make(struct query_args *q, const struct query_runner *by, const char *text,
			    size_t n, struct err *e);
/* For answer: makes of d what the form of the struct query_args says, and prints nothing. ST_NONE: it has none. */
enum status query_form_write(void *args, const struct table_document *d,
			     const struct render_options *o, FILE *out, struct err *e);
void query_args_release(struct query_args *q); /* accepts a zeroed struct */

struct query_result {
	struct buf text, messages; /* standard output and standard error */
	void *formed;              /* by the form, of an answer that was not ended */
	size_t n_formed;
	int status;              /* exit status; of what was ended, 128 and SIGKILL */
	const char *ended;       /* why it was ended before it was done; NULL: it was not */
	struct query_work *work; /* NULL: over */
	int out, err;            /* what to wait for; -1: closed */
	uint64_t seconds;        /* that it may take */
	char late[128];          /* why it was ended, where it took longer */
	int64_t until;           /* clock_ms: it is ended then */
	size_t bytes;            /* of text: it is ended with more */
};

/* Takes what q has. False: *e says why not. */
bool query_result_start(struct query_result *a, const struct query_runner *by, struct query_args *q,
			struct err *e);
/* Takes what is there without waiting; true: it is done. */
bool query_result_go_on(struct query_result *a);
/* Until it is done. */
void query_result_wait(struct query_result *a);
/* ms until its time is up, for poll. */
int query_result_left(const struct query_result *a);
/* Ends it, if need be. Accepts a zeroed struct. */
void query_result_release(struct query_result *a);

/* For a thread that is about to be made beside those of queries: it takes no signals but those of its own doing. *before:
 * what is to be set again. */
void query_block_signals(sigset_t *before);
/* Asks, waits and returns what the form made, which is the caller's to free. NULL: *e says why, as for an answer without
 * the form. Messages end with NUL. a is to be released in any case. */
void *query_ask(struct query_result *a, const struct query_runner *by, const char *question,
		const struct query_form *form, struct err *e);
/* No thread of a query is at work, also none that was told to end: what was loaded may change. Waits for it, ms at most. */
bool query_none_works(const struct query_runner *by, int ms);

#endif
