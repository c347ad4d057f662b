/* SPDX-License-Identifier: MIT
 *
 * The command `tracemill`: the list of programs by task, and the start of one program by another from its own
 * folder. Only cmd/tracemill.c and programs that end in another one's report use it.
 */
#ifndef TM_CLI_FRONT_H
#define TM_CLI_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct front_program {
	const char *name; /* "record": the program is tm-record; NULL: a heading, which what is */
	const char *what;
};

/* By task; ends with what NULL. */
extern const struct front_program front_programs[];
/* NULL: none is called so, with or without tm- before it. */
const struct front_program *front_find(const char *name);
/* The one whose name is a slip of the finger away; NULL: none, or more than one. */
const char *front_near(const char *name);

/* Runs tm-NAME with these arguments, argv[0] of which is replaced: the one in the folder of this
 * program, else the one in PATH. Returns only on failure, errno says why. */
void front_exec(const char *name, char **argv);
/* front_exec of tm-view. On a terminal of a desktop (not over ssh, not where CI is set) a browser opens
 * the address that it prints: $BROWSER, or xdg-open. */
void front_exec_view(char **argv);
/* fn in a child, which ends with _exit or, with status 127, when fn returns: its exit status, or 128 and the signal; 127:
 * there is no child. */
int front_child(void (*fn)(void *arg), void *arg);
/* front_exec in a child, whose exit status (128 and the signal) it returns; 127: it could not be
 * started. out: the child's standard output, or -1. */
int front_run(const char *name, char **argv, int out);

/* What makes a shell complete the words of `tracemill`; false: the shell is not known. */
bool front_complete(const char *shell);

#endif
