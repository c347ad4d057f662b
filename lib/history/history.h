/* SPDX-License-Identifier: MIT
 *
 * A store of past runs: an aggregate of each run (tracemill-aggregate(5)), its labels, and its sums
 * by entity as rows, from which trends are read without the aggregates. Stacks are in the aggregates
 * only. tracemill-history(5) has the tables.
 *
 * A run is added in one transaction: it is there with all of its rows or not at all, whatever
 * happens to the program. Errors name the store without a URL's password.
 */
#ifndef TM_HISTORY_HISTORY_H
#define TM_HISTORY_HISTORY_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/db/db.h"
#include "lib/profile/identity.h"
#include "lib/profile/profile.h"

enum { HISTORY_SCHEMA = 6 };

struct history {
	struct db *db;
	char *shown; /* its place, for people */
	int64_t schema;
	struct identity_options
	    maps; /* the caller's: modules and functions that changed their names */
};

/* DB_READ, or DB_CREATE for adding; the schema of an older version is brought up to ours when
 * writing. ST_UNSUPPORTED: it is newer, or no history. */
enum status history_open(struct history *h, const char *where, enum db_mode mode,
			 unsigned wait_seconds, struct err *e);
void history_close(struct history *h); /* accepts a zeroed struct */

/* --- adding --- */

struct history_label {
	const char *name, *value;
};

extern const char *const history_statuses[]; /* "unknown", "green", "red", NULL */

struct history_labels { /* all borrowed; NULL: not given */
	const char *build;
	const char *branch, *commit, *machine;
	const char *date; /* history_date's form */
	const char *status;
	const struct history_label *items;
	size_t n;
};

/* YYYY-MM-DD, or with THH:MM:SSZ behind it, to the second form. False: no date. */
enum { HISTORY_DATE = 21 };
bool history_date(const char *s, char to[HISTORY_DATE]);
void history_now(char to[HISTORY_DATE]);

struct history_added {
	int64_t run;
	bool
	    was_there; /* the same run, chosen by the same options, with the same labels: nothing was added, */
	bool changed_to; /* but its status is the new one */
};

/* An aggregate as bytes, which has been read into s and t. Labels are text of any bytes. */
enum status history_add(struct history *h, const struct buf *aggregate,
			const struct profile_entities *t, const struct profile *s,
			const struct history_labels *l, const char *file,
			struct history_added *added, struct err *e);

/* --- looking --- */

struct history_choice { /* NULL, 0: any */
	const char *branch, *machine, *status, *build;
	const char *since, *until; /* dates in history_date's form, both included */
	const struct history_label *items;
	size_t n;
	uint64_t last; /* only so many, the newest */
};

struct history_run { /* texts: NULL: not given, but for date, added, build and status */
	int64_t id;
	const char *date, *added, *build, *branch, *commit, *machine, *status, *file, *format,
	    *sampling, *options, *program, *arguments, *labels, /* "name=value name=value" */
	    *note; /* the label of that name, which is not among labels */
	int64_t captures, frames, duration, guesses, losses; /* duration 0: not known */
	int64_t exit_status;
	size_t nth_build; /* counted from 0, by history_runs_gather */
};

struct history_runs { /* oldest first: by date, then in the order they were added */
	struct history_run *items;
	size_t n, cap;
	struct arena texts;
};

/* *r is released already when it fails. */
enum status history_runs(struct history *h, const struct history_choice *c, struct history_runs *r,
			 struct err *e);
void history_runs_release(struct history_runs *r);
/* Puts the runs of a build next to each other, behind its first. Of one build are runs that were given one build's
 * name and one commit; a run that is called by its file is a build of its own. */
void history_runs_gather(struct history_runs *r);
/* The build of a run that is given none, by its file's name: "builds/b-117.mem.gz": b-117. */
size_t history_build_of(const char *path, const char **build);
/* The run with this id, or the last of this build; NULL: none. */
const struct history_run *history_run_named(const struct history_runs *r, const char *name);

/* Replaces the note on a run, a text of any bytes; "" takes it away. ST_ABSENT: no such run. */
enum status history_set_note(struct history *h, int64_t run, const char *text, struct err *e);
/* Appends the aggregate of a run. */
enum status history_aggregate(struct history *h, int64_t run, struct buf *to, struct err *e);

#endif
