#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Options of the Lua module's start: exclude leaves functions out, whose blocks are their callers'; count takes a sample of
# the stack each so many instructions; each coroutine is a thread of its own. The truth is what the script is written to do.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >exclude.lua <<'X'
local tm = require "tracemill"
local how = os.getenv("HOW")
function inner() return {1} end
function helper_a() local t = inner() return t, 1 end
function helper_b() local t = helper_a() return t, 1 end
function work() for i = 1, 50 do helper_b() end end
collectgarbage("stop")
tm.start{file = "x.tmt", exclude = how == "list" and {"^helper_a$", "_b$"} or how == "place" and "exclude.lua:[45]$" or how == "one" and "^helper_" or nil}
work()
tm.stop()
X
cat >wrong.lua <<'X'
local tm = require "tracemill"
print(pcall(tm.start, {file = "w.tmt", exclude = "("}))
print(pcall(tm.start, {file = "w.tmt", count = 0}))
print(pcall(tm.start, {file = "w.tmt", count = "many"}))
print(pcall(tm.start, {fil = "w.tmt"}))
print(pcall(tm.start, {file = "w.tmt", line = true}))
print(pcall(tm.start, {file = "w.tmt", calls = "mark"}))
print(pcall(tm.start, {file = "w.tmt", exclude = 5}))
print(pcall(tm.start, {file = "w.tmt", exclude = {"a", 5}}))
print(pcall(tm.start, {file = "w.tmt", blocks = 0}))
print(pcall(tm.start, {"w.tmt"}))
X
# Rounds of the loop take the same number of instructions wherever they are.
cat >count.lua <<'X'
local tm = require "tracemill"
function spin(n) local x = 0 for i = 1, n do x = x + i % 7 end return x end
function one() local x = spin(100000) return x end
function three() local x = spin(300000) return x end
tm.start{file = "c.tmt", calls = os.getenv("CALLS") == "1", blocks = false, count = 1000}
for i = 1, 10 do one() three() end
tm.stop()
X
cat >strands.lua <<'X'
local tm = require "tracemill"
function last(n) return n end
function body(n)
	for i = 1, n do coroutine.yield(i) end
	return last(n)
end
tm.start{file = "s.tmt", blocks = false}
local all = {}
for i = 1, 5 do all[i] = coroutine.create(body) end
for round = 1, 6 do
	for i = 1, 5 do
		if coroutine.status(all[i]) ~= "dead" then coroutine.resume(all[i], i) end
	end
end
tm.stop()
X
blocks() { # function: blocks whose innermost function it is
	tm-export -q --as folded --sort count --domain lua x.tmt | awk -v f=";$1 [0-9]*$" '$0 ~ f { n += $NF } END { print n + 0 }'
}

tried=0
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	if ! command -v $lua >/dev/null 2>&1 || [ ! -e "$BIN/../lib/$lua/tracemill.so" ]; then
		echo "skip - $lua (it, or its headers when this was built, are not here)"
		continue
	fi
	tried=$((tried + 1))
	export LUA_CPATH="$BIN/../lib/$lua/?.so"
	for how in none one list place; do
		HOW=$how $lua exclude.lua
		tm-dump -q x.tmt >dump
		entered=$(awk 'match($0, /^marker [0-9]+ name="helper_/) { m["type=" $2] = 1 }
			$1 == "enter" { for (i = 2; i <= NF; i++) n += $i in m } END { print n + 0 }' dump)
		names=$(tm-export -q --as folded --sort count --domain lua x.tmt | grep -c helper_)
		if [ $how = none ]; then
			ok "$lua: with nothing left out there are 100 calls of helpers" [ "$entered" = 100 -a "$names" -gt 0 ]
			all=$(blocks inner)
		else
			ok "$lua, $how: no helper is entered, or in a stack" [ "$entered $names" = "0 0" ]
		fi
		ok "$lua, $how: inner still has its blocks, below work" [ "$(blocks inner)" = "$all" -a "$all" -ge 50 ]
		[ $how = none ] || ok "$lua, $how: work calls inner" grep -q ';work;inner [0-9]*$' <(tm-export -q --as folded --sort count --domain lua x.tmt)
	done
	$lua wrong.lua >said
	ok "$lua: what is wrong is said" [ "$(grep -c '^false.*tracemill: exclude: \|^false.*tracemill: count is a number of instructions' said)" = 4 ]
	ok "$lua: options that are none, too" [ "$(grep -c '^false.*tracemill: start has no option \(fil\|line\|without a name\)$' said)" = 3 ]
	ok "$lua: values of another type, too" [ "$(grep -c '^false.*tracemill: \(calls is true, false or "marks", not "mark"\|exclude is a string, not a number\|exclude: number 2 is no string\|blocks is a boolean, not a number\)$' said)" = 4 ]

	# 4,000,000 rounds of at least 2 instructions each.
	for calls in 0 1; do
		CALLS=$calls $lua count.lua
		tm-dump -q c.tmt >dump
		awk 'match($0, /name="[^"]*"/) && $1 == "location" { name[$2] = substr($0, RSTART + 6, RLENGTH - 7) }
			$1 == "stack" { for (i = 3; i <= NF; i++) { if (sub(/^location=/, "", $i)) at[$2] = $i; if (sub(/^parent=/, "", $i)) up[$2] = $i } }
			$1 == "sample" { for (i = 2; i <= NF; i++) { if (sub(/^stack=/, "", $i)) s = $i; if ($i ~ /^requested=/ && $i != "requested=1000") odd++ }
				if (name[at[s]] == "spin") n[name[at[up[s]]]]++ }
			END { print n["one"] + 0, n["three"] + 0, odd + 0 }' dump >got
		ok "$lua, calls $calls: samples by their callers are as 1 to 3: $(cat got)" awk '{ exit !($1 > 1500 && $2 > 2.9 * $1 && $2 < 3.1 * $1 && !$3) }' got
	done

	$lua strands.lua
	tm-dump -q s.tmt >dump
	awk 'match($0, /^marker [0-9]+ name="[^"]*"/) { s = substr($0, RSTART, RLENGTH); sub(/.*name="/, "", s); sub(/"/, "", s); name["type=" $2] = s }
		$1 == "enter" || $1 == "exit" { for (i = 2; i <= NF; i++) { if ($i ~ /^thread=/) t = $i; if ($i in name) m = name[$i] }
			if (m == "body" || m == "last") n[$1 " " m]++
			if ($1 == "enter" && m == "body") threads[t] = 1
			d[t] += $1 == "enter" ? 1 : -1; if (d[t] < 0) wrong++ }
		END { for (t in threads) k++; print k, n["enter body"], n["exit body"], n["enter last"], n["exit last"], wrong + 0 }' dump >got
	ok "$lua: five coroutines are five threads, with returns and tail calls: $(cat got)" [ "$(cat got)" = "5 5 5 5 5 0" ]
done
[ $tried -gt 0 ] || echo "skip - no Lua at all"
exit 0
