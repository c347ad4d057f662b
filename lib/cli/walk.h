/* SPDX-License-Identifier: MIT
 *
 * The binaries that --unwind or -e names. Stacks in minidumps are walked by their unwind tables.
 */
#ifndef TM_CLI_WALK_H
#define TM_CLI_WALK_H

#include "lib/base/frame_walk.h"
#include "lib/cli/opt.h"

struct walk_file {
	struct object *object; /* NULL: not opened so far, or it cannot be read */
	const char *path;
	char *module;       /* which it was given for, by -e MODULE=FILE; NULL: not said */
	bool asked, walked; /* for a frame in its module; with success */
	char *differs; /* what of a module with its name differs from it; NULL: nothing so far */
	const char *other; /* the file that was given for the same module before; NULL: none */
};

struct walk_files {
	struct walk_file *files;
	size_t n;
	bool opened;
	uint64_t asked; /* frames */
	struct frame_walker walker;
};

/* Opens the files; one that cannot be read is an error that is printed, and the status. */
void walk_files_open(struct walk_files *w, const struct opt_list *paths);
/* Files of -e, FILE or MODULE=FILE, which are opened when the first frame asks for one. Of those that cannot be read
 * nothing is said. The texts are borrowed. */
void walk_files_given(struct walk_files *w, size_t n, const char *const *given);
/* After the dumps: a note for each file by which no frame was walked. */
void walk_files_report(const struct walk_files *w);
void walk_files_release(struct walk_files *w);

#endif
