#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Lua states that are closed, recordings that stop, and coroutines that wait, beside other work of the program. The truth is
# what the host and the scripts are written to do: nap(MS) sleeps, in the host or in a script.
# shellcheck disable=SC2317 # functions are called by ok
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >host.c <<'X'
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int nap(lua_State *l)
{
	usleep((unsigned)lua_tointeger(l, 1) * 1000);
	return 0;
}
/* SCRIPT STATES CLOSES: between a script and the end of its state 100 ms pass, and after it too. */
int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	for (int i = 0; i < atoi(argv[2]); i++) {
		lua_State *l = luaL_newstate();

		luaL_openlibs(l);
		lua_register(l, "nap", nap);
		if (luaL_dofile(l, argv[1]))
			puts(lua_tostring(l, -1));
		usleep(100000);
		if (atoi(argv[3]))
			lua_close(l);
		usleep(100000);
	}
	return 0;
}
X
# 100 tables are live when the state is closed.
cat >live.lua <<'X'
local tm = require "tracemill"
tm.start()
T = {}
for i = 1, 100 do T[i] = {} end
X
# Those of the first recording are freed after it.
cat >after.lua <<'X'
local tm = require "tracemill"
collectgarbage("stop")
tm.start()
T = {}
for i = 1, 100 do T[i] = {} end
tm.stop()
T = nil
collectgarbage("collect")
tm.start()
tm.stop()
X
cat >error.lua <<'X'
local tm = require "tracemill"
tm.start()
tm.frame()
function inner()
	nap(20)
	error("x")
end
function outer() inner() return 1 end
outer()
X
cat >stop.lua <<'X'
local tm = require "tracemill"
function work() nap(20) return 1 end
local function all()
	for i = 1, 3 do
		tm.start(not JOINED and "own.tmt" or nil)
		tm.frame()
		work()
		tm.stop()
		nap(200)
	end
end
all()
X
# A coroutine runs for 2 x WORK ms, and what resumes it for RUN besides.
cat >coroutine.lua <<'X'
local tm = require "tracemill"
function work() nap(WORK) coroutine.yield() nap(WORK) return 1 end
function run()
	local co = coroutine.create(work)
	coroutine.resume(co)
	nap(RUN)
	coroutine.resume(co)
	return 1
end
tm.start(not JOINED and "own.tmt" or nil)
tm.frame()
run()
tm.frame()
tm.stop()
X
# Two states in one thread: a function of C in the first calls the second, and one in the second calls the first.
cat >nested.c <<'X'
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <unistd.h>
static lua_State *states[2];
static int nap(lua_State *l)
{
	usleep((unsigned)lua_tointeger(l, 1) * 1000);
	return 0;
}
/* other(NAME, MS): a function of the other state, between two naps of 20 ms. */
static int other(lua_State *l)
{
	lua_State *o = states[l == states[0]];

	usleep(20000);
	lua_getglobal(o, lua_tostring(l, 1));
	lua_pushinteger(o, lua_tointeger(l, 2));
	if (lua_pcall(o, 1, 0, 0))
		lua_pop(o, 1);
	usleep(20000);
	return 0;
}
int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	for (int i = 2; i--;) {
		states[i] = luaL_newstate();
		luaL_openlibs(states[i]);
		lua_register(states[i], "nap", nap);
		lua_register(states[i], "other", other);
		if (luaL_dofile(states[i], argv[1 + i]))
			puts(lua_tostring(states[i], -1));
	}
	lua_getglobal(states[0], "main");
	if (lua_pcall(states[0], 0, 0, 0))
		puts(lua_tostring(states[0], -1));
	for (int i = 0; i < 2; i++)
		lua_close(states[i]);
	return 0;
}
X
cat >first.lua <<'X'
local tm = require "tracemill"
tm.start()
function run()
	nap(30)
	other("work", 100)
	other("wrong", 100)
	nap(10)
	other("both", 60)
	return 1
end
function back(ms) nap(ms) return 1 end
function main()
	tm.frame()
	run()
	tm.frame()
