#!/bin/bash
# SPDX-License-Identifier: MIT
#
# share/lua/add-marks.lua: a marked program prints what the program prints, in each Lua; the marks are the calls that a
# hook sees; each public Lua file that is here compiles with marks if it does without. The truth is Lua itself.
# shellcheck disable=SC2094 # a file is read only
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

add=$SRC/share/lua/add-marks.lua
cat >program.lua <<'X'
#!/usr/bin/env lua
-- return in a comment; function f() end
local a, b = 1, [==[ return x ]] function() ]==] --[[ return
function g() ]] local long = "a\
return \"b\" \z" -- end
local function f(...) return ... end
local function count(...) return select("#", ...) end
local function down(n) if n > 0 then return down(n - 1) end return "down", f(1, nil, 3, nil) end
print(down(100000))
print(count(down(10)), count(f()), count((f(1, 2))), count(f(nil, nil)))
local o = {v = 3, sub = {}}
function o:m(x, ...) return self.v + x, ... end
function o.n(x) return o:m(x, 1, nil) end
function o.sub.deep(x) return o.n(x); end
function o.replaced() return o:m((function() o.m = nil return 5 end)()) end
print(count(o.sub.deep(4)), o.sub.deep(4))
print((f(1, 2, 3)), f"string", #f{1, 2}, f[[long]])
local function strings() return ("x"):rep(3) end
local function tables() return f{1, 2, n = 3}.n end
local function call_table() return f{7} end
local function call_string() return f'8' end
local function nothing() return end
local function semicolon() return; end
local function falls() local x = 1 end
local function minus(x) return -f(x) end
local function andor(x) return x and f(x) or f(0) end
local function parens(...) return (f(...)) end
local function chain() return f(f)(f)(9) end
local function index() return o.sub["deep"](1) end
print(strings(), tables(), call_table()[1], call_string(), count(nothing()), count(semicolon()), count(falls()), minus(3), andor(false), count(parens(1, 2)), chain(), index())
print(pcall(function() return error("thrown", 0) end))
print(pcall(function(...) local x = ... error("at " .. x) end, "x"))
print(select("#", pcall(f, nil, nil)))
local t = setmetatable({}, {
	__index = function(t, k) return k .. "!" end,
	__call = function(self, ...) return select("#", ...) end,
	["__len"] = function() return 42 end,
	function() return "in a list" end,
})
local function callable() return t(1, nil, nil) end
print(t.x, callable(), getmetatable(t)[1]())
local wrap = coroutine.wrap(function(a) local b = coroutine.yield(a) return b, a, coroutine.yield(b) end)
print(wrap(1), wrap(2), wrap(3))
local co = coroutine.create(function(...) return coroutine.yield(...) end)
print(coroutine.resume(co, 1, 2)) print(coroutine.resume(co, 3, nil)) print(coroutine.status(co))
for i = 1, 2 do local function inner() if i == 1 then return i else return f(i), i end end print(inner()) end
repeat local done = f(true) until done
while f(false) do return 1 end
do local s = 0 for k, v in pairs({1, 2, 3}) do s = s + v end print(s) end
print(o.replaced())
print(debug.getinfo(1, "l").currentline, select("#", ...))
return print "end" -- last
X
cat >labels.lua <<'X'
local function jump(n)
	local i = 0
	::top::
	i = i + 1
	if i < n then goto top end
	do goto done end
	local z = 1
	::done::
end
local function continue(n)
	local s = 0
	for i = 1, n do
		if i % 2 == 0 then goto continue end
		s = s + i
		::continue::
	end
	return s
end
print(jump(3), continue(10))
X
# A name, where the Lua has it as one.
cat >names.lua <<'X'
local function f(goto, ...) return goto, ... end
local t = {goto = 1, f = f, [2] = function() return 3 end}
function t.goto(x) return f(x) end
function t:m(goto) return self.goto(goto) end
local goto = t.goto
print(goto(1), t.goto(2), t:m(3), (goto(4)))
goto = function(...) return t.f(...) end
print(goto(5, 6), t[2]())
for goto = 1, 2 do local x = goto print(x) end
for goto, x in pairs({7}) do print(goto, x) end
local function goto() return goto and t.goto("last") end
goto()
print(goto "s", goto{} == nil)
X
# Marks that tell what a hook is told: functions of Lua, by where they begin. A tail call leaves before it enters.
cat >marks.lua <<'X'
local calls, depth, deepest = {}, 0, 0
local m = {}
function m.enter(name, file, line)
	calls[#calls + 1] = line
	depth = depth + 1
	if depth > deepest then deepest = depth end
	return depth
end
function m.leave(d, ...) depth = d - 1 return ... end
function m.tail(d, f, ...) m.leave(d) return f(...) end
function m.method(d, o, name) local f = o[name] return function(...) m.leave(d) return f(o, ...) end end
function m.said() io.stderr:write(table.concat(calls, " "), "\n", deepest < 20 and "flat\n" or "deep\n", depth, "\n") end
package.loaded.marks = m
X
cat >hook.lua <<'X'
local file, calls = arg[1], {}
local chunk = assert(loadfile(file))
if jit then jit.off() end
local function hook(event)
	local i = debug.getinfo(2, "S")
	if i.what ~= "C" and i.source == "@" .. file then calls[#calls + 1] = i.what == "main" and 0 or i.linedefined end
end
local make = coroutine.create
local function hooked(f) local co = make(f) debug.sethook(co, hook, "c") return co end
coroutine.create = hooked
coroutine.wrap = function(f) local co = hooked(f) return function(...) return select(2, assert(coroutine.resume(co, ...))) end end
debug.sethook(hook, "c")
chunk()
debug.sethook()
io.stderr:write(table.concat(calls, " "), "\n")
X
cat >run.lua <<'X'
require "marks"
local chunk = assert(loadfile(arg[1]))
chunk()
package.loaded.marks.said()
X
cat >compile.lua <<'X'
local both, bad = 0, 0
for line in io.lines("pairs") do
	local from, to = line:match("^(.-)\t(.*)$")
	if loadfile(from) then
		local chunk, why = loadfile(to)
		both = both + (chunk and 1 or 0)
		if not chunk then bad = bad + 1 print(from, why) end
	end
end
print(both > 0 and bad == 0, both, bad)
X
cat >counted.lua <<'X'
local tm = require "tracemill"
tm.start{file = "marked.tmt", calls = "marks"}
assert(loadfile("marked.lua"))()
tm.stop()
X

tried=0
mkdir -p marked
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	if ! command -v $lua >/dev/null 2>&1; then
		echo "skip - $lua (it is not here)"
		continue
	fi
	tried=$((tried + 1))
	for p in program labels names; do
		# 5.1 has no goto; from 5.2 on it is no name.
		case $lua.$p in lua5.1.labels | lua5.[234].names) continue ;; esac
		[ $p = labels ] || [ $lua != lua5.1 ] || sed -i 's/ \\z" -- end/" -- end/' program.lua
		$lua $p.lua 1 2 >want 2>want.err
		status=$?
		$lua "$add" --header 'local __tm=require"marks"' $p.lua >marked/$p.lua
		(cd marked && $lua -e 'package.path = "../?.lua"' -l marks $p.lua 1 2 >../got 2>../got.err)
		same=$?
		ok "$lua, $p: prints the same, and ends so" [ "$status" = "$same" -a "$(wc -l <want)" -gt 0 ]
		ok "$lua, $p: as without marks" cmp want got
		$lua hook.lua $p.lua >/dev/null 2>hooked
		$lua -e 'package.path = "./?.lua"' run.lua marked/$p.lua >/dev/null 2>told
		ok "$lua, $p: calls are those of the hook: $(wc -w <hooked)" cmp hooked <(sed -n 1p told)
		ok "$lua, $p: tail calls do not pile up, and all is left" [ "$(sed -n 2,3p told | tr '\n' ' ')" = "flat 0 " ]
	done
	if [ -e "$BIN/../lib/$lua/tracemill.so" ]; then
		$lua hook.lua program.lua >/dev/null 2>hooked
		cat >error.lua <<'X'
local function thrower(n) if n > 0 then thrower(n - 1) end error("x") end
function keep() return {1, 2, 3} end
for i = 1, 10 do pcall(thrower, 3) local t = keep() end
X
		# Lua allows 200 local variables in a function.
		for n in 150 200; do
			{ for i in $(seq $n); do echo "local l$i = $i"; done; } >locals.lua
			$lua "$add" locals.lua >marked.lua 2>err
			said="$? $(grep -c '^add-marks: with marks it does not load: ' err)"
			ok "$lua: $n local variables: $([ $n = 150 ] && echo it loads || echo it is said)" [ "$said" = "$([ $n = 150 ] && echo 0 0 || echo 3 1)" ]
		done
		$lua "$add" error.lua >marked.lua
		LUA_CPATH="$BIN/../lib/$lua/?.so" $lua counted.lua
		mv marked.tmt error.tmt
		tm-export -q --as folded --sort count --domain lua error.tmt >folded
		ok "$lua: nothing of a call that an error has left" [ "$(grep -c ';keep [0-9]*$' folded) $(grep -c 'thrower.*keep' folded)" = "1 0" ]
		tm-dump -q error.tmt >dump
		ok "$lua: and it has ended" [ "$(awk '$1 == "enter" { n++ } $1 == "exit" { x++ } END { print n, x }' dump)" = "51 51" ]
		$lua "$add" program.lua >marked.lua
		LUA_CPATH="$BIN/../lib/$lua/?.so" $lua counted.lua >/dev/null 2>err
		tm-dump -q marked.tmt >dump
		# Without the time between a coroutine's turns.
		ok "$lua: the module's trace has as many calls, each with its end" [ "$(awk '$1 == "marker" && /name="\(switched out\)"/ { away = " type=" $2 " " }
			away != "" && index($0, away) { next }
			$1 == "enter" { n++ } $1 == "exit" { x++ } END { print n, x }' dump)" = "$(wc -w <hooked) $(wc -w <hooked)" ]
	fi
done
if [ $tried = 0 ]; then
	echo "skip - no Lua at all"
	exit 0
fi

# Public files: those that Debian's packages have put here (lua-penlight, prosody, luarocks, minetest's, luajit's own).
n=0
: >pairs
while read -r f; do
	n=$((n + 1))
	if $lua "$add" "$f" >"public.$n" 2>err; then
		printf '%s\t%s\n' "$f" "public.$n" >>pairs
	elif $lua -e 'os.exit(loadfile(arg[1]) and 0 or 1)' "$f" 2>/dev/null; then
		echo "not ok - $f: $(head -n 1 err)"
	fi
done < <(find /usr/share/lua /usr/share/luajit-* /usr/lib/prosody /usr/share/games/minetest /usr/share/minetest -name '*.lua' 2>/dev/null | sort | head -n 400)
if [ $n = 0 ]; then
	echo "skip - public Lua files (none are here)"
else
	$lua compile.lua >said
	ok "of $n public files each that compiles does so with marks" grep -q '^true' said
fi

printf '\33Lua' >bad1.lua
echo 'x = "no end' >bad2.lua
printf 'x = 1\nif x then\n' >bad3.lua
for f in bad1 bad2 bad3 missing; do
	$lua "$add" $f.lua >out 2>err
	ok "$f: one line that says why, and nothing else" [ $? = 3 -a "$(wc -l <err)" = 1 -a ! -s out ]
done
ok 'with its place' grep -q 'missing.lua: No such file' err
exit 0
