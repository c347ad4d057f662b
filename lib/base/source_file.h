/* SPDX-License-Identifier: MIT
 *
 * Source files, only those below a folder that the user named. A path of a capture
 * (/build/ci/game/src/a.c) is looked for by its last parts, the most that fit, so that sources of
 * another machine are found, with separators of Windows too; no .. and no link leads out.
 */
#ifndef TM_BASE_SOURCE_FILE_H
#define TM_BASE_SOURCE_FILE_H

#include "lib/base/buf.h"
#include "lib/base/err.h"

enum { SOURCE_MAX = 16 << 20 };

/* All of the file into *to, and where it was found into *where. ST_NONE: it is nowhere. */
enum status source_read(const char *const *dirs, size_t n_dirs, const char *path, struct buf *to,
			struct buf *where, struct err *e);

#endif