end
X
cat >second.lua <<'X'
require("tracemill").start()
function work(ms) nap(ms) return 1 end
function wrong(ms) nap(ms) error("x") end
function both(ms) nap(ms) other("back", ms) nap(ms) return 1 end
X
live() { # blocks of Lua at the end
	tm-top -q --domain lua "$1" | sed -n 's/.*live at the end .* in \([0-9]*\) blocks\?;.*/\1/p'
}
# Calls, if there are any, that have no exit, and exits without a call: "0 0".
calls() { # dump
	awk 'function field(name) { return match($0, " " name "=[0-9]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : 0 }
		$1 == "enter" { open[field("thread") " " field("stack")]++; left++; n++ }
		$1 == "exit" { early += open[field("thread") " " field("stack")]-- < 1; left-- }
		END { print n ? left + 0 : "none", early + 0 }' "$1"
}
ms() { # capture, column, function; "": the sum of all
	tm-top -q --csv -n 0 "$1" | awk -F, -v column="$2" -v of="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		of == "" || $at["site"] == of { sum += $at[column] }
		END { print int(sum / 1e6) }'
}
ms_of_frame() { # capture, frame, column
	tm-frames -q --csv "$1" | awk -F, -v column="$3" -v of="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["frame"] == of && $at["frame"] != "" { print int($at[column] / 1e6) }'
}
within() { # MS LEAST MOST
	[ "$1" -ge "$2" ] && [ "$1" -lt "$3" ]
}
record() { # script, states, closes, what is set before it
	{ echo "$4"; cat "$1.lua"; } >run.lua
	tm-record -q -o "$1.tmt" -- ./host run.lua "$2" "$3" >said 2>&1
	tm-dump -q "$1.tmt" >"$1.dump"
}
nested() { # lua
	tm-record -q -o nested.tmt -- ./nested first.lua second.lua >said 2>&1
	tm-dump -q nested.tmt >nested.dump
	ok "$1: two states in one thread: it runs" [ ! -s said ]
	ok "$1: no calls of theirs stay open" [ "$(calls nested.dump)" = "0 0" ]
	# 30 + 10 + 3 x 40 ms of the first alone, 200 + 2 x 60 + 40 of the second, 60 of the first again.
	ok "$1: none of the time is lost" within "$(ms nested.tmt self_ns "")" 579 100000
	# Beside the frame, 100 ms are for a machine with other work; twice would be 320 more.
	ok "$1: and none is counted twice" [ "$(ms nested.tmt self_ns "")" -le $(($(ms_of_frame nested.tmt 0 duration_ns) + 100)) ]
	ok "$1: the second's is its own" within "$(ms nested.tmt total_ns work)" 99 "$(($(ms_of_frame nested.tmt 0 duration_ns) - 400))"
	ok "$1: and none of the first's" within "$(ms nested.tmt total_ns run)" 219 "$(($(ms_of_frame nested.tmt 0 duration_ns) - 319))"
}
coroutines() { # lua and how, capture
	ok "$1: a coroutine's time is without that of its resumer" within "$(ms "$2" total_ns work)" 39 200
	# Of what begins and ends the recording are 20 ms enough.
	ok "$1: and no more time is spent than there is" [ "$(ms "$2" self_ns "")" -le $(($(ms_of_frame "$2" 0 duration_ns) + 20)) ]
	ok "$1: in a frame too" [ "$(ms_of_frame "$2" 0 self_ns)" -le "$(ms_of_frame "$2" 0 duration_ns)" ]
	ok "$1: none of it is lost" within "$(ms "$2" self_ns "")" 338 100000
}

tried=0
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	flags=$(pkg-config --cflags --libs "$lua" 2>/dev/null || pkg-config --cflags --libs "${lua/lua/lua-}" 2>/dev/null)
	# shellcheck disable=SC2086 # several words
	if [ ! -e "$BIN/../lib/$lua/tracemill.so" ] || [ -z "$flags" ] || ! ${CC:-cc} -O1 -g host.c -o host $flags 2>err; then
		echo "skip - $lua (it, or its headers when this was built, are not here)"
		continue
	fi
	tried=$((tried + 1))
	export LUA_CPATH="$BIN/../lib/$lua/?.so"
	record live 3 1 ""
	ok "$lua: nothing of closed states is live" [ "$(live live.tmt)" = 0 ]
	record live 1 0 ""
	ok "$lua: what is not closed is" within "$(live live.tmt)" 100 1000
	record after 1 0 ""
	ok "$lua: what is freed after a recording is not" within "$(live after.tmt)" 0 100

	record error 2 1 ""
	ok "$lua: calls of a closed state end" [ "$(calls error.dump)" = "0 0" ]
	# 2 x 20 ms, and 4 x 100 around the end of the states.
	ok "$lua: where the error left them" within "$(ms error.tmt total_ns outer)" 0 200
	ok "$lua: frames are counted on" [ "$(sed -n 's/^frame.* value=\([0-9]*\).*/\1/p' error.dump | tr '\n' ' ')" = "0 1 " ]
	ok "$lua: each state has a strand" [ "$(grep -c '^thread.*name="lua [12]"' error.dump)" = 2 ]
	record stop 1 1 "JOINED = true"
	ok "$lua: calls end with a recording" [ "$(calls stop.dump)" = "0 0" ]
	ok "$lua: stop() is one of them" within "$(ms stop.tmt total_ns tracemill.stop)" 0 200
	ok "$lua: a state that records again has one strand" [ "$(grep -c '^thread.*name="lua ' stop.dump)" = 1 ]
	record stop 1 1 "JOINED = false"
	tm-dump -q own.tmt >own.dump
	ok "$lua: calls end with a file" [ "$(calls own.dump)" = "0 0" ]

	record coroutine 1 1 "JOINED = true WORK = 20 RUN = 300"
	coroutines "$lua" coroutine.tmt
	ok "$lua: no calls stay open" [ "$(calls coroutine.dump)" = "0 0" ]
	record coroutine 1 1 "JOINED = false WORK = 20 RUN = 300"
	coroutines "$lua, a file" own.tmt
	record coroutine 1 1 "JOINED = true WORK = 150 RUN = 40"
	ok "$lua: a resumer's time is without that of its coroutine" within "$(ms coroutine.tmt total_ns run)" 39 200
	tm-spikes -q --csv --threshold 200ms coroutine.tmt >spikes
	ok "$lua: and it is no spike" [ "$(grep -c ',run,' spikes)" = 0 -a "$(grep -c ',work,' spikes)" -ge 1 ]
	# shellcheck disable=SC2086 # several words
	${CC:-cc} -O1 -g nested.c -o nested $flags 2>err
	nested "$lua"
done
[ $tried -gt 0 ] || echo "skip - no Lua at all"
exit 0
