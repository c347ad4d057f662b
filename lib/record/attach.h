/* SPDX-License-Identifier: MIT
 *
 * The recording of a process that is running: the capture library is loaded into it, leads its calls
 * to itself (lib/recorder/hooks/attach.c), and writes the trace; we tell it when to end.
 */
#ifndef TM_RECORD_ATTACH_H
#define TM_RECORD_ATTACH_H

#include "lib/record/running.h"
#include "lib/recorder/base/settings.h"

struct attach {
	struct running process;
	struct cap_attached last; /* as it was read last */
	uint64_t at;              /* where that is in the process */
	int ends;                 /* readable when the process ends; -1: not known */
	uint32_t beat;
};

enum attach_end {
	ATTACH_STOPPED, /* *stop was set, or the time is over: the process goes on */
	ATTACH_ENDED,   /* the process did */
	ATTACH_LEFT,    /* it became another program */
	ATTACH_SILENT,  /* it does not answer: it is stopped */
};

/* Whether it can be done, before anything is. */
enum status attach_look(struct attach *a, pid_t pid, const char *library, struct err *e);
/* Loads the library, which writes to path (absolute) by these settings. */
enum status attach_begin(struct attach *a, const char *library, const struct cap_settings *s,
			 const char *path, struct err *e);
/* Until *stop, or for so long (0: no end), or until the process ends. */
enum attach_end attach_wait(struct attach *a, const volatile int *stop, uint64_t ms);
void attach_release(struct attach *a);

#endif
