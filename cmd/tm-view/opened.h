/* SPDX-License-Identifier: MIT
 *
 * Internal to tm-view: the sessions of a store that are open. Each has what tm-view FILE has, a view with its captures in
 * memory, and answers questions as that does. A thread loads it, in a resource scope that holds all of it until it is
 * closed.
 *
 * There are OPENED_MOST at a time, which share half of the memory that the process may have. The one that was asked
 * least recently is closed for a new one, or for want of memory; so is one that nobody has asked for OPENED_IDLE_MS. None is
 * while a request is about it. All functions are called in the loop of the front end.
 */
#ifndef TM_CMD_VIEW_OPENED_H
#define TM_CMD_VIEW_OPENED_H

#include "lib/store/store.h"
#include "lib/view/view.h"

enum { OPENED_MOST = 8, OPENED_SIDES = 2, OPENED_IDLE_MS = 300000 };

struct opened; /* of one session, or of two that are compared */

struct opened_sessions {
	struct session_store *store; /* borrowed, as all else */
	struct view *like;           /* limits, folders of sources and policy of all views */
	struct opened *items[OPENED_MOST];
};

/* The sessions by these numbers, in this order, for a request, which gives them back. NULL: *status of HTTP and *why, a
 * constant. */
struct opened *opened_take(struct opened_sessions *o, const uint64_t *ids, size_t n,
			   unsigned *status, const char **why);
void opened_give_back(struct opened *one); /* accepts NULL */
struct view *opened_view(struct opened *one);
/* It is loaded, or why it is not is in its view. */
bool opened_ready(struct opened_sessions *o, struct opened *one);
/* Once a second. */
void opened_look(struct opened_sessions *o);
/* At the end, when there are no requests. False: a thread that was told to end has not. */
bool opened_release(struct opened_sessions *o);

#endif
