#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Bytes of a Lua snapshot: the host program has an allocator of its own that counts what is live, and
# collectgarbage("count") does, too; what objects have, and what is unexplained, are that number. The sizes of known objects
# are arithmetic from Lua's sources.
# shellcheck disable=SC2094 # a file is read only
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >host.c <<'X2'
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static size_t live;
static void *last; /* new memory is full of it, as if its former owner had referred to the newest block */
static void *count(void *ud, void *p, size_t osize, size_t nsize)
{
	void *q = NULL;

	(void)ud;
	if (nsize)
		q = realloc(p, nsize);
	else
		free(p);
	if (q && !p)
		for (size_t i = 0; i + sizeof last <= nsize; i += sizeof last)
			memcpy((char *)q + i, &last, sizeof last);
	if (q)
		last = q;
	if (q || !nsize)
		live += nsize - (p ? osize : 0);
	return q;
}
static int counted(lua_State *l)
{
	luaL_checkstack(l, 100, "count"); /* the snapshot wants no more of the stack, which the collector may have cut */
	lua_pushnumber(l, (lua_Number)live);
	return 1;
}
int main(int argc, char **argv)
{
	lua_State *l = lua_newstate(count, NULL);

	if (!l) { /* LuaJIT that does not let the allocator be chosen */
		l = luaL_newstate();
		live = 0;
	}
	luaL_openlibs(l);
	lua_pushcfunction(l, counted);
	lua_setglobal(l, "counted");
	lua_pushstring(l, argc > 2 ? argv[2] : "");
	lua_setglobal(l, "FILE");
	if (argc < 2 || luaL_dofile(l, argv[1])) {
		fprintf(stderr, "%s\n", lua_tostring(l, -1));
		return 1;
	}
	lua_close(l);
	printf("left\t%zu\n", live);
	return 0;
}
X2
cat >game.lua <<'X2'
local tm = require "tracemill"
world = {}
for i = 1, 4000 do world[i] = {id = i, hp = 100, name = "enemy" .. i, pos = {i, i + 1, i + 2}} end
functions = {}
for i = 1, 500 do functions[i] = function(x) return i + x end end
coroutines = {}
for i = 1, 100 do
	coroutines[i] = coroutine.create(function(a) local z = {a} coroutine.yield(z) return z end)
	coroutine.resume(coroutines[i], i)
end
modules = {}
for i = 1, 50 do
	modules[i] = assert((loadstring or load)("local a, b = " .. i .. ", 'const" .. i .. [[' local function f(x)
		return x .. b .. 'k]] .. i .. [[' end local function g() return f(a) end return f, g, function() return g end]]))
end
known_ints = {}
for i = 1, 1000 do known_ints[i] = i end
known_fields = {id = 1, hp = 2, name = "known", pos = false}
known_string = string.rep("x", 100000)
known_function = function() return tm end
tm.snapshot(FILE)
collectgarbage()
collectgarbage()
local before, kilobytes = counted(), 0
kilobytes = collectgarbage("count")
tm.snapshot(FILE)
io.write("counted\t", before, "\ncollector\t", kilobytes * 1024, "\n")
X2

# sizeof(Table) + 1024 TValues (the array part doubles; LuaJIT's has index 0 as well) | sizeof(Table) + 4 Nodes |
# sizeof(TString) + 100000 + 1 | a closure with one upvalue, on x86-64.
known() {
	case $1 in
	lua5.1) echo $((64 + 1024 * 16)) $((64 + 4 * 40)) $((24 + 100001)) $((40 + 8)) ;;
	lua5.2) echo $((56 + 1024 * 16)) $((56 + 4 * 40)) $((24 + 100001)) $((32 + 8)) ;;
	lua5.3) echo $((56 + 1024 * 16)) $((56 + 4 * 32)) $((24 + 100001)) $((32 + 8)) ;;
	lua5.4) echo $((56 + 1024 * 16)) $((56 + 4 * 24)) $((24 + 100001)) $((32 + 8)) ;;
	luajit) echo $((64 + 1025 * 8)) $((64 + 4 * 24)) $((24 + (100001 + 3) / 4 * 4)) $((40 + 8)) ;;
	esac
}
object() { # path: its size
	awk -F, -v path="$1" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } $c["path"] == path { print $c["size"] }' objects
}

tried=0
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	flags=$(pkg-config --cflags --libs "$lua" 2>/dev/null || pkg-config --cflags --libs "${lua/lua/lua-}" 2>/dev/null)
	# shellcheck disable=SC2086 # several words
	if [ ! -e "$BIN/../lib/$lua/tracemill.so" ] || [ -z "$flags" ] || ! ${CC:-cc} -O1 host.c -o host $flags -Wl,-E 2>/dev/null; then
		echo "skip - $lua (it, or its headers, are not here)"
		continue
	fi
	tried=$((tried + 1))
	export LUA_CPATH="$BIN/../lib/$lua/?.so"
	./host game.lua snap.tmt >said 2>err
	ok "$lua: the game runs, and leaves nothing" grep -q '^left	0$' said
	tm-dump -q snap.tmt >dump
	awk '/^type/ { name[$2] = $3 } /^object/ { size = 0; type = 0; for (i = 1; i <= NF; i++) { if (sub(/^requested=/, "", $i)) size = $i; if (sub(/^type=/, "", $i)) type = $i }
		all += size; if (name[type] ~ /unexplained/) lost += size } END { printf "%d %d\n", all, lost }' dump >sums
	read -r all lost <sums
	counted=$(sed -n 's/^counted\t\([0-9]*\).*/\1/p' said) collector=$(sed -n 's/^collector\t\([0-9]*\).*/\1/p' said)
	ok "$lua: all objects are $all bytes, the allocator counts $counted, the collector $collector" [ "$all $all" = "$counted $collector" ]
	# LuaJIT's state itself is some 25 KiB, made before any module.
	ok "$lua: $lost of them are unexplained, less than 1 %" [ $((lost * 100)) -lt $((all + ($([ $lua = luajit ] && echo all || echo 0)))) ]
	tm-heap -q --csv --table objects --objects 0 snap.tmt 2>err | tr -d '\r' >objects
	if [ "$(uname -m)" = x86_64 ]; then
		ok "$lua: known objects" [ "$(object _G.known_ints) $(object _G.known_fields) $(object _G.known_string) $(object _G.known_function)" = "$(known $lua)" ]
	fi
	ok "$lua: the types' sizes are the heap" [ "$(tm-heap -q --bytes --csv --table types -n 0 snap.tmt | awk -F, 'NR > 1 { s += $2 } END { print s }')" = "$all" ]
done
[ $tried -gt 0 ] || echo "skip - no Lua at all"
exit 0
