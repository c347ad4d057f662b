/* SPDX-License-Identifier: MIT
 *
 * A snapshot of a Lua state's heap: every object that can be reached from the registry, the
 * globals, the running thread and the metatables of simple types, and the objects that refer to it.
 * Weak references do not count. With the state's live blocks an object's size is its own block and those of its
 * parts, and what no object has is an object of the type "unexplained": together they are collectgarbage("count"). Without
 * them only strings and userdata have a size, their length.
 */
#ifndef TM_RECORDER_LUA_SNAPSHOT_H
#define TM_RECORDER_LUA_SNAPSHOT_H

#include "lib/recorder/lua/shapes.h"

#include <lauxlib.h>
#include <lua.h>

#if LUA_VERSION_NUM < 502
#define lua_rawlen(l, i) lua_objlen(l, i)
#endif

/* Writes objects and references, which is the whole of that trace. False: no memory, and what is
 * there is a part. The collector is stopped meanwhile. May raise Lua's memory error. */
bool snapshot_write(lua_State *l, struct lua_out *out, const struct lua_watch *watch,
		    uint64_t *objects);
/* shapes_learn, in a state that runs. May raise Lua's memory error. */
void snapshot_shapes(lua_State *l, struct lua_shapes *shapes);
/* Calls visit for each coroutine that can be reached, the main one too. */
bool snapshot_threads(lua_State *l, void (*visit)(void *arg, lua_State *thread), void *arg);

#endif
