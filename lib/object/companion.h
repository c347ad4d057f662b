/* SPDX-License-Identifier: MIT
 *
 * The companion files of an object, which hold parts of its debug information:
 *
 *	split     NAME.dwo, one for each unit that was compiled with -gsplit-dwarf, and what dwp
 *	          makes of many of them, PROGRAM.dwp
 *	supplement what dwz has moved out of several files into one: .gnu_debugaltlink (a name, a
 *	          NUL, a build-id), or .debug_sup (DWARF 5, section 7.3.6)
 *
 * Places are those that GDB and dwz document; the search is the one of object_find_debug.
 */
#ifndef TM_OBJECT_COMPANION_H
#define TM_OBJECT_COMPANION_H

#include "lib/base/buf.h"
#include "lib/object/object.h"

/* Is this the one? NULL: yes, and it is the callee's to free from now on, unless it is the object
 * itself. Else why not. */
typedef const char *object_accept_fn(void *arg, struct object *candidate);

/* Looks for the file that has a unit's functions: the object's own debug file when it has .dwo
 * sections; else dir/name (DW_AT_comp_dir, DW_AT_dwo_name), then name beside the binary and its
 * debug file, with and without the folders in it, then in each --debug-dir. False: none was
 * accepted; *why, which the caller has emptied, says what was refused ("" when nothing was there).
 * Any thread. */
bool object_seek_split(struct object *o, const char *dir, const char *name,
		       object_accept_fn *accept, void *arg, struct buf *why);
/* The same for the package: the object itself when it has a package's index, else FILE.dwp of the
 * binary and its debug file, beside them or in a --debug-dir. */
bool object_seek_package(struct object *o, object_accept_fn *accept, void *arg, struct buf *why);

/* Adds to *digest what is to be seen from outside of all the files that object_seek_split and
 * object_seek_package may look at. */
void object_probe_split(struct object *o, const char *dir, const char *name, uint64_t *digest);
void object_probe_package(struct object *o, uint64_t *digest);

/* The supplementary file that object_find_debug has found; NULL: none. Its own supplement, if it
 * names one, is not looked for: so there are no cycles. */
struct object *object_supplement(const struct object *o);
/* Takes s for it, whatever its build-id: for tests. */
void object_set_supplement(struct object *o, struct object *s);
/* Why a supplementary file that the debug information needs is not there; NULL: it needs none. */
const char *object_supplement_missing(const struct object *o);

/* object_section of all sections of that name, one after the other: a relocatable file has one for
 * each type unit. What is not there is empty. */
enum status object_section_joined(struct object *o, const char *name, struct object_section *out,
				  struct err *e);
/* Contents are read; the open file is given back. What object_section has not given by now is
 * not there any more. */
void object_close_file(struct object *o);

#endif
