/* SPDX-License-Identifier: MIT
 *
 * Lua's allocator under the recorder for WebAssembly (tracemill_wasm.c). It needs no header of Lua:
 *
 *	static struct tracemill_lua s;
 *
 *	s.alloc = lua_getallocf(L, &s.data);
 *	lua_setallocf(L, tracemill_lua_alloc, &s);
 *
 * lua_newstate(tracemill_lua_alloc, &s) records the state itself, too.
 */
#ifndef TRACEMILL_LUA_H
#define TRACEMILL_LUA_H

#include <stddef.h>

struct tracemill_lua { /* what was there before: lua_Alloc, and its first argument */
	void *(*alloc)(void *data, void *old, size_t old_size, size_t n);
	void *data;
};

void *tracemill_lua_alloc(void *state, void *old, size_t old_size, size_t n);
/* The recording is complete; the page may call it, too. */
void tracemill_end(void);

#endif
