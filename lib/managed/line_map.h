/* SPDX-License-Identifier: MIT
 *
 * Line maps of il2cpp: from a line of generated C++ to the line of C# that it was made of. JSON,
 * {"CPP PATH": {"CS PATH": {"CPP LINE": CS LINE}}}, in two dialects: Unity's
 * LineNumberMappings.json, where a C++ line is that of the //<source_info:...> comment and
 * "<no-source>" stands for a path where code has no C#; and Sentry's, where it is the first line of
 * code after the comment, with a member "__debug-id__" that names the binaries. In both an entry
 * holds until the next one of the same C++ file: one search for the greatest that is not greater
 * serves both.
 *
 * Facts: Unity from excerpts of real maps, Sentry from getsentry/symbolic.
 */
#ifndef TM_MANAGED_LINE_MAP_H
#define TM_MANAGED_LINE_MAP_H

#include "lib/base/cursor.h"
#include "lib/object/object.h"

struct line_map;

/* root: the folder that the map's C++ paths are below (il2cppFileRoot.txt); "" when not known. */
enum status line_map_read(struct line_map **out, struct cursor *in, const char *root,
			  struct err *e);
void line_map_free(struct line_map *m); /* accepts NULL */

struct line_map_facts {
	uint64_t files, lines;    /* C++ files; entries */
	uint64_t odd;             /* members that are no such entry: left out */
	bool sentry;              /* says which binaries it belongs to */
	const struct err *broken; /* the text is broken there, what follows was not read; or NULL */
};
struct line_map_facts line_map_facts(const struct line_map *m);
/* False: the map says that it belongs to other binaries. */
bool line_map_is_of(const struct line_map *m, const struct object_build_id *id);

/* The C++ file as DWARF calls it: by its path, else by its path below root, else (only when
 * generated, which says that il2cpp made what is there) by a base name that is one file's only.
 * 0: none. */
uint32_t line_map_file(const struct line_map *m, const char *path, bool generated);

enum line_map_found {
	LINE_MAP_FOUND,
	LINE_MAP_NO_ENTRY,  /* nothing within the bounds */
	LINE_MAP_NO_SOURCE, /* the map says: no C# here */
};
/* What line (of a file from line_map_file) was made of. An entry before the line first, or more
 * than window lines away (0: any number), is another's. *file lives as long as m. */
enum line_map_found line_map_at(const struct line_map *m, uint32_t cpp, uint32_t line,
				uint32_t first, uint64_t window, const char **file, uint32_t *cs);

#endif
