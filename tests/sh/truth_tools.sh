#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Reports of other tools' files, beside what these tools print of them; and of scripts, beside what
# their interpreters count.
set -u
. "$SRC/tests/truth.bash"

cat >work.cpp <<'end'
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
__attribute__((noinline)) static void tree() { std::map<int, std::string> m; for (int i = 0; i < 3000; i++) m[i * 7 % 3000] = std::string(40, 'x'); }
__attribute__((noinline)) static void grow() { std::vector<int> v; for (int i = 0; i < 100000; i++) v.push_back(i); }
__attribute__((noinline)) static void leak() { for (int i = 0; i < 321; i++) { volatile char *p = (char *)malloc(100); p[0] = 1; } }
int main() { for (int i = 0; i < 3; i++) { tree(); grow(); } leak(); }
end
g++ -O1 -g -o work work.cpp || exit 1

# heaptrack counts in its own way, in the same kind of run.
if command -v heaptrack >/dev/null && heaptrack -o ht ./work >/dev/null 2>&1 && file=$(find . -name 'ht*.gz' -o -name 'ht*.zst' | head -1) &&
	heaptrack_print -F stacks -f "$file" >printed 2>/dev/null; then
	tm-top -q -n 0 --csv --by type --metrics all "$file" >ht.csv
	tm-top -q -n 0 --csv --by type --leaks "$file" >leaks.csv
	truth heaptrack_print 'calls to allocation functions' "$(field ht.csv count)" \
		"$(sed -n 's/^calls to allocation functions: \([0-9]*\).*/\1/p' printed)"
	truth heaptrack_print 'stacks that its own flame graph weighs, in allocations' \
		"$(tm-export -q --as folded --sort count "$file" | awk '{ n += $NF } END { print n }')" "$(awk '{ n += $NF } END { print n }' stacks)"
	# Leaks of heaptrack are what lives at the end.
	leaked=$(sed -n 's/^total memory leaked: \([0-9.]*\)\(.*\)/\1 \2/p' printed)
	truth heaptrack_print 'bytes that live at the end' "$(field ht.csv live_requested | python3 -c '
n = int(input())
for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3), ("B", 1)):
    if n >= size:
        print("%.2f" % (n / size), unit); break')" "$(python3 -c 'import sys
a = sys.argv[1].split(); print("%.2f" % float(a[0]), {"B": "B", "K": "KB", "KB": "KB", "M": "MB", "MB": "MB"}[a[1].strip()])' "$leaked")"
	# The same program, recorded by us: what malloc and its kind were called for in main is the same.
	tm-record -q -o work.tmt -- ./work
	tm-top -q -n 0 --csv --by function --cumulative work.tmt >ours.csv
	tm-symbolize -q "$file" 2>/dev/null | tm-top -q -n 0 --csv --by function --cumulative - >theirs.csv
	truth heaptrack 'allocations below main, in two recordings' "$(field ours.csv total_count function main)" \
		"$(field theirs.csv total_count function main)"
else
	echo "skip - heaptrack (not here)"
fi

# uftrace: calls by its own report.
cat >calls.c <<'end'
__attribute__((noinline)) int leaf(int n) { return n * 3; }
__attribute__((noinline)) int inner(int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(i); return s; }
__attribute__((noinline)) int outer(int n) { int s = 0; for (int i = 0; i < n; i++) s += inner(i); return s; }
int main(void) { return outer(30) & 1 ? 0 : 0; }
end
if command -v uftrace >/dev/null && gcc -O0 -g -pg -o traced calls.c && uftrace record -d uft ./traced >/dev/null 2>&1; then
	uftrace report -d uft --no-pager >by-function
	tm-top -q -n 0 --csv --by function uft >uft.csv
	for f in leaf inner outer main; do
		want=$(awk -v f=$f '$NF == f { print $(NF - 1) }' by-function)
		truth 'uftrace report' "calls of $f" "$(field uft.csv calls function $f)" "$want"
	done
else
	echo "skip - uftrace (not here)"
fi

# LuaJIT's own profiler counts samples; its text says percents.
cat >spin.lua <<'end'
local function hot(n) local s = 0 for i = 1, n do s = s + i % 7 end return s end
local function cold(n) local s = {} for i = 1, n do s[i] = tostring(i) end return #s end
for i = 1, 60 do hot(2000000) cold(20000) end
end
if command -v luajit >/dev/null && luajit -jp=G,spin.txt spin.lua >/dev/null 2>&1 || luajit -jp=Gf1 spin.lua >spin.txt 2>/dev/null; then
	[ -s spin.txt ] || luajit -jp=G spin.lua >spin.txt 2>/dev/null
	truth "LuaJIT's profiler" 'samples' "$(tm-top -q -n 0 --csv --by stack spin.txt | python3 -c '
import csv, sys; print(sum(int(r["samples"] or 0) for r in csv.DictReader(sys.stdin)))')" "$(awk 'NF { n += $NF } END { print n }' spin.txt)"
else
	echo "skip - LuaJIT's profiler (not here)"
fi

# Lua's own count of bytes, and its own hook.
lua_module() { # VERSION: where the build left the module
	find "$BUILD/lib" -path "*$1*" -name 'tracemill.so' 2>/dev/null | head -1
}
for version in 5.1 5.4; do
	so=$(lua_module "$version")
	if [ -z "$so" ] || ! command -v lua$version >/dev/null; then
		echo "skip - Lua $version (not here)"
		continue
	fi
	cat >count.lua <<'end'
local calls = 0
local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end
local function g() for i = 1, 50 do f(9) end end
-- Its own hook counts first.
debug.sethook(function(what) local i = debug.getinfo(2, 'f') if i.func == f then calls = calls + 1 end end, 'c')
g()
debug.sethook()
local tm = require 'tracemill'
tm.start(arg[1])
g()
tm.stop()
print(calls)
end
	want=$(LUA_CPATH="$(dirname "$so")/?.so" lua$version count.lua lua$version.tmt 2>said) || head -3 said
	tm-top -q -n 0 --csv --by function lua$version.tmt >lua.csv
	truth "Lua $version's hook" 'calls of a function' "$(python3 -c '
import csv; print(sum(int(r["calls"] or 0) for r in csv.DictReader(open("lua.csv")) if r["function"].split(":")[0].strip() in ("f", "count.lua:2", "f (count.lua)")))')" "$want"
done
