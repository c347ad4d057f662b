/* SPDX-License-Identifier: MIT
 *
 * The name of a Lua function: the field of the globals or of a loaded module that holds the
 * function, as in Lua's own tracebacks; else the name that its first caller uses; else its place of
 * definition. Closures of one definition are one function, and only the first of them is looked at
 * so closely. Definitions with one name and place are one, too: a file that is loaded again.
 */
#ifndef TM_RECORDER_LUA_NAMES_H
#define TM_RECORDER_LUA_NAMES_H

#include "lib/recorder/lua/calls.h"

#include <lauxlib.h>
#include <lua.h>

/* The function of an activation record, by its address; 0: no memory. */
uint32_t function_of(struct luacalls *c, lua_State *l, lua_Debug *ar, const void *pointer);
/* Of what lua_Alloc says of a new block: "table"; "other" for memory that is no object. */
const char *name_of_kind(size_t kind);

#endif
