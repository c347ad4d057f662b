/* SPDX-License-Identifier: MIT
 *
 * One unit and the addresses asked of it -> their answers, with ids of its own: the piece of work
 * that a worker of the fast engine does.
 */
#ifndef TM_DWARF_FAST_ANSWER_H
#define TM_DWARF_FAST_ANSWER_H

#include "lib/dwarf/engine.h"
#include "lib/dwarf/fast_line.h"
#include "lib/dwarf/fast_name.h"
#include "lib/dwarf/fast_scope.h"

enum { FAST_DECLINED = 255 }; /* for the reference engine; beside enum dwarf_found */

/* All of it lives in the arena of the worker that made it, but query, which is the asker's. */
struct fast_answers {
	uint32_t unit;
	const uint32_t *query; /* n indexes of the job's addresses, ascending */
	size_t n;
	uint32_t *call; /* in calls, 0: none; NULL: there are none, found_all is for each */
	uint8_t *found; /* enum dwarf_found */
	uint8_t found_all;
	/* function and file are indexes + 1 in names and paths; an outer call comes before what was
	 * inlined into it; calls[0] is unused */
	struct dwarf_call *calls;
	size_t n_calls;
	struct dwarf_extra *extras; /* with indexes + 1, too */
	size_t n_extras;
	struct fast_text *names, *paths;
	size_t n_names, n_paths;
	const char *why, *why_no_lines; /* static text, or NULL */
	const char *why_no_names;       /* of a unit's part, or NULL */
	/* for the merge: ids in the job's answers, 0: not yet */
	uint32_t *call_ids, *name_ids, *path_ids, *extra_ids;
};

/* What a worker keeps from one piece of work to the next. Zeroed is empty. */
struct fast_worker {
	struct arena arena;
	struct budget budget;
	/* processor seconds so far, when timed */
	bool timed;
	double scopes_time, lines_time, names_time;
	struct fast_scopes scopes;
	struct fast_names names;
	struct fast_lines lines;
	struct fast_ranges ranges;
	/* by query of the present unit */
	uint64_t *addrs, *left;
	uint32_t *node, *left_node;
	struct fast_row *rows;
	size_t cap;
	/* calls made for the present unit */
	struct dwarf_call *calls;
	size_t n_calls, cap_calls;
	struct id_set call_set;
	struct dwarf_extra *extras;
	size_t n_extras, cap_extras;
	uint32_t *path_of; /* by file number: index in paths + 1, + 1 */
	size_t cap_path_of;
	struct fast_text *paths;
	size_t n_paths, cap_paths;
	struct buf path;
	/* of the index */
	struct fast_run *runs;
	size_t n_runs, cap_runs;
};

/* addrs are the job's. a->unit, query and n say what to do. */
void fast_answers_make(struct fast_worker *w, struct fast_file *f, const uint64_t *addrs,
		       struct fast_answers *a);
void fast_worker_release(struct fast_worker *w);

#endif
