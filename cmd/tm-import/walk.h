/* SPDX-License-Identifier: MIT
 *
 * The binaries that --unwind names. Stacks in minidumps are walked by their unwind tables.
 */
#ifndef TM_CMD_TM_IMPORT_WALK_H
#define TM_CMD_TM_IMPORT_WALK_H

#include "lib/base/frame_walk.h"
#include "lib/cli/opt.h"

struct walk_files {
	struct object **objects;
	const char **paths;
	size_t n;
	struct frame_walker walker;
};

/* Opens the files; one that cannot be read is an error that is printed. */
void walk_files_open(struct walk_files *w, const struct opt_list *paths);
void walk_files_release(struct walk_files *w);

#endif
