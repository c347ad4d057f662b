/* SPDX-License-Identifier: MIT
 *
 * The sums of whole captures, made once when they are loaded, by a process beside the one that answers:
 * questions that leave no event out take them instead of walking the events (lib/tally/snapshot.h). They lie in
 * memory that all processes share, and take with the events less than VIEW_EVENT_BYTES for each. Where they do
 * not fit, or their process fails, events are walked.
 */
#ifndef TM_CMD_VIEW_SUMS_H
#define TM_CMD_VIEW_SUMS_H

#include "lib/event_store/event_store.h"
#include "lib/tally/tally.h"

#include <sys/types.h>

enum { VIEW_EVENT_BYTES = 40 };

struct view_sums {
	char *memory; /* NULL: none */
	size_t size;
	pid_t pid; /* 0: none, or reaped */
	int done;  /* ends when the process does; -1: none */
};

/* k stays as it is until sums_release, and takes them from s. The process that makes them calls settle
 * first, unless that is NULL. */
void sums_start(struct view_sums *s, struct event_store *k, void (*settle)(void *arg), void *arg);
/* For a question that reads two selections: a process that does the same from here on, up to
 * sums_make_selected. True in that one. events: of all that may be read. */
bool sums_split(struct view_sums *s, uint64_t events);
/* In that one: makes the sums of what these options select; k NULL: of nothing. Ends it. */
_Noreturn void sums_make_selected(struct view_sums *s, struct event_store *k,
				  const struct tally_options *o);
/* In the other one, by the same options: a tally by them will take these. */
void sums_use_selected(struct view_sums *s, struct event_store *k, const struct tally_options *o);
void sums_release(struct view_sums *s, struct event_store *k); /* accepts a zeroed struct */

#endif
