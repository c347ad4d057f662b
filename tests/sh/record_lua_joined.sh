#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A program with a Lua in it, recorded by tm-record, whose script calls start() without a file: one trace, in which native
# blocks have the script's lines between their native frames. The truth is what the script and its library are written to
# do, and counters of the host's lua_Alloc and of malloc in a run without tracemill.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >counter.c <<'X'
#include <stddef.h>
void *__libc_malloc(size_t n), *__libc_calloc(size_t n, size_t m), *__libc_realloc(void *p, size_t n);
#pragma weak counted /* tm-record has none of these */
#pragma weak bytes
#pragma weak counting
extern unsigned long counted[2], bytes[2];
extern int counting;
static void count(size_t n)
{
	if (!&counting || !counting)
		return;
	counted[1]++;
	bytes[1] += n;
}
void *malloc(size_t n) { return count(n), __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return count(n * m), __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return count(n), __libc_realloc(p, n); }
X
cat >host.c <<'X'
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
unsigned long counted[2], bytes[2]; /* of lua_Alloc, and of malloc by counter.c */
int counting;
static void *counted_alloc(void *ud, void *old, size_t osize, size_t n)
{
	if (!n)
		return free(old), NULL;
	if (counting) {
		counted[0]++;
		bytes[0] += n;
	}
	return realloc(old, n);
}
static int count(lua_State *l)
{
	counting = lua_toboolean(l, 1);
	return 0;
}
/* Its block lives to the end. */
__attribute__((noinline)) static int keep(lua_State *l)
{
	void *volatile p = malloc((size_t)lua_tointeger(l, 1));

	return p == NULL;
}
__attribute__((noinline)) static int call(lua_State *l)
{
	lua_pushvalue(l, 1);
	lua_call(l, 0, 0);
	return 0;
}
__attribute__((noinline)) static void host_step(lua_State *l, int i)
{
	lua_getglobal(l, "step");
	lua_pushinteger(l, i);
	lua_pcall(l, 1, 0, 0);
	lua_settop(l, 0);
}
int main(int argc, char **argv)
{
	lua_State *l = lua_newstate(counted_alloc, NULL);

	if (!l || argc < 2)
		return 2;
	luaL_openlibs(l);
	lua_register(l, "count", count);
	lua_register(l, "keep", keep);
	lua_register(l, "call", call);
	if (luaL_dofile(l, argv[1])) {
		fprintf(stderr, "%s\n", lua_tostring(l, -1));
		return 1;
	}
	for (int i = 0; i < 10; i++)
		host_step(l, i);
	keep(l);
	lua_getglobal(l, "finish");
	lua_pcall(l, 0, 0, 0);
	for (int i = 0; i < 2; i++)
		printf("%lu %lu\n", counted[i], bytes[i]);
	lua_close(l);
	return 0;
}
X
# The numbers of the lines are those that are looked for below.
cat >script.lua <<'X'
local tm = require "tracemill"
local function save()
	local t = {}
	for k = 1, 20 do t[k] = {k} end
	keep(1001)
end
local thing = setmetatable({}, {__index = function() keep(1002) return 1 end})
local function far(n)
	if n > 0 then return (far(n - 1)) end
	call(function()
		save()
	end)
end
local yields = coroutine.wrap(function()
	while true do
		keep(1003)
		coroutine.yield()
	end
end)
local function wrong() keep(1004) error("wrong") end
function step(i)
	collectgarbage()
	tm.frame()
	count(i >= 5)
	save()
	far(1)
	local x = thing.x
	yields()
	pcall(wrong)
	keep(1005)
	count(false)
	tm.frame()
end
function finish() tm.stop() end
collectgarbage("stop")
tm.start()
X
# Blocks and bytes in the frames that are counted: 10, 12 ... 18; of lua_Alloc, then of malloc.
sum() {
	awk 'function field(name) { return match($0, " " name "=[0-9]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : 0 }
		$1 == "frame" { f = field("value") + 0; on = f >= 10 && f % 2 == 0 }
		on && $1 == "alloc" { k = / domain=lua/; n[k]++; b[k] += field("requested") }
		END { print n[1], b[1]; print n[0], b[0] }' dump
}
# Each stack of keep as one line, outermost last: names that are sure in each Lua, with the lines of the script.
stacks() { # trace
	tm-top -q --by stack --sort count -n 0 --focus '^keep$' "$1" | awk '
		/^ ?[0-9]+ / { n[s] += count; s = ""; count = / (B|KiB) / ? $2 : 0 }
		/^    / { if ($1 == "keep" || $1 == "call" || $1 == "host_step" || $1 == "main")
				s = s " " $1
			else if (sub(/.*script\.lua:/, ""))
				s = s " :" $0 }
		END { n[s] += count; for (s in n) if (n[s]) print n[s], s }' >found
}
found() { # what, how often, the stack
	ok "$1" grep -qx "$2  $3" found
}

