/* SPDX-License-Identifier: MIT
 *
 * The check whether a program can be recorded by a preloaded library.
 */
#ifndef TM_RECORD_PROGRAM_H
#define TM_RECORD_PROGRAM_H

#include "lib/base/err.h"

#include <stdbool.h>

/* Finds the program as execvp would, and what runs it when it is a script. ST_UNSUPPORTED, with
 * the reason, when the dynamic linker would not load a library into it: it is linked statically,
 * changes its user, or is for another machine than this program; or when it is built with a
 * sanitizer that has a malloc of its own. ST_NONE: there is no such program. *path is the file that
 * was looked at, to be freed; NULL if none. */
enum status program_check(const char *name, char **path, struct err *e);

/* What a program has, by its dynamic symbols and its sections, of which a preloaded library sees
 * nothing: a malloc of its own, which the dynamic linker takes before any library's; Go's heap. */
enum { PROGRAM_OWN_MALLOC = 1, PROGRAM_GO = 2 };
unsigned program_unseen(const char *path);

#endif
