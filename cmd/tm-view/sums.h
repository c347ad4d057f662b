/* SPDX-License-Identifier: MIT
 *
 * The sums of whole captures. A thread of its own makes them when captures are loaded, and questions that leave
 * no event out take them instead of walking the events (lib/tally/snapshot.h). An event and its share of the
 * sums take less than VIEW_EVENT_BYTES. Where they do not fit, or memory runs out, events are walked.
 */
#ifndef TM_CMD_VIEW_SUMS_H
#define TM_CMD_VIEW_SUMS_H

#include "lib/event_store/event_store.h"
#include "lib/tally/tally.h"

#include <pthread.h>
#include <stdatomic.h>

enum { VIEW_EVENT_BYTES = 40 };

struct view_sums {
	char *memory; /* NULL: none */
	size_t size;
	pthread_t thread;
	int done, ends; /* done: ends when the thread does, which has ends; -1: there is none */
	atomic_bool cancelled;
	struct event_store store; /* what it walks: the tables and events are another's */
	struct tally_options options;
};

/* k stays as it is until sums_release, unless !sums_busy, and takes them from s. */
void sums_start(struct view_sums *s, struct event_store *k);
bool sums_busy(const struct view_sums *s);
/* For a question that reads two selections: the same of what these options select, while it does something else. In its
 * resource scope, with which it ends. k is the question's own, and a tally by the same options will take them. */
void sums_start_selected(struct view_sums *s, struct event_store *k, const struct tally_options *o);
void sums_release(struct view_sums *s,
		  struct event_store *k); /* accepts a zeroed struct, and k NULL */

#endif
