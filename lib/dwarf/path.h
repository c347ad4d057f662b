/* SPDX-License-Identifier: MIT
 *
 * Paths of source files, joined from what a line table and its unit say.
 */
#ifndef TM_DWARF_PATH_H
#define TM_DWARF_PATH_H

#include "lib/base/buf.h"

/* Appends a file's path as llvm-symbolizer prints it: an absolute name stays, else
 * dir + name, with comp_dir before a relative dir where the version's rules say so. */
void unit_join_path(struct buf *out, uint16_t version, const char *comp_dir, uint64_t dir_index,
		    const char *dir, const char *name);

#endif
