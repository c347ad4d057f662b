/* SPDX-License-Identifier: MIT
 *
 * Debug maps: what a Mach-O file keeps of its object files until dsymutil makes a .dSYM of them. Stabs in its symbol
 * table say where each function is and which .o, or member of a static library, it comes from; the DWARF is there.
 * Facts: Apple's stab.h, LLVM's MachODebugMapParser.cpp:
 *
 *	N_OSO  path of a file, or "lib.a(member.o)"; value: its time of modification, 0: not known
 *	N_FUN  name and address of a function; then one without a name, whose value is its size
 *	N_GSYM, N_STSYM
 *	       name of a function in a section that linkers do not take for code alone, or of data; value: its address,
 *	       N_GSYM 0: that of the symbol. Its size is not said: it ends at the next function, or with its section
 *	N_SO   its source: a path, or one with the folder, which ends in "/", and one with the name; without a name: no
 *	       more of that file
 */
#ifndef TM_OBJECT_DEBUG_MAP_H
#define TM_OBJECT_DEBUG_MAP_H

#include "lib/base/sort.h"
#include "lib/object/object.h"

struct debug_map_file {
	const char *path;
	uint64_t time;
	const char *folder, *source; /* of the source; either may be "" */
};

struct debug_map_function {
	uint64_t lo, hi;
	const char *name; /* without the underscore, as symbols are */
	uint32_t file;
	bool sized; /* the map says where it ends */
};

struct debug_map {
	struct debug_map_file *files;
	size_t n_files, cap_files;
	struct debug_map_function *functions; /* by address */
	size_t n, cap;
	struct sort_item *by_file; /* n of them: file, and which function; NULL: too many */
	char *names;
};

/* Of a file for which object_find_debug found no .dSYM; NULL: it has none. */
const struct debug_map *object_debug_map(const struct object *o);
bool object_has_debug_map(const struct object *o);

/* debug_map_open.c: opens one of its files: below the sysroot of the search, else where the map says, else by its name in
 * the folders of the search. *e says why not. Without a time, one that was built again is known by its functions: one is
 * missing, or has another size. So are those of several that have one name, as members of an archive may; where functions do
 * not tell them apart, the source's name does, or none is the one. */
enum status debug_map_open(struct object **out, const struct object *o, uint32_t file,
			   struct err *e);

/* For lib/object: reads the map of o->file, if there is one. */
void debug_map_find(struct object *o);
void debug_map_free(struct debug_map *m); /* accepts NULL */

#endif
