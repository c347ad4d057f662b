/* SPDX-License-Identifier: MIT
 *
 * Objects of the Lua heap as Miku-LuaProfiler's diffs and reference lists name them: a type, and
 * items, which are paths from a root or, of a function, where it is defined:
 *
 *	function:@game/main.lua&line:12
 *	[_G]->[UI]->[cache]->[1]           4.x since 2025-12-04
 *	[_G].[UI].[cache].[1]              since 2023-03-06
 *	_G.UI.cache.1                      before
 *
 * Keys are in them unescaped, so a path is kept whole and never split. An object is no address:
 * two captures have the same one when type, definition and paths are the same.
 */
#ifndef TM_FORMATS_MIKU_OBJECTS_H
#define TM_FORMATS_MIKU_OBJECTS_H

#include "formats/reader.h"
#include "lib/base/buf.h"

struct miku_item { /* borrowed */
	const char *s;
	size_t n;
};

struct miku_object {
	uint64_t id;
	const char *type; /* "table"; n_type 0: not known */
	size_t n_type;
	const struct miku_item *items;
	size_t n_items;
	uint64_t count; /* of equal ones; 0: it is one */
};

/* "table" of LUA_TTABLE and of 5; out is used. */
void miku_type_of_name(struct buf *out, const char *s, size_t n);
const char *miku_type_of_number(uint32_t lua_type); /* "?" when Lua has none */

/* "arrows", "brackets" or "dots", NULL when a path of one step leaves it open. */
const char *miku_grammar(const char *s, size_t n);

/* An OBJECT, and a REFERENCE from the roots for every path. */
enum status miku_push_object(struct import *im, const struct miku_object *o, struct err *e);

#endif
