/* SPDX-License-Identifier: MIT
 *
 * The inside of lib/history: the matching of different things with one name, as "Update" of two
 * files. A name that its language does not make unique has its file in the tables' raw column
 * (names.h; the NUL between them is U+FFFD there). From run to run such a thing is the one of the
 * same name whose file has the longest common end, as tm-compare matches (matching.h): the folder
 * of a build may be another. Lines count for nothing, since they move.
 *
 * Of several series of one name the shortest end of the newest file that distinguishes them goes
 * behind it: "Update (ui/panel.lua)".
 */
#ifndef TM_HISTORY_KIN_H
#define TM_HISTORY_KIN_H

#include "lib/base/intern.h"
#include "lib/history/history.h"

struct kin {
	struct intern texts;
	struct map64 kinds; /* thing id -> kind: what has the same name and file */
	struct kin_kind {
		uint32_t name, file; /* texts; file 0: none */
	} * items;                   /* [0] is not used */
	size_t n, cap;
	struct map64 in; /* kind << 32 | run's index -> series; until then 1: the run has it */
	struct kin_series {
		uint32_t name, kind, shown; /* kind: of the newest run that has it */
	} * series;                         /* [0] is not used */
	size_t n_series, cap_series;
};

/* Of a key's things in these runs; at: run id -> index + 1. among: " IN (...)" of the runs' ids. */
enum status kin_read(struct kin *k, struct history *h, const char *key, const char *among,
		     const struct map64 *at, size_t runs, struct err *e);
void kin_release(struct kin *k); /* accepts a zeroed struct */
/* What the thing is called in this run (its index); NULL: as the tables say. */
const char *kin_name(const struct kin *k, int64_t thing, size_t run, size_t *n);

#endif
