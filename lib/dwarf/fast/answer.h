/* SPDX-License-Identifier: MIT
 *
 * The answers to the addresses of one unit: the piece of work that a worker of the fast engine
 * does. What it finds out goes to the job's store once (store.h), and stays there.
 */
#ifndef TM_DWARF_FAST_ANSWER_H
#define TM_DWARF_FAST_ANSWER_H

#include "lib/dwarf/engine.h"
#include "lib/dwarf/fast/line.h"
#include "lib/dwarf/fast/name.h"
#include "lib/dwarf/fast/near.h"
#include "lib/dwarf/fast/scope.h"

struct fast_answers {
	uint32_t unit;
	const uint32_t *query; /* n indexes of the job's addresses, ascending */
	size_t n;
	const struct fast_line_places
	    *lines;              /* of the unit, whose table was run last; NULL: it is run */
	struct dwarf_answer *to; /* to[query[i]] is the answer to the i-th; direct: to[i] */
	bool direct;
	bool made; /* else found_all is for each, and to has been left alone */
	uint8_t found_all;
	const char *why, *why_no_lines; /* static text, or NULL */
	const char *why_no_names;       /* of a unit's part, or NULL */
};

/* What a worker keeps from one piece of work to the next, and from job to job. Zeroed is empty. */
struct fast_worker {
	struct arena arena; /* what lives as long as the job */
	struct budget budget;
	bool copy_names; /* sections go before the answers do */
	/* processor seconds so far, when timed */
	bool timed;
	double scopes_time, lines_time, names_time;
	struct abbrevs table; /* of fast_worker_table */
	const struct fast_unit *table_of;
	struct fast_near info;
	struct fast_unit unit; /* the present one, when its bytes are near */
	struct fast_scopes scopes;
	struct fast_names names;
	struct fast_lines lines;
	struct fast_ranges ranges;
	/* by query of the present unit */
	uint64_t *addrs, *left;
	uint32_t *node, *left_node;
	struct fast_row *rows;
	size_t cap;
	struct store_writer writer;
	struct dwarf_answers *out; /* for extras */
	uint32_t *name_ids;        /* by index in names: id in the store, 0: none yet */
	size_t cap_name_ids;
	/* of the present unit: texts in the store whose length is not known yet */
	struct fast_open_name {
		struct store_text *text;
		uint64_t die; /* of a function whose name it is */
	} * open;
	size_t n_open, cap_open;
	/* of the present unit, so that equal ones are found; extra_ids: those in out */
	struct dwarf_extra *extras;
	size_t n_extras, cap_extras;
	uint32_t *extra_ids;
	size_t cap_extra_ids;
	uint32_t *path_of; /* by file number: id in the store; 0: none yet */
	size_t cap_path_of;
	struct buf path;
};

/* Before the first answer: where they go. */
void fast_worker_init(struct fast_worker *w, struct dwarf_answers *out);
/* The unit's table, until the next call. */
const struct abbrevs *fast_worker_table(struct fast_worker *w, struct fast_file *f,
					const struct fast_unit *u);
/* The unit with its bytes near, if that can be, until the next call. */
const struct fast_unit *fast_worker_unit(struct fast_worker *w, const struct fast_file *f,
					 const struct fast_unit *u);
/* addrs are the job's. a->unit, query, n, to and direct say what to do. */
void fast_answers_make(struct fast_worker *w, struct fast_file *f, const uint64_t *addrs,
		       struct fast_answers *a);
/* The job is done: what it has stored is handed over. */
void fast_worker_done(struct fast_worker *w);
/* A file goes that it may have seen. */
void fast_worker_forget(struct fast_worker *w);
void fast_worker_release(struct fast_worker *w);

#endif
