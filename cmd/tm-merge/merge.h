/* SPDX-License-Identifier: MIT
 *
 * The merge of any number of aggregates into one, with few open files and little memory: rounds of
 * MERGE_FILES at a time go into unlinked files, these into others, and so on.
 */
#ifndef TM_CMD_MERGE_MERGE_H
#define TM_CMD_MERGE_MERGE_H

#include "lib/aggregate/merge.h"
#include "lib/base/arena.h"
#include "lib/base/hash.h"

enum { MERGE_FILES = 32, MERGE_LEVELS = 12 };

struct cli_merge { /* zeroed is empty and valid */
	bool allow_duplicates;
	size_t n; /* names that were given */

	/* private */
	struct merge_file {
		const char *name; /* of a round: its first file's */
		FILE *f;          /* a round's result; NULL: to be opened by its name */
		size_t number;    /* of names */
	} waiting[MERGE_FILES], levels[MERGE_LEVELS][MERGE_FILES];
	size_t n_waiting, n_level[MERGE_LEVELS];
	const char **names;
	size_t cap_names;
	struct arena texts;
	struct map64 seen; /* an input's hash -> the name it came in, + 1 */
	uint64_t duplicates;
	bool failed;
};

void cli_merge_release(struct cli_merge *m);
/* One more. An error has been reported; nothing more is read then. */
void cli_merge_add(struct cli_merge *m, const char *name);
/* The names in a file, one in each line; path "-" is standard input. */
void cli_merge_list(struct cli_merge *m, const char *path);
/* What is merged, as a whole aggregate. False: it failed. */
bool cli_merge_end(struct cli_merge *m, FILE *to);

#endif
