/* SPDX-License-Identifier: MIT
 *
 * A snapshot of a Lua state's heap: every object that can be reached from the registry, the
 * globals, the running thread and the metatables of simple types, and the objects that refer to it.
 * Weak references do not count. Own sizes: those of strings and userdata, which are all that Lua
 * reports.
 */
#ifndef TM_RECORDER_LUA_SNAPSHOT_H
#define TM_RECORDER_LUA_SNAPSHOT_H

#include "lib/recorder/lua/out.h"

#include <lauxlib.h>
#include <lua.h>

#if LUA_VERSION_NUM < 502
#define lua_rawlen(l, i) lua_objlen(l, i)
#endif

/* Writes objects and references, which is the whole of that trace. False: no memory, and what is
 * there is a part. The collector is stopped meanwhile. May raise Lua's memory error. */
bool snapshot_write(lua_State *l, struct lua_out *out, uint64_t *objects);
/* Calls visit for each coroutine that can be reached, the main one too. */
bool snapshot_threads(lua_State *l, void (*visit)(void *arg, lua_State *thread), void *arg);

#endif