${CC:-cc} -O1 -shared -fPIC counter.c -o counter.so
tried=0
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	flags=$(pkg-config --cflags --libs "$lua" 2>/dev/null || pkg-config --cflags --libs "${lua/lua/lua-}" 2>/dev/null)
	# shellcheck disable=SC2086 # several words
	if [ ! -e "$BIN/../lib/$lua/tracemill.so" ] || [ -z "$flags" ] ||
		! ${CC:-cc} -O1 -g -fno-omit-frame-pointer -rdynamic host.c -o host $flags 2>err; then
		echo "skip - $lua (it, or its headers when this was built, are not here)"
		continue
	fi
	tried=$((tried + 1))
	export LUA_CPATH="$BIN/../lib/$lua/?.so"
	for how in unwind fp; do
		LD_PRELOAD=$PWD/counter.so tm-record -q --stacks $how -o joined.tmt -- ./host script.lua >want 2>err
		ok "$lua, $how: it runs and joins" [ -s joined.tmt -a ! -s err ]
		tm-dump -q joined.tmt >dump
		sum >got
		ok "$lua, $how: blocks of lua_Alloc as the host counts them: $(sed -n 1p want)" [ "$(sed -n 1p got)" = "$(sed -n 1p want)" ]
		ok "$lua, $how: blocks of malloc as the counter has them: $(sed -n 2p want)" [ "$(sed -n 2p got)" = "$(sed -n 2p want)" ]
		ok "$lua, $how: which is something" awk '$1 < 200 { bad = 1 } END { exit bad || NR != 2 }' want
		stacks joined.tmt
		# Where the interpreter has no frame pointers the native stack ends there.
		from=" host_step main"
		[ $how = unwind ] || from="\\( host_step main\\)\\?"
		found "$lua, $how: save of step" 10 "keep :5 :25$from"
		[ $how = fp ] || found "$lua, $how: behind a function of C that calls Lua" 10 "keep :5 :11 call :10 :9 :26$from"
		found "$lua, $how: in a metamethod" 10 "keep :7 :27$from"
		found "$lua, $how: in a coroutine, below what resumed it" 10 "keep :16 :28$from"
		found "$lua, $how: below pcall" 10 "keep :20 :29$from"
		found "$lua, $how: after the error" 10 "keep :30$from"
		found "$lua, $how: none where no Lua runs" 1 "keep main"
		[ $how = fp ] || ok "$lua, $how: no place is a guess, nothing is lost" [ "$(grep -c '^note \(guess\|loss\)' dump)" = 0 ]
		ok "$lua, $how: twenty frames" [ "$(grep -c ^frame dump)" = 20 ]
	done
	# Calls of the script beside native blocks, each as often as it is made.
	ok "$lua: calls are the script's" [ "$(awk '
		function field(name) { return match($0, " " name "=[0-9]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : 0 }
		$1 == "location" && match($0, /name="[^"]*"/) { name[$2] = substr($0, RSTART + 6, RLENGTH - 7) }
		$1 == "stack" { of[$2] = field("location") }
		$1 == "enter" { n[name[of[field("stack")]]]++; open[field("thread")]++ }
		$1 == "exit" { if (open[field("thread")]-- < 1) early++ }
		END { print n["step"], n["save"], n["far"], early + 0 }' dump)" = "10 20 20 0" ]
	ok "$lua: a strand for each coroutine" [ "$(grep -c '^thread.*name="lua [12]"' dump)" = 2 ]
done
cat >refused.lua <<'X'
print(pcall(require("tracemill").start))
X
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	if ! command -v $lua >/dev/null 2>&1 || [ ! -e "$BIN/../lib/$lua/tracemill.so" ]; then continue; fi
	LUA_CPATH="$BIN/../lib/$lua/?.so" $lua refused.lua >said
	ok "$lua: without a recorder start() says what it needs" grep -q 'false.*start() without a file is for a process that tm-record records' said
done
[ $tried -gt 0 ] || echo "skip - no Lua at all"
exit 0
