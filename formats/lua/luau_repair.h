/* SPDX-License-Identifier: MIT
 *
 * A filter that makes JSON of Luau's heap dump, line by line. Builds with classes write the line of a class with
 * an unquoted name and a list that does not end (dumpclass in VM/src/lgcdebug.cpp). Such a line keeps what comes
 * before the name; blanks take the place of the rest, so that offsets stay those of the file.
 */
#ifndef TM_FORMATS_LUA_LUAU_REPAIR_H
#define TM_FORMATS_LUA_LUAU_REPAIR_H

#include "lib/base/buf.h"
#include "lib/base/cursor.h"

struct luau_repair {
	struct cursor cur;   /* to read from */
	uint64_t classes;    /* lines that were repaired */
	struct cursor *from; /* borrowed */
	struct buf text;     /* what cur is over: repaired lines */
};

/* from is borrowed, and errors go where its go. r does not move until luau_repair_release. */
void luau_repair_init(struct luau_repair *r, struct cursor *from);
void luau_repair_release(struct luau_repair *r);

#endif
