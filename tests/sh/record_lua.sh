#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# timeout: 800
#
# require "tracemill" in each Lua that is here: a script that records itself and knows what it did
# (testdata/src/lua/recorded.lua).
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

same() { # what, file, file
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		echo "ok - $1"
	else
		diff "$2" "$3" | head -n 5
		echo "not ok - $1"
	fi
}

try() { # lua
	local lua=$1

	mkdir -p "$lua"
	if ! LUA_CPATH="$BIN/../lib/$lua/?.so" "$lua" "$SRC/testdata/src/lua/recorded.lua" "$lua" >"$lua/said" 2>"$lua/err"; then
		cat "$lua/err"
		echo "not ok - $lua: the script runs"
		return
	fi
	tm-dump -q "$lua/blocks.tmt" >"$lua/dump"
	ok "$lua: the trace is whole" grep -q '^totals' "$lua/dump"

	# Calls: as many as the script has counted; and each is left once, but for those still open.
	sed -n 's/^calls\t//p' "$lua/said" | sort >"$lua/want"
	awk 'match($0, /^marker [0-9]* name="/) { name[$2] = substr($0, RLENGTH + 1); sub(/".*/, "", name[$2]) }
		$1 == "enter" { sub(/.* type=/, ""); n[name[$1]]++ }
		END { for (k in n) print k "\t" n[k] }' "$lua/dump" | sort >"$lua/all"
	join -t"$(printf '\t')" -o 2.1,2.2 "$lua/want" "$lua/all" >"$lua/got"
	same "$lua: calls, counted" "$lua/want" "$lua/got"
	ok "$lua: no call is left that was not entered, and tail calls do not pile up" [ "$(awk '
		function field(name, i) {
			for (i = 2; i <= NF; i++)
				if (index($i, name "=") == 1)
					return substr($i, length(name) + 2)
		}
		$1 == "enter" { d = ++depth[field("thread")]; if (d > deepest) deepest = d }
		$1 == "exit" { if (depth[field("thread")]-- < 1) below++ }
		END { print below + 0, (deepest < 30) }' "$lua/dump")" = "0 1" ]

	# Bytes: Lua's own count, and the sum of what is live in the trace.
	ok "$lua: bytes are what collectgarbage counts" [ "$(awk '$1 == "bytes" { print ($2 == $3), ($2 > 0) }' "$lua/said")" = "1 1" ]
	ok "$lua: so are the blocks of the trace" [ "$(awk '
		function field(name, i) {
			for (i = 2; i <= NF; i++)
				if (index($i, name "=") == 1)
					return substr($i, length(name) + 2)
		}
		$1 == "alloc" { a = field("address"); if (a in live) wrong++; live[a] = field("requested"); sum += live[a] }
		$1 == "free" { a = field("address"); if (!(a in live)) wrong++; sum -= live[a]; delete live[a] }
		$1 == "counter" && /name="lua.heap"/ { heap = $2 }
		$1 == "counter" && field("type") == heap { last = field("value") }
		/^note info.*"bytes of blocks from before/ { before = substr($3, 7) }
		END { print wrong + 0, (sum - before == last) }' "$lua/dump")" = "0 1" ]

	# Where: tables made in fill, and the way there through a coroutine.
	tm-export -q --as folded --types --sort count --domain lua "$lua/blocks.tmt" >"$lua/folded"
	# Where kinds are known, the stack of a coroutine that grows is distinguished from the
	# tables.
	grep -q 'table [0-9]*$' "$lua/folded" && sed -i '/table [0-9]*$/!d; s/;table / /' "$lua/folded"
	ok "$lua: what fill allocates is fill's" [ "$(awk '/;fill [0-9]*$/ { n += $NF } END { print "fill", n }' "$lua/folded")" = \
		"$(sed -n 's/^fill\t/fill /p' "$lua/said")" ]
	case $lua in
	luajit) ok "$lua: below the coroutine that runs it" grep -q 'main chunk;frame;drive;worker;fill 100$' "$lua/folded" ;;
	*) ok "$lua: below the coroutine that runs it, and who resumed that" \
		grep -q 'main chunk;frame;drive;coroutine.resume;worker;fill 80$' "$lua/folded" ;;
	esac
	ok "$lua: a tail call is in its caller's place" grep -q 'main chunk;frame;down;fill 6$' "$lua/folded"
	ok "$lua: nothing of a call that an error has left" [ "$(grep -c 'thrower;.*fill' "$lua/folded")" = 0 ]
	ok "$lua: nine frames, and the script's counter" [ "$(grep -c ^frame "$lua/dump") $(grep -c 'name="enemies"' "$lua/dump")" = "9 1" ]
	case $lua in
	lua5.1 | luajit) ok "$lua: no kinds, since it has none" [ "$(grep -c '^type' "$lua/dump")" = 0 ] ;;
	*) ok "$lua: kinds of new objects" [ "$(sed -n 's/^type [0-9]* name="\(table\|function\|thread\|string\)"$/\1/p' "$lua/dump" | sort | tr '\n' ' ')" = "function string table thread " ] ;;
	esac

	# Snapshots.
	for s in a b; do
		tm-dump -q "$lua/$s.tmt" >"$lua/$s"
		awk 'match($0, /^type [0-9]* name="/) { name[$2] = substr($0, RLENGTH + 1); sub(/".*/, "", name[$2]) }
			$1 == "object" { sub(/.* type=/, ""); n[name[$1]]++ }
			END { for (k in n) print k, n[k] }' "$lua/$s" | sort >"$lua/$s.types"
	done
	join -a2 -e0 -o 0,2.2,1.2 "$lua/a.types" "$lua/b.types" | awk '$2 - $3 && /^(table|function|thread) / { print $1, $2 - $3 }' >"$lua/got"
	sed -n 's/^objects\t\(.*\)\t/\1 /p' "$lua/said" | sort >"$lua/want"
	same "$lua: snapshots: what there is more of; weak references hold nothing" "$lua/want" "$lua/got"
	ok "$lua: snapshots: every object is once in it, and held by one in it" [ "$(awk '
		function field(name, i) {
			for (i = 2; i <= NF; i++)
				if (index($i, name "=") == 1)
					return substr($i, length(name) + 2)
		}
		$1 == "object" { if (field("address") in there) twice++; there[field("address")] = 1 }
		# One with a value is a word that may be an address of a native block (tm-heap --with).
		$1 == "reference" && !/ value=/ { if (field("address") && field("address") != "0x0" && !(field("address") in there)) early++; to[field("target")] = 1 }
		END { for (a in there) if (!(a in to)) loose++; for (a in to) if (!(a in there)) missing++
			print twice + 0, early + 0, loose + 0, missing + 0 }' "$lua/b")" = "0 0 0 0" ]
	ok "$lua: tm-heap reads them" [ "$(tm-heap -q --csv "$lua/b.tmt" | grep -c '^.*table')" -ge 1 ]
}

