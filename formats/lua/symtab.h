/* SPDX-License-Identifier: MIT
 *
 * The symbol table of tarantool's LuaJIT profilers, "ljs" version 3: names for the addresses of Lua
 * functions, C functions and traces. From that LuaJIT's lj_symtab.h and a file of it. All numbers
 * are ULEB128, a string is its length and its bytes:
 *
 *	entry		low bits of its header	0 Lua: address, chunk name, first line
 *						1 C: address, name
 *						2 trace: number, address of a Lua function, line
 *	end		header with bit 7
 *
 * C functions have no sizes: an address belongs to the nearest one at or below it. Rows may be
 * added while the table is in use; the newest one of an address counts.
 */
#ifndef TM_FORMATS_LUA_SYMTAB_H
#define TM_FORMATS_LUA_SYMTAB_H

#include "lib/base/cursor.h"
#include "lib/base/hash.h"
#include "lib/trace/model.h"

struct lua_symtab {
	struct trace *t; /* borrowed */
	struct map64 lua_index, trace_index;
	struct lua_symtab_lua {
		uint32_t name, file, first; /* "file:first"; string ids */
	} * lua;
	size_t n_lua, cap_lua;
	struct lua_symtab_trace {
		uint64_t address;
		uint32_t line, location; /* location: made at its first use, else 0 */
	} * traces;
	size_t n_traces, cap_traces;
	struct lua_symtab_c { /* the first n_sorted ascending by address, then a few as they came */
		uint64_t address;
		uint32_t name;
	} * c;
	size_t n_c, cap_c, n_sorted;
	struct map64 c_index; /* address and kind -> location << 1 | whether it is between two */
	uint64_t unknown_lua, unknown_traces, between; /* uses, for notes */
	uint64_t count[3];                             /* entries, by kind */
};

enum lua_symbol_kind { LUA_SYMBOL_LUA, LUA_SYMBOL_C, LUA_SYMBOL_TRACE, LUA_SYMBOL_KINDS };

/* The whole table, from behind its "ljs" on; or one entry's body. */
enum status lua_symtab_read(struct lua_symtab *s, struct cursor *c);
void lua_symtab_entry(struct lua_symtab *s, struct cursor *c, enum lua_symbol_kind kind);
/* Locations. line 0: the function's own first line. */
uint32_t lua_symtab_lua(struct lua_symtab *s, uint64_t address, uint64_t line);
uint32_t lua_symtab_c(struct lua_symtab *s, uint64_t address, enum location_kind kind);
uint32_t lua_symtab_trace(struct lua_symtab *s, uint64_t number);
/* The same for one whose use says where it begins: it may be newer than the table's. */
uint32_t lua_symtab_trace_at(struct lua_symtab *s, uint64_t number, uint64_t address,
			     uint64_t line);
uint32_t lua_symtab_c_name(const struct lua_symtab *s, uint64_t address, bool *exact);
static inline uint32_t lua_symtab_line(uint64_t v)
{
	return v <= INT32_MAX ? (uint32_t)v : 0; /* -1: built-in functions */
}
void lua_symtab_notes(const struct lua_symtab *s);
void lua_symtab_release(struct lua_symtab *s);

#endif
