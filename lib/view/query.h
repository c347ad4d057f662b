/* SPDX-License-Identifier: MIT
 *
 * Queries and answers. A query is the command line of a program of ours without `tm-`:
 *
 *	top --by type --focus 'Hero::'
 *
 * It is answered by that program itself, in a child that has everything which was loaded (fork copies
 * no page until one is changed): what it prints is the answer, byte for byte what it prints on a
 * terminal's command line. So no report is made twice, a query that fails ends nothing but
 * itself, and one that takes too long is ended.
 *
 * Added to the words: --as json where no form is given, and all loaded files where none of them
 * is named; of a program that looks into binaries also these.
 */
#ifndef TM_VIEW_QUERY_H
#define TM_VIEW_QUERY_H

#include "lib/base/buf.h"
#include "lib/view/argv_split.h"

#include <stdbool.h>
#include <sys/types.h>

struct query_program {
	const char *name; /* "top" */
	int (*main)(int argc, char **argv);
	const char *also;     /* options that it always gets, with blanks between; NULL: none */
	const char *captures; /* the option that names loaded files, where operands are binaries;
			       * NULL: loaded files are its operands */
};

struct query_runner {
	const struct query_program *programs; /* ends with name NULL */
	const char *const *files;             /* that are loaded */
	size_t n_files;
	const char *const *binaries; /* that may be looked into */
	size_t n_binaries;
	uint64_t seconds, rows; /* limits of one answer; */
	size_t bytes;
	/* In the child, before the program by its words; may be NULL. */
	void (*child)(void *arg, const struct argv_list *words);
	void *arg;
};

struct query_args {
	struct arena arena;
	struct argv_list words; /* argv */
	int (*main)(int argc, char **argv);
};

enum status query_args_make(struct query_args *q, const struct query_runner *by, const char *text,
			    size_t n, struct err *e);
void query_args_release(struct query_args *q); /* accepts a zeroed struct */

struct query_result {
	struct buf text, messages; /* standard output and standard error */
	int status;                /* exit status; 128 and the signal */
	const char *ended;         /* why it was ended before it was done; NULL: it was not */
	pid_t pid;                 /* the child's; 0: over */
	int out, err;              /* what to wait for; -1: closed */
	int64_t until;             /* clock_ms: it is ended then */
	size_t bytes;              /* of text: it is ended with more */
};

/* False: *e says why not. */
bool query_result_start(struct query_result *a, const struct query_runner *by,
			const struct query_args *q, struct err *e);
/* Takes what is there without waiting; true: it is done. */
bool query_result_go_on(struct query_result *a);
/* Until it is done. */
void query_result_wait(struct query_result *a);
/* ms until its time is up, for poll. */
int query_result_left(const struct query_result *a);
/* Ends it, if need be. Accepts a zeroed struct. */
void query_result_release(struct query_result *a);

#endif
