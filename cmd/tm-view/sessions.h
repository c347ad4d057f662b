/* SPDX-License-Identifier: MIT
 *
 * Internal to tm-view: the server of sessions, tm-view --store. A store of captures (lib/store) and its history
 * (lib/history) behind the HTTP front end (lib/view/guest.h).
 *
 * Three kinds of threads: the loop takes bytes of uploads and hands out the rest; a few workers wait for the disk and
 * ask the history; the reader makes sums of captures, one at a time, as questions are answered: in a scope, with the
 * limits of an answer.
 */
#ifndef TM_CMD_VIEW_SESSIONS_H
#define TM_CMD_VIEW_SESSIONS_H

#include "cmd/tm-view/opened.h"
#include "lib/cli/opt.h"
#include "lib/history/history.h"
#include "lib/store/request.h"
#include "lib/store/store.h"
#include "lib/view/guest.h"
#include "lib/view/http.h"
#include "lib/view/query.h"

#include <stdatomic.h>

struct view_sessions {
	const char *place;              /* --store: a folder, or a URL of PostgreSQL */
	const char *folder;             /* --captures, or place */
	const char *public_at, *listen; /* borrowed */
	uint64_t most, keep_last, keep_days;
	struct session_store *store;
	struct history history; /* of the reader; shown is everybody's */
	char *where;            /* of the history */
	struct guest guest;
	struct view *view; /* the caller's: limits, policy and folders of what is opened */
	struct opened_sessions opened;
	struct query_runner runner; /* of the reader */
	atomic_int working;
	pthread_t reader;
	atomic_bool end;
	bool reads; /* the reader was started */
};

/* The options, checked; ends the program on wrong ones. */
void sessions_check(struct view_sessions *s);
/* The exception that the program's profile is. */
const char *sessions_when(const struct view_sessions *s);
/* Before the sandbox: opens the store and allows its places. False: it could not, which was reported. */
bool sessions_start(struct view_sessions *s);
/* Serves until the end. */
void sessions_run(struct view_sessions *s, struct http *door);
/* False: a thread that was told to end has not, and needs what there is. */
bool sessions_release(struct view_sessions *s);

/* reading.c */
bool sessions_reader_start(struct view_sessions *s);
void sessions_reader_stop(struct view_sessions *s);

/* documents.c: the bodies of answers, as JSON. They open the history for themselves. */
enum status sessions_list(struct view_sessions *s, struct buf *to, struct err *e);
struct sessions_question { /* "": not given */
	char by[16], sort[32], name[200], branch[STORE_VALUE], machine[STORE_VALUE], from[24],
	    to[24],
	    step[24]; /* of a comparison: the run with which the line of the branch and machine steps */
};
enum status sessions_trend(struct view_sessions *s, const struct sessions_question *q,
			   struct buf *to, struct err *e);
enum status sessions_compare(struct view_sessions *s, const struct sessions_question *q,
			     struct buf *to, struct err *e);
/* Replaces the note on a run; "" takes it away. ST_ABSENT: there is no such run. */
enum status sessions_note(struct view_sessions *s, int64_t run, const char *note, struct err *e);

#endif
