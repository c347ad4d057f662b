/* SPDX-License-Identifier: MIT
 *
 * Functions of one name in several files, distinguished for people by the shortest sufficient end
 * of the file: of /a/ui/panel.lua and /a/ai/panel.lua it is ui/panel.lua and ai/panel.lua.
 */
#ifndef TM_NAMES_DISAMBIGUATE_H
#define TM_NAMES_DISAMBIGUATE_H

#include "lib/base/buf.h"

#include <stdbool.h>

struct name_suffix {
	uint32_t name;    /* equal for functions of one name */
	const char *file; /* borrowed; NULL: it has none */
	const char *line; /* likewise; "": none */
	const char *end;  /* what came out: of file, or NULL: nothing is needed */
};

/* Of a function's name for people, and its raw name (names.h). */
struct name_suffix name_suffix_of(uint32_t name, const char *raw, size_t n);
/* " (ui/panel.lua)" */
void name_suffix_text(const struct name_suffix *a, struct buf *out);
/* Behind the name of a function whose code is that of others, too, so that its sums are of all of them. */
#define NAME_SUFFIX_FOLDED " [folded]"
/* The end of a path: the name and so many folders, or NULL when it has not so many. */
const char *path_end(const char *path, size_t folders);
void name_suffixes_find(struct name_suffix *a, size_t n);
/* Whether a pattern matches the name of what has this raw name (NULL: it has none): the name with or without its
 * file behind it, "Update" or "Update (ui/panel.lua)", with as much of the file as the pattern says, and whether
 * or not others of that name are there. A part of the file alone is no match: that has to begin in the name. */
struct match;
struct name_suffix_name {
	const char *name;
	size_t n;
	const char *raw;
	size_t n_raw;
};
bool name_suffix_match(struct match *m, const struct name_suffix_name *name);

#endif
