/* SPDX-License-Identifier: MIT
 *
 * The Lua module in C, for a program whose scripts cannot load a library: engines that have a Lua of their
 * own, phones, consoles. tracemill-lua(3) has what to link, and the module's functions.
 */
#ifndef TRACEMILL_LUA_H
#define TRACEMILL_LUA_H

#ifdef __cplusplus
extern "C" {
#endif

struct lua_State;

/* Puts the module's table on the Lua stack, and into package.loaded where there is one, so that
 * require "tracemill" gives it too. Again it is the same table. Raises an error of Lua where there is no memory.
 * Returns 1: the values on the stack. */
int tracemill_lua_open(struct lua_State *l);

#ifdef __cplusplus
}
#endif

#endif
