/* SPDX-License-Identifier: MIT
 *
 * Functions of one name in several files, distinguished for people by the shortest sufficient end
 * of the file: of /a/ui/panel.lua and /a/ai/panel.lua it is ui/panel.lua and ai/panel.lua.
 */
#ifndef TM_GROUP_APART_H
#define TM_GROUP_APART_H

#include "lib/base/buf.h"

struct apart {
	uint32_t name;    /* equal for functions of one name */
	const char *file; /* borrowed; NULL: it has none */
	const char *line; /* likewise; "": none */
	const char *end;  /* what came out: of file, or NULL: nothing is needed */
};

/* Of a function's name for people, and its raw name (names.h). */
struct apart apart_of(uint32_t name, const char *raw, size_t n);
/* " (ui/panel.lua)" */
void apart_text(const struct apart *a, struct buf *out);
/* Behind the name of a function whose code is that of others, too, so that its sums are of all of them. */
#define APART_FOLDED " [folded]"
/* The end of a path: the name and so many folders, or NULL when it has not so many. */
const char *path_end(const char *path, size_t folders);
void apart_find(struct apart *a, size_t n);

#endif