# Errors, coroutines that end in every way, addresses that are used again; and each end of the state.
edges() { # lua, how it ends, the status, calls without end
	mkdir -p "$1.$2"
	LUA_CPATH="$BIN/../lib/$1/?.so" "$1" "$SRC/testdata/src/lua/edges.lua" "$1.$2" "$2" >"$1.$2/said" 2>"$1.$2/err"
	status=$?
	ok "$1: edges, $2: the script ends as it would" [ "$status $(grep -c '^true$' "$1.$2/said")" = "$3 1" ]
	ok "$1: edges, $2: what fails says why" [ "$(grep -c '/nowhere/x: No such file\|without a file\|recording already' "$1.$2/said") $(grep -c 'stack overflow' "$1.$2/said")" = "5 $4" ]
	for f in "$1.$2"/e?.tmt; do
		tm-dump -q "$f" 2>&1
	done >"$1.$2/dump"
	ok "$1: edges, $2: every trace is whole" [ "$(grep -c '^totals' "$1.$2/dump") $(grep -c '^note loss' "$1.$2/dump")" = "5 0" ]
}

# lines=true: the line that allocates, and the line of the call to it. From 5.2 on, tables are told from the stacks that Lua
# enlarges.
lines() { # lua
	mkdir -p "$1.lines"
	LUA_CPATH="$BIN/../lib/$1/?.so" "$1" "$SRC/testdata/src/lua/lines.lua" "$1.lines/l.tmt" 2>"$1.lines/err"
	tm-dump -q "$1.lines/l.tmt" | awk '
		function field(name) { return match($0, " " name "=[0-9]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : 0 }
		$1 == "type" { table[$2] = /"table"/; types = 1 }
		$1 == "location" { line[$2] = field("line") }
		$1 == "stack" { at[$2] = line[field("location")]; up[$2] = field("parent") }
		$1 == "alloc" && (!types || table[field("type")]) { s = field("stack"); n[at[s] + 0 " from " at[up[s]] + 0]++ }
		END { print n["11 from 15"], n["11 from 18"] - (!types && n["11 from 18"] == 101), n["21 from 24"] + n["21 from 0"] }' >"$1.lines/got"
	ok "$1: lines that allocate, and lines that call" [ "$(cat "$1.lines/got")" = "10 100 30" ]
}

# Functions that begin in one line are told apart, and by their names.
oneline() { # lua
	LUA_CPATH="$BIN/../lib/$1/?.so" "$1" "$SRC/testdata/src/lua/oneline.lua" "$1.oneline.tmt" | sort >"$1.want"
	tm-dump -q "$1.oneline.tmt" >"$1.dump"
	awk 'match($0, /^marker [0-9]* name="/) { name[$2] = substr($0, RLENGTH + 1); sub(/".*/, "", name[$2]) }
		$1 == "enter" { sub(/.* type=/, ""); n[name[$1]]++ }
		END { for (k in n) print k "\t" n[k] }' "$1.dump" | sort >"$1.all"
	join -t"$(printf '\t')" -o 2.1,2.2 "$1.want" "$1.all" >"$1.got"
	same "$1: functions of one line, each as often as it is called" "$1.want" "$1.got"
	ok "$1: eight of them" [ "$(wc -l <"$1.want")" = 8 ]
	ok "$1: what is loaded again is one function" [ "$(grep -c '^location.*name="[fg]"' "$1.dump")" = 2 ]
}

# LuaJIT finds the module of Lua 5.1 in its path.
wrong_module() {
	[ -e "$BIN/../lib/lua5.1/tracemill.so" ] || return
	LUA_CPATH="$BIN/../lib/lua5.1/?.so" luajit -e 'require("tracemill")' 2>wrong.err
	ok 'luajit: the module of Lua 5.1 is refused' grep -q 'this module is for Lua 5.1; for LuaJIT, see tracemill-lua(3)' wrong.err
}

tried=0
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	if ! command -v $lua >/dev/null 2>&1 || [ ! -e "$BIN/../lib/$lua/tracemill.so" ]; then
		echo "skip - $lua (it, or its headers when this was built, are not here)"
		continue
	fi
	try $lua
	edges $lua end 0 1
	edges $lua exit 3 0
	edges $lua error 1 0
	lines $lua
	oneline $lua
	[ $lua != luajit ] || wrong_module
	tried=$((tried + 1))
done
[ $tried -gt 0 ] || echo "skip - no Lua at all"
exit 0
