#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The Lua module: what it allocates for itself is not the script's, neither in its own trace nor in that of
# tm-record; and the time in which the host does nothing is no function's. The truth is the same script without
# the module's work, and how long the host sleeps.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >script.lua <<'X'
local tm = require "tracemill"
local how = os.getenv("HOW")
local noop = function() end
local start = how == "loaded" and noop or tm.start
local cache = {}
function step(i)
	local t = {}
	for k = 1, 10 do t[k] = {x = k, s = "str" .. i .. k} end
	cache[#cache + 1] = t
end
start{file = "own.tmt", calls = os.getenv("CALLS") == "1"}
collectgarbage("stop") -- 5.1: the module's work lets it run again
for i = 1, 300 do step(i) end
if how == "snapshot" then tm.snapshot("snap.tmt") else noop("snap.tmt") end
collectgarbage("stop")
for i = 301, 600 do step(i) end
local stop = how == "loaded" and noop or tm.stop
stop()
if how == "snapshot" then tm.snapshot("snap.tmt") else noop("snap.tmt") end
collectgarbage("restart")
collectgarbage()
X
sum() { # allocations and bytes of a trace; of which function by $2
	# shellcheck disable=SC2086 # options
	tm-top -q --csv --metrics count,requested -n 0 --by function ${2:-} "$1" 2>/dev/null | awk -F, 'NR > 1 { n += $2; b += $3 } END { print n + 0, b + 0 }'
}
cat >host.c <<'X'
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	lua_State *l = luaL_newstate();

	luaL_openlibs(l);
	if (argc < 2 || luaL_dofile(l, argv[1]))
		return 1;
	for (int i = 0; i < 20; i++) {
		lua_getglobal(l, "step");
		lua_pushinteger(l, i);
		lua_pcall(l, 1, 0, 0);
		lua_settop(l, 0);
		usleep(50000);
	}
	lua_getglobal(l, "finish");
	lua_pcall(l, 0, 0, 0);
	lua_close(l);
	return 0;
}
X
cat >idle.lua <<'X'
local tm = require "tracemill"
tm.start("idle.tmt")
local function part(i) local t = {} for k = 1, 100 do t[k] = {k} end return t end
local steps = {
	fixed = function(i) part(i) end,
	vararg = function(...) local r = part(...) return r end,
	again = function(...) local a, b = part(1), part(...) return a, b end,
	thrown = function(...) part(...) error("x") end,
}
step = steps[os.getenv("STEP")]
function finish() tm.stop() end
X
cat >marks.lua <<'X'
local tm = require "tracemill"
if os.getenv("HOW") == "both" then tm.start("own.tmt") end
for i = 1, 25 do
	tm.frame(i == 3 and "level2" or nil)
	tm.counter("fps", 60 + i / 4, "Hz")
	tm.counter("pets", i)
end
if os.getenv("HOW") == "both" then tm.stop() end
X
marks() { # of a trace: frames, their numbers in order, names, and the sum of the counters' values
	tm-dump -q "$1" | awk '/^frame/ { n++; for (i = 1; i <= NF; i++) if (sub(/^(value|number)=/, "", $i)) ok += $i == n - 1
		if (/level2/) at = n }
		/^counter [0-9]+ name="lua\.heap"/ { heap = "type=" $2 }
		/^counter value/ && $NF != heap { sub(/^value=/, "", $2); s += $2 } END { print n, ok, at, s }'
}

tried=0
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	if ! command -v $lua >/dev/null 2>&1 || [ ! -e "$BIN/../lib/$lua/tracemill.so" ]; then
		echo "skip - $lua (it, or its headers when this was built, are not here)"
		continue
	fi
	tried=$((tried + 1))
	export LUA_CPATH="$BIN/../lib/$lua/?.so"
	for calls in 0 1; do
		export CALLS=$calls
		HOW=recorded $lua script.lua
		sum own.tmt >plain
		HOW=snapshot $lua script.lua
		sum own.tmt >got
		ok "$lua, calls $calls: a snapshot adds nothing to what the script allocates" cmp plain got
		ok "$lua, calls $calls: there is something" grep -q '^[1-9][0-9]\{3,\} ' got
		ok "$lua, calls $calls: none of it is the module's" [ "$(sum own.tmt '--focus ^tracemill\.')" = "0 0" ]
		HOW=loaded tm-record -q --stacks none -o native0.tmt -- $lua script.lua
		for how in recorded snapshot; do
			HOW=$how tm-record -q --stacks none -o native.tmt -- $lua script.lua
			for t in native0 native; do
				tm-dump -q $t.tmt | awk '/^alloc/ { for (i = 1; i <= NF; i++) if (sub(/^requested=/, "", $i)) { n++; b += $i } } END { print n, b }' >$t
			done
			ok "$lua, calls $calls, $how: beside tm-record it allocates no more" [ "$(awk 'NR == FNR { n = $1; b = $2; next }
				{ print ($1 - n < 20 && $2 - b < 4096) }' native0 native)" = 1 ]
		done
	done

	# 25 frames, 60 * 25 + (1 + ... + 25) / 4 of the first counter and 1 + ... + 25 of the other: 1581.25 + 325
	for how in both alone; do
		HOW=$how tm-record -q --stacks none -o native.tmt -- $lua marks.lua
		ok "$lua, $how: frames and counters of the script are in tm-record's trace, too" [ "$(marks native.tmt)" = "25 25 3 1906.25" ]
		[ $how = alone ] || ok "$lua: and in its own" [ "$(marks own.tmt)" = "25 25 3 1906.25" ]
	done

	flags=$(pkg-config --cflags --libs "$lua" 2>/dev/null || pkg-config --cflags --libs "${lua/lua/lua-}" 2>/dev/null)
	# shellcheck disable=SC2086 # several words
	if [ -z "$flags" ] || ! ${CC:-cc} -O1 host.c -o host $flags 2>/dev/null; then
		echo "skip - $lua: the time of the host (no library to build one)"
		continue
	fi
	# Of a call that an error has left LuaJIT does not say more than of one that makes a tail call.
	for step in fixed vararg again $([ $lua = luajit ] || echo thrown); do
		STEP=$step ./host idle.lua
		ok "$lua, $step: the host's second of idle time is no function's" [ "$(tm-top -q --csv --by function -n 0 idle.tmt |
			awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "self_ns") c = i } NR > 1 { s += $c }
				END { print (s > 0 && s < 500000000) }')" = 1 ]
	done
done
[ $tried -gt 0 ] || echo "skip - no Lua at all"
exit 0
