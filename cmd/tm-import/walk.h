/* SPDX-License-Identifier: MIT
 *
 * The binaries that --unwind names. Stacks in minidumps are walked by their unwind tables.
 */
#ifndef TM_CMD_TM_IMPORT_WALK_H
#define TM_CMD_TM_IMPORT_WALK_H

#include "lib/base/frame_walk.h"
#include "lib/cli/opt.h"

struct walk_file {
	struct object *object;
	const char *path;
	bool asked, walked; /* for a frame in its module; with success */
	char *differs; /* what of a module with its name differs from it; NULL: nothing so far */
	const char *other; /* the file that was given for the same module before; NULL: none */
};

struct walk_files {
	struct walk_file *files;
	size_t n;
	uint64_t asked; /* frames */
	struct frame_walker walker;
};

/* Opens the files; one that cannot be read is an error that is printed, and the status. */
void walk_files_open(struct walk_files *w, const struct opt_list *paths);
/* After the dumps: a note for each file by which no frame was walked. */
void walk_files_report(const struct walk_files *w);
void walk_files_release(struct walk_files *w);

#endif
