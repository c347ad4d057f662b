/* SPDX-License-Identifier: MIT
 *
 * The files of the command line, loaded once; every question is answered from them. A trace that is large is followed
 * until its end (follow.h) while questions are answered: each answer is of what was read by then.
 */
#ifndef TM_CMD_VIEW_LOAD_H
#define TM_CMD_VIEW_LOAD_H

#include "cmd/tm-view/follow.h"
#include "cmd/tm-view/sums.h"
#include "lib/cli/autosymbolize.h"
#include "lib/cli/cli.h"

struct session;

struct view_loaded {
	const char *path; /* of the file; borrowed */
	struct session
	    *session; /* of a folder: all that is in it is one capture; NULL: it is a file */
	struct event_store store;
	struct view_sums sums; /* of it */
	uint64_t ns;           /* that loading took, of the processor */
	struct follow *follow; /* NULL: it is not looked at again */
	struct cli_symbols_tap symbols;
	uint64_t size;  /* bytes of the file; 0: not known */
	bool reading;   /* it is followed until its end */
	uint64_t shown; /* events that there were when the version grew last */
	char *folder;   /* of the file, where files are followed */
	int64_t grew;   /* clock_ms, when the last of it came */
};

struct view_load {
	const struct import_options *import;
	struct cli_symbols symbols;
	struct cli_symbolizer *symbolizer; /* of files that are followed; NULL: they get no names */
	struct view_loaded *items;
	const char **names;
	size_t n;
	bool follows;
	bool many;        /* questions will be asked */
	bool in_pieces;   /* a large trace is read while they are answered */
	uint64_t version; /* grows when a file was loaded again, or has grown */
};

/* Before the sandbox: symbols are looked up, by l->symbols, which is the caller's. follow: files are looked at again,
 * and others that take their places. when: the exception that the program's profile will be. */
void load_start(struct view_load *l, int n, char **operands, const struct import_options *import,
		const char *when, bool follow);
/* After it, and in place of load_start: files that are called by names of their own, and get no names of functions. All is
 * borrowed. */
void load_named(struct view_load *l, size_t n, const char *const *paths, const char *const *names,
		const struct import_options *import);
/* After it. What cannot be read is kept with its reason, and reported if wanted: each answer
 * reports it, too. many: there will be many questions. in_pieces: load_changed reads what is large. */
void load_all(struct view_load *l, bool tell, bool many, bool in_pieces);
/* What has come of files that grow, and those that have changed, again; true: there were some. Of a file that is being
 * read, its next piece; true: it is the last one, or what was read is a multiple of what it was. */
bool load_changed(struct view_load *l);
/* Percent of the file that was read, 100: all of it. */
unsigned load_taken(const struct view_loaded *it);
bool load_reads(const struct view_load *l);
void load_release(struct view_load *l);

#endif
