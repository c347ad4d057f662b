/* SPDX-License-Identifier: MIT
 *
 * Internal to merge.h: the map from the ids of one capture to those of another.
 */
#ifndef TM_TRACE_MERGE_TABLES_H
#define TM_TRACE_MERGE_TABLES_H

#include "lib/trace/model.h"

struct id_map { /* by id of the part; rows that it has are known up to n */
	uint32_t *to;
	size_t n, cap;
};

/* What a string of a table is. */
enum merge_role {
	ROLE_NAME,     /* of a function, a type, a marker, an object */
	ROLE_PATH,     /* of a file or a module */
	ROLE_WORDS,    /* of a person: a thread's name, a message */
	ROLE_CONSTANT, /* of the format: a counter, a unit, bytes of a build-id */
	MERGE_ROLES
};

struct merge_tables {
	/* NULL: strings are the part's; else the string of the whole for one of a role. */
	uint32_t (*rename)(void *arg, struct intern *to, enum merge_role role, const char *s,
			   size_t n);
	void *arg;
	struct id_map strings[MERGE_ROLES];
	struct id_map modules, locations, stacks, types, threads, markers, counters;
	size_t n_module_files, n_location_names; /* done */
	uint32_t part; /* from 0: map epochs of different parts are different */
};

enum { MERGE_EPOCHS = 1 << 20, MERGE_PARTS_MAX = 1024 };

/* Adds the rows that are new in the part. */
void merge_rows(struct merge_tables *m, const struct trace *from, struct trace *to);
/* What tm-symbolize added to the part; once, when all its rows are known. */
void merge_symbols(const struct merge_tables *m, const struct trace *from, struct trace *to);
/* The event with the whole's ids, once the rows are there. A name that no row has is added. */
void merge_event(struct merge_tables *m, const struct trace *from, struct trace *to,
		 struct event *ev);
void merge_tables_release(struct merge_tables *m);

#endif
