/* SPDX-License-Identifier: MIT
 *
 * The start of a program with the capture library loaded into it. The dynamic linker loads it
 * (ld.so(8)), the environment tells it what to do (lib/recorder/base/settings.h).
 */
#ifndef TM_RECORD_LAUNCH_H
#define TM_RECORD_LAUNCH_H

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/recorder/base/settings.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* By enum cap_stacks and enum cap_calls; they end with NULL. */
extern const char *const launch_stacks[], *const launch_calls[];

struct launch {
	struct cap_settings settings;
	/* Of launch_prepare: the program's file (of a script, its interpreter's), what will not be seen
	 * of it (lib/record/program.h), and the library; empty: the program has its own. */
	char program[CAP_PATH_MAX];
	unsigned unseen;
	char library[CAP_PATH_MAX];
	const char
	    *path; /* what the trace is written to, and the children's names are made of; or NULL */
	const char *spikes;          /* where PET's log goes, emptied by launch_prepare; or NULL */
	int fd;                      /* open for the trace; the caller closes it */
	struct cap_outcome *outcome; /* of launch; NULL: it will not be known */
	/* In the child, when it is not run after all. */
	void (*failed)(const char *program, const char *why);
	bool spare; /* standard output is the trace's: the program writes to standard error */
};

/* Looks whether the program can be recorded (lib/record/program.h), and for the library: given, or
 * the one next to this program, as built or installed; of musl's programs the one in musl/ there, of
 * those with words of 32 bits the one in 32/.
 * *about is the file that an error is about, to be freed, or NULL. */
enum status launch_prepare(struct launch *l, const char *program, const char *given, char **about,
			   struct err *e);
/* The library: given, or ours; below: a folder, with a slash, of what is built for other programs (musl/,
 * 32/), or "". False: it is not there. */
bool launch_find_library(const char *given, const char *below, char library[CAP_PATH_MAX]);
/* What is recorded, in the settings' words; of the process and the output nothing. */
void launch_describe(struct buf *b, const struct cap_settings *s);
/* Starts argv. Signals that would end us go on to the program. -1: errno says why not. */
pid_t launch(struct launch *l, char **argv);
/* Waits for it, and learns what it used, with those that it has waited for; used: NULL or zeroed. Its exit status, or 128 and the signal that ended it, which *sig then is, else 0.
 */
int launch_wait(int *sig, struct rusage *used);
/* Behind it: errno of what cut the trace short; 0: nothing, or that is not known. */
int launch_error(const struct launch *l);
/* The process has ended, and its trace has not been. */
bool launch_open(const struct launch *l);
/* Of the process that was started; CAP_LOADED where that is not known. */
enum cap_loaded launch_loaded(const struct launch *l);
/* Both, with the trace going to fd, which is closed here: the program has the only one. over(arg) is called
 * when the recording's time (duration_ms) is over and the program goes on; NULL: nothing. */
int launch_run(struct launch *l, int fd, char **argv, int *sig, void (*over)(void *arg), void *arg,
	       struct rusage *used);

#endif
