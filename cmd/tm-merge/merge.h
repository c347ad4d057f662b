/* SPDX-License-Identifier: MIT
 *
 * The merge of any number of aggregates into one, with few open files and little memory. MERGE_FILES at a time
 * are merged into an unlinked file, and such files again, until one is left.
 */
#ifndef TM_CMD_MERGE_MERGE_H
#define TM_CMD_MERGE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MERGE_FILES = 32 };

struct cli_merge { /* zeroed is empty and valid */
	bool allow_duplicates;
	size_t n; /* names that were given */

	struct merge_rounds *rounds; /* merge.c; NULL: nothing was added yet */
};

void cli_merge_release(struct cli_merge *m);
/* One more. An error has been reported; nothing more is read then. */
void cli_merge_add(struct cli_merge *m, const char *name);
/* The names in a file, one in each line; path "-" is standard input. */
void cli_merge_list(struct cli_merge *m, const char *path);
/* What is merged, as a whole aggregate. False: it failed. */
bool cli_merge_end(struct cli_merge *m, FILE *to);

#endif
