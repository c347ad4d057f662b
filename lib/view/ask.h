/* SPDX-License-Identifier: MIT
 *
 * Questions and answers. A question is the command line of a program of ours without `tm-`:
 *
 *	top --by type --focus 'Hero::'
 *
 * It is answered by that program itself, in a child that has everything which was loaded (fork copies
 * no page until one is changed): what it prints is the answer, byte for byte what it prints on a
 * terminal's command line. So no report is made twice, a question that fails ends nothing but
 * itself, and one that takes too long is ended.
 *
 * Added to the words: --as json where no form is given, and all loaded files where none of them
 * is named; of a program that looks into binaries also these.
 */
#ifndef TM_VIEW_ASK_H
#define TM_VIEW_ASK_H

#include "lib/base/buf.h"
#include "lib/view/words.h"

#include <stdbool.h>
#include <sys/types.h>

struct ask_program {
	const char *name; /* "top" */
	int (*main)(int argc, char **argv);
	const char *also;     /* options that it always gets, with blanks between; NULL: none */
	const char *captures; /* the option that names loaded files, where operands are binaries;
			       * NULL: loaded files are its operands */
};

struct asker {
	const struct ask_program *programs; /* ends with name NULL */
	const char *const *files;           /* that are loaded */
	size_t n_files;
	const char *const *binaries; /* that may be looked into */
	size_t n_binaries;
	uint64_t seconds, rows; /* limits of one answer; */
	size_t bytes;
	/* In the child, before the program by its words; may be NULL. */
	void (*child)(void *arg, const struct view_words *words);
	void *arg;
};

struct view_question {
	struct arena arena;
	struct view_words words; /* argv */
	int (*main)(int argc, char **argv);
};

enum status question_make(struct view_question *q, const struct asker *by, const char *text,
			  size_t n, struct err *e);
void question_release(struct view_question *q); /* accepts a zeroed struct */

struct view_answer {
	struct buf text, messages; /* standard output and standard error */
	int status;                /* exit status; 128 and the signal */
	const char *ended;         /* why it was ended before it was done; NULL: it was not */
	pid_t pid;                 /* the child's; 0: over */
	int out, err;              /* what to wait for; -1: closed */
	int64_t until;             /* clock_ms: it is ended then */
	size_t bytes;              /* of text: it is ended with more */
};

/* False: *e says why not. */
bool answer_start(struct view_answer *a, const struct asker *by, const struct view_question *q,
		  struct err *e);
/* Takes what is there without waiting; true: it is done. */
bool answer_go_on(struct view_answer *a);
/* Until it is done. */
void answer_wait(struct view_answer *a);
/* ms until its time is up, for poll. */
int answer_left(const struct view_answer *a);
/* Ends it, if need be. Accepts a zeroed struct. */
void answer_release(struct view_answer *a);

#endif
