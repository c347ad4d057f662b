/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/history: the matching of different entities with one name, as "Update" of two files, and of
 * entities that compilers number anew in each build, such as lambdas. A name that its language does not make
 * unique has its file in the tables' raw column (names.h; the NUL between them is U+FFFD there). From run to run
 * such an entity is the one of the same name whose file has the longest common end, as tm-compare matches
 * (matching.h): the folder of a build may be another. A numbered entity, and one that has a line in its raw name,
 * is the one of the same name without its number in the same file: they are aligned as tm-compare aligns them, by
 * lines, which the sites of other names say, counts and sizes.
 *
 * Of several series of one name the shortest end of the newest file that distinguishes them goes after it:
 * "Update (ui/panel.lua)", "operator() (ai.cpp:16)". Of numbered entities the newest name is shown; after the
 * same of one that is gone stands "(earlier)".
 */
#ifndef TM_HISTORY_SERIES_MATCH_H
#define TM_HISTORY_SERIES_MATCH_H

#include "lib/base/intern.h"
#include "lib/history/history.h"
#include "lib/profile/places.h"

struct series_match {
	struct intern texts;
	struct map64 kinds; /* entity id -> kind: what has the same name and file */
	struct series_match_kind {
		uint32_t name, file; /* texts; file 0: none */
		uint32_t line;       /* of what has one in its raw name; 0: none */
		bool numbered;       /* or known by its line */
	} * items;                   /* [0] is not used */
	size_t n, cap;
	struct map64 in; /* kind << 32 | run's index -> series; until then 1: the run has it */
	struct map64 at; /* the same -> index + 1 in places */
	struct series_match_place { /* of a kind in a run */
		uint32_t line;      /* the least; 0: none */
		double count, bytes;
	} * places;
	size_t n_places, cap_places;
	struct places *lines; /* by run: sites of other names in their files; NULL: not needed */
	size_t n_runs;
	struct series_match_series {
		uint32_t name, kind, shown; /* kind: of the newest run that has it, */
		size_t run;                 /* which is this */
	} * series;                         /* [0] is not used */
	size_t n_series, cap_series;
};

/* Of a key's entities in these runs; at: run id -> index + 1. among: " IN (...)" of the runs' ids. */
enum status series_match_read(struct series_match *k, struct history *h, const char *key,
			      const char *among, const struct map64 *at, size_t runs,
			      struct err *e);
void series_match_release(struct series_match *k); /* accepts a zeroed struct */
/* What the entity is called in this run (its index); NULL: as the tables say. */
const char *series_match_name(const struct series_match *k, int64_t entity, size_t run, size_t *n);

#endif
