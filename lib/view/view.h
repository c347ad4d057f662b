/* SPDX-License-Identifier: MIT
 *
 * The state that the front ends of tm-view share (HTTP, MCP, lines of JSON): the loaded files, the programs that
 * answer, and the folders of sources.
 */
#ifndef TM_VIEW_VIEW_H
#define TM_VIEW_VIEW_H

#include "lib/event_store/event_store.h"
#include "lib/view/query.h"
#include "lib/view/value.h"

enum view_growth {
	GROWTH_NONE,    /* it is not looked at again */
	GROWTH_GOES_ON, /* more may come */
	GROWTH_ENDED, /* a trace with its end, or another file that no process has open for writing */
	GROWTH_DESERTED, /* a trace without its end, which no process has open for writing */
};

struct view_file {
	const char *name;
	const struct event_store *store;
	const char *device,
	    *build;  /* as somebody has named them; "" or NULL: the capture may say them */
	bool folder; /* no program but tm-view reads it */
	uint64_t ns; /* that loading took */
	enum view_growth growth;
	int64_t grew;   /* clock_ms, when the last of it came */
	uint64_t size;  /* bytes of the file, 0: not known */
	unsigned taken; /* percent that was read; 100: all that there is */
};

struct view {
	struct query_runner runner;
	struct view_file *files;
	size_t n_files;
	uint64_t version; /* grows when files were loaded again */
	bool follow;
	int64_t opened; /* clock_ms, when a browser asked for the page last; 0: none has */
	bool reads;     /* a file is being read, by refresh: answers are of what was read so far */
	const char
	    *home; /* of a page that was opened from a list: the address of the list; NULL: none */
	const char *gate;     /* the policy that comparisons are judged by; NULL: none */
	const char *language; /* of the page, as render_options has it */
	const char *const *source_dirs;
	size_t n_source_dirs;
	const char *const *debug_dirs; /* for what looks into binaries */
	size_t n_debug_dirs;
	const char *const *allowed; /* files that questions may name */
	size_t n_allowed;
	/* Looks whether files have changed, and loads them; may be NULL. */
	void (*refresh)(struct view *v);
	void *arg;
};

/* {"version":..,"files":[..],"limits":{..}}: notes of loss and of guesses with each file. */
void view_state(const struct view *v, struct buf *to);

/* One line for the line-delimited front end: {"id":1,"query":"top --by type"}, or the question as it
 * is; what is printed for it, with the end of its line. */
void view_line(const struct view *v, const char *line, size_t n, struct buf *to);

#endif
